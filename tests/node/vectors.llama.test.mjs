// What llama.cpp's samplers left and drew, against the engine: arrays in their order, logits, probabilities, streams.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readRow, readVectors } from "./support.mjs";

const named = { "-inf": -Infinity, inf: Infinity, nan: NaN, "-0": -0 };
const numberOf = value => Math.fround(typeof value === "string" ? named[value] : value);
const rowOf = values => Float32Array.from(values, numberOf);

// ---- Comparing ---------------------------------------------------------------------------------------------------

const bitsOf = values => Array.from(new Int32Array(Float32Array.from(values).buffer));

/** Floats, to the bit; -0 is not 0. */
const sameFloats = (found, want, what) => assert.deepEqual(bitsOf(found), bitsOf(want.map(numberOf)), what);

function withinOneUlp(found, want, what) {
  const [a, b] = [bitsOf(found), bitsOf(want.map(numberOf))]; // none is negative: neighbours differ by 1
  assert.equal(a.length, b.length, what);
  a.forEach((bits, i) => assert.ok(Math.abs(bits - b[i]) <= 1, `${what} ${i} is ${found[i]}, want ${want[i]}`));
}

/** What dist makes of the array: the weights over their sum in double. */
function probabilitiesOf({ kept, weights }, { ids }) {
  const sum = weights.reduce((total, weight) => total + weight, 0),
    of = new Map(Array.from(kept, (id, i) => [id, weights[i] / sum]));
  return Float32Array.from(ids, id => of.get(id) ?? 0);
}

