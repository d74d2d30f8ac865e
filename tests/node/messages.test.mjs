// Both languages say the same things: same keys, same shapes, a sentence for every problem of every field.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { languages } from "../../web/build/plugins.mjs";
import { fromRoot, importSource } from "./support.mjs";

const { zh, en } = await importSource("tests/messages.mjs");
const { decimal, interval, probability } = await importSource("web/i18n/format.ts");
const FIELDS = ["logits", "tau", "k", "u"];
const PROBLEMS = [
  { kind: "empty" },
  { kind: "notNumber", text: "abc" },
  { kind: "notNumber", text: "abc", index: 1 },
  { kind: "tooMany", found: 9 },
  { kind: "tooLong", most: 2000 },
  { kind: "outOfRange", text: "101" },
  { kind: "outOfRange", text: "101", index: 0 },
  { kind: "negative" },
  { kind: "infinite" },
  { kind: "notWhole", text: "1.5" },
  { kind: "aboveCount", text: "5", count: 4 },
  { kind: "aboveCount", text: "2", count: 1 },
  { kind: "reachesOne", text: "1" },
];

/** Keys and kinds of a tree of messages, one a line. Sentences may be text or parts: both are `text`. */
function shape(value, path = "") {
  if (typeof value === "function") return [`${path} function`];
  if (typeof value === "string" || (value && "kind" in value)) return [`${path} text`];
  if (Array.isArray(value)) return /names$|greedy$/.test(path) ? [`${path} list of ${value.length}`] : [`${path} text`];
  return Object.keys(value)
    .sort()
    .flatMap(key => shape(value[key], `${path}.${key}`));
}

/** Every text in the tree. */
function* texts(value) {
  if (typeof value === "string") yield value;
  else if (value && typeof value === "object") for (const item of Object.values(value)) yield* texts(item);
}

test("zh and en have the same keys", () => {
  const words = ({ style, ...rest }) => shape(rest); // fonts are no words
  assert.deepEqual(words(en), words(zh));
});

test("no English sentence holds Chinese, and the languages name themselves", () => {
  for (const text of texts(en)) assert.doesNotMatch(text, /[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]/, text);
  assert.equal(zh.lang, "zh");
  assert.equal(en.lang, "en");
});

test("one thing has one word: a scaled score is no logit, what a filter leaves is 留下, and sums are not powers", () => {
  const files = [
    ...["sampling/messages", "sampling/rules", "frequency/messages"].map(name => `elements/${name}`),
    ...["messages", "embed"].map(name => `i18n/${name}`),
  ];
  const retired = {
    zh: /分数次方|分差|"分数"|② 分数|(?<!重新)归一化|频数|最可能|保留|放不下|课本|门槛|切口/,
    en: /[Rr]escal|"score"|② score|nobody|so no \$\{v\("τ"\)\} overflows|Nothing is filled|of what it found/,
  };
  for (const [lang, words] of Object.entries(retired))
    for (const file of files)
      assert.doesNotMatch(readFileSync(fromRoot("web", `${file}.${lang}.ts`), "utf8"), words, `${file}.${lang}.ts`);
  assert.equal(en.steps.names[1], "Scale");
  assert.equal(zh.table.kept, "留下");
});

test("a language is a row of the table: how it joins, lists, quotes and groups, and in which fonts", async () => {
  const { langs, quoteIn } = await importSource("web/i18n/language.ts");
  const table = JSON.parse(readFileSync(fromRoot("web/i18n/languages.json"), "utf8"));
  assert.deepEqual([...langs], languages);
  for (const lang of langs) {
    const { locale, join, comma, list, stop, colon, quotes, style } = table[lang];
    for (const text of [join, comma, list, stop, colon]) assert.equal(typeof text, "string", lang);
    assert.ok((12345).toLocaleString(locale).length > 5, lang); // grouped
    assert.deepEqual([quotes.length, typeof style], [2, "object"], lang);
    assert.equal(quoteIn(lang)("x"), `${quotes[0]}x${quotes[1]}`);
  }
});

test("no view asks which language it is, and no sentence of all elements or of files writes quotation marks", () => {
  for (const file of readdirSync(fromRoot("web"), { recursive: true }).filter(file => /\.tsx?$/.test(file))) {
    const text = readFileSync(fromRoot("web", file), "utf8");
    for (const lang of languages) assert.doesNotMatch(text, new RegExp(`[!=]== "${lang}"|"${lang}" [!=]==`), file);
    if (/^(i18n|files)\//.test(file)) assert.doesNotMatch(text, /[“”„«»「」]/, file);
  }
});

for (const m of [zh, en])
  test(`${m.lang}: every problem of every field has a sentence that says what is wrong and what is allowed`, () => {
    for (const field of FIELDS)
      for (const problem of PROBLEMS) {
        const text = m.problem(field, problem, 4);
        assert.doesNotMatch(text, /undefined|NaN|\[object/, text);
        assert.match(text, m.lang === "zh" ? /^\S.*。.*填.*。$/ : /^[A-Z“\d−-].*\. Allowed: .*\.$/, text);
        for (const piece of [problem.text, problem.found].filter(Boolean))
          assert.ok(text.includes(String(piece)), text);
        if (problem.index !== undefined) assert.ok(text.includes(String(problem.index + 1)), text);
      }
  });

test("a variable keeps its case at the beginning of a sentence", () => {
  for (const m of [zh, en])
    for (const field of FIELDS)
      for (const problem of PROBLEMS) assert.doesNotMatch(m.problem(field, problem, 4), /\b[KU]\b/);
  assert.equal(
    en.problem("k", { kind: "aboveCount", text: "9", count: 4 }, 4),
    "With 4 candidates, k cannot be 9. Allowed: a whole number from 1 to 4.",
  );
});

test("messages of different fields differ", () => {
  for (const m of [zh, en])
    assert.equal(new Set(FIELDS.map(field => m.problem(field, { kind: "empty" }, 4))).size, FIELDS.length);
});

test("probabilities: six decimals, honest at both ends", () => {
  const cases = [
    [0, "0"],
    [1, "1"],
    [0.5, "0.500000"],
    [0.2227001388253089, "0.222700"],
    [5e-324, "< 0.000001"],
    [4.9e-7, "< 0.000001"],
    [5.1e-7, "0.000001"],
    [1 - 2 ** -53, "> 0.999999"],
    [0.9999996, "> 0.999999"],
    [0.9999994, "0.999999"],
  ];
  for (const [value, text] of cases) assert.equal(probability(value), text);
  assert.equal(interval(0.2227001388253089, 1), "[0.222700, 1)");
});

test("other numbers: plain where six decimals show them, powers of ten where not", () => {
  const cases = [
    [0, "0"],
    [-0, "0"],
    [-3.75, "−3.75"],
    [0.8, "0.8"],
    [100, "100"],
    [1e-300, "1e−300"],
    [-2e302, "−2e302"],
    [-Infinity, "−∞"],
    [1 / 3, "0.333333"],
  ];
  for (const [value, text] of cases) assert.equal(decimal(value), text);
});
