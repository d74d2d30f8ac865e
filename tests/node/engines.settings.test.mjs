// What the core says of each setting of an engine, against what the engine does with it; and the tables
// of docs/engines.md, which are made from it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { tables, withTables } from "../../docs/engines.mjs";
import { api, cores, fromRoot, importSource } from "./support.mjs";

const { planOf } = await importSource("web/compare/migrate.ts");
const { valuesOf } = await importSource("web/compare/explain.ts");

const core = cores.simd,
  names = Object.keys(core.abi.profile);
const ROW = Float32Array.of(2.5, 2, 2, 1.25, 1, 0, -1, -3),
  CONTEXT = [0, 3, 3, 6];
const VALUES = {
  temperature: [-1, 0, 5e-7, 5e-6, 0.005, 0.02, 1, 2],
  top_k: [-(2 ** 31), -2, -1, 0, 1, 3, 7, 8, 9, 2 ** 31 - 1],
  top_p: [-0.5, 0, 1e-50, 0.5, 0.9, 1, 1.5],
  min_p: [-0.5, 0, 0.1, 0.6, 1, 1.5],
  typical_p: [-0.5, 0, 0.5, 1, 1.5],
  epsilon_cutoff: [-0.5, 0, 0.1, 1],
  eta_cutoff: [-0.5, 0, 0.1, 1],
  top_h: [-0.5, 0, 0.4, 1, 1.5],
  repetition_penalty: [-1, 0, 1, 1.3, 2, 2.5],
  repeat_last_n: [0, 1, 4, 2 ** 32 - 1],
  prompt_ignore_length: [0, 2, 9],
};

/** What an engine leaves, or says, or the parameter of the call that is not followed. */
function outcome(name, settings, options) {
  try {
    const { refusal, kept, weights, drawing, ignored } = api.engine(core, name, ROW, {
      settings,
      context: CONTEXT,
      ...options,
    });
    return { refusal, kept: [...kept], weights: [...weights], drawing, ignored };
  } catch (error) {
    if (!(error instanceof api.SmpError)) throw error;
    return { param: error.where.param };
  }
}

const without = (settings, name) => Object.fromEntries(Object.entries(settings).filter(([key]) => key !== name));

for (const [setting, values] of Object.entries(VALUES))
  test(`what is said of ${setting} is what each engine does`, () => {
    for (const name of names)
      for (const value of values)
        for (const more of [
          {},
          { temperature: 1.5 },
          { temperature: 1.5, top_k: 3 },
          { temperature: 1.5, top_k: 8, top_p: 0.9 },
          { temperature: 1.5, repetition_penalty: 1.3 },
          { greedy: true },
        ]) {
          if (setting in more) continue;
          const settings = { ...more, [setting]: value },
            at = `${name} ${JSON.stringify(settings)}`,
            options = { settingsOnly: true };
          const all = api.settingsInForce(core, name, ROW.length, { settings, context: CONTEXT, ...options }),
            state = all[setting];
          const found = outcome(name, settings, options),
            bare = outcome(name, without(settings, setting), options);
          if (state.why === "not-followed") assert.equal(found.param, setting, at);
          else if (state.why === "refused") assert.equal(found.refusal, state.refusal, at);
          else if (state.why === "moved")
            assert.deepEqual(found, outcome(name, { ...settings, [setting]: state.value }, options), at);
          else if (state.why === "absent") assert.ok(found.ignored.includes(setting), at);
          else if (state.on) assert.deepEqual([state.why, state.value], ["given", value], at);
          else if (state.why === "sees-none")
            assert.deepEqual(
              found,
              outcome(name, without(without(settings, setting), "repetition_penalty"), options),
              at,
            );
          else if (state.why === "keeps-all" && name === "llama.cpp")
            assert.deepEqual(found.kept.toSorted(), bare.kept.toSorted(), at); // it sorts
          // without one it is greedy
          else if (!(setting === "temperature" && name === "candle")) assert.deepEqual(found, bare, at);
          if (found.refusal === "" && all.greedy.on) assert.equal(found.kept.length, 1, at);
        }
  });

