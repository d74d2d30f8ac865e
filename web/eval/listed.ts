// How an answer lists candidates: all of them, or of many the most probable.

/** Up to this many kept ids are listed; of more, the most probable. */
const LISTED = 400,
  MOST_PROBABLE = 64;

/** `kept` and `probs`, ids ascending, or `top_ids` and `top_probs`. */
export function listed(
  ids: ArrayLike<number>,
  values: ArrayLike<number>,
): { kept: number[]; probs: number[] } | { top_ids: number[]; top_probs: number[] } {
  const order = Array.from({ length: ids.length }, (_, place) => place),
    all = ids.length <= LISTED;
  if (!all) order.sort((a, b) => values[b]! - values[a]! || a - b).length = MOST_PROBABLE;
  const chosen = order.map(place => ids[place]!),
    probabilities = order.map(place => values[place]!);
  return all ? { kept: chosen, probs: probabilities } : { top_ids: chosen, top_probs: probabilities };
}
