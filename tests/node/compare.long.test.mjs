// Rows of vocabulary size: in slices the same as at once, and stopped where the setting has changed meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, importSource, readRow } from "./support.mjs";

const { onlyIn } = await importSource("web/compare/run.ts");
const { finish, isHuge, solve, start, startInSlices } = await importSource("web/compare/solve.ts");
const { orderOf, topOf } = await importSource("web/compare/row.ts");
const { aroundOf } = await importSource("web/compare/around.ts");
const { requestOf, vectorOf } = await importSource("web/compare/vector.ts");
const { figuresOf } = await importSource("web/compare/stages.ts");
const core = cores.simd,
  logits = readRow("a/00.f32"),
  row = { kind: "file", name: "a.npy", logits };
const config = (settings, engines = Object.keys(core.abi.profile), pair = ["transformers", "candle"]) => ({
  logits,
  row,
  settings,
  context: [],
  seed: "42",
  engines,
  pair,
});

const SETTINGS = [{ temperature: 0.7, top_k: 40, top_p: 0.9 }, { temperature: 0.7 }, { temperature: 0 }];

for (const settings of SETTINGS)
  test(`all engines, ${JSON.stringify(settings)}: pair first, the rest in slices, and all as at once`, async () => {
    const asked = config(settings),
      begun = start(core, asked, null),
      whole = solve(core, asked),
      told = [];
    assert.ok(begun.pending && begun.pair.reason.kind === "pending" && !begun.streams.length);
    assert.deepEqual(begun.pair.gap, whole.pair.gap);
    await finish(
      core,
      begun,
      () => true,
      solved => told.push(solved),
    );
    const { held, ...last } = told.at(-1),
      { held: none, ...same } = whole;
    assert.deepEqual(last, same);
    for (const { runs, gaps } of told) assert.deepEqual([runs, gaps], [whole.runs, whole.gaps]);
    assert.ok(told.slice(0, -1).every(({ pending }) => pending));
  });

test("a huge row: its beginning in slices too, then all as at once; nothing where it is no longer asked for", async () => {
  const huge = Float32Array.from({ length: 2 ** 16 + 1 }, (_, id) => logits[id % logits.length]),
    asked = { ...config(SETTINGS[0], ["transformers", "candle", "llama.cpp"]), logits: huge };
  assert.ok(isHuge(asked) && !isHuge(config({})));
  const before = solve(core, config(SETTINGS[0])),
    whole = solve(core, asked),
    made = [];
  const shown = (first, second) => [() => made.push([first, second]), () => made.push("second")];
  const begun = await startInSlices(core, asked, before, () => true, shown);
  assert.deepEqual(made, [[whole.pair.first, whole.pair.second], "second"]);
  assert.deepEqual(
    [begun.runs.map(run => run.waiting), begun.pair.gap, begun.held],
    [[undefined, undefined, true], whole.pair.gap, before.streams],
  );
  const told = [];
  await finish(
    core,
    begun,
    () => true,
    solved => told.push(solved),
  );
  assert.deepEqual({ ...told.at(-1), held: [] }, { ...whole, held: [] });
  for (let at = 0; at < 4; at++) {
    let calls = 0;
    made.length = 0;
    assert.equal(await startInSlices(core, asked, before, () => calls++ < at, shown), null);
    assert.equal(made.length, Math.max(0, at - 2));
  }
});

test("an older setting tells nothing more: at no place where it is asked", async () => {
  const asked = config(SETTINGS[0], ["transformers", "candle", "llama.cpp", "vllm"]);
  for (let at = 0, stopped = true; stopped && at < 40; at++) {
    let calls = 0,
      late = false;
    stopped = false;
    await finish(
      core,
      start(core, asked, null),
      () => !(stopped ||= calls++ === at),
      () => (late ||= stopped),
    );
    assert.ok(!late, `asked ${at} times`);
  }
});

test("a reason before, and its tokens, keep their place", () => {
  const before = solve(core, config(SETTINGS[0])),
    begun = start(core, config({ temperature: 1 }), before);
  assert.equal(begun.held, before.streams);
  assert.equal(begun.pair.reason.ladder, before.pair.reason.ladder);
});

test("ids by descending logit, the smaller first among equals", () => {
  const right = list => [...list.keys()].sort((a, b) => list[b] - list[a] || a - b);
  for (const list of [logits, [0, -0, 1, -1, -1, 0, -Infinity, 3e38, -3e38, 1e-45, -1e-45, -Infinity, -0]])
    assert.deepEqual([[...orderOf(list)], topOf(list)], [right([...list]), right([...list])[0]]);
});

test("around the cut: the three that only candle keeps, between four that both keep and five that neither does", () => {
  const solved = solve(core, config(SETTINGS[0], ["transformers", "candle"])),
    { ids, above, below, plain } = aroundOf(solved.config, solved.pair.first, solved.pair.second);
  assert.deepEqual(onlyIn(solved.pair.second, solved.pair.first), [52, 56, 24925]);
  assert.deepEqual(ids, [16313, 28589, 32632, 18, 52, 56, 24925, 26986, 74, 178, 26308, 17086]);
  assert.deepEqual([above, below, plain], [7, 49152 - 19, true]);
});

test("the test vector names the row as a file of floats, and eval gives the same", () => {
  const solved = solve(core, config(SETTINGS[0], ["transformers", "candle"])),
    request = requestOf(core, solved);
  assert.deepEqual([request.logits_file, request.logits], ["a.f32", undefined]);
  const answer = JSON.parse(api.evaluateLine(core, JSON.stringify(request), () => logits));
  assert.equal(vectorOf(core, solved), `${JSON.stringify({ request, answer }, null, 1)}\n`);
  assert.equal(answer.pairs[0].tv.toExponential(3), "2.388e-2");
});

test("document 000's figures: entries at -inf are equal, not apart by NaN", () => {
  const list = Float32Array.of(-Infinity, 2, 1, -Infinity, 0);
  assert.equal(figuresOf(core, { logits: list, context: [1, 3] }).most, 0, "both windows hold the whole context");
  const long = [1, ...Array(64).fill(2)];
  assert.equal(
    figuresOf(core, { logits: list, context: long }).most,
    Math.fround(2 - Math.fround(2 / Math.fround(1.3))),
    "the first id is outside the last 64",
  );
});
