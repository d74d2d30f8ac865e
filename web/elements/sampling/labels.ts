// The words of the candidates: how they are written, in a list or before the numbers of a field, and how they are
// shown. In both, a word that holds a space, a comma, a colon or a quotation mark stands in double quotes, as in JSON.

/** What ends a piece: white space and commas of any script. */
const END = String.raw`\s,\uff0c\u3001`;
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const WORD = String.raw`(${QUOTED}|[^${END}"][^${END}]*?)\s*[:\uff1a]\s*`;
/** Characters of numbers, full-width ones among them. */
const NUMBER = String.raw`([-+.\deE\u2010-\u2015\u2212\uff0b\uff0d\uff0e\uff10-\uff19\uff25\uff45]+)`;

/** `the: 3.2`; then, to name what is wrong, a word with something else after it; then a number alone. */
const ENTRY = new RegExp(`${WORD}${NUMBER}(?=[${END}]|$)|${WORD}([^${END}]+)|([^${END}]+)`, "g");
const LINE = new RegExp(`^(.*)[:\\uff1a]\\s*${NUMBER}[${END}]*$`);

/** The pieces that numbers are to be read from, and the word before each; "" where there is none. */
export type Entries = { readonly numbers: readonly string[]; readonly words: readonly string[] };

/** A list such as `the: 3.2, a: 2` or `3.2 2`; on several lines, all before the last colon of a line is one word. */
export function entriesOf(text: string): Entries {
  const found = Array.from(
    oneLine(text).matchAll(ENTRY),
    ([piece, word, number, wordOfNone, none, alone]) =>
      [unquote(word ?? wordOfNone ?? ""), number ?? none ?? alone, piece] as const,
  );
  return {
    numbers: found.map(([word, number, piece]) => (word === null ? piece.replace(/\s+/g, "") : number!)),
    words: found.map(([word]) => word ?? ""),
  };
}

/** Words with their numbers, as one would type them. */
export const written = (words: readonly string[], numbers: readonly string[]): string =>
  numbers.map((number, id) => (words[id] ? `${quote(words[id])}: ${number}` : number)).join(", ");

/** Lines such as `New York: 3.2` as pieces of one line; other text as it is. */
export function oneLine(text: string): string {
  const lines = text.split(/[\n\r]+/);
  if (lines.length < 2) return text;
  return lines
    .filter(line => line.trim())
    .map(line => {
      const [, before, number] = LINE.exec(line) ?? [],
        word = before === undefined ? null : unquote(before.trim());
      return word === null ? line : `${quote(word)}: ${number}`;
    })
    .join(", ");
}

/** A list of words, spaces between; null where quotes are not right. */
export function parseWords(text: string): readonly string[] | null {
  const pieces = text.match(new RegExp(`${QUOTED}(?!\\S)|\\S+`, "g")) ?? [],
    words = pieces.map(unquote);
  return words.every(word => word !== null) ? words : null;
}

/** A list of words as text. */
export const listed = (words: readonly string[]): string => words.map(quote).join(" ");

/** A word as it is written: in quotes where it could not stand alone. */
const quote = (word: string): string =>
  new RegExp(`^[^${END}:\\uff1a"]+$`).test(word) && word === visible(word) ? word : JSON.stringify(word);

/** The word that is written so; null where the quotes are not right. */
function unquote(text: string): string | null {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What would not be seen, or would turn the line around it, as it is written in JSON. What joins emoji stays. */
export const visible = (word: string): string =>
  word.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, hidden =>
    Array.from({ length: hidden.length }, (_, at) => escapeOf(hidden.charCodeAt(at))).join(""),
  );

const SHORT: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r" };
const escapeOf = (unit: number): string => SHORT[unit] ?? `\\u${unit.toString(16).padStart(4, "0")}`;

/** Messages, or a sentence, with its word beside each candidate. */
export function spelled<Words>(of: Words, words: readonly string[]): Words {
  if (typeof of === "function") return ((...given: unknown[]) => spelled(of(...given), words)) as Words;
  if (Array.isArray(of)) return of.map(item => spelled(item, words)) as Words;
  if (typeof of !== "object" || of === null) return of;
  if ("kind" in of && "id" in of) return { ...of, word: words[of.id as number] };
  return Object.fromEntries(Object.entries(of).map(([name, item]) => [name, spelled(item, words)])) as Words;
}
