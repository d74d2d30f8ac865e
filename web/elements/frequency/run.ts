// A run of draws as the element shows it: counts at marks that are even on a logarithmic axis, and at any number between
// two of them. No DOM.
import {
  bands,
  candidates,
  counting,
  fit,
  nextCounts,
  nextIds,
  streamOf,
  type Band,
  type Candidates,
  type Fit,
  type Source,
  type Stream,
} from "../../core/frequency.ts";
import type { Rng } from "../../core/engine.ts";
import { SmpError } from "../../core/error.ts";
import type { Core } from "../../core/module.ts";
import type { Config } from "./state.ts";

/** Marks in each power of ten. */
const PER_DECADE = 60;

export type Mark = { readonly n: number; readonly counts: Uint32Array; readonly stream: Stream };

export type Run = {
  /** What it is a run of. */
  readonly config: Config;
  readonly candidates: Candidates;
  readonly start: Stream;
  /** In ascending order; the last is as far as it has come. */
  readonly marks: readonly Mark[];
};

/** The numbers of draws at which a run is looked at: 1 to the end, every power of ten among them, and the last but one,
    after which the last can be drawn at once. */
export function marksOf(draws: number): number[] {
  const marks = new Set<number>();
  for (let step = 0; ; step++) {
    const mark = Math.round(10 ** (step / PER_DECADE));
    if (mark >= draws) break;
    marks.add(mark);
  }
  if (draws > 1) marks.add(draws - 1);
  return [...marks, draws];
}

/** The run before its first draw, seeded or going on with a generator; what that says of the seed if it does not take it. */
export function begin(
  core: Core,
  config: Config,
  { source = config.source, from = config.seed }: { source?: Source; from?: string | Rng } = {},
): Run | SmpError {
  try {
    const { tau, k, replacement } = config,
      found = candidates(core, config.logits, { tau, k, source, replacement: replacement && isTorch(source) });
    let start = streamOf(core, found, from, config.draws + config.skip);
    for (let thrown = 0; thrown < config.skip; thrown++) start = nextIds(core, start, 1).stream;
    return { config, candidates: found, start, marks: [] };
  } catch (error) {
    if (!(error instanceof SmpError)) throw error;
    return error;
  }
}

export const isTorch = (source: Source): boolean => source.startsWith("torch");

/** The run, farther at each step, to its end. */
export function* running(core: Core, begun: Run): Generator<Run, Run> {
  const { skip, draws } = begun.config,
    marks: Mark[] = [];
  for (const { done, counts, stream } of counting(
    core,
    begun.start,
    marksOf(draws).map(mark => mark + skip),
  )) {
    if (counts) marks.push({ n: done - skip, counts, stream });
    yield { ...begun, marks: [...marks] };
  }
  return { ...begun, marks };
}

/** Draws so far. */
export const doneOf = (run: Run): number => run.marks.at(-1)?.n ?? 0;

/** The counts after exactly n draws. */
export function countsAt(core: Core, { marks, start, candidates: { n: ids } }: Run, n: number): Uint32Array {
  const mark = marks.filter(each => each.n <= n).at(-1),
    counts = mark ? mark.counts.slice() : new Uint32Array(ids),
    left = n - (mark?.n ?? 0);
  if (left > 0) nextCounts(core, mark?.stream ?? start, counts, left);
  return counts;
}

export type Looked = {
  readonly n: number;
  readonly counts: Uint32Array;
  readonly fit: Fit;
  /** Of each id, after n draws. */
  readonly bands: readonly Band[];
};

/** The run at its line. */
export function look(core: Core, run: Run, n: number): Looked {
  const counts = countsAt(core, run, n),
    { p } = run.candidates;
  return { n, counts, fit: fit(core, counts, p), bands: Array.from(p, each => bands(core, each, [n])[0]!) };
}

/** The first ids of the run, and one before them where one is thrown away. */
export function firstIds(core: Core, config: Config, most: number): readonly number[] {
  const fresh = begin(core, { ...config, skip: 0, draws: Math.min(config.draws + 1, most) });
  return fresh instanceof SmpError ? [] : [...nextIds(core, fresh.start, fresh.config.draws).ids];
}

/** The same settings by each other generator; only those that take the seed. */
export function others(core: Core, config: Config, sources: readonly Source[]): Run[] {
  return sources.map(source => begin(core, config, { source })).filter((run): run is Run => !(run instanceof SmpError));
}

/** The last id of a whole run. */
export function lastId(core: Core, run: Run): number | null {
  const { draws } = run.config,
    last = countsAt(core, run, draws - 1);
  return countsAt(core, run, draws).findIndex((count, id) => count > last[id]!);
}
