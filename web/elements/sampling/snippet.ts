// What an author pastes into a page: the tag, a worked table for readers without scripts, and the rule that reserves space.
import type { Core } from "../../core/module.ts";
import { decimal, interval, probability } from "../../i18n/format.ts";
import { plain, type Part } from "../../i18n/rich.ts";
import type { Messages } from "../../i18n/zh.ts";
import { page, table, type Heights } from "../snippet.ts";
import { uResult } from "./inputs.tsx";
import { solve } from "./scene.ts";
import { read, type Draft } from "./state.ts";

const HEIGHTS: Readonly<Record<string, Heights>> = {
  zh: [{ from: 0, height: 3290 }, { from: 560, height: 2270 }, { from: 960, height: 1690 }],
  en: [{ from: 0, height: 3730 }, { from: 560, height: 2460 }, { from: 960, height: 1800 }],
};

/** HTML for a draft, or what is wrong with its first wrong field. */
export function snippetOf(core: Core, m: Messages, draft: Draft): { readonly html: string } | { readonly problem: string } {
  const { config, problems, count } = read(draft, 8);
  if (!config) {
    const [name, problem] = Object.entries(problems)[0]! as [keyof typeof problems, NonNullable<(typeof problems)["tau"]>];
    return { problem: `${name}: ${m.problem(name, problem, count)}` };
  }
  const scene = { ...solve(core, config), m }, { logits, tau, k, u, tie } = draft;
  return { html: page("smp-sampling", m.lang, HEIGHTS[m.lang]!, { logits, tau, k, u, ...(tie === "strict" ? {} : { tie }) }, fallback(scene)) };
}

function fallback(scene: ReturnType<typeof solve> & { readonly m: Messages }): string[] {
  const { m, logits, config, sampled, kept, result } = scene;
  const [comma, stop] = m.lang === "zh" ? ["，", "。"] : [", ", ". "];
  const settings = [`logits ${logits.map(decimal).join(" ")}`, `τ = ${decimal(config.tau)}`, `k = ${config.k}`, `u = ${decimal(config.u)}`].join(comma) + stop;
  const heads: Part[] = [m.table.candidate, "logit", m.table.score, m.table.before, m.table.after, m.table.interval, m.table.state];
  const rows = logits.map((logit, id) => {
    const numbers = sampled
      ? [decimal(sampled.score[id]!), probability(sampled.p[id]!), probability(sampled.q[id]!), kept.includes(id) ? interval(sampled.lo[id]!, sampled.hi[id]!) : "—"]
      : Array<string>(4).fill(m.table.undefined);
    const state = result.id === id ? m.table.chosen : !sampled ? "—" : kept.includes(id) ? m.table.kept : m.table.removed;
    return [`ID ${id}`, decimal(logit), ...numbers, state];
  });
  return table(plain([settings, uResult(scene), stop.trim() === "." ? " " : "", m.table.caption]), heads.map(plain), rows);
}
