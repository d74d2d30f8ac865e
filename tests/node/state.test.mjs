// What typed text means: separators, signs, full-width forms, and each kind of wrong input. Pure functions of state.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";

const { parseK, parseTau } = await importSource("web/elements/typed.ts");
const { draftOf, initialDraft, matches, parseLogits, parseU, read, sound } = await importSource(
  "web/elements/sampling/state.ts",
);

const values = text => {
  const { value, problem } = parseLogits(text);
  assert.ok(value, `${JSON.stringify(text)}: ${JSON.stringify(problem)}`);
  return value;
};
const kind = ({ value, problem }) => problem?.kind ?? `value ${value}`;

test("separators of logits", () => {
  for (const text of [
    "0 1 2 3",
    "0,1,2,3",
    "0, 1, 2, 3",
    "0，1，2，3",
    "0\t1\t2\t3",
    "0\n1\n2\n3",
    "0\r\n1\r\n2\r\n3",
    "  0 1　2 3 ",
    "0，1, 2\n3",
    "0 1 2 3,",
    "0、1、2、3",
  ])
    assert.deepEqual(values(text), [0, 1, 2, 3], JSON.stringify(text));
});

test("forms of a number", () => {
  const forms = {
    "1e-3": 0.001,
    "1E2": 100,
    "+2": 2,
    "-2": -2,
    "−2": -2,
    "－2": -2,
    "–2": -2,
    "＋２": 2,
    ".5": 0.5,
    "5.": 5,
    "-0": -0,
    "−0": -0,
    "１．５": 1.5,
    "１ｅ−１": 0.1,
    "100": 100,
    "-100": -100,
    "007": 7,
  };
  for (const [text, value] of Object.entries(forms))
    assert.ok(Object.is(values(text)[0], value), `${text} is ${values(text)[0]}`);
});

test("1 to 8 logits", () => {
  assert.equal(values("1").length, 1);
  assert.equal(values("1 2 3 4 5 6 7 8").length, 8);
  assert.deepEqual(parseLogits("1 2 3 4 5 6 7 8 9").problem, { kind: "tooMany", found: 9 });
  for (const text of ["", "   ", ",", "，\n"]) assert.equal(kind(parseLogits(text)), "empty", JSON.stringify(text));
});

test("each logit from -100 to 100, with the place of the wrong one", () => {
  for (const [text, index, piece] of [
    ["0 101", 1, "101"],
    ["-100.0001", 0, "-100.0001"],
    ["0 0 1e400", 2, "1e400"],
    ["1 100.00000000000002", 1, "100.00000000000002"],
  ])
    assert.deepEqual(parseLogits(text).problem, { kind: "outOfRange", text: piece, index });
});

test("what is no number", () => {
  for (const piece of [
    "abc",
    "NaN",
    "Infinity",
    "-inf",
    "0x10",
    "1e",
    "e5",
    ".",
    "+",
    "--1",
    "1-2",
    "1_000",
    "1n",
    "1;2",
    "true",
  ])
    assert.deepEqual(parseLogits(`0 ${piece}`).problem, { kind: "notNumber", text: piece, index: 1 }, piece);
});

test("a raised or circled digit is not joined to its neighbour", () => {
  for (const piece of ["2²", "10³", "1⁰", "①", "1½"]) assert.equal(kind(parseLogits(piece)), "notNumber", piece);
});

test("tau", () => {
  for (const [text, value] of Object.entries({
    0: 0,
    "0.8": 0.8,
    " 2 ": 2,
    "1e308": 1e308,
    "5e-324": 5e-324,
    "1e-300": 1e-300,
    "１．５": 1.5,
    "1000000": 1e6,
  }))
    assert.equal(parseTau(text).value, value, text);
  const bad = {
    "-1": "negative",
    "−0.5": "negative",
    NaN: "notNumber",
    abc: "notNumber",
    "": "empty",
    " ": "empty",
    "1e309": "infinite",
    Infinity: "notNumber",
    "1 2": "notNumber",
  };
  for (const [text, problem] of Object.entries(bad)) assert.equal(kind(parseTau(text)), problem, text);
});

