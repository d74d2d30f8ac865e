// The package as npm packs it, installed into an empty project: its files, what each entry is in Node, in a server
// render and in a bundler, its types, its command line, and the manifest of its elements.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import Ajv from "ajv";
import { build } from "esbuild";
import { elementNames } from "../../web/build/plugins.mjs";
import { checkSize, fromRoot } from "./support.mjs";

const project = mkdtempSync(join(tmpdir(), "smp-project-"));
after(() => rmSync(project, { recursive: true }));
const npm = (cwd, ...args) =>
  execFileSync("npm", [...args, "--ignore-scripts", "--offline", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

const [packed] = Object.values(JSON.parse(npm(fromRoot(), "pack", "--json", "--pack-destination", project)));
const tarball = join(project, packed.filename);
writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
npm(project, "install", "--no-audit", "--no-fund", tarball);
const installed = (...path) => join(project, "node_modules/sampling-lab", ...path);
const json = path => JSON.parse(readFileSync(installed(path), "utf8"));

// ---- Files -------------------------------------------------------------------------------------------------------

const TYPES = `compare/config compare/row core/chain core/compare core/engine core/error core/frequency core/generate core/lab core/load core/model
  core/module core/place core/published core/row core/stop core/trace elements/compare/element elements/compare/presets elements/compare/state
  elements/frequency/element elements/frequency/presets elements/frequency/state elements/sampling/element elements/sampling/presets elements/sampling/rules
  elements/sampling/state elements/stopping/element
  elements/stopping/presets elements/stopping/state entry/all.elements entry/anywidget entry/core
  entry/index entry/register-all eval/answer eval/compared eval/evaluate eval/evaluate-engine eval/request smp.wasm ui/numbers`;

test("its files are these", () => {
  const dist = [
    "THIRD-PARTY.txt",
    "anywidget.mjs",
    "cli.js",
    "core.mjs",
    "custom-elements.json",
    "embed.html",
    "embed.js",
    ...elementNames.map(name => `elements/smp-${name}.js`),
    "register.mjs",
    "sampling-lab-all.js",
    "sampling-lab-logits.js",
    "sampling-lab-model-zh.js",
    "sampling-lab.compat.js",
    "sampling-lab.js",
    "sampling-lab.mjs",
    "smp.wasm",
    ...TYPES.split(/\s+/).map(name => `types/${name}.d.ts`),
  ];
  assert.deepEqual(
    packed.files.map(({ path }) => path).sort(),
    ["LICENSE", "README.md", "package.json", ...dist.map(name => `dist/${name}`)].sort(),
  );
});

test("its size", () => checkSize("npm pack", gunzipSync(readFileSync(tarball)), 1024));

test("whatever package.json names is there", () => {
  const { exports, bin, customElements, sideEffects } = json("package.json");
  const targets = [
    ...Object.values(exports).flatMap(target => (typeof target === "string" ? target : Object.values(target))),
    ...Object.values(bin),
    customElements,
    ...sideEffects,
  ];
  for (const target of targets) assert.ok(existsSync(installed(target.replace("*", `smp-${elementNames[0]}`))), target);
});

// ---- Node and servers --------------------------------------------------------------------------------------------

/** What a module prints that runs in the project. */
function run(code) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-"], {
    input: code,
    cwd: project,
    encoding: "utf8",
    timeout: 30_000,
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout.trim();
}

/** Whoever touches the DOM is told so. */
const NO_DOM = `
  for (const name of ["document", "window", "self", "navigator", "location", "localStorage", "requestAnimationFrame", "CSSStyleSheet"])
    Object.defineProperty(globalThis, name, { configurable: true, get() { throw new Error(name + " is touched"); } });
`;

for (const entry of ["", "/core", "/register", "/anywidget"])
  test(`sampling-lab${entry} in plain Node touches no DOM`, () => {
    assert.equal(run(`${NO_DOM} await import("sampling-lab${entry}"); console.log("imported");`), "imported");
  });

test("a server renders a page whose elements are only names there", () => {
  const said = run(`${NO_DOM}
    globalThis.HTMLElement = class {};
    const defined = new Map();
    globalThis.customElements = { get: tag => defined.get(tag), define: (tag, element) => defined.set(tag, element) };
    const { SmpSampling, register } = await import("sampling-lab");
    await import("sampling-lab/register");
    register({ prefix: "lab" });
    console.log([...defined.keys()].join(" "), defined.get("smp-sampling") === SmpSampling, SmpSampling.observedAttributes.join(" "));`);
  assert.equal(
    said,
    "smp-sampling smp-stopping smp-frequency smp-compare lab-sampling lab-stopping lab-frequency lab-compare true logits tau k top_p min_p u tie tie_p share dtype labels max rules preset parts heading lang theme",
  );
});

test("the entries share one core, and the plain module gives the same", () => {
  const said = run(`
    import { readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    import * as all from "sampling-lab";
    import * as core from "sampling-lab/core";
    import { register } from "sampling-lab/register";
    const differ = Object.keys(core).filter(name => all[name] !== core[name]);
    const ask = running => core.lab(running, [0, 1, 2, 3], { tau: 0.8, k: 2, u: 0.5 });
    const inside = ask(await all.load()), plain = ask(await core.instantiate(readFileSync(fileURLToPath(import.meta.resolve("sampling-lab/smp.wasm")))));
    console.log(differ.length, register === all.register, inside.id, inside.q[3] === plain.q[3]);`);
  assert.equal(said, "0 true 3 true");
});

test("what it does not name stays inside", () => {
  assert.equal(
    run(`console.log(await import("sampling-lab/dist/cli.js").catch(error => error.code));`),
    "ERR_PACKAGE_PATH_NOT_EXPORTED",
  );
});

test("npx runs its command line", () => {
  const args = ["--logits", "0 1 2 3", ..."--tau 0.8 --top-k 2 --u 0.5 --lang en".split(" ")];
  const text = execFileSync("npx", ["--no", "sampling-lab", "snippet", "smp-sampling", ...args], {
    cwd: project,
    encoding: "utf8",
  });
  assert.match(text, /<smp-sampling lang="en" logits="0 1 2 3" tau="0\.8" k="2" u="0\.5"/);
  assert.match(text, /0\.777300/);
});

test("npx compares libraries on a file", () => {
  writeFileSync(join(project, "row.json"), "[3, 2, 2, 1]");
  const args = "compare --logits row.json --engines transformers,candle --temperature 1 --top-k 2 --top-p 1".split(" "),
    e = Math.E;
  const text = execFileSync("npx", ["--no", "sampling-lab", ...args], { cwd: project, encoding: "utf8" });
  assert.match(
    text,
    new RegExp(
      `^transformers +3 kept\ncandle +2 kept\n\ntransformers, candle: total variation ${(1 / (e + 2)).toExponential(3).replace("e-", "e-0")}`,
    ),
  );
});

// ---- Bundlers ----------------------------------------------------------------------------------------------------

/** What a bundler makes of a module in the project. */
async function bundled(contents) {
  const { outputFiles, warnings } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    format: "esm",
    write: false,
    charset: "utf8",
    logLevel: "silent",
  });
  assert.deepEqual(
    warnings.filter(({ id }) => id !== "ignored-bare-import"),
    [],
  );
  return outputFiles[0].text;
}

