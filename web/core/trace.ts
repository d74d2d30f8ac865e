// What a filter of an engine compared, id by id: how the request lies in wasm memory, and how the answer is read.
import { idsBelow, isWhole, refusal, textOf } from "./checks.ts";
import type { Words } from "./error.ts";
import { finding } from "./place.ts";
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

type Asked = { readonly setting: string; readonly ids: ArrayLike<number> };

/** The id of a trace that no row of n has, or the whole of it. */
export const traceWords =
  (n: number, trace: Asked | undefined): Words =>
  (param, _, index) =>
    param === "trace"
      ? {
          path:
            trace && trace.ids.length > index && !isWhole(trace.ids[index], n) ? ["trace", "ids", index] : ["trace"],
        }
      : undefined;

/** The address of a request for a trace. Throws SmpError. */
export function placeTrace(core: Core, arena: Arena, n: number, { setting, ids }: Asked): number {
  const known = core.abi.setting.find(([, , text]) => text === setting);
  if (!known) throw refusal(core, "trace", { path: ["trace", "setting"], ...finding(setting) });
  const rows = idsBelow(core, n, ids).map(id => ({ id }));
  return arena.write("smp_trace", { rows: arena.writeAll("smp_trace_row", rows), n: rows.length, setting: known[1] });
}

export function traceAt(core: Core, arena: Arena, at: number): Trace {
  const { threshold, rows, n, compared } = arena.numbers<"threshold" | "rows" | "n" | "compared">("smp_trace", at);
  const row = (index: number): TraceRow => {
    const { id, found, value, ulps, kept, by_rounding } = arena.numbers<keyof TraceRow>("smp_trace_row", rows, index);
    return { id, found: found === 1, value, ulps, kept: kept === 1, by_rounding: by_rounding === 1 };
  };
  return {
    compared: textOf(core.abi.compared, compared),
    threshold,
    rows: Array.from({ length: n }, (_, index) => row(index)),
  };
}
