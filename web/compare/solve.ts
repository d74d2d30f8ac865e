// What the core answers for a configuration: every chosen engine, every pair, and the first tokens for the seed. Of a
// short row all at once; of a long one first the engines and distances, then the reason and the tokens in slices.
import type { Gap } from "../core/compare.ts";
import type { Core } from "../core/module.ts";
import { cutOf, type Cut } from "./cut.ts";
import { reasonOf, type Reason } from "./explain.ts";
import { floatsOf, gapOf, runOf, type Run } from "./run.ts";
import { atOnce, inSlices, within } from "./slices.ts";
import type { Config } from "./config.ts";
import { drawing, type Stream } from "./stream.ts";

export type Pair = {
  readonly first: Run;
  readonly second: Run;
  /** null where one of them has no distribution. */
  readonly gap: Gap | null;
  readonly byRounding: boolean;
  readonly reason: Reason;
  /** What the two compare where they part. */
  readonly cut: Cut | null;
};

export type Solved = {
  readonly config: Config;
  readonly runs: readonly Run[];
  /** gaps[i][j], j < i: how far runs i and j are apart. */
  readonly gaps: readonly (readonly (Gap | null)[])[];
  readonly pair: Pair;
  readonly streams: readonly Stream[];
  /** Tokens, and before them the reason and engines beside the pair, are still to come; what stood in
      their place before keeps it, unseen. */
  readonly pending: boolean;
  readonly held: readonly Stream[];
};

/** Up to so many logits everything is done at once. */
const SHORT = 1024;
/** Up to so many the first engines and distances are. */
const HUGE = 2 ** 16;
/** Of a long one no further engine is begun after so many ms. */
const BEFORE_SHOWN = 5;

export function solve(core: Core, config: Config): Solved {
  const begun = begin(core, config, null, Infinity);
  return {
    ...begun,
    pair: atOnce(explained(core, config, begun.pair)),
    streams: atOnce(streamsOf(core, config, begun.runs)),
    pending: false,
  };
}

/** All of a short row, of a long one what `finish` goes on from. */
export const start = (core: Core, config: Config, before: Solved | null): Solved =>
  config.logits.length <= SHORT ? solve(core, config) : begin(core, config, before, BEFORE_SHOWN);

/** A row so long that even its beginning is made in slices. */
export const isHuge = ({ logits }: Pick<Config, "logits">): boolean => logits.length > HUGE;

/** The same of a huge row, in slices, and what else is shown of it at first, which its makers remember;
    null if `go` says no. */
export async function startInSlices(
  core: Core,
  config: Config,
  before: Solved,
  go: () => boolean,
  shown: (first: Run, second: Run) => readonly (() => unknown)[],
): Promise<Solved | null> {
  const logits = floatsOf(config.logits),
    runs = await each(config.pair, name => runOf(core, name, logits, config.settings, config.context), go);
  const done = runs && (await each(shown(runs[0]!, runs[1]!), make => make(), go));
  return done && begin(core, config, before, 0, runs);
}

/** The rest, in slices: tells the whole after each of its parts, until `go` says no. */
export async function finish(
  core: Core,
  begun: Solved,
  go: () => boolean,
  tell: (solved: Solved) => void,
): Promise<void> {
  const { config, pair } = begun,
    runs = await each(
      begun.runs,
      run => (run.waiting ? runOf(core, run.name, floatsOf(config.logits), config.settings, config.context) : run),
      go,
    );
  const gaps =
    runs &&
    (await each(
      runs,
      (run, index) => runs.slice(0, index).map((other, place) => begun.gaps[index]![place] ?? gapOf(core, other, run)),
      go,
    ));
  if (!runs || !gaps) return;
  const complete = { ...begun, runs, gaps };
  if (begun.runs.some(run => run.waiting)) tell(complete);
  const whole = await inSlices(explained(core, config, pair), go);
  if (!whole) return;
  const solved = { ...complete, pair: whole };
  tell(solved);
  const streams = await inSlices(streamsOf(core, config, runs), go);
  if (streams) tell({ ...solved, streams, pending: false });
}

/** A pair with the reason, and with what the two compare. */
function* explained(core: Core, config: Config, pair: Pair): Generator<unknown, Pair> {
  const told = { ...pair, reason: yield* reasonOf(core, config, pair.first, pair.second) };
  return { ...told, cut: yield* cutOf(core, config, told) };
}

/** The first tokens of each that is replayed. */
function* streamsOf(core: Core, config: Config, runs: readonly Run[]): Generator<unknown, Stream[]> {
  const streams: Stream[] = [];
  for (const run of runs)
    for (const stream of drawing(core, run, config)) {
      if (stream.done) streams.push(stream);
      yield;
    }
  return streams;
}

/** What becomes of each, in slices; null if `go` says no. */
function each<A, B>(list: readonly A[], make: (item: A, index: number) => B, go: () => boolean): Promise<B[] | null> {
  function* work(): Generator<unknown, B[]> {
    const made: B[] = [];
    for (const [index, item] of list.entries()) {
      if (index) yield;
      made.push(make(item, index));
    }
    return made;
  }
  return inSlices(work(), go);
}

function begin(core: Core, config: Config, before: Solved | null, allowed: number, made: readonly Run[] = []): Solved {
  const logits = floatsOf(config.logits),
    early = within(allowed);
  const run = (name: string): Run =>
    config.pair.includes(name) || early()
      ? runOf(core, name, logits, config.settings, config.context)
      : { name, waiting: true };
  const runs = config.engines.map(name => made.find(each => each.name === name) ?? run(name));
  const gaps = runs.map((run, index) => runs.slice(0, index).map(other => gapOf(core, other, run)));
  const [i, j] = config.pair.map(name => runs.findIndex(run => run.name === name)) as [number, number],
    first = runs[i]!,
    second = runs[j]!;
  const pair = {
    first,
    second,
    gap: i < j ? gaps[j]![i]! : gapOf(core, first, second),
    byRounding: [first, second].some(run => run.distribution !== undefined && run.result.by_rounding),
    reason: { kind: "pending", ladder: before?.pair.reason.ladder ?? [] } as const,
    cut: before?.pair.cut ?? null,
  };
  return { config, runs, gaps, pair, streams: [], pending: true, held: before?.streams ?? [] };
}
