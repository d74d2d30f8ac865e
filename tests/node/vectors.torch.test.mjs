// What transformers 5.22 on torch 2.15 kept, drew and refused, against the engine: sets, bits of probabilities, ids.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readRow, readVectors } from "./support.mjs";

const ENGINE = "transformers";
const both = Object.values(cores);

// ---- Reading -----------------------------------------------------------------------------------------------------

const named = { "-inf": -Infinity, inf: Infinity, nan: NaN };
const numberOf = value => (typeof value === "string" ? named[value] : value);
const range = n => Array.from({ length: n }, (_, i) => i);

/** Floats as concatenated big-endian hex bit patterns. */
function floatsOf(hex) {
  const view = new DataView(new ArrayBuffer(hex.length / 2));
  for (let i = 0; i < hex.length; i += 8) view.setUint32(i / 2, parseInt(hex.slice(i, i + 8), 16));
  return Float32Array.from({ length: hex.length / 8 }, (_, i) => view.getFloat32(4 * i));
}

const rowOf = ({ logits, logits_file }) =>
  logits_file ? readRow(logits_file.replace(/^logits\//, "")) : Float32Array.from(logits, numberOf);

const run = (core, row, settings, context = [], variants = []) =>
  api.engine(core, ENGINE, row, { settings, context, settingsOnly: true, variants });
const drawn = (core, result, n, seed, draws) => api.draw(core, result, n, api.seeded(core, "mt19937", seed), draws);

// ---- Comparing ---------------------------------------------------------------------------------------------------

/** torch's probabilities to the last bit. */
function checkWeights(result, ids, probs) {
  const weight = new Map([...result.kept].map((id, j) => [id, result.weights[j]]));
  ids.forEach((id, i) => assert.equal(weight.get(id), Math.fround(probs[i]), `the probability of ${id}`));
}

/** Two words for every entry of the row, whatever is kept of it. */
function checkStreams(core, result, n, streams) {
  for (const { seed, ids } of streams) {
    const { ids: found, rng } = drawn(core, result, n, seed, ids.length);
    assert.deepEqual([...found], ids, `seed ${seed}`);
    assert.equal(rng.words, 2 * n * ids.length);
  }
}

// ---- small.json and real.json --------------------------------------------------------------------------------------

function checkCase(core, { chain, context, n_kept, kept, probs, top_ids, top_probs, torch_streams = [], ...item }) {
  const row = rowOf(item),
    settings = Object.fromEntries(chain),
    result = run(core, row, settings, context);
  assert.equal(result.refusal, "");
  assert.equal(result.drawing, "race");
  if (settings.top_p === 1) {
    // the processor, made by hand, removes what is 0; `generate` does not make it
    assert.deepEqual(
      [...result.kept].filter((_, j) => result.weights[j] > 0),
      kept,
    );
    assert.equal(result.kept.length, row.filter(x => x > -Infinity).length);
  } else if (kept) assert.deepEqual([...result.kept], kept);
  else assert.equal(result.kept.length, n_kept);
  checkWeights(result, kept ?? top_ids, probs ?? top_probs);
  checkStreams(core, result, row.length, torch_streams);
}

for (const [file, modules] of [
  ["small", both],
  ["real", [cores.simd]],
])
  for (const item of readVectors(`transformers/${file}.json`).cases.filter(({ error }) => !error))
    test(`${file}: ${item.id}`, () => modules.forEach(core => checkCase(core, item)));

// ---- settings.json and masks.json: equals as std::sort leaves them ---------------------------------------------------

const settingsFile = readVectors("transformers/settings.json");

for (const [name, setting] of Object.entries(settingsFile.settings))
  test(`settings: ${name}`, () => {
    for (const core of both)
      for (const { name: row, logits, ctx, r } of settingsFile.cases) {
        const want = r[name];
        if (!want) continue;
        if (want.probs === "nan") {
          // scores that overflow, which torch finds in the end: by the penalty alone they are refused at the door
          if (setting.temperature)
            assert.equal(
              run(core, floatsOf(logits), setting, ctx).refusal,
              "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
            );
          else
            assert.throws(
              () => run(core, floatsOf(logits), setting, ctx),
              error => error.code === "ERR_PARAM" && error.where.param === "repetition_penalty",
            );
          continue;
        }
        const result = run(core, floatsOf(logits), setting, ctx);
        assert.deepEqual([...result.kept], want.kept, row);
        assert.deepEqual(result.weights, floatsOf(want.probs), row);
      }
  });

for (const spot of readVectors("transformers/masks.json").cases.filter(({ what }) => what === "spot"))
  test(`masks: ${spot.name}`, () => {
    const result = run(cores.simd, floatsOf(spot.in), spot.kw);
    assert.deepEqual([...result.kept], spot.kept);
    assert.deepEqual(result.weights, floatsOf(spot.probs));
  });

// ---- Refusals ------------------------------------------------------------------------------------------------------

const row = Float32Array.of(1, 2, 3, 4, 5);
const refusal = settings => api.engine(cores.simd, ENGINE, row, { settings }).refusal;
const typeChecked = ["temperature", "repetition_penalty"]; // JSON does not tell 1 from 1.0, which these two refuse

const CLASSES = {
  TemperatureLogitsWarper: "temperature",
  RepetitionPenaltyLogitsProcessor: "repetition_penalty",
  TopKLogitsWarper: "top_k",
  TopPLogitsWarper: "top_p",
  MinPLogitsWarper: "min_p",
  TypicalLogitsWarper: "typical_p",
  EpsilonLogitsWarper: "epsilon_cutoff",
  EtaLogitsWarper: "eta_cutoff",
  TopHLogitsWarper: "top_h",
};
const SHORT = { rep: "repetition_penalty", typ: "typical_p", eps: "epsilon_cutoff" };

/** Values with which `generate` makes no warper, so that none can refuse them. */
const OFF = {
  top_k: k => k === 0,
  top_p: p => p >= 1,
  typical_p: p => p >= 1,
  epsilon_cutoff: e => !(e > 0 && e < 1),
  eta_cutoff: e => !(e > 0 && e < 1),
};

function checkRefusal(name, text, { ok, type, message }) {
  const value = Number(text),
    found = refusal({ [name]: value });
  if (ok || OFF[name]?.(value)) assert.ok(!found.startsWith("ValueError"), found);
  else assert.equal(found, `${type}: ${message}`);
}

const NUMBER = "-?[\\d.]+(?:e-?\\d+)?";
for (const item of readVectors("transformers/errors.json").cases) {
  const found = item.call.match(new RegExp(`^(\\w+)\\((${NUMBER})\\)$|do_sample=True.*\\{'(\\w+)': (${NUMBER})\\}`));
  const name = CLASSES[found?.[1]] ?? found?.[3],
    value = found?.[2] ?? found?.[4];
  if (!Object.values(CLASSES).includes(name) || item.where === "GenerationConfig") continue; // that one refuses nothing
  if (typeChecked.includes(name) && Number.isInteger(Number(value)) && !value.includes(".")) continue;
  if (name === "top_k" && value.includes(".")) continue; // a whole number here
  test(`errors: ${item.call}`, () => checkRefusal(name, value, item));
}

for (const { id, error } of readVectors("transformers/small.json").cases.filter(({ error }) => error)) {
  const [, rest, value] = id.match(/^ctor-(.*?)(-?[\d.]+)$/) ?? [];
  if (rest) test(`small: ${id}`, () => checkRefusal(SHORT[rest] ?? rest, value, error));
}

test("rows that multinomial refuses are refused at the door", () => {
  const codes = { nan: "ERR_NAN", plusinf: "ERR_INF", allneginf: "ERR_MASKED" };
  const rows = { nan: [NaN, 1, 2], plusinf: [Infinity, 1], allneginf: [-Infinity, -Infinity, -Infinity] };
  for (const [name, code] of Object.entries(codes))
    assert.throws(
      () => api.engine(cores.simd, ENGINE, Float32Array.from(rows[name])),
      error => error.code === code,
    );
});

test("values are printed as Python prints them", () => {
  const said = value => refusal({ temperature: value }).match(/\(=(.*?)\)/)[1];
  assert.deepEqual([0, -0, -1, -0.1, -1e-5, -0.0001, -1e16, -1e15, -1.5e-7, -1e100].map(said), [
    "0.0",
    "-0.0",
    "-1.0",
    "-0.1",
    "-1e-05",
    "-0.0001",
    "-1e+16",
    "-1000000000000000.0",
    "-1.5e-07",
    "-1e+100",
  ]);
});

test("a temperature that torch's float takes for 0 ends in multinomial", () => {
  assert.match(refusal({ temperature: 1e-300 }), /^RuntimeError: probability tensor/);
});

test("without sampling only the penalty can be refused, and the first largest is taken without a word", () => {
  const result = api.engine(cores.simd, ENGINE, Float32Array.of(1, 3, 3), {
    settings: { greedy: true, temperature: 0, top_k: -1 },
  });
  const { ids, rng } = drawn(cores.simd, result, 3, "42", 2);
  assert.deepEqual([result.drawing, [...result.kept], [...ids], rng.words], ["greedy", [1], [1, 1], 0]);
  assert.match(refusal({ greedy: true, repetition_penalty: 0 }), /^ValueError: `penalty`/);
});

// ---- streams.json: both generators of torch --------------------------------------------------------------------------

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VARIANTS = {
  default: {
    loop_f32: ["race", n => 2 * n],
    batch200_f32: ["race", n => 2 * n],
    replacement_f32: ["replacement", () => 2],
  },
  mkl_mcg31: {
    loop_f32: ["race-mkl", () => 1],
    batch200_f32: ["batch-mkl", () => 0],
    replacement_f32: ["replacement", () => 2],
  },
};

for (const item of readVectors("torch/streams.json").cases)
  test(`streams: ${item.name}, ${item.setting}`, () => {
    const p = floatsOf(item.p),
      kept = Uint32Array.from(range(item.n).filter(i => p[i] > 0)),
      weights = p.filter(x => x > 0);
    for (const [variant, ways] of Object.entries(VARIANTS))
      for (const [seed, streams] of Object.entries(item[variant]))
        for (const [way, [drawing, words]] of Object.entries(ways)) {
          if (!streams[way]) continue;
          const draws = streams[way].length,
            { ids, rng } = drawn(cores.simd, { drawing, kept, weights }, item.n, seed, draws);
          assert.equal([...ids].map(id => LETTERS[id]).join(""), streams[way], `${variant}, seed ${seed}, ${way}`);
          assert.equal(rng.words, drawing === "batch-mkl" ? 1 : words(item.n) * draws);
        }
  });

// ---- seed2718.json: the chapter's record -------------------------------------------------------------------------------

const record = readVectors("torch/seed2718.json");
const WAYS = {
  "loop multinomial(p,1) x1000": [],
  "multinomial(p,1000,replacement=True)": ["replacement"],
  "multinomial(p.repeat(1000,1),1)": ["batch"],
};

for (const [generator, variant] of [
  ["default", []],
  ["mkl_mcg31", ["torch-mkl"]],
])
  for (const [key, counts] of Object.entries(record[generator])) {
    const [type, rows, way] = key.split(" | ");
    if (type !== "float32") continue;
    test(`seed 2718, ${generator}: ${rows}, ${way}`, () => {
      // rows of two are the two survivors alone, in id order or the greater first
      const logits = {
        "row of 4, masked -inf": [0, 1, 2, 3],
        "row of 2, ascending": [2, 3],
        "row of 2, topk order": [3, 2],
      }[rows];
      for (const core of both) {
        const result = run(
          core,
          Float32Array.from(logits),
          { temperature: 0.8, top_k: 2 },
          [],
          [...variant, ...WAYS[way]],
        );
        const { ids } = drawn(core, result, logits.length, "2718", 1000),
          times = value => [...ids].filter(id => logits[id] === value).length;
        assert.deepEqual({ 2: times(2), 3: times(3) }, counts);
      }
    });
  }

test("the chapter's record", () => {
  const counts = variants => {
    const { ids } = drawn(
      cores.simd,
      run(cores.simd, Float32Array.of(0, 1, 2, 3), { temperature: 0.8, top_k: 2 }, [], variants),
      4,
      "2718",
      1000,
    );
    return [2, 3].map(id => ids.filter(found => found === id).length);
  };
  assert.deepEqual(
    [counts([]), counts(["torch-mkl"]), counts(["replacement"])],
    [
      [227, 773],
      [230, 770],
      [239, 761],
    ],
  );
});

test("a single draw with replacement is a race", () => {
  const result = run(cores.simd, row, {}, [], ["replacement"]);
  for (const seed of ["1", "2", "3"]) {
    const one = drawn(cores.simd, result, 5, seed, 1),
      raced = drawn(cores.simd, { ...result, drawing: "race" }, 5, seed, 1);
    assert.deepEqual([one.ids[0], one.rng.words], [raced.ids[0], 10]);
  }
});

test("the seed is taken modulo 2^32, from any decimal string up to 2^64 - 1", () => {
  const result = run(cores.simd, row, {}),
    stream = seed => [...drawn(cores.simd, result, 5, seed, 50).ids];
  for (const [large, small] of [
    ["4294967296", "0"],
    ["9007199254740993", "1"],
    ["18446744073709551615", "4294967295"],
  ])
    assert.deepEqual(stream(large), stream(small));
  assert.notDeepEqual(stream("0"), stream("1"));
});

test("candidates of a race rise and lie in the row", () => {
  for (const [kept, index] of [
    [[1, 0], 1],
    [[0, 0], 1],
    [[0, 5], 1],
    [[7, 8], 0],
  ])
    for (const drawing of ["race", "race-mkl", "batch-mkl"])
      assert.throws(
        () =>
          drawn(cores.simd, { drawing, kept: Uint32Array.from(kept), weights: Float32Array.of(0.5, 0.5) }, 5, "1", 1),
        error => error.code === "ERR_PARAM" && error.where.param === "kept" && error.where.index === index,
      );
});

// ---- Known figures -----------------------------------------------------------------------------------------------------

test("logits a/00 at temperature 0.7", () => {
  const logits = readRow("a/00.f32"),
    kept = (settings, settingsOnly) =>
      api.engine(cores.simd, ENGINE, logits, { settings: { temperature: 0.7, ...settings }, settingsOnly }).kept.length;
  assert.equal(kept({}, true), 49_152);
  assert.equal(kept({}, false), 50); // GenerationConfig's own top_k
  assert.equal(kept({ top_k: 0 }, false), 49_152);
  assert.equal(kept({ top_k: 40 }, false), 40);
  assert.equal(kept({ top_p: 0.9 }, true), 14);
  assert.equal(kept({ top_k: 40, top_p: 0.9 }, false), 11);
});

test("rows that tell engines apart", () => {
  const kept = (logits, settings) => [...run(cores.simd, Float32Array.from(logits), settings).kept];
  assert.deepEqual(kept([3, 2, 2, 1], { top_k: 2 }), [0, 1, 2]);
  assert.deepEqual(kept([0.5, 0.25, 0.125, 0.125].map(Math.log), { top_p: 0.75 }), [0, 1]);
  assert.deepEqual(kept([3, 2, 1], { temperature: 0.5, top_p: 0.8 }), [0]);
  assert.deepEqual(kept([4, 2, 1, 0], { temperature: 2, min_p: 0.1 }), [0, 1, 2, 3]);
});
