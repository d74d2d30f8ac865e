// What the reader typed, what it means, and what is wrong with it. Pure: no DOM, no core.
import type { Dtype, Share, Tie } from "../../core/lab.ts";
import { one, ONE, parseNumbers, type Parsed, type Problem } from "../../ui/numbers.ts";
import { presets, type Preset } from "./presets.ts";

export const LIMITS = { logits: 8, magnitude: 100, text: ONE } as const;

export const fieldNames = ["logits", "tau", "k", "u"] as const;
export type FieldName = (typeof fieldNames)[number];

export type Switches = { readonly tie: Tie; readonly share: Share; readonly dtype: Dtype };
/** The values of each switch, the default first. */
export const switches: { readonly [Name in keyof Switches]: readonly Switches[Name][] } = {
  tie: ["strict", "threshold"],
  share: ["renormalised", "zeroed"],
  dtype: ["float64", "float32", "float16", "bfloat16"],
};
export const switchNames = Object.keys(switches) as (keyof Switches)[];

/** What stands in the fields, character by character, and the switches. */
export type Draft = Readonly<Record<FieldName, string>> & Switches;

/** A configuration the core accepts; logits as typed, before any rounding. */
export type Config = Switches & {
  readonly logits: readonly number[];
  readonly tau: number;
  readonly k: number;
  readonly u: number;
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
    wrong if it is for any logits. */
export function read(draft: Draft, lastCount: number): Reading {
  const logits = parseLogits(draft.logits);
  const count = logits.value?.length ?? lastCount;
  const tau = parseTau(draft.tau),
    k = parseK(draft.k, logits.value ? count : LIMITS.logits),
    u = parseU(draft.u);
  const problems = Object.fromEntries(
    Object.entries({ logits, tau, k, u }).flatMap(([name, { problem }]) => (problem ? [[name, problem]] : [])),
  );
  const right = logits.value && tau.value !== undefined && k.value !== undefined && u.value !== undefined;
  return {
    config: right ? { ...draft, logits: logits.value, tau: tau.value, k: k.value, u: u.value } : null,
    problems,
    count,
  };
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

/** 1 to 8 numbers of magnitude at most 100. */
export const parseLogits = (text: string): Parsed<number[]> => parseNumbers(text, LIMITS);

/** Any finite number that is not negative. */
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

/** A number from 0 up to, but not including, 1. */
export function parseU(text: string): Parsed<number> {
  return one(text, (value, shown) =>
    value < 0 ? { kind: "negative" } : value >= 1 ? { kind: "reachesOne", text: shown } : null,
  );
}

/** The draft that a preset stands for. */
export function draftOf({ logits, tau, k, u, tie = "strict", dtype = "float64" }: Preset): Draft {
  return { logits, tau, k, u, tie, dtype, share: "renormalised" };
}

/** True if the draft says the same as the preset, whatever spaces were typed. */
export function matches(draft: Draft, preset: Preset): boolean {
  const mine = read(draft, LIMITS.logits).config,
    its = read(draftOf(preset), LIMITS.logits).config;
  return mine !== null && [...fieldNames, ...switchNames].every(name => String(mine[name]) === String(its![name]));
}

/** The shortest decimal that reads back as the same double, -0 included. */
export const exact = (x: number): string => (Object.is(x, -0) ? "-0" : String(x));

/** The text with one of its numbers replaced. */
export function withLogit(logits: readonly number[], id: number, value: string): string {
  return logits.map((logit, index) => (index === id ? value : exact(logit))).join(" ");
}

export const initialDraft = draftOf(presets.chapter);
