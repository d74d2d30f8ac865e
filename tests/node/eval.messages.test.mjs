// What eval says of a line that it refuses: in the line's own words, with what was found and what is allowed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, llama, messageOf, told } from "./asked.mjs";

// ---- An option that does nothing --------------------------------------------------------------------------------------

test("what is given twice, or does nothing, is refused", () => {
  const cases = [
    [
      '{"op":"lab","logits":[0,1],"tau":1,"tau":2,"k":1,"u":0}',
      "tau: given twice; allowed: each key of an object once",
    ],
    ['{"op":"lab","logits":[0,1],"tau":1,"t\\u0061u":2,"k":1,"u":0}', "tau: given twice"],
    [
      '{"op":"engine","engine":"candle","logits":[1,2],"settings":{"top_k":1,"top_p":0.5,"top_k":2}}',
      "settings.top_k: given twice",
    ],
    [
      '{"op":"chain","logits":[0,1],"chain":[["temperature",1],["top_k",1,{"tie":"last","tie":"strict"}]]}',
      "chain[1][2].tie: given twice",
    ],
    [
      chain(["temperature", 1, { last: 3 }]),
      "chain[0] temperature.last: does nothing here; allowed: last with repetition_penalty, presence_penalty, frequency_penalty",
    ],
    [
      chain(["top_k", 2], ["min_p", 0.1, { tie: "strict" }]),
      "chain[1] min_p.tie: does nothing here; allowed: tie with top_k, top_p",
    ],
    [chain(["top_k", 2, { last: 0 }]), "chain[0] top_k.last: does nothing here"],
    [chain(["top_k", 2, { ties: "last" }]), "chain[0] top_k.ties: no such option; allowed: tie, last"],
    [llama({ trace: { setting: "top_p", ids: [0], all: true } }), "trace.all: no such field; allowed: setting, ids"],
    [
      llama({ greedy: false, settings: { greedy: true } }),
      "greedy: given twice, beside the settings and among them; allowed: once",
    ],
    [llama({ settings_only: true, spec: [["greedy"]] }), "settings_only: does nothing beside spec"],
    [
      { op: "compare", engines: ["vllm", "candle", "vllm"], logits: [1, 2] },
      'engines[2]: found "vllm" again; allowed: each engine once',
    ],
    [{ op: "compare", engines: Array(2000).fill("candle"), logits: [1, 2] }, 'engines[1]: found "candle" again'],
  ];
  for (const [line, message] of cases)
    assert.ok(messageOf(line).startsWith(message), `${messageOf(line)}\nshould be ${message}`);
});

test("a number that no float holds is not quietly infinite", () => {
  for (const value of [-1e39, 1e39]) {
    assert.match(
      messageOf({ ...chain(["top_k", 1]), logits: [1, value] }),
      new RegExp(`^logits\\[1\\]: found ${value.toExponential().replace("+", "\\+")}; .* write "-inf"$`),
    );
    assert.match(messageOf({ op: "engine", engine: "candle", logits: [1, value] }), /^logits\[1\]: found/);
    assert.match(
      messageOf(chain(["logit_bias", [[3, value]]])),
      /^chain\[0\] logit_bias\[0\]: found \[3,-?1e\+39\]; allowed: .*-inf/,
    );
  }
  assert.match(
    messageOf('{"op":"chain","logits":[1,-1e999],"chain":[]}'),
    /^logits\[1\]: found a number beyond .* write "inf" or "-inf"$/,
  );
  assert.match(messageOf({ ...chain(), logits: [1, "-0x1p+1024"] }), /^logits\[1\]: found a number beyond/);
  assert.deepEqual(told({ ...chain(), logits: [1, "-inf", -3.4028234663852886e38] }).kept, [0, 2]);
  assert.deepEqual(told(chain(["logit_bias", [[3, "-inf"]]])).kept, [0, 1, 2]);
});

// ---- Messages -----------------------------------------------------------------------------------------------------------

