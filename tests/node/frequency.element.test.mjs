// What <smp-frequency> shows, without a DOM: runs and their marks, what is typed, throws, curves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cores, importSource } from "./support.mjs";

const core = cores.simd;
const { begin, countsAt, firstIds, lastId, look, marksOf, others, running } = await importSource(
  "web/elements/frequency/run.ts",
);
const { draftOf, matches, parseTaus, read } = await importSource("web/elements/frequency/state.ts");
const { presets } = await importSource("web/elements/frequency/presets.ts");
const { throwAll, throwMore, toThrow } = await importSource("web/elements/frequency/thrown.ts");
const { atOnce } = await importSource("web/compare/slices.ts");
const { curvesOf } = await importSource("web/elements/frequency/scene.ts");

const configOf = preset => read(draftOf(presets[preset]), 8).config;
const runOf = config => atOnce(running(core, begin(core, config)));
const counted = config => [...runOf(config).marks.at(-1).counts];

test("the figures of every preset", () => {
  assert.deepEqual(counted(configOf("record")), [0, 0, 230, 770]);
  assert.deepEqual(counted(configOf("today")), [0, 0, 227, 773]);
  assert.deepEqual(counted(configOf("candle")).slice(0, 2), [7349, 2651]);
  assert.deepEqual(counted(configOf("ten")), [0, 0, 1, 9]);
  assert.deepEqual(counted(configOf("missing")), [5, 3, 2, 0]);
  assert.deepEqual(counted(configOf("million")), [0, 0, 222234, 777766]);
});

test("one stream, longer and longer; the line stands at any number of draws", () => {
  const million = runOf(configOf("million"));
  for (const [n, count] of [
    [10, 1],
    [100, 22],
    [1000, 230],
    [10_000, 2256],
    [100_000, 22_237],
    [1_000_000, 222_234],
  ])
    assert.equal(countsAt(core, million, n)[2], count, `${n}`);
  for (const n of [1, 7, 71, 999, 12_345]) {
    const shorter = runOf({ ...configOf("record"), draws: n });
    assert.deepEqual(countsAt(core, million, n), shorter.marks.at(-1).counts, `${n}`);
  }
});

test("marks ascend to the end, at most sixty a power of ten, with every power of ten", () => {
  for (const draws of [1, 2, 10, 1000, 123_456, 1_000_000]) {
    const marks = marksOf(draws);
    assert.equal(marks.at(-1), draws);
    assert.ok(marks.every((mark, index) => index === 0 || mark > marks[index - 1]));
    for (let power = 1; power <= draws; power *= 10) assert.ok(marks.includes(power));
    assert.ok(marks.length <= 60 * Math.log10(draws) + 3);
  }
});

test("deviation, chi-square and band of the record", () => {
  const { fit, bands } = look(core, runOf(configOf("record")), 1000);
  assert.equal(fit.z[2].toFixed(3), "0.555");
  assert.equal(fit.chi_square.toFixed(3), "0.308");
  assert.equal(Math.round(1000 * fit.p_value), 579);
  assert.equal(bands[2].count_error.toFixed(3), "13.157");
  assert.equal(bands[2].expected.toFixed(3), "222.700");
});

test("today's torch leaves its funnel at n = 71", () => {
  const run = runOf(configOf("today"));
  assert.equal(look(core, run, 71).fit.z[2].toFixed(3), "2.050");
});

test("the same seed by the other generators; one that does not take the seed is left out", () => {
  const found = sources =>
    others(core, configOf("record"), sources).map(run => atOnce(running(core, run)).marks.at(-1).counts[2]);
  assert.deepEqual(found(["torch-mkl", "torch", "candle", "llama.cpp"]), [230, 227, 218, 216]);
  const large = { ...configOf("record"), seed: "18446744073709551615" };
  assert.deepEqual(
    others(core, large, ["own", "torch", "llama.cpp"]).map(({ candidates }) => candidates.source),
    ["own", "torch"],
  );
  assert.equal(begin(core, { ...large, source: "llama.cpp" }).name, "SmpError");
});

