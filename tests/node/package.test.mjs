// What is shipped: no address of a registry or of any host, and a script within its budget.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { elementNames } from "../../web/build/plugins.mjs";
import { checkSize, fromRoot } from "./support.mjs";

/** The script of each element. */
const OWN = elementNames.map(name => `elements/smp-${name}.js`);

const text = (...path) => readFileSync(fromRoot(...path), "utf8");

test("package-lock.json names no registry", () => assert.doesNotMatch(text("package-lock.json"), /"resolved"/));

test("package.json has no dependencies at run time", () => {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(text("package.json"));
  assert.deepEqual([dependencies, optionalDependencies, peerDependencies], [undefined, undefined, undefined]);
});

for (const file of [
  ...OWN,
  "sampling-lab.js",
  "sampling-lab.compat.js",
  "sampling-lab-all.js",
  "sampling-lab-logits.js",
  "sampling-lab-model-zh.js",
  "sampling-lab.mjs",
  "core.mjs",
  "anywidget.mjs",
  "embed.js",
  "cli.js",
])
  test(`dist/${file} holds no address but namespaces of the W3C`, () => {
    const hosts = [...text("dist", file).matchAll(/(?:https?|wss?):\/\/([\w.-]+)/g)].map(match => match[1]);
    assert.deepEqual(
      hosts.filter(host => host !== "www.w3.org"),
      [],
    );
  });

/** Whose work each script holds beside our own. */
const PREACT = "Copyright (c) 2015-present Jason Miller (preact)",
  SIGNALS = "Copyright (c) 2022-present Preact Team (@preact/signals-core)";
const MUSL = "Copyright (c) 2005-2020 Rich Felker, et al. (musl, in the module)",
  EMSCRIPTEN = "Copyright (c) 2010-2022 The Emscripten Authors (in the module)";
const ELEMENTS = [PREACT, SIGNALS, MUSL, EMSCRIPTEN];
const HELD = {
  "sampling-lab.js": ELEMENTS,
  "sampling-lab.compat.js": ELEMENTS,
  "sampling-lab-all.js": ELEMENTS,
  "sampling-lab.html": ELEMENTS,
  "sampling-lab.mjs": [PREACT, SIGNALS],
  "anywidget.mjs": ELEMENTS,
  ...Object.fromEntries(OWN.map(file => [file, ELEMENTS])),
  "core.mjs": [MUSL, EMSCRIPTEN],
  "cli.js": [MUSL, EMSCRIPTEN],
  "register.mjs": [],
  "embed.js": [],
  "sampling-lab-logits.js": [],
  "sampling-lab-model-zh.js": [],
};
const permission = text("LICENSE").slice(text("LICENSE").indexOf("Permission is hereby granted")).trim();

for (const [file, held] of Object.entries(HELD))
  test(`dist/${file} begins with the notices of what it holds`, () => {
    const whole = text("dist", file),
      [banner] = /\/\*![^]*?\*\//.exec(whole) ?? [""],
      begin = whole.indexOf(banner);
    assert.ok(
      file.endsWith(".html") || whole.slice(0, begin) === (file === "cli.js" ? "#!/usr/bin/env node\n" : ""),
      "it stands first",
    );
    for (const line of ["Copyright (c) 2026 sampling-lab contributors", ...held])
      assert.ok(banner.includes(`\n${line}\n`), line);
    assert.ok(banner.includes(permission));
    assert.equal(
      /SmolLM2.*Hugging Face[^]*Apache License, Version 2\.0/.test(banner),
      file === "sampling-lab-logits.js",
    );
  });

test("THIRD-PARTY.txt has the notices of all, and the texts of their licenses", () => {
  const list = text("dist/THIRD-PARTY.txt");
  for (const part of [
    ...ELEMENTS,
    permission,
    "SmolLM2-135M-Instruct by Hugging Face",
    "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    "END OF TERMS AND CONDITIONS",
  ])
    assert.ok(list.includes(part), part);
});

test("the pages load nothing but scripts, and lead from one to the other", () => {
  const addresses = (page, tags) =>
    [...page.matchAll(new RegExp(`<${tags}\\b[^>]*\\b(?:src|href)="([^"#]*)"`, "g"))]
      .map(match => match[1])
      .filter(address => !address.startsWith("data:"));
  assert.deepEqual(addresses(text("index.html"), "(?!a\\b)\\w+"), ["dist/sampling-lab.js"]);
  assert.deepEqual(addresses(text("index.html"), "a"), ["dist/frequency.html", "dist/compare.html"]);
  assert.deepEqual(addresses(text("dist/frequency.html"), "\\w+"), ["sampling-lab-all.js"]);
  assert.deepEqual(addresses(text("dist/compare.html"), "\\w+"), ["sampling-lab-logits.js", "sampling-lab-all.js"]);
});

for (const file of ["sampling-lab.js", "sampling-lab-all.js", ...OWN, "sampling-lab-logits.js", "smp.wasm"])
  test(`size of dist/${file} after gzip`, () => checkSize(file, readFileSync(fromRoot("dist", file))));

test("the script of a model is within its budget of 700 KB, is ASCII, and holds the weights", () => {
  const script = readFileSync(fromRoot("dist/sampling-lab-model-zh.js"));
  assert.ok(script.every(byte => byte < 128));
  assert.ok(execFileSync("gzip", ["-9nc"], { input: script, maxBuffer: 1 << 24 }).length <= 700_000);
});

test("the weights are in the package once", () => {
  const holders = readdirSync(fromRoot("dist"), { recursive: true }).filter(
    file =>
      /\.m?js$/.test(file) && text("dist", file).includes(text("dist/sampling-lab-model-zh.js").slice(20_000, 20_400)),
  );
  assert.deepEqual(holders, ["sampling-lab-model-zh.js"]);
});

for (const module of ["elements", "elements-scalar"])
  test(`the module ${module} inside its script is within its budget of 24 KB`, () => {
    assert.ok(execFileSync("gzip", ["-9nc", fromRoot("build/wasm", `${module}.wasm`)]).length <= 24 * 1024);
  });

test("no API of the network, of storage or of workers is called", () => {
  assert.doesNotMatch(
    text("dist/sampling-lab-all.js"),
    /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|localStorage|sessionStorage|indexedDB|Worker|importScripts)\s*[(.]/,
  );
});

test("npx runs the command line of the project", () => {
  const args = "snippet smp-sampling --logits 0,1,2,3 --tau 0.8 --top-k 2 --u 0.5 --lang zh".split(" ");
  const run = (command, ...before) =>
    execFileSync(command, [...before, ...args], { cwd: fromRoot(), encoding: "utf8" });
  assert.equal(run("npx", "--no", "sampling-lab"), run(process.execPath, fromRoot("dist", "cli.js")));
});