test("sideEffects: a bare import keeps what defines elements, and nothing else", async () => {
  for (const entry of ["sampling-lab", "sampling-lab/core", "sampling-lab/anywidget"])
    assert.equal((await bundled(`import "${entry}";`)).trim(), "", entry);
  for (const entry of ["sampling-lab/register", "sampling-lab/sampling-lab.js", "sampling-lab/sampling-lab-all.js"])
    assert.match(await bundled(`import "${entry}";`), /customElements\.define/, entry);
});

test("a program that only computes carries no element", async () => {
  const text = await bundled(
    `import { lab, load } from "sampling-lab"; console.log(lab(await load(), [0, 1], { tau: 1, k: 2, u: 0 }));`,
  );
  assert.doesNotMatch(text, /customElements|adoptedStyleSheets/);
  assert.match(text, /smp_lab_run/);
});

// ---- Types -------------------------------------------------------------------------------------------------------

for (const [moduleResolution, module] of Object.entries({ nodenext: "nodenext", bundler: "esnext" }))
  test(`types, resolved as ${moduleResolution} does`, async () => {
    const names = Object.fromEntries(
      await Promise.all(
        ["sampling-lab", "sampling-lab/core", "sampling-lab/register", "sampling-lab/anywidget"].map(async entry => [
          entry,
          run(`console.log(Object.keys(await import("${entry}")).join("\\n"))`).split("\n"),
        ]),
      ),
    );
    const same = Object.entries(names).map(
      ([entry, found], index) => `
      import * as m${index} from "${entry}";
      const n${index}: Record<keyof typeof m${index}, true> = { ${found.map(name => `${JSON.stringify(name)}: true`).join(", ")} };`,
    );
    writeFileSync(
      join(project, "use.ts"),
      `import { elements, lab, load, register, SmpCompare, SmpError, SmpStopping, type Core, type LabResult, type SamplingDetail } from "sampling-lab";
      import { instantiate } from "sampling-lab/core";
      import widget, { type Model } from "sampling-lab/anywidget";
      import "sampling-lab/register";
      import { memory, smp_abi_json } from "sampling-lab/smp.wasm";
      ${same.join("\n")}
      const element = document.createElement("smp-sampling");
      element.logits = [0, 1, 2, 3];
      element.tau = 0.8;
      element.preset = null;
      const text: string = element.tau, tie: "strict" | "threshold" = element.tie;
      element.addEventListener("smp-change", function ({ detail }) {
        const seen: SamplingDetail = detail, tau: number | undefined = detail.config?.tau;
        this.u = "0.5";
        console.log(seen, tau);
      });
      element.addEventListener("click", event => console.log(event.clientX));
      const second: SmpStopping = new elements.stopping();
      second.rows = [["EOS", "a"], ["b", "EOS"]];
      const third: SmpCompare = new elements.compare();
      third.top_k = 40;
      third.engines = ["transformers", "candle"];
      register({ prefix: "lab" });
      const core: Core = await load(), result: LabResult = lab(core, [0, 1], { tau: 1, k: 1, u: 0, tie: "strict" });
      const model: Model = { get: () => 0, set() {}, save_changes() {}, on() {}, off() {} };
      const end: () => void = widget.render({ model, el: document.body });
      const address: number = smp_abi_json();
      console.log(text, tie, result, end, address, memory.buffer, instantiate(new Uint8Array()), new SmpError({ path: ["k"] }).code);
      // @ts-expect-error: no such parameter
      element.tua = 1;
      // @ts-expect-error: not a format
      element.dtype = true;
      // @ts-expect-error: not a tie rule
      lab(core, [0], { tau: 1, k: 1, u: 0, tie: "last" });
      // @ts-expect-error: not an option
      register({ prefiks: "lab" });
      `,
    );
    const options = {
      strict: true,
      noEmit: true,
      target: "es2022",
      lib: ["es2023", "dom"],
      types: [],
      skipLibCheck: false,
      module,
      moduleResolution,
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }));
    const { status, stdout } = spawnSync(fromRoot("node_modules/.bin/tsc"), ["-p", project], { encoding: "utf8" });
    assert.equal(stdout, "");
    assert.equal(status, 0);
  });

