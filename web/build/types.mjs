// Writes the types of the package to dist/types, and the custom-elements manifest: the compiler's declarations, but
// those of the elements from their class comments, so that no type of the renderer is needed to read them.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { declarationOf, detailsOf, manifestOf, readElement } from "./manifest.mjs";
import { elementFile, elementNames } from "./plugins.mjs";

const MADE = "build/types",
  SHIPPED = "dist/types";
const ENTRIES = ["entry/index", "entry/core", "entry/register-all", "entry/anywidget", "smp.wasm"];

export function writeTypes() {
  for (const folder of [MADE, SHIPPED]) rmSync(folder, { recursive: true, force: true });
  execFileSync(
    "node_modules/.bin/tsc",
    ["-p", "web", "--noEmit", "false", "--noCheck", "--declaration", "--emitDeclarationOnly", "--outDir", MADE],
    { stdio: "inherit" },
  );

  const elements = elementNames.map(name => readElement(readFileSync(`web/${elementFile(name)}`, "utf8")));
  elements.forEach((element, index) =>
    writeFileSync(`${MADE}/${elementFile(elementNames[index]).replace(/tsx$/, "d.ts")}`, declarationOf(element)),
  );
  writeFileSync(`${MADE}/entry/all.elements.d.ts`, classesOf(elements));
  writeFileSync(
    "dist/custom-elements.json",
    `${JSON.stringify(manifestOf(elements, "dist/sampling-lab.mjs", "dist/register.mjs"), null, 2)}\n`,
  );

  writeFileSync(`${MADE}/smp.wasm.d.ts`, exportsOf("dist/smp.wasm"));
  const shipped = new Set();
  for (const entry of ENTRIES) ship(`${entry}.d.ts`, shipped);
}

/** The classes of all elements, their events' details, and the classes by name. */
function classesOf(elements) {
  const lines = elements.map((element, index) => {
    const file = `../${elementFile(elementNames[index])}`,
      { className } = element;
    return `import { ${className} } from "${file}";\nexport { ${className} };\nexport type { ${detailsOf(element).join(", ")} } from "${file.replace("element.tsx", "state.ts")}";\n`;
  });
  return `${lines.join("")}export declare const elements: {\n${elements.map(({ className }, index) => `  readonly "${elementNames[index]}": typeof ${className};\n`).join("")}};\n`;
}

/** What a bundler or runtime that imports wasm as a module gives. */
function exportsOf(path) {
  const type = kind => (kind === "memory" ? "WebAssembly.Memory" : "(...args: number[]) => number");
  return WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(path)))
    .map(({ name, kind }) => `export declare const ${name}: ${type(kind)};\n`)
    .join("");
}

/** Copies a declaration and all that it names. */
function ship(file, shipped) {
  if (shipped.has(file)) return;
  shipped.add(file);
  cpSync(join(MADE, file), join(SHIPPED, file));
  for (const [, other] of readFileSync(join(MADE, file), "utf8").matchAll(
    /(?:from |import\()"(\.{1,2}\/[^"]+)\.tsx?"/g,
  ))
    ship(join(dirname(file), `${other}.d.ts`), shipped);
}
