// The eval operation of the model, and the order in which a chain lays u over its candidates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readModel } from "./support.mjs";

const core = cores.simd,
  ask = request => JSON.parse(api.evaluateLine(core, JSON.stringify(request))),
  messageOf = request => ask(request).error?.message ?? "no error";
const LINE = {
  op: "generate",
  model: "zh",
  prompt: "明月",
  chain: [
    ["temperature", 0.8],
    ["top_k", 40],
  ],
  seed: "42",
  max_new_tokens: 40,
};

test("without its script there is no model", () =>
  assert.equal(
    messageOf(LINE),
    'model: found "zh"; allowed: one whose script is loaded: zh with sampling-lab-model-zh.js',
  ));

test("what the typed call writes", () => {
  api.publishModel({ name: "zh", bytes: readModel() });
  const answer = ask(LINE),
    model = api.openModel(core, "zh", readModel());
  const tokens = [...api.generate(core, model, { prompt: "明月", steps: LINE.chain, seed: "42", maxNewTokens: 40 })];
  assert.deepEqual(
    answer.ids.map((id, place) => ({
      id,
      ...Object.fromEntries(["u", "n_kept", "log_p", "final_log_p"].map(key => [key, answer[key][place]])),
    })),
    tokens,
  );
  assert.equal(answer.text, api.decode(core, model, [...answer.prompt_ids, ...answer.ids]));
  assert.match(answer.text, /^明月.{3}，.{5}。.{5}，.{5}。$/u);
  assert.equal(answer.finish, "eos");
  assert.equal(ask({ ...LINE, stop: false, max_new_tokens: 60 }).finish, "length");
  assert.deepEqual(ask({ ...LINE, stop: false, max_new_tokens: 60 }).ids.slice(0, answer.ids.length), answer.ids);
});

test("greedy, and an engine", () => {
  const { seed, chain, ...rest } = LINE;
  assert.deepEqual(ask({ ...rest, greedy: true }).u.slice(0, 3), [null, null, null]);
  const torch = { ...rest, engine: "transformers", settings: { temperature: 0.8, top_k: 40 }, seed };
  assert.equal(ask(torch).text.slice(0, 5), "明月不易上");
  const spec = [
    ["top_k", 40],
    ["temp", 0.8],
    ["dist", "42"],
  ];
  assert.ok(ask({ ...rest, engine: "llama.cpp", spec }).ids.length > 20);
});

test("what is wrong, in the words of the line", () => {
  const { seed, chain, ...rest } = LINE;
  const cases = [
    [{ ...LINE, model: "en" }, 'model: found "en"; allowed: zh'],
    [{ ...LINE, model: 1 }, "model: found 1; allowed: zh"],
    [{ op: "generate", max_new_tokens: 4 }, "model: missing; allowed: the name of a model"],
    [{ ...LINE, max_new_tokens: 0 }, "max_new_tokens: found 0; allowed: a whole number from 1 to 1024"],
    [{ ...LINE, seed: undefined }, "seed: missing; allowed: a whole number from 0"],
    [{ ...LINE, seed: "-1" }, 'seed: found "-1"; allowed'],
    [{ ...LINE, greedy: true }, "seed: does nothing here; allowed: none with greedy"],
    [{ ...LINE, chain: [["top_z", 1]] }, "chain[0][0]: found "],
    [{ ...LINE, chain: [["top_p", 2]] }, "chain[0] top_p: found 2; "],
    [{ ...LINE, engine: "candle" }, "chain: found engine too; allowed: one of chain and engine"],
    [{ ...LINE, settings: { top_k: 3 } }, "settings: does nothing here; allowed: settings with engine"],
    [{ ...rest, engine: "vllm", seed }, 'engine: found "vllm"; allowed: one whose draws are replayed'],
    [{ ...rest, engine: "gpt", seed }, 'engine: found "gpt"; allowed: transformers'],
    [{ ...LINE, stop: 1 }, "stop: found 1; allowed: true or false"],
    [{ ...LINE, logits: [1] }, "logits: no such field"],
  ];
  for (const [line, message] of cases)
    assert.ok(messageOf(line).startsWith(message), `${messageOf(line)}\nshould be ${message}`);
});

test("order: u by descending probability, equals by id", () => {
  const chain = (u, order) => ask({ op: "chain", logits: [0, 2, 1, 2], chain: [], u, ...(order ? { order } : {}) }).id;
  // weights 1, e^2, e, e^2 of 18.496: from the largest 0.3995, 0.3995, 0.1470, 0.0541
  for (const [u, id] of [
    [0, 1],
    [0.39, 1],
    [0.41, 3],
    [0.79, 3],
    [0.81, 2],
    [0.94, 2],
    [0.95, 0],
    [0.999, 0],
  ])
    assert.equal(chain(u, "descending"), id, `u = ${u}`);
  assert.deepEqual([chain(0), chain(0, "id"), chain(0.06), chain(0.99)], [0, 0, 1, 3]);
  assert.match(
    messageOf({ op: "chain", logits: [0, 1], chain: [], order: "p" }),
    /^order: found "p"; .*id or descending/,
  );
});
