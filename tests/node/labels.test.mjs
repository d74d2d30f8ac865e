// Words of candidates: what is typed or pasted before a number, lists of words, and how a word is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { importSource } from "./support.mjs";

const { entriesOf, listed, oneLine, parseWords, spelled, visible, written } = await importSource(
  "web/elements/sampling/labels.ts",
);
const { initialDraft, mostOf, read, withLogit } = await importSource("web/elements/sampling/state.ts");
const { id, named, plain, say } = await importSource("web/i18n/rich.ts");
const entries = text => {
  const { numbers, words } = entriesOf(text);
  return numbers.map((number, index) => [words[index], number]);
};

test("a word and a colon before a number, on one line", () => {
  for (const [text, want] of Object.entries({
    "the: 3.2, a: 2": [
      ["the", "3.2"],
      ["a", "2"],
    ],
    "the:3.2 a : 2": [
      ["the", "3.2"],
      ["a", "2"],
    ],
    "the：３.２，a: −2": [
      ["the", "３.２"],
      ["a", "−2"],
    ],
    "3 the: 2 1": [
      ["", "3"],
      ["the", "2"],
      ["", "1"],
    ],
    "10:30: 5": [["10:30", "5"]],
    ":: 3": [[":", "3"]],
    '"New York": 3, "\\"": 2, "a:b": 1, ",": 0': [
      ["New York", "3"],
      ['"', "2"],
      ["a:b", "1"],
      [",", "0"],
    ],
    '" and": 1': [[" and", "1"]],
    '"": 1': [["", "1"]],
    "猫: 1 🙂: 2": [
      ["猫", "1"],
      ["🙂", "2"],
    ],
    "0 1 2 3": [
      ["", "0"],
      ["", "1"],
      ["", "2"],
      ["", "3"],
    ],
  }))
    assert.deepEqual(entries(text), want, text);
});

test("one on each line: all before the last colon is the word", () => {
  const text = 'the: 3.2\n  New York: 2\r\n"\\" and": 1,\n12:30, Paris: 0.5\n\n: 4\n7';
  assert.deepEqual(entries(text), [
    ["the", "3.2"],
    ["New York", "2"],
    ['" and', "1"],
    ["12:30, Paris", "0.5"],
    ["", "4"],
    ["", "7"],
  ]);
  assert.deepEqual(entries(oneLine(text)), entries(text), "and the same once on one line");
  assert.equal(oneLine("0\n1\n2").replace(/[,\s]+/g, " "), "0 1 2");
  assert.equal(oneLine("the: 3.2, a: 2"), "the: 3.2, a: 2");
});

test("what is wrong is named, and nothing is lost", () => {
  const problem = (logits, more = {}) => read({ ...initialDraft, k: "1", logits, ...more }, 4).problems.logits;
  assert.deepEqual(problem("the: abc, a: 2"), { kind: "notNumber", text: "abc", index: 0 });
  assert.deepEqual(problem("a: 2, the: 101"), { kind: "outOfRange", text: "101", index: 1 });
  assert.deepEqual(problem('"the: 3'), { kind: "notNumber", text: '"the:', index: 0 });
  assert.deepEqual(problem('"\\x": 3'), { kind: "notNumber", text: '"\\x":3', index: 0 });
  assert.deepEqual(problem("the:"), { kind: "notNumber", text: "the:", index: 0 });
  assert.deepEqual(problem(`${"x".repeat(2000)}: 1`), { kind: "tooLong", most: 2000 });
  assert.equal(problem("the: 1"), undefined);
});

test("8 candidates, with words 16, and whatever the author says", () => {
  const numbers = count => Array.from({ length: count }, (_, at) => at).join(" "),
    worded = count => Array.from({ length: count }, (_, at) => `w${at}: ${at}`).join(" ");
  const kind = (logits, more = {}) => read({ ...initialDraft, logits, ...more }, 4).problems.logits?.kind;
  assert.equal(kind(numbers(8)), undefined);
  assert.equal(kind(numbers(9)), "tooMany");
  assert.equal(kind(worded(16)), undefined);
  assert.equal(kind(worded(17)), "tooMany");
  assert.equal(kind(numbers(16), { labels: "a b" }), undefined);
  assert.equal(kind(numbers(12), { max: "12" }), undefined);
  assert.equal(kind(numbers(13), { max: "12" }), "tooMany");
  assert.equal(kind(worded(3), { max: "2" }), "tooMany");
  assert.equal(mostOf({ logits: "1", labels: '""', max: "" }), 8, "an empty word is none");
});

test("words of the field stand before those of the list", () => {
  const { config } = read({ ...initialDraft, logits: "0 b2: 1 2 3", labels: 'a b " c"' }, 4);
  assert.deepEqual(config.labels, ["a", "b2", " c", ""]);
  assert.deepEqual(config.logits, [0, 1, 2, 3]);
});

test("a number that is dragged leaves every word as it was", () => {
  const words = ["the", "New York", "", '"'],
    text = withLogit([0, 1, 2, 3], 2, "2.5", words);
  assert.deepEqual(entries(text), [
    ["the", "0"],
    ["New York", "1"],
    ["", "2.5"],
    ['"', "3"],
  ]);
  assert.equal(withLogit([0, 1], 1, "5"), "0 5");
});

test("any words come back from what is written", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(" ", "，", "＂", ":", "：", "\n", "\t", "\u2028", "\ud800", '\\"', "1: 2", "、", "\u202e"),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 16 }), words => {
      const sound = words.map(each => each.replace(/[\ud800-\udfff]/g, ""));
      assert.deepEqual(parseWords(listed(sound)), sound);
      const numbers = sound.map((_, at) => String(at)),
        text = written(sound, numbers);
      assert.doesNotMatch(text, /[\n\r]/);
      assert.deepEqual(entriesOf(text), { numbers, words: sound });
      assert.deepEqual(entriesOf(oneLine(text)), { numbers, words: sound });
    }),
    { numRuns: 300, seed: 19 },
  );
});

test("a list of words", () => {
  assert.deepEqual(parseWords(' the  " a" "\\"" , "" '), ["the", " a", '"', ",", ""]);
  for (const wrong of ['"', 'the "a', '"a"b', '"\\x"']) assert.equal(parseWords(wrong), null, wrong);
  assert.deepEqual(parseWords(""), []);
});

test("what would not be seen, or would turn the line, is written out; what joins emoji stays", () => {
  assert.equal(visible("a\n\t\u0000\u202eb\u2028\ufeff"), "a\\n\\t\\u0000\\u202eb\\u2028\\ufeff");
  assert.equal(visible("👩‍💻 é عربي <b>&amp;"), "👩‍💻 é عربي <b>&amp;");
  assert.equal(visible("\ud800x"), "\\ud800x");
});

test("sentences say the word beside each id", () => {
  const said = spelled({ one: say`choose ${id(1)}`, many: ids => say`of ${ids.map(named)}` }, ["the", " a"]);
  assert.equal(plain(said.one), 'choose ID 1 " a"');
  assert.equal(plain(said.many([0, 2])), 'of ID 0 "the"ID 2');
});
