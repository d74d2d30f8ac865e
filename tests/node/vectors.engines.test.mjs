// Engines against each other: the rows that tell the engines apart, and candle's repetition penalty bit for bit.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { api, cores, fromRoot, READ_NAMES, readRow, readVectors } from "./support.mjs";

/** [1, 2, 2, 2, 3], k 3: which of the equals std::partial_sort keeps is in the vectors of llama.cpp, which win. */
const TIES_ELSEWHERE = new Set(["topk_tie/llama.cpp"]);

const evaluate = (core, request) => JSON.parse(api.evaluateLine(core, JSON.stringify(request)));

/** The settings of a row that are not off: 0, 1 and 0. */
function settingsOf({ T, top_k, top_p, min_p }) {
  return {
    temperature: T,
    ...(top_k ? { top_k } : {}),
    ...(top_p === 1 ? {} : { top_p }),
    ...(min_p ? { min_p } : {}),
  };
}

for (const item of readVectors("engines-read.json").cases)
  for (const [key, want] of Object.entries(item.engines))
    for (const [module, core] of Object.entries(cores))
      test(`${item.name}: ${READ_NAMES[key]} (${module})`, () => {
        const engine = READ_NAMES[key];
        const answer = evaluate(core, {
          op: "engine",
          engine,
          logits: item.logits,
          settings: settingsOf(item),
          settings_only: true,
        });
        if (want.kept === null) {
          assert.equal(answer.error, "every candidate is removed");
          return;
        }
        assert.equal(answer.error, null);
        const sorted = TIES_ELSEWHERE.has(`${item.name}/${engine}`);
        if (sorted) assert.equal(answer.n_kept, want.kept.length);
        else assert.deepEqual(answer.kept, want.kept);
        const wanted = want.kept.map(id => want.p[id]),
          found = sorted ? answer.probs.toSorted((a, b) => a - b) : answer.probs;
        (sorted ? wanted.toSorted((a, b) => a - b) : wanted).forEach((p, place) =>
          assert.ok(Math.abs(found[place] - p) < 1e-6, `${found[place]}, want ${p}`),
        );
      });

const numberOf = value =>
  typeof value === "number" ? value : { "-inf": -Infinity, inf: Infinity, nan: NaN, "-0": -0 }[value];
const { repeat_penalty: penalties, logit_files: files } = readVectors("candle/repeat-penalty.json");

/** Bits of floats: -0 is not 0. */
const bits = row => [...new Uint32Array(Float32Array.from(row).buffer)];

