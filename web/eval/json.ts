// A line of JSON, strictly: no key twice, and no more of anything than memory bears. Every pass over the
// text is linear.
import type { Path } from "../core/error.ts";
import { at, bad, type Json, type LineError } from "./request.ts";

/** What a line may hold: bytes, arrays and objects inside each other, keys of one object, and values in all. */
export const LINE = { length: 2 ** 26, depth: 16, keys: 64, values: 2 ** 23 } as const;

/** The value of a line. Throws SmpError, with the field of the line in which the fault lies. */
export function parseLine(text: string): Json {
  if (text.length > LINE.length) throw badLine(`is longer than ${LINE.length} bytes`, `${ONE}, at most that long`);
  if (!/\S/.test(text)) throw badLine("is empty");
  const twice = scan(text); // first: what is too deep or too much must not be built
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badLine(`is not JSON (${(error as Error).message})`);
  }
  if (twice) throw twice;
  return value;
}

const ONE = "one JSON object per line";

/** What is wrong with a line as a whole. */
export const badLine = (wrong: string, allowed = ONE): LineError => bad({ path: [], wrong, allowed });

/** More of something than a line may hold, at a place in it. */
function tooMuch(open: readonly Open[], what: string): LineError {
  const path = pathOf(open);
  return bad({ path, wrong: path.length ? what : `has ${what}`, allowed: "at most that" });
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
function scan(text: string): LineError | undefined {
  const open: Open[] = [];
  let twice: LineError | undefined,
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
      if (open.length === LINE.depth) throw tooMuch(open, `arrays and objects more than ${LINE.depth} deep`);
      open.push(code === OPEN_ARRAY ? { keys: null, at: 0 } : { keys: new Set(), at: "" });
      values++;
    } else if (code === COMMA) {
      if (++values > LINE.values) throw tooMuch(open, `more than ${LINE.values} values in the line`);
      if (typeof inner?.at === "number") inner.at++;
    } else if (code === COLON && inner?.keys) {
      const name = unquoted(key);
      inner.at = name;
      if (inner.keys.has(name))
        twice ??= bad({ path: pathOf(open), wrong: "given twice", allowed: "each key of an object once" });
      else if (inner.keys.size === LINE.keys) throw tooMuch(open, `more than ${LINE.keys} keys in an object`);
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

const pathOf = (open: readonly Open[]): Path => at(...open.map(each => each.at).filter(each => each !== "")).path;
