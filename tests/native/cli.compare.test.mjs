// compare, by smp and by sampling-lab, and the files that smp reads rows from.  SMP_BIN=build/native/smp
// node --test THIS
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone, binary, both, packaged } from "./commands.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const A00 = join(root, "tests/vectors/logits/a/00.f32");
const folder = mkdtempSync(join(tmpdir(), "smp-compare-"));
after(() => rmSync(folder, { recursive: true }));

const output = (...args) => outputOf(both, args);
/** Of smp alone: what its reader makes of files. */
const read = (...args) => outputOf(alone, args);

function outputOf(run, args) {
  const { status, stdout, stderr } = run(args);
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout;
}

const json = (...args) => JSON.parse(output("compare", ...args, "--json"));

const refused = (args, status, ...parts) => refusedBy(both, args, status, ...parts);
/** What its reader refuses. */
const unread = (args, ...parts) => refusedBy(alone, args, 1, ...parts);

function refusedBy(run, args, status, ...parts) {
  const result = run(args);
  assert.equal(result.stdout, "");
  assert.match(result.stderr, /^smp: [^\n]+\n$/);
  for (const part of parts)
    assert.ok(result.stderr.includes(part), `${JSON.stringify(result.stderr)} does not say ${part}`);
  assert.equal(result.status, status);
}

/** A file with these bytes; its path. */
function file(name, bytes) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const floats = row => Buffer.from(Float32Array.from(row).buffer);

/** A .npy of version 1 with this header, as NumPy pads it. */
function npy(header, data, { version = 1 } = {}) {
  const size = version === 1 ? 2 : 4,
    text = `${header}${" ".repeat((64 - ((6 + 2 + size + header.length + 1) % 64)) % 64)}\n`;
  const start = Buffer.from(`\x93NUMPY${String.fromCharCode(version)}\0`, "latin1"),
    length = Buffer.alloc(size);
  if (size === 2) length.writeUInt16LE(text.length);
  else length.writeUInt32LE(text.length);
  return Buffer.concat([start, length, Buffer.from(text, "latin1"), data]);
}

