// What candle's own LogitsProcessor drew, against the engine: probabilities, order of candidates, tokens, refusals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readRow, readVectors } from "./support.mjs";

const ENGINE = "candle";

// ---- Reading -----------------------------------------------------------------------------------------------------

const named = { "-inf": -Infinity, inf: Infinity, nan: NaN, "-0": -0 };
const numberOf = value => (typeof value === "string" ? named[value] : value);
const rowOf = logits => Float32Array.from(logits, numberOf);
const realRow = file => readRow(file.replace(/^logits\//, ""));

/** candle's Sampling, or the arguments of `new`, as the engine is asked for it. */
function optionsOf({ type, temperature, k, p }) {
  const given = Object.entries({ temperature, top_k: k, top_p: p }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const settings = Object.fromEntries(given.map(([name, value]) => [name, numberOf(value)]));
  const variants = { new: ["new"], GumbelSoftmax: ["gumbel"] }[type] ?? [];
  return { settings, variants, settingsOnly: true };
}

const run = (core, row, sampling) => api.engine(core, ENGINE, row, optionsOf(sampling));
const code = (found, call) => assert.throws(call, error => error.code === found, `it should say ${found}`);

// ---- Comparing ---------------------------------------------------------------------------------------------------

/** One word for a draw, also with one candidate; none for ArgMax, which takes no number. */
function checkStream(core, result, n, seed, ids) {
  assert.equal(result.refusal, "");
  const drawn = api.draw(core, result, n, api.seeded(core, "chacha12", seed), ids.length);
  assert.deepEqual([...drawn.ids], ids, `seed ${seed}`);
  assert.equal(drawn.rng.words, result.drawing === "greedy" ? 0 : ids.length);
}

/** Within an ulp: expf of glibc is not always the nearest float, ours is. Of 14,350 values 3 are another float. */
function checkProbabilities(result, values) {
  assert.deepEqual(
    [...result.kept],
    values.map((_, id) => id),
  );
  values.forEach((value, id) => {
    const want = Math.fround(numberOf(value));
    assert.ok(
      Math.abs(result.weights[id] - want) <= want * 2 ** -23 + 2 ** -149,
      `p[${id}] is ${result.weights[id]}, want ${want}`,
    );
  });
}

/** A file of rows, settings and what came of them. */
function checkFile(file, rowFor, modules) {
  const data = readVectors(`candle/${file}.json`);
  for (const name of Object.keys(data.vectors ?? data.logit_files))
    test(`${file}: ${name}`, () => {
      const row = rowFor(data, name),
        mine = list => list.filter(({ v }) => v === name);
      for (const core of modules) {
        for (const { temperature, values } of mine(data.probs))
          if (values) checkProbabilities(run(core, row, { type: "All", temperature }), values);
        for (const { temperature, k, ids } of mine(data.topk_order))
          assert.deepEqual([...run(core, row, { type: "TopK", temperature, k }).kept], ids, `order of k ${k}`);
        const results = new Map(mine(data.streams).map(({ s }) => [s, run(core, row, data.settings[s])]));
        for (const { s, seed, ids } of mine(data.streams)) checkStream(core, results.get(s), row.length, seed, ids);
      }
    });
}

checkFile("small", ({ vectors }, name) => rowOf(vectors[name]), Object.values(cores));
checkFile("topk-adversarial", ({ vectors }, name) => rowOf(vectors[name]), Object.values(cores));
checkFile("real-c", ({ logit_files }, name) => realRow(logit_files[name]), [cores.simd]);

// ---- Edges -------------------------------------------------------------------------------------------------------

/** Rows that no engine takes: the code at the door. */
function refusedRow(row) {
  if (row.length === 0) return "ERR_EMPTY";
  if (row.some(Number.isNaN)) return "ERR_NAN";
  if (row.includes(Infinity)) return "ERR_INF";
  return row.every(x => x === -Infinity) ? "ERR_MASKED" : "";
}

/** The first line of the error text; GumbelSoftmax at work has one of ours, because nothing repeats its ids. */
function checkEdge(core, { logits, logits_file, sampling, seed, ids, error, note }) {
  const row = logits_file ? realRow(logits_file) : rowOf(logits),
    refused = refusedRow(row);
  if (refused) return code(refused, () => run(core, row, sampling));
  const result = run(core, row, sampling);
  if (note?.startsWith("not reproducible")) assert.match(result.refusal, /noise from the device/);
  else if (error) assert.equal(result.refusal, error);
  else checkStream(core, result, row.length, seed, ids);
}

/** Settings that are not finite: candle takes them, and the cases say what it does then; engines refuse
    them at the door. */
const isFinite = ({ temperature, p }) => [temperature, p].every(value => typeof value !== "string");
const half = api.penalised(cores.simd, ENGINE, Float32Array.of(1, 0), {
  settings: { repetition_penalty: 2 },
  context: [0],
});
const waiting = half[0] === 0.5 ? false : "no engine checks its settings or penalises yet";

for (const [module, core] of Object.entries(cores)) {
  for (const item of readVectors("candle/edge.json").edge)
    if (isFinite(item.sampling)) test(`edge, ${module}: ${item.id}`, () => checkEdge(core, item));
    else
      test(`edge, ${module}: ${item.id}`, { skip: waiting }, () =>
        code("ERR_PARAM", () => run(core, rowOf(item.logits), item.sampling)),
      );
  test(`streams-a, ${module}`, () => {
    const cases = readVectors("candle/streams-a.json").cases.filter(
      ({ sampling, logits_file }) => sampling && !(logits_file && module === "scalar"),
    );
    assert.ok(cases.length > 0);
    for (const item of cases) checkEdge(core, item);
  });
}

// ---- Penalties ---------------------------------------------------------------------------------------------------

// vectors.engines.test.mjs reads repeat-penalty.json; here are those of real rows and contexts.

function penalise(file, context, settings, changed) {
  const row = realRow(file),
    want = row.slice();
  for (const [id, x] of changed) want[id] = x;
  assert.deepEqual(api.penalised(cores.simd, ENGINE, row, { settings, context }), want);
}

const repeated = readVectors("candle/streams-a.json").cases.filter(each => each.repeat_penalty);
for (const { id, logits_file, repeat_penalty, context, changed } of repeated)
  test(`penalty: ${id} of ${logits_file}`, { skip: waiting }, () =>
    penalise(logits_file, context, { repetition_penalty: repeat_penalty }, changed),
  );

test("the last 64 of a context of 98", { skip: waiting }, () => {
  const [whole, last] = ["rep", "rep-last64"].map(kind =>
    repeated.find(({ id, logits_file }) => id === kind && logits_file === "logits/a/05.f32"),
  );
  penalise("logits/a/05.f32", whole.context, { repetition_penalty: 1.3, repeat_last_n: 64 }, last.changed);
});

// ---- Generator ---------------------------------------------------------------------------------------------------

/** The first words of a seed, through the plain exports as any host would call them. */
function words({ call, memory, abi }, seed, count) {
  const { bytes } = api.seeded({ call, memory, abi }, "chacha12", seed),
    mark = call.smp_arena_mark(),
    at = call.smp_arena_take(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const found = Array.from({ length: count }, () => call.smp_rng_next(at) >>> 0);
  call.smp_arena_release(mark);
  return found;
}

/** rand 0.9.5 of seeds that a float, 32 bits or a double would lose. */
const LONG_SEEDS = {
  4294967296: [231747447, 3459744477, 2330557264, 3966146518],
  "9007199254740993": [1629981883, 1477476459, 340325329, 3232871096],
  "18446744073709551615": [775774136, 262641736, 1091716766, 171143348],
};

for (const [module, core] of Object.entries(cores)) {
  test(`StdRng, ${module}`, () => {
    const weighted = "weighted_index_f32[0,.5,.3,0,.2]",
      five = { refusal: "", drawing: "weighted-index", kept: [0, 1, 2, 3, 4], weights: [0, 0.5, 0.3, 0, 0.2] };
    for (const { seed, u32, [weighted]: ids } of readVectors("rng/rust_stdrng.json").seeds) {
      assert.deepEqual(words(core, seed, u32.length), u32, `seed ${seed}`);
      checkStream(core, five, 5, seed, ids);
    }
    for (const [seed, want] of Object.entries(LONG_SEEDS)) assert.deepEqual(words(core, seed, 4), want, `seed ${seed}`);
  });
}

// ---- What the vectors do not hold ----------------------------------------------------------------------------------

const core = cores.simd,
  t07 = { temperature: 0.7 };
const rounded = (logits, sampling) => run(core, Float32Array.from(logits), { temperature: 1, ...sampling }).by_rounding;

test("the record of the chapter: [3, 2, 2, 1], k 2, seed 42, 10,000 draws", () => {
  const { ids, rng } = api.draw(
    core,
    run(core, Float32Array.of(3, 2, 2, 1), { k: 2, temperature: 1 }),
    4,
    api.seeded(core, "chacha12", "42"),
    10_000,
  );
  assert.deepEqual(
    [0, 1, 2, 3].map(id => ids.filter(drawn => drawn === id).length),
    [7349, 2651, 0, 0],
  );
  assert.equal(rng.words, 10_000);
});

test("kept of a real row at 0.7: all 49,152; 40; 14 of all; 14 of 40", () => {
  const kept = [{}, { k: 40 }, { p: 0.9 }, { k: 40, p: 0.9 }].map(each =>
    run(core, realRow("logits/a/00.f32"), { ...t07, ...each }),
  );
  assert.deepEqual(
    kept.map(each => each.kept.length),
    [49152, 40, 14, 14],
  );
  assert.deepEqual(
    [...kept[3].kept].sort((a, b) => a - b),
    [...kept[2].kept],
  );
  assert.deepEqual(
    kept.map(each => each.by_rounding),
    [false, false, false, false],
  );
});

test("one candidate costs a word, ArgMax none", () => {
  checkStream(core, run(core, Float32Array.of(7), { temperature: 1 }), 1, "0", [0]);
  assert.equal(run(core, Float32Array.of(7), {}).drawing, "greedy");
});

test("ArgMax: no temperature, or greedy, whatever else is set", () => {
  const row = Float32Array.of(1, 3, -0, 3),
    greedy = { settings: { greedy: true, temperature: 0, top_k: 3, top_p: 0.5 } };
  for (const options of [{}, { settings: { top_k: 2 } }, greedy, { ...greedy, variants: ["gumbel"] }]) {
    const { kept, weights, drawing } = api.engine(core, ENGINE, row, options);
    assert.deepEqual([[...kept], [...weights], drawing], [[1], [1], "greedy"]);
  }
});

test("top-k and the constructor that has none; a top-k below 0", () => {
  const refusal = (settings, variants) =>
    api.engine(core, ENGINE, Float32Array.of(1, 2), { settings, variants }).refusal;
  assert.match(refusal({ top_k: 1, temperature: 1 }, ["new"]), /takes no top_k/);
  assert.match(refusal({ top_k: -1, temperature: 1 }), /usize/);
});

test("a top-p that is 0 as a float removes everything, but not after a top-k that cuts", () => {
  const row = Float32Array.of(1, 2, 3),
    p = 1e-60; // (float)p is 0, p is not
  assert.equal(run(core, row, { temperature: 1, p }).refusal, "Not enough weights > zero");
  assert.deepEqual([...run(core, row, { temperature: 1, p, k: 2 }).kept], [2, 1]);
});

/** TopP as candle writes it: a stable sort of all, and the sum compared before each is added. */
function clamped(weights, p) {
  const order = Array.from(weights, (_, id) => id).sort((a, b) => weights[b] - weights[a] || a - b),
    kept = [];
  for (let i = 0, sum = 0; i < order.length && !(sum >= Math.fround(p)); i++) {
    kept.push(order[i]);
    sum = Math.fround(sum + weights[order[i]]);
  }
  return kept.sort((a, b) => a - b);
}

test("top-p of long rows with ties keeps what a stable sort of all keeps", () => {
  for (const values of [2, 7, 100, 5000])
    for (const n of [63, 64, 65, 300, 5000]) {
      const row = Float32Array.from(
        { length: n },
        (_, i) => (-(Math.imul(i + 1, 2654435761) >>> 8) % values) / (values > 7 ? 8 : 40),
      );
      const { weights } = run(core, row, { temperature: 1 });
      for (const p of [0.01, 0.3, 0.5, 0.9, 0.999, 0.9999999])
        assert.deepEqual(
          [...run(core, row, { temperature: 1, p }).kept],
          clamped(weights, p),
          `${values} values, n ${n}, p ${p}`,
        );
    }
});

test("by_rounding: a sum within 4 ulp of p, or different logits of one probability on both sides of k", () => {
  assert.ok(rounded([0, 0, 0, 0], { p: 0.5 }));
  assert.ok(rounded([0, 0, 0, 0], { p: 0.5 + 2 ** -22 }));
  assert.ok(!rounded([0, 0, 0, 0], { p: 0.5 + 2 ** -21 }));
  assert.ok(!rounded([0, 0, 0, 0], { p: 0.6 }));
  assert.ok(!rounded([0, 0, 0, 0], { p: 1 - 2 ** -24 })); // nothing is left to remove
  assert.ok(rounded([0, 0, 0, 0, -1e4], { k: 4, p: 0.75 }));
  assert.ok(rounded([1 + 2 ** -23, 1], { k: 1 }));
  assert.ok(rounded([0, -200, -300], { k: 2 })); // both are 0
  assert.ok(rounded([1, 1 + 2 ** -23], { k: 1, temperature: -1 }));
  assert.ok(!rounded([1, 1, 1], { k: 2 })); // the order of ties is no rounding
  assert.ok(!rounded([3, 2, 2, 1], { k: 2 }));
});
