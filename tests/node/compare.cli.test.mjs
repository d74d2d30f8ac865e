// `compare` on the command line: the lines of the native one, rows of all four formats, and what is wrong, with exit code 2.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fromRoot } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp-files-"));
after(() => rmSync(folder, { recursive: true }));
const compare = (...args) => spawnSync(process.execPath, [fromRoot("dist/cli.js"), "compare", ...args], { encoding: "utf8", maxBuffer: 2 ** 26 });
const A00 = fromRoot("tests/vectors/logits/a/00.f32");
const fixture = name => fromRoot("tests/vectors/files", name);

function output(...args) {
  const { status, stdout, stderr } = compare(...args);
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout;
}

const SETTINGS = ["--temperature", "0.7", "--top-k", "40", "--top-p", "0.9"];

test("a real row: the distance that the issue asks for, and the lines of the native command", () => {
  for (const more of [[], ["--seed", "42", "--draws", "3"], ["--settings-only", "--min-p", "0.05"], ["--temperature", "0"], ["--repetition-penalty", "1.3", "--context", "176, 19556"]]) {
    const args = ["--engines", "transformers,candle,transformers.js,vllm", ...SETTINGS, ...more];
    const native = spawnSync(fromRoot("build/native/smp"), ["compare", A00, ...args], { encoding: "utf8" });
    assert.equal(native.status, 0);
    assert.equal(output("--logits", A00, ...args), native.stdout);
  }
  assert.match(output("--logits", A00, "--engines", "transformers,candle", ...SETTINGS), /^transformers +11 kept\ncandle +14 kept\n\ntransformers, candle: total variation 2\.388e-02, .*\n {2}only candle: 3 ids with mass 0\.023878\n$/);
});

test("--json is the answer of eval", () => {
  const request = { op: "compare", engines: ["transformers", "candle"], logits_file: A00, settings: { temperature: 0.7, top_k: 40, top_p: 0.9 }, context: [], seed: "7", draws: 2 };
  const { stdout } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval"], { encoding: "utf8", input: `${JSON.stringify(request)}\n` });
  assert.deepEqual(JSON.parse(output("--logits", A00, "--engines", "transformers,candle", ...SETTINGS, "--seed", "7", "--draws", "2", "--json")), JSON.parse(stdout));
});

test("the four formats hold the same row, and so does a row of two dimensions", () => {
  const engines = ["--engines", "transformers,candle", "--temperature", "1", "--json"], list = [-1.5, 0, 2, 3.25];
  const files = { "row.f32": Buffer.from(Float32Array.from(list).buffer), "row.json": JSON.stringify({ logits: list }) };
  for (const [name, data] of Object.entries(files)) writeFileSync(join(folder, name), data);
  assert.equal(output("--logits", join(folder, "row.f32"), ...engines), output("--logits", join(folder, "row.json"), ...engines));
  const half = ["--logits", fixture("three-types.safetensors"), "--tensor", "half", "--row"], npy = ["--logits", fixture("two-dimensions-big.npy"), "--row"];
  for (const row of ["0", "1", "2"]) assert.equal(output(...half, row, ...engines), output(...npy, row, ...engines));
  assert.notEqual(output(...npy, "0", ...engines), output(...npy, "1", ...engines));
});

test("what is wrong is said in one line, with what is allowed: exit code 2", () => {
  writeFileSync(join(folder, "nan.f32"), Buffer.from(Float32Array.of(1, NaN).buffer));
  writeFileSync(join(folder, "row.pt"), "x");
  const right = ["--logits", A00, "--engines", "transformers,candle"], npy = fixture("two-rows.npy");
  const calls = [
    [[], "compare needs --logits"],
    [["--logits", A00], "compare needs --engines"],
    [["--logits", A00, "--engines", "candle,gpt"], '"gpt": allowed: transformers'],
    [[...right, "--tau", "1"], "--tau"],
    [[...right, "more"], "more"],
    [[...right, "--temperature", "hot"], '--temperature: found "hot"; allowed: a number'],
    [[...right, "--top-k", "1.5"], "top_k"],
    [[...right, "--context", "49152"], "context"],
    [[...right, "--seed", "18446744073709551616"], "18446744073709551615"],
    [[...right, "--draws", "2"], "--draws needs --seed"],
    [["--logits", join(folder, "none.npy"), "--engines", "candle"], "none.npy: ENOENT"],
    [["--logits", folder, "--engines", "candle"], "no file of logits"],
    [["--logits", join(folder, "row.pt"), "--engines", "candle"], ".f32, .npy, .safetensors, .json"],
    [["--logits", join(folder, "nan.f32"), "--engines", "candle"], "Entry 1 (from 0) is NaN"],
    [["--logits", npy, "--row", "2", "--engines", "candle"], "no row 2. Allowed: 0 to 1."],
    [["--logits", npy, "--tensor", "x", "--engines", "candle"], "no tensor “x”"],
    [["--logits", fixture("fortran.npy"), "--engines", "candle"], "Fortran order"],
    [["--logits", fixture("three-types.safetensors"), "--tensor", "ids", "--engines", "candle"], "I64"],
  ];
  for (const [args, part] of calls) {
    const { status, stdout, stderr } = compare(...args);
    assert.deepEqual([status, stdout], [2, ""], args.join(" "));
    assert.ok(stderr.split("\n")[0].includes(part), `${stderr.split("\n")[0]} does not say ${part}`);
  }
});
