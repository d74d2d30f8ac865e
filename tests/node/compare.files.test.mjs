// Files of logits: what numpy and safetensors wrote loads exactly; whatever is wrong is told by name, in
// both languages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { fromRoot, importSource } from "./support.mjs";

const { openFile, rowOf, tensorOf } = await importSource("web/files/open.ts");
const { half } = await importSource("web/files/floats.ts");
const { fileProblem: zh } = await importSource("web/files/messages.zh.ts");
const { fileProblem: en } = await importSource("web/files/messages.en.ts");

const FOLDER = fromRoot("tests/vectors/files");
const source = (name, bytes) => ({
  name,
  size: bytes.length,
  read: async (from, to) => new Uint8Array(bytes.subarray(from, to)),
});
const fixture = name => readFileSync(join(FOLDER, name));
const open = (name, bytes = fixture(name)) => openFile(source(name, bytes));

/** The row of a file, as a reader gets it. */
async function rowIn(name, bytes, { tensor, row = "0" } = {}) {
  return rowOf(tensorOf(await openFile(source(name, bytes)), tensor), row);
}

/** Rows of files.json: big-endian floats in hex, so that every bit counts. */
function expected(hex) {
  const bytes = Buffer.from(hex, "hex");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatBE(4 * i));
}

test("what numpy and safetensors wrote loads exactly, every tensor and row", async () => {
  for (const { file, tensors } of JSON.parse(fixture("files.json")).cases) {
    const contents = await open(file);
    for (const { name, shape, rows } of tensors) {
      const tensor = tensorOf(contents, name);
      assert.deepEqual([tensor.shape, tensor.rows], [shape, shape.length === 2 ? shape[0] : 1], file);
      for (const [index, { row, rounded }] of rows.entries()) {
        const found = await rowOf(tensor, String(index));
        assert.deepEqual([...found.row], expected(row), `${file} ${name} ${index}`);
        assert.equal(found.rounded, rounded, `${file} ${name} ${index}`);
      }
    }
  }
});

test("every half has its value: 2^e (1 + m / 1024), and m 2^-24 below", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1,
      e = (bits >> 10) & 31,
      m = bits & 1023;
    const value =
      e === 31 ? (m ? NaN : sign * Infinity) : e ? sign * 2 ** (e - 15) * (1 + m / 1024) : sign * m * 2 ** -24;
    assert.ok(Object.is(half(bits), value), String(bits));
  }
});

test("bare floats and JSON", async () => {
  assert.deepEqual(
    [...(await rowIn("a.f32", Buffer.from(Float32Array.of(1, -0, -Infinity, 3e38).buffer))).row],
    [1, -0, -Infinity, Math.fround(3e38)],
  );
  assert.deepEqual(await rowIn("a.JSON", Buffer.from(" [1, 0.1, -2e0]")), {
    row: Float32Array.of(1, 0.1, -2),
    rounded: 1,
  });
  assert.deepEqual(await rowIn("a.json", Buffer.from('{"model":"x","logits":[1,2]}')), {
    row: Float32Array.of(1, 2),
    rounded: 0,
  });
});

test("2^20 entries are taken, one more is not", async () => {
  const most = 2 ** 20;
  assert.equal((await rowIn("a.f32", Buffer.alloc(4 * most))).row.length, most);
  assert.deepEqual(await problemOf("a.f32", Buffer.alloc(4 * most + 4)), { kind: "tooMany", found: most + 1 });
  assert.deepEqual(await problemOf("a.npy", npy(`(${most + 1},)`, Buffer.alloc(4 * most + 4))), {
    kind: "tooMany",
    found: most + 1,
  });
  assert.deepEqual(await problemOf("a.json", Buffer.from(`[${"1,".repeat(most)}1]`)), {
    kind: "tooMany",
    found: most + 1,
  });
});

test("how a file begins says what it is, whatever its name; where it begins as nothing, the name does", async () => {
  const data = singles(1.5, -2),
    kinds = {
      npy: npy("(2,)", data),
      safetensors: safetensors({ a: tensor([2], 0, 8) }, data),
      json: Buffer.from('\ufeff {"logits": [1.5, -2]}'),
    };
  for (const [format, bytes] of Object.entries(kinds))
    for (const name of ["a.f32", "a.npy", "a.json", "a.safetensors", "a.pt", "a"]) {
      assert.equal((await openFile(source(name, bytes))).format, format, name);
      assert.deepEqual([...(await rowIn(name, bytes)).row], [1.5, -2], `${format} named ${name}`);
    }
  assert.deepEqual([...(await rowIn("a.f32", data)).row], [1.5, -2]);
  assert.deepEqual(await problemOf("a.bin", data), { kind: "ending", found: "a.bin" });
});

