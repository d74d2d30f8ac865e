// Chinese of what <smp-sampling> says about several filters: the source.
import { id, list, named, nb, say, v, type Part } from "../../i18n/rich.ts";
import type { TieP } from "./rules.ts";

const ids = (values: readonly number[]): Part => list(values.map(id), "、");
const names = (values: readonly number[]): Part => list(values.map(named), "、");

export const rules = {
  logitsHint: (most: number) => `1–${most} 个数，−100 到 100，如 0 1 2 或 the: 3, a: 2`,
  step: "过滤",
  result: (kept: readonly number[], mass: string) => say`留下 ${ids(kept)}，占收到的 ${nb(mass)}。`,
  greedy: "贪心不过滤。",
  kept: (rule: string, kept: readonly number[]) => say`${rule} 留下 ${names(kept)}`,
  all: (parts: readonly Part[]) => say`${list(parts, "；")}。`,
  took: (rule: string, removed: readonly number[], mass: string) =>
    say`${rule} 移除 ${names(removed)}，占收到的 ${nb(mass)}。`,
  after: (rule: string) => `${rule} 后`,
  removedBy: (rule: string) => `${rule} 移除`,
  label: "每个过滤器做了什么",
  title: (place: number, rule: string) => `${place} ${rule}`,
  masses: (before: string, after: string): Part => say`收到全部概率的 ${nb(before)}，留下 ${nb(after)}。`,
  how: {
    top_k: (k: string, threshold: boolean): Part =>
      say`按 logit 从高到低排，留前 ${nb(k)} 名${threshold ? "，与末名同分的也留" : ""}。`,
    top_p: (p: string, inclusive: boolean): Part =>
      say`从高到低累计，排在前面的合计${inclusive ? "不超过" : "小于"} ${nb(p)} 才留；第 1 名必留。`,
    min_p: (m: string, top: string, threshold: string): Part => say`概率不低于 ${m} × ${top} = ${threshold} 的留下。`,
  },
  heads: {
    found: say`收到 ${v("p")}`,
    compare: "判断",
    left: say`留下 ${v("q")}`,
  },
  first: "第 1 名",
  rank: (rank: number, k: string) => `第 ${rank} 名，${rank <= Number(k) ? "≤" : ">"} ${k}`,
  whole: "p = 1，全留",
  ties: "恰好等于 p",
  tieNone: say`没有一个累计值恰好等于 ${v("p")}，两种规则留下的一样。`,
  tieDiffer: (met: number, p: string): Part => say`排在 ${named(met)} 前面的合计恰好是 ${nb(p)}，它留不留要看规则。`,
  tieRules: {
    strict: say`合计已到 ${v("p")}：不再留`,
    inclusive: say`合计没超过 ${v("p")}：再留一个`,
  } satisfies Record<TieP, Part>,
  closing: "这里没有运行模型，也没有抽随机数；ID 不对应真实词表。EOS、上下文和多步生成不在这个实验里。",
};

export type RuleMessages = typeof rules;