/** A line whose second filter is in question. */
const filtered = (filter, more = {}) => ({
  op: "lab",
  logits: [1, 2],
  tau: 1,
  u: 0,
  filters: [["top_p", 0.9], filter],
  ...more,
});

test("messages name field, step, id and value as they were written", () => {
  const cases = [
    [
      chain(["repetition_penalty", 1.5, { last: -1 }]),
      "chain[0] repetition_penalty.last: found -1; allowed: a whole number from 0 to 4294967295",
    ],
    [chain(["top_k", 2], ["temperature", -1]), "chain[1] temperature: found -1; allowed: a finite number above 0"],
    [chain(["temperature", "nan"]), 'chain[0] temperature: found "nan"; allowed'],
    [chain(["temperature", "hot"]), 'chain[0] temperature: found "hot"; allowed: a number'],
    [chain(["top_k", 1.5]), "chain[0] top_k: found 1.5; allowed: a whole number, at least 1"],
    [chain(["top_p", 0.5, { tie: "both" }]), 'chain[0] top_p.tie: found "both"; allowed: strict, threshold, last'],
    [chain(["top_q", 1]), 'chain[0][0]: found "top_q"; allowed: temperature, '],
    [chain(["suppress_tokens", [1, 7]]), "chain[0] suppress_tokens[1]: found 7; allowed: ids of the logits, 0 to 3"],
    [
      chain([
        "logit_bias",
        [
          [0, 1],
          [-4, 1],
        ],
      ]),
      "chain[0] logit_bias[1]: found [-4,1]; allowed: ids of the logits, 0 to 3",
    ],
    [
      chain([
        "logit_bias",
        [
          [0, 1],
          [2, "x"],
        ],
      ]),
      'chain[0] logit_bias[1][1]: found "x"',
    ],
    [chain(["logit_bias", [[0, 1, 2]]]), "chain[0] logit_bias[0]: found [0,1,2]; allowed: a pair of id and bias"],
    [{ ...chain(), context: [0, 4] }, "context[1]: found 4; allowed: ids of the logits"],
    [{ ...chain(), logits: [1, "nan"] }, 'logits[1]: found "nan"; not a number; allowed'],
    [{ ...chain(), u: 1 }, "u: found 1; allowed: at least 0 and below 1"],
    [{ op: "lab", logits: [1, "inf"], tau: 1, k: 1, u: 0 }, 'logits[1]: found "inf"; infinite; allowed'],
    [{ op: "lab", logits: [1, 2], tau: 1, k: 3, u: 0 }, "k: found 3; allowed"],
    [{ op: "lab", logits: [1, 2], tau: 1, u: 0 }, 'k: missing; allowed: k, or filters such as [["top_k",2],'],
    [filtered(["top_p", 0.9], { k: 1 }), "k: found 1, and filters; allowed: one of the two"],
    [filtered(["top_p", 0.9], { tie: "strict" }), 'tie: found "strict", and filters; allowed: one of the two'],
    [{ op: "lab", logits: [1, 2], tau: 1, u: 0, filters: "top_p" }, 'filters: found "top_p"; allowed: an array'],
    [
      { op: "lab", logits: [1, 2], tau: 1, u: 0, filters: Array(9).fill(["top_p", 1]) },
      "filters: found 9 filters; allowed: at most 8",
    ],
    [filtered("top_p"), 'filters[1]: found "top_p"; allowed: arrays such as ["top_k", 2'],
    [filtered(["top_p"]), 'filters[1]: found ["top_p"]; allowed: arrays such as'],
    [filtered(["temperature", 1]), 'filters[1][0]: found "temperature"; allowed: top_k, top_p, min_p'],
    [filtered(["constructor", 1]), 'filters[1][0]: found "constructor"; allowed: top_k, top_p, min_p'],
    [filtered(["top_k", 3]), "filters[1] top_k: found 3; allowed: a whole number from 1 to the number of logits"],
    [filtered(["top_k", 1.5]), "filters[1] top_k: found 1.5; allowed: a whole number from 1"],
    [filtered(["top_p", "0.9"]), 'filters[1] top_p: found "0.9"; allowed: a number'],
    [filtered(["top_p", 1.1]), "filters[1] top_p: found 1.1; allowed: a number from 0 to 1"],
    [filtered(["min_p", "nan"]), 'filters[1] min_p: found "nan"; allowed: a number from 0 to 1'],
    [
      filtered(["min_p", 0.1, { tie: "strict" }]),
      "filters[1] min_p.tie: does nothing here; allowed: tie with top_k, top_p",
    ],
    [filtered(["top_p", 0.5, { until: "x" }]), "filters[1] top_p.until: no such option; allowed: tie"],
    [filtered(["top_p", 0.5, { tie: 1 }]), "filters[1] top_p.tie: found 1; allowed: a string"],
    [
      filtered(["top_p", 0.5, { tie: "threshold" }]),
      'filters[1] top_p.tie: found "threshold"; allowed: strict or inclusive',
    ],
    [filtered(["top_k", 1, { tie: "last" }]), 'filters[1] top_k.tie: found "last"; allowed: strict or threshold'],
    [filtered(["top_p", 0.5], { tau: -1 }), "tau: found -1; allowed: a finite number"],
    [
      chain(["top_p", 0.5, { tie: "inclusive" }]),
      'chain[0] top_p.tie: found "inclusive"; allowed: strict, threshold, last',
    ],
    [llama({ settings: { temperature: "nan" } }), 'settings.temperature: found "nan"; allowed'],
    [llama({ settings: { top_k: 1.5 } }), "settings.top_k: found 1.5; allowed"],
    [llama({ engine: "gpt" }), 'engine: found "gpt"; allowed: transformers'],
    [llama({ engine: "candle", replacement: true }), "replacement: found true; allowed"],
    [llama({ seed: "1", draws: 0 }), "draws: found 0; allowed"],
    [llama({ seed: "4294967295" }), 'seed: found "4294967295"; allowed'],
    [
      llama({
        spec: [
          ["temp", 1],
          ["top_k", 1.5],
        ],
      }),
      'spec[1] top_k: found ["top_k",1.5]; allowed',
    ],
    [llama({ spec: [["xtc", 0.5, 0.1, 1, "4294967295"]] }), 'spec[0] xtc seed: found "4294967295"; allowed: '],
    [
      {
        op: "stop",
        candidates: [
          [1, 2],
          [3, 4294967295],
        ],
        pad: 0,
        max_new_tokens: 2,
      },
      "candidates[1][1]: found 4294967295; allowed",
    ],
    [
      { op: "stop", candidates: [[1, 2], [3]], pad: 0, max_new_tokens: 2 },
      "candidates[1]: found [3]; fewer tokens than steps; allowed",
    ],
    [{ op: "stop", candidates: [[1, 2]], pad: -1, max_new_tokens: 2 }, "pad: found -1; allowed"],
    [{ op: "stop-one", prompt: [1], candidates: [3, 3], eos: [4, -1], max_new_tokens: 2 }, "eos[1]: found -1; allowed"],
  ];
  for (const [line, message] of cases)
    assert.ok(messageOf(line).startsWith(message), `${messageOf(line)}\nshould be ${message}`);
});

test("temperature 0 in a chain names greedy, and what it names works", () => {
  const message = messageOf(chain(["temperature", 0])),
    step = JSON.parse(/write (\[.*\])$/.exec(message)[1]);
  assert.match(message, /0 is greedy/);
  assert.deepEqual(told({ op: "chain", logits: [1, 3, 3], chain: [step] }).kept, [1]);
});

test("a seed of xtc may be a decimal string", () => {
  const drawn = seed =>
    told({
      op: "engine",
      engine: "llama.cpp",
      logits: [3, 2, 1, 0],
      spec: [["xtc", 0.5, 0.1, 1, seed]],
      seed: "7",
      draws: 20,
    });
  assert.equal(drawn("42").ids.length, 20);
  assert.deepEqual(drawn("42"), drawn(42));
});
