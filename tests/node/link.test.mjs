// A setting as a link and back: nothing is lost, bit for bit.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { importSource } from "./support.mjs";

const { fragmentOf, paramsOf } = await importSource("web/ui/link.ts");
const { exact, read, switches, withLogit } = await importSource("web/elements/sampling/state.ts");
const { listed } = await importSource("web/elements/sampling/labels.ts");
const NAMES = [
  ...["logits", "tau", "k", "top_p", "min_p", "u", "tie", "tie_p", "share", "dtype"],
  ...["labels", "max", "rules"],
];

const logit = fc.double({ min: -100, max: 100, noNaN: true });
const state = fc.record({
  logits: fc.array(logit, { minLength: 1, maxLength: 8 }),
  tau: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  place: fc.nat(),
  u: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  top_p: fc.double({ min: 0, max: 1, noNaN: true }),
  min_p: fc.double({ min: 0, max: 1, noNaN: true }),
  tie: fc.constantFrom(...switches.tie),
  tie_p: fc.constantFrom(...switches.tie_p),
  labels: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 8 }),
  max: fc.constantFrom("", "8", "16"),
  rules: fc.shuffledSubarray(["top_k", "top_p", "min_p"], { minLength: 1 }),
  share: fc.constantFrom(...switches.share),
  dtype: fc.constantFrom(...switches.dtype),
});
const draftOf = ({ place, ...values }) => {
  const { logits, tau, top_p, min_p, u, labels, rules } = values,
    k = 1 + (place % logits.length);
  const typed = { logits: logits.map(exact).join(" "), tau: exact(tau), k: String(k), u: exact(u) };
  return {
    draft: {
      ...{ ...values, ...typed, top_p: exact(top_p), min_p: exact(min_p) },
      ...{ labels: listed(labels), rules: rules.join(" ") },
    },
    config: { ...values, k, labels: logits.map((_, id) => labels[id] ?? "") },
  };
};
/** Objects that hold equal doubles, -0 told from 0. */
const same = (a, b) => assert.deepStrictEqual(a, b);
const back = (fragment, key) => Object.fromEntries(paramsOf(fragment, () => key, NAMES));

test("state to link to state, for random states", () => {
  fc.assert(
    fc.property(state, random => {
      const { draft, config } = draftOf(random);
      const found = back(`#${fragmentOf("an id", draft)}`, "an id");
      same(found, draft);
      same(read(found, 0).config, config);
    }),
    { numRuns: 2000, seed: 6 },
  );
});

test("what is typed comes back character by character, wrong or not", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (key, text) =>
      same(back(fragmentOf(key, { logits: text }), key), { logits: text }),
    ),
    { numRuns: 1000, seed: 7 },
  );
  for (const text of ["1e-3, +2，−0\t.5", "a=b&c#d?e%20f+g", "１．５　２", ""])
    same(back(fragmentOf("x", { logits: text }), "x"), { logits: text });
});

test("a fragment for another element, of another make, or of other names gives nothing", () => {
  for (const fragment of ["", "#", "#chapter-3", "#smp", "#smp=other&tau=2", "#tau=2", "#%E0%A4%A"])
    same(
      paramsOf(fragment, () => "mine", NAMES),
      [],
    );
  same(
    paramsOf("#smp=mine&tau=2&onclick=x&theme=dark", () => "mine", NAMES),
    [["tau", "2"]],
  );
});

test("a number is written so that it reads back as the same double", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), x => assert.ok(Object.is(Number(exact(x)), x))),
    { numRuns: 2000, seed: 8 },
  );
});

test("replacing one logit keeps the others bit for bit", () => {
  assert.equal(withLogit([-0, 0.1, 1e-300], 1, "7"), "-0 7 1e-300");
});