for (const { id, penalty, context, logits, v, changed } of penalties)
  test(`repetition penalty ${id}`, () => {
    const row = v === undefined ? Float32Array.from(logits, numberOf) : readRow(files[v].replace(/^logits\//, ""));
    const ids = context.filter(each => each < row.length); // the others are refused here, and candle looks past them
    const run = core => api.penalised(core, "candle", row, { context: ids, settings: { repetition_penalty: penalty } });
    const refused = row.some(x => Number.isNaN(x))
      ? "ERR_NAN"
      : row.includes(Infinity)
        ? "ERR_INF"
        : changed.some(([, x]) => x === "inf" || x === "nan")
          ? "ERR_PARAM"
          : null;
    if (refused) return assert.throws(() => run(cores.simd), { code: refused });
    const want = row.slice();
    for (const [place, x] of changed) want[place] = numberOf(x);
    for (const core of Object.values(cores)) assert.deepEqual(bits(run(core)), bits(want));
    if (ids.length < context.length)
      assert.throws(
        () => api.penalised(cores.simd, "candle", row, { context, settings: { repetition_penalty: penalty } }),
        { code: "ERR_PARAM" },
      );
  });

// ---- transformers.js ---------------------------------------------------------------------------------------------------

/** Always our own: other folders of vectors have none. */
const js = JSON.parse(readFileSync(fromRoot("tests/vectors/transformers.js/small.json"), "utf8"));
const jsRow = row => (typeof row === "string" ? readRow(row) : Float32Array.from(row, numberOf));

/** The first words of a generator, through the exports of the module. */
function wordsOf({ call, abi }, generator, seed, count) {
  const mark = call.smp_arena_mark(),
    rng = call.smp_arena_take(abi.structs.smp_rng.size),
    value = BigInt(seed);
  const kind = abi.generator.find(([, , text]) => text === generator)[1];
  assert.equal(call.smp_rng_seed(rng, kind, Number(value & 0xffffffffn), Number(value >> 32n), 0), 0);
  const words = Array.from({ length: count }, () => call.smp_rng_next(rng) >>> 0);
  call.smp_arena_release(mark);
  return words;
}

for (const { seed, words, far } of js.words)
  test(`transformers.js: the words after seed ${seed}`, () => {
    for (const core of Object.values(cores)) {
      const found = wordsOf(core, "mt19937-python", seed, 1308);
      assert.deepEqual([found.slice(0, 8), found[1307]], [words, far]);
    }
  });

for (const { row: name, settings, seed, n, order, weights, ids } of js.cases)
  test(`transformers.js: ${name} ${JSON.stringify(settings)}`, () => {
    const row = jsRow(js.rows[name]),
      context = [0, 3, 3, 1, 2, 0];
    for (const core of Object.values(cores)) {
      const result = api.engine(core, "transformers.js", row, { settings, context });
      assert.equal(result.refusal, "");
      assert.deepEqual([...result.kept.slice(0, order.length)], order);
      assert.equal(result.weights.filter(weight => weight > 0).length, n);
      weights.forEach((weight, place) =>
        assert.ok(
          Math.abs(result.weights[place] - weight) <= weight * 2 ** -22,
          `weight ${place} is ${result.weights[place]}, want ${weight}`,
        ),
      );
      assert.deepEqual(
        result.ignored,
        ["top_p", "min_p"].filter(key => key in settings),
      );
      assert.deepEqual(
        [...api.draw(core, result, row.length, api.seeded(core, result.generator, seed), ids.length).ids],
        ids,
      );
    }
  });

// ---- LLMs-from-scratch and the chapter -----------------------------------------------------------------------------------

const torch = JSON.parse(readFileSync(fromRoot("tests/vectors/llms-from-scratch/small.json"), "utf8"));

for (const { engine: name, row, settings, seed, draws, ids, kept, probs, error } of torch.cases)
  test(`${name}: ${row} ${JSON.stringify(settings)} ${seed}`, () => {
    for (const core of Object.values(cores)) {
      const answer = evaluate(core, { op: "engine", engine: name, logits: torch.rows[row], settings, seed, draws });
      assert.equal(answer.error?.split(":")[0] ?? null, error ?? null); // the vectors have the type alone
      if (error) continue;
      assert.deepEqual(answer.ids, ids);
      if (!kept) continue; // greedy: torch has no probabilities
      const found = answer.probs.filter(p => p > 0); // multinomial is shown no other
      assert.deepEqual(
        answer.kept.filter((_, place) => answer.probs[place] > 0),
        kept,
      );
      probs.forEach((p, place) =>
        assert.ok(Math.abs(found[place] - p) <= p * 2 ** -22 + 2 ** -149, `${found[place]}, want ${p}`),
      );
    }
  });

// ---- mlx-lm --------------------------------------------------------------------------------------------------------------

const mlx = JSON.parse(readFileSync(fromRoot("tests/vectors/mlx-lm/small.json"), "utf8"));

/** 0.05 against 0.1 times 0.5: rounding decides, and we say so. */
const DECIDED_BY_ROUNDING = /^nucleus .*"min_p":0.1/;

for (const { row: name, settings, kept, p, error } of mlx.cases)
  test(`mlx-lm: ${name} ${JSON.stringify(settings)}`, () => {
    for (const core of Object.values(cores)) {
      const answer = evaluate(core, {
        op: "engine",
        engine: "mlx-lm",
        logits: mlx.rows[name],
        settings,
        context: [0, 3, 3, 1, 2, 0],
      });
      if (error) assert.equal(answer.error, `ValueError: ${error}`);
      else if (settings.top_p === 1e-8) {
        // 1 - p is 1 in float: whether its running sum exceeds 1 by rounding decides if there is a candidate left
        assert.ok(answer.error === "every candidate is removed" || answer.by_rounding);
        assert.ok(kept.length <= 1);
      } else if (DECIDED_BY_ROUNDING.test(`${name} ${JSON.stringify(settings)}`) && answer.by_rounding)
        assert.notDeepEqual(answer.kept, kept);
      else {
        assert.deepEqual(answer.kept, kept);
        // it multiplies by a rounded 1 / temperature, and scores reach 200
        p.forEach((each, place) =>
          assert.ok(Math.abs(answer.probs[place] - each) <= 1e-7 + each * 5e-5, `${answer.probs[place]}, want ${each}`),
        );
      }
    }
  });
