// `sampling-lab compare` beside smp's (tests/native/cli.compare.test.mjs): the answer of eval, rows of
// all four formats, and what is wrong, with exit code 2.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fromRoot } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp-files-"));
after(() => rmSync(folder, { recursive: true }));
const compare = (...args) =>
  spawnSync(process.execPath, [fromRoot("dist/cli.js"), "compare", ...args], { encoding: "utf8", maxBuffer: 2 ** 26 });
const A00 = fromRoot("tests/vectors/logits/a/00.f32");
const fixture = name => fromRoot("tests/vectors/files", name);

function output(...args) {
  const { status, stdout, stderr } = compare(...args);
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout;
}

const SAID = { encoding: "utf8", maxBuffer: 2 ** 26 };
const SETTINGS = ["--temperature", "0.7", "--top-k", "40", "--top-p", "0.9"];

test("a real row: how far two libraries are apart", () => {
  assert.match(
    output("--logits", A00, "--engines", "transformers,candle", ...SETTINGS),
    /^transformers +11 kept\ncandle +14 kept\n\ntransformers, candle: total variation 2\.388e-02, .*\n {2}only candle: 3 ids with mass 0\.023878\n$/,
  );
});

const NAMES = ["transformers", "candle", "transformers.js", "vllm", "llama.cpp", "ollama"];

for (const { title, ...asked } of [
  { title: "settings and a seed", settings: { temperature: 0.7, top_k: 40, top_p: 0.9 }, seed: "7", draws: 3 },
  { title: "more candidates than are listed", settings: { temperature: 1.3, top_k: 0 }, settings_only: true },
  { title: "400 and 401 of them", settings: { temperature: 1.3, top_k: 401, typical_p: 0.99 }, settings_only: true },
  { title: "candidates that only one has", settings: { temperature: 3, top_p: 0.95 }, seed: "1" },
  { title: "a penalty", settings: { repetition_penalty: 1.3, min_p: 0.05 }, context: [176, 19556] },
  { title: "refusals", settings: { temperature: -1 }, seed: "5" },
  { title: "greedy", settings: { temperature: 0, top_k: 3 }, seed: "5", draws: 4 },
  { title: "a seed that some take", settings: { temperature: 1 }, seed: "9007199254740992" },
])
  test(`--json is the answer of eval: ${title}`, () => {
    const request = { op: "compare", engines: NAMES, logits_file: A00, ...asked };
    const args = [
      ...Object.entries(asked.settings).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, String(value)]),
      ...(asked.settings_only ? ["--settings-only"] : []),
      ...(asked.context ? ["--context", asked.context.join(" ")] : []),
      ...(asked.seed ? ["--seed", asked.seed] : []),
      ...(asked.draws ? ["--draws", String(asked.draws)] : []),
    ];
    const { stdout } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval"], {
      encoding: "utf8",
      input: `${JSON.stringify(request)}\n`,
      maxBuffer: 2 ** 26,
    });
    const call = ["--engines", NAMES.join(), ...args, "--json"],
      found = output("--logits", A00, ...call);
    const answer = stdout.replaceAll('"settings.', '"'); // an option of the command has its name alone
    assert.deepEqual(JSON.parse(found), JSON.parse(answer));
    assert.deepEqual(
      JSON.parse(found).engines.map(Object.keys), // in the same order too
      JSON.parse(stdout).engines.map(Object.keys),
    );
    assert.equal(spawnSync(fromRoot("build/native/smp"), ["compare", A00, ...call], SAID).stdout, found);
  });

test("the four formats hold the same row, and so does a row of two dimensions", () => {
  const engines = ["--engines", "transformers,candle", "--temperature", "1", "--json"],
    list = [-1.5, 0, 2, 3.25];
  const files = {
    "row.f32": Buffer.from(Float32Array.from(list).buffer),
    "row.json": JSON.stringify({ logits: list }),
  };
  for (const [name, data] of Object.entries(files)) writeFileSync(join(folder, name), data);
  assert.equal(
    output("--logits", join(folder, "row.f32"), ...engines),
    output("--logits", join(folder, "row.json"), ...engines),
  );
  const half = ["--logits", fixture("three-types.safetensors"), "--tensor", "half", "--row"],
    npy = ["--logits", fixture("two-dimensions-big.npy"), "--row"];
  for (const row of ["0", "1", "2"]) assert.equal(output(...half, row, ...engines), output(...npy, row, ...engines));
  assert.notEqual(output(...npy, "0", ...engines), output(...npy, "1", ...engines));
});

