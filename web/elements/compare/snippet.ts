// What an author pastes into a page: the tag, what each library keeps as a table, and the rule that reserves space.
import type { Core } from "../../core/module.ts";
import { probability } from "../../i18n/format.ts";
import type { Lang } from "../../i18n/language.ts";
import { messages as common } from "../../i18n/messages.languages";
import type { Messages } from "../../i18n/messages.zh.ts";
import { page, table, type Given, type Look, type Made, type Snippet } from "../snippet.ts";
import { heights, messages } from "./messages.languages";
import type { CompareMessages } from "./messages.zh.ts";
import { presetNames, presets, type PresetName } from "./presets.ts";
import { distance, reasonText } from "./sentences.ts";
import { gapOf, probabilityOf, type Run } from "../../compare/run.ts";
import { solve } from "../../compare/solve.ts";
import { settingNames } from "../../compare/config.ts";
import { draftOf, enginesOf, fieldNames, pairOf, read, type Typed } from "./state.ts";

export const snippet: Snippet = {
  usage: [
    '[--logits "3 2 2 1"] [--temperature 1] [--top-k 2] [--top-p 0.9] [--min-p 0.1]',
    '[--repetition-penalty 1.3] [--context "0 2"] [--seed 42] [--engines "transformers candle"]',
    '[--pair "transformers candle"]',
  ],
  attributes: [...fieldNames, "engines", "pair"],
  choices: {},
  presets: presetNames,
  make: (core, lang, all, look) => {
    const { engines, pair, ...given } = all;
    const start = draftOf(presets[(look.preset as PresetName) ?? "measure"]),
      own = look.preset || given.logits === undefined ? start : { ...start, temperature: "", top_k: "", top_p: "" };
    const words = (text: string | undefined, otherwise: readonly string[]) =>
      text?.split(/[\s,]+/).filter(Boolean) ?? otherwise;
    const draft = { ...own, ...given, engines: words(engines, start.engines), pair: words(pair, start.pair) };
    return snippetOf(core, lang, draft, all, look);
  },
};

/** HTML for a draft, or what is wrong with it. */
function snippetOf(core: Core, lang: Lang, draft: Typed, given: Given, look: Look): Made {
  const m: Messages = common[lang],
    s: CompareMessages = messages[lang],
    known = Object.keys(core.abi.profile),
    { engines, unknown } = enginesOf(draft.engines.join(" "), known);
  if (unknown.length) return { problem: `engines: ${s.noEngine(unknown[0]!.slice(0, 40), known)}` };
  const { config, problems } = read({ ...draft, engines, pair: pairOf(draft.pair, engines) });
  const wrong = fieldNames.find(name => problems[name]);
  if (!config)
    return { problem: wrong ? `${wrong}: ${s.problem(wrong, problems[wrong]!)}` : `engines: ${s.fewEngines}` };
  const solved = solve(core, config),
    [first] = config.pair,
    base = solved.pair.first;
  const set = settingNames.flatMap(name =>
    config.settings[name] === undefined ? [] : [`${s.names[name]} ${config.settings[name]}`],
  );
  const kept = (run: Run) =>
    run.refusal ??
    ([...(run.distribution?.ids ?? [])].map(id => `ID ${id} (${probability(probabilityOf(run, id))})`).join(m.comma) ||
      "—");
  const rows = solved.runs.map(run => {
    const gap = gapOf(core, base, run),
      { how, version, date } = core.abi.profile[run.name]!;
    return [run.name, kept(run), gap ? distance(gap.total_variation) : "—", `${s.how[how!]}, ${version}, ${date}`];
  });
  const caption = `logits ${draft.logits}; ${set.join("; ")}${m.stop}${s.pair.title(...config.pair)}${m.colon}${reasonText({ core, m, s, solved })}`;
  const attributes = {
    ...Object.fromEntries(fieldNames.map(name => [name, draft[name]])),
    engines: config.engines.join(" "),
    pair: config.pair.join(" "),
  };
  return {
    html: page(
      "smp-compare",
      lang,
      heights[lang],
      look.preset ? given : attributes,
      table(caption, [s.streams.engine, s.pair.kept, `TV – ${first}`, s.sources.label], rows),
      look,
      "sampling-lab-all.js",
    ),
  };
}