test("one draw before: the first goes out, one comes in at the end", () => {
  const config = configOf("record"),
    later = configOf("one"),
    first = firstIds(core, config, 15);
  const plain = countsAt(core, runOf(config), 1000),
    shifted = runOf(later);
  plain[first[0]]--;
  plain[lastId(core, shifted)]++;
  assert.deepEqual(countsAt(core, shifted, 1000), plain);
  assert.deepEqual([...first.slice(0, 6)], [3, 3, 3, 3, 3, 2]);
});

test("throws follow the run: one by one, by hundreds, and to its end", () => {
  for (const source of ["own", "torch", "torch-mkl", "candle", "llama.cpp", "transformers.js"]) {
    const config = { ...configOf("record"), source, draws: 500, skip: 1 },
      run = runOf(config);
    let thrown = toThrow(core, run);
    for (const count of [1, 10, 1, 100]) {
      thrown = throwMore(core, thrown, count);
      assert.deepEqual(thrown.counts, countsAt(core, run, thrown.n), `${source} ${thrown.n}`);
    }
    const all = throwAll(core, run);
    assert.equal(all.n, 500);
    assert.deepEqual(all.counts, countsAt(core, run, 500));
    assert.deepEqual(throwMore(core, all, 10), all, "there are no more");
    if (!thrown.edges) continue;
    const { id, u } = thrown.latest,
      place = thrown.edges.findIndex(edge => u < edge);
    assert.equal(run.candidates.kept[place], id);
  }
});

test("curves: probabilities, entropy and ratio of the list; ends exact", () => {
  const { listed, ends } = curvesOf(core, configOf("record"), [3, 2]);
  assert.deepEqual(
    listed.map(({ entropy }) => entropy.toFixed(6)),
    ["0.455429", "0.947537", "1.152640"],
  );
  assert.deepEqual(
    listed.map(({ ratio }) => ratio.toFixed(6)),
    ["7.389056", "2.718282", "1.947734"],
  );
  assert.deepEqual([...ends[0].p], [0, 0, 0, 1]);
  assert.deepEqual([...ends[1].p], [0.25, 0.25, 0.25, 0.25]);
  assert.equal(ends[0].entropy, 0);
});

test("the chapter's low candidate, cold and hot: its probability, and how often it came", () => {
  for (const [preset, tau] of [
    ["cold", 0.5],
    ["hot", 5],
  ]) {
    const config = configOf(preset),
      run = runOf(config),
      { p } = run.candidates;
    const sum = [0, 1, 2, 3].reduce((all, z) => all + Math.exp((z - 3) / tau), 0);
    assert.ok(Math.abs(p[0] - Math.exp(-3 / tau) / sum) < 1e-7, preset); // weights of the engine are 32-bit floats
    const z = look(core, run, 1000).fit.z[0];
    assert.ok(Math.abs(z) < 4, `${preset}: ${z}`);
  }
});

test("what is typed: right, or what is wrong with it", () => {
  const draft = draftOf(presets.record),
    problem = (name, text) => read({ ...draft, [name]: text }, 8).problems[name]?.kind;
  assert.equal(problem("draws", "0"), "outOfRange");
  assert.equal(problem("draws", "1000001"), "outOfRange");
  assert.equal(problem("draws", "1.5"), "notWhole");
  assert.equal(problem("draws", "1e3"), undefined);
  assert.equal(problem("k", "5"), "aboveCount");
  assert.equal(problem("tau", "-1"), "negative");
  assert.equal(problem("seed", "18446744073709551616"), "notASeed");
  assert.equal(problem("seed", ""), "empty");
  assert.equal(problem("taus", "1 2 3 4 5 6 7"), "tooMany");
  assert.equal(problem("taus", "1 -2"), "negative");
  assert.equal(problem("logits", "1 2 x"), "notNumber");
  assert.deepEqual(parseTaus("0 1").value, [0, 1]);
  assert.ok(matches({ ...draft, draws: "1e3", logits: "0, 1,2 3" }, presets.record));
  assert.ok(!matches({ ...draft, skip: "1" }, presets.record));
});
