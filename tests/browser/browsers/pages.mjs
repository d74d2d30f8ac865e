// Makes the pages of the suite in build/browsers: one with an element test in it, the same in a sandboxed frame, and
// those for policies and for browsers without SIMD.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { REAL_ROWS } from "../../node/digest.mjs";
import { tables } from "../../../web/build/plugins.mjs";
import { LOGITS, modules, VECTORS } from "../../node/support.mjs";
import { ROOT } from "../support.mjs";

export const FOLDER = join(ROOT, "build/browsers");
const SCRIPT = "sampling-lab.js",
  ALL = "sampling-lab-all.js",
  COMPAT = "sampling-lab.compat.js";

/** What the suite needs from files, as bytes; and the vectors from the folder under test. */
const files = {
  name: "files",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^suite:files$/ }, () => ({ path: "files", namespace: "suite" }));
    onResolve({ filter: /vectors\/\w+\.json$/ }, ({ path }) => ({ path: join(VECTORS, path.split("vectors/")[1]) }));
    onResolve({ filter: /^binary:/ }, ({ path }) => ({ path: path.slice(7), namespace: "binary" }));
    onLoad({ filter: /./, namespace: "binary" }, ({ path }) => ({ contents: readFileSync(path), loader: "binary" }));
    onLoad({ filter: /./, namespace: "suite" }, () => ({
      resolveDir: ROOT,
      contents: `${REAL_ROWS.map((name, index) => `import row${index} from "binary:${join(LOGITS, name)}";`).join("\n")}
        import simd from "binary:${modules.simd}";
        import scalar from "binary:${modules.scalar}";
        import model from "binary:${join(ROOT, "web/models/zh.safetensors")}";
        const rows = { ${REAL_ROWS.map((name, index) => `"${name}": row${index}`).join(", ")} };
        export { rows, simd, scalar, model };`,
    }));
  },
};

const page = (body, ...scripts) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>browsers</title><script src="listen.js"></script></head>
<body>
${body}
${scripts.map(script => (script.endsWith(".mjs") ? `<script type="module" src="${script}"></script>` : `<script src="${script}"></script>`)).join("\n")}
</body>
</html>
`;
const elements = ["smp-sampling", "smp-stopping"]
  .map(tag => `<${tag}><p slot="fallback">worked table</p></${tag}>`)
  .join("\n");

const PAGES = {
  "suite.html": page("<main></main>", SCRIPT, "suite.js"),
  "suite.compat.html": page("<main></main>", COMPAT, "suite.js"),
  "frame.html": page(`<iframe sandbox="allow-scripts" src="suite.html" width="1240" height="1000"></iframe>`),
  "elements.html": page(elements, SCRIPT),
  "axe.html": page(elements, SCRIPT, "axe.min.js"),
  "late.html": page(
    `<style>smp-sampling:not(:defined) { display: block; min-height: 1600px }</style><p>before</p><smp-sampling></smp-sampling>`,
  ),
  "frequency.html": page("<smp-frequency></smp-frequency>", ALL),
  "elements.twice.html": page(elements, COMPAT, SCRIPT, SCRIPT, "register.mjs"),
};

export async function makePages() {
  mkdirSync(FOLDER, { recursive: true });
  await build({
    entryPoints: [join(ROOT, "tests/browser/browsers/suite.mjs")],
    outfile: join(FOLDER, "suite.js"),
    bundle: true,
    format: "iife",
    charset: "utf8",
    plugins: [files, tables()],
    logLevel: "warning",
    ignoreAnnotations: true,
  }); // the package calls its tests free of side effects
  copyFileSync(join(ROOT, "tests/browser/browsers/listen.mjs"), join(FOLDER, "listen.js"));
  for (const script of [SCRIPT, ALL, COMPAT, "sampling-lab.mjs", "core.mjs"])
    copyFileSync(join(ROOT, "dist", script), join(FOLDER, script));
  copyFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), join(FOLDER, "axe.min.js"));
  writeFileSync(join(FOLDER, "register.mjs"), 'import { register } from "./sampling-lab.mjs";\nregister();\n');
  for (const [name, html] of Object.entries(PAGES)) writeFileSync(join(FOLDER, name), html);
}