const headerOf = (descr, shape, fortran = "False") =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`;

test("a table, and the distance of each pair", () => {
  const path = file("row.f32", floats([3, 2, 2, 0]));
  assert.equal(
    output(
      "compare",
      path,
      "--engines",
      "llms-from-scratch,chapter,llama2.c",
      "--temperature",
      "1",
      "--top-k",
      "2",
      "--settings-only",
    ),
    [
      "llms-from-scratch        3 kept",
      "chapter                  2 kept",
      "llama2.c                 4 kept; it has no top_k",
      "",
      "llms-from-scratch, chapter: total variation 2.119e-01, largest difference 2.119e-01 at id 2",
      "  only llms-from-scratch: 1 ids with mass 0.211942",
      "llms-from-scratch, llama2.c: total variation 2.788e-02, largest difference 2.788e-02 at id 3",
      "  only llama2.c: 1 ids with mass 0.027883",
      "chapter, llama2.c: total variation 2.339e-01, largest difference 2.060e-01 at id 2",
      "  only llama2.c: 2 ids with mass 0.233915",
      "",
    ].join("\n"),
  );
});

test("transformers against candle on a real row: 11 of 14 candidates, and no default", () => {
  const settings = ["--temperature", "0.7", "--top-k", "40", "--top-p", "0.9"];
  const { engines, pairs } = json(
    A00,
    "--engines",
    "transformers,candle",
    ...settings,
    "--seed",
    "42",
    "--draws",
    "20",
  );
  assert.deepEqual(
    engines.map(({ n_kept, ids, words }) => [n_kept, ids.length, words]),
    [
      [11, 20, 1966080],
      [14, 20, 20],
    ],
  );
  assert.equal(pairs[0].tv.toExponential(3), "2.388e-2");
  assert.deepEqual(
    json(A00, "--engines", "transformers,candle", "--temperature", "0.7", "--settings-only").pairs[0].n_kept,
    [49152, 49152],
  );
});

test("SGLang against vLLM on the same", () => {
  const { engines, pairs } = json(
    A00,
    "--engines",
    "vllm,sglang",
    "--temperature",
    "0.7",
    "--top-k",
    "40",
    "--top-p",
    "0.9",
  );
  assert.deepEqual(
    engines.map(({ n_kept }) => n_kept),
    [11, 14],
  );
  assert.equal(pairs[0].tv.toExponential(3), "2.388e-2");
  assert.deepEqual([pairs[0].only[0].n, pairs[0].only[1].n, pairs[0].only[1].ids.length], [0, 3, 3]);
});

test("draws: ids and words, for the engines that are replayed", () => {
  const path = file("chapter.f32", floats([0, 1, 2, 3]));
  const { engines } = json(
    path,
    "--engines",
    "chapter,vllm",
    "--temperature",
    "0.8",
    "--top-k",
    "2",
    "--seed",
    "2718",
    "--draws",
    "1000",
  );
  assert.deepEqual(
    [2, 3].map(id => engines[0].ids.filter(each => each === id).length),
    [227, 773],
  );
  assert.equal(engines[0].words, 8000);
  assert.deepEqual([engines[1].ids, engines[1].words], [null, null]);
});

test("an engine's own refusal is a result", () => {
  const { engines, pairs } = json(A00, "--engines", "vllm,chapter,transformers", "--temperature", "-1");
  const said =
    "ValueError: `temperature` (=-1.0) has to be a strictly positive float, otherwise your next token scores will be invalid.";
  const vllm = "ValueError: temperature must be non-negative, got -1.0.",
    chapter = "ValueError: the temperature must be at least 0, but is -1.0";
  assert.deepEqual(
    engines.map(({ error }) => error),
    [vllm, chapter, said],
  );
  assert.equal(pairs[0].error, vllm);
  assert.ok(output("compare", A00, "--engines", "transformers", "--temperature", "-1").includes(said));
});

test(".npy: 32 and 64 bits, versions 1 and 2", () => {
  const row = [3, 2, 2, 1],
    doubles = Buffer.from(Float64Array.from(row).buffer);
  const files = [
    npy(headerOf("<f4", "(4,)"), floats(row)),
    npy(headerOf("<f8", "(4,)"), doubles),
    npy(headerOf("<f4", "(4,)", "True"), floats(row), { version: 2 }),
  ];
  for (const [index, bytes] of files.entries())
    assert.equal(
      JSON.parse(read("compare", file(`${index}.npy`, bytes), "--engines", "chapter", "--top-k", "2", "--json"))
        .engines[0].n_kept,
      2,
    );
  const many = readFileSync(A00),
    path = file("a00.npy", npy(headerOf("<f4", `(${many.length / 4},)`), many));
  assert.equal(read("top", path), read("top", A00));
});

test(".npy: halves, singles and doubles, the last byte first or last, give the row that NumPy wrote", () => {
  const { cases } = JSON.parse(readFileSync(join(root, "tests/vectors/files/files.json"), "utf8"));
  for (const name of ["f2-little", "f2-big", "f4-little", "f4-big", "f8-little", "f8-big"]) {
    const row = Buffer.from(cases.find(each => each.file === `${name}.npy`).tensors[0].rows[0].row, "hex").swap32();
    const all = ["--n", String(row.length / 4), "--temperature", "1e5"];
    assert.equal(
      read("top", join(root, "tests/vectors/files", `${name}.npy`), ...all),
      read("top", file("same.f32", row), ...all),
      name,
    );
    assert.equal(
      read("compare", join(root, "tests/vectors/files", `${name}.npy`), "--engines", "chapter", "--json"),
      read("compare", file("same.f32", row), "--engines", "chapter", "--json"),
      name,
    );
  }
});

test("JSON: an array of numbers, whatever the file is called", () => {
  const want = read("top", file("row.f32", floats([3, -0.5, -Infinity, 1e-30])));
  for (const text of [
    '[3,-0.5,"-inf",1e-30]',
    ' [ 3.0 , -5e-1 ,\n "-inf" , 1e-30 ]\n',
    '[3,-0.5,"-inf",0.000000000000000000000000000001\t]',
  ])
    assert.equal(read("top", file("row.f32", text)), want);
  const bad = {
    "entry 1 (from 0) is not a number": [
      "[1.25,]",
      "[1.25,-.5]",
      "[1.25,+2]",
      "[1.25,1.2.3]",
      "[1.25,",
      `[1.25,${"1".repeat(500)}]`,
    ],
    "entry 0 (from 0) is not a number": ["[[1,2],[3,4]]", "[-]", "[ ."],
    "neither a comma nor ] after entry 0": ["[1 2]", "[1", "[10.25x]"],
    'entry 1 (from 0) is text; the only text allowed is "-inf"': ['[1.25,"inf"]', '[1.25,"-infinity"]', '[1.25,"'],
    'entry 0 (from 0) is below every float; write "-inf"': ["[-1e39]"],
    "entry 0 (from 0) is infinite": ["[1e39]"],
    "something after its 1 numbers": ["[1] [2]"],
    "empty": ["[]"],
    "more than the 1048576": [`[${"1,".repeat(1 << 20)}1]`],
  };
  for (const [part, texts] of Object.entries(bad))
    for (const text of texts) unread(["top", file("bad.json", text)], part, "bad.json");
  unread(["top", join(root, "tests/vectors/files/one.safetensors")], "safetensors", ".npy or JSON");
});

test("a message keeps the name of its file, and no byte of either commands a terminal", () => {
  const broken = npy("{'descr': '<f4', 'shape': (1,)", Buffer.alloc(4)),
    path = file("\u0007\u009bname.npy", broken);
  for (const args of [
    ["top", path],
    ["compare", path, "--engines", "chapter"],
  ])
    unread(args, "???name.npy: not a .npy file: its header is broken at");
});

test(".npy: everything else is named", () => {
  const bad = {
    "type <i4": npy(headerOf("<i4", "(1,)"), Buffer.alloc(4)),
    "type |f4": npy(headerOf("|f4", "(1,)"), Buffer.alloc(4)),
    "type <f3": npy(headerOf("<f3", "(1,)"), Buffer.alloc(4)),
    "2 dimensions": npy(headerOf("<f4", "(1, 4)"), Buffer.alloc(16)),
    "0 dimensions": npy(headerOf("<f4", "()"), Buffer.alloc(4)),
    "after 1 of its 2": npy(headerOf("<f4", "(2,)"), Buffer.alloc(4)),
    "bytes after its 1": npy(headerOf("<f4", "(1,)"), Buffer.alloc(8)),
    "more than the 1048576": npy(headerOf("<f4", "(1048577,)"), Buffer.alloc(4)),
    "version 9": npy(headerOf("<f4", "(1,)"), Buffer.alloc(4), { version: 9 }),
    "broken at": npy("{'descr': '<f4', 'shape': (1,)", Buffer.alloc(4)),
    'broken at "': npy("{'descr': '<f4', 'fortran_order': False}", Buffer.alloc(4)),
    "numbers with fields": npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", Buffer.alloc(4)),
    "inside its header": npy(headerOf("<f4", "(1,)"), Buffer.alloc(4)).subarray(0, 30),
  };
  for (const [part, bytes] of Object.entries(bad))
    unread(["compare", file("bad.npy", bytes), "--engines", "chapter"], part);
  unread(
    [
      "compare",
      file("nan.npy", npy(headerOf("<f8", "(2,)"), Buffer.from(Float64Array.of(0, NaN).buffer))),
      "--engines",
      "chapter",
    ],
    "entry 1 (from 0) is not a number",
  );
  unread(
    [
      "compare",
      file("far.npy", npy(headerOf("<f8", "(2,)"), Buffer.from(Float64Array.of(0, 1e300).buffer))),
      "--engines",
      "chapter",
    ],
    "entry 1 (from 0) is infinite",
  );
});

test("temperature -1: each engine answers for itself", () => {
  const names = [
    "transformers",
    "candle",
    "llama.cpp",
    "transformers.js",
    "llms-from-scratch",
    "chapter",
    "mlx-lm",
    "vllm",
    "sglang",
    "flashinfer",
    "ollama",
    "exllamav2",
    "llama2.c",
  ];
  const path = file("three.f32", floats([2, 1, 0]));
  const { engines } = json(path, "--engines", names.join(), "--temperature", "-1");
  const answers = Object.fromEntries(
    engines.map(({ engine, kept, error }) => [
      engine,
      error ? (error.startsWith("temperature: ") ? "not followed" : "refused") : kept,
    ]),
  );
  const greedy = [0],
    closed = "not followed",
    refuses = "refused";
  assert.deepEqual(answers, {
    transformers: refuses,
    candle: [0, 1, 2],
    "llama.cpp": greedy,
    "transformers.js": closed,
    "llms-from-scratch": greedy,
    chapter: refuses,
    "mlx-lm": closed,
    vllm: refuses,
    sglang: refuses,
    flashinfer: closed,
    ollama: greedy,
    exllamav2: greedy,
    "llama2.c": closed,
  });
  const [e1, e0] = [Math.exp(-1), Math.exp(-2)],
    sum = 1 + e1 + e0; // turned round: id 2 leads
  engines[1].probs.forEach((p, id) => assert.ok(Math.abs(p - [e0, e1, 1][id] / sum) < 1e-6));
});

test("a seed that some take and others do not", () => {
  const path = file("two.f32", floats([1, 2])),
    { engines } = json(path, "--engines", "llama.cpp,candle", "--temperature", "1", "--seed", "4294967296");
  assert.match(engines[0].draws_error, /^seed: .* 4294967294/);
  assert.deepEqual([engines[0].ids, engines[1].ids.length], [null, 1]);
});

test("an engine twice, an option twice", () => {
  refused(["compare", A00, "--engines", "vllm,candle,vllm"], 2, '--engines: "vllm" is given twice');
  refused(["compare", A00, "--engines", "vllm", "--top-k", "1", "--top-k", "2"], 2, "--top-k: given twice");
  refused(["compare", A00, "--engines", "vllm", "--json", "--json"], 2, "--json: given twice");
});

for (const [name, command] of Object.entries({
  "smp": `'${binary}'`,
  "sampling-lab": `'${process.execPath}' '${packaged}'`,
}))
  test(`${name}: a terminal is told whose turn it is, a pipe is not`, () => {
    const run = to =>
      spawnSync("script", ["-qec", `${command} compare '${A00}' --engines vllm,candle ${to}`, "/dev/null"], {
        encoding: "utf8",
        env: { ...process.env, SHELL: "/bin/sh" },
      });
    const { status, stdout } = run("> /dev/null");
    assert.equal(status, 0);
    assert.equal(stdout, "\r\x1b[Kvllm, 1 of 2\r\x1b[Kcandle, 2 of 2\r\x1b[K");
    assert.equal(run("> /dev/null 2> /dev/null").stdout, "");
  });

test("what an engine makes of the settings that were given: those it has not, does not look at, or moves", () => {
  const path = file("four.f32", floats([3, 2, 2, 0])),
    lines = (...args) => output("compare", path, "--engines", "chapter,ollama,llama2.c", ...args).split("\n\n")[0];
  assert.equal(
    lines("--temperature", "0", "--top-k", "2", "--min-p", "0.5"), // ollama: sample/samplers.go, greedy at 0
    [
      "chapter                  1 kept; it has no min_p; greedy, it does not look at top_k",
      "ollama                   1 kept; greedy, it does not look at top_k, min_p",
      "llama2.c                 1 kept; it has no top_k, min_p",
    ].join("\n"),
  );
  assert.equal(
    // ollama: NewSampler, minP above 1 is 1, so the cut lies at the largest itself; llama2.c: its top_p is 0.9
    lines("--temperature", "1", "--top-k", "4", "--min-p", "1.5"),
    [
      "chapter                  4 kept; it has no min_p",
      "ollama                   1 kept, the cut decided by rounding; it works with min_p 1",
      "llama2.c                 3 kept; it has no top_k, min_p",
    ].join("\n"),
  );
});

test("the file as an operand or as --logits, options with = or without", () => {
  const want = output("compare", A00, "--engines", "candle,vllm", "--temperature", "0.7", "--seed", "3");
  assert.equal(output("compare", "--logits", A00, "--engines=candle,vllm", "--temperature=0.7", "--seed=3"), want);
  assert.equal(output("compare", "--engines", "candle,vllm", `--logits=${A00}`, "--temperature=0.7", "--seed=3"), want);
  refused(["compare", A00, "--engines", "candle", "--logits", "b.f32"], 2, "one argument too many", A00.slice(0, 40));
  refused(["compare", A00, "b.f32", "--engines", "candle"], 2, 'one argument too many: "b.f32"');
  refused(["compare", A00, "--engines=candle", "--json=1"], 2, "--json takes no value");
});

test("a name of any letters, and of a file whose values are refused", () => {
  const path = file("ряд 行 \ud83c\udfb2.f32", floats([1, 2, 3]));
  assert.match(output("compare", path, "--engines", "chapter"), /^chapter +3 kept\n/);
  refused(["compare", path, "--engines", "chapter", "--context", "3"], 1, "--context: entry 0 (from 0)");
});

test("smp reads one row a file, and says who reads more", () => {
  for (const option of ["--tensor", "--row"])
    refusedBy(alone, ["compare", A00, "--engines", "candle", option, "0"], 2, `${option}: `, "npm package");
});

test("what is wrong and what is allowed", () => {
  const compare = (...args) => ["compare", A00, "--engines", "chapter", ...args];
  refused(["compare"], 2, "needs a file");
  refused(["compare", A00], 2, "needs --engines");
  refused(["compare", A00, "--engines", "candle,gpt"], 2, '"gpt" is not an engine', "vllm");
  refused(["compare", A00, "--engines", ""], 2, '"" is not an engine');
  refused(compare("--temperature", "nan"), 1, "--temperature", "a finite number");
  refused(compare("--temperature", "x"), 2, '"x" is not a number');
  refused(compare("--top-k", "1.5"), 2, "not a whole number");
  refused(compare("--top-k", "1e10"), 2, "not a whole number");
  refused(compare("--context", "1 49152"), 1, "--context: entry 1", "ids of the logits");
  refused(compare("--context", "1 -2"), 2, "not a list of ids");
  refused(compare("--seed", "18446744073709551616"), 2, "18446744073709551615");
  refused(compare("--seed", "1", "--draws", "0"), 1, "1048576");
  refused(compare("--draws", "3"), 2, "--draws needs --seed");
  refused(["compare", A00, "--engines", "transformers.js", "--seed", "9007199254740992"], 1, "9007199254740991");
  unread(["compare", "no/such/file", "--engines", "chapter"], "no/such/file: No such file");
});
