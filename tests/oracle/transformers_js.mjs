// What transformers.js keeps, draws with and draws, from its own processors, sampler and generator.
//   npm install --prefix DIR --ignore-scripts @huggingface/transformers@4.3.2
//   node tests/oracle/transformers_js.mjs DIR > tests/vectors/transformers.js/small.json
// About 500 MB of packages and ten seconds. The rows are made from integers, so that they are the same everywhere; row
// "a/00" is read from tests/vectors/logits.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const source = path => import(join(resolve(process.argv[2]), "node_modules/@huggingface/transformers/src", path));
const { LogitsSampler } = await source("generation/logits_sampler.js");
const { RepetitionPenaltyLogitsProcessor, TemperatureLogitsWarper } = await source("generation/logits_process.js");
const { random } = await source("utils/random.js");
const { Tensor, topk } = await source("utils/tensor.js");
const { softmax } = await source("utils/maths.js");

/** n numbers with `steps` different values, so that there are ties. */
const painted = (n, steps, factor) => Array.from({ length: n }, (_, i) => (((i * factor + 17) % 1009) % steps) / 8 - 3);

const rows = {
  falling: [3, 2, 1, 0, -1],
  ties: [1, 2, 2, 2, 3],
  equal: [0, 0, 0, 0, 0, 0],
  masked: [1, "-inf", 2, "-inf", 0.5],
  wide: [-40, 30, 29.5, -300, 12.25, 30],
  forty: painted(40, 40, 389),
  equals: painted(200, 7, 631),
  many: painted(1000, 97, 271),
  "a/00": "a/00.f32",
};

const settings = [
  {},
  { top_k: 0 },
  { top_k: 1 },
  { top_k: 3 },
  { temperature: 0.7, top_k: 0 },
  { temperature: 0.1, top_k: 20 },
  { temperature: 1.7, top_k: 5, top_p: 0.5, min_p: 0.2 }, // the last two do nothing in this version
  { repetition_penalty: 1.3, top_k: 4 },
  { repetition_penalty: 0.7, temperature: 2.5, top_k: 0 },
];

const context = [0, 3, 3, 1, 2, 0];
const named = { "-inf": -Infinity };

function rowOf(row) {
  if (typeof row !== "string") return Float32Array.from(row, x => named[x] ?? x);
  const bytes = readFileSync(new URL(`../vectors/logits/${row}`, import.meta.url));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The processors of generate(), in its order, then its sampler. */
async function run(row, { temperature = 1, top_k = 50, repetition_penalty = 1 }, seed, draws) {
  const logits = new Tensor("float32", row.slice(), [1, row.length]);
  if (repetition_penalty !== 1)
    new RepetitionPenaltyLogitsProcessor(repetition_penalty)._call([context.map(BigInt)], logits);
  if (temperature !== 1) new TemperatureLogitsWarper(temperature)._call(null, logits);
  const k = top_k > 0 ? Math.min(top_k, row.length) : row.length;
  const [values, ids] = await topk(logits, k);
  const sampler = LogitsSampler.getSampler({ do_sample: true, top_k, num_beams: 1 });
  random.seed(seed);
  const drawn = [];
  for (let i = 0; i < draws; i++) drawn.push(Number((await sampler(logits))[0][0]));
  return { order: Array.from(ids.data, Number), weights: softmax(values.data), drawn };
}

const cases = [];
for (const [name, row] of Object.entries(rows))
  for (const [place, setting] of settings.entries()) {
    const whole = name === "a/00",
      seed = whole ? 7 : 1000 * place + cases.length;
    if (whole && ![0, 4, 7].includes(place)) continue;
    const { order, weights, drawn } = await run(rowOf(row), setting, seed, whole ? 20 : 60);
    const live = order.findLastIndex((_, i) => weights[i] > 0) + 1;
    // of long lists the first 64
    cases.push({
      row: name,
      settings: setting,
      seed: String(seed),
      n: live,
      order: order.slice(0, Math.min(live, 64)),
      weights: Array.from(weights.slice(0, Math.min(live, 64))),
      ids: drawn,
    });
  }

const seeds = [0, 1, 42, 2718, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 5, 2 ** 53 - 1];
const words = seeds.map(seed => {
  const rng = new random.Random(seed);
  return {
    seed: String(seed),
    words: Array.from({ length: 8 }, () => rng._int32()),
    far: Array.from({ length: 1300 }, () => rng._int32()).at(-1),
  };
});

const text = list => list.map(item => JSON.stringify(item)).join(",\n");
process.stdout.write(`{
"_comment": "transformers.js 4.3.2: candidates in its order with the weights it draws with (of long lists the first 64; n of them have weight), and the ids drawn after random.seed; context ${JSON.stringify(context)}; words: the first eight 32-bit words after a seed, and the 1308th",
"rows": ${JSON.stringify(rows)},
"words": [
${text(words)}
],
"cases": [
${text(cases)}
]
}
`);