test('JSON writes an entry that is removed as "-inf"; a number beyond all doubles is none', async () => {
  assert.deepEqual([...(await rowIn("a.json", Buffer.from('[1, "-inf", -0.5]'))).row], [1, -Infinity, -0.5]);
  assert.deepEqual(await problemOf("a.json", Buffer.from('["-inf"]')), { kind: "masked" });
  assert.deepEqual(await problemOf("a.json", Buffer.from("[0, -1e999]")), {
    kind: "tooLarge",
    index: 1,
    found: "below -1.8e308",
  });
  assert.deepEqual(await problemOf("a.json", Buffer.from('[0, "inf"]')), { kind: "entry", index: 1, found: '"inf"' });
});

test("only the header and the chosen row are read", async () => {
  const bytes = npy("(1000, 100)", Buffer.alloc(400_000)),
    asked = [];
  const tensor = tensorOf(
    await openFile({
      ...source("a.npy", bytes),
      read: async (from, to) => (asked.push(to - from), new Uint8Array(bytes.subarray(from, to))),
    }),
  );
  await rowOf(tensor, "999");
  assert.ok(asked.reduce((sum, each) => sum + each) < 700, String(asked));
});

// ---- What is wrong -----------------------------------------------------------------------------------------------

/** A .npy with this shape, as NumPy pads it; `more` replaces the rest of the dictionary. */
function npy(
  shape,
  data,
  {
    descr = "'<f4'",
    fortran = "False",
    version = 1,
    header = `{'descr': ${descr}, 'fortran_order': ${fortran}, 'shape': ${shape}, }`,
  } = {},
) {
  const text = `${header}${" ".repeat(63 - ((10 + header.length) % 64))}\n`,
    start = Buffer.alloc(version === 1 ? 10 : 12);
  start.write("\x93NUMPY", "latin1");
  start[6] = version;
  if (version === 1) start.writeUInt16LE(text.length, 8);
  else start.writeUInt32LE(text.length, 8);
  return Buffer.concat([start, Buffer.from(text, "latin1"), data]);
}

/** A .safetensors with this header. */
function safetensors(header, data = Buffer.alloc(0), length = undefined) {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header)),
    start = Buffer.alloc(8);
  start.writeBigUInt64LE(BigInt(length ?? text.length));
  return Buffer.concat([start, text, data]);
}

async function problemOf(name, bytes, options) {
  try {
    await rowIn(name, bytes, options);
  } catch (error) {
    assert.equal(error.name, "FileError", error.stack);
    return error.problem;
  }
  return null;
}

const four = Buffer.alloc(4),
  tensor = (shape, from, to, dtype = "F32") => ({ dtype, shape, data_offsets: [from, to] });
const doubles = (...list) => Buffer.from(Float64Array.from(list).buffer),
  singles = (...list) => Buffer.from(Float32Array.from(list).buffer);

