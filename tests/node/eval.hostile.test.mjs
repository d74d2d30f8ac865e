// Whatever comes in, eval answers: one line for each, in order, and lives. Limits, lines that once ended it, and random ones.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { api, cores, fromRoot, importSource } from "./support.mjs";

const core = cores.simd;
const folder = mkdtempSync(join(tmpdir(), "smp-eval-"));
after(() => rmSync(folder, { recursive: true }));

/** Answers of the command to bytes, parsed. */
function answersTo(input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval"], {
    input,
    maxBuffer: 2 ** 28,
  });
  assert.equal(stderr.toString(), "");
  assert.equal(status, 0);
  assert.ok(stdout.length === 0 || stdout.at(-1) === 10);
  return stdout
    .toString()
    .split("\n")
    .slice(0, -1)
    .map(text => JSON.parse(text));
}

const told = line => JSON.parse(api.evaluateLine(core, typeof line === "string" ? line : JSON.stringify(line)));
const messageOf = line => told(line).error.message;
const GOOD = '{"op":"lab","logits":[0,1,2,3],"tau":0.8,"k":2,"u":0.5}';
const chain = (...steps) => ({ op: "chain", logits: [0, 1, 2, 3], chain: steps });
const nested = depth => "[".repeat(depth) + "]".repeat(depth);

// ---- Lines that ended it ---------------------------------------------------------------------------------------------

test("deep, long and strange lines are answered, and so is the line after each", () => {
  const ids = n => `[${"1,".repeat(n - 1)}1]`;
  const lines = [
    [
      `{"op":"chain","logits":[0,1],"chain":[["logit_bias",${nested(4000)}]]}`,
      /^chain\[0\]\[1\].*: arrays and objects more than 16 deep; allowed/,
    ],
    [nested(10_000_000), /more than 16 deep/],
    ['{"a":'.repeat(1_000_000), /more than 16 deep/],
    [
      '{"op":"engine","engine":"llama.cpp","logits":[1,2],"spec":[[{"toString":1}]]}',
      /^spec\[0\] \[\{"toString":1\}\]: allowed: top_k, /,
    ],
    ['{"op":{"toString":1}}', /^op: found \{"toString":1\}; allowed/],
    [
      `{"op":"chain","logits":[0,1],"chain":[${'["temperature",1],'.repeat(999_999)}["temperature",1]]}`,
      /^chain: found 1000000 steps; allowed: at most 64$/,
    ],
    [
      `{"op":"chain","logits":[0,1],"chain":[],"context":${ids(10_000_000)}}`,
      /^context\[\d+\]: more than 8388608 values in the line; allowed/,
    ],
    [
      `{"op":"chain","logits":${ids(370_000)},"chain":[],"context":${ids(8_000_000)}}`,
      /needs more memory than there is/,
    ],
    [
      `{"op":"chain","logits":[0,1],"chain":[["suppress_tokens",${ids(10_000_000)}]]}`,
      /^chain\[0\]\[1\]\[\d+\]: more than 8388608 values/,
    ],
    [
      `{"op":"engine","engine":"llama.cpp","logits":[0,1],"spec":[${'["xtc",1,0.1,1,1],'.repeat(500_000)}["greedy"]]}`,
      /at most 64 samplers/,
    ],
    [`{${Array.from({ length: 100_000 }, (_, i) => `"a${i}":1`)}}`, /more than 64 keys/],
    [`"${"\\\\".repeat(1_000_000)}`, /is not JSON/],
    [`{"op":"lab","logits":["${"0".repeat(100_000)}x"],"tau":1,"k":1,"u":0}`, /^logits\[0\]: found "000/],
    ["x".repeat(2 ** 26 + 1), /^the line is longer than 67108864 bytes/],
    ["", /^the line is empty/],
    [" \t\r", /^the line is empty/],
    ["\u2028\u2029\u0085", /^the line is/],
    ["\0\x1b[2J\x9b31m", /is not JSON/],
  ];
  const answers = answersTo(lines.map(([line]) => `${line}\n${GOOD}\n`).join(""));
  assert.equal(answers.length, 2 * lines.length);
  lines.forEach(([line, pattern], index) => {
    assert.match(answers[2 * index].error?.message ?? "", pattern, line.slice(0, 60));
    assert.equal(answers[2 * index + 1].id, 3, `after ${line.slice(0, 60)}`);
  });
});

test("bytes that are no UTF-8, line ends of Windows, a last line without end", () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from(`${GOOD}\r\n\r\n\n${GOOD}`)]);
  const answers = answersTo(bytes);
  assert.deepEqual(
    answers.map(({ id, error }) => id ?? error.code),
    ["ERR_PARAM", 3, "ERR_PARAM", "ERR_PARAM", 3],
  );
});

