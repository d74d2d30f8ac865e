// The setting as a test vector: the request as `eval` takes it, and what `eval` answers.
import { evaluateLine } from "../../core/evaluate.ts";
import type { Core } from "../../core/module.ts";
import { FIRST_TOKENS, type Solved } from "./solve.ts";

/** The request for `eval`: engines that the core follows; a seed where each of them that draws takes it. */
export function requestOf({ config, runs, streams, pair: { cut } }: Pick<Solved, "config" | "runs" | "streams" | "pair">) {
  const { logits, settings, context, seed } = config, engines = runs.filter(run => run.closed === undefined).map(({ name }) => name);
  const seeded = streams.every(({ allowed }) => allowed === undefined) ? { seed, draws: FIRST_TOKENS } : {};
  const trace = cut ? { trace: { setting: cut.setting, ids: cut.ids } } : {};
  return { op: "compare", engines, logits, settings, context, ...seeded, ...trace };
}

export function vectorOf(core: Core, solved: Solved): string {
  const request = requestOf(solved), answer: unknown = JSON.parse(evaluateLine(core, JSON.stringify(request), () => null));
  return `${JSON.stringify({ request, answer }, null, 1)}\n`;
}