/** Every kind of problem, and files that have it. */
const WRONG = {
  ending: [
    ["a.pt", four],
    ["npy", four],
    ["a.npy.gz", four],
  ],
  empty: [
    ["a.f32", Buffer.alloc(0)],
    ["a.npy", npy("(0,)", Buffer.alloc(0))],
    ["a.npy", npy("(3, 0)", Buffer.alloc(0))],
    ["a.json", Buffer.from("[]")],
    ["a.safetensors", safetensors({ a: tensor([0], 0, 0) })],
  ],
  multiple: [["a.f32", Buffer.alloc(5)]],
  magic: [
    ["a.npy", Buffer.alloc(80)],
    ["a.npy", four],
  ],
  version: [["a.npy", npy("(1,)", four, { version: 9 })]],
  header: [
    ["a.npy", npy("(1,)", four, { version: 2, header: " ".repeat(10_000_000) })],
    ["a.safetensors", safetensors("{}".padEnd(10_000_000))],
    ["a.safetensors", safetensors("{}", four, 2n ** 64n - 1n)],
  ],
  broken: [
    ["a.npy", npy("", four, { header: "{'descr': '<f4', 'shape': (1,)}" })],
    ["a.npy", npy("", four, { header: "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': True}" })],
    ["a.npy", npy("", four, { header: "nothing" })],
    ["a.npy", npy("(1,)", four, { fortran: "'False'" })],
    ["a.safetensors", safetensors("[]", four)],
    ["a.safetensors", safetensors("{", four)],
    ["a.safetensors", safetensors({ __metadata__: { format: 1 }, a: tensor([1], 0, 4) }, four)],
    ["a.safetensors", safetensors({ a: { ...tensor([1], 0, 4), more: 1 } }, four)],
    ["a.safetensors", safetensors({ a: { dtype: "F32", shape: [1] } }, four)],
    ["a.json", Buffer.from("[1, NaN]")],
    ["a.json", Buffer.from("[1,")],
    ["a.json", Buffer.from('{"scores":[1]}')],
    ["a.json", Buffer.from("3")],
    ["a.json", Buffer.from([0x5b, 0xff, 0x5d])],
  ],
  deep: [
    ["a.json", Buffer.from("[".repeat(1_000_000))],
    ["a.json", Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)],
    ["a.json", Buffer.from(`{"logits":[1],"more":${'{"a":'.repeat(64)}1${"}".repeat(65)}`)],
    [
      "a.safetensors",
      safetensors(
        `{"__metadata__":{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
        four,
      ),
    ],
    ["a.safetensors", safetensors(`{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`, four)],
  ],
  repeated: [
    ["a.json", Buffer.from('{"logits":[1],"logits":[2]}')],
    ["a.json", Buffer.from('{"more":{"x":"{"},"logits":[1],"l\\u006fgits":[2]}')],
    [
      "a.safetensors",
      safetensors(
        '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
        four,
      ),
    ],
    ["a.npy", npy("", four, { header: "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}" })],
  ],
  truncated: [
    ["a.npy", npy("(2,)", four)],
    ["a.npy", npy("(1,)", four).subarray(0, 40)],
    ["a.npy", npy("(1,)", four).subarray(0, 9)],
    ["a.npy", npy("(1000000, 1000000)", four)],
    ["a.safetensors", safetensors({ a: tensor([2], 0, 8) }, four)],
    ["a.safetensors", four],
    ["a.safetensors", safetensors("{}", four, 100)],
  ],
  trailing: [
    ["a.npy", npy("(1,)", Buffer.alloc(5))],
    ["a.safetensors", safetensors({ a: tensor([1], 0, 4) }, Buffer.alloc(8))],
  ],
  offsets: [
    ["a.safetensors", safetensors({ a: tensor([2], 0, 8), b: tensor([1], 4, 8) }, Buffer.alloc(8))],
    ["a.safetensors", safetensors({ a: tensor([1], 4, 8) }, Buffer.alloc(8))],
    ["a.safetensors", safetensors({ a: tensor([2], 0, 4) }, four)],
    ["a.safetensors", safetensors({ a: tensor([1], 4, 0) }, four)],
    ["a.safetensors", safetensors({ a: tensor([1], -4, 0) }, four)],
    ["a.safetensors", safetensors({ a: tensor([1], 0.5, 4.5) }, four)],
    ["a.safetensors", safetensors({ a: tensor([2], 0, 8, "I64") }, Buffer.alloc(8))],
  ],
  dtype: [
    ["a.npy", npy("(1,)", four, { descr: "'<i4'" })],
    ["a.npy", npy("(1,)", four, { descr: "'|f4'" })],
    ["a.npy", npy("(1,)", four, { descr: "[('a', '<f4')]" })],
    ["a.safetensors", safetensors({ a: tensor([1], 0, 4, "I32") }, four)],
    ["a.safetensors", safetensors({ a: tensor([1], 0, 4, "constructor") }, four)],
  ],
  shape: [
    ["a.npy", npy("(-1,)", four)],
    ["a.npy", npy("(1.5,)", four)],
    ["a.npy", npy("(1,,)", four)],
    ["a.npy", npy("(4294967296, 4294967296)", four)],
    ["a.npy", npy(`(${"9".repeat(400)},)`, four)],
    ["a.safetensors", safetensors({ a: tensor([-1], 0, 4) }, four)],
    ["a.safetensors", safetensors({ a: tensor([2 ** 32, 2 ** 32], 0, 4) }, four)],
  ],
  dimensions: [
    ["a.npy", npy("()", four)],
    ["a.npy", npy("(1, 1, 1)", four)],
    ["a.safetensors", safetensors({ a: tensor([1, 1, 1], 0, 4) }, four)],
  ],
  fortran: [["a.npy", npy("(2, 2)", Buffer.alloc(16), { fortran: "True" })]],
  tooLong: [["a.json", Buffer.alloc(2 ** 25 + 1, " ")]],
  noRow: [["a.safetensors", safetensors({ a: tensor([1], 0, 4, "I32"), b: tensor([1, 1, 1], 4, 8) }, Buffer.alloc(8))]],
  tensor: [
    ["a.safetensors", safetensors({ a: tensor([1], 0, 4) }, four), { tensor: "b" }],
    ["a.f32", four, { tensor: "logits" }],
  ],
  row: [
    ["a.npy", npy("(2, 2)", Buffer.alloc(16)), { row: "2" }],
    ["a.npy", npy("(2, 2)", Buffer.alloc(16)), { row: "-1" }],
    ["a.f32", four, { row: "1" }],
  ],
  entry: [
    ["a.json", Buffer.from("[1, null]")],
    ["a.json", Buffer.from("[[1, 2]]")],
  ],
  nan: [
    ["a.f32", singles(1, NaN)],
    ["a.npy", npy("(2,)", doubles(1, NaN), { descr: "'<f8'" })],
  ],
  infinite: [
    ["a.f32", singles(1, Infinity)],
    ["a.npy", npy("(1,)", Buffer.from([0x7c, 0]), { descr: "'>f2'" })],
  ],
  tooLarge: [
    ["a.npy", npy("(2,)", doubles(1, 1e300), { descr: "'<f8'" })],
    ["a.npy", npy("(1,)", doubles(-1e300), { descr: "'<f8'" })],
    ["a.json", Buffer.from("[1e39]")],
  ],
  masked: [["a.f32", singles(-Infinity, -Infinity)]],
};

test("whatever is wrong is told by its name, with what was found and what is allowed", async () => {
  const said = new Set();
  for (const [kind, files] of Object.entries(WRONG))
    for (const [name, bytes, options] of files) {
      const problem = await problemOf(name, bytes, options);
      assert.equal(problem?.kind, kind, `${name} ${bytes.subarray(0, 120).toString("latin1")}`);
      for (const [say, end] of [
        [zh, "。"],
        [en, "."],
      ]) {
        const sentence = say(problem);
        assert.ok(sentence.endsWith(end) && sentence.length < 300, sentence);
        assert.doesNotMatch(sentence, /undefined|\n/, sentence);
      }
      said.add(en(problem));
    }
  assert.ok(said.size > Object.keys(WRONG).length);
  assert.equal(zh({ kind: "nan", index: 7 }), "第 7 个（从 0 数）是 NaN。可用有限的数与 −∞。");
  assert.deepEqual(await problemOf("a.f32", singles(0, 1, NaN)), { kind: "nan", index: 2 });
  assert.deepEqual(await problemOf("a.json", Buffer.from("[0, 1e39]")), { kind: "tooLarge", index: 1, found: "1e+39" });
});

test("a JSON of four million escapes, and brackets 64 deep or within strings", async () => {
  const text = "\\n".repeat(4_000_000),
    deep = `{"logits":[1],"more":${"[".repeat(63)}${"]".repeat(63)}}`;
  assert.deepEqual(
    (await rowIn("a.json", Buffer.from(`{"more":"${text}","logits":[1,2]}`))).row,
    Float32Array.of(1, 2),
  );
  assert.deepEqual((await rowIn("a.json", Buffer.from(deep))).row, Float32Array.of(1));
  assert.deepEqual(
    (await rowIn("a.json", Buffer.from(`{"${"[".repeat(1000)}\\"[":1,"logits":[1]}`))).row,
    Float32Array.of(1),
  );
  assert.deepEqual(await problemOf("a.json", Buffer.from(`{"logits":[1],"a\\\\":1,"a\\\\":2}`)), {
    kind: "repeated",
    key: "a\\",
  });
});

test("control characters of names and values never reach a terminal", async () => {
  // C0, DEL, C1 (0x9b begins a sequence of its own), signs that turn the direction of text, and a lone half of a pair
  const bad = "\x1b[2J\x07\x00\x7f\u0085\u009b31m\u202e\u2066\u200f\u2028\ud800",
    name = `a${bad}b`,
    entry = tensor([1], 0, 4);
  const files = [
    ["a.safetensors", safetensors({ [name]: entry }, four), { tensor: "c" }],
    ["a.safetensors", safetensors({ [name]: { ...entry, dtype: bad } }, four)],
    ["a.safetensors", safetensors({ [name]: { ...entry, more: bad } }, four)],
    ["a.safetensors", safetensors({ [name]: tensor([1], 4, 8) }, four)],
    ["a.safetensors", safetensors({ __metadata__: { [name]: [bad] } }, four)],
    [
      "a.safetensors",
      safetensors(`{"a${bad.replace(/[\0-\x1f]/g, "")}":1,"a${bad.replace(/[\0-\x1f]/g, "")}":1}`, four),
    ],
    ["a.safetensors", safetensors(bad, four)],
    ["a.safetensors", safetensors({ a: entry }, four), { tensor: name }],
    ["a.json", Buffer.from(JSON.stringify([bad]))],
    ["a.npy", npy("(1,)", four, { descr: `'\x9b31m\x85'` })],
    ["a.npy", npy(`(1\x9b,)`, four)],
    [`${name}.pt`, four],
    ["a.f32", four, { row: name }],
  ];
  for (const [file, bytes, options] of files) {
    const problem = await problemOf(file, bytes, options);
    for (const say of [zh, en]) assert.doesNotMatch(say(problem), /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u, problem.kind);
  }
  const unreadable = { name: "a.f32", size: 4, read: () => Promise.reject(new Error(bad)) };
  await assert.rejects(openFile(unreadable), ({ problem }) => !/[\p{Cc}\p{Cf}]/u.test(en(problem)));
});

test("+inf in JSON is too large for a float, and Python's NaN is named", async () => {
  assert.deepEqual(await problemOf("a.json", Buffer.from("[1e400]")), { kind: "infinite", index: 0 });
  assert.deepEqual(await problemOf("a.json", Buffer.from("[0, -Infinity]")), {
    kind: "broken",
    format: "json",
    near: "-Infinity",
  });
});

test("what numpy and safetensors wrote and no row can be taken from", async () => {
  for (const [name, kind] of [
    ["fortran.npy", "fortran"],
    ["three.npy", "dimensions"],
    ["integers.npy", "dtype"],
    ["no-row.safetensors", "noRow"],
  ])
    assert.equal((await problemOf(name, fixture(name)))?.kind, kind);
  assert.equal(
    (await problemOf("three-types.safetensors", fixture("three-types.safetensors"), { tensor: "ids" }))?.kind,
    "dtype",
  );
  assert.equal(
    (await problemOf("three-types.safetensors", fixture("three-types.safetensors"), { tensor: "cube" }))?.kind,
    "dimensions",
  );
});

test("a file that cannot be read, or has changed meanwhile", async () => {
  const bytes = Buffer.alloc(8),
    rejected = { name: "a.f32", size: 8, read: () => Promise.reject(new Error("gone")) };
  await assert.rejects(openFile(rejected), ({ problem }) => problem.kind === "unreadable" && problem.found === "gone");
  const shorter = { name: "a.f32", size: 8, read: async from => new Uint8Array(bytes.subarray(from, from + 3)) };
  await assert.rejects(openFile(shorter), ({ problem }) => problem.kind === "truncated");
});

test("random changes to a file never throw anything but our error", async () => {
  const files = readdirSync(FOLDER)
    .filter(name => name !== "files.json")
    .map(name => [name, fixture(name)]);
  files.push(["a.json", Buffer.from('{"logits":[1,2.5,-3e-7],"model":"x"}')], ["a.f32", singles(1, 2, 3)]);
  const change = fc.record({
    at: fc.nat(400),
    byte: fc.nat(255),
    how: fc.constantFrom("set", "insert", "delete", "cut"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(4),
      async ([name, bytes], changes, row) => {
        let list = [...bytes];
        for (const { at, byte, how } of changes) {
          if (how === "cut") list = list.slice(0, at);
          else list.splice(at, how === "insert" ? 0 : 1, ...(how === "delete" ? [] : [byte]));
        }
        try {
          const tensors = (await open(name, Buffer.from(list))).tensors.filter(({ problem }) => !problem);
          for (const each of tensors) {
            const { row: found } = await rowOf(each, String(row));
            assert.ok(
              found.length === each.columns &&
                found.length <= 2 ** 20 &&
                !found.some(x => Number.isNaN(x) || x === Infinity),
            );
          }
        } catch (error) {
          if (error.name !== "FileError") throw error;
          assert.ok(zh(error.problem) && en(error.problem));
        }
      },
    ),
    { numRuns: 2000, seed: 8 },
  );
});