test("a control character of a line reaches no terminal", () => {
  for (const line of ['{"\u009b31m":1}', '{"op":"\u009b\u007f"}', "\u009bx"])
    assert.doesNotMatch(api.evaluateLine(core, line), /[\x00-\x1f\x7f-\x9f]/);
});

// ---- Work grows with the text -----------------------------------------------------------------------------------------

test("the scan of a line and the reader of hex floats take time in proportion to the text", async () => {
  const { parseHexFloat } = await importSource("web/eval/hexfloat.ts");
  const texts = {
    "digits": n => parseHexFloat(`0x${"1".repeat(n)}p0`),
    "a point and digits": n => parseHexFloat(`0x.${"1".repeat(n)}p0`),
    "digits and no end": n => parseHexFloat(`0x${"1".repeat(n)}z`),
    "digits, a point, digits and no end": n => parseHexFloat(`0x${"1".repeat(n / 2)}.${"1".repeat(n / 2)}z`),
    "escapes in a key": n => told(`{"${"\\u0061".repeat(n / 8)}":1}`),
    "an open string": n => told(`"${"\\".repeat(n)}`),
    "keys": n => told(`[${'{"a":1},'.repeat(n / 8)}1]`),
  };
  const took = (run, n) =>
    Math.min(
      ...[1, 2, 3, 4, 5].map(() => {
        const start = performance.now();
        run(n);
        return performance.now() - start;
      }),
    );
  for (const [name, run] of Object.entries(texts)) {
    took(run, 1 << 14);
    const ratio = took(run, 1 << 20) / Math.max(2, took(run, 1 << 17)); // 8 where linear, 64 where quadratic
    assert.ok(ratio < 30, `${name}: eight times the text took ${ratio} times as long`);
  }
});

test("a mantissa of 40,000 digits is rounded once, as an exact integer says", async () => {
  const { parseHexFloat } = await importSource("web/eval/hexfloat.ts");
  const zeros = "0".repeat(40_000);
  assert.equal(parseHexFloat(`0x1${zeros}p-160000`), 1);
  assert.equal(parseHexFloat(`0x1.00000000000008${zeros}p0`), 1); // a tie goes to the even
  assert.equal(parseHexFloat(`0x1.00000000000008${zeros}1p0`), 1 + 2 ** -52); // a digit behind it decides
  assert.equal(parseHexFloat(`0x0.${zeros}1p160004`), 1);
});

// ---- An option that does nothing --------------------------------------------------------------------------------------

test("what is given twice, or does nothing, is refused", () => {
  const engine = more => ({ op: "engine", engine: "llama.cpp", logits: [1, 2], ...more });
  const cases = [
    [
      '{"op":"lab","logits":[0,1],"tau":1,"tau":2,"k":1,"u":0}',
      "tau: given twice; allowed: each key of an object once",
    ],
    ['{"op":"lab","logits":[0,1],"tau":1,"t\\u0061u":2,"k":1,"u":0}', "tau: given twice"],
    [
      '{"op":"engine","engine":"candle","logits":[1,2],"settings":{"top_k":1,"top_p":0.5,"top_k":2}}',
      "settings.top_k: given twice",
    ],
    [
      '{"op":"chain","logits":[0,1],"chain":[["temperature",1],["top_k",1,{"tie":"last","tie":"strict"}]]}',
      "chain[1][2].tie: given twice",
    ],
    [
      chain(["temperature", 1, { last: 3 }]),
      "chain[0] temperature: last does nothing here; allowed: last with repetition_penalty, presence_penalty, frequency_penalty",
    ],
    [
      chain(["top_k", 2], ["min_p", 0.1, { tie: "strict" }]),
      "chain[1] min_p: tie does nothing here; allowed: tie with top_k, top_p",
    ],
    [chain(["top_k", 2, { last: 0 }]), "chain[0] top_k: last does nothing here"],
    [chain(["top_k", 2, { ties: "last" }]), 'chain[0]: no such option as "ties"; allowed: tie, last'],
    [
      engine({ trace: { setting: "top_p", ids: [0], all: true } }),
      'trace: no such field as "all"; allowed: setting, ids',
    ],
    [
      engine({ greedy: false, settings: { greedy: true } }),
      "greedy: given twice, beside the settings and among them; allowed: once",
    ],
    [engine({ settings_only: true, spec: [["greedy"]] }), "settings_only: does nothing beside spec"],
    [
      { op: "compare", engines: ["vllm", "candle", "vllm"], logits: [1, 2] },
      'engines[2]: found "vllm" again; allowed: each engine once',
    ],
    [{ op: "compare", engines: Array(2000).fill("candle"), logits: [1, 2] }, 'engines[1]: found "candle" again'],
  ];
  for (const [line, message] of cases)
    assert.ok(messageOf(line).startsWith(message), `${messageOf(line)}\nshould be ${message}`);
});

