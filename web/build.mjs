// Bundles web/ into dist/ with esbuild: the classic script, with SIMD and without, one module, the command line, and the
// plain wasm.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
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

/** A classic script needs only what the elements call. */
const only = module => ({
  name: "elements",
  setup: ({ onResolve }) => onResolve({ filter: /smp\.wasm$/ }, () => ({ path: fileURLToPath(new URL(`../build/wasm/${module}.wasm`, import.meta.url)) })),
});

/** The module travels as a string, a byte a character. Shifted by 36, the frequent small bytes are plain ASCII: a
    quarter smaller after gzip than base64, and decoded without waiting. */
const wasm = {
  name: "wasm",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.wasm$/ }, ({ path }) => {
      const text = String.fromCharCode(...readFileSync(path).map(byte => byte + 36));
      return { contents: `export default Uint8Array.from(${JSON.stringify(text)}, c => c.charCodeAt(0) - 36);` };
    }),
};

const common = {
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  plugins: [css, wasm],
  logLevel: "warning",
};

const script = (name, module) => build({ ...common, plugins: [css, only(module), wasm], entryPoints: ["web/register.ts"], outfile: `dist/${name}`, format: "iife" });

await Promise.all([
  script("sampling-lab.js", "elements"),
  script("sampling-lab.compat.js", "elements-scalar"),
  build({ ...common, entryPoints: ["web/index.ts"], outfile: "dist/sampling-lab.mjs", format: "esm" }),
  build({ ...common, entryPoints: ["web/cli.ts"], outfile: "dist/cli.js", format: "esm", platform: "node", minify: false, banner: { js: "#!/usr/bin/env node" } }),
]);
copyFileSync("build/wasm/smp.wasm", "dist/smp.wasm");

for (const file of ["sampling-lab.js", "sampling-lab.compat.js", "sampling-lab.mjs", "smp.wasm"]) {
  // gzip itself: the zlib of one Node differs from that of the next by a kilobyte
  console.log(`  dist/${file} ${readFileSync(`dist/${file}`).length} bytes, ${execFileSync("gzip", ["-9nc", `dist/${file}`]).length} gzip`);
}
