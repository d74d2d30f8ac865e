// The smallest row on which two engines differ: what is known is found, what is found is smallest, and
// the hunt is always the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, importSource } from "./support.mjs";

const core = cores.simd;
const { differ, digits, hunt, rows, ALL, DIGITS, MOST } = await importSource("web/compare/search.ts");

const configOf = (pair, settings, context = []) => ({
  logits: [1, 0],
  settings,
  context,
  seed: "42",
  engines: pair,
  pair,
});
async function hunted(pair, settings, context) {
  const told = [];
  await hunt(core, configOf(pair, settings, context), each => (told.push(each), true));
  return told.at(-1);
}
/** Every row of `digits` of fewer logits than n agrees: no smaller row of these differs. */
const noneBelow = (pair, settings, n) => {
  for (let length = 2; length < n; length++)
    for (const row of digits(length, false))
      assert.notEqual(differ(core, configOf(pair, settings), row), true, String(row));
};

test("strict k against the threshold: k + 1 equals, and nothing shorter", async () => {
  for (const k of [1, 2, 3]) {
    const pair = ["llms-from-scratch", "chapter"],
      settings = { temperature: 1, top_k: k },
      { row, over } = await hunted(pair, settings);
    assert.deepEqual([row, over], [Array(k + 1).fill(0), true], `k ${k}`);
    noneBelow(pair, settings, k + 1);
  }
});

test("known pairs: a row is found, differs, and no shorter row of whole digits does", async () => {
  const known = [
    [["transformers", "candle"], { temperature: 1, top_k: 2, top_p: 0.6 }],
    [["transformers", "llama.cpp"], { temperature: 0.5, top_p: 0.8 }],
    [["transformers", "sglang"], { temperature: 1, top_p: 0.75 }],
    [["transformers", "vllm"], { temperature: 1, top_p: 0.6, min_p: 0.3 }],
    [["transformers", "llama.cpp"], { temperature: 2, top_p: 1, min_p: 0.1 }],
    [["transformers", "ollama"], { temperature: 1, top_p: 1, repetition_penalty: 1.3 }, [0]],
  ];
  for (const [pair, settings, context] of known) {
    const { row, tried } = await hunted(pair, settings, context);
    assert.ok(row && tried > 0, String(pair));
    assert.equal(differ(core, configOf(pair, settings, context), row), true, `${pair} ${row}`);
    if (!context) noneBelow(pair, settings, row.length);
    const runs = pair.map(name => api.engine(core, name, Float32Array.from(row), { settings, context }));
    const gap = api.gap(core, ...runs.map(run => api.probabilities(core, run)));
    assert.ok(gap.n_only_p + gap.n_only_q > 0 || gap.total_variation > 1e-6, `${pair} ${row}`);
  }
});

test("on the line: two logits that share p and the rest", async () => {
  const { row } = await hunted(["transformers", "sglang"], { temperature: 1, top_p: 0.75 });
  assert.equal(row.length, 2);
  const p = row.map(x => Math.exp(x) / row.reduce((sum, each) => sum + Math.exp(each), 0));
  assert.ok(Math.abs(Math.max(...p) - 0.75) < 1e-6, String(row));
});

test("equal engines: no row, and how many were tried: all that there are", async () => {
  const settings = { temperature: 0.8, top_k: 50, top_p: 1 },
    all = [...rows(core, settings)];
  const { row, tried, over } = await hunted(["transformers", "transformers.js"], settings);
  assert.deepEqual([row, tried, over], [null, all.length, true]);
  assert.ok(all.every(each => each.length >= 2 && each.length <= MOST));
  for (let n = 2; n <= ALL; n++)
    assert.equal(new Set([...digits(n, false)].map(String)).size, DIGITS ** n, "every row of digits, once");
});

test("refused settings leave nothing to try; the hunt stops at once when told to", async () => {
  assert.deepEqual(
    [
      (await hunted(["transformers", "candle"], { temperature: 0 })).tried,
      (await hunted(["transformers", "candle"], { temperature: 0 })).row,
    ],
    [0, null],
  );
  let calls = 0;
  await hunt(core, configOf(["transformers", "transformers.js"], { temperature: 1 }), () => (calls++, false));
  assert.equal(calls, 1);
});
