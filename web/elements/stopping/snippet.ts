// What an author pastes into a page: the tag, a worked table for readers without scripts, and the rule that reserves space.
import type { Core } from "../../core/module.ts";
import type { Messages } from "../../i18n/zh.ts";
import { page, table, type Heights } from "../snippet.ts";
import { preview } from "./inputs.tsx";
import { logRow } from "./notes.tsx";
import { solve } from "./scene.ts";
import { joinRows, read, type Draft } from "./state.ts";

const HEIGHTS: Readonly<Record<string, Heights>> = {
  zh: [{ from: 0, height: 2790 }, { from: 560, height: 2120 }, { from: 720, height: 1570 }, { from: 1080, height: 1280 }],
  en: [{ from: 0, height: 3270 }, { from: 560, height: 2330 }, { from: 720, height: 1750 }, { from: 1080, height: 1370 }],
};

/** HTML for a draft, or what is wrong with its first wrong field. */
export function snippetOf(core: Core, m: Messages, draft: Draft): { readonly html: string } | { readonly problem: string } {
  const { config, rowProblems, limitProblem } = read(draft), s = m.stopping;
  if (!config) {
    const row = rowProblems.findIndex(Boolean);
    return { problem: row < 0 ? `limit: ${s.limitProblem(limitProblem!)}` : `rows, ${s.row(row + 1)}: ${s.rowProblem(rowProblems[row]!)}` };
  }
  const scene = { ...solve(core, config, config.limit), m };
  const columns = Array.from({ length: scene.full.columns }, (_, t) => logRow(scene, t).appended);
  const rows = scene.full.rows.map((end, row) => [
    s.row(row + 1),
    ...columns.map((tokens, t) => `${tokens[row]} (${scene.full.cells[row]![t]!.appended})`),
    config.rows[row]!.slice(0, end.answer).join(" ") || s.empty,
    s.finishes[end.finish],
    s.atStep(end.step),
  ]);
  const heads = ["", ...columns.map((_, t) => s.steps.name(t + 1)), s.answer, s.reason, s.stopStep];
  const caption = [s.right, m.lang === "zh" ? "。" : ". ", s.ids(config.padId), m.lang === "zh" ? "" : " ", preview(scene, rows.length)].join("");
  const attributes = { rows: joinRows(draft.rows), limit: draft.limit, ...(draft.pad === "own" ? {} : { pad: draft.pad }), ...(draft.rule === "any" ? {} : { rule: draft.rule }) };
  return { html: page("smp-stopping", m.lang, HEIGHTS[m.lang]!, attributes, table(caption, heads, rows)) };
}
