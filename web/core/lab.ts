// Typed calls of the experiment: temperature, filters and u.
import { choice, count } from "./checks.ts";
import { withArena, type Arena, type Core } from "./module.ts";

export type Tie = "strict" | "threshold";
export type Share = "renormalised" | "zeroed";
export type Dtype = "float64" | "float32" | "float16" | "bfloat16";

type Common = {
  /** Temperature: finite, >= 0; 0 is the greedy branch. */
  readonly tau: number;
  /** 0 <= u < 1. */
  readonly u: number;
  /** Default `renormalised`. */
  readonly share?: Share;
};

/** With top-k as the only filter: short for `filters: [["top_k", k, { tie }]]`. */
export type LabOptions = Common & {
  /** Candidates to keep, 1 to the number of logits. */
  readonly k: number;
  /** Default `strict`. */
  readonly tie?: Tie | undefined;
  readonly filters?: undefined;
};

/** With a list of filters, at most 8, run from first to last; none keeps all. */
export type FilteredOptions = Common & {
  readonly filters: readonly LabFilter[];
  readonly k?: undefined;
  readonly tie?: undefined;
};

/** A filter and its number, as the steps of a chain. `tie` of `top_p`: what happens if the sum meets p exactly. */
export type LabFilter =
  | readonly ["top_k", k: number, options?: { readonly tie?: Tie | undefined }]
  | readonly ["top_p", p: number, options?: { readonly tie?: "strict" | "inclusive" }]
  | readonly ["min_p", share: number, options?: { readonly tie?: undefined }];

/** What a filter did: fields as in smp_lab_step; arrays are indexed by id, 0 where the filter found no candidate. */
export type LabStep = {
  readonly filter: LabFilter[0];
  readonly p: Float64Array;
  /** What is compared with the threshold: the logit, the sum of p over the candidates before, or p. */
  readonly value: Float64Array;
  readonly q: Float64Array;
  readonly threshold: number;
  readonly mass_before: number;
  readonly mass_after: number;
  readonly kept_mass: number;
  readonly removed_mass: number;
  readonly n_kept: number;
  /** 1 if a value is exactly the threshold and the other tie keeps another set. */
  readonly meets: 0 | 1;
  readonly rank: Uint8Array;
  readonly kept: Uint8Array;
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
  /** The filter that removed the candidate, counted from 1; 0 if it is kept. */
  readonly removed_by: Uint8Array;
  /** One for each filter. */
  readonly steps: readonly LabStep[];
  readonly weight_sum: number;
  readonly kept_mass: number;
  readonly removed_mass: number;
  readonly sum_q: number;
  readonly entropy: number;
};

export type LabResult = Greedy | Sampled;

/** Run the experiment on 1 to 64 logits. Throws SmpError. */
export function lab(core: Core, logits: ArrayLike<number>, options: LabOptions | FilteredOptions): LabResult {
  return withArena(core, arena => {
    const n = logits.length,
      filters = filtersOf(options),
      steps = arena.room("smp_lab_step", filters.length),
      result = arena.room("smp_lab_result");
    arena.check("smp_lab_run", arena.f64(logits), n, write(core, arena, options, steps), result);
    const { greedy, id, ...fields } = arena.read("smp_lab_result", result, n);
    if (greedy) return { greedy: true, n, top: fields.top, id } as Greedy;
    return {
      ...fields,
      greedy: false,
      id: id === core.abi.limits.none ? null : id,
      steps: filters.map(([filter], index) => ({
        filter,
        ...arena.read("smp_lab_step", steps + index * arena.size("smp_lab_step"), n),
      })),
    } as unknown as Sampled;
  });
}

/** The ids that top-k keeps, ascending. Throws SmpError. */
export function keep(core: Core, logits: ArrayLike<number>, k: number, tie: Tie): number[] {
  const { kept } = lab(core, logits, { tau: 1, k, u: 0, tie }) as Sampled;
  return Array.from(kept.keys()).filter(id => kept[id]);
}

/** For each tau, the rising edges between the ids: id i is chosen by edges[i - 1] <= u < edges[i]. tau may be Infinity. */
export function map(
  core: Core,
  logits: ArrayLike<number>,
  options: LabOptions | FilteredOptions,
  taus: ArrayLike<number>,
): Float64Array[] {
  const n = logits.length;
  return withArena(core, arena => {
    const edges = arena.take(8 * n * taus.length);
    arena.check("smp_lab_map", arena.f64(logits), n, write(core, arena, options), arena.f64(taus), taus.length, edges);
    return Array.from(taus, (_, row) => new Float64Array(core.memory.buffer, edges + 8 * n * row, n).slice());
  });
}

/** The value at a place (0 to 1) of a logarithmic axis. */
export const axisValue = (core: Core, low: number, high: number, place: number): number =>
  core.call.smp_axis_value!(low, high, place);

/** The place (0 to 1) of a value on a logarithmic axis, cut to its ends. */
export const axisPlace = (core: Core, low: number, high: number, value: number): number =>
  core.call.smp_axis_place!(low, high, value);

/** The numbers rounded to a format, ties to even. Throws SmpError. */
export function round(core: Core, values: ArrayLike<number>, dtype: Dtype): number[] {
  return withArena(core, arena => {
    const at = arena.f64(values);
    arena.check("smp_lab_round", at, values.length, choice(core, core.abi.dtype, "dtype", dtype), at);
    return Array.from(new Float64Array(core.memory.buffer, at, values.length));
  });
}

const filtersOf = ({ filters, k, tie }: LabOptions | FilteredOptions): readonly LabFilter[] =>
  filters ?? [["top_k", k, { tie }]];

function write(core: Core, arena: Arena, options: LabOptions | FilteredOptions, steps = 0): number {
  const { tau, u, share = "renormalised" } = options,
    filters = filtersOf(options);
  return arena.write("smp_lab_options", {
    tau,
    u,
    k: options.filters ? (options.k ?? 0) : 0, // the core refuses both
    share: choice(core, core.abi.share, "share", share),
    n_filters: filters.length,
    filters: arena.writeAll(
      "smp_step",
      filters.map(([name, value, { tie = "strict" } = {}], index) => ({
        kind: core.abi.filter[name]!, // of no filter: 0, a temperature, which the core refuses
        tie: core.abi.tie.find(row => row[2] === tie)?.[1] ?? core.abi.limits.none,
        ...(name === "top_k" ? { count: count(core, "k", value, index) } : { value }),
      })),
    ),
    steps,
  });
}
