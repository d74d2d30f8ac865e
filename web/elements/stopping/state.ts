// What the reader typed, what it means, and what is wrong with it. Pure: no DOM, no core.
import type { Rule } from "../../core/stop.ts";
import { normalise, one, type Parsed, type Problem } from "../../ui/numbers.ts";
import { presets, type Pad, type Preset } from "./presets.ts";

export const LIMITS = { rows: 3, tokens: 8, letters: 12, text: 2000 } as const;
export const EOS_ID = 1;

/** Prompts are given and stay: padded on the left, not empty; an EOS in them ends nothing. */
export const PROMPTS = [
  { tokens: ["PAD", "PAD", "q"], mask: [0, 0, 1] },
  { tokens: ["PAD", "EOS", "q"], mask: [0, 1, 1] },
  { tokens: ["PAD", "r", "s"], mask: [0, 1, 1] },
] as const;

export type WrongRule = Exclude<Rule, "latch">;
export const pads: readonly Pad[] = ["own", "shared"];
export const wrongRules: readonly WrongRule[] = ["any", "same-step", "scalar", "single"];

/** What stands in the fields, character by character, and what is chosen. */
export type Draft = {
  readonly rows: readonly string[];
  readonly limit: string;
  readonly pad: Pad;
  readonly rule: WrongRule;
};

/** A batch that the core accepts. */
export type Config = {
  /** Tokens as typed, and their ids: PAD 0 or 1, EOS 1, others from 2 in order of first appearance. */
  readonly rows: readonly (readonly string[])[];
  readonly ids: readonly (readonly number[])[];
  readonly padId: number;
  readonly limit: number;
  readonly pad: Pad;
  readonly rule: WrongRule;
};

/** Detail of `smp-input` and `smp-change`: what is typed, the batch it means, or null if it means none,
    and the step. */
export type StoppingDetail = { readonly draft: Draft; readonly config: Config | null; readonly step: number };

/** What is wrong with a row; `text` is the offending token. */
export type RowProblem =
  | { readonly kind: "empty" }
  | { readonly kind: "textTooLong"; readonly most: number }
  | { readonly kind: "tooMany"; readonly found: number }
  | { readonly kind: "tokenTooLong"; readonly text: string }
  | { readonly kind: "badToken"; readonly text: string }
  | { readonly kind: "short"; readonly found: number; readonly limit: number };

export type Reading = {
  /** The batch, if every field is right. */
  readonly config: Config | null;
  readonly rowProblems: readonly (RowProblem | undefined)[];
  readonly limitProblem: Problem | undefined;
};

export function read(draft: Draft): Reading {
  const limit = parseLimit(draft.limit);
  const rows = draft.rows.map(text => parseRow(text, limit.value ?? 1));
  const tokens = rows.flatMap(row => (row.tokens ? [row.tokens] : []));
  const right = limit.value !== undefined && tokens.length === rows.length;
  return {
    config: right
      ? { ...draft, rows: tokens, ids: idsOf(tokens, draft.pad), padId: padId(draft.pad), limit: limit.value }
      : null,
    rowProblems: rows.map(row => row.problem),
    limitProblem: limit.problem,
  };
}

/** What a draft means where the rows and the limit that are wrong, or else both, are those of another,
    which is right. */
export function sound(draft: Draft, other: Draft): Config {
  const { config, rowProblems, limitProblem } = read(draft),
    { rows, limit } = other;
  const right = { ...draft, ...(limitProblem ? { limit } : {}), ...(rowProblems.some(Boolean) ? { rows } : {}) };
  return config ?? read(right).config ?? read({ ...draft, rows, limit }).config!;
}

type ParsedRow =
  | { readonly tokens: readonly string[]; readonly problem?: undefined }
  | { readonly tokens?: undefined; readonly problem: RowProblem };

/** 1 to 8 tokens, separated by spaces, line ends or commas of any script, that cover the limit; after an
    EOS, PAD does. */
export function parseRow(text: string, limit: number): ParsedRow {
  if (text.length > LIMITS.text) return { problem: { kind: "textTooLong", most: LIMITS.text } };
  const tokens = tokensOf(text);
  if (!tokens.length) return { problem: { kind: "empty" } };
  const bad = tokens.find(token => !/^\w+$/.test(token));
  if (bad) return { problem: { kind: "badToken", text: bad } };
  const long = tokens.find(token => token.length > LIMITS.letters);
  if (long) return { problem: { kind: "tokenTooLong", text: long } };
  if (tokens.length > LIMITS.tokens) return { problem: { kind: "tooMany", found: tokens.length } };
  if (tokens.length >= limit) return { tokens };
  return tokens.includes("EOS")
    ? { tokens: [...tokens, ...Array<string>(limit - tokens.length).fill("PAD")] }
    : { problem: { kind: "short", found: tokens.length, limit } };
}

const tokensOf = (text: string): string[] =>
  normalise(text)
    .split(/[\s,、]+/)
    .filter(Boolean);

/** A whole number from 1 to 8. */
export function parseLimit(text: string): Parsed<number> {
  return one(text, (value, shown) => {
    if (!Number.isInteger(value)) return { kind: "notWhole", text: shown };
    return value < 1 || value > LIMITS.tokens ? { kind: "outOfRange", text: shown } : null;
  });
}

/** A token that looks like EOS or PAD and is an ordinary one. */
export function lookalike(text: string): string | undefined {
  if (text.length > LIMITS.text) return undefined;
  return tokensOf(text).find(token => /^(eos|pad)$/i.test(token) && !/^(EOS|PAD)$/.test(token));
}

export const padId = (pad: Pad): number => (pad === "shared" ? EOS_ID : 0);

function idsOf(rows: readonly (readonly string[])[], pad: Pad): number[][] {
  const ids = new Map([
    ["EOS", EOS_ID],
    ["PAD", padId(pad)],
  ]);
  let next = EOS_ID + 1;
  for (const token of rows.flat()) if (!ids.has(token)) ids.set(token, next++);
  return rows.map(row => row.map(token => ids.get(token)!));
}

/** Rows of one text, as an attribute or a link holds them: separated by a slash, a semicolon or a line end. */
export const splitRows = (text: string): string[] => text.split(/[/;\n]/).map(row => row.trim());
export const joinRows = (rows: readonly string[]): string => rows.join(" / ");

/** What a row that is added says: tokens that reach the limit and end there. */
export function newRow(limit: number): string {
  return [...Array<string>(limit - 1).fill("c"), "EOS"].join(" ");
}

export const draftOf = (preset: Preset): Draft => ({ ...preset, rule: "any" });

/** True if the draft says the same as the preset, whatever spaces were typed and whichever wrong rule is on view. */
export function matches(draft: Draft, preset: Preset): boolean {
  const mine = read(draft).config,
    its = read(draftOf(preset)).config!;
  return (
    mine !== null &&
    mine.limit === its.limit &&
    mine.pad === its.pad &&
    JSON.stringify(mine.rows) === JSON.stringify(its.rows)
  );
}

export const initialDraft = draftOf(presets.rowByRow);
