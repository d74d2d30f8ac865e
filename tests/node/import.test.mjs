// Importing the module in plain Node does nothing but define exports; the script is harmless there too.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { api, fromRoot } from "./support.mjs";

function run(code) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-"], {
    input: code,
    encoding: "utf8",
    timeout: 30_000,
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout;
}

const url = file => JSON.stringify(pathToFileURL(fromRoot("dist", file)).href);
const watch = body => `
  const names = () => Object.getOwnPropertyNames(globalThis).sort().join();
  const listeners = () => process.eventNames().map(name => [name, process.listenerCount(name)]).sort().join();
  const before = [names(), listeners()];
  ${body}
  console.log(names() === before[0] && listeners() === before[1] ? "same" : "changed");
`;

test("no global, no listener, no output, and the process ends by itself", () => {
  assert.equal(run(watch(`await import(${url("sampling-lab.mjs")});`)), "same\n");
});

test("the classic script runs without a DOM and leaves no global", () => {
  const path = JSON.stringify(fromRoot("dist/sampling-lab.js")); // too long for an argument of a process
  assert.equal(
    run(`import { readFileSync } from "node:fs"; ${watch(`(0, eval)(readFileSync(${path}, "utf8"));`)}`),
    "same\n",
  );
});

test("the core answers in plain Node, and load gives the same core again", () => {
  const code = `
    const api = await import(${url("sampling-lab.mjs")});
    const core = await api.load();
    console.log(core === await api.load(), api.lab(core, [0, 1, 2, 3], { tau: 0.8, k: 2, u: 0.5 }).id);`;
  assert.equal(run(code), "true 3\n");
});

test("the public names", () => {
  for (const name of [
    "SmpError",
    "SmpSampling",
    "elements",
    "evaluateLine",
    "instantiate",
    "keep",
    "lab",
    "load",
    "softmax",
  ])
    assert.ok(name in api, name);
  assert.equal(api.elements.sampling, api.SmpSampling);
  assert.equal(api.elements.stopping, api.SmpStopping);
});

test("calls do not share results or change their input", async () => {
  const core = await api.load(),
    logits = [0, 1, 2, 3],
    row = Float32Array.from(logits);
  const first = api.lab(core, logits, { tau: 0.8, k: 2, u: 0.5 }),
    copy = structuredClone(first);
  api.lab(core, [5, 5, 5, 5], { tau: 1, k: 4, u: 0 });
  api.softmax(core, row);
  assert.deepEqual(structuredClone(first), copy);
  assert.deepEqual([...row], logits);
});
