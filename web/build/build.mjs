// Bundles web/ into dist/ with esbuild: the classic script and the pages that use it, the modules with their types, the
// command line, and the plain wasm.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beside, css, elementNames, firstNames, only, position, registry, tables, wasm } from "./plugins.mjs";
import { writeNotices } from "./third-party.mjs";
import { writeTypes } from "./types.mjs";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
mkdirSync("dist", { recursive: true });

const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true, // whose work each file holds: third-party.mjs says it in a banner
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [css, tables(), wasm],
  logLevel: "warning",
};
/** A classic script is read in the charset of its page, so it holds ASCII alone. esbuild leaves tagged templates and
    patterns as they are, lest a program reads their raw text; none here does. */
const script = async (entry, file, ...plugins) => {
  const outfile = `dist/${file}`,
    plain = { charset: "ascii", plugins: [css, ...plugins, wasm] };
  const built = await build({ ...common, ...plain, entryPoints: [entry], outfile, format: "iife" });
  const escaped = c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(outfile, readFileSync(outfile, "utf8").replace(/[^\0-\x7f]/g, escaped));
  return built;
};
const module = (entry, file, ...plugins) =>
  build({
    ...common,
    entryPoints: [entry],
    outfile: `dist/${file}`,
    format: "esm",
    plugins: [...plugins, css, tables(), wasm],
  });

/** A classic script of these elements, with the smallest module that does for all of them; `scalar`: for
    browsers without SIMD. */
const elements = (names, file, scalar = "") =>
  script(
    "web/entry/register.ts",
    file,
    tables(names),
    only((names.some(name => registry[name].module === "engines") ? "engines" : "elements") + scalar),
  );

/** The scripts of elements: the first, all, and each by itself. */
const SCRIPTS = {
  "sampling-lab.js": firstNames,
  "sampling-lab-all.js": elementNames,
  ...Object.fromEntries(elementNames.map(name => [`elements/smp-${name}.js`, [name]])),
};

const built = await Promise.all([
  ...Object.entries(SCRIPTS).map(([file, names]) => elements(names, file)),
  elements(firstNames, "sampling-lab.compat.js", "-scalar"),
  script("web/entry/logits.ts", "sampling-lab-logits.js", position),
  script("web/entry/model-zh.ts", "sampling-lab-model-zh.js"),
  script("web/entry/embed.ts", "embed.js", tables()),
  module("web/entry/core.ts", "core.mjs"),
  module("web/entry/index.ts", "sampling-lab.mjs", beside),
  module("web/entry/register-all.ts", "register.mjs", beside),
  module("web/entry/anywidget.ts", "anywidget.mjs", only("elements")), // a notebook takes it as one file
  build({
    ...common,
    entryPoints: ["web/entry/cli.ts"],
    outfile: "dist/cli.js",
    format: "esm",
    platform: "node",
    minify: false,
    banner: { js: "#!/usr/bin/env node" },
  }),
]);
writeNotices(built);
chmodSync("dist/cli.js", 0o755); // npx runs it where it lies
copyFileSync("build/wasm/smp.wasm", "dist/smp.wasm");

copyFileSync("web/entry/embed.html", "dist/embed.html");
/** Each other element has a page, which is the snippet that an author gets; that of the engines has the real positions
    beside it. */
const head = readFileSync("index.html", "utf8").split("</title>")[0];
for (const name of elementNames.filter(each => !registry[each].first)) {
  const snippet = execFileSync(process.execPath, ["dist/cli.js", "snippet", `smp-${name}`, "--lang", "zh"], {
    encoding: "utf8",
  });
  const beside = name === "compare" ? '<script src="sampling-lab-logits.js" defer></script>\n' : "";
  writeFileSync(
    `dist/${name}.html`,
    `${head}</title>\n<style>body { margin: 0; background: light-dark(#fff, #16181b) }</style>\n${beside}</head>\n<body>\n${snippet}</body>\n</html>\n`,
  );
}
/** The page with its script inside, without the way to the other: nothing in it may look like the end of
    a script, or like a comment. */
const inline = readFileSync("dist/sampling-lab.js", "utf8").replace(/<(?=\/script|!--|script)/gi, "\\x3c");
writeFileSync(
  "dist/sampling-lab.html",
  readFileSync("index.html", "utf8")
    .replace(/<p class="more">.*\n/, "")
    .replace(/<script src="[^"]*"><\/script>/, () => `<script>${inline}</script>`),
);

writeTypes();

for (const file of [
  ...Object.keys(SCRIPTS),
  "sampling-lab.compat.js",
  "sampling-lab-logits.js",
  "sampling-lab-model-zh.js",
  "sampling-lab.mjs",
  "core.mjs",
  "smp.wasm",
]) {
  // gzip itself: the zlib of one Node differs from that of the next by a kilobyte
  console.log(
    `  dist/${file} ${readFileSync(`dist/${file}`).length} bytes, ${execFileSync("gzip", ["-9nc", `dist/${file}`]).length} gzip`,
  );
}
