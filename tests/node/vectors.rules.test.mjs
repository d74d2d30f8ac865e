// Every rule of the module's table: a chain of it in both modules and through `eval`, against the vectors. The native
// tests run the same list in the fast code and in c/reference.c.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, cores, fromRoot, VECTORS } from "./support.mjs";

// other folders may lack it
const path = [join(VECTORS, "rules.json"), fromRoot("tests/vectors/rules.json")].find(existsSync);
const { cases } = JSON.parse(readFileSync(path, "utf8"));
const rulesOf = ({ chain }) => chain.map(([rule]) => rule);

test("every chain of several has every rule", () => {
  const rules = Object.keys(cores.simd.abi.step).sort(),
    several = cases.filter(({ chain }) => chain.length > 1);
  assert.ok(several.length > 0);
  for (const item of several) assert.deepEqual([...rulesOf(item)].sort(), rules, item.id);
});

for (const rule of Object.keys(cores.simd.abi.step))
  test(`the rule ${rule} has vectors`, () =>
    assert.ok(
      cases.some(item => rulesOf(item).join() === rule),
      `rules.json has no case of ${rule}: add it to tests/oracle/rules.py`,
    ));

function check({ kept, probs, token }, found) {
  assert.deepEqual([...found.kept], kept);
  assert.equal(found.id, token);
  assert.equal(found.by_rounding, false);
  probs.forEach((p, place) =>
    assert.ok(
      Math.abs(found.probs[place] - p) <= 2e-7 + 4e-6 * p,
      `p of ${kept[place]} is ${found.probs[place]}, want ${p}`,
    ),
  );
}

for (const item of cases) {
  const { id, logits, context, chain, u } = item;
  for (const [name, core] of Object.entries(cores))
    test(`${name}: ${id}`, () => {
      const row = Float32Array.from(logits, x => (x === "-inf" ? -Infinity : x));
      const { values, ...found } = api.chain(core, row, { steps: chain, context, u });
      check(item, { ...found, probs: values });
      const line = api.evaluateLine(core, JSON.stringify({ op: "chain", logits, context, chain, u })),
        answer = JSON.parse(line);
      assert.equal(answer.error, undefined, line);
      check(item, answer);
    });
}
