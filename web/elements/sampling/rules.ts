// The filters of an experiment: which there are, in which order, and what each did.
import {
  lab,
  type LabFilter,
  type LabResult,
  type LabStep,
  type Sampled,
  type Share,
  type Tie,
} from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";

export const ruleNames = ["top_k", "top_p", "min_p"] as const;
export type RuleName = (typeof ruleNames)[number];
export type TieP = "strict" | "inclusive";

/** The names as the field writes them. */
export const RULES: Readonly<Record<RuleName, string>> = { top_k: "top-k", top_p: "top-p", min_p: "min-p" };

/** The chapter's. */
export const CHAPTER_RULES = "top_k";

/** Rules as a list in the order of the pipeline; null where a name is unknown or stands twice. Empty: the chapter's. */
export function parseRules(text: string): readonly RuleName[] | null {
  const names = (text.trim() || CHAPTER_RULES).split(/[\s,]+/),
    known = names.filter((name): name is RuleName => Object.hasOwn(RULES, name));
  return known.length === names.length && new Set(names).size === names.length ? known : null;
}

/** What the filters need of a configuration. */
export type Filtering = {
  readonly tau: number;
  readonly u: number;
  readonly share: Share;
  readonly rules: readonly RuleName[];
  readonly k: number;
  readonly top_p: number;
  readonly min_p: number;
  readonly tie: Tie;
  readonly tie_p: TieP;
};

const filterOf = ({ k, top_p, min_p, tie, tie_p }: Filtering): Readonly<Record<RuleName, LabFilter>> => ({
  top_k: ["top_k", k, { tie }],
  top_p: ["top_p", top_p, { tie: tie_p }],
  min_p: ["min_p", min_p],
});

/** A configuration as the core takes it. */
export const optionsOf = (config: Filtering) => ({
  tau: config.tau,
  u: config.u,
  share: config.share,
  filters: config.rules.map(name => filterOf(config)[name]),
});

/** A filter in its place: what it did, and how what it left lies on the ruler. */
export type Stage = { readonly rule: RuleName; readonly step: LabStep; readonly left: Sampled };

/** The filters one after another; none where there are no probabilities. */
export function stagesOf(core: Core, logits: readonly number[], config: Filtering, result: LabResult): Stage[] {
  if (result.greedy) return [];
  const { filters, ...options } = optionsOf(config),
    last = filters.length - 1;
  return config.rules.map((rule, index) => ({
    rule,
    step: result.steps[index]!,
    left:
      index === last ? result : (lab(core, logits, { ...options, filters: filters.slice(0, index + 1) }) as Sampled),
  }));
}

/** What lies just above tau = 0: the smallest temperature there is, which only the largest logits outlive. */
export const nearZero = (core: Core, logits: readonly number[], config: Filtering): Sampled =>
  lab(core, logits, { ...optionsOf(config), tau: Number.MIN_VALUE }) as Sampled;

export const marked = (flags: Uint8Array): number[] => Array.from(flags.keys()).filter(id => flags[id]);

/** The ids that each of two ties of a rule would keep; none without the rule. */
export function keptByTies(
  core: Core,
  logits: readonly number[],
  config: Filtering,
  rule: RuleName,
  changes: readonly [Partial<Filtering>, Partial<Filtering>],
): readonly [readonly number[], readonly number[]] {
  const at = config.rules.indexOf(rule),
    tau = config.tau || Number.MIN_VALUE;
  const kept = (change: Partial<Filtering>) =>
    at < 0 ? [] : marked((lab(core, logits, optionsOf({ ...config, tau, ...change })) as Sampled).steps[at]!.kept);
  return [kept(changes[0]), kept(changes[1])];
}
