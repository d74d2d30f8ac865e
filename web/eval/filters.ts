// The filters of the experiment as a line writes them, and what each did as an answer tells it.
import type { LabFilter, LabStep } from "../core/lab.ts";
import type { Core } from "../core/module.ts";
import { bad, isPlain, list, number, short, shown, type Json, type Request } from "./request.ts";

const FILTER =
  'arrays such as ["top_k", 2, {"tie": "threshold"}], ["top_p", 0.9, {"tie": "inclusive"}] or ["min_p", 0.05]';

/** Read strictly; what numbers and words fit a filter is for the core to say. */
export function filtersOf(core: Core, request: Request): LabFilter[] {
  const filters = list(request, "filters"),
    most = core.abi.limits.labFilters;
  if (filters.length > most) throw bad("filters", `filters: found ${filters.length}; allowed: at most ${most}`);
  return filters.map((filter, index) => {
    const [name, value, options = {}, ...rest] = Array.isArray(filter) ? filter : [],
      at = `filters[${index}]`;
    if (typeof name !== "string" || value === undefined || !isPlain(options) || rest.length)
      throw bad("filters", `${at}: ${shown(filter)}; allowed: ${FILTER}`, index);
    if (!Object.hasOwn(core.abi.filter, name))
      throw bad("filters", `${at}: ${shown(name)}; allowed: ${Object.keys(core.abi.filter).join(", ")}`, index);
    for (const [key, found] of Object.entries(options)) {
      if (key !== "tie" || name === "min_p")
        throw bad(
          "filters",
          `${at} ${name}: no such option as ${JSON.stringify(short(key))}; allowed: ${name === "min_p" ? "none" : "tie"}`,
          index,
        );
      if (typeof found !== "string") throw bad("tie", `${at} tie: ${shown(found)}; allowed: a string`, index);
    }
    return [name, number(value, name, index, `${at} ${name}`), options] as LabFilter;
  });
}

/** What a filter did: `p` and `values`, what it compared, of the ids it found, in descending order; `q` of those it kept. */
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
