// Bundles web/ into dist/ with esbuild: the classic script and the pages that use it, the modules with their types, the
// command line, and the plain wasm.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeNotices } from "./third-party.mjs";
import { writeTypes } from "./types.mjs";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
mkdirSync("dist", { recursive: true });

/** Style sheets travel inside the script as minified text. */
const css = {
  name: "css",
  setup: ({ onLoad, esbuild }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, "utf8"), { loader: "css", minify: true, target: "es2022" });
      return { contents: code.trim(), loader: "text" };
    }),
};

/** Where there are elements and nothing else, the module holds only what those call. */
const only = module => ({
  name: "elements",
  setup: ({ onResolve }) => onResolve({ filter: /smp\.wasm$/ }, () => ({ path: fileURLToPath(new URL(`../../build/wasm/${module}.wasm`, import.meta.url)) })),
});

/** The module travels as a string, a byte a character. Shifted by 36, the frequent small bytes are plain ASCII: a
    quarter smaller after gzip than base64, and decoded without waiting. */
const wasm = {
  name: "wasm",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.wasm$/ }, ({ path }) => {
      const text = readFileSync(path).map(byte => byte + 36).toString("latin1");
      return { contents: `export default Uint8Array.from(${JSON.stringify(text)}, c => c.charCodeAt(0) - 36);` };
    }),
};

/** A row of real logits travels as base64, the highest bytes first, which repeat; with it where it stands, from the
    meta.json beside it. */
const position = {
  name: "position",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.f32$/ }, ({ path }) => {
      const bytes = readFileSync(path), count = bytes.length / 4;
      const planes = Buffer.from(bytes.map((_, place) => bytes[4 * (place % count) + 3 - Math.floor(place / count)]));
      const { context, context_ids = context, context_text } = JSON.parse(readFileSync(join(dirname(path), "meta.json"), "utf8")).positions.find(({ file }) => file === basename(path));
      return { contents: JSON.stringify({ row: planes.toString("base64"), context: context_ids, text: context_text.slice(-80) }), loader: "json" };
    }),
};

/** The modules of the package are files beside each other that share one core; each names the others as they are called
    there. */
const beside = {
  name: "beside",
  setup: ({ onResolve }) => {
    onResolve({ filter: /(^|\/)(core|eval)\/[\w-]+\.ts$|^\.\/core\.ts$/ }, () => ({ path: "./core.mjs", external: true }));
    onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path: "./sampling-lab.mjs", external: true }));
  },
};

const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true, // whose work each file holds: third-party.mjs says it in a banner
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [css, wasm],
  logLevel: "warning",
};
const script = (entry, file, ...plugins) => build({ ...common, entryPoints: [entry], outfile: `dist/${file}`, format: "iife", plugins: [css, ...plugins, wasm] });
const module = (entry, file, ...plugins) => build({ ...common, entryPoints: [entry], outfile: `dist/${file}`, format: "esm", plugins: [...plugins, css, wasm] });

const built = await Promise.all([
  script("web/entry/register.ts", "sampling-lab.js", only("elements")),
  script("web/entry/register.ts", "sampling-lab.compat.js", only("elements-scalar")), // for browsers without SIMD
  script("web/entry/register-all.ts", "sampling-lab-all.js", only("engines")),
  script("web/entry/logits.ts", "sampling-lab-logits.js", position),
  script("web/entry/embed.ts", "embed.js"),
  module("web/entry/core.ts", "core.mjs"),
  module("web/entry/index.ts", "sampling-lab.mjs", beside),
  module("web/entry/register-all.ts", "register.mjs", beside),
  module("web/entry/anywidget.ts", "anywidget.mjs", only("elements")), // a notebook takes it as one file
  build({ ...common, entryPoints: ["web/entry/cli.ts"], outfile: "dist/cli.js", format: "esm", platform: "node", minify: false, banner: { js: "#!/usr/bin/env node" } }),
]);
writeNotices(built);
chmodSync("dist/cli.js", 0o755); // npx runs it where it lies
copyFileSync("build/wasm/smp.wasm", "dist/smp.wasm");

copyFileSync("web/entry/embed.html", "dist/embed.html");
/** The page of the engines is the snippet that an author gets, with the real positions beside it. */
const snippet = execFileSync(process.execPath, ["dist/cli.js", "snippet", "smp-compare", "--lang", "zh"], { encoding: "utf8" });
const head = readFileSync("index.html", "utf8").split("</title>")[0];
writeFileSync(
  "dist/compare.html",
  `${head}</title>\n<style>body { margin: 0; background: light-dark(#fff, #16181b) }</style>\n<script src="sampling-lab-logits.js" defer></script>\n</head>\n<body>\n${snippet}</body>\n</html>\n`,
);
/** The page with its script inside, without the way to the other: nothing in it may look like the end of a script, or like a comment. */
const inline = readFileSync("dist/sampling-lab.js", "utf8").replace(/<(?=\/script|!--|script)/gi, "\\x3c");
writeFileSync("dist/sampling-lab.html", readFileSync("index.html", "utf8").replace(/<p class="more">.*\n/, "").replace(/<script src="[^"]*"><\/script>/, () => `<script>${inline}</script>`));

writeTypes();

for (const file of ["sampling-lab.js", "sampling-lab.compat.js", "sampling-lab-all.js", "sampling-lab-logits.js", "sampling-lab.mjs", "core.mjs", "smp.wasm"]) {
  // gzip itself: the zlib of one Node differs from that of the next by a kilobyte
  console.log(`  dist/${file} ${readFileSync(`dist/${file}`).length} bytes, ${execFileSync("gzip", ["-9nc", `dist/${file}`]).length} gzip`);
}
