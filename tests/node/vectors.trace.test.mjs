// What the filters of transformers, candle and llama.cpp compare, id by id, in both modules; how the other engines'
// sums stand to what they keep; and that a trace changes nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readRow, readVectors } from "./support.mjs";

const { cases } = readVectors("trace.json");
const rowOf = ({ logits, logits_file }) =>
  logits_file ? readRow(logits_file.replace("logits/", "")) : Float32Array.from(logits);
const traced = (core, name, row, settings, setting, ids) =>
  api.engine(core, name, row, { settings, settingsOnly: true, trace: { setting, ids } });
/** From a float's size to the next float. */
const spacing = x => {
  const bits = new Uint32Array(new Float32Array([Math.abs(x)]).buffer);
  bits[0]++;
  return new Float32Array(bits.buffer)[0] - Math.fround(Math.abs(x));
};

for (const [kind, core] of Object.entries(cores))
  test(`${kind}: values, thresholds and verdicts equal the packages' arithmetic`, () => {
    let compared = 0;
    for (const each of cases)
      for (const [name, want] of Object.entries(each.engines)) {
        const { trace } = traced(core, name, rowOf(each), each.settings, each.setting, each.ids),
          at = `${each.name}, ${name}`;
        assert.deepEqual([trace.compared, trace.threshold], [want.compared, want.threshold], at);
        for (const [index, told] of want.rows.entries()) {
          const { id, found, value, kept, ulps } = trace.rows[index];
          assert.equal(id, each.ids[index]);
          assert.deepEqual(found ? [value, kept] : null, told, `${at}, id ${id}`);
          const scale =
            name === "llama.cpp" && each.setting === "min_p"
              ? Math.max(Math.abs(want.threshold), Math.max(...rowOf(each)))
              : want.threshold;
          if (found) assert.equal(ulps, (value - want.threshold) / spacing(scale), `${at}, id ${id}`);
          compared += Number(found);
        }
      }
    assert.ok(compared > 900, `${compared} values`);
  });

/** Does the value decide as the rule says? The largest stays whatever its sum. */
const decides = { logit: (v, t) => v >= t, p: (v, t) => v >= t, "sum-from-below": (v, t) => v > t };

test("every engine: what is compared agrees with what is kept, whatever the order of the steps", () => {
  const rows = [
    [3, 2.5, 2, 1, 0.5, 0],
    [1, 2, 2, 1, 3, 3, 0],
    [5, 4.5, 4, 2, 1, 0, -1, -3],
  ];
  for (const name of Object.keys(cores.simd.abi.profile))
    for (const row of rows)
      for (const [setting, settings] of [
        ["top_k", { top_k: 3 }],
        ["top_p", { top_p: 0.7 }],
        ["top_p", { top_k: 4, top_p: 0.7 }],
        ["min_p", { min_p: 0.2 }],
        ["min_p", { top_p: 0.9, min_p: 0.2 }],
      ]) {
        const call = { temperature: 0.9, ...settings },
          ids = row.map((_, id) => id),
          logits = Float32Array.from(row);
        const { trace, kept, by_rounding } = traced(cores.simd, name, logits, call, setting, ids),
          at = `${name} ${JSON.stringify(call)} ${row}`;
        const plain = api.engine(cores.simd, name, logits, { settings: call, settingsOnly: true });
        assert.deepEqual([...kept], [...plain.kept], at);
        if (!trace.compared) continue;
        const found = trace.rows.filter(each => each.found),
          stays = found.filter(each => each.kept),
          { steps } = cores.simd.abi.profile[name];
        for (const each of found) {
          const rule = decides[trace.compared],
            least = Math.max(...found.map(({ value }) => value));
          if (rule && !(setting === "top_k") && each.value !== least)
            assert.equal(each.kept, rule(each.value, trace.threshold), `${at} id ${each.id}`);
          if (setting === "top_k" && each.ulps !== 0)
            assert.equal(each.kept, each.value > trace.threshold, `${at} id ${each.id}`);
          if (each.by_rounding) assert.ok(by_rounding, at);
        }
        const after = Object.keys(settings).filter(key => steps.indexOf(key) > steps.indexOf(setting));
        if (after.length === 0)
          assert.deepEqual(
            stays.map(({ id }) => id),
            [...kept].sort((a, b) => a - b),
            at,
          );
      }
});

test("on the line: marked as decided by rounding, and its result with it", () => {
  const ln = [0.5, 0.3, 0.15, 0.05].map(Math.log),
    row = Float32Array.from(ln);
  for (const name of ["transformers", "candle", "llama.cpp", "vllm", "sglang"]) {
    const { trace, by_rounding } = traced(cores.simd, name, row, { temperature: 1, top_p: 0.8 }, "top_p", [0, 1, 2, 3]);
    assert.ok(by_rounding, name);
    assert.deepEqual(
      trace.rows
        .filter(each => each.by_rounding)
        .map(({ id }) => id)
        .slice(0, 1),
      [2],
      name,
    );
  }
});

test("what a heap keeps, and a filter that an engine has not or that is off, have no trace; refusals have none", () => {
  const of = (name, settings, setting) =>
    traced(cores.simd, name, Float32Array.of(2, 1, 0), { temperature: 1, ...settings }, setting, [0, 1]).trace;
  for (const each of [
    of("exllamav2", { top_p: 0.5 }, "top_p"),
    of("chapter", { top_p: 0.5 }, "top_p"),
    of("candle", { min_p: 0.5 }, "min_p"),
    of("transformers", {}, "top_p"),
  ])
    assert.deepEqual(each, {
      compared: "",
      threshold: 0,
      rows: [0, 1].map(id => ({ id, found: false, value: 0, ulps: 0, kept: false, by_rounding: false })),
    });
  assert.equal(of("transformers", { temperature: 0 }, "top_p"), undefined);
});

test("a trace that cannot be made is refused with what is allowed", () => {
  const ask = trace => () => api.engine(cores.simd, "candle", Float32Array.of(2, 1), { trace });
  for (const trace of [
    { setting: "temperature", ids: [0] },
    { setting: "other", ids: [0] },
    { setting: "top_p", ids: [] },
    { setting: "top_p", ids: [2] },
    { setting: "top_p", ids: [-1] },
    { setting: "top_p", ids: Array(65).fill(0) },
  ])
    assert.throws(
      ask(trace),
      error =>
        error.code === "ERR_PARAM" && error.path[0] === "trace" && /1 to 64 ids of the logits/.test(error.message),
      JSON.stringify(trace),
    );
});

test("eval takes it and gives it", () => {
  const request = {
    op: "compare",
    engines: ["transformers", "candle"],
    logits: [3, 2.5, 2, 1, 0.5, 0],
    settings: { temperature: 1, top_k: 4, top_p: 0.8 },
    trace: { setting: "top_p", ids: [2, 5] },
  };
  const told = JSON.parse(api.evaluateLine(cores.simd, JSON.stringify(request), () => null));
  for (const { engine, trace } of told.engines)
    assert.deepEqual(
      trace,
      traced(cores.simd, engine, Float32Array.from(request.logits), request.settings, "top_p", [2, 5]).trace,
    );
});