/** CRC-32 of the bytes. */
function crcOf(values) {
  let crc = -1;
  for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

// ---- Running -----------------------------------------------------------------------------------------------------

/** Breakers are texts in the vectors; the ids that they are in the context stand beside. */
const samplersOf = ({ spec, dry_breaker_heads: heads }) =>
  spec.map(sampler => (sampler[0] === "dry" && heads ? [...sampler.slice(0, 5), heads] : sampler));

function checkArray(core, item, row) {
  const { spec, context, size, sorted, ids, logits, logits_out, p, p_softmax, selected_id, changed } = item;
  const result = api.engine(core, "llama.cpp", row, { samplers: samplersOf(item), context, array: true });
  assert.equal(result.refusal, "");
  if (selected_id !== undefined) {
    assert.deepEqual([result.drawing, ...result.kept], ["greedy", selected_id]);
    return;
  }
  const { array } = result;
  assert.equal(array.ids.length, size, "size");
  if (changed) {
    const after = array.logits.map((logit, i) => (logit === row[i] ? NaN : logit));
    const found = Array.from(array.ids).filter(id => !Number.isNaN(after[id]));
    assert.deepEqual(
      found,
      changed.map(([id]) => id),
    );
    sameFloats(
      found.map(id => after[id]),
      changed.map(([, logit]) => logit),
      "logits",
    );
    return;
  }
  assert.equal(array.sorted, sorted, "sorted");
  const shown = item.truncated ? ids.length : size,
    probabilities = probabilitiesOf(result, array);
  assert.deepEqual(Array.from(array.ids.slice(0, shown)), ids, "ids");
  sameFloats(array.logits.slice(0, shown), logits_out ?? logits, "logits");
  withinOneUlp(array.p.slice(0, shown), p ?? ids.map(() => 0), "p");
  withinOneUlp(probabilities.slice(0, shown), p_softmax, "p_softmax");
  // Not that of p_softmax: glibc's expf rounds 32 of the 49,152 exponentials of a00 at 0.7 to the other neighbour.
  if (item.truncated) assert.deepEqual([crcOf(array.ids), crcOf(array.logits)], [item.ids_crc32, item.logits_crc32]);
  assert.equal(
    spec.some(([name]) => name === "greedy"),
    false,
  );
}

function checkStream(core, item, row) {
  const { seed, ids, accept, sizes } = item,
    samplers = samplersOf(item);
  let rng = api.seeded(core, "mt19937-32", String(seed));
  if (!accept) {
    const drawn = api.drawFrom(core, "llama.cpp", row, { samplers }, rng, ids.length);
    assert.deepEqual(Array.from(drawn.ids), ids);
    assert.equal(drawn.rng.words, 2 * ids.length); // also where one candidate is left
    if (!sizes) return;
  }
  const context = [...(item.context ?? [])];
  let xtc;
  ids.forEach((id, i) => {
    const result = api.engine(core, "llama.cpp", row, { samplers, context, xtc, array: true });
    const drawn = api.draw(core, result, row.length, rng, 1);
    assert.deepEqual([result.array.ids.length, drawn.ids[0]], [sizes[i], id], `draw ${i}`);
    ({ rng } = drawn);
    ({ xtc } = result);
    if (accept) context.push(id);
  });
}

/** One test for each group of cases, on both modules. */
function testAll(what, items, check, rowFor) {
  for (const name of new Set(items.map(({ cfg }) => cfg)))
    test(`${what}: ${name}`, async t => {
      for (const item of items.filter(({ cfg }) => cfg === name))
        for (const [module, core] of Object.entries(cores))
          await t.test(`${item.v}, seed ${item.seed}, ${module}`, () => check(core, item, rowFor(item)));
    });
}

// ---- The vectors ---------------------------------------------------------------------------------------------------

const small = readVectors("llama.cpp/small.json"),
  smallRows = new Map(Object.entries(small.vectors).map(([name, values]) => [name, rowOf(values)]));
testAll("small arrays", small.apply, checkArray, ({ v }) => smallRows.get(v));
testAll("small streams", small.streams, checkStream, ({ v }) => smallRows.get(v));

const real = readVectors("llama.cpp/real-c.json"),
  realRows = new Map(
    Object.entries(real.logit_files).map(([name, file]) => [name, readRow(file.replace("logits/", ""))]),
  );
testAll("real arrays", real.apply, checkArray, ({ v }) => realRows.get(v));
testAll("real streams", real.streams, checkStream, ({ v }) => realRows.get(v));

const repeats = readVectors("llama.cpp/dry-penalties.json"),
  repeatRows = new Map(Object.entries(repeats.vectors).map(([name, values]) => [name, rowOf(values)]));
testAll("repetitions", repeats.apply, checkArray, ({ v }) => repeatRows.get(v));

const REFUSED = { nan: "ERR_NAN", pinf: "ERR_INF", all: "ERR_MASKED" };

for (const [name, core] of Object.entries(cores))
  test(`edges, ${name}`, async t => {
    for (const item of readVectors("llama.cpp/edge.json").edge)
      await t.test(item.id, () => {
        const row = rowOf(item.logits),
          code = REFUSED[/^(nan|pinf|all)_/.exec(item.id)?.[1]];
        if (code) assert.throws(() => api.engine(core, "llama.cpp", row, { samplers: samplersOf(item) }), { code });
        else if (item.ids_stream) checkStream(core, { ...item, seed: item.spec.at(-1)[1], ids: item.ids_stream }, row);
        else checkArray(core, item, row);
      });
  });

// ---- Settings ------------------------------------------------------------------------------------------------------

const ascending = list => Array.from(list).sort((a, b) => a - b);

for (const [name, core] of Object.entries(cores)) {
  const keptBy = (logits, settings, settingsOnly = true) =>
    ascending(api.engine(core, "llama.cpp", Float32Array.from(logits), { settings, settingsOnly }).kept);

  test(`without settings the chain is llama.cpp's own, ${name}`, () => {
    for (const [{ apply }, rows] of [
      [small, smallRows],
      [real, realRows],
    ])
      for (const { v, ids, p_softmax } of apply.filter(({ cfg }) => cfg === "default_chain")) {
        const result = api.engine(core, "llama.cpp", rows.get(v));
        assert.deepEqual(
          Array.from(result.kept.slice(0, ids.length)),
          ids.filter((_, i) => p_softmax[i] > 0),
          v,
        );
        withinOneUlp(probabilitiesOf(result, { ids }), p_softmax, v);
      }
  });

  test(`a setting alone is the sampler alone, ${name}`, () => {
    const row = smallRows.get("n1000");
    for (const [settings, sampler] of [
      [{ top_k: 40 }, ["top_k", 40]],
      [{ top_k: 0 }, ["top_k", 0]],
      [{ top_p: 0.9 }, ["top_p", 0.9, 0]],
      [{ min_p: 0.05 }, ["min_p", 0.05, 0]],
      [{ typical_p: 0.9 }, ["typical", 0.9, 0]],
      [{ temperature: 0.7 }, ["temp", 0.7]],
      [{ temperature: 0 }, ["temp", 0]],
      [{ greedy: true }, ["greedy"]],
    ])
      assert.deepEqual(
        api.engine(core, "llama.cpp", row, { settings, settingsOnly: true }),
        api.engine(core, "llama.cpp", row, { samplers: [sampler] }),
        sampler[0],
      );
  });

  test(`temperature comes last: what transformers would not keep, ${name}`, () => {
    assert.deepEqual(keptBy([3, 2, 1], { temperature: 0.5, top_p: 0.8 }), [0, 1]);
    assert.deepEqual(keptBy([4, 2, 1, 0], { temperature: 2, min_p: 0.1 }), [0, 1]);
  });

  test(`by_rounding where a sum or a logit meets its threshold, ${name}`, () => {
    const byRounding = (logits, ...samplers) =>
      api.engine(core, "llama.cpp", Float32Array.from(logits), { samplers }).by_rounding;
    assert.equal(byRounding([0, 0, 0, 0], ["top_p", 0.5, 0]), true); // 0.25 + 0.25 is the threshold
    assert.equal(byRounding([0, 0, 0, 0], ["top_p", 0.75 + 2 ** -22, 0]), true); // the sum before the cut is 0.75
    assert.equal(byRounding([0, 0, 0, 0], ["top_p", 0.6, 0]), false);
    assert.equal(byRounding([0, Math.log(0.05)], ["min_p", 0.05, 0]), true);
    assert.equal(byRounding([3, 3 + Math.log(0.05)], ["min_p", 0.05, 0]), true);
    assert.equal(byRounding([0, -3.001, -2.99], ["min_p", 0.05, 0]), false);
    assert.equal(byRounding([1, 1], ["min_p", 1, 0]), false); // equal to the largest, whatever the arithmetic
  });
}

// ---- Refusals ------------------------------------------------------------------------------------------------------

const core = cores.simd,
  three = Float32Array.of(3, 2, 1);
const runs = options => api.engine(core, "llama.cpp", three, options);
const refuses = (samplers, param, index, options) =>
  assert.throws(
    () => runs({ samplers, ...options }),
    ({ code, where, message }) =>
      code === "ERR_PARAM" && where.param === param && where.index === index && /allowed|: /.test(message),
  );

test("a seed has 32 bits, and the highest is no seed", () => {
  const xtc = seed => runs({ samplers: [["xtc", 0.5, 0.1, 1, seed]] });
  for (const seed of ["0", "4294967294"]) {
    api.seeded(core, "mt19937-32", seed);
    xtc(Number(seed));
  }
  for (const seed of ["4294967295", "4294967296", "9007199254740993", "18446744073709551615"])
    assert.throws(() => api.seeded(core, "mt19937-32", seed), {
      code: "ERR_PARAM",
      message: /seed.*4294967294.*random/,
    });
  for (const seed of [4294967295, 4294967296, -1, 0.5])
    assert.throws(() => xtc(seed), { code: "ERR_PARAM", message: /seed/ });
});

test("a sampler that is not one, or has other numbers", () => {
  refuses([["top_q", 1]], "samplers", 0);
  refuses(
    [
      ["top_k", 1],
      ["top_p", 0.5],
    ],
    "top_p",
    1,
  );
  for (const none of [3, null, "top_k"])
    assert.throws(() => runs({ samplers: none }), { code: "ERR_PARAM", message: /samplers/ });
  for (const none of [3, null, [], [3]]) refuses([none], "samplers", 0);
  refuses(["top_k"], "top_k", 0);
  refuses([["top_k"]], "top_k", 0);
  refuses([["greedy", 1]], "greedy", 0);
  for (const k of [1.5, NaN, 2 ** 31, -(2 ** 31) - 1]) refuses([["top_k", k]], "top_k", 0);
  for (const kind of ["top_p", "min_p", "typical"]) {
    for (const p of [NaN, Infinity, 1e39])
      refuses(
        [
          ["temp", 1],
          [kind, p, 0],
        ],
        kind,
        1,
      );
    for (const minKeep of [-1, 0.5, 2 ** 31])
      refuses(
        [
          ["temp", 1],
          [kind, 0.5, minKeep],
        ],
        kind,
        1,
      );
  }
  refuses([["temp", NaN]], "temp", 0);
  refuses([["temp_ext", 1, NaN, 1]], "temp_ext", 0);
  refuses([["top_n_sigma", Infinity]], "top_n_sigma", 0);
  refuses([["xtc", 0.5, 0.1, -1, 42]], "xtc", 0);
  for (const repeat of [0, -1, 1e-46, Infinity]) refuses([["penalties", 64, repeat, 0, 0]], "penalties", 0);
  refuses([["dry", 1, 1.5, -1, 64, []]], "dry", 0);
});

test("breakers are ids of the row, and the window has an end", () => {
  for (const id of [3, -1, 0.5, "\n"]) refuses([["dry", 1, 1.5, 2, 64, [id]]], "dry", 0);
  refuses([["dry", 1, 1.5, 2, 64, 3]], "dry", 0);
  runs({ samplers: [["dry", 0, 1.5, 2, 64, ["\n", ":"]]] });
  const context = new Uint32Array(16385);
  runs({ samplers: [["dry", 1, 1.5, 2, 16384, []]], context });
  refuses([["dry", 1, 1.5, 2, 16385, []]], "dry", 0, { context });
});

test("samplers are only for llama.cpp, at most 64, without settings, greedy and dist last", () => {
  refuses([["greedy"], ["temp", 1]], "samplers", 0);
  refuses(
    [
      ["temp", 1],
      ["dist", 1],
      ["temp", 1],
    ],
    "samplers",
    1,
  );
  refuses(Array(65).fill(["temp", 1]), "samplers", 0);
  runs({ samplers: Array(64).fill(["temp", 1]) });
  refuses([["temp", 1]], "samplers", 0, { settings: { temperature: 1 } });
  assert.throws(() => api.engine(core, "candle", three, { samplers: [] }), { code: "ERR_PARAM", message: /samplers/ });
  assert.throws(() => api.engine(core, "candle", three, { array: true }), { code: "ERR_PARAM", message: /^array/ });
  for (const draws of [0, 0.5, 2 ** 20 + 1])
    assert.throws(
      () =>
        api.drawFrom(
          core,
          "llama.cpp",
          three,
          { samplers: [["xtc", 1, 0.1, 1, 42]] },
          api.seeded(core, "mt19937-32", "1"),
          draws,
        ),
      { code: "ERR_PARAM", message: /draws/ },
    );
});

// Where llama.cpp draws the last candidate, because no comparison with NaN holds.
test("probabilities that become NaN are refused", () => {
  const refusal = (samplers, context) =>
    api.engine(core, "llama.cpp", Float32Array.of(3e38, 2, -Infinity), { samplers, context }).refusal;
  assert.equal(refusal([["temp", 0.5]]), "probabilities are NaN");
  assert.equal(refusal([["penalties", 64, 0.5, 0, 0]], [0]), "probabilities are NaN");
  assert.equal(refusal([["penalties", 64, 1, -3e38, 0]], [2, 2]), "probabilities are NaN"); // -inf + inf
  assert.equal(refusal([["xtc", 1, 0, 1, 42]]), "probabilities are NaN"); // only -inf is left
  assert.equal(refusal([["temp", 2]]), "");
  const { ids, result } = api.drawFrom(
    core,
    "llama.cpp",
    three,
    { samplers: [["temp", 1e-39]] },
    api.seeded(core, "mt19937-32", "1"),
    5,
  );
  assert.deepEqual([ids.length, result.refusal], [0, "probabilities are NaN"]);
});
