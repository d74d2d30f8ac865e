// JSON: an array of numbers (and "-inf"), or an object with such an array as "logits". Also the strict
// parser that headers use.
import { rounded } from "./floats.ts";
import { fail, LIMITS, shown, type Format } from "./problem.ts";
import { bytesOf, type Source, type Tensor } from "./source.ts";

/** How JSON, which has no infinities, writes an entry that is removed; answers of eval do so too. */
const MASKED = "-inf";

export async function readJson(source: Source): Promise<Tensor[]> {
  if (source.size > LIMITS.json) fail({ kind: "tooLong", bytes: source.size });
  const value = parseJson(await bytesOf(source, 0, source.size), "json");
  const list = value !== null && typeof value === "object" && "logits" in value ? value.logits : value;
  if (!Array.isArray(list)) return fail({ kind: "broken", format: "json", near: shown(JSON.stringify(list)) });
  if (list.length === 0) fail({ kind: "empty" });
  if (list.length > LIMITS.entries) fail({ kind: "tooMany", found: list.length });
  const wrong = list.findIndex(each => typeof each !== "number" && each !== MASKED);
  if (wrong >= 0) fail({ kind: "entry", index: wrong, found: shown(JSON.stringify(list[wrong])) });
  const far = list.indexOf(-Infinity); // a number beyond all doubles, since JSON has no infinity
  if (far >= 0) fail({ kind: "tooLarge", index: far, found: "below -1.8e308" });
  return [
    {
      name: "",
      dtype: "JSON",
      shape: [list.length],
      rows: 1,
      columns: list.length,
      row: async () =>
        rounded(new Float32Array(list.length), index => (list[index] === MASKED ? -Infinity : list[index])),
    },
  ];
}

/** The value of a text in UTF-8 in which no object names a key twice and brackets are not nested deep.
    Throws FileError. */
export function parseJson(bytes: Uint8Array, format: Format): unknown {
  const text = decoded(bytes) ?? fail({ kind: "broken", format, near: "UTF-8" }),
    key = repeated(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const named = /[[,:]\s*(NaN|-?Infinity)\b/.exec(text)?.[1]; // Python writes these
    return fail({ kind: "broken", format, near: named ?? shown(text.trim()) });
  }
  return key === undefined ? value : fail({ kind: "repeated", key: shown(key) });
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A key that an object has twice; of what is no JSON, anything. Throws FileError where brackets are
    nested too deep. */
function repeated(text: string): string | undefined {
  const open: (Set<string> | null)[] = [],
    marks = /["{}[\]]/g,
    colon = /\s*:/y; // null: an array
  let twice: string | undefined;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const [mark] = found,
      keys = open.at(-1);
    if (mark === "{" || mark === "[") open.push(mark === "{" ? new Set() : null);
    else if (mark !== '"') open.pop();
    else {
      colon.lastIndex = marks.lastIndex = endOf(text, found.index);
      if (!keys || !colon.test(text)) continue;
      const key = unescaped(text.slice(found.index, marks.lastIndex));
      if (keys.has(key)) twice ??= key;
      keys.add(key);
    }
    if (open.length > LIMITS.depth) fail({ kind: "deep" });
  }
  return twice;
}

/** Where the string ends that begins at a place. */
function endOf(text: string, from: number): number {
  const mark = /["\\]/g;
  for (mark.lastIndex = from + 1; ; mark.lastIndex++) {
    if (!mark.test(text)) return text.length;
    if (text[mark.lastIndex - 1] === '"') return mark.lastIndex;
  }
}

/** A string as JSON means it; as it is written where that is no JSON. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
