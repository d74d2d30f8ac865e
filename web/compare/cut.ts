// The step at which two engines part, number by number: which filter is looked at, for which tokens, and
// what each of the two compared there.
import { engine } from "../core/engine.ts";
import type { Core } from "../core/module.ts";
import type { Trace } from "../core/trace.ts";
import { aroundOf } from "./around.ts";
import type { Reason } from "./explain.ts";
import { part } from "./slices.ts";
import { floatsOf, type Run } from "./run.ts";
import type { Config, SettingName } from "./config.ts";

export type Cut = {
  readonly setting: SettingName;
  readonly ids: readonly number[];
  /** Of the first and of the second. */
  readonly traces: readonly [Trace, Trace];
};

/** The filters that compare one number with another, the last that may run first. */
const FILTERS: readonly SettingName[] = ["min_p", "top_p", "top_k"];

/** The filter at which the two part, else the last in which either works; null where none does. */
export function* cutOf(
  core: Core,
  config: Config,
  { first, second, reason }: { readonly first: Run; readonly second: Run; readonly reason: Reason },
): Generator<unknown, Cut | null> {
  if (!first.distribution || !second.distribution) return null;
  const asked = "at" in reason && FILTERS.includes(reason.at) ? [reason.at] : FILTERS;
  const { logits, settings, context } = config,
    { ids } = aroundOf(config, first, second);
  const cuts: Cut[] = [];
  for (const setting of asked) {
    const traces: Trace[] = [];
    for (const { name } of [first, second]) {
      yield;
      traces.push(
        part(
          logits,
          JSON.stringify(["cut", name, settings, context, setting, ids]),
          () => engine(core, name, floatsOf(logits), { settings, context, trace: { setting, ids } }).trace!,
        ),
      );
    }
    cuts.push({ setting, ids, traces: traces as [Trace, Trace] });
  }
  return cuts.find(({ traces }) => traces.some(({ compared }) => compared)) ?? null;
}
