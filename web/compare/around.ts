// The tokens around the cut of a pair: all of a short row, of a longer one those about the first on which
// the two disagree.
import { orderOf } from "./row.ts";
import { keptBy, type Run } from "./run.ts";
import type { Config } from "./config.ts";

const ROWS = 12;

export type Around = {
  /** On view, by descending logit. */
  readonly ids: readonly number[];
  readonly above: number;
  readonly below: number;
  /** Both keep all that are above, and none that is below. */
  readonly plain: boolean;
};

const known = new WeakMap<object, Around>();

/** Found once for a configuration. */
export function aroundOf(config: Config, first: Run, second: Run): Around {
  const made = known.get(config);
  if (made) return made;
  const order = orderOf(config.logits),
    one = keptBy(first),
    two = keptBy(second);
  const differs = order.findIndex(id => one(id) !== two(id)),
    cut = differs < 0 ? order.findIndex(id => !one(id)) : differs;
  const above = order.length <= ROWS ? 0 : Math.max(0, Math.min(order.length - ROWS, Math.max(0, cut) - ROWS / 3));
  const all = (from: number, to: number, kept: boolean) => {
    while (from < to && one(order[from]!) === kept && two(order[from]!) === kept) from++;
    return from === to;
  };
  const end = Math.min(order.length, above + ROWS);
  const around = {
    ids: [...order.subarray(above, end)],
    above,
    below: order.length - end,
    plain: all(0, above, true) && all(end, order.length, false),
  };
  known.set(config, around);
  return around;
}
