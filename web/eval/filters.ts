// The filters of the experiment as a line writes them, and what each did as an answer tells it.
import { isPlain } from "../core/checks.ts";
import type { Path, Place } from "../core/error.ts";
import type { LabFilter, LabStep } from "../core/lab.ts";
import { finding, short, stepPlace } from "../core/place.ts";
import { at, bad, list, number, type Json } from "./request.ts";

const FILTER =
  'arrays such as ["top_k", 2, {"tie": "threshold"}], ["top_p", 0.9, {"tie": "inclusive"}] or ["min_p", 0.05]';

/** Read strictly; which filters there are, and what numbers and words fit them, is for the call to say. */
export const filtersOf = (filters: Json): LabFilter[] =>
  list(filters, at("filters")).map((filter, index) => {
    const [name, value, options = {}, ...rest] = Array.isArray(filter) ? filter : [];
    if (typeof name !== "string" || value === undefined || !isPlain(options) || rest.length)
      throw bad({ ...at("filters", index), ...finding(filter), allowed: FILTER });
    const inFilter = (...inside: Path): Place =>
      stepPlace(at("filters", index, ...inside).path, { name: short(name), depth: 2 });
    for (const [key, found] of Object.entries(options)) {
      if (key !== "tie") throw bad({ ...inFilter(2, key), wrong: "no such option", allowed: "tie" });
      if (typeof found !== "string") throw bad({ ...inFilter(2, key), ...finding(found), allowed: "a string" });
    }
    return [name, number(value, inFilter(1)), options] as LabFilter;
  });

/** What a filter did: `p` and `values`, what it compared, of the ids it found, in descending order; `q`
    of those it kept. */
export function infoOf(step: LabStep): { [key: string]: Json } {
  const ids = Array.from(step.rank.keys()).filter(id => step.rank[id]),
    found = [...ids].sort((a, b) => step.rank[a]! - step.rank[b]!),
    kept = ids.filter(id => step.kept[id]);
  return {
    step: step.filter,
    threshold: step.threshold,
    meets: step.meets === 1,
    mass_before: step.mass_before,
    mass_after: step.mass_after,
    kept_mass: step.kept_mass,
    removed_mass: step.removed_mass,
    found,
    p: found.map(id => step.p[id]!),
    values: found.map(id => step.value[id]!),
    removed: ids.filter(id => !step.kept[id]),
    kept,
    q: kept.map(id => step.q[id]!),
  };
}
