// What the page works out from the core: the must-hold rows of engines, why two differ, and that it is
// what `eval` answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, importSource, READ_NAMES, readVectors } from "./support.mjs";

const core = cores.simd;
const { solve } = await importSource("web/compare/solve.ts");
const { draftOf, read } = await importSource("web/elements/compare/state.ts");
const { presets, presetNames } = await importSource("web/elements/compare/presets.ts");
const { requestOf, vectorOf } = await importSource("web/compare/vector.ts");
const { drawAll, sharesOf, DRAWS } = await importSource("web/compare/tally.ts");
const { reasonText } = await importSource("web/elements/compare/sentences.ts");
const { messages: common } = await importSource("web/i18n/messages.zh.ts");
const { messages: zh } = await importSource("web/elements/compare/messages.zh.ts");
const { has } = await importSource("web/compare/explain.ts");

const configOf = (preset, part = {}) => read({ ...draftOf(preset), ...part }).config;
const solved = (name, part) => solve(core, configOf(presets[name], part));
const kept = ({ runs }, name) => [...runs.find(run => run.name === name).distribution.ids];

test("rows that separate engines: what must be kept", () => {
  assert.deepEqual(kept(solved("tie"), "transformers"), [0, 1, 2]);
  assert.deepEqual(kept(solved("tie"), "candle"), [0, 1]);
  const boundary = solved("boundary");
  assert.deepEqual(
    ["transformers", "sglang", "llama2.c"].map(name => kept(boundary, name)),
    [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2],
    ],
  );
  assert.deepEqual([kept(solved("order"), "transformers"), kept(solved("order"), "llama.cpp")], [[0], [0, 1]]);
  assert.deepEqual([kept(solved("minP"), "transformers").length, kept(solved("minP"), "llama.cpp").length], [4, 2]);
});

test("presets taken from the vectors keep what those say", () => {
  const from = {
    measure: "renorm_inside_topk",
    order: "temp_order",
    boundary: "topp_exact_dyadic",
    minPFirst: "minp_vs_topp",
    mix: "hot_mix",
  };
  const { cases } = readVectors("engines-read.json");
  for (const [preset, name] of Object.entries(from)) {
    const { logits, engines } = cases.find(each => each.name === name),
      answer = solved(preset);
    assert.deepEqual(answer.config.logits, logits);
    for (const [key, engine] of Object.entries(READ_NAMES))
      if (answer.config.engines.includes(engine))
        assert.deepEqual(kept(answer, engine), engines[key].kept, `${preset} ${engine}`);
  }
});

test("why: the rule that each preset is about, and the setting at which it begins", () => {
  const told = {
    measure: ["top_p", "measure"],
    order: ["top_p", "order"],
    tie: ["top_k", "tie"],
    boundary: ["top_p", "boundary"],
    minP: ["min_p", "order"],
    minPFirst: ["min_p", "minP"],
    mix: ["top_p", "boundary"],
  };
  for (const [name, [at, rule]] of Object.entries(told)) {
    const { reason } = solved(name).pair;
    assert.deepEqual([reason.kind, reason.at, reason.rules, reason.tested], ["rule", at, [rule], true], name);
    assert.deepEqual(
      reason.ladder
        .slice(
          0,
          reason.ladder.findIndex(({ setting }) => setting === at),
        )
        .map(({ split }) => split.length),
      reason.ladder
        .slice(
          0,
          reason.ladder.findIndex(({ setting }) => setting === at),
        )
        .map(() => 0),
      name,
    );
  }
  const { reason: byDefault } = solved("defaults").pair;
  assert.deepEqual([byDefault.kind, byDefault.at], ["default", "top_k"]);
  const { reason: lacking } = solved("penalty").pair;
  assert.deepEqual([lacking.kind, lacking.at, lacking.lacks], ["absent", "repetition_penalty", "ollama"]);
  const { reason: equals } = solved("tie", { logits: "1 1 1 2", top_k: "3", pair: ["candle", "sglang"] }).pair;
  assert.deepEqual(
    [equals.kind, equals.at, equals.rules],
    ["rule", "top_k", ["equals"]],
    "candle's selection leaves other equals than the smaller ids",
  );
  assert.equal(solved("stream").pair.reason.kind, "same");
  const { reason: greedy } = solved("measure", { temperature: "", top_k: "", top_p: "" }).pair;
  assert.deepEqual([greedy.kind, greedy.at], ["default", "temperature"], "candle without a temperature is greedy");
});

