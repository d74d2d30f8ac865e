// What a typed comparison means, and each kind of wrong input, with a sentence of its own in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cores, importSource } from "./support.mjs";

const { parseSeed } = await importSource("web/elements/typed.ts");
const { draftOf, enginesOf, fieldNames, matches, pairOf, parseContext, parseRow, parseSetting, read, sound } =
  await importSource("web/elements/compare/state.ts");
const { presets, presetNames } = await importSource("web/elements/compare/presets.ts");
const { messages: zh } = await importSource("web/elements/compare/messages.zh.ts");
const { messages: en } = await importSource("web/elements/compare/messages.en.ts");
const kind = ({ value, problem }) => problem?.kind ?? value;

test("logits: 2 to 64 numbers of magnitude at most 1000", () => {
  assert.deepEqual(kind(parseRow(" 1，-2.5、３e1\t-1000 ")), [1, -2.5, 30, -1000]);
  assert.equal(kind(parseRow(Array(64).fill("1").join(" "))).length, 64);
  const bad = {
    "": "empty",
    1: "tooFew",
    "1 x": "notNumber",
    "1 NaN": "notNumber",
    "1 1001": "outOfRange",
    "1 Infinity": "notNumber",
    [Array(65).fill("1").join(" ")]: "tooMany",
    ["1 ".repeat(2001)]: "tooLong",
  };
  for (const [text, problem] of Object.entries(bad)) assert.equal(kind(parseRow(text)), problem, text.slice(0, 20));
});

test("settings: any number, since engines differ in what they take; nothing is the engine's default", () => {
  for (const text of ["", "  "]) assert.equal(kind(parseSetting("temperature", text)), null);
  for (const text of ["0", "-1", "1e-7", "０.７"])
    assert.equal(typeof kind(parseSetting("temperature", text)), "number", text);
  assert.equal(kind(parseSetting("temperature", "1e39")), "infinite");
  assert.equal(kind(parseSetting("top_p", "x")), "notNumber");
  assert.deepEqual(
    ["-2147483648", "0", "2147483647"].map(text => kind(parseSetting("top_k", text))),
    [-2147483648, 0, 2147483647],
  );
  assert.equal(kind(parseSetting("top_k", "2147483648")), "outOfRange");
  assert.equal(kind(parseSetting("top_k", "2.5")), "notWhole");
  const { config } = read(draftOf(presets.defaults));
  assert.deepEqual(config.settings, { temperature: 0.7 });
});

test("context: ids of the row", () => {
  assert.deepEqual(kind(parseContext("", 4)), []);
  assert.deepEqual(kind(parseContext("0 3, 3", 4)), [0, 3, 3]);
  for (const text of ["4", "-1", "0.5"]) assert.equal(kind(parseContext(text, 4)), "notAnId", text);
});

test("seed: every whole number from 0 to 2^64 - 1, digit by digit", () => {
  for (const text of ["0", "4294967296", "9007199254740993", "18446744073709551615"])
    assert.equal(kind(parseSeed(text)), text);
  assert.equal(kind(parseSeed("１２ ")), "12");
  for (const text of ["18446744073709551616", "-1", "1.5", "1e3", "0x10", "abc", "100000000000000000000"])
    assert.equal(kind(parseSeed(text)), "notASeed", text);
  assert.equal(kind(parseSeed("")), "empty");
});

test("one wrong field leaves no configuration, and says which; one engine is too few", () => {
  const start = draftOf(presets.measure),
    reading = read({ ...start, top_k: "x", seed: "" });
  assert.equal(reading.config, null);
  assert.deepEqual(Object.keys(reading.problems), ["top_k", "seed"]);
  assert.deepEqual(read({ ...start, engines: ["candle"] }), { config: null, problems: {}, fewEngines: true });
  assert.deepEqual(read({ ...start, logits: "x", context: "3" }).problems.context, undefined);
});

