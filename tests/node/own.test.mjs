// The package on the oldest Node at hand: the machine's own (OWN_NODE), where the tests run on a newer one (see
// tests/run.sh). It must give what the tests' Node gives, which the other files check.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromRoot, SMALL_BATCH } from "./support.mjs";

const { OWN_NODE: own = process.execPath } = process.env;

function both(args, input) {
  const [found, wanted] = [own, process.execPath].map(node => {
    const { status, stdout, stderr } = spawnSync(node, args, { input, cwd: fromRoot(), encoding: "utf8" });
    return { status, stdout, stderr };
  });
  assert.deepEqual(found, wanted);
  return found;
}

test("it is one that package.json allows", () => {
  const least = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"))
    .engines.node.match(/^>=(\d+)\.(\d+)$/)
    .slice(1)
    .map(Number);
  const { stdout } = spawnSync(own, ["--version"], { encoding: "utf8" }),
    [major, minor] = stdout.slice(1).split(".").map(Number);
  assert.ok(major > least[0] || (major === least[0] && minor >= least[1]), stdout);
});

for (const name of ["sampling-lab", "core", "register", "anywidget"])
  test(`it takes dist/${name}.mjs`, () => {
    const { stdout } = both([
      "--input-type=module",
      "-e",
      `console.log(Object.keys(await import("./dist/${name}.mjs")).length >= 0)`,
    ]);
    assert.equal(stdout, "true\n");
  });

test("eval gives the same answers", () => {
  const lines = [
    { op: "lab", logits: [0, 1, 2, 3], tau: 0.8, k: 2, tie: "strict", u: 0.5 },
    {
      op: "chain",
      logits: [0, 1, 2, 3],
      chain: [
        ["temperature", 0.7],
        ["top_k", 2],
      ],
      context: [3, 1],
    },
    {
      op: "engine",
      engine: "llama.cpp",
      logits: [3, 2, 2, 1],
      settings: { temperature: 0.7, top_k: 3 },
      seed: "7",
      draws: 9,
    },
    SMALL_BATCH,
    { op: "none" },
  ];
  const { status, stdout } = both(["dist/cli.js", "eval"], lines.map(line => `${JSON.stringify(line)}\n`).join(""));
  assert.equal(status, 0);
  assert.equal(stdout.trim().split("\n").length, lines.length);
});

for (const element of ["smp-sampling", "smp-stopping", "smp-compare"])
  test(`snippet ${element} prints the same`, () => assert.equal(both(["dist/cli.js", "snippet", element]).status, 0));

test("compare prints the same", () => {
  const { status, stdout } = both([
    "dist/cli.js",
    "compare",
    "--logits",
    "tests/vectors/files/f4-little.npy",
    "--engines",
    "transformers,candle,llama.cpp",
    "--temperature",
    "0.7",
    "--top-k",
    "2",
    "--top-p",
    "1",
    "--json",
  ]);
  assert.equal(status, 0);
  assert.match(stdout, /candle/);
});

test("what is wrong is said the same way", () => assert.equal(both(["dist/cli.js", "frobnicate"]).status, 2));
