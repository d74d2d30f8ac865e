// The setting as a test vector: the request as `eval` takes it, and what `eval` answers.
import type { Core } from "../core/module.ts";
import { comparedLine } from "../eval/compared.ts";
import type { Row } from "./row.ts";
import { floatsOf } from "./run.ts";
import type { Solved } from "./solve.ts";
import { draws, FIRST_TOKENS } from "./stream.ts";

/** The request for `eval`: engines that the core follows; a seed where each of them that draws takes it. */
export function requestOf(
  core: Core,
  { config, runs, pair: { cut, reason } }: Pick<Solved, "config" | "runs" | "pair">,
) {
  const { row, settings, context, seed } = config,
    engines = runs.filter(run => run.closed === undefined).map(({ name }) => name);
  const seeded = runs.every(run => !run.distribution || !run.result.generator || draws(core, run, seed))
    ? { seed, draws: FIRST_TOKENS }
    : {};
  const trace = cut && reason.kind !== "pending" ? { trace: { setting: cut.setting, ids: cut.ids } } : {};
  return {
    op: "compare",
    engines,
    ...(row ? { logits_file: floatsName(row) } : { logits: config.logits }),
    settings,
    context,
    ...seeded,
    ...trace,
  };
}

/** What a row is called as a file of bare floats, which `eval` reads. */
export const floatsName = ({ name }: Row): string => `${name.replace(/\.\w+$/, "")}.f32`;

export function vectorOf(core: Core, solved: Solved): string {
  const request = requestOf(core, solved),
    { engines: names, settings, context, seed, draws = 1, trace } = request;
  const line = comparedLine(core, {
    names,
    logits: solved.config.row?.logits ?? floatsOf(solved.config.logits),
    options: { settings, context, ...(trace ? { trace } : {}) },
    wanted: () => (seed === undefined ? null : { text: seed, place: { path: ["seed"] }, draws }),
    own: seed === undefined,
    explain: error => error,
  });
  return `${JSON.stringify({ request, answer: JSON.parse(line) as unknown }, null, 1)}\n`;
}
