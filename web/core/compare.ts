// Typed calls for what engines left: as distributions, and how far two of them are apart. No sum is made here.
import type { EngineResult } from "./engine.ts";
import type { Words } from "./error.ts";
import { withArena, type Core } from "./module.ts";

/** Candidates by ascending id; the probabilities sum to 1. */
export type Distribution = { readonly ids: Uint32Array; readonly p: Float64Array };

export type Gap = {
  readonly total_variation: number;
  readonly max_difference: number;
  /** Where it is: the smallest id among equals. */
  readonly max_id: number;
  /** Mass of the candidates that only the first has, and their number; then those of the second. */
  readonly only_p: number;
  readonly only_q: number;
  readonly n_only_p: number;
  readonly n_only_q: number;
};

/** What the core calls a row and ids that were kept. */
const candidateWords =
  (ids: string, values: string): Words =>
  (param, entry) =>
    param === "row"
      ? { path: [values, ...entry], allowed: "one or more numbers from 0, not all 0" }
      : param === "kept"
        ? { path: [ids, ...entry] }
        : undefined;

/** The candidates of an engine that was not refused, as a distribution. Throws SmpError. */
export function probabilities(core: Core, { kept, weights }: Pick<EngineResult, "kept" | "weights">): Distribution {
  return withArena(
    core,
    arena => {
      const n = kept.length,
        ids = arena.take(4 * n),
        p = arena.take(8 * n);
      arena.check("smp_engine_probabilities", arena.u32(kept), arena.f32(weights), n, ids, p);
      return {
        ids: new Uint32Array(core.memory.buffer, ids, n).slice(),
        p: new Float64Array(core.memory.buffer, p, n).slice(),
      };
    },
    candidateWords("kept", "weights"),
  );
}

/** How far two distributions are apart. Throws SmpError. */
export function gap(core: Core, first: Distribution, second: Distribution): Gap {
  return withArena(
    core,
    arena => {
      const result = arena.room("smp_distance");
      arena.check(
        "smp_engine_distance",
        arena.u32(first.ids),
        arena.f64(first.p),
        first.ids.length,
        arena.u32(second.ids),
        arena.f64(second.p),
        second.ids.length,
        result,
      );
      return arena.numbers<keyof Gap>("smp_distance", result);
    },
    candidateWords("ids", "ids"),
  );
}
