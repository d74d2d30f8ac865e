// Every way the core refuses: status, position and message of the error that a caller sees, and nothing left behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores } from "./support.mjs";

const core = cores.simd;
const ALLOWED = {
  logits: "1 to 64 finite numbers of magnitude at most 2^1000",
  tau: "a finite number, at least 0",
  k: "a whole number from 1 to the number of logits",
  u: "at least 0 and below 1",
  tie: "strict or threshold",
  share: "renormalised or zeroed",
  temperature: "a finite number above 0 that leaves the largest logit finite",
};
const TEXT = {
  ERR_PARAM: "outside the allowed range",
  ERR_EMPTY: "empty",
  ERR_LENGTH: "too many entries",
  ERR_NAN: "not a number",
  ERR_INF: "infinite",
  ERR_MASKED: "every entry is -inf",
  ERR_SHORT: "fewer tokens than steps",
  ERR_REFUSED: "refused by this rule: a batch of more than one, and an EOS",
};

const ROW = "1 to 1048576 numbers, none of them NaN or +inf, not all -inf";

function refuses(run, code, param, index = 0, allowed = ALLOWED[param]) {
  const mark = core.call.smp_arena_mark();
  assert.throws(run, error => {
    assert.ok(error instanceof api.SmpError && error instanceof Error);
    assert.equal(error.name, "SmpError");
    assert.equal(error.code, code);
    assert.deepEqual(error.where, { param, index });
    assert.equal(error.path[0], param);
    assert.equal(error.allowed, allowed);
    assert.ok(error.message.includes(TEXT[code]), error.message);
    assert.ok(error.message.endsWith(`allowed: ${allowed}`), error.message);
    assert.ok(error.message.startsWith(param), error.message);
    return true;
  });
  assert.equal(core.call.smp_arena_mark(), mark, "the arena was not given back");
}

const good = [0, 1, 2, 3];
const options = { tau: 0.8, k: 2, u: 0.5 };
const lab =
  (logits, change = {}) =>
  () =>
    api.lab(core, logits, { ...options, ...change });

test("no logits, and too many", () => {
  refuses(lab([]), "ERR_EMPTY", "logits");
  refuses(lab(new Array(65).fill(0)), "ERR_LENGTH", "logits");
  assert.equal(api.lab(core, new Array(64).fill(0), options).n, 64);
});

test("a logit that is NaN, infinite or too large, with its index", () => {
  refuses(lab([0, NaN, NaN]), "ERR_NAN", "logits", 1);
  refuses(lab([0, 1, Infinity]), "ERR_INF", "logits", 2);
  refuses(lab([-Infinity, 1]), "ERR_INF", "logits", 0);
  refuses(lab([0, 1, 2, 2 ** 1000 * (1 + 2 ** -52)]), "ERR_PARAM", "logits", 3);
  refuses(lab([0, -(2 ** 1001)]), "ERR_PARAM", "logits", 1);
  assert.equal(api.lab(core, [2 ** 1000, -(2 ** 1000)], options).id, 0);
});

test("the message names the logit", () => {
  for (const [logits, index] of [
    [[0, NaN], 1],
    [[Infinity], 0],
    [[0, 0, 2 ** 1001], 2],
  ])
    assert.throws(lab(logits, { k: 1 }), error => error.message.includes(`logits[${index}]`));
});

test("tau", () => {
  for (const tau of [-1, -5e-324, NaN, Infinity, -Infinity]) refuses(lab(good, { tau }), "ERR_PARAM", "tau");
  for (const tau of [5e-324, 1e308, Number.MAX_VALUE]) assert.ok(!api.lab(core, good, { ...options, tau }).greedy);
});

test("k", () => {
  for (const k of [0, 5, 1.5, -1, NaN, Infinity, 2 ** 32, 2 ** 32 + 1]) refuses(lab(good, { k }), "ERR_PARAM", "k");
  for (const k of [0, 4.5]) refuses(() => api.keep(core, good, k, "strict"), "ERR_PARAM", "k");
});

test("u", () => {
  for (const u of [1, -0.1, -5e-324, NaN, Infinity]) refuses(lab(good, { u }), "ERR_PARAM", "u");
  assert.equal(api.lab(core, good, { ...options, u: 1 - 2 ** -53 }).id, 3);
});

test("k and u must be legal at tau = 0 too", () => {
  refuses(lab(good, { tau: 0, k: 5 }), "ERR_PARAM", "k");
  refuses(lab(good, { tau: 0, u: 1 }), "ERR_PARAM", "u");
});

test("tie and share", () => {
  refuses(lab(good, { tie: "loose" }), "ERR_PARAM", "tie");
  refuses(lab(good, { share: "half" }), "ERR_PARAM", "share");
  refuses(() => api.keep(core, good, 2, ""), "ERR_PARAM", "tie");
});

test("rows: the logits of the call, not the row of the core", () => {
  const row = (values, temperature) => () => api.softmax(core, Float32Array.from(values), temperature);
  refuses(row([]), "ERR_EMPTY", "logits", 0, ROW);
  refuses(() => api.softmax(core, new Float32Array(2 ** 20 + 1)), "ERR_LENGTH", "logits", 0, ROW);
  refuses(row([0, 1, NaN, Infinity]), "ERR_NAN", "logits", 2, ROW);
  refuses(row([0, Infinity, NaN]), "ERR_INF", "logits", 1, ROW);
  refuses(row([-Infinity, -Infinity]), "ERR_MASKED", "logits", 0, ROW);
  for (const temperature of [0, -1, NaN, Infinity, 1e-39])
    refuses(row([0, 1], temperature), "ERR_PARAM", "temperature");
  assert.equal(api.softmax(core, new Float32Array(2 ** 20)).probabilities[7], 2 ** -20);
});