test("what is sound of a draft: wrong fields as in another, or else all; ids are not blamed for wrong logits", () => {
  const tie = draftOf(presets.tie),
    its = read(tie).config;
  assert.deepEqual(sound({ ...tie, top_p: "x", temperature: "2" }, tie, null), {
    ...its,
    settings: { ...its.settings, temperature: 2 },
  });
  assert.deepEqual(sound({ ...tie, engines: ["candle"] }, tie, null).engines, its.engines);
  assert.deepEqual(
    sound({ ...tie, logits: "x", context: "50" }, tie, null),
    its,
    "an id that only the wrong logits may have",
  );
  assert.deepEqual(Object.keys(read({ ...tie, logits: "1 x", context: "50" }).problems), ["logits"]);
  assert.deepEqual(Object.keys(read({ ...tie, logits: "1 x", context: "64" }).problems), ["logits", "context"]);
});

test("engines and the pair: known names in the order of the core", () => {
  const known = Object.keys(cores.simd.abi.profile);
  assert.deepEqual(enginesOf("candle, transformers nobody candle", known), {
    engines: ["transformers", "candle"],
    unknown: ["nobody"],
  });
  assert.deepEqual(pairOf(["vllm", "candle"], ["transformers", "candle", "vllm"]), ["vllm", "candle"]);
  assert.deepEqual(pairOf(["vllm", "candle"], ["transformers", "candle"]), ["transformers", "candle"]);
  assert.deepEqual(pairOf(["candle", "candle"], ["transformers", "candle"]), ["candle", "transformers"]);
  assert.deepEqual(pairOf([], ["transformers", "candle"]), ["transformers", "candle"]);
});

test("presets are right, and name engines in the order of the core", () => {
  const known = Object.keys(cores.simd.abi.profile);
  for (const name of presetNames) {
    const draft = draftOf(presets[name]),
      { engines } = enginesOf(draft.engines.join(" "), known);
    assert.deepEqual(engines, draft.engines, name);
    assert.deepEqual(pairOf(draft.pair, engines), draft.pair, name);
    assert.ok(read(draft).config, name);
    assert.ok(matches({ ...draft, logits: draft.logits.replaceAll(" ", ", ") }, presets[name]), name);
    assert.ok(!matches({ ...draft, seed: "7" }, presets[name]), name);
  }
});

test("each problem is a sentence of its own, with what is wrong and what is allowed", () => {
  const problems = {
    logits: ["", "1", "1 x", "1 1001", Array(65).fill("1").join(" ")].map(parseRow),
    top_k: ["x", "2.5", "2147483648"].map(text => parseSetting("top_k", text)),
    temperature: ["x", "1e39"].map(text => parseSetting("temperature", text)),
    context: ["4", "x"].map(text => parseContext(text, 4)),
    seed: ["", "-1"].map(parseSeed),
  };
  for (const m of [zh, en]) {
    const said = Object.entries(problems).flatMap(([field, results]) =>
      results.map(({ problem }) => m.problem(field, problem)),
    );
    assert.equal(new Set(said).size, said.length);
    for (const text of said) assert.match(text, m === zh ? /^\S.*。可填.*。$/ : /^[A-Z“\d−-].*\. Allowed: .*\.$/, text);
  }
});

/** Keys and kinds of a tree of messages; sentences may be text or parts. */
function shape(value, path = "") {
  if (typeof value === "function") return [`${path} function`];
  if (typeof value === "string" || Array.isArray(value) || "kind" in value) return [`${path} text`];
  return Object.keys(value)
    .sort()
    .flatMap(key => shape(value[key], `${path}.${key}`));
}

test("zh and en have the same keys, and no English sentence holds Chinese", () => {
  assert.deepEqual(shape(en), shape(zh));
  assert.doesNotMatch(JSON.stringify(en), /[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]/);
  assert.deepEqual(
    fieldNames.filter(name => !zh.fields[name] || !en.fields[name]),
    [],
  );
});
