// What several elements let the reader type.
import { seedOf } from "../core/engine.ts";
import { normalise, one, type Parsed } from "../ui/numbers.ts";

/** A temperature: any finite number that is not negative. */
export function parseTau(text: string): Parsed<number> {
  return one(text, value => (value < 0 ? { kind: "negative" } : value === Infinity ? { kind: "infinite" } : null));
}

/** A whole number from 1 to the number of candidates. */
export function parseK(text: string, count: number): Parsed<number> {
  return one(text, (value, shown) => {
    if (!Number.isInteger(value)) return { kind: "notWhole", text: shown };
    if (value > count) return { kind: "aboveCount", text: shown, count };
    return value < 1 ? { kind: "outOfRange", text: shown } : null;
  });
}

/** A whole number from 0 to 2^64 - 1, kept as its digits, because no number holds it. */
export function parseSeed(text: string): Parsed<string> {
  const digits = normalise(text).trim();
  if (!digits) return { problem: { kind: "empty" } };
  return seedOf(digits) === null ? { problem: { kind: "notASeed", text: digits.slice(0, 40) } } : { value: digits };
}
