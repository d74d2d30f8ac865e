// 100,000 draws of one engine, in slices short enough for a page to stay alive. Counting, and the error to expect.
import { draw, seeded, type Rng } from "../../core/engine.ts";
import type { Core } from "../../core/module.ts";
import { probabilityOf, type Run, type Solved } from "./solve.ts";

export const DRAWS = 100_000;
/** Draws between two looks at the clock, and how long a slice may take, in ms: half of what a frame has. */
const BATCH = 200, SLICE = 8;

export type Tally = {
  /** What they were drawn from: a tally is shown beside nothing else. */
  readonly solved: Solved;
  readonly name: string;
  readonly done: number;
  /** By id. */
  readonly counts: readonly number[];
};

/** Draws until all are done or `go` says no; tells after each slice. Throws SmpError for a seed that is not taken. */
export async function drawAll(core: Core, solved: Solved, name: string, tell: (tally: Tally) => boolean): Promise<void> {
  const run = solved.runs.find(each => each.name === name)!, counts = new Array<number>(solved.config.logits.length).fill(0);
  if (!run.distribution) return;
  let rng: Rng = seeded(core, run.result.generator, solved.config.seed), done = 0;
  while (tell({ solved, name, done, counts: [...counts] }) && done < DRAWS) {
    await new Promise(resolve => setTimeout(resolve));
    for (const end = performance.now() + SLICE; done < DRAWS && performance.now() < end; done += BATCH) {
      const drawn = draw(core, run.result, counts.length, rng, BATCH);
      for (const id of drawn.ids) counts[id]!++;
      rng = drawn.rng;
    }
  }
}

export type Share = { readonly id: number; readonly count: number; readonly frequency: number; readonly p: number; readonly error: number };

/** Frequency beside probability, the likeliest first; `error` is the standard error of the frequency. */
export function sharesOf({ counts, done }: Tally, run: Run): Share[] {
  return [...(run.distribution?.ids ?? [])]
    .map(id => {
      const p = probabilityOf(run, id), count = counts[id]!;
      return { id, count, frequency: done ? count / done : 0, p, error: done ? Math.sqrt((p * (1 - p)) / done) : 0 };
    })
    .sort((a, b) => b.p - a.p || a.id - b.id);
}