test("the window of the penalty: where it is given, where a library has none, and why they differ then", () => {
  const part = { repeat_last_n: "1", engines: ["transformers", "candle", "llama.cpp"] },
    answer = solved("penalty", { ...part, pair: ["transformers", "candle"] });
  const changed = name =>
    [
      ...api.penalised(core, name, Float32Array.of(2, 1.5, 0, -1, 1), {
        settings: answer.config.settings,
        context: [0, 0, 2, 3],
      }),
    ].flatMap((x, id) => (x === [2, 1.5, 0, -1, 1][id] ? [] : [id]));
  assert.deepEqual(
    [changed("transformers"), changed("candle"), changed("llama.cpp")],
    [[0, 3], [3], [3]],
    "a logit of 0 stays 0",
  );
  assert.deepEqual([answer.pair.reason.at, answer.pair.reason.rules], ["repetition_penalty", ["window"]]);
  assert.match(reasonText({ core, m: common, s: zh, solved: answer }), /^transformers 看全部，candle 看最后 1 个。/);
  assert.deepEqual(
    answer.runs.map(run => run.result.ignored.includes("repeat_last_n")),
    [true, false, false],
  );
  assert.equal(configOf(presets.penalty, { repeat_last_n: "1.5" }), null);
  assert.equal(configOf(presets.penalty, { repeat_last_n: "-1" }), null);
});

test("which settings an engine has: the profile and the core say the same", () => {
  for (const [name, profile] of Object.entries(core.abi.profile))
    for (const setting of ["temperature", "top_k", "top_p", "min_p", "repetition_penalty", "repeat_last_n"]) {
      const value = { temperature: 1, top_k: 1, top_p: 0.5, min_p: 0.5, repetition_penalty: 1.1, repeat_last_n: 5 }[
        setting
      ];
      assert.equal(
        api
          .engine(core, name, Float32Array.of(1, 0), { settings: { temperature: 1, [setting]: value } })
          .ignored.includes(setting),
        !has(profile, setting),
        `${name} ${setting}`,
      );
    }
});

test("every figure equals eval's", () => {
  for (const name of presetNames) {
    const answer = solved(name),
      request = requestOf(core, answer);
    const told = JSON.parse(api.evaluateLine(core, JSON.stringify(request), () => null));
    assert.equal(vectorOf(core, answer), `${JSON.stringify({ request, answer: told }, null, 1)}\n`);
    for (const { engine, n_kept, kept: ids, probs, error, words, ids: drawn } of told.engines) {
      const run = answer.runs.find(each => each.name === engine),
        stream = answer.streams.find(each => each.name === engine);
      assert.equal(run.refusal ?? null, error);
      if (!run.distribution) continue;
      assert.deepEqual(
        [[...run.distribution.ids], [...run.distribution.p], run.distribution.ids.length],
        [ids, probs, n_kept],
      );
      assert.deepEqual([stream?.ids ?? null, stream?.words ?? null], [drawn, words]);
    }
    for (const {
      engines: [first, second],
      tv,
    } of told.pairs) {
      const [i, j] = [first, second].map(each => answer.config.engines.indexOf(each));
      assert.equal(answer.gaps[j][i]?.total_variation ?? undefined, tv);
    }
  }
});

test("the test vector of libraries none of which is followed holds the error that eval gives", () => {
  const names = ["mlx-lm", "flashinfer"],
    answer = solved("measure", { temperature: "-1", engines: names, pair: names }),
    request = requestOf(core, answer);
  assert.deepEqual(request.engines, []);
  assert.equal(
    vectorOf(core, answer),
    `${JSON.stringify({ request, answer: JSON.parse(api.evaluateLine(core, JSON.stringify(request))) }, null, 1)}\n`,
  );
  assert.match(JSON.parse(vectorOf(core, answer)).answer.error.message, /^engines: found \[\]/);
});

test("seeds keep every bit; those that a generator does not take are refused for it alone", () => {
  const told = seed =>
    Object.fromEntries(
      solved("tie", { seed }).streams.map(stream => [
        stream.name,
        stream.allowed === undefined ? String(stream.ids) : "refused",
      ]),
    );
  assert.notEqual(told("9007199254740993").candle, told("9007199254740992").candle);
  assert.notEqual(told("18446744073709551615").candle, told("18446744073709551614").candle);
  assert.equal(told("4294967296").transformers, told("0").transformers, "torch takes the low 32 bits");
  assert.deepEqual(
    [told("4294967296")["llama.cpp"], told("9007199254740992")["transformers.js"]],
    ["refused", "refused"],
  );
});

test("draws in slices are one stream: the record of candle's 10,000, and a stop at once", async () => {
  const answer = solved("tie"),
    count = ids => ids.reduce((counts, id) => (counts[id]++, counts), [0, 0, 0, 0]);
  const drawn = draws => api.draw(core, answer.runs[1].result, 4, api.seeded(core, "chacha12", "42"), draws).ids;
  assert.deepEqual(count(drawn(10_000)), [7349, 2651, 0, 0]);
  let last;
  await drawAll(core, answer, "candle", tally => ((last = tally), true));
  assert.deepEqual([last.done, [...last.counts]], [DRAWS, count(drawn(DRAWS))]);
  for (const { frequency, p, error } of sharesOf(last, answer.runs[1], 4))
    assert.ok(Math.abs(frequency - p) < 5 * error);
  let calls = 0;
  await drawAll(core, answer, "candle", () => (calls++, false));
  assert.equal(calls, 1);
});
