// What an author pastes into a page: the tag, a worked table for readers without scripts, and the rule
// that reserves space.
import type { Core } from "../../core/module.ts";
import { decimal, interval, probability } from "../../i18n/format.ts";
import type { Lang } from "../../i18n/language.ts";
import { messages as common } from "../../i18n/messages.languages";
import type { Messages } from "../../i18n/messages.zh.ts";
import { page, table, type Given, type Look, type Made, type Snippet } from "../snippet.ts";
import { uResult } from "./inputs.tsx";
import { heights, messages } from "./messages.languages";
import type { SamplingMessages } from "./messages.zh.ts";
import { solve } from "./scene.ts";
import { named, plain, type Part } from "../../i18n/rich.ts";
import { spelled, visible } from "./labels.ts";
import { presetNames, presets, type Preset, type PresetName } from "./presets.ts";
import { RULES } from "./rules.ts";
import {
  authored,
  authorNames,
  draftOf,
  fieldNames,
  initialDraft,
  mostOf,
  read,
  ruleFields,
  switches,
  switchNames,
  type Config,
  type Draft,
} from "./state.ts";
import { stateOf } from "./table.tsx";

export const snippet: Snippet = {
  usage: [
    '[--logits "0 1 2 3"] [--tau 0.8] [--top-k 2] [--u 0.5]',
    '[--rules "top_k top_p min_p"] [--top-p 0.9] [--min-p 0.1] [--labels "the cat"] [--max 8]',
    "[--tie strict|threshold] [--tie-p strict|inclusive] [--share renormalised|zeroed] [--dtype float64]",
  ],
  attributes: [...fieldNames, ...switchNames, ...authorNames],
  aliases: { "top-k": "k" },
  choices: switches,
  presets: presetNames,
  make: (core, lang, given, look) =>
    snippetOf(
      core,
      lang,
      { ...(look.preset ? draftOf(presets[look.preset as PresetName]) : initialDraft), ...given },
      given,
      look,
    ),
};

/** HTML for a draft, or what is wrong with its first wrong field. */
function snippetOf(core: Core, lang: Lang, draft: Draft, given: Given, look: Look): Made {
  const wrong = authorNames.find(name => !authored[name].accepts(draft[name]));
  if (wrong) return { misuse: `--${wrong}: found ${draft[wrong]}; allowed: ${authored[wrong].allowed}` };
  const { config, problems, count } = read(draft, 8),
    m = common[lang],
    s: SamplingMessages = messages[lang];
  if (!config) {
    const [name, problem] = Object.entries(problems)[0]! as [
      keyof typeof problems,
      NonNullable<(typeof problems)["tau"]>,
    ];
    return { problem: `${name}: ${s.problem(name, problem, count, mostOf(draft))}` };
  }
  const preset: Preset | null = look.preset ? presets[look.preset as PresetName] : null,
    labels =
      config.labels.some(Boolean) || given.logits !== undefined ? config.labels : (preset?.labels ?? config.labels),
    words = labels.map(visible),
    scene = { ...solve(core, config), m, s: spelled(s, words) };
  return {
    html: page(
      "smp-sampling",
      lang,
      heights[lang],
      preset ? given : attributesOf(draft, config),
      fallback(scene, words),
      look,
    ),
  };
}

/** The fields in use, and all else that is not as by default. */
function attributesOf(draft: Draft, { rules }: Config): Readonly<Record<string, string>> {
  const used = new Set<string>(["logits", "tau", ...rules.map(rule => ruleFields[rule]), "u"]),
    fields = new Set<string>(fieldNames);
  const said = ([name, text]: [string, string]) =>
    fields.has(name) ? used.has(name) : text !== initialDraft[name as keyof Draft];
  return Object.fromEntries(Object.entries(draft).filter(said));
}

function fallback(
  scene: ReturnType<typeof solve> & { readonly m: Messages; readonly s: SamplingMessages },
  words: readonly string[],
): string[] {
  const {
    m: { comma, stop },
    s,
    logits,
    config,
    sampled,
    kept,
    result,
  } = scene;
  const settings =
    [
      `logits ${logits.map(decimal).join(" ")}`,
      `τ = ${decimal(config.tau)}`,
      ...config.rules.map(rule => `${rule === "top_k" ? "k" : RULES[rule]} = ${decimal(config[ruleFields[rule]])}`),
      `u = ${decimal(config.u)}`,
    ].join(comma) + stop;
  const heads: Part[] = [
    s.table.candidate,
    "logit",
    s.table.score,
    s.table.before,
    s.table.after,
    s.table.interval,
    s.table.state,
  ];
  const rows = logits.map((logit, id) => {
    const numbers = sampled
      ? [
          decimal(sampled.score[id]!),
          probability(sampled.p[id]!),
          probability(sampled.q[id]!),
          kept.includes(id) ? interval(sampled.lo[id]!, sampled.hi[id]!) : "—",
        ]
      : Array<string>(4).fill(s.table.undefined);
    const state = sampled || result.id === id ? stateOf(scene, id, result.id === id) : "—";
    return [plain(spelled(named(id), words)), decimal(logit), ...numbers, state];
  });
  return table(
    plain([settings, uResult(scene), stop.trim() === "." ? " " : "", s.table.caption]),
    heads.map(plain),
    rows,
  );
}
