// The step at which two engines part, number by number: which filter is looked at, for which tokens, and what each of the two
// compared there.
import { engine } from "../../core/engine.ts";
import type { Core } from "../../core/module.ts";
import type { Trace } from "../../core/trace.ts";
import { keeps, type Pair, type Run } from "./solve.ts";
import type { Config, SettingName } from "./state.ts";

/** Rows of the tables of tokens. */
const ROWS = 12;

/** Rows around the cut: all of a short row, of a longer one those about the first token on which the two disagree. */
export function windowOf(logits: readonly number[], first: Run, second: Run): { readonly order: readonly number[]; readonly from: number; readonly to: number } {
  const order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b);
  if (order.length <= ROWS) return { order, from: 0, to: order.length };
  const differs = order.findIndex(id => keeps(first, id) !== keeps(second, id));
  const cut = differs < 0 ? order.findIndex(id => !keeps(first, id)) : differs;
  const from = Math.max(0, Math.min(order.length - ROWS, (cut < 0 ? 0 : cut) - ROWS / 3));
  return { order, from, to: from + ROWS };
}

export type Cut = {
  readonly setting: SettingName;
  readonly ids: readonly number[];
  /** Of the first and of the second. */
  readonly traces: readonly [Trace, Trace];
};

/** The filters that compare one number with another, the last that may run first. */
const FILTERS: readonly SettingName[] = ["min_p", "top_p", "top_k"];

/** The filter at which the two part, else the last in which either works; null where none does. */
export function cutOf(core: Core, { logits, settings, context }: Config, { first, second, reason }: Pick<Pair, "first" | "second" | "reason">): Cut | null {
  if (!first.distribution || !second.distribution) return null;
  const asked = "at" in reason && FILTERS.includes(reason.at) ? [reason.at] : FILTERS, row = Float32Array.from(logits);
  const { order, from, to } = windowOf(logits, first, second), ids = order.slice(from, to);
  const cuts = asked.map((setting): Cut => {
    const traces = [first, second].map(({ name }) => engine(core, name, row, { settings, context, trace: { setting, ids } }).trace!);
    return { setting, ids, traces: traces as [Trace, Trace] };
  });
  return cuts.find(({ traces }) => traces.some(({ compared }) => compared)) ?? null;
}
