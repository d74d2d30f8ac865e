// The filters of the experiment against filters.json, by the typed call.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromHex } from "./hex.mjs";
import { api, cores, fromRoot, ulp, VECTORS } from "./support.mjs";

// other folders may lack it
const path = [join(VECTORS, "filters.json"), fromRoot("tests/vectors/filters.json")].find(existsSync);
const { cases } = JSON.parse(readFileSync(path, "utf8"));

function near(actual, expected, bound, what) {
  assert.ok(Math.abs(actual - expected) <= bound, `${what} is ${actual}, want ${expected}`);
}

const close = (actual, text, what) => near(actual, fromHex(text), 2 * ulp(fromHex(text)), what);

function checkStep(step, want, filter) {
  assert.equal(step.filter, filter);
  assert.equal(step.meets, Number(want.meets));
  assert.equal(step.n_kept, want.kept.length);
  close(step.threshold, want.threshold, "threshold");
  for (const name of ["mass_before", "mass_after", "kept_mass", "removed_mass"]) close(step[name], want[name], name);
  assert.equal(step.rank.filter(Boolean).length, want.found.length);
  want.found.forEach((id, place) => {
    assert.equal(step.rank[id], place + 1);
    close(step.p[id], want.p[place], `p[${id}]`);
    close(step.value[id], want.values[place], `value[${id}]`);
  });
  assert.deepEqual(
    [...step.kept.keys()].filter(id => step.kept[id]),
    want.kept,
  );
  want.kept.forEach((id, place) => close(step.q[id], want.q[place], `q[${id}]`));
}

function checkCase(core, item) {
  const logits = item.logits.map(fromHex),
    filters = item.filters.map(([name, value, ...rest]) => [name, name === "top_k" ? value : fromHex(value), ...rest]);
  const at = u => api.lab(core, logits, { tau: fromHex(item.tau), u, filters }),
    result = at(0);
  assert.equal(result.steps.length, filters.length);
  item.steps.forEach((want, index) => checkStep(result.steps[index], want, filters[index][0]));
  assert.deepEqual([...result.removed_by], item.removed_by);
  item.kept.forEach((id, place) => {
    close(result.q[id], item.q[place], `q[${id}]`);
    near(result.lo[id], fromHex(item.intervals[place][0]), 1e-15, `lo[${id}]`);
    near(result.hi[id], fromHex(item.intervals[place][1]), 1e-15, `hi[${id}]`);
  });
  for (const [u, id] of item.picks) assert.equal(at(fromHex(u)).id, id, `u ${u}`);
}

for (const [name, core] of Object.entries(cores))
  for (const item of cases) test(`${name}: ${item.id}`, () => checkCase(core, item));

test("k is short for a list of one top-k", () => {
  const both = { tau: 0.8, u: 0.5 },
    { steps, ...short } = api.lab(cores.simd, [3, 2, 2, 0], { ...both, k: 2, tie: "threshold" }),
    list = api.lab(cores.simd, [3, 2, 2, 0], { ...both, filters: [["top_k", 2, { tie: "threshold" }]] });
  assert.deepEqual({ ...short, steps }, list);
  assert.equal(steps[0].meets, 1);
});

test("the plane follows the filters", () => {
  const [cold, limit] = api.map(cores.simd, [0, 1, 2, 3], { tau: 1, u: 0, filters: [["top_p", 0.6]] }, [0.8, Infinity]);
  assert.deepEqual([...cold], [0, 0, 0, 1]);
  assert.deepEqual([...limit], [0, 1 / 3, 2 / 3, 1]);
});

test("what is no filter is refused at its place", () => {
  const refused = (filters, param, index, more = {}) =>
    assert.throws(
      () => api.lab(cores.simd, [0, 1], { tau: 1, u: 0, filters, ...more }),
      error => error instanceof api.SmpError && error.where.param === param && error.where.index === index,
      JSON.stringify(filters),
    );
  const good = ["top_p", 0.9];
  for (const name of ["top", "temperature", "constructor", "__proto__", 7, undefined])
    refused([good, [name, 1]], "filters", 1);
  for (const k of [0, 3, 1.5, -1, NaN, "1"]) refused([good, ["top_k", k]], "top_k", 1);
  for (const p of [-0.1, 1.1, NaN, undefined]) refused([good, good, ["top_p", p]], "top_p", 2);
  for (const p of [-0.1, 1.1, NaN, undefined]) refused([["min_p", p]], "min_p", 0);
  for (const tie of ["threshold", "last", "loose", 1, null]) refused([good, ["top_p", 0.5, { tie }]], "tie", 1);
  for (const tie of ["inclusive", "last", "loose", 1, null]) refused([good, ["top_k", 1, { tie }]], "tie", 1);
  refused(Array(9).fill(good), "filters", 0);
  refused("top_p", "filters", 0);
  refused([["min_p", 0.1, { tie: "strict" }]], "tie", 0);
  refused([good], "k", 0, { k: 1 });
  refused([good], "tie", 0, { tie: "strict" });
});
