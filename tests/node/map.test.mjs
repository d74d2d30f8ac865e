// The plane of tau and u, and rounding to shorter formats, through the module.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { api, cores } from "./support.mjs";

const core = cores.simd,
  chapter = [0, 1, 2, 3];

test("the chapter's boundary: 0.222700 at tau 0.8, 0.5 in the limit, none at 0", () => {
  const [now, limit, greedy] = api.map(core, chapter, { tau: 1, k: 2, u: 0 }, [0.8, Infinity, 0]);
  assert.deepEqual(
    [...now].map(edge => edge.toFixed(6)),
    ["0.000000", "0.000000", "0.222700", "1.000000"],
  );
  assert.deepEqual([...limit], [0, 0, 0.5, 1]);
  assert.deepEqual([...greedy], [0, 0, 0, 1]);
});

test("an edge of the map is the interval's end of the experiment, bit for bit", () => {
  const logit = fc.double({ min: -100, max: 100, noNaN: true });
  const setting = fc.record({
    logits: fc.array(logit, { minLength: 1, maxLength: 8 }),
    tau: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
    k: fc.nat(),
    tie: fc.constantFrom("strict", "threshold"),
  });
  fc.assert(
    fc.property(setting, ({ logits, tau, k, tie }) => {
      const options = { tau, k: 1 + (k % logits.length), u: 0, tie };
      const [edges] = api.map(core, logits, options, [tau]),
        { hi, kept } = api.lab(core, logits, options);
      let last = 0;
      for (const id of logits.keys()) {
        if (kept[id]) last = hi[id];
        assert.equal(edges[id], last);
      }
    }),
    { numRuns: 500, seed: 4 },
  );
});

test("rounding to float32 is Math.fround", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), x =>
      assert.ok(Object.is(api.round(core, [x], "float32")[0], Math.fround(x))),
    ),
    { numRuns: 3000, seed: 5 },
  );
});