test("texts by number, with a default for unknown ones", () => {
  const { call, memory } = core;
  const bytes = new Uint8Array(memory.buffer);
  const text = at => new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  for (const [name, value] of core.abi.status) assert.equal(text(call.smp_status_text(value)), TEXT[name] ?? "ok");
  for (const [, value, name, allowed] of core.abi.param) {
    assert.equal(text(call.smp_param_text(value)), name);
    assert.equal(text(call.smp_param_allowed(value)), allowed);
  }
  assert.equal(text(call.smp_status_text(1)), "unknown status");
  assert.equal(text(call.smp_param_text(99)), "");
});

test("library calls name their own arguments, and where in them the fault lies", () => {
  const three = Float32Array.of(3, 2, 1),
    batch = { eos: [1], pad: 0, maxNewTokens: 2 },
    chain = (...steps) => api.chain(core, three, { steps });
  const cases = [
    [() => api.topLogP(core, three, 4), ["m"], /^m: outside/],
    [
      () => api.distance(core, Float32Array.of(1, 0), Float32Array.of(0.5, NaN)),
      ["q", 1],
      /^q\[1\]: not a number; allowed: .* from 0 to 1$/,
    ],
    [() => api.map(core, [1, 2], { tau: 1, k: 1, u: 0 }, [1, -1]), ["taus", 1], /^taus\[1\]: /],
    [() => api.round(core, [1, NaN], "float16"), ["values", 1], /^values\[1\]: not a number/],
    [() => chain(["top_k", 2], ["temperature", 0]), ["steps", 1, 1], /^steps\[1\] temperature: outside/],
    [
      () => chain(["top_p", 0.5, { tie: "x" }]),
      ["steps", 0, 2, "tie"],
      /^steps\[0\] top_p\.tie: found "x"; allowed: strict/,
    ],
    [
      () =>
        chain([
          "logit_bias",
          [
            [0, 1],
            [3, 1],
          ],
        ]),
      ["steps", 0, 1, 1],
      /^steps\[0\] logit_bias\[1\]: found \[3,1\]; allowed/,
    ],
    [
      () => api.chain(core, three, { steps: [], context: [0, 9] }),
      ["context", 1],
      /^context\[1\]: .* ids of the logits$/,
    ],
    [() => api.chain(core, Float32Array.of(NaN), { steps: [] }), ["logits", 0], /^logits\[0\]: not a number/],
    [() => api.chainRows(core, 0, [{ steps: [] }], () => {}), ["n"], /^n: empty/],
    [() => api.engine(core, "gpt", three), ["engine"], /^engine: found "gpt"; allowed: transformers/],
    [
      () => api.engine(core, "candle", three, { settings: { topk: 1 } }),
      ["settings", "topk"],
      /^settings\.topk: found/,
    ],
    [
      () => api.engine(core, "candle", three, { settings: { top_k: 1.5 } }),
      ["settings", "top_k"],
      /^settings\.top_k: found 1\.5/,
    ],
    [
      () => api.engine(core, "candle", three, { settings: { top_p: NaN } }),
      ["settings", "top_p"],
      /^settings\.top_p: outside/,
    ],
    [() => api.engine(core, "candle", three, { variants: ["new", "x"] }), ["variants", 1], /^variants\[1\]: found "x"/],
    [() => api.engine(core, "candle", three, { variants: ["batch"] }), ["variants"], /^variants: .* candle has$/],
    [
      () =>
        api.engine(core, "llama.cpp", three, {
          samplers: [
            ["temp", 1],
            ["top_k", 0.5],
          ],
        }),
      ["samplers", 1],
      /^samplers\[1\] top_k: outside/,
    ],
    [
      () => api.engine(core, "llama.cpp", three, { samplers: [["xtc", 1, 0, 1, -1]] }),
      ["samplers", 0, 4],
      /^samplers\[0\] xtc seed: found "-1"/,
    ],
    [
      () => api.engine(core, "candle", three, { trace: { setting: "top_p", ids: [0, 3] } }),
      ["trace", "ids", 1],
      /^trace\.ids\[1\]: /,
    ],
    [() => api.settingsInForce(core, "candle", 0), ["n"], /^n: empty/],
    [() => api.seeded(core, "mt19937", "x"), ["seed"], /^seed: found "x"; allowed/],
    [
      () =>
        api.stop(
          core,
          [
            [1, 2],
            [3, -4],
          ],
          batch,
        ),
      ["candidates", 1, 1],
      /^candidates\[1\]\[1\]: /,
    ],
    [() => api.stop(core, [[1, 2], [3]], batch), ["candidates", 1], /^candidates\[1\]: fewer tokens/],
    [() => api.stop(core, [], batch), ["candidates"], /^candidates: empty/],
    [() => api.stop(core, [[1, 2]], { ...batch, maxNewTokens: 0 }), ["maxNewTokens"], /^maxNewTokens: outside/],
    [() => api.stopOne(core, [1], [5], batch), ["candidates"], /^candidates: fewer tokens/],
  ];
  for (const [run, path, message] of cases)
    assert.throws(run, error => {
      assert.ok(error instanceof api.SmpError, String(error));
      assert.deepEqual(error.path, path, error.message);
      assert.match(error.message, message);
      assert.ok(error.message.endsWith(`; allowed: ${error.allowed}`), error.message);
      return true;
    });
});
