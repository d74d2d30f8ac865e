// Draws one at a time: what each took, and where it fell. No DOM.
import { edgesOf, isRace, nextCounts, nextIds, nextRace, type Stream } from "../../core/frequency.ts";
import type { Core } from "../../core/module.ts";
import type { Run } from "./run.ts";

/** Dots that are shown; counts go on. */
const DOTS = 400;

export type Dot = {
  readonly id: number;
  readonly u: number /** How many lie below it in its place. */;
  readonly height: number;
};

export type Thrown = {
  readonly counts: Uint32Array;
  readonly n: number;
  readonly dots: readonly Dot[];
  /** The last one; of a race what each candidate had. */
  readonly latest: { readonly id: number; readonly u: number; readonly ratios: Float32Array | null } | null;
  /** The upper end of each candidate's part of [0, 1), in their order; null of a race. */
  readonly edges: Float64Array | null;
  readonly stream: Stream;
};

/** Before the first throw. */
export function toThrow(core: Core, { start, candidates }: Run): Thrown {
  const race = isRace(candidates.drawing);
  return {
    counts: new Uint32Array(candidates.n),
    n: 0,
    dots: [],
    latest: null,
    edges: race ? null : edgesOf(core, start),
    stream: start,
  };
}

/** So many more, as far as the run goes. */
export function throwMore(core: Core, before: Thrown, count: number): Thrown {
  const left = before.stream.draws - before.stream.done,
    some = Math.min(count, left);
  if (some === 0) return before;
  const counts = before.counts.slice(),
    dots = [...before.dots],
    piles = new Map<number, number>();
  for (const { u } of dots) piles.set(pile(u), (piles.get(pile(u)) ?? 0) + 1);
  const add = (id: number, u: number): void => {
    counts[id]!++;
    const height = piles.get(pile(u)) ?? 0;
    if (dots.length < DOTS) dots.push({ id, u, height });
    piles.set(pile(u), height + 1);
  };
  if (before.edges) {
    const { ids, u, stream } = nextIds(core, before.stream, some);
    ids.forEach((id, index) => add(id, u[index]!));
    const last = some - 1;
    return {
      ...before,
      counts,
      n: before.n + some,
      dots,
      latest: { id: ids[last]!, u: u[last]!, ratios: null },
      stream,
    };
  }
  let { stream, latest } = before;
  for (let done = 0; done < some; done++) {
    const raced = nextRace(core, stream);
    counts[raced.id]!++;
    stream = raced.stream;
    latest = { id: raced.id, u: 0, ratios: raced.ratios };
  }
  return { ...before, counts, n: before.n + some, latest, stream };
}

/** To the end of a run that is over: its counts are known, and its last draw is thrown. */
export function throwAll(core: Core, run: Run): Thrown {
  const { skip, draws } = run.config,
    mark = run.marks.filter(({ n }) => n < draws).at(-1),
    from = mark?.stream ?? run.start,
    counts = mark?.counts.slice() ?? new Uint32Array(run.candidates.n),
    left = draws - 1 - (mark?.n ?? 0);
  const stream = left > 0 ? nextCounts(core, from, counts, left) : from;
  return throwMore(core, { ...toThrow(core, run), counts, n: stream.done - skip, stream }, 1);
}

/** Dots that lie so near to each other pile up. */
const pile = (u: number): number => Math.floor(100 * u);
