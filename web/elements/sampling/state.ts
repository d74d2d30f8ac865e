// What the reader typed, what it means, and what is wrong with it. Pure: no DOM, no core.
import type { Dtype, Share, Tie } from "../../core/lab.ts";
import { one, ONE, parseNumbers, type Parsed, type Problem } from "../../ui/numbers.ts";
import { entriesOf, parseWords, written } from "./labels.ts";
import { parseK, parseTau } from "../typed.ts";
import { presets, type Preset } from "./presets.ts";
import { CHAPTER_RULES, parseRules, ruleNames, type RuleName, type TieP } from "./rules.ts";

/** `most`: candidates where they have words, or an author asks for it. */
export const LIMITS = { logits: 8, most: 16, magnitude: 100, text: ONE } as const;

export const fieldNames = ["logits", "tau", "k", "top_p", "min_p", "u"] as const;
export type FieldName = (typeof fieldNames)[number];
/** The field of each rule. */
export const ruleFields = { top_k: "k", top_p: "top_p", min_p: "min_p" } as const satisfies Record<RuleName, FieldName>;

export type Switches = { readonly tie: Tie; readonly tie_p: TieP; readonly share: Share; readonly dtype: Dtype };
/** The values of each switch, the default first. */
export const switches: { readonly [Name in keyof Switches]: readonly Switches[Name][] } = {
  tie: ["strict", "threshold"],
  tie_p: ["strict", "inclusive"],
  share: ["renormalised", "zeroed"],
  dtype: ["float64", "float32", "float16", "bfloat16"],
};
export const switchNames = Object.keys(switches) as (keyof Switches)[];

/** What only the author sets: words of the candidates, how many there may be, and the filters. */
export const authorNames = ["labels", "max", "rules"] as const;

/** What an author may set, and how that is told where it is something else. */
export const authored: Readonly<
  Record<(typeof authorNames)[number], { accepts: (text: string) => boolean; allowed: string }>
> = {
  labels: {
    accepts: text => parseWords(text) !== null,
    allowed: String.raw`words, those with spaces, commas, colons or quotes as in JSON: "New York" "\"" the`,
  },
  max: {
    accepts: text => text === "" || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= LIMITS.most),
    allowed: `1 to ${LIMITS.most}`,
  },
  rules: { accepts: text => parseRules(text) !== null, allowed: `${ruleNames.join(", ")}, each at most once` },
};

/** What stands in the fields, character by character, the switches, and what the author set. */
export type Draft = Readonly<Record<FieldName | (typeof authorNames)[number], string>> & Switches;

/** A configuration the core accepts; logits as typed, before any rounding. */
export type Config = Switches & {
  readonly logits: readonly number[];
  readonly tau: number;
  /** What a rule that is not among `rules` has is of no consequence. */
  readonly k: number;
  readonly top_p: number;
  readonly min_p: number;
  readonly u: number;
  /** The filters, first to last. */
  readonly rules: readonly RuleName[];
  /** The word of each candidate; "" where it has none. */
  readonly labels: readonly string[];
};

/** Detail of `smp-input` and `smp-change`: what is typed, and the configuration it means, or null if it means none. */
export type SamplingDetail = { readonly draft: Draft; readonly config: Config | null };

export type Reading = {
  /** The configuration, if every field is right. */
  readonly config: Config | null;
  readonly problems: Readonly<Partial<Record<FieldName, Problem>>>;
  /** Number of logits that k is measured against. */
  readonly count: number;
};

/** Reads all fields. `lastCount` stands in for the number of logits while those are wrong; k is then only
    wrong if it is for any logits. The field of a rule that is not in use cannot be wrong. */
