// English of what <smp-sampling> says about several filters. Same keys as the Chinese; written, not translated.
import { id, list, named, nb, say, v, type Part } from "../../i18n/rich.ts";
import type { RuleMessages } from "./rules.zh.ts";

const and = (parts: readonly Part[]): Part =>
  parts.length < 2 ? parts : [list(parts.slice(0, -1), ", "), " and ", parts[parts.length - 1]!];
const names = (values: readonly number[]): Part => and(values.map(value => nb(named(value))));

export const rules: RuleMessages = {
  logitsHint: most => `1 to ${most} numbers from −100 to 100, as in 0 1 2 or the: 3, a: 2`,
  step: "Filter",
  result: (kept, mass) => say`Keeps ${and(kept.map(id))}, ${nb(mass)} of what it was given.`,
  greedy: "Greedy filters nothing.",
  kept: (rule, kept) => say`${rule} keeps ${names(kept)}`,
  all: parts => say`${list(parts, "; ")}.`,
  took: (rule, removed, mass) => say`${rule} removes ${names(removed)}, ${nb(mass)} of what it was given.`,
  after: rule => `After ${rule}`,
  removedBy: rule => `removed by ${rule}`,
  label: "What each filter did",
  title: (place, rule) => `${place} ${rule}`,
  masses: (before, after) => say` It is given ${nb(before)} of all probability and leaves ${nb(after)}.`,
  how: {
    top_k: (k, threshold) =>
      say`In descending order of the logits, the first ${nb(k)} stay${threshold ? ", and all that equal the last of them" : ""}.`,
    top_p: (p, inclusive) =>
      say`In descending order, a candidate stays if the sum before it is ${inclusive ? "at most" : "below"} ${nb(p)}; the first always stays.`,
    min_p: (m, top, threshold) => say`A candidate with at least ${m} × ${top} = ${threshold} stays.`,
  },
  heads: {
    found: say`given ${v("p")}`,
    compare: "decision",
    left: say`left ${v("q")}`,
  },
  first: "the first",
  rank: (rank, k) => `place ${rank} ${rank <= Number(k) ? "≤" : ">"} ${k}`,
  whole: "p = 1 keeps all",
  ties: "Exactly p",
  tieNone: say`No sum is exactly ${v("p")}: both rules keep the same.`,
  tieDiffer: (met, p) => say`The sum before ${named(met)} is exactly ${nb(p)}: the rules differ on it.`,
  tieRules: {
    strict: say`the sum has reached ${v("p")}: no more stay`,
    inclusive: say`the sum has not passed ${v("p")}: one more stays`,
  },
  closing:
    "No model runs here and no random number is drawn; the ids belong to no real vocabulary. EOS, context and several steps are not part of this experiment.",
};