test("a number that no float holds is not quietly infinite", () => {
  for (const value of [-1e39, 1e39]) {
    assert.match(
      messageOf({ ...chain(["top_k", 1]), logits: [1, value] }),
      new RegExp(`^logits\\[1\\]: found ${value.toExponential().replace("+", "\\+")}; .* write "-inf"$`),
    );
    assert.match(messageOf({ op: "engine", engine: "candle", logits: [1, value] }), /^logits\[1\]: found/);
    assert.match(
      messageOf(chain(["logit_bias", [[3, value]]])),
      /^chain\[0\] logit_bias\[0\]: id 3 with -?1e\+39; allowed: .*-inf/,
    );
  }
  assert.match(
    messageOf('{"op":"chain","logits":[1,-1e999],"chain":[]}'),
    /^logits\[1\]: found a number beyond .* write "inf" or "-inf"$/,
  );
  assert.match(messageOf({ ...chain(), logits: [1, "-0x1p+1024"] }), /^logits\[1\]: found a number beyond/);
  assert.deepEqual(told({ ...chain(), logits: [1, "-inf", -3.4028234663852886e38] }).kept, [0, 2]);
  assert.deepEqual(told(chain(["logit_bias", [[3, "-inf"]]])).kept, [0, 1, 2]);
});

// ---- Messages -----------------------------------------------------------------------------------------------------------

/** A line whose second filter is in question. */
const filtered = (filter, more = {}) => ({
  op: "lab",
  logits: [1, 2],
  tau: 1,
  u: 0,
  filters: [["top_p", 0.9], filter],
  ...more,
});