test("k", () => {
  for (const [text, value] of Object.entries({ 1: 1, 4: 4, " 2": 2, "２": 2, "+3": 3 }))
    assert.equal(parseK(text, 4).value, value, text);
  const bad = {
    0: "outOfRange",
    "-1": "outOfRange",
    5: "aboveCount",
    "1.5": "notWhole",
    abc: "notNumber",
    "": "empty",
    "1e400": "notWhole",
  };
  for (const [text, problem] of Object.entries(bad)) assert.equal(kind(parseK(text, 4)), problem, text);
  assert.deepEqual(parseK("5", 4).problem, { kind: "aboveCount", text: "5", count: 4 });
});

test("u", () => {
  for (const [text, value] of Object.entries({
    0: 0,
    "0.5": 0.5,
    ".25": 0.25,
    "0.9999999999999999": 1 - 2 ** -53,
    "1e-400": 0,
    "５e−1": 0.5,
  }))
    assert.equal(parseU(text).value, value, text);
  const bad = {
    1: "reachesOne",
    "1.0": "reachesOne",
    7: "reachesOne",
    "0.99999999999999999": "reachesOne",
    "-0.1": "negative",
    "": "empty",
    half: "notNumber",
  };
  for (const [text, problem] of Object.entries(bad)) assert.equal(kind(parseU(text)), problem, text);
});

test("a text of 10 million characters is refused as too long", () => {
  for (const parse of [parseLogits, parseTau, text => parseK(text, 4), parseU])
    assert.equal(kind(parse("1 ".repeat(5_000_000))), "tooLong");
});

test("k is not changed when the number of logits falls below it", () => {
  const { config, problems, count } = read({ ...initialDraft, logits: "5 6", k: "3" }, 4);
  assert.equal(config, null);
  assert.deepEqual(problems, { k: { kind: "aboveCount", text: "3", count: 2 } });
  assert.equal(count, 2);
});

test("every wrong field is reported, the right ones are not", () => {
  const { config, problems } = read({ ...initialDraft, logits: "", tau: "x", u: "1" }, 4);
  assert.equal(config, null);
  assert.deepEqual(Object.keys(problems).sort(), ["logits", "tau", "u"]);
  assert.deepEqual(read(initialDraft, 0).problems, {});
});

test("while the logits are wrong, k is wrong only if it is for any", () => {
  assert.deepEqual(Object.keys(read({ ...initialDraft, logits: "1 2 3 4 5 x", k: "6" }, 4).problems), ["logits"]);
  assert.deepEqual(read({ ...initialDraft, logits: "x", k: "9" }, 4).problems.k, {
    kind: "aboveCount",
    text: "9",
    count: 8,
  });
});

test("what is sound of a draft: wrong fields as in another, or else all", () => {
  const tie = draftOf({ logits: "3 2 2 0", tau: "1", k: "2", u: "0.5" });
  assert.deepEqual(sound({ ...tie, k: "9", tau: "2" }, tie), { ...read(tie, 0).config, tau: 2 });
  assert.deepEqual(sound({ ...tie, logits: "1 2", k: "9" }, tie).logits, [1, 2]);
  assert.deepEqual(
    sound({ ...tie, logits: "x", k: "8" }, tie),
    read(tie, 0).config,
    "k does not fit the other's logits",
  );
});

test("a draft matches its preset however it is spaced, and no other", () => {
  const preset = { logits: "0 1 2 3", tau: "0.8", k: "2", u: "0.5", tie: "strict" };
  assert.ok(matches(draftOf(preset), preset));
  assert.ok(matches({ ...draftOf(preset), logits: " 0, 1，2\t3", tau: "0.80" }, preset));
  for (const part of [
    { logits: "0 1 2 4" },
    { tau: "0.9" },
    { k: "3" },
    { u: "0.1" },
    { u: "1" },
    { tie: "threshold" },
    { share: "zeroed" },
  ])
    assert.ok(!matches({ ...draftOf(preset), ...part }, preset), JSON.stringify(part));
});
