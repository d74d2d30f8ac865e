// The digest of tests/native/digest.h, from a wasm core: 64-bit FNV-1a over 32-bit words. A double goes in as its low
// word, then its high word; a float as its bits. Runs in Node and in a page; needs nothing of either.
import { fromHex } from "./hex.mjs";

export const REAL_ROWS = [..."01234567"].map(i => `a/0${i}.f32`).concat([..."012345"].map(i => `c/0${i}.f32`));

const LAB_ARRAYS = ["score", "p", "start", "q", "lo", "hi"];
const LAB_SUMS = ["weight_sum", "kept_mass", "removed_mass", "sum_q", "entropy"];

/**
 * 16 hex digits for everything the core computes from the vectors.
 * @param api  the module dist/sampling-lab.mjs
 * @param core  what `instantiate` or `load` of it gave
 * @param vectors  softmax64.json, parsed
 * @param row  name in REAL_ROWS -> Float32Array
 * @param file  bytes of web/models/zh.safetensors
 */
export function digestOfEverything(api, core, vectors, row, file) {
  const digest = fnv();
  for (const item of vectors.cases) addLab(digest, api, core, item);
  for (const [x] of vectors.exp) digest.double(core.call.smp_exp(fromHex(x)));
  for (const [x] of vectors.log) digest.double(core.call.smp_log(fromHex(x)));
  for (const [x] of vectors.log1p_neg) digest.double(core.call.smp_log1p(-fromHex(x)));
  for (const name of REAL_ROWS)
    for (const temperature of [1, 0.7]) addRow(digest, api.softmax(core, row(name), temperature));
  addDistances(digest, api, core, row(REAL_ROWS[0]));
  for (const name of [REAL_ROWS[0], REAL_ROWS[5]]) addChains(digest, api, core, row(name));
  addEngines(digest, api, core, row(REAL_ROWS[5]));
  addModel(digest, api, core, file);
  return digest.text();
}

function addDistances(digest, { distance, logSoftmax, softmax, topLogP }, core, logits) {
  const [p, q] = [1, 0.7].map(temperature => softmax(core, logits, temperature).probabilities);
  const apart = distance(core, p, q),
    { ids, log_p } = topLogP(core, logits, 64);
  for (const name of ["total_variation", "max_difference", "kl", "entropy_p", "entropy_q"]) digest.double(apart[name]);
  digest.word(apart.max_id);
  addFloats(digest, logSoftmax(core, logits));
  ids.forEach((id, place) => {
    digest.word(id);
    digest.double(log_p[place]);
  });
}

const CHAINS = [
  ["top_k", 50],
  ["top_p", 0.9],
  ["top_p", 0.999],
  ["min_p", 0.05],
  ["typical_p", 0.9],
  ["epsilon_cutoff", 0.0003],
  ["eta_cutoff", 0.0003],
  ["top_h", 0.4],
  ["top_n_sigma", 1],
  ["repetition_penalty", 1.3],
  ["presence_penalty", 0.7],
  ["frequency_penalty", 0.7],
  ["no_repeat_ngram_size", 1],
];

function addChains(digest, { chain }, core, logits) {
  const context = [18, 176, 19556, 504, 18, 2, 18];
  for (const step of CHAINS) {
    const { n_kept, id, by_rounding, kept, values, info } = chain(core, logits, {
      steps: [["temperature", 0.7], step],
      context,
      u: 0.5,
      info: true,
    });
    for (const word of [n_kept, id, Number(by_rounding)]) digest.word(word);
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    kept.forEach((entry, place) => {
      digest.word(entry);
      digest.word(bits[place]);
    });
    for (const record of info) for (const name of ["max", "cut", "mass", "entropy"]) digest.double(record[name]);
  }
}

function addEngines(digest, { draw, engine, seeded }, core, logits) {
  const settings = { temperature: 0.7, top_k: 200, top_p: 0.95, min_p: 0.001, repetition_penalty: 1.3 };
  const code = (table, text) => core.abi[table].find(row => row[2] === text)[1];
  for (const [, , name] of core.abi.engine)
    for (const given of [{}, settings]) {
      const result = engine(core, name, logits, { settings: given, context: [18, 176, 19556, 504, 18, 2, 18] });
      const { weights, kept, generator } = result;
      digest.word(result.refusal ? code("refusal", result.refusal) : 0);
      digest.word(kept.length);
      const bits = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
      kept.forEach((id, place) => {
        digest.word(id);
        digest.word(bits[place]);
      });
      if (result.refusal || !generator) continue;
      const { ids, rng } = draw(core, result, logits.length, seeded(core, generator, "42"), 20);
      for (const id of ids) digest.word(id);
      digest.double(rng.words);
    }
}

/** Rows after texts of 1, 13, 64 and 70 tokens; a quatrain, and 200 tokens, so that the window slides. */
function addModel(digest, api, core, file) {
  const model = api.openModel(core, "zh", file),
    cache = api.newCache(model),
    ids = Array.from({ length: 70 }, (_, place) => (place * 7919) % model.tokens);
  for (const length of [1, 13, 64, 70]) addFloats(digest, api.logitsAfter(core, cache, ids.slice(0, length)));
  addText(digest, api, core, model, { prompt: "明月", maxNewTokens: 40 });
  addText(digest, api, core, model, { maxNewTokens: 200, eos: false });
}

function addText(digest, api, core, model, asked) {
  const steps = [
    ["temperature", 0.8],
    ["top_k", 40],
  ];
  let half = api.NO_HALF;
  const addBytes = (bytes, end) => {
    const piece = api.textOf(core, half, bytes, end);
    half = piece.half;
    for (const byte of new TextEncoder().encode(piece.text)) digest.word(byte);
  };
  for (const { id, u } of api.generate(core, model, { ...asked, steps, seed: "42" })) {
    digest.double(u);
    digest.word(id);
    addBytes(api.bytesOf(core, model, [id]), false);
  }
  addBytes(new Uint8Array(), true);
}

function addLab(digest, { lab }, core, { logits, tau, k, picks }) {
  const numbers = logits.map(fromHex);
  const run = u => lab(core, numbers, { tau: fromHex(tau), k, u: fromHex(u) });
  const first = run(picks[0][0]);
  for (const id of numbers.keys()) {
    for (const name of LAB_ARRAYS) digest.double(first[name][id]);
    digest.word(first.kept[id]);
  }
  for (const name of LAB_SUMS) digest.double(first[name]);
  digest.word(first.n_kept);
  digest.word(first.top);
  for (const [u] of picks) digest.word(run(u).id);
}

function addFloats(digest, { buffer, byteOffset, length }) {
  for (const word of new Uint32Array(buffer, byteOffset, length)) digest.word(word);
}

function addRow(digest, { top, probabilities, entropy }) {
  digest.word(top);
  addFloats(digest, probabilities);
  digest.double(entropy);
}

/** The prime is 2^40 + 0x1b3: the product modulo 2^64 fits two 32-bit halves without 64-bit integers. */
function fnv() {
  let low = 0x84222325,
    high = 0xcbf29ce4;
  const view = new DataView(new ArrayBuffer(8));
  const word = value => {
    low = (low ^ value) >>> 0;
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + low * 2 ** 8) % 2 ** 32;
    low = product % 2 ** 32;
  };
  return {
    word,
    double(value) {
      view.setFloat64(0, value);
      word(view.getUint32(4));
      word(view.getUint32(0));
    },
    text: () => [high, low].map(half => half.toString(16).padStart(8, "0")).join(""),
  };
}
