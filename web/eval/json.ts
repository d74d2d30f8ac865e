// A line of JSON, strictly: no key twice, and no more of anything than memory bears. Every pass over the text is linear.
import { bad, short, type Json } from "./request.ts";

/** What a line may hold: bytes, arrays and objects inside each other, keys of one object, and values in all. */
export const LINE = { length: 2 ** 26, depth: 16, keys: 64, values: 2 ** 23 } as const;

/** The value of a line. Throws SmpError, with the field of the line in which the fault lies. */
export function parseLine(text: string): Json {
  if (text.length > LINE.length)
    throw bad(
      "line",
      `the line is longer than ${LINE.length} bytes; allowed: one JSON object a line, at most that long`,
    );
  if (!/\S/.test(text)) throw bad("line", "the line is empty; allowed: one JSON object a line");
  const twice = scan(text); // first: what is too deep or too much must not be built
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad("line", `the line is not JSON (${(error as Error).message}); allowed: one JSON object a line`);
  }
  if (twice) throw twice;
  return value;
}

/** An array or object that is open: where in it we are, and the keys so far. */
type Open = { readonly keys: Set<string> | null; at: string | number };

const QUOTE = 34,
  COMMA = 44,
  COLON = 58,
  OPEN_ARRAY = 91,
  BACKSLASH = 92,
  CLOSE_ARRAY = 93,
  OPEN_OBJECT = 123,
  CLOSE_OBJECT = 125;

/** The first key that an object has twice. Right also where the text is no JSON: then nobody asks. */
function scan(text: string): Error | undefined {
  const open: Open[] = [];
  let twice: Error | undefined,
    values = 1,
    key = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at),
      inner = open.at(-1);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (inner?.keys) key = text.slice(at, end);
      at = end - 1;
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (open.length === LINE.depth)
        throw bad(
          field(open),
          `${pathOf(open)}: arrays and objects more than ${LINE.depth} deep; allowed: at most that`,
        );
      open.push(code === OPEN_ARRAY ? { keys: null, at: 0 } : { keys: new Set(), at: "" });
      values++;
    } else if (code === COMMA) {
      if (++values > LINE.values)
        throw bad(field(open), `${pathOf(open)}: more than ${LINE.values} values in the line; allowed: at most that`);
      if (typeof inner?.at === "number") inner.at++;
    } else if (code === COLON && inner?.keys) {
      const name = unquoted(key);
      inner.at = name;
      if (inner.keys.has(name))
        twice ??= bad(field(open), `${pathOf(open)}: given twice; allowed: each key of an object once`);
      else if (inner.keys.size === LINE.keys)
        throw bad(field(open), `${pathOf(open)}: more than ${LINE.keys} keys in an object; allowed: at most that`);
      inner.keys.add(name);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) open.pop();
  }
  return twice;
}

/** Behind the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function unquoted(key: string): string {
  try {
    return JSON.parse(key);
  } catch {
    return key;
  }
}

const field = ([line]: readonly Open[]): string => (typeof line?.at === "string" && line.at ? short(line.at) : "line");

/** As a user would write it: `settings.top_k`, `chain[2][1]`. */
function pathOf(open: readonly Open[]): string {
  const steps = open
    .filter(({ at }) => at !== "")
    .map(({ at }, depth) => (typeof at === "number" ? `[${at}]` : `${depth ? "." : ""}${short(at)}`));
  return steps.join("") || "the line";
}
