// Engines on one row, and how far each pair of them is apart: what a line is answered, and what the page
// saves as a test vector.
import { wordsOf } from "../core/checks.ts";
import { gap, probabilities, type Distribution } from "../core/compare.ts";
import { drawFrom, engine, seededAt, type EngineOptions, type EngineResult } from "../core/engine.ts";
import { SmpError, type Place } from "../core/error.ts";
import type { Core } from "../core/module.ts";
import { finding } from "../core/place.ts";
import { lineOf, type Json } from "./answer.ts";
import { listed } from "./listed.ts";

/** A seed, where it was given, and how many draws. */
export type Wanted = { readonly text: string; readonly place: Place; readonly draws: number };

export type Comparison = {
  readonly names: readonly string[];
  readonly logits: Float32Array;
  readonly options: EngineOptions;
  /** Read once the engine has run: what it refuses comes first. */
  readonly wanted: () => Wanted | null;
  /** The seed, if any, is llama.cpp's own, in its `dist`. */
  readonly own: boolean;
  /** An error of a call in the words of who asked. */
  readonly explain: (error: SmpError) => SmpError;
};

type Run = { readonly result: EngineResult; readonly distribution: Distribution | null };
/** One of several: its run, or why it cannot be run. */
type Turn = { readonly name: string; readonly run: Run | null; readonly error: string | null };

/** The answer as the line that eval gives. */
export const comparedLine = (core: Core, asked: Comparison): string => lineOf(() => compared(core, asked));

/** Each engine answers for itself. */
export function compared(core: Core, asked: Comparison): Json {
  const { names } = asked;
  if (names.length < 1)
    throw new SmpError({ path: ["engines"], ...finding([]), allowed: `at least one of ${wordsOf(core.abi.engine)}` });
  const turns = names.map(name => turnOf(core, name, asked)),
    draws = drawnByAll(core, turns, asked);
  const pairs = turns.flatMap((first, index) => turns.slice(index + 1).map(second => [first, second] as const));
  return {
    engines: turns.map(({ name, run, error }, index) => ({
      engine: name,
      n_kept: run?.distribution ? run.distribution.ids.length : 0,
      ...(run?.distribution ? listed(run.distribution.ids, run.distribution.p) : {}),
      by_rounding: run ? run.result.by_rounding : false,
      ...(run ? tracedBy(run.result) : {}),
      ...draws[index],
      ignored: run ? [...run.result.ignored] : [],
      error,
      ...checked(core, name),
    })),
    pairs: pairs.map(([first, second]) => ({ engines: [first.name, second.name], ...pairOf(core, first, second) })),
  };
}

export const tracedBy = ({ trace }: EngineResult): { [key: string]: Json } =>
  trace ? { trace: { ...trace, rows: trace.rows.map(row => ({ ...row })) } } : {};

/** How far the answer is to be trusted: run or read, and which versions its last bits and orders belong to. */
export function checked(core: Core, name: string): { [key: string]: Json } {
  const { how, version } = core.abi.profile[name]!;
  return { checked: how!, version: version! };
}

/** Whether an argument is one that one engine takes and another does not. What is wrong with any other is
    wrong for all. */
function isOwn([field, name]: SmpError["path"], { samplers, settings = {} }: EngineOptions): boolean {
  if (field === "samplers" || field === "variants") return true;
  if (samplers || field !== "settings" || (name !== "temperature" && name !== "repetition_penalty")) return false;
  return Number.isFinite(settings[name] ?? 0);
}

function turnOf(core: Core, name: string, { logits, options, explain }: Comparison): Turn {
  try {
    const made = run(core, name, logits, options);
    return { name, run: made, error: made.result.refusal || null };
  } catch (error) {
    if (!(error instanceof SmpError) || !isOwn(error.path, options)) throw error;
    return { name, run: null, error: explain(error).message };
  }
}

