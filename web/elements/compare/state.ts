// What the reader typed, what it means, and what is wrong with it. Pure: no DOM.
import { settingNames, type Config, type SettingName } from "../../compare/config.ts";
import type { Row } from "../../compare/row.ts";
import { one, parseNumbers, type Parsed, type Problem as Common } from "../../ui/numbers.ts";
import { parseSeed } from "../typed.ts";
import type { Preset } from "./presets.ts";

export const LIMITS = { logits: 64, least: 2, magnitude: 1000, text: 4000, context: 128, engines: 2 } as const;

/** An empty field leaves a setting to the engine. */
export const fieldNames = ["logits", ...settingNames, "context", "seed"] as const;
export type FieldName = (typeof fieldNames)[number];

/** What stands in the fields, character by character, and what is chosen. */
export type Draft = Readonly<Record<FieldName, string>> & {
  readonly engines: readonly string[];
  /** The two engines looked at closely. */
  readonly pair: readonly [string, string];
  /** Name of a real position; empty where the logits are those typed. */
  readonly position: string;
};

/** The same before the engines are put in order and a pair is made of them: words as they were given. */
export type Typed = Omit<Draft, "pair"> & { readonly pair: readonly string[] };

/** Detail of `smp-input` and `smp-change`: what is typed, and what it means, or null if it means nothing. */
export type CompareDetail = { readonly draft: Draft; readonly config: Config | null };

/** What is wrong with a field; `text` is the offending piece, `index` its place. */
export type Problem =
  | Common
  | { readonly kind: "tooFew"; readonly found: number }
  | { readonly kind: "notAnId"; readonly text: string; readonly count: number };

export type Reading = {
  /** The configuration, if every field is right. */
  readonly config: Config | null;
  readonly problems: Readonly<Partial<Record<FieldName, Problem>>>;
  readonly fewEngines: boolean;
};

type Read<T> = Parsed<T> | { readonly value?: undefined; readonly problem: Problem };

/** Reads all fields; a row takes the place of typed logits. While those are wrong, ids are only wrong if
    they are for any. */
export function read(draft: Draft, row: Row | null = null): Reading {
  const logits: Read<Config["logits"]> = row ? { value: row.logits } : parseRow(draft.logits),
    settings = settingNames.map(name => [name, parseSetting(name, draft[name])] as const);
  const context = parseContext(draft.context, logits.value?.length ?? LIMITS.logits),
    seed = parseSeed(draft.seed);
  const results: readonly (readonly [string, Read<unknown>])[] = [
    ["logits", logits],
    ...settings,
    ["context", context],
    ["seed", seed],
  ];
  const problems = Object.fromEntries(results.flatMap(([name, { problem }]) => (problem ? [[name, problem]] : [])));
  const fewEngines = draft.engines.length < LIMITS.engines;
  if (!logits.value || !context.value || seed.value === undefined || Object.keys(problems).length || fewEngines)
    return { config: null, problems, fewEngines };
  const given = settings.flatMap(([name, { value }]) => (typeof value === "number" ? [[name, value]] : []));
  const { engines, pair } = draft;
  return {
    config: {
      logits: logits.value,
      row,
      settings: Object.fromEntries(given),
      context: context.value,
      seed: seed.value,
      engines,
      pair,
    },
    problems,
    fewEngines,
  };
}

/** What a draft means where the fields that are wrong, or else all, say what another says, which is right. */
export function sound(draft: Draft, other: Draft, row: Row | null): Config {
  const { config, problems } = read(draft, row),
    right = Object.keys(problems).map(name => [name, other[name as FieldName]]);
  const { engines, pair } = other,
    mended = {
      ...draft,
      ...Object.fromEntries(right),
      ...(draft.engines.length < LIMITS.engines ? { engines, pair } : {}),
    };
  return config ?? read(mended, row).config ?? read(other, row).config!;
}

/** 2 to 64 numbers. */
export function parseRow(text: string): Read<number[]> {
  const row = parseNumbers(text, LIMITS);
  return row.value && row.value.length < LIMITS.least ? { problem: { kind: "tooFew", found: row.value.length } } : row;
}

/** Settings that are whole numbers, and their ranges. */
const WHOLE: Readonly<Partial<Record<SettingName, readonly [number, number]>>> = {
  top_k: [-(2 ** 31), 2 ** 31 - 1],
  repeat_last_n: [0, 2 ** 32 - 1],
};

/** Any finite number, a whole one for top_k and repeat_last_n; what an engine does with it is the
    engine's affair. Empty: null. */
export function parseSetting(name: SettingName, text: string): Read<number | null> {
  if (!text.trim()) return { value: null };
  return one(text, (value, shown) => {
    if (!Number.isFinite(Math.fround(value))) return { kind: "infinite" };
    const range = WHOLE[name];
    if (!range) return null;
    return !Number.isInteger(value)
      ? { kind: "notWhole", text: shown }
      : value < range[0] || value > range[1]
        ? { kind: "outOfRange", text: shown }
        : null;
  });
}

/** Ids of the row so far, oldest first; none where it is empty. */
export function parseContext(text: string, count: number): Read<number[]> {
  if (!text.trim()) return { value: [] };
  const ids = parseNumbers(text, { logits: LIMITS.context, magnitude: Infinity, text: LIMITS.text });
  const bad = ids.value?.find(id => !Number.isInteger(id) || id < 0 || id >= count);
  return bad === undefined ? ids : { problem: { kind: "notAnId", text: String(bad), count } };
}

/** Words that are names of engines, in their own order, without repetition. */
export function enginesOf(
  text: string,
  known: readonly string[],
): { readonly engines: readonly string[]; readonly unknown: readonly string[] } {
  const words = text.split(/[\s,]+/).filter(Boolean);
  return { engines: known.filter(name => words.includes(name)), unknown: words.filter(word => !known.includes(word)) };
}

/** The pair, where both are chosen; else the first two that are. */
export function pairOf([first, second]: readonly string[], engines: readonly string[]): readonly [string, string] {
  const has = (name: string | undefined): name is string => name !== undefined && engines.includes(name);
  const a = has(first) ? first : (engines.find(name => name !== second) ?? "");
  return [a, has(second) && second !== a ? second : (engines.find(name => name !== a) ?? "")];
}

const ENGINES = "transformers candle llama.cpp transformers.js vllm sglang";

/** The draft that a preset stands for. */
export function draftOf(preset: Preset): Draft {
  const { engines: names = ENGINES, pair, ...texts } = preset,
    engines = names.split(" ");
  const empty = {
    temperature: "",
    top_k: "",
    top_p: "",
    min_p: "",
    repetition_penalty: "",
    repeat_last_n: "",
    context: "",
    seed: "42",
  };
  return {
    ...empty,
    ...texts,
    engines,
    pair: pairOf(pair.split(" "), engines),
    position: "",
  };
}

/** True if the draft asks the same as the preset, whatever spaces were typed, and whichever pair is on view. */
export function matches(draft: Draft, preset: Preset): boolean {
  const mine = read(draft).config,
    its = read(draftOf(preset)).config;
  return mine !== null && JSON.stringify({ ...mine, pair: 0 }) === JSON.stringify({ ...its, pair: 0 });
}