test("messages name field, step, id and value as they were written", () => {
  const engine = more => ({ op: "engine", engine: "llama.cpp", logits: [1, 2], ...more });
  const cases = [
    [
      chain(["repetition_penalty", 1.5, { last: -1 }]),
      "chain[0] last -1 of repetition_penalty; allowed: a whole number from 0 to 4294967295",
    ],
    [chain(["top_k", 2], ["temperature", -1]), "chain[1] temperature: found -1; allowed: a finite number above 0"],
    [chain(["temperature", "nan"]), 'chain[0] temperature: found "nan"; allowed'],
    [chain(["temperature", "hot"]), 'chain[0] temperature: found "hot"; allowed: a number'],
    [chain(["top_k", 1.5]), "chain[0] top_k: found 1.5; allowed: a whole number, at least 1"],
    [chain(["top_p", 0.5, { tie: "both" }]), 'chain[0] tie "both" of top_p; allowed: strict, threshold, last'],
    [chain(["top_q", 1]), 'chain[0] step "top_q"'],
    [chain(["suppress_tokens", [1, 7]]), "chain[0] suppress_tokens[1]: id 7; allowed: ids of the row, 0 to 3"],
    [
      chain([
        "logit_bias",
        [
          [0, 1],
          [-4, 1],
        ],
      ]),
      "chain[0] logit_bias[1]: id -4; allowed: ids of the row, 0 to 3",
    ],
    [
      chain([
        "logit_bias",
        [
          [0, 1],
          [2, "x"],
        ],
      ]),
      'chain[0] logit_bias[1][1]: found "x"',
    ],
    [chain(["logit_bias", [[0, 1, 2]]]), "chain[0] logit_bias[0]: allowed: a pair of id and bias"],
    [{ ...chain(), context: [0, 4] }, "context[1]: found 4; allowed: ids of the row"],
    [{ ...chain(), logits: [1, "nan"] }, 'logits[1]: found "nan"; not a number; allowed'],
    [{ ...chain(), u: 1 }, "u: found 1; allowed: at least 0 and below 1"],
    [{ op: "lab", logits: [1, "inf"], tau: 1, k: 1, u: 0 }, 'logits[1]: found "inf"; infinite; allowed'],
    [{ op: "lab", logits: [1, 2], tau: 1, k: 3, u: 0 }, "k: found 3; allowed"],
    [{ op: "lab", logits: [1, 2], tau: 1, u: 0 }, 'k: missing; allowed: k, or filters such as [["top_k",2],'],
    [filtered(["top_p", 0.9], { k: 1 }), "k: found 1 beside filters; allowed: one of the two"],
    [filtered(["top_p", 0.9], { tie: "strict" }), 'tie: found "strict" beside filters; allowed: one of the two'],
    [{ op: "lab", logits: [1, 2], tau: 1, u: 0, filters: "top_p" }, 'filters: found "top_p"; allowed: an array'],
    [
      { op: "lab", logits: [1, 2], tau: 1, u: 0, filters: Array(9).fill(["top_p", 1]) },
      "filters: found 9; allowed: at most 8",
    ],
    [filtered("top_p"), 'filters[1]: found "top_p"; allowed: arrays such as ["top_k", 2'],
    [filtered(["top_p"]), 'filters[1]: found ["top_p"]; allowed: arrays such as'],
    [filtered(["temperature", 1]), 'filters[1]: found "temperature"; allowed: top_k, top_p, min_p'],
    [filtered(["constructor", 1]), 'filters[1]: found "constructor"; allowed: top_k, top_p, min_p'],
    [filtered(["top_k", 3]), "filters[1] top_k: found 3; allowed: a whole number from 1 to the number of logits"],
    [filtered(["top_k", 1.5]), "filters[1] top_k: found 1.5; allowed: a whole number from 1"],
    [filtered(["top_p", "0.9"]), 'filters[1] top_p: found "0.9"; allowed: a number'],
    [filtered(["top_p", 1.1]), "filters[1] top_p: found 1.1; allowed: a number from 0 to 1"],
    [filtered(["min_p", "nan"]), 'filters[1] min_p: found "nan"; allowed: a number from 0 to 1'],
    [filtered(["min_p", 0.1, { tie: "strict" }]), 'filters[1] min_p: no such option as "tie"; allowed: none'],
    [filtered(["top_p", 0.5, { until: "x" }]), 'filters[1] top_p: no such option as "until"; allowed: tie'],
    [filtered(["top_p", 0.5, { tie: 1 }]), "filters[1] tie: found 1; allowed: a string"],
    [
      filtered(["top_p", 0.5, { tie: "threshold" }]),
      'filters[1] top_p tie: found "threshold"; allowed: strict or inclusive',
    ],
    [filtered(["top_k", 1, { tie: "last" }]), 'filters[1] top_k tie: found "last"; allowed: strict or threshold'],
    [filtered(["top_p", 0.5], { tau: -1 }), "tau: found -1; allowed: a finite number"],
    [engine({ settings: { temperature: "nan" } }), 'settings.temperature: found "nan"; allowed'],
    [engine({ settings: { top_k: 1.5 } }), "settings.top_k: found 1.5; allowed"],
    [engine({ engine: "gpt" }), 'engine: found "gpt"; allowed: transformers'],
    [engine({ engine: "candle", replacement: true }), "replacement: found true; allowed"],
    [engine({ seed: "1", draws: 0 }), "draws: found 0; allowed"],
    [engine({ seed: "4294967295" }), 'seed: found "4294967295"; allowed'],
    [
      engine({
        spec: [
          ["temp", 1],
          ["top_k", 1.5],
        ],
      }),
      'spec[1]: found ["top_k",1.5]; allowed',
    ],
    [engine({ spec: [["xtc", 0.5, 0.1, 1, "4294967295"]] }), 'spec[0] "xtc": seed'],
    [
      {
        op: "stop",
        candidates: [
          [1, 2],
          [3, 4294967295],
        ],
        pad: 0,
        max_new_tokens: 2,
      },
      "candidates[1][1]: found 4294967295; allowed",
    ],
    [
      { op: "stop", candidates: [[1, 2], [3]], pad: 0, max_new_tokens: 2 },
      "candidates[1]: found [3]; fewer tokens than steps; allowed",
    ],
    [{ op: "stop", candidates: [[1, 2]], pad: -1, max_new_tokens: 2 }, "pad: found -1; allowed"],
    [{ op: "stop-one", prompt: [1], candidates: [3, 3], eos: [4, -1], max_new_tokens: 2 }, "eos[1]: found -1; allowed"],
  ];
  for (const [line, message] of cases)
    assert.ok(messageOf(line).startsWith(message), `${messageOf(line)}\nshould be ${message}`);
});

