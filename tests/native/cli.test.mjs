// The command line, smp and sampling-lab: results, tables, messages, exit codes.
// SMP_BIN=build/native/smp node --test THIS
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, binary, both } from "./commands.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const output = (args, env, run = both) => {
  const { status, stdout, stderr } = run(args, env);
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout;
};
const json = (...args) => JSON.parse(output(["lab", ...args, "--json"]));

// One line that names what is wrong and what is allowed, nothing on stdout.
const refused = (args, code, ...parts) => refusedBy(both, args, code, ...parts);
const refusedBy = (run, args, code, ...parts) => {
  const { status, stdout, stderr } = run(args);
  assert.equal(stdout, "");
  assert.match(stderr, /^smp: [^\n]+\n$/);
  for (const part of parts) assert.ok(stderr.includes(part), `${JSON.stringify(stderr)} does not say ${part}`);
  assert.equal(status, code, stderr);
};

const CHAPTER = ["--logits", "0 1 2 3", "--tau", "0.8", "--top-k", "2", "--u", "0.5"];

test("lab prints a table and the choice", () => {
  assert.equal(
    output(["lab", ...CHAPTER]),
    [
      "id  logit      score    before     after  interval       state",
      " 0      0  -3.750000  0.016894         -  -              removed",
      " 1      1  -2.500000  0.058965         -  -              removed",
      " 2      2  -1.250000  0.205807  0.222700  [0, 0.222700)  kept",
      " 3      3          0  0.718335  0.777300  [0.222700, 1)  chosen",
      "",
      "kept: 2 of 4, their probability before: 0.924142",
      "chosen: id 3, probability 0.777300, u = 0.5 in [0.222700, 1)",
      "",
    ].join("\n"),
  );
});

test("lab --json is the result of the eval operation", () => {
  const result = json(...CHAPTER);
  assert.deepEqual(Object.keys(result), ["scores", "p", "kept", "q", "intervals", "id"]);
  assert.deepEqual(result.scores, [-3.75, -2.5, -1.25, 0]);
  assert.deepEqual(result.kept, [2, 3]);
  assert.equal(result.id, 3);
  assert.equal(result.intervals[0][1], result.intervals[1][0]);
  assert.deepEqual([result.intervals[0][0], result.intervals[1][1]], [0, 1]);
  assert.deepEqual(
    result.p.map(x => x.toFixed(6)),
    ["0.016894", "0.058965", "0.205807", "0.718335"],
  );
});

test("lab --json round-trips the vectors", () => {
  const { cases } = JSON.parse(readFileSync(join(root, "tests/vectors/softmax64.json"), "utf8"));
  for (const c of cases.slice(0, 40)) {
    const [u, id] = c.picks[0];
    const args = ["lab", "--logits", c.logits.join(" "), "--tau", c.tau, "--top-k", String(c.k), "--u", u, "--json"],
      result = JSON.parse(output(args, {}, alone));
    assert.deepEqual(result.kept, c.kept);
    assert.equal(result.id, id);
    result.p.forEach(p => assert.ok(p >= 0 && p <= 1));
  }
});

test("lab runs filters in the order given, and says what each took", () => {
  assert.equal(
    output(["lab", "--logits", "0 1 2 3", "--tau", "0.8", "--min-p", "0.1", "--top-k", "2", "--top-p", "0.75"]),
    [
      "id  logit      score    before  after  interval  state",
      " 0      0  -3.750000  0.016894      -  -         removed by min-p",
      " 1      1  -2.500000  0.058965      -  -         removed by min-p",
      " 2      2  -1.250000  0.205807      -  -         removed by top-p",
      " 3      3          0  0.718335      1  [0, 1)    chosen",
      "",
      "min-p 0.1: kept 2 of 4, probability 0.924142 of what was left; threshold 0.071834",
      "top-k 2: kept 2 of 2, probability 1 of what was left",
      "top-p 0.75: kept 1 of 2, probability 0.777300 of what was left",
      "kept: 1 of 4, their probability before: 0.718335",
      "chosen: id 3, probability 1, u = 0.5 in [0, 1)",
      "",
    ].join("\n"),
  );
  const four = ["lab", "--logits", "0 0 0 0", "--top-p", "0.5"];
  assert.match(output(four), /^top-p 0\.5: kept 2 of 4, .*; the sum meets p exactly: strict$/m);
  assert.match(output([...four, "--inclusive"]), /^top-p 0\.5: kept 3 of 4, .*; the sum meets p exactly: inclusive$/m);
  assert.match(output([...four, "--tau", "0"]), /u and filters are ignored\nchosen: id 0\n$/);
  const tie = ["lab", "--logits", "3 2 2 0", "--top-k", "2", "--tie", "threshold", "--min-p", "0"];
  assert.match(output(tie), /^top-k 2: kept 3 of 4, .*; a tie at the threshold: threshold$/m);
});

