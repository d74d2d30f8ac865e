// What the core answers for a configuration: every chosen engine, every pair, and the first tokens for the seed.
import { gap, probabilities, type Distribution, type Gap } from "../../core/compare.ts";
import { draw, engine, seeded, type EngineResult, type Settings } from "../../core/engine.ts";
import { SmpError } from "../../core/error.ts";
import type { Abi, Core } from "../../core/module.ts";
import { cutOf, type Cut } from "./cut.ts";
import { reasonOf, type Reason } from "./reason.ts";
import type { Config } from "./state.ts";

export const FIRST_TOKENS = 20;

export type Profile = Abi["profile"][string];

/** An engine on the row: a distribution, or its own refusal, or the parameter that the core does not follow. */
export type Run =
  | { readonly name: string; readonly result: EngineResult; readonly distribution: Distribution; readonly refusal?: undefined; readonly closed?: undefined }
  | { readonly name: string; readonly refusal: string; readonly ignored: readonly string[]; readonly distribution?: undefined; readonly closed?: undefined }
  | { readonly name: string; readonly closed: string; readonly distribution?: undefined; readonly refusal?: undefined };

export type Stream = { readonly name: string; readonly ids: readonly number[]; readonly words: number; readonly generator: string; readonly allowed?: undefined } | { readonly name: string; readonly allowed: string };

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
};

export function solve(core: Core, config: Config): Solved {
  const logits = Float32Array.from(config.logits), runs = config.engines.map(name => runOf(core, name, logits, config.settings, config.context));
  const gaps = runs.map((run, index) => runs.slice(0, index).map(other => gapOf(core, other, run)));
  const [first, second] = config.pair.map(name => runs.find(run => run.name === name)!) as [Run, Run];
  const pair = { first, second, gap: gapOf(core, first, second), byRounding: [first, second].some(run => run.distribution !== undefined && run.result.by_rounding), reason: reasonOf(core, config, first, second) };
  const cut = cutOf(core, config, pair);
  return { config, runs, gaps, pair: { ...pair, cut }, streams: runs.flatMap(run => streamOf(core, run, logits.length, config.seed)) };
}

export function runOf(core: Core, name: string, logits: Float32Array, settings: Settings, context: readonly number[], settingsOnly = false): Run {
  try {
    const result = engine(core, name, logits, { settings, context, settingsOnly });
    return result.refusal ? { name, refusal: result.refusal, ignored: result.ignored } : { name, result, distribution: probabilities(core, result) };
  } catch (error) {
    if (error instanceof SmpError) return { name, closed: error.where.param };
    throw error;
  }
}

export const gapOf = (core: Core, first: Run, second: Run): Gap | null => (first.distribution && second.distribution ? gap(core, first.distribution, second.distribution) : null);

/** The first tokens of an engine whose draws are replayed, or the seeds that its generator takes. */
function streamOf(core: Core, run: Run, count: number, seed: string): Stream[] {
  if (!run.distribution || !run.result.generator) return [];
  try {
    const { ids, rng } = draw(core, run.result, count, seeded(core, run.result.generator, seed), FIRST_TOKENS);
    return [{ name: run.name, ids: [...ids], words: rng.words, generator: run.result.generator }];
  } catch (error) {
    if (!(error instanceof SmpError)) throw error;
    return [{ name: run.name, allowed: core.abi.param.find(row => row[2] === "seed" && error.message.includes(row[3]))?.[3] ?? error.message }];
  }
}

/** The probability of an id, 0 where the engine has removed it. */
export function probabilityOf({ distribution }: Run, id: number): number {
  const place = distribution?.ids.indexOf(id) ?? -1;
  return place < 0 ? 0 : distribution!.p[place]!;
}

export const keeps = ({ distribution }: Run, id: number): boolean => distribution?.ids.includes(id) ?? false;

/** Ids that the first keeps and the second does not. */
export const onlyIn = (first: Run, second: Run): number[] => [...(first.distribution?.ids ?? [])].filter(id => !keeps(second, id));