type Draws = { ids: Json; words: Json; runs?: Json; draws_error?: string } | Record<string, never>;

/** What each draws. A seed that only some of them take is a word about the others; one that none takes is an error. */
function drawnByAll(core: Core, turns: readonly Turn[], asked: Comparison): Draws[] {
  const draws = turns.map(({ name, run }) =>
    run?.distribution ? drawnUnlessSeed({ core, name, ...asked }, run.result, asked) : {},
  );
  const refused = draws.filter(each => each instanceof SmpError),
    taken = draws.filter(each => !(each instanceof SmpError) && each.ids);
  if (refused.length && !taken.length) throw refused[0]!;
  return draws.map(each => (each instanceof SmpError ? { ids: null, words: null, draws_error: each.message } : each));
}

/** Beside others, an engine whose draws are not replayed is no error. */
function drawnUnlessSeed(source: Source, result: EngineResult, { own, explain }: Comparison): Draws | SmpError {
  if (result.generator === "" && !own) return { ids: null, words: null };
  try {
    return drawn(source, result);
  } catch (error) {
    if (error instanceof SmpError && error.where.param === "seed") return explain(error);
    throw error;
  }
}

function pairOf(
  core: Core,
  { run: first, error: wrong }: Turn,
  { run: second, error: other }: Turn,
): { [key: string]: Json } {
  if (!first?.distribution || !second?.distribution) return { error: wrong ?? other };
  const { total_variation, max_difference, max_id, only_p, only_q, n_only_p, n_only_q } = gap(
    core,
    first.distribution,
    second.distribution,
  );
  const only = (mass: number, count: number, of: Distribution, other: Distribution): Json => ({
    n: count,
    mass,
    ...onlyIn(of, other),
  });
  return {
    tv: total_variation,
    max_diff: max_difference,
    max_id,
    n_kept: [first.distribution.ids.length, second.distribution.ids.length],
    only: [
      only(only_p, n_only_p, first.distribution, second.distribution),
      only(only_q, n_only_q, second.distribution, first.distribution),
    ],
    by_rounding: first.result.by_rounding || second.result.by_rounding,
  };
}

/** The candidates of one distribution that the other has not, listed as any. */
function onlyIn({ ids, p }: Distribution, other: Distribution): { [key: string]: Json } {
  const known = new Set(other.ids),
    places = Array.from(ids.keys()).filter(place => !known.has(ids[place]!));
  const lists = listed(
    places.map(place => ids[place]!),
    places.map(place => p[place]!),
  );
  return "kept" in lists ? { ids: lists.kept, probs: lists.probs } : lists;
}

export function run(core: Core, name: string, logits: Float32Array, options: EngineOptions): Run {
  const result = engine(core, name, logits, options);
  return { result, distribution: result.refusal ? null : probabilities(core, result) };
}

/** What is drawn from, and for what seed. */
type Source = {
  readonly core: Core;
  readonly name: string;
  readonly logits: Float32Array;
  readonly options: EngineOptions;
  readonly wanted: () => Wanted | null;
};

/** Runs of `xtc` that are listed, one for each draw. */
const RUNS = 100;

/** The ids that the engine draws for the seed, and how many words of its generator that took.
    With `xtc`, also what each of them was drawn from. */
export function drawn({ core, name, logits, options, wanted: asked }: Source, { generator }: EngineResult): Draws {
  const wanted = asked();
  if (!wanted) return {};
  const runs: Json[] = [],
    list = (result: EngineResult): void => {
      if (runs.length === RUNS) return;
      const { ids, p } = probabilities(core, result);
      runs.push({ n_kept: ids.length, ...listed(ids, p) });
    };
  const start = seededAt(core, generator, wanted.text, wanted.place),
    { ids, rng } = drawFrom(core, name, logits, options, start, wanted.draws, list);
  return { ids: [...ids], words: rng.words, ...(runs.length ? { runs } : {}) };
}
