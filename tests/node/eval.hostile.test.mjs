// Whatever comes in, eval answers: one line for each, in order, and lives. Limits, lines that once ended it, and files.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { answersTo, told } from "./asked.mjs";
import { api, cores, importSource } from "./support.mjs";

const core = cores.simd;
const folder = mkdtempSync(join(tmpdir(), "smp-eval-"));
after(() => rmSync(folder, { recursive: true }));

const GOOD = '{"op":"lab","logits":[0,1,2,3],"tau":0.8,"k":2,"u":0.5}';
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
      /^spec\[0\]: found \[\{"toString":1\}\]; allowed: top_k, /,
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
      /^spec: .*at most 64/,
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

// ---- Files ----------------------------------------------------------------------------------------------------------------

test("logits_file is read by what it holds, for every operation that takes it", () => {
  const list = [1.5, -2, 0.25, 3],
    data = Buffer.from(Float32Array.from(list).buffer),
    file = (name, bytes) => (writeFileSync(join(folder, name), bytes), join(folder, name));
  const header = `${"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".padEnd(117)}\n`;
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
    draw: { op: "draw", seed: "1", draws: 9 },
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
    /“row.pt” is not a file of logits/,
    /Entry 1 \(from 0\) is NaN/,
    /^logits_file: found 3; allowed/,
    /^logits_file: no such field/,
  ];
  errors.forEach(({ error }, index) => assert.match(error.message, parts[index]));
});