test("what is wrong is said in one line, with what is allowed: 2 for what was not understood, 1 for what was refused", () => {
  writeFileSync(join(folder, "nan.f32"), Buffer.from(Float32Array.of(1, NaN).buffer));
  writeFileSync(join(folder, "row.pt"), "x");
  const right = ["--logits", A00, "--engines", "transformers,candle"],
    npy = fixture("two-rows.npy");
  const calls = [
    [2, [], "compare needs a file: FILE or --logits FILE"],
    [2, ["--logits", A00], "compare needs --engines"],
    [2, ["--logits", A00, "--engines", "candle,gpt"], '"gpt" is not an engine; there are transformers'],
    [2, ["--logits", A00, "--engines", "candle,vllm,candle"], '"candle" is given twice'],
    [2, [...right, "--tau", "1"], "--tau"],
    [2, [...right, "more"], "more"],
    [2, [...right, "--top-k", "1", "--top-k", "2"], "--top-k: given twice"],
    [2, [...right, "--temperature", "hot"], '--temperature: "hot" is not a number'],
    [1, [...right, "--temperature", "nan"], "temperature"],
    [2, [...right, "--top-k", "1.5"], '--top-k: "1.5" is not a whole number'],
    [1, [...right, "--context", "49152"], "context"],
    [2, [...right, "--context", "1 -2"], "not a list of ids"],
    [2, [...right, "--seed", "18446744073709551616"], "18446744073709551615"],
    [2, [...right, "--draws", "2"], "--draws needs --seed"],
    [1, [...right, "--seed", "1", "--draws", "0"], "1048576"],
    [1, ["--logits", A00, "--engines", "transformers.js", "--seed", "9007199254740992"], "9007199254740991"],
    [1, ["--logits", join(folder, "none.npy"), "--engines", "candle"], "none.npy: ENOENT"],
    [1, ["--logits", folder, "--engines", "candle"], "no file of logits"],
    [1, ["--logits", join(folder, "row.pt"), "--engines", "candle"], ".f32, .npy, .safetensors, .json"],
    [1, ["--logits", join(folder, "nan.f32"), "--engines", "candle"], "Entry 1 (from 0) is NaN"],
    [1, ["--logits", npy, "--row", "2", "--engines", "candle"], "no row 2. Allowed: 0 to 1."],
    [1, ["--logits", npy, "--tensor", "x", "--engines", "candle"], "no tensor “x”"],
    [1, ["--logits", fixture("fortran.npy"), "--engines", "candle"], "Fortran order"],
    [1, ["--logits", fixture("three-types.safetensors"), "--tensor", "ids", "--engines", "candle"], "I64"],
  ];
  for (const [code, args, part] of calls) {
    const { status, stdout, stderr } = compare(...args);
    assert.deepEqual([status, stdout], [code, ""], `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, /^sampling-lab: [^\n]+\n$/);
    assert.equal(stderr.includes("(see sampling-lab --help)"), code === 2, stderr);
    assert.ok(stderr.includes(part), `${stderr} does not say ${part}`);
  }
});

test("top reads them too, and --tensor and --row are refused where they are wrong", () => {
  const top = (...args) => spawnSync(process.execPath, [fromRoot("dist/cli.js"), "top", ...args], SAID);
  const half = top("--logits", fixture("three-types.safetensors"), "--tensor", "half", "--row", "1"),
    npy = top(fixture("two-dimensions-big.npy"), "--row=1");
  assert.deepEqual([half.status, half.stderr], [0, ""]);
  assert.equal(half.stdout, npy.stdout);
  for (const [args, code, part] of [
    [["--row", "1", "--row", "2"], 2, "--row: given twice"],
    [["--tensor"], 2, "--tensor needs a value"],
    [["--row", "-1"], 1, "no row -1. Allowed: 0 to"],
  ]) {
    const { status, stdout, stderr } = top(fixture("two-dimensions-big.npy"), ...args);
    assert.deepEqual([status, stdout], [code, ""], stderr);
    assert.ok(stderr.includes(part), stderr);
  }
});

test("a file's name and values cannot act on a terminal", () => {
  const names = ["\x1b[2J\u009b31m.f32", "\x1b[2J\u009b31m.pt"];
  writeFileSync(join(folder, names[1]), "x");
  for (const name of names)
    for (const more of [[], ["--row", "\x1b[2J\u009b31m"], ["--tensor", "\x07"]]) {
      const { status, stderr } = compare("--logits", join(folder, name), "--engines", "candle", ...more);
      assert.equal(status, 1);
      assert.doesNotMatch(stderr, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    }
});

test("--help, --version, no command and an unknown one: as in the native command line", () => {
  const both = args =>
    [
      ["sampling-lab", process.execPath, [fromRoot("dist/cli.js"), ...args]],
      ["smp", fromRoot("build/native/smp"), args],
    ].map(([name, command, list]) => {
      const { status, stdout, stderr } = spawnSync(command, list, { encoding: "utf8", input: "" });
      return { name, status, stdout, stderr };
    });
  for (const { name, ...rest } of both(["--version"]))
    assert.deepEqual(rest, { status: 0, stdout: rest.stdout.replace(/^.* /, `${name} `), stderr: "" });
  assert.equal(new Set(both(["--version"]).map(({ stdout }) => stdout.split(" ")[1])).size, 1);
  for (const args of [["--help"], ["compare", "--help"], ["eval", "--help"]])
    for (const { name, status, stdout, stderr } of both(args)) {
      assert.deepEqual([status, stderr], [0, ""], `${name} ${args}`);
      assert.match(
        stdout,
        /Exit status: 0 done; 1 a value or the file was refused; 2 the command was not understood\.\n$/,
      );
    }
  for (const [args, said] of [
    [[], /^\w[\w-]*: no command \(see [\w-]+ --help\)\n$/],
    [["frobnicate"], /^\w[\w-]*: unknown command "frobnicate"; there are [^\n]* \(see [\w-]+ --help\)\n$/],
  ])
    for (const { status, stdout, stderr } of both(args)) {
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, said);
    }
});

test("eval takes no argument", () => {
  const { status, stderr } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval", "x.json"], {
    encoding: "utf8",
    input: "",
  });
  assert.equal(status, 2);
  assert.match(stderr, /^sampling-lab: [^\n]*x\.json[^\n]*\n$/);
});

test("a reader that has had enough is no fault", () => {
  const { status, stdout, stderr } = spawnSync(
    "sh",
    [
      "-c",
      `yes '{"op":"lab","logits":[1],"tau":1,"k":1,"u":0}' | head -20000 | '${process.execPath}' '${fromRoot("dist/cli.js")}' eval | head -1`,
    ],
    { encoding: "utf8" },
  );
  assert.deepEqual([status, stderr, stdout.split("\n").length], [0, "", 2]);
});

test("a terminal that waits hears where eval is, a pipe does not", () => {
  const lines = join(folder, "lines"),
    slow = JSON.stringify({
      op: "compare",
      engines: ["transformers", "candle", "llama.cpp", "vllm"],
      logits_file: A00,
    });
  writeFileSync(lines, `${slow}\n`.repeat(12));
  const run = to =>
    spawnSync(
      "script",
      ["-qec", `'${process.execPath}' '${fromRoot("dist/cli.js")}' eval < '${lines}' ${to}`, "/dev/null"],
      { encoding: "utf8", env: { ...process.env, SHELL: "/bin/sh" } },
    ).stdout;
  assert.match(run("> /dev/null"), /^(\r\x1b\[K\d+ lines)+\r\x1b\[K$/);
  assert.equal(run("> /dev/null 2> /dev/null"), "");
});
