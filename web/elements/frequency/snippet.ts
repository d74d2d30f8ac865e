// What an author pastes into a page: the tag, a worked table for readers without scripts, and the rule that reserves
// space.
import { SmpError } from "../../core/error.ts";
import type { Core } from "../../core/module.ts";
import { atOnce } from "../../compare/slices.ts";
import type { Lang } from "../../i18n/language.ts";
import { messages as common } from "../../i18n/messages.languages";
import { decimal, probability } from "../../i18n/format.ts";
import type { Messages } from "../../i18n/messages.zh.ts";
import { plain } from "../../i18n/rich.ts";
import { page, table, type Given, type Look, type Made, type Snippet } from "../snippet.ts";
import { heights, messages } from "./messages.languages";
import type { FrequencyMessages } from "./messages.zh.ts";
import { begin, look, running } from "./run.ts";
import { presetNames, presets, type PresetName } from "./presets.ts";
import { choiceNames, choices, draftOf, fieldNames, initialDraft, LIMITS, read, type Draft } from "./state.ts";
import { signed } from "./table.tsx";

export const snippet: Snippet = {
  usage: [
    '[--logits "0 1 2 3"] [--tau 0.8] [--k 2] [--draws 1000] [--seed 2718] [--taus "0.5 1 1.5"]',
    `[--source ${choices.source.join("|")}] [--replacement no|yes] [--skip 0|1] [--seeding again|on]`,
  ],
  attributes: [...fieldNames, ...choiceNames, "at"],
  choices,
  presets: presetNames,
  make: (core, lang, all, look) => {
    const { at, ...given } = all;
    if (at !== undefined && !/^[1-9]\d*$/.test(at))
      return { misuse: `--at: found ${at}; allowed: a whole number from 1` };
    const start = look.preset ? draftOf(presets[look.preset as PresetName]) : initialDraft;
    return snippetOf(core, lang, { ...start, ...given }, all, look);
  },
};

/** HTML for a draft, or what is wrong with its first wrong field. */
function snippetOf(core: Core, lang: Lang, draft: Draft, given: Given, about: Look): Made {
  const { config, problems, count } = read(draft, LIMITS.logits),
    m: Messages = common[lang],
    s: FrequencyMessages = messages[lang];
  const wrong = fieldNames.find(name => problems[name]);
  if (!config) return { problem: `${wrong}: ${s.problem(wrong!, problems[wrong!]!, count)}` };
  const begun = begin(core, config);
  if (begun instanceof SmpError) return { problem: `seed: ${plain(s.results.refused(s.sources[config.source]))}` };
  const run = atOnce(running(core, begun)),
    looked = look(core, run, config.draws),
    grouped = (n: number) => n.toLocaleString(m.locale);
  const rows = config.logits.map((logit, id) => {
    const p = run.candidates.p[id]!,
      band = looked.bands[id]!;
    return p === 0
      ? [`ID ${id}`, decimal(logit), "0", "0", "0", s.table.removed]
      : [
          `ID ${id}`,
          decimal(logit),
          probability(p),
          grouped(looked.counts[id]!),
          band.expected.toFixed(3),
          signed(looked.fit.z[id]!, 3),
        ];
  });
  const settings = [
    `logits ${config.logits.map(decimal).join(" ")}`,
    `τ = ${decimal(config.tau)}`,
    `k = ${config.k}`,
    s.sources[config.source],
    `${plain(s.fields.seed)} ${config.seed}`,
  ].join(m.comma);
  const caption = `${settings}${m.stop}${s.table.caption(grouped(config.draws))}`,
    heads = [s.table.heads[0]!, "logit", s.csv[2]!, s.table.heads[1]!, s.table.heads[2]!, "z"];
  const attributes = Object.entries(draft).filter(
    ([name, text]) =>
      !["replacement", "skip", "seeding", "taus"].includes(name) || text !== initialDraft[name as keyof Draft],
  );
  return {
    html: page(
      "smp-frequency",
      lang,
      heights[lang],
      about.preset ? given : { ...Object.fromEntries(attributes), ...(given.at === undefined ? {} : { at: given.at }) },
      table(caption, heads, rows),
      about,
      "sampling-lab-all.js",
    ),
  };
}
