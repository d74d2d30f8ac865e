// What an author pastes into a page: the tag, a worked table for readers without scripts, and the rule
// that reserves space.
import type { Core } from "../../core/module.ts";
import type { Lang } from "../../i18n/language.ts";
import { messages as common } from "../../i18n/messages.languages";
import type { Messages } from "../../i18n/messages.zh.ts";
import { page, table, type Given, type Look, type Made, type Snippet } from "../snippet.ts";
import { preview } from "./inputs.tsx";
import { heights, messages } from "./messages.languages";
import type { StoppingMessages } from "./messages.zh.ts";
import { logRow } from "./notes.tsx";
import { solve } from "./scene.ts";
import { presetNames, presets, type PresetName } from "./presets.ts";
import { draftOf, initialDraft, joinRows, LIMITS, pads, read, splitRows, wrongRules, type Draft } from "./state.ts";

export const snippet: Snippet = {
  usage: [
    '[--rows "EOS a a / x EOS b / y z EOS"] [--limit 3] [--pad own|shared]',
    "[--rule any|same-step|scalar|single]",
  ],
  attributes: ["rows", "limit", "pad", "rule", "step"],
  choices: { pad: pads, rule: wrongRules },
  presets: presetNames,
  make: (core, lang, all, look) => {
    const { rows, step, ...given } = all,
      start = look.preset ? draftOf(presets[look.preset as PresetName]) : initialDraft,
      typed = rows === undefined ? start.rows : splitRows(rows);
    if (step !== undefined && !/^\d+$/.test(step))
      return { misuse: `--step: found ${step}; allowed: a whole number from 0` };
    if (typed.length > LIMITS.rows)
      return { misuse: `--rows: found ${typed.length} rows; allowed: 1 to ${LIMITS.rows}` };
    return snippetOf(core, lang, { ...start, ...given, rows: typed }, all, look);
  },
};

/** HTML for a draft, or what is wrong with its first wrong field. */
function snippetOf(core: Core, lang: Lang, draft: Draft, given: Given, look: Look): Made {
  const { config, rowProblems, limitProblem } = read(draft),
    m: Messages = common[lang],
    s: StoppingMessages = messages[lang];
  if (!config) {
    const row = rowProblems.findIndex(Boolean);
    return {
      problem:
        row < 0
          ? `limit: ${s.limitProblem(limitProblem!)}`
          : `rows, ${s.row(row + 1)}: ${s.rowProblem(rowProblems[row]!)}`,
    };
  }
  const scene = { ...solve(core, config, config.limit), m, s };
  const columns = Array.from({ length: scene.full.columns }, (_, t) => logRow(scene, t).appended);
  const rows = scene.full.rows.map((end, row) => [
    s.row(row + 1),
    ...columns.map((tokens, t) => `${tokens[row]} (${scene.full.cells[row]![t]!.appended})`),
    config.rows[row]!.slice(0, end.answer).join(" ") || s.empty,
    s.finishes[end.finish],
    s.atStep(end.step),
  ]);
  const heads = ["", ...columns.map((_, t) => s.steps.name(t + 1)), s.answer, s.reason, s.stopStep];
  const caption = [s.right, m.stop, s.ids(config.padId), m.join, preview(scene, rows.length)].join("");
  const attributes = {
    rows: joinRows(draft.rows),
    limit: draft.limit,
    ...(draft.pad === "own" ? {} : { pad: draft.pad }),
    ...(draft.rule === "any" ? {} : { rule: draft.rule }),
    ...(given.step === undefined ? {} : { step: given.step }),
  };
  return {
    html: page(
      "smp-stopping",
      lang,
      heights[lang],
      look.preset ? given : attributes,
      table(caption, heads, rows),
      look,
    ),
  };
}