test("lab --json with filters is the result of the eval operation", () => {
  const flags = [
    "--logits",
    "0 0 0 1",
    "--tau",
    "0.8",
    "--top-p",
    "0.9",
    "--inclusive",
    "--top-k",
    "2",
    "--min-p",
    "0.25",
  ];
  const filters = [
    ["top_p", 0.9, { tie: "inclusive" }],
    ["top_k", 2],
    ["min_p", 0.25],
  ];
  const line = JSON.stringify({ op: "lab", logits: [0, 0, 0, 1], tau: 0.8, u: 0.5, filters });
  const { stdout } = spawnSync(process.execPath, [join(root, "dist/cli.js"), "eval"], {
    input: `${line}\n`,
    encoding: "utf8",
  });
  assert.deepEqual(json(...flags), JSON.parse(stdout));
  assert.equal(json(...flags.slice(0, 2), ...flags.slice(4), "--tau", "0").info, null);
});

test("lab: defaults, separators, ties, greedy, limits", () => {
  assert.deepEqual(json("--logits", "3,2\t2\n 0,").kept, [0, 1, 2, 3]);
  assert.deepEqual(json("--logits", "3 2 2 0", "--top-k", "2").kept, [0, 1]);
  assert.deepEqual(json("--logits", "3 2 2 0", "--top-k", "2", "--tie", "threshold").kept, [0, 1, 2]);
  const greedy = { greedy: true, id: 0, scores: null, p: null, kept: null, q: null, intervals: null };
  assert.deepEqual(json("--logits", "1 1 0", "--tau", "0"), greedy);
  assert.match(output(["lab", "--logits", "1 1 0", "--tau", "0"]), /chosen: id 0\n$/);
  assert.deepEqual(json("--logits", "-100 100", "--tau", "5e-324").scores, ["-inf", 0]);
  assert.equal(json("--logits", "0x1p-1 +1e-3").scores[1], -0.499);
  const faint = output(["lab", "--logits", "0 -20", "--u", "0"]);
  assert.match(faint, / < 0\.000001 .* < 0\.000001 /);
  assert.match(faint, / > 0\.999999 .*\[0, > 0\.999999\)/);
});

test("numbers use a point in every locale", () => {
  for (const locale of ["C", "de_DE.UTF-8", "fr_FR.UTF-8"])
    assert.match(output(["lab", ...CHAPTER], { LC_ALL: locale }), /0\.222700/);
});

test("lab refuses values with the reason and the range", () => {
  refused(["lab", "--logits", ""], 1, "--logits", "empty");
  refused(["lab", "--logits", "0 nan 2"], 1, "entry 1", "not a number");
  refused(["lab", "--logits", "0 1 -inf"], 1, "entry 2", "infinite");
  refused(["lab", "--logits", "0 1e302"], 1, "entry 1", "2^1000");
  refused(["lab", "--logits", "1 ".repeat(65)], 1, "too many", "1 to 64");
  refused(["lab", "--logits", "1 2", "--tau", "-1"], 1, "--tau", "-1", "at least 0");
  refused(["lab", "--logits", "1 2", "--tau", "nan"], 1, "--tau", "finite");
  refused(["lab", "--logits", "1 2", "--top-k", "3"], 1, "--top-k", "3", "1 to the number of logits");
  refused(["lab", "--logits", "1 2", "--top-k", "0"], 1, "--top-k");
  refused(["lab", "--logits", "1 2", "--u", "1"], 1, "--u", "below 1");
  refused(["lab", "--logits", "1 2", "--top-p", "1.5"], 1, "--top-p", "1.5", "from 0 to 1");
  refused(["lab", "--logits", "1 2", "--min-p", "nan"], 1, "--min-p", "nan", "from 0 to 1");
  refused(["lab", "--logits", "1 2", "--min-p", "0.1", "--top-k", "3"], 1, "--top-k", "3", "1 to the number of logits");
  refused(["lab", "--logits", "1 2", "--inclusive"], 2, "--inclusive needs --top-p");
  refused(["lab", "--logits", "1 2", "--top-p", "0.5", "--top-p", "0.6"], 2, "--top-p: given twice");
});

test("commands that make no sense", () => {
  refused([], 2, "--help");
  refusedBy(alone, ["sample"], 2, "sample", "lab, top, draw, compare and generate");
  refused(["lab"], 2, "--logits");
  refused(["lab", "--logits"], 2, "--logits needs a value");
  refused(["lab", "--logits", "1 abc"], 2, '"abc" is not a number');
  refused(["lab", "--logits", "1 2", "--tau", ""], 2, "--tau");
  refused(["lab", "--logits", "1 2", "--tau", "1x"], 2, "--tau", "1x");
  refused(["lab", "--logits", "1 2", "--top-k", "1.5"], 2, "--top-k", "1.5", "whole number");
  refused(["lab", "--logits", "1 2", "--top-k", "-1"], 2, "--top-k");
  refused(["lab", "--logits", "1 2", "--tie", "both"], 2, "--tie", "strict, threshold");
  refused(["lab", "--logits", "1 2", "extra"], 2, "extra");
  refused(["lab", "--temperature", "1"], 2, "--temperature");
  refused(["lab", "--logits", "1 2", "--tau", "1", "--tau", "2"], 2, "--tau: given twice");
  refused(["lab", "--logits", `1 ${"x\n\u0007y".repeat(1000)}`], 2, "not a number");
  refused(["lab", "--json=yes", "--logits", "1 2"], 2, "--json takes no value");
  refused(["lab", "--logits=1 2", "--taux=1"], 2, 'unknown option "--taux"');
  refused(["top"], 2, "top needs a file: FILE or --logits FILE");
  refused(["top", "--logits", ""], 2, "top needs a file");
  refused(["top", "a", "b"], 2, "b");
});

