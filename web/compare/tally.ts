// 100,000 draws of one engine, in slices short enough for a page to stay alive. Counting, and the error to expect.
import { draw, seeded, type Rng } from "../core/engine.ts";
import type { Core } from "../core/module.ts";
import { inSlices } from "./slices.ts";
import { probabilityOf, type Run } from "./run.ts";
import type { Solved } from "./solve.ts";
import { batchOf } from "./stream.ts";
import type { Config } from "./config.ts";

export const DRAWS = 100_000;

export type Tally = {
  /** What they were drawn from: a tally is shown beside nothing else. */
  readonly config: Config;
  readonly name: string;
  readonly done: number;
  /** By id. */
  readonly counts: Uint32Array;
};

/** Draws until all are done or `go` says no; tells after each slice. Throws SmpError for a seed that is not taken. */
export async function drawAll(
  core: Core,
  solved: Solved,
  name: string,
  tell: (tally: Tally) => boolean,
): Promise<void> {
  const { config, runs } = solved,
    run = runs.find(each => each.name === name)!,
    counts = new Uint32Array(config.logits.length);
  if (!run.distribution) return;
  const { result } = run;
  let rng: Rng = seeded(core, result.generator, config.seed),
    done = 0;
  const told = () => tell({ config, name, done, counts: counts.slice() });
  function* work(): Generator<unknown, true> {
    while (done < DRAWS) {
      const drawn = draw(
        core,
        result,
        counts.length,
        rng,
        Math.min(batchOf(result.drawing, counts.length), DRAWS - done),
      );
      for (const id of drawn.ids) counts[id]!++;
      rng = drawn.rng;
      done += drawn.ids.length;
      yield;
    }
    return true;
  }
  if (told() && (await inSlices(work(), fresh => !fresh || told()))) told();
}

export type Share = {
  readonly id: number;
  readonly count: number;
  readonly frequency: number;
  readonly p: number;
  readonly error: number;
};

/** Frequency beside probability of the likeliest; `error` is the standard error of the frequency. */
export function sharesOf({ counts, done }: Tally, run: Run, most: number): Share[] {
  return likeliest(run, most).map(id => {
    const p = probabilityOf(run, id),
      count = counts[id]!;
    return { id, count, frequency: done ? count / done : 0, p, error: done ? Math.sqrt((p * (1 - p)) / done) : 0 };
  });
}

/** Candidates by descending probability, the smaller id first among equals. */
function likeliest({ distribution }: Run, most: number): number[] {
  const { ids = [], p = [] } = distribution ?? {},
    places: number[] = [];
  for (let place = 0; place < ids.length; place++) {
    if (places.length === most && !(p[place]! > p[places.at(-1)!]!)) continue;
    let at = places.length;
    while (at > 0 && p[places[at - 1]!]! < p[place]!) at--;
    places.splice(at, 0, place);
    if (places.length > most) places.pop();
  }
  return places.map(place => ids[place]!);
}