test("temperature 0 in a chain names greedy, and what it names works", () => {
  const message = messageOf(chain(["temperature", 0])),
    step = JSON.parse(/write (\[.*\])$/.exec(message)[1]);
  assert.match(message, /0 is greedy/);
  assert.deepEqual(told({ op: "chain", logits: [1, 3, 3], chain: [step] }).kept, [1]);
});

test("a seed of xtc may be a decimal string", () => {
  const drawn = seed =>
    told({
      op: "engine",
      engine: "llama.cpp",
      logits: [3, 2, 1, 0],
      spec: [["xtc", 0.5, 0.1, 1, seed]],
      seed: "7",
      draws: 20,
    });
  assert.equal(drawn("42").ids.length, 20);
  assert.deepEqual(drawn("42"), drawn(42));
});

// ---- Files ----------------------------------------------------------------------------------------------------------------

test("logits_file is read by what it holds, for every operation that takes it", () => {
  const list = [1.5, -2, 0.25, 3],
    data = Buffer.from(Float32Array.from(list).buffer),
    file = (name, bytes) => (writeFileSync(join(folder, name), bytes), join(folder, name));
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".padEnd(117) + "\n";
  const npy = Buffer.concat([
    Buffer.from("\x93NUMPY\x01\0", "latin1"),
    Buffer.from([118, 0]),
    Buffer.from(header, "latin1"),
    data,
  ]);
  const tensors = Buffer.from(JSON.stringify({ a: { dtype: "F32", shape: [4], data_offsets: [0, 16] } })),
    length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(tensors.length));
  const paths = [
    file("row.f32", data),
    file("row.npy", npy),
    file("npy.bin", npy),
    file("row.safetensors", Buffer.concat([length, tensors, data])),
    file("row.json", JSON.stringify(list)),
  ];
  const asks = {
    chain: { op: "chain", chain: [["top_k", 2]] },
    engine: { op: "engine", engine: "candle", settings: { temperature: 1, top_k: 2 } },
    compare: { op: "compare", engines: ["candle", "vllm"] },
  };
  for (const [name, ask] of Object.entries(asks)) {
    const [want, ...found] = answersTo(
      [{ ...ask, logits: list }, ...paths.map(path => ({ ...ask, logits_file: path }))]
        .map(line => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    assert.equal(want.error ?? null, null);
    for (const [index, answer] of found.entries()) assert.deepEqual(answer, want, `${name} ${paths[index]}`);
  }
  const masked = { op: "chain", chain: [], logits_file: file("masked.json", '[1,"-inf",2]') },
    ask = path => ({ op: "chain", chain: [], logits_file: path });
  const bad = [
    ask(join(folder, "none")),
    ask(folder),
    ask("/dev/zero"),
    ask(file("row.pt", "PK")),
    ask(file("nan.f32", Buffer.from(Float32Array.of(1, NaN).buffer))),
    ask(3),
    { op: "lab", logits_file: paths[0] },
  ];
  const [kept, ...errors] = answersTo([masked, ...bad].map(line => `${JSON.stringify(line)}\n`).join(""));
  assert.deepEqual(kept.kept, [0, 2]);
  const parts = [
    /^logits_file: found .*: ENOENT/,
    /no file of logits, but a folder/,
    /no file of logits, but/,
    /“row.pt” is no file of logits/,
    /Entry 1 \(from 0\) is NaN/,
    /^logits_file: found 3; allowed/,
    /^logits_file: no such field/,
  ];
  errors.forEach(({ error }, index) => assert.match(error.message, parts[index]));
});

// ---- Anything -------------------------------------------------------------------------------------------------------------

const RUNS = 10_000;
const hostile = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    0.5,
    1e39,
    -1e39,
    5e-324,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 31),
    1e300,
    null,
    true,
    false,
    "",
    "nan",
    "inf",
    "-inf",
    "0x1p-3",
    "0x",
    "__proto__",
    "constructor",
    "toString",
    "7",
  ),
  fc.double(),
  fc.integer({ min: -3, max: 9 }),
  fc.string({ maxLength: 6, unit: "binary" }),
);
const mostly = (right, weight = 40) =>
  fc.oneof(
    { weight, arbitrary: right },
    { weight: 1, arbitrary: hostile },
    { weight: 1, arbitrary: fc.array(hostile, { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        fc.constantFrom("tie", "last", "setting", "ids", "x", "__proto__", "toString"),
        hostile,
        { maxKeys: 3 },
      ),
    },
  );
const logit = mostly(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -1e38, max: 1e38, noNaN: true })), 200);
const ids = mostly(fc.array(mostly(fc.integer({ min: 0, max: 5 }), 200), { maxLength: 6 }));
const value = mostly(
  fc.oneof(fc.double({ min: 0, max: 2, noNaN: true }), fc.integer({ min: 0, max: 6 }), fc.constantFrom(1, 0.5)),
);
const whole = mostly(fc.integer({ min: 1, max: 5 })),
  share = mostly(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }));
