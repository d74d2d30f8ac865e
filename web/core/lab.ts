// Typed calls of the experiment: temperature, top-k and u.
import { choice, count } from "./checks.ts";
import { withArena, type Core } from "./module.ts";

export type Tie = "strict" | "threshold";
export type Share = "renormalised" | "zeroed";
export type Dtype = "float64" | "float32" | "float16" | "bfloat16";

export type LabOptions = {
  /** Temperature: finite, >= 0; 0 is the greedy branch. */
  readonly tau: number;
  /** Candidates to keep, 1 to the number of logits. */
  readonly k: number;
  /** 0 <= u < 1. */
  readonly u: number;
  /** Default `strict`. */
  readonly tie?: Tie;
  /** Default `renormalised`. */
  readonly share?: Share;
};

/** tau = 0: scores and probabilities are not defined. */
export type Greedy = { readonly greedy: true; readonly n: number; readonly top: number; readonly id: number };

/** Fields as in smp_lab_result; arrays are indexed by id. */
export type Sampled = {
  readonly greedy: false;
  readonly n: number;
  readonly n_kept: number;
  readonly top: number;
  /** The chosen id; null only under `zeroed`, with u in the gap. */
  readonly id: number | null;
  readonly score: Float64Array;
  readonly weight: Float64Array;
  readonly p: Float64Array;
  readonly start: Float64Array;
  readonly q: Float64Array;
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly kept: Uint8Array;
  readonly weight_sum: number;
  readonly kept_mass: number;
  readonly removed_mass: number;
  readonly sum_q: number;
  readonly entropy: number;
};

export type LabResult = Greedy | Sampled;

/** Run the experiment on 1 to 64 logits. Throws SmpError. */
export function lab(core: Core, logits: ArrayLike<number>, options: LabOptions): LabResult {
  return withArena(core, arena => {
    const result = arena.room("smp_lab_result");
    arena.check(
      "smp_lab_run",
      arena.f64(logits),
      logits.length,
      arena.write("smp_lab_options", record(core, options)),
      result,
    );
    const { greedy, id, ...fields } = arena.read("smp_lab_result", result, logits.length);
    if (greedy) return { greedy: true, n: logits.length, top: fields.top, id } as Greedy;
    return { ...fields, greedy: false, id: id === core.abi.limits.none ? null : id } as Sampled;
  });
}

/** The ids that top-k keeps, ascending. Throws SmpError. */
export function keep(core: Core, logits: ArrayLike<number>, k: number, tie: Tie): number[] {
  const { kept } = lab(core, logits, { tau: 1, k, u: 0, tie }) as Sampled;
  return Array.from(kept.keys()).filter(id => kept[id]);
}

/** For each tau, the ascending edges between the ids: id i is chosen by edges[i - 1] <= u < edges[i]. tau
    may be Infinity. */
export function map(
  core: Core,
  logits: ArrayLike<number>,
  options: LabOptions,
  taus: ArrayLike<number>,
): Float64Array[] {
  const n = logits.length;
  return withArena(
    core,
    arena => {
      const edges = arena.take(8 * n * taus.length);
      arena.check(
        "smp_lab_map",
        arena.f64(logits),
        n,
        arena.write("smp_lab_options", record(core, options)),
        arena.f64(taus),
        taus.length,
        edges,
      );
      return Array.from(taus, (_, row) => new Float64Array(core.memory.buffer, edges + 8 * n * row, n).slice());
    },
    (param, _, index) => (param === "tau" ? { path: ["taus", index] } : undefined),
  );
}

/** The value at a place (0 to 1) of a logarithmic axis. */
export const axisValue = (core: Core, low: number, high: number, place: number): number =>
  core.call.smp_axis_value!(low, high, place);

/** The place (0 to 1) of a value on a logarithmic axis, cut to its ends. */
export const axisPlace = (core: Core, low: number, high: number, value: number): number =>
  core.call.smp_axis_place!(low, high, value);

/** The numbers rounded to a format, ties to even. Throws SmpError. */
export function round(core: Core, values: ArrayLike<number>, dtype: Dtype): number[] {
  return withArena(
    core,
    arena => {
      const at = arena.f64(values);
      arena.check("smp_lab_round", at, values.length, choice(core, core.abi.dtype, "dtype", dtype), at);
      return Array.from(new Float64Array(core.memory.buffer, at, values.length));
    },
    (param, entry) => (param === "logits" ? { path: ["values", ...entry] } : undefined),
  );
}

function record(core: Core, { tau, k, u, tie = "strict", share = "renormalised" }: LabOptions): Record<string, number> {
  return {
    tau,
    u,
    k: count(core, "k", k),
    tie: choice(core, core.abi.tie, "tie", tie),
    share: choice(core, core.abi.share, "share", share),
  };
}
