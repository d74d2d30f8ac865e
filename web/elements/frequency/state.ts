// What the reader typed, what it means, and what is wrong with it. Pure: no DOM.
import { SOURCES, type Source } from "../../core/frequency.ts";
import { one, ONE, parseNumbers, type Parsed, type Problem } from "../../ui/numbers.ts";
import { parseK, parseSeed, parseTau } from "../typed.ts";
import { presets, type Preset } from "./presets.ts";

export const LIMITS = { logits: 8, magnitude: 100, text: ONE, draws: 1_000_000, taus: 6 } as const;

export const fieldNames = ["logits", "tau", "k", "draws", "seed", "taus"] as const;
export type FieldName = (typeof fieldNames)[number];

/** On or off, as an attribute says it. */
export type Switch = "yes" | "no";
export type Choices = {
  readonly source: Source;
  /** torch: all draws by one call with replacement. */
  readonly replacement: Switch;
  /** One draw is made, and thrown away, before the run. */
  readonly skip: "0" | "1";
  /** Whether another run begins with the seed again, or goes on where the last one ended. */
  readonly seeding: "again" | "on";
};
/** The values of each choice, the default first. */
export const choices: { readonly [Name in keyof Choices]: readonly Choices[Name][] } = {
  source: ["torch-mkl", ...(Object.keys(SOURCES) as Source[]).filter(name => name !== "torch-mkl")],
  replacement: ["no", "yes"],
  skip: ["0", "1"],
  seeding: ["again", "on"],
};
export const choiceNames = Object.keys(choices) as (keyof Choices)[];

/** What stands in the fields, character by character, and what is chosen. */
export type Draft = Readonly<Record<FieldName, string>> & Choices;

/** A configuration that the core accepts, but for a seed that a generator does not take. */
export type Config = {
  readonly logits: readonly number[];
  readonly tau: number;
  readonly k: number;
  readonly draws: number;
  /** A decimal string below 2^64. */
  readonly seed: string;
  readonly taus: readonly number[];
  readonly source: Source;
  readonly replacement: boolean;
  readonly skip: number;
};

/** Detail of `smp-input` and `smp-change`: what is typed, the configuration it means, or null if it means none, and the
    number of draws at the line. */
export type FrequencyDetail = { readonly draft: Draft; readonly config: Config | null; readonly at: number };

export type Reading = {
  /** The configuration, if every field is right. */
  readonly config: Config | null;
  readonly problems: Readonly<Partial<Record<FieldName, Problem>>>;
  /** Number of logits that k is measured against. */
  readonly count: number;
};

/** Reads all fields. `lastCount` stands in for the number of logits while those are wrong. */
export function read(draft: Draft, lastCount: number): Reading {
  const logits = parseNumbers(draft.logits, LIMITS),
    count = logits.value?.length ?? lastCount;
  const parsed = {
    logits,
    tau: parseTau(draft.tau),
    k: parseK(draft.k, logits.value ? count : LIMITS.logits),
    draws: parseDraws(draft.draws),
    seed: parseSeed(draft.seed),
    taus: parseTaus(draft.taus),
  };
  const problems = Object.fromEntries(
    Object.entries(parsed).flatMap(([name, { problem }]) => (problem ? [[name, problem]] : [])),
  );
  const { source, replacement, skip } = draft;
  return {
    config: Object.keys(problems).length
      ? null
      : {
          logits: logits.value!,
          tau: parsed.tau.value!,
          k: parsed.k.value!,
          draws: parsed.draws.value!,
          seed: parsed.seed.value!,
          taus: parsed.taus.value!,
          source,
          replacement: replacement === "yes" && source.startsWith("torch"),
          skip: Number(skip),
        },
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

/** A whole number from 1 to what a run may have. */
function parseDraws(text: string): Parsed<number> {
  return one(text, (value, shown) => {
    if (!Number.isInteger(value)) return { kind: "notWhole", text: shown };
    return value < 1 || value > LIMITS.draws ? { kind: "outOfRange", text: shown } : null;
  });
}

/** One to six temperatures, none negative. */
export function parseTaus(text: string): Parsed<number[]> {
  const parsed = parseNumbers(text, { ...LIMITS, logits: LIMITS.taus, magnitude: 1e6 }),
    below = parsed.value?.some(tau => tau < 0);
  return below ? { problem: { kind: "negative" } } : parsed;
}

/** The draft that a preset stands for. */
export function draftOf({ taus = "0.5 1 1.5", skip = "0", ...texts }: Preset): Draft {
  return { ...texts, taus, skip: skip as Draft["skip"], replacement: "no", seeding: "again" };
}

/** True if the draft says the same as the preset, whatever spaces were typed. */
export function matches(draft: Draft, preset: Preset): boolean {
  const mine = read(draft, LIMITS.logits).config;
  return mine !== null && JSON.stringify(mine) === JSON.stringify(read(draftOf(preset), LIMITS.logits).config);
}

export const initialDraft = draftOf(presets.record);
