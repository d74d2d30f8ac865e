// Every regular expression of web/ takes time in proportion to its text, whatever the text: measured by doubling it. So
// do the functions that take text of any length from outside.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromRoot, importSource } from "./support.mjs";

/** A literal where an expression may begin, on one line. */
const LITERAL =
  /(?<=(?:[(,=:[!&|?{;]|=>)\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/g;

const files = readdirSync(fromRoot("web"), { recursive: true }).filter(name => /\.tsx?$/.test(name));
const literals = new Map(
  files.flatMap(file =>
    [...readFileSync(join(fromRoot("web"), file), "utf8").matchAll(LITERAL)].map(([literal]) => [literal, file]),
  ),
);

// ---- What is hostile ---------------------------------------------------------------------------------------------

const CHARS = [" ", ",", ".", "/", ":", "\\", '"', "-", "0", "a", "[", "]", "{", "(", "\x9b"];
const PUMPS = [...CHARS, ...CHARS.flatMap(one => [" ", "0"].map(two => one + two)), "'a':"];
const STARTS = ["", "-", "0x", "'descr': ["];
const N = 5_000;

/** Milliseconds that a pattern takes for a text: found, and as a separator. */
function taken(pattern, text) {
  const before = performance.now();
  pattern.lastIndex = 0;
  pattern.exec(text);
  if (!pattern.sticky) text.split(pattern);
  return performance.now() - before;
}

/** True where doubling the text twice takes far more than four times as long: 4 where it is linear, 16
    where it is quadratic. */
function grows(work, n = N) {
  if (work(4 * n) < 50) return false; // a quadratic one takes hundreds
  const least = length => Math.min(work(length), work(length), work(length));
  return least(4 * n) > 50 && least(4 * n) > 8 * least(n);
}

/** The text that a pattern takes too long for, or null. */
function worst(pattern, length = N) {
  if (!/[*+]|,\}/.test(pattern.source)) return null; // nothing repeats without end
  for (const start of STARTS)
    for (const pump of PUMPS) {
      const text = n => `${start}${pump.repeat(n / pump.length)}\0`;
      if (grows(n => taken(pattern, text(n)), length)) return JSON.stringify(`${start}${pump}...`);
    }
  return null;
}

test("the measure tells what is quadratic", () => {
  for (const bad of [/ *[/;\n] */, /^\d+\.?\d*$/, /\s+$/]) assert.ok(worst(bad, N / 2), String(bad));
  assert.equal(worst(/[\s,]+/), null);
});

test("the patterns are found", () => {
  assert.ok(literals.size >= 30, `${literals.size}`);
  for (const file of [
    "core/engine.ts",
    "eval/hexfloat.ts",
    "ui/numbers.ts",
    "elements/stopping/state.ts",
    "files/json.ts",
    "files/npy.ts",
    "ui/link.ts",
  ])
    assert.ok([...literals.values()].includes(file), file);
});

for (const [literal, file] of literals)
  test(`${file} ${literal}`, () => {
    const end = literal.lastIndexOf("/");
    assert.equal(worst(new RegExp(literal.slice(1, end), literal.slice(end + 1))), null);
  });

// ---- What takes text of any length -------------------------------------------------------------------------------

const { splitRows, parseRow, lookalike } = await importSource("web/elements/stopping/state.ts");
const { parseSeed, parseTau } = await importSource("web/elements/typed.ts");
const { parseLogits } = await importSource("web/elements/sampling/state.ts");
const { enginesOf, parseContext } = await importSource("web/elements/compare/state.ts");
const { parseHexFloat } = await importSource("web/eval/hexfloat.ts");
const { parseJson } = await importSource("web/files/json.ts");

const json = text => {
  try {
    parseJson(new TextEncoder().encode(text), "json");
  } catch (error) {
    if (error.name !== "FileError") throw error;
  }
};
const TAKERS = {
  splitRows: [splitRows, [" ", " /", "\n"]],
  parseRow: [text => parseRow(text, 3), [" ", "a", "-"]],
  lookalike: [lookalike, ["eos ", " "]],
  parseLogits: [text => parseLogits(text), [" ", "1 ", "1"]],
  parseTau: [parseTau, ["1", ".", " "]],
  enginesOf: [text => enginesOf(text, ["transformers", "candle"]), [" ", "x ", "x"]],
  parseContext: [text => parseContext(text, 64), [" ", "1 ", "1"]],
  parseSeed: [parseSeed, ["1", " "]],
  parseHexFloat: [text => parseHexFloat(`0x${text}p`), ["0", "f", "."]],
  "parseHexFloat, right": [text => parseHexFloat(`0x1.${text}p-3`), ["8"]],
  parseJson: [text => json(`["${text}`), ["\\n", '"', '":', " ", "{"]],
  "parseJson, keys": [text => json(`{"a${text}":1}`), ["\\n", '\\\\"', "[", '":1,"a']],
};
for (const [name, [take, pumps]] of Object.entries(TAKERS))
  test(`${name} of long texts`, () => {
    for (const pump of pumps) {
      const work = n => {
        const text = pump.repeat(n / pump.length),
          before = performance.now();
        take(`${text}\0`);
        take(text);
        return performance.now() - before;
      };
      assert.ok(!grows(n => work(10 * n)), JSON.stringify(pump));
    }
  });
