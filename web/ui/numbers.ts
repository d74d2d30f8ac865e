// Numbers as people type them: what they mean, or what is wrong with them.

/** Characters of a field for one number. */
export const ONE = 2000;

/** What is wrong with a field; `text` is the offending piece, `index` its place in a list. */
export type Problem =
  | { readonly kind: "empty" }
  | { readonly kind: "notNumber"; readonly text: string; readonly index?: number }
  | { readonly kind: "tooMany"; readonly found: number }
  | { readonly kind: "tooLong"; readonly most: number }
  | { readonly kind: "outOfRange"; readonly text: string; readonly index?: number }
  | { readonly kind: "negative" }
  | { readonly kind: "infinite" }
  | { readonly kind: "notWhole"; readonly text: string }
  | { readonly kind: "aboveCount"; readonly text: string; readonly count: number }
  | { readonly kind: "reachesOne"; readonly text: string }
  | { readonly kind: "notASeed"; readonly text: string };

export type Parsed<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: Problem };

/** How many numbers, how large, and in how many characters. */
export type Limits = { readonly logits: number; readonly magnitude: number; readonly text: number };

/** Numbers separated by spaces, tabs, line ends or commas of any script. */
export function parseNumbers(text: string, limits: Limits): Parsed<number[]> {
  if (text.length > limits.text) return { problem: { kind: "tooLong", most: limits.text } };
  const pieces = normalise(text)
    .split(/[\s,、]+/)
    .filter(Boolean);
  if (!pieces.length) return { problem: { kind: "empty" } };
  const values = pieces.map(toNumber);
  const index = values.findIndex(Number.isNaN);
  if (index >= 0) return { problem: { kind: "notNumber", text: pieces[index]!, index } };
  if (values.length > limits.logits) return { problem: { kind: "tooMany", found: values.length } };
  const far = values.findIndex(value => Math.abs(value) > limits.magnitude);
  return far < 0 ? { value: values } : { problem: { kind: "outOfRange", text: pieces[far]!, index: far } };
}

/** One number, if `check` finds nothing wrong with it. */
export function one(text: string, check: (value: number, shown: string) => Problem | null): Parsed<number> {
  if (text.length > ONE) return { problem: { kind: "tooLong", most: ONE } };
  const shown = normalise(text).trim();
  if (!shown) return { problem: { kind: "empty" } };
  const value = toNumber(shown);
  const problem: Problem | null = Number.isNaN(value) ? { kind: "notNumber", text: shown } : check(value, shown);
  return problem ? { problem } : { value };
}

/** Full-width digits, signs and commas to their plain forms; every minus and hyphen to ASCII. Not NFKC:
    it reads 10³ as 103. */
export function normalise(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u2010-\u2015\u2212]/g, "-");
}

/** The number a piece stands for, or NaN: no hex, no Infinity, nothing that Number() would guess. */
function toNumber(piece: string): number {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(piece) ? Number(piece) : NaN;
}