export function read(draft: Draft, lastCount: number): Reading {
  const rules = parseRules(draft.rules) ?? [],
    logits = parseLogits(draft.logits, mostOf(draft));
  const count = logits.value?.length ?? lastCount;
  const used = <Value>(rule: RuleName, parsed: Parsed<Value>, otherwise: Value): Parsed<Value> =>
    rules.includes(rule) ? parsed : { value: parsed.value ?? otherwise };
  const tau = parseTau(draft.tau),
    k = used("top_k", parseK(draft.k, logits.value ? count : mostOf(draft)), count),
    top_p = used("top_p", parseShare(draft.top_p), 1),
    min_p = used("min_p", parseShare(draft.min_p), 0),
    u = parseU(draft.u);
  const all = { logits, tau, k, top_p, min_p, u };
  const problems = Object.fromEntries(
    Object.entries(all).flatMap(([name, { problem }]) => (problem ? [[name, problem]] : [])),
  );
  const values = { tau: tau.value!, k: k.value!, top_p: top_p.value!, min_p: min_p.value!, u: u.value! },
    right = logits.value && !Object.keys(problems).length;
  return {
    config: right ? { ...draft, ...values, logits: logits.value, rules, labels: labelsOf(draft, count) } : null,
    problems,
    count,
  };
}

/** How many candidates there may be. */
export function mostOf({ logits, labels, max }: Pick<Draft, "logits" | "labels" | "max">): number {
  if (max) return Number(max);
  return [...wordsOf(logits), ...(parseWords(labels) ?? [])].some(Boolean) ? LIMITS.most : LIMITS.logits;
}

/** The words that stand before the numbers; what is too long has none. */
const wordsOf = (logits: string): readonly string[] => (logits.length > LIMITS.text ? [] : entriesOf(logits).words);

/** The words that were typed, and where there is none the author's. */
function labelsOf({ logits, labels }: Draft, count: number): readonly string[] {
  const typed = wordsOf(logits),
    given = parseWords(labels) ?? [];
  return Array.from({ length: count }, (_, id) => typed[id] || given[id] || "");
}

/** What a draft means where the fields that are wrong, or else all, say what another says, which is right. */
export function sound(draft: Draft, other: Draft): Config {
  const { config, problems } = read(draft, LIMITS.logits),
    right = Object.keys(problems).map(name => [name, other[name as FieldName]]);
  return (
    config ??
    read({ ...draft, ...Object.fromEntries(right) }, LIMITS.logits).config ??
    read(other, LIMITS.logits).config!
  );
}

/** At least one number of magnitude at most 100, and at most as many as said; before each there may be a word. */
export function parseLogits(text: string, most: number = LIMITS.logits): Parsed<number[]> {
  if (text.length > LIMITS.text) return { problem: { kind: "tooLong", most: LIMITS.text } };
  return parseNumbers(entriesOf(text).numbers.join(" "), { ...LIMITS, logits: most });
}

/** A number from 0 to 1. */
export function parseShare(text: string): Parsed<number> {
  return one(text, (value, shown) =>
    value < 0 ? { kind: "negative" } : value > 1 ? { kind: "outOfRange", text: shown } : null,
  );
}

/** A number from 0 up to, but not including, 1. */
export function parseU(text: string): Parsed<number> {
  return one(text, (value, shown) =>
    value < 0 ? { kind: "negative" } : value >= 1 ? { kind: "reachesOne", text: shown } : null,
  );
}

/** The draft that a preset stands for. */
export function draftOf({ logits, tau, k, u, tie = "strict", dtype = "float64" }: Preset): Draft {
  return {
    logits,
    tau,
    k,
    u,
    tie,
    dtype,
    share: "renormalised",
    ...{ top_p: "0.9", min_p: "0.1", tie_p: "strict", labels: "", max: "", rules: CHAPTER_RULES },
  };
}

/** True if the draft says the same as the preset, whatever spaces were typed. */
export function matches(draft: Draft, preset: Preset): boolean {
  const { labels, max, rules } = draft,
    mine = read(draft, LIMITS.logits).config,
    its = read({ ...draftOf(preset), labels, max, rules }, LIMITS.logits).config;
  return mine !== null && its !== null && same.every(name => String(mine[name]) === String(its[name]));
}

const same = [...fieldNames, ...switchNames];

/** The shortest decimal that reads back as the same double, -0 included. */
export const exact = (x: number): string => (Object.is(x, -0) ? "-0" : String(x));

/** The text with one of its numbers replaced, and each word as it was. */
export function withLogit(logits: readonly number[], id: number, value: string, words: readonly string[] = []): string {
  const numbers = logits.map((logit, index) => (index === id ? value : exact(logit)));
  return words.some(Boolean) ? written(words, numbers) : numbers.join(" ");
}

export const initialDraft = draftOf(presets.chapter);