const STEPS = Object.keys(core.abi.step),
  SAMPLERS = core.abi.sampler.map(([, , name, numbers]) => [name, numbers.split(" ").filter(Boolean)]);
const SETTINGS = core.abi.setting.map(([, , name]) => name),
  ENGINES = core.abi.engine.map(([, , name]) => name);
const step = fc.oneof(
  fc.tuple(fc.constantFrom(...STEPS), value),
  fc.tuple(
    fc.constantFrom("logit_bias", "suppress_tokens"),
    mostly(fc.oneof(ids, fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), logit), { maxLength: 4 }))),
  ),
  fc.tuple(
    fc.constantFrom(...STEPS),
    value,
    fc.record(
      { tie: mostly(fc.constantFrom("strict", "threshold", "last")), last: mostly(fc.nat(4)) },
      { requiredKeys: [] },
    ),
  ),
);
const sampler = fc
  .constantFrom(...SAMPLERS)
  .chain(([name, wanted]) => fc.tuple(fc.constant(name), ...wanted.map(each => (each === "breakers" ? ids : value))));
const fields = {
  op: mostly(fc.constantFrom("lab", "chain", "stop", "stop-one", "engine", "compare"), 60),
  logits: mostly(fc.array(logit, { minLength: 6, maxLength: 7 }), 60),
  logits_file: hostile,
  tau: value,
  k: whole,
  u: share,
  tie: mostly(fc.constantFrom("strict", "threshold", "last")),
  share: mostly(fc.constantFrom("renormalised", "zeroed")),
  hex: mostly(fc.boolean()),
  filters: mostly(
    fc.array(
      mostly(fc.tuple(fc.constantFrom("top_k", "top_p", "min_p"), share, fc.constantFrom({}, { tie: "strict" })), 20),
      {
        maxLength: 4,
      },
    ),
    20,
  ),
  chain: mostly(fc.array(mostly(step, 20), { maxLength: 5 }), 20),
  context: ids,
  candidates: mostly(fc.array(mostly(fc.array(whole, { minLength: 5, maxLength: 6 })), { minLength: 1, maxLength: 3 })),
  eos: ids,
  pad: whole,
  max_new_tokens: whole,
  rule: mostly(fc.constantFrom("latch", "any", "same-step", "scalar", "single")),
  prompt: mostly(fc.array(whole, { minLength: 5, maxLength: 6 })),
  keep_eos: mostly(fc.boolean()),
  engine: mostly(fc.constantFrom(...ENGINES), 20),
  engines: mostly(fc.uniqueArray(fc.constantFrom(...ENGINES), { minLength: 1, maxLength: 4 }), 20),
  settings: mostly(fc.dictionary(fc.constantFrom(...SETTINGS, "x"), value, { maxKeys: 5 })),
  seed: mostly(fc.constantFrom("0", "42", "4294967295", "18446744073709551615")),
  draws: mostly(fc.integer({ min: 1, max: 5 })),
  settings_only: mostly(fc.boolean()),
  greedy: mostly(fc.boolean()),
  constructor: mostly(fc.constantFrom("new", "from_sampling")),
  generator: mostly(fc.constantFrom("torch", "torch-mkl")),
  replacement: mostly(fc.boolean()),
  spec: mostly(fc.array(mostly(sampler, 20), { maxLength: 4 })),
  trace: mostly(fc.record({ setting: mostly(fc.constantFrom("top_k", "top_p", "min_p", "temperature")), ids })),
};
const FIELDS = {
  lab: ["logits", "tau", "k", "u", "tie", "share", "hex", "filters"],
  chain: ["logits", "chain", "context", "u"],
  stop: ["candidates", "eos", "pad", "max_new_tokens", "rule"],
  "stop-one": ["prompt", "candidates", "eos", "max_new_tokens", "keep_eos"],
  engine: [
    "engine",
    "logits",
    "settings",
    "context",
    "seed",
    "draws",
    "settings_only",
    "greedy",
    "constructor",
    "generator",
    "replacement",
    "spec",
    "trace",
  ],
};
FIELDS.compare = ["engines", ...FIELDS.engine.slice(1)];
const of = (names, requiredKeys) =>
  fc.record(Object.fromEntries(names.map(name => [name, fields[name]])), { requiredKeys });
