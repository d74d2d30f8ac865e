// Tokens that an engine draws for a seed, a few at a time.
import { draw, seeded, type Rng } from "../core/engine.ts";
import { SmpError } from "../core/error.ts";
import type { Core } from "../core/module.ts";
import type { Run } from "./run.ts";
import type { Config } from "./config.ts";

export const FIRST_TOKENS = 20;

/** The first tokens so far, or the seeds that the generator takes. */
export type Stream =
  | {
      readonly name: string;
      readonly ids: readonly number[];
      readonly words: number;
      readonly generator: string;
      readonly done: boolean;
      readonly allowed?: undefined;
    }
  | { readonly name: string; readonly allowed: string; readonly done: true };

/** Words of a generator in one call: a race takes two for each logit and draw. */
const WORDS = 65536,
  MOST = 200;

/** Draws between two looks at the clock. */
export const batchOf = (drawing: string, logits: number): number =>
  drawing === "race" ? Math.min(MOST, Math.max(1, Math.floor(WORDS / logits))) : MOST;

/** True if draws of the engine are replayed, and its generator takes the seed. */
export function draws(core: Core, run: Run, seed: string): boolean {
  if (!run.distribution || !run.result.generator) return false;
  try {
    seeded(core, run.result.generator, seed);
    return true;
  } catch (error) {
    if (error instanceof SmpError) return false;
    throw error;
  }
}

/** The first tokens of an engine whose draws are replayed, longer and longer; nothing of another. */
export function* drawing(core: Core, run: Run, { logits, seed }: Pick<Config, "logits" | "seed">): Generator<Stream> {
  if (!run.distribution || !run.result.generator) return;
  const { name, result } = run,
    { generator } = result,
    ids: number[] = [];
  try {
    for (let rng: Rng = seeded(core, generator, seed); ids.length < FIRST_TOKENS; ) {
      const drawn = draw(
        core,
        result,
        logits.length,
        rng,
        Math.min(batchOf(result.drawing, logits.length), FIRST_TOKENS - ids.length),
      );
      ids.push(...drawn.ids);
      rng = drawn.rng;
      yield { name, ids, words: rng.words, generator, done: ids.length === FIRST_TOKENS };
    }
  } catch (error) {
    if (!(error instanceof SmpError)) throw error;
    yield { name, allowed: error.allowed ?? error.message, done: true };
  }
}