test("settings that are in force do something: each on some row", () => {
  const change = {
    temperature: 2,
    top_k: 3,
    top_p: 0.5,
    min_p: 0.6,
    typical_p: 0.5,
    epsilon_cutoff: 0.1,
    eta_cutoff: 0.1,
    top_h: 0.4,
    repetition_penalty: 1.3,
  };
  for (const name of names)
    for (const [setting, value] of Object.entries(change)) {
      const settings = { temperature: 1, [setting]: value },
        state = api.settingsInForce(core, name, ROW.length, { settings, context: CONTEXT, settingsOnly: true })[
          setting
        ];
      assert.equal(state.on, core.abi.profile[name].steps.includes(setting), `${name} ${setting}`);
      const found = outcome(name, settings, { settingsOnly: true }),
        bare = outcome(name, { temperature: 1 }, { settingsOnly: true });
      if (state.on) assert.notDeepEqual(found, bare, `${name} ${setting}`);
    }
});

test("which top_k is off: from 0 down, unless it is refused; from the row's length up it keeps all", () => {
  const why = (name, top_k) => api.settingsInForce(core, name, 8, { settings: { temperature: 1, top_k } }).top_k.why;
  const told = Object.fromEntries(
    names.map(name => [name, [-2, -1, 0, 1, 7, 8, 9].map(k => why(name, k)[0]).join("")]),
  );
  const off = "ooogg" + "kk"; // o: off, g: given, k: keeps all, r: refused, a: absent
  assert.deepEqual(told, {
    transformers: "rroggkk",
    candle: "rrrggkk",
    "llama.cpp": off,
    "transformers.js": off,
    "llms-from-scratch": "rrrggkr",
    chapter: "rrrggkr",
    "mlx-lm": "ooog" + "grr",
    vllm: "rooggkk",
    sglang: "rorggkk",
    flashinfer: "rrrggkk",
    ollama: off,
    exllamav2: off,
    "llama2.c": "aaaaaaa",
  });
});

test("a top-p of 0 keeps one where the engine does not turn it off", () => {
  for (const [name, kept] of [
    ["transformers", 1],
    ["llama.cpp", 1],
    ["ollama", 1],
    ["candle", 8],
    ["mlx-lm", 8],
    ["exllamav2", 8],
    ["llama2.c", 8],
  ]) {
    const settings = { temperature: 1, top_p: 0, top_k: 0 };
    const { top_k, ...alone } = settings,
      given = name === "candle" ? alone : settings;
    assert.equal(outcome(name, given).kept.length, kept, name);
    assert.equal(api.settingsInForce(core, name, 8, { settings: given }).top_p.on, kept === 1, name);
    assert.equal(
      planOf(core, name, { logits: ROW, settings: given, context: [] }).ops.some(({ setting }) => setting === "top_p"),
      kept === 1,
      name,
    );
  }
});

test("page and core have one answer: what is off is null, and no step of a migration", () => {
  for (const name of names)
    for (const [setting, values] of Object.entries(VALUES))
      for (const value of ["temperature", "top_k", "top_p", "min_p", "repetition_penalty"].includes(setting)
        ? values
        : []) {
        const settings = { temperature: 0.7, [setting]: value },
          config = { logits: ROW, settings, context: CONTEXT };
        const state = api.settingsInForce(core, name, ROW.length, { settings, context: CONTEXT })[setting];
        const shown = valuesOf(core, name, config)[setting],
          step = planOf(core, name, config).ops.find(op => op.setting === setting);
        if (state.on) assert.deepEqual([shown, step?.value], [state.value, state.value], `${name} ${setting} ${value}`);
        if (state.why === "off" && setting !== "temperature")
          assert.deepEqual([shown, step], [null, undefined], `${name} ${setting} ${value}`);
      }
});

test("settings of a call that is wrong are refused as the engine's run is", () => {
  const asked = (name, n, options) => () => api.settingsInForce(core, name, n, options);
  assert.throws(asked("gpt", 8), { code: "ERR_PARAM", where: { param: "engine", index: 0 } });
  assert.throws(asked("candle", 0), { code: "ERR_EMPTY" });
  assert.throws(asked("candle", 2 ** 20 + 1), { code: "ERR_LENGTH" });
  assert.throws(asked("candle", 8, { settings: { top_p: NaN } }), { where: { param: "top_p", index: 0 } });
  assert.throws(asked("candle", 8, { settings: { top_k: 1.5 } }), { where: { param: "top_k", index: 0 } });
  assert.throws(asked("candle", 8, { context: [1, 8] }), { where: { param: "context", index: 1 } });
  assert.throws(asked("candle", 8, { variants: ["batch"] }), { where: { param: "variants", index: 0 } });
});

test("the tables of docs/engines.md are those of the core", () => {
  const text = readFileSync(fromRoot("docs/engines.md"), "utf8");
  assert.equal(Object.keys(tables(api, core)).length, 3);
  assert.equal(text, withTables(text, tables(api, core)), "run: node docs/engines.mjs");
});