test("help and version", () => {
  const output = args => {
    const { status, stdout, stderr } = alone(args);
    assert.deepEqual([status, stderr], [0, ""]);
    return stdout;
  };
  assert.match(output(["--help"]), /smp lab --logits/);
  assert.match(output(["top", "--help"]), /smp top FILE/);
  const enumerators = readFileSync(join(root, "c/smp_engines.h"), "utf8").match(/\bSMP_ENGINE_[A-Z0-9_]+(?=,)/g);
  const listed = /Engines: ([\s\S]+?)\n\n/.exec(output(["--help"]))[1].split(/\s+/);
  assert.deepEqual(
    listed.map(name => `SMP_ENGINE_${name.toUpperCase().replace(/[-.]/g, "_")}`),
    enumerators,
  );
  assert.match(output(["--version"]), /^smp \d+\.\d+\.\d+\n$/);
});

test("top prints the most probable ids of a real row and its entropy", () => {
  const row = join(root, "tests/vectors/logits/a/00.f32");
  const lines = output(["top", row, "--temperature", "0.7", "--n", "3"]).split("\n");
  assert.deepEqual(
    lines.slice(0, 4).map(line => line.trim().split(/\s+/)),
    [
      ["id", "probability"],
      ["19556", "0.287354"],
      ["176", "0.149498"],
      ["177", "0.095912"],
    ],
  );
  assert.match(lines[5], /^49152 entries, entropy 2\.6662\d+ nats = 3\.8465\d+ bits$/);
  assert.equal(output(["top", row]).split("\n").length, 10 + 4);
});

test("top refuses files with the reason", t => {
  const dir = mkdtempSync(join(tmpdir(), "smp-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = (name, data) => {
    writeFileSync(join(dir, name), data);
    return join(dir, name);
  };
  const row = (...values) => Buffer.from(new Float32Array(values).buffer);
  const good = file("good.f32", row(1, 3, -Infinity, 3));
  assert.match(output(["top", good]), /^ +id +probability\n +1 +0\.468\d+\n +3 +0\.468\d+\n +0 +0\.063\d+\n +2 +0\n/);
  refusedBy(alone, ["top", join(dir, "none")], 1, "none", "No such file");
  refusedBy(alone, ["top", dir], 1, "directory");
  refusedBy(alone, ["top", file("odd", "12345")], 1, "5 bytes", "multiple of 4");
  refusedBy(alone, ["top", file("empty", "")], 1, "empty");
  refusedBy(alone, ["top", file("nan", row(1, 2, NaN))], 1, "entry 2", "not a number");
  refusedBy(alone, ["top", file("inf", row(Infinity))], 1, "entry 0", "infinite");
  refusedBy(alone, ["top", file("masked", row(-Infinity, -Infinity))], 1, "every entry is -inf");
  refusedBy(alone, ["top", file("large", Buffer.alloc(4 * (1 << 20) + 4))], 1, "1048576");
  refused(["top", good, "--n", "5"], 1, "--n", "1 to the number of entries");
  refused(["top", good, "--n", "0"], 1, "--n");
  refused(["top", good, "--n", "ten"], 2, "--n", "whole number");
  for (const bad of ["0", "-1", "nan", "inf", "1e-45", "1e300"])
    refused(["top", good, "--temperature", bad], 1, "--temperature", bad, "above 0");
});

test("an option and its value in one word, a file as an option", () => {
  const row = join(root, "tests/vectors/logits/a/00.f32");
  assert.equal(
    output(["lab", "--logits=0 1 2 3", "--tau=0.8", "--top-k=2", "--u", "0.5"]),
    output(["lab", ...CHAPTER]),
  );
  assert.equal(output(["top", `--logits=${row}`, "--n=3"]), output(["top", row, "--n", "3"]));
  assert.deepEqual(json("--logits", "0 1 2 3", "--tau=-0").id, 3);
});

test("the command is called what it is called, and no byte of that name acts on a terminal", t => {
  const dir = mkdtempSync(join(tmpdir(), "smp-"));
  t.after(() => rmSync(dir, { recursive: true }));
  for (const [name, said] of [
    ["other", "other"],
    ["a\u001b[2Jb", "a?[2Jb"],
  ]) {
    const path = join(dir, name);
    symlinkSync(binary, path);
    const { status, stdout, stderr } = spawnSync(path, ["frobnicate"], { encoding: "utf8" });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.equal(
      stderr,
      `${said}: unknown command "frobnicate"; there are lab, top, draw, compare and generate (see ${said} --help)\n`,
    );
    assert.ok(spawnSync(path, ["--help"], { encoding: "utf8" }).stdout.includes(`\n  ${said} top FILE`));
  }
});
