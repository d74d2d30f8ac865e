// What a filter of an engine compared, id by id: how the request lies in wasm memory, and how the answer is read.
import { SmpError } from "./error.ts";
import type { Arena, Core } from "./module.ts";

/** What was compared for an id; only `id` where the filter did not find it any more. */
export type TraceRow = {
  readonly id: number;
  readonly found: boolean;
  readonly value: number;
  /** Value less threshold, in steps of floats at the threshold. */
  readonly ulps: number;
  readonly kept: boolean;
  readonly by_rounding: boolean;
};

export type Trace = {
  /** `logit`, `p`, `sum-before`, `sum-from-below` (smp.h), or empty: no such filter ran. */
  readonly compared: string;
  readonly threshold: number;
  readonly rows: readonly TraceRow[];
};

/** The address of a request for a trace. Throws SmpError. */
export function placeTrace(
  core: Core,
  arena: Arena,
  n: number,
  { setting, ids }: { readonly setting: string; readonly ids: ArrayLike<number> },
): number {
  const known = core.abi.setting.find(([, , text]) => text === setting);
  if (!known)
    throw new SmpError(
      "ERR_PARAM",
      { param: "trace", index: 0 },
      `trace "${setting.slice(0, 40)}": allowed: ${core.abi.param.find(([code]) => code === "AT_TRACE")![3]}`,
    );
  const rows = Array.from(ids, id => ({ id: Number.isInteger(id) && id >= 0 && id < n ? id : core.abi.limits.none }));
  return arena.write("smp_trace", { rows: arena.writeAll("smp_trace_row", rows), n: rows.length, setting: known[1] });
}

export function traceAt(core: Core, arena: Arena, at: number): Trace {
  const { threshold, rows, n, compared } = arena.read("smp_trace", at, 0) as Record<string, number>;
  const row = (index: number): TraceRow => {
    const { id, found, value, ulps, kept, by_rounding } = arena.read(
      "smp_trace_row",
      rows! + index * arena.size("smp_trace_row"),
      0,
    ) as Record<string, number>;
    return {
      id: id!,
      found: found === 1,
      value: value!,
      ulps: ulps!,
      kept: kept === 1,
      by_rounding: by_rounding === 1,
    };
  };
  return {
    compared: core.abi.compared.find(([, value]) => value === compared)![2],
    threshold: threshold!,
    rows: Array.from({ length: n! }, (_, index) => row(index)),
  };
}
