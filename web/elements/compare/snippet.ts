// What an author pastes into a page: the tag, what each library keeps as a table, and the rule that reserves space.
import type { Core } from "../../core/module.ts";
import { en } from "./messages.en.ts";
import { zh } from "./messages.zh.ts";
import { probability } from "../../i18n/format.ts";
import type { Messages } from "../../i18n/zh.ts";
import { page, table, type Heights } from "../snippet.ts";
import { distance, reasonText } from "./sentences.ts";
import { gapOf, probabilityOf, solve, type Run } from "../../compare/solve.ts";
import { settingNames } from "../../compare/config.ts";
import { enginesOf, fieldNames, pairOf, read, type Draft } from "./state.ts";

const HEIGHTS: Readonly<Record<string, Heights>> = {
  zh: [{ from: 0, height: 5030 }, { from: 560, height: 3608 }, { from: 960, height: 2846 }],
  en: [{ from: 0, height: 5517 }, { from: 560, height: 3712 }, { from: 960, height: 2951 }],
};

/** HTML for a draft, or what is wrong with it. */
export function snippetOf(core: Core, m: Messages, draft: Draft): { readonly html: string } | { readonly problem: string } {
  const s = m.lang === "zh" ? zh : en, known = Object.keys(core.abi.profile), { engines, unknown } = enginesOf(draft.engines.join(" "), known);
  if (unknown.length) return { problem: `engines: ${s.noEngine(unknown[0]!.slice(0, 40), known)}` };
  const { config, problems } = read({ ...draft, engines, pair: pairOf(draft.pair, engines) });
  const wrong = fieldNames.find(name => problems[name]);
  if (!config) return { problem: wrong ? `${wrong}: ${s.problem(wrong, problems[wrong]!)}` : `engines: ${s.fewEngines}` };
  const solved = solve(core, config), [first] = config.pair, base = solved.pair.first;
  const given = settingNames.flatMap(name => (config.settings[name] === undefined ? [] : [`${s.names[name]} ${config.settings[name]}`]));
  const kept = (run: Run) => run.refusal ?? ([...(run.distribution?.ids ?? [])].map(id => `ID ${id} (${probability(probabilityOf(run, id))})`).join(m.lang === "zh" ? "，" : ", ") || "—");
  const rows = solved.runs.map(run => {
    const gap = gapOf(core, base, run), { how, version, date } = core.abi.profile[run.name]!;
    return [run.name, kept(run), gap ? distance(gap.total_variation) : "—", `${s.how[how!]}, ${version}, ${date}`];
  });
  const end = m.lang === "zh" ? "。" : ". ", caption = `logits ${draft.logits}; ${given.join("; ")}${end}${s.pair.title(...config.pair)}${m.lang === "zh" ? "：" : ": "}${reasonText({ core, m, s, solved })}`;
  const attributes = { ...Object.fromEntries(fieldNames.map(name => [name, draft[name]])), engines: config.engines.join(" "), pair: config.pair.join(" ") };
  return { html: page("smp-compare", m.lang, HEIGHTS[m.lang]!, attributes, table(caption, [s.streams.engine, s.pair.kept, `TV – ${first}`, s.sources.label], rows), "sampling-lab-all.js") };
}
