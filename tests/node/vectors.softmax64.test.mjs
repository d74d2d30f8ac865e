// The experiment against the 300 cases of softmax64.json, and exp, log and log1p against its points.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex } from "./hex.mjs";
import { api, cores, readVectors, ulp } from "./support.mjs";

const vectors = readVectors("softmax64.json");

function near(actual, expected, bound, what) {
  assert.ok(Math.abs(actual - expected) <= bound, `${what} is ${actual}, want ${expected}`);
}

function checkCase(core, item) {
  const logits = item.logits.map(fromHex),
    tau = fromHex(item.tau),
    { k, kept } = item;
  const at = u => api.lab(core, logits, { tau, k, u });
  const result = at(0);
  item.p.map(fromHex).forEach((p, id) => near(result.p[id], p, 2 * ulp(p), `p[${id}]`));
  assert.deepEqual(
    [...result.kept.keys()].filter(id => result.kept[id]),
    kept,
  );
  assert.equal(result.n_kept, kept.length);
  kept.forEach((id, index) => {
    const q = fromHex(item.q[index]),
      [lo, hi] = item.intervals[index].map(fromHex);
    near(result.q[id], q, 2 * ulp(q), `q[${id}]`);
    near(result.lo[id], lo, 1e-15, `lo[${id}]`);
    near(result.hi[id], hi, 1e-15, `hi[${id}]`);
  });
  near(
    result.p.reduce((sum, p) => sum + p, 0),
    1,
    1e-15,
    "the sum of p",
  );
  for (const [u, id] of item.picks) assert.equal(at(fromHex(u)).id, id, `u ${u}`);
}

for (const [name, core] of Object.entries(cores)) {
  test(`${name}: all ${vectors.cases.length} cases of the experiment`, () => {
    assert.ok(vectors.cases.length > 0);
    vectors.cases.forEach((item, index) => {
      try {
        checkCase(core, item);
      } catch (error) {
        error.message = `case ${index}: ${error.message}`;
        throw error;
      }
    });
  });

  const functions = { exp: core.call.smp_exp, log: core.call.smp_log, log1p_neg: x => -core.call.smp_log1p(-x) };
  for (const [key, run] of Object.entries(functions))
    test(`${name}: ${key} within 0.51 ulp of the exact value`, () => {
      assert.ok(vectors[key].length > 0);
      for (const [text, rounded, rest] of vectors[key]) {
        const want = fromHex(rounded),
          error = (run(fromHex(text)) - want) / ulp(want) - rest;
        assert.ok(Math.abs(error) <= 0.51, `at ${text} it is off by ${error} ulp`);
      }
    });
}