// ---- The manifest ------------------------------------------------------------------------------------------------

const manifest = json("dist/custom-elements.json");

test("the manifest follows its schema", () => {
  const schema = JSON.parse(readFileSync(fromRoot("node_modules/custom-elements-manifest/schema.json"), "utf8"));
  const valid = new Ajv({ strict: false, allErrors: true }).compile(schema);
  assert.ok(valid(manifest), JSON.stringify(valid.errors, null, 2));
  assert.equal(valid({ ...manifest, modules: [{ kind: "javascript-module" }] }), false);
});

test("the manifest says what the classes have", async () => {
  const { elements } = await import(installed("dist/sampling-lab.mjs"));
  const [classes, definitions] = manifest.modules;
  for (const { path } of manifest.modules) assert.ok(existsSync(installed(path)), path);
  assert.deepEqual(
    definitions.exports.map(({ name }) => name),
    Object.keys(elements).map(name => `smp-${name}`),
  );
  for (const [name, element] of Object.entries(elements)) {
    const found = classes.declarations.find(({ tagName }) => tagName === `smp-${name}`);
    const sorted = list => list.map(each => each.name ?? each).sort();
    assert.deepEqual(sorted(found.attributes), sorted(element.observedAttributes));
    assert.deepEqual(sorted(found.members), sorted([...element.params, ...element.layout]));
    assert.deepEqual(sorted(found.events), ["smp-change", "smp-input"]);
    assert.deepEqual(sorted(found.slots), ["fallback"]);
    for (const { name: member, description, type } of [...found.attributes, ...found.members, ...found.events])
      assert.ok(description && type.text, member);
  }
});
