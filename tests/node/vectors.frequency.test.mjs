// Counts against probabilities, Q(a, x) and curves over temperatures, against the 60 digits of frequency.json, in both
// modules and through `eval`. The native tests hold the same numbers to the same bounds.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromHex } from "./hex.mjs";
import { api, cores, fromRoot, ulp, VECTORS } from "./support.mjs";

// other folders may lack it
const path = [join(VECTORS, "frequency.json"), fromRoot("tests/vectors/frequency.json")].find(existsSync);
const { q, fits, curves } = JSON.parse(readFileSync(path, "utf8"));
const number = text => (text === "inf" ? Infinity : fromHex(text));

function near(found, want, bound, what) {
  assert.ok(found === want || Math.abs(found - want) <= bound, `${what}: ${found}, want ${want}`);
}

for (const [name, core] of Object.entries(cores)) {
  test(`${name}: ${q.length} values of Q`, () => {
    for (const [degrees, x, want] of q)
      near(core.call.smp_stats_q(degrees, fromHex(x)), fromHex(want), 1e-12 * fromHex(want), `Q(${degrees} / 2, ${x})`);
  });

  fits.forEach((item, index) =>
    test(`${name}: fit ${index}`, () => {
      const found = api.fit(core, Uint32Array.from(item.counts), item.p.map(fromHex));
      assert.equal(found.degrees, item.degrees);
      near(found.chi_square, fromHex(item.chi_square), 1e-14 * fromHex(item.chi_square), "chi-square");
      near(found.p_value, fromHex(item.p_value), 1e-12 * fromHex(item.p_value), "p-value");
      item.z.forEach((z, id) => near(found.z[id], fromHex(z), 1e-14 * Math.abs(fromHex(z)), `z of ${id}`));
    }),
  );

  curves.forEach((item, index) =>
    test(`${name}: curve ${index}`, () => {
      const { logits, pair, points } = item,
        taus = points.map(({ tau }) => tau);
      const answer = JSON.parse(api.evaluateLine(core, JSON.stringify({ op: "curve", logits, taus, pair, hex: true })));
      api.curve(core, logits.map(fromHex), taus.map(number), pair).forEach((found, place) => {
        const want = points[place];
        for (const key of ["entropy", "bits", "ratio"]) {
          near(found[key], number(want[key]), 2 * ulp(number(want[key])), `${key} at ${taus[place]}`);
          assert.equal(number(answer.curves[place][key]), found[key]);
        }
        want.p.forEach((p, id) => near(found.p[id], fromHex(p), 2 * ulp(fromHex(p)), `p of ${id} at ${taus[place]}`));
        assert.deepEqual(answer.curves[place].p.map(fromHex), [...found.p]);
      });
    }),
  );
}
