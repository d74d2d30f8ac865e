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
const compare = (...args) =>
  spawnSync(process.execPath, [fromRoot("dist/cli.js"), "compare", ...args], { encoding: "utf8", maxBuffer: 2 ** 26 });
const A00 = fromRoot("tests/vectors/logits/a/00.f32");
const fixture = name => fromRoot("tests/vectors/files", name);

function output(...args) {
  const { status, stdout, stderr } = compare(...args);
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout;
}

const SETTINGS = ["--temperature", "0.7", "--top-k", "40", "--top-p", "0.9"];

/** A refusal of one engine: eval says what the request has, the native command only what is wrong. */
const found = (_, name) => (name === "seed" ? 'seed: found "9007199254740992"' : "settings.temperature: found -1");

test("a real row: the distance that the issue asks for, and the lines of the native command", () => {
  for (const more of [
    [],
    ["--seed", "42", "--draws", "3"],
    ["--settings-only", "--min-p", "0.05"],
    ["--temperature", "0"],
    ["--temperature", "-1"],
    ["--seed", "9007199254740992"],
    ["--repetition-penalty", "1.3", "--context", "176, 19556"],
  ]) {
    const settings = more.includes("--temperature") ? SETTINGS.slice(2) : SETTINGS,
      args = ["--engines", "transformers,candle,transformers.js,vllm", ...settings, ...more];
    const native = spawnSync(fromRoot("build/native/smp"), ["compare", A00, ...args], { encoding: "utf8" });
    assert.equal(native.status, 0);
    assert.equal(
      output("--logits", A00, ...args),
      native.stdout.replace(/(temperature|seed): outside the allowed range/, found),
    );
  }
  assert.match(
    output("--logits", A00, "--engines", "transformers,candle", ...SETTINGS),
    /^transformers +11 kept\ncandle +14 kept\n\ntransformers, candle: total variation 2\.388e-02, .*\n {2}only candle: 3 ids with mass 0\.023878\n$/,
  );
});

test("--json is the answer of eval", () => {
  const request = {
    op: "compare",
    engines: ["transformers", "candle"],
    logits_file: A00,
    settings: { temperature: 0.7, top_k: 40, top_p: 0.9 },
    context: [],
    seed: "7",
    draws: 2,
  };
  const { stdout } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval"], {
    encoding: "utf8",
    input: `${JSON.stringify(request)}\n`,
  });
  assert.deepEqual(
    JSON.parse(
      output("--logits", A00, "--engines", "transformers,candle", ...SETTINGS, "--seed", "7", "--draws", "2", "--json"),
    ),
    JSON.parse(stdout),
  );
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
    [2, [], "compare needs --logits"],
    [2, ["--logits", A00], "compare needs --engines"],
    [2, ["--logits", A00, "--engines", "candle,gpt"], '"gpt" is no engine; there are transformers'],
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

test("a file's name and values cannot act on a terminal", () => {
  const { stderr } = compare("--logits", join(folder, "\x1b[2J\u009b31m.f32"), "--engines", "candle");
  assert.doesNotMatch(stderr, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
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
