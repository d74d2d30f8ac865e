// What an author pastes into a page: the tag, a worked table for readers without scripts, and the rule
// that reserves space.
import type { Core } from "../../core/module.ts";
import { decimal, interval, probability } from "../../i18n/format.ts";
import { plain, type Part } from "../../i18n/rich.ts";
import type { Lang } from "../../i18n/language.ts";
import { messages as common } from "../../i18n/messages.languages";
import type { Messages } from "../../i18n/messages.zh.ts";
import { page, table, type Made, type Snippet } from "../snippet.ts";
import { uResult } from "./inputs.tsx";
import { heights, messages } from "./messages.languages";
import type { SamplingMessages } from "./messages.zh.ts";
import { solve } from "./scene.ts";
import { initialDraft, read, switches, type Draft } from "./state.ts";

export const snippet: Snippet = {
  usage: ['[--logits "0 1 2 3"] [--tau 0.8] [--top-k 2] [--u 0.5]', "[--tie strict|threshold]"],
  options: ["logits", "tau", "top-k", "u"],
  choices: { tie: switches.tie },
  make: (core, lang, { "top-k": k = initialDraft.k, ...given }) =>
    snippetOf(core, lang, { ...initialDraft, ...given, k }),
};

/** HTML for a draft, or what is wrong with its first wrong field. */
function snippetOf(core: Core, lang: Lang, draft: Draft): Made {
  const { config, problems, count } = read(draft, 8),
    m = common[lang],
    s: SamplingMessages = messages[lang];
  if (!config) {
    const [name, problem] = Object.entries(problems)[0]! as [
      keyof typeof problems,
      NonNullable<(typeof problems)["tau"]>,
    ];
    return { problem: `${name}: ${s.problem(name, problem, count)}` };
  }
  const scene = { ...solve(core, config), m, s },
    { logits, tau, k, u, tie } = draft;
  return {
    html: page(
      "smp-sampling",
      lang,
      heights[lang],
      { logits, tau, k, u, ...(tie === "strict" ? {} : { tie }) },
      fallback(scene),
    ),
  };
}

function fallback(scene: ReturnType<typeof solve> & { readonly m: Messages; readonly s: SamplingMessages }): string[] {
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
      `k = ${config.k}`,
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
    const state =
      result.id === id ? s.table.chosen : !sampled ? "—" : kept.includes(id) ? s.table.kept : s.table.removed;
    return [`ID ${id}`, decimal(logit), ...numbers, state];
  });
  return table(
    plain([settings, uResult(scene), stop.trim() === "." ? " " : "", s.table.caption]),
    heads.map(plain),
    rows,
  );
}
