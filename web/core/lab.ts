// Typed calls of the experiment: temperature, filters and u.
import { choice, isWhole, refusal } from "./checks.ts";
import { SmpError, type Path, type Place, type Words } from "./error.ts";
import { withArena, type Arena, type Core, type Fields } from "./module.ts";
import { finding, stepPlace } from "./place.ts";

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
  return withArena(
    core,
    arena => {
      const n = logits.length,
        filters = filtersOf(core, options),
        steps = arena.room("smp_lab_step", filters.length),
        result = arena.room("smp_lab_result");
      arena.check("smp_lab_run", arena.f64(logits), n, write(core, arena, options, steps), result);
      const { greedy, id, ...fields } = arena.read("smp_lab_result", result, n);
      if (greedy) return { greedy: true, n, top: fields.top, id } as Greedy;
      const step = ([filter]: LabFilter, index: number): LabStep =>
        ({ filter, ...arena.read("smp_lab_step", steps + index * arena.size("smp_lab_step"), n) }) as LabStep;
      const drawn = { ...fields, id: id === core.abi.limits.none ? null : id } as Omit<Sampled, "greedy" | "steps">;
      return { ...drawn, greedy: false, steps: filters.map(step) };
    },
    labWords(options),
  );
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
  options: LabOptions | FilteredOptions,
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
        write(core, arena, options),
        arena.f64(taus),
        taus.length,
        edges,
      );
      return Array.from(taus, (_, row) => new Float64Array(core.memory.buffer, edges + 8 * n * row, n).slice());
    },
    labWords(options, "taus"),
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

/** The filters, of which `k` is the short form. */
function filtersOf(core: Core, { filters, k, tie }: LabOptions | FilteredOptions): readonly LabFilter[] {
  if (!filters) return [["top_k", k, { tie }]];
  for (const [key, value] of Object.entries({ k, tie }))
    if (value !== undefined)
      throw new SmpError({
        path: [key],
        wrong: finding(value, ", and filters").wrong!,
        allowed: 'one of the two, as in filters [["top_k",2,{"tie":"strict"}]]',
      });
  if (!Array.isArray(filters)) throw refusal(core, "filters", { path: ["filters"], ...finding(filters) });
  if (filters.length > core.abi.limits.labFilters)
    throw refusal(core, "filters", { path: ["filters"], wrong: `found ${filters.length} filters` });
  return filters;
}

/** A place in a filter: 1 is its value, 2 its options. */
const atFilter = (filters: readonly LabFilter[], index: number, ...inside: Path): Place =>
  stepPlace(["filters", index, ...inside], { name: filters[index]![0], depth: 2 });

/** The core names a filter's parameter and the filter's place; the caller wrote both. */
const labWords =
  ({ filters }: LabOptions | FilteredOptions, tau = "tau"): Words =>
  (param, _, index) => {
    if (param === "tau") return tau === param ? undefined : { path: [tau, index] };
    if (!filters || /^(logits|u|share)$/.test(param)) return undefined;
    return param === "tie" ? atFilter(filters, index, 2, param) : atFilter(filters, index, 1);
  };

function write(core: Core, arena: Arena, options: LabOptions | FilteredOptions, steps = 0): number {
  const { tau, u, share = "renormalised" } = options,
    filters = filtersOf(core, options);
  return arena.write("smp_lab_options", {
    tau,
    u,
    share: choice(core, core.abi.share, "share", share),
    n_filters: filters.length,
    filters: arena.writeAll(
      "smp_step",
      filters.map((_, index) => recordOf(core, options, filters, index)),
    ),
    steps,
  });
}

function recordOf(
  core: Core,
  { filters: given }: LabOptions | FilteredOptions,
  filters: readonly LabFilter[],
  index: number,
): Fields {
  const [name, value, { tie } = {}] = filters[index]!;
  const at = (...inside: Path): Place =>
    given ? atFilter(given, index, ...inside) : { path: [inside.at(-1) === "tie" ? "tie" : "k"] };
  if (!Object.hasOwn(core.abi.filter, name))
    throw new SmpError({
      path: ["filters", index, 0],
      index,
      ...finding(name),
      allowed: Object.keys(core.abi.filter).join(", "),
    });
  if (name === "min_p" && tie !== undefined)
    throw new SmpError({ ...at(2, "tie"), wrong: "does nothing here", allowed: "tie with top_k, top_p" });
  if (name === "top_k" && !isWhole(value)) throw refusal(core, "k", at(1));
  const chosen = core.abi.tie.find(([, , known]) => known === (tie === undefined ? "strict" : tie));
  return {
    kind: core.abi.filter[name]!,
    tie: chosen ? chosen[1] : core.abi.limits.none, // the core says which there are
    ...(name === "top_k" ? { count: value } : { value }),
  };
}