/** Nearly right requests, so that the core is reached; then any fields; then any JSON, and any text. */
const likely = fc.constantFrom(...Object.keys(FIELDS)).chain(op =>
  of(FIELDS[op], FIELDS[op].slice(0, op === "engine" || op === "compare" ? 2 : 4)).map(rest =>
    JSON.stringify({
      op,
      ...rest,
      ...(op === "stop-one" ? { candidates: rest.prompt } : {}),
      ...(rest.filters ? { k: undefined, tie: undefined } : {}),
    }),
  ),
);
const anyFields = of(Object.keys(fields), ["op"]).map(each => JSON.stringify(each));
const text = fc.string({ maxLength: 40, unit: "binary" }).map(each => each.replaceAll("\n", " "));
const cut = fc
  .tuple(likely, fc.nat(200), fc.string({ maxLength: 3, unit: "binary" }))
  .map(([line, at, inside]) => (line.slice(0, at) + inside + line.slice(at)).replaceAll("\n", " "));
const line = fc.oneof(
  { weight: 16, arbitrary: likely },
  { weight: 1, arbitrary: anyFields },
  { weight: 2, arbitrary: cut },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
);

test("random and hostile lines: one answer each, in order, and no death", () => {
  let answered = 0,
    marked = core.call.smp_arena_mark();
  fc.assert(
    fc.property(line, each => {
      const text = api.evaluateLine(core, each),
        answer = JSON.parse(text);
      assert.ok(!text.includes("\n") && answer !== null && typeof answer === "object", text);
      assert.equal(core.call.smp_arena_mark(), marked, "the arena was not given back");
      if (!answer.error?.code) return void answered++;
      const { code, where, message } = answer.error;
      assert.notEqual(code, "ERR_INTERNAL", message);
      assert.ok(
        core.abi.status.some(([name]) => name === code),
        code,
      );
      assert.ok(typeof where.param === "string" && Number.isInteger(where.index) && message.length > 5, text);
      assert.doesNotMatch(message, /undefined|\[object|NaN\b(?! )/, message);
    }),
    { numRuns: RUNS, seed: 16 },
  );
  assert.ok(answered > RUNS / 10, `only ${answered} lines were right`);
});

test("the command: random lines between two that are known", () => {
  const lines = fc.sample(line, { numRuns: 2000, seed: 17 });
  const known = index => JSON.stringify({ op: "stop-one", prompt: [index], candidates: [1], max_new_tokens: 1 });
  const answers = answersTo(lines.flatMap((each, index) => [`${each}\n`, `${known(index)}\n`]).join(""));
  assert.equal(answers.length, 2 * lines.length);
  lines.forEach((_, index) => assert.deepEqual(answers[2 * index + 1], { ids: [index, 1], finish: "length" }));
});
