// Writes the types of the package to dist/types, and the custom-elements manifest: the compiler's declarations, but those
// of the elements from their class comments, so that no type of the renderer is needed to read them.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { declarationOf, manifestOf, readElement } from "./manifest.mjs";

const MADE = "build/types", SHIPPED = "dist/types";
const ENTRIES = ["entry/index", "entry/core", "entry/register-all", "entry/anywidget", "smp.wasm"];

export function writeTypes() {
  for (const folder of [MADE, SHIPPED]) rmSync(folder, { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", ["-p", "web", "--noEmit", "false", "--noCheck", "--declaration", "--emitDeclarationOnly", "--outDir", MADE], { stdio: "inherit" });

  const folders = readdirSync("web/elements", { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => `elements/${name}`).sort();
  const elements = folders.map(folder => readElement(readFileSync(`web/${folder}/element.tsx`, "utf8")));
  elements.forEach((element, index) => writeFileSync(`${MADE}/${folders[index]}/element.d.ts`, declarationOf(element)));
  writeFileSync("dist/custom-elements.json", `${JSON.stringify(manifestOf(elements, "dist/sampling-lab.mjs", "dist/register.mjs"), null, 2)}\n`);

  writeFileSync(`${MADE}/smp.wasm.d.ts`, exportsOf("dist/smp.wasm"));
  const shipped = new Set();
  for (const entry of ENTRIES) ship(`${entry}.d.ts`, shipped);
}

/** What a bundler or runtime that imports wasm as a module gives. */
function exportsOf(path) {
  const type = kind => (kind === "memory" ? "WebAssembly.Memory" : "(...args: number[]) => number");
  return WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(path))).map(({ name, kind }) => `export declare const ${name}: ${type(kind)};\n`).join("");
}

/** Copies a declaration and all that it names. */
function ship(file, shipped) {
  if (shipped.has(file)) return;
  shipped.add(file);
  cpSync(join(MADE, file), join(SHIPPED, file));
  for (const [, other] of readFileSync(join(MADE, file), "utf8").matchAll(/(?:from |import\()"(\.{1,2}\/[^"]+)\.tsx?"/g)) ship(join(dirname(file), `${other}.d.ts`), shipped);
}
