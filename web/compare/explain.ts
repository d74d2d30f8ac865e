// Why two engines differ: settings are added one at a time to find the first that separates them, then each rule in
// which their profiles differ there is put to the test by taking away what it needs. Nothing is claimed that no run has
// shown.
import type { Gap } from "../core/compare.ts";
import { settingsInForce, type Settings } from "../core/engine.ts";
import type { Core } from "../core/module.ts";
import { part } from "./slices.ts";
import { floatsOf, gapOf, onlyIn, runOf, type Profile, type Run } from "./run.ts";
import { settingNames, type Config, type SettingName } from "./config.ts";

/** Up to here two distributions with the same candidates differ by rounding only. */
export const ROUNDING = 1e-6;

/** A setting more, and how far the two are apart with it. */
export type Rung = {
  readonly setting: SettingName;
  /** What each of the two works with; null where it has no such rule, or it is off. */
  readonly values: readonly [number | null, number | null];
  readonly kept: readonly [number, number] | null;
  readonly gap: Gap | null;
  /** Ids that one of the two keeps and the other does not. */
  readonly split: readonly number[];
};

export type Rule = "measure" | "order" | "minP" | "tie" | "equals" | "boundary" | "window" | "smallT";

export type Reason =
  | { readonly kind: "pending" | "refused" | "same" | "unknown"; readonly ladder: readonly Rung[] }
  /** `at`: the first setting that separates the two. `tested`: without what the rule needs they agree, or
      it alone is left. */
  | { readonly kind: "absent"; readonly ladder: readonly Rung[]; readonly at: SettingName; readonly lacks: string }
  | { readonly kind: "default"; readonly ladder: readonly Rung[]; readonly at: SettingName }
  | {
      readonly kind: "rule";
      readonly ladder: readonly Rung[];
      readonly at: SettingName;
      readonly rules: readonly Rule[];
      readonly tested: boolean;
    };

/** The order in which settings are added. */
const ORDER: readonly SettingName[] = ["repetition_penalty", "temperature", "top_k", "top_p", "min_p"];

export const has = ({ steps }: Profile, setting: string): boolean => steps.includes(setting);

/** Whether a step runs before another, of which an engine may have only one. */
export const runsBefore = ({ steps }: Profile, one: string, other: string): boolean =>
  steps.indexOf(one) < steps.indexOf(other);

export type Values = Readonly<Record<SettingName, number | null>>;

/** Where the core says that a setting is off for these reasons, there is nothing to show. A temperature
    is a number also where it divides by 1. */
const NOTHING: readonly string[] = ["unset", "off", "sees-none", "absent"];

/** What an engine works with, as the core says: null where it has no such rule, or it is off. Temperature
    0 is greedy. */
export function valuesOf(
  core: Core,
  name: string,
  { logits, settings, context }: Pick<Config, "logits" | "settings" | "context">,
): Values {
  const states = settingsInForce(core, name, logits.length, { settings, context });
  const valueOf = (setting: SettingName): number | null => {
    const { value, on, why } = states[setting];
    return on || !NOTHING.includes(why) || (setting === "temperature" && why !== "absent") ? value : null;
  };
  return Object.fromEntries(settingNames.map(setting => [setting, valueOf(setting)])) as Values;
}

export const apart = (gap: Gap | null): boolean =>
  gap !== null && (gap.n_only_p > 0 || gap.n_only_q > 0 || gap.total_variation > ROUNDING);

/** Made step by step: a step runs the two engines once. */
export function* reasonOf(core: Core, config: Config, first: Run, second: Run): Generator<unknown, Reason> {
  const profiles = [first, second].map(run => core.abi.profile[run.name]!) as [Profile, Profile];
  const values = [first, second].map(run => valuesOf(core, run.name, config)) as [Values, Values];
  function* gapWith(
    names: readonly SettingName[],
    change: Settings = {},
  ): Generator<unknown, ReturnType<typeof pairWith>> {
    yield;
    return pairWith(core, config, [first.name, second.name], values, names, change);
  }
  const used = ORDER.filter(name => values.some(each => each[name] !== null));
  const ladder: Rung[] = [];
  for (const [index, setting] of used.entries())
    ladder.push({
      setting,
      values: [values[0][setting], values[1][setting]],
      ...(yield* gapWith(used.slice(0, index + 1))),
    });
  const whole = gapOf(core, first, second);
  if (!whole) return { kind: "refused", ladder };
  if (!apart(whole)) return { kind: "same", ladder };
  const at = ladder.find(rung => apart(rung.gap))?.setting;
  if (!at) return { kind: "unknown", ladder };
  if (config.settings[at] !== undefined) {
    const lacking = [first, second].find((_, side) => !has(profiles[side]!, at));
    if (lacking) return { kind: "absent", ladder, at, lacks: lacking.name };
  } else if (values[0][at] !== values[1][at]) return { kind: "default", ladder, at };
  return {
    kind: "rule",
    ladder,
    at,
    ...(yield* rulesAt(at, profiles, used.slice(0, used.indexOf(at) + 1), values, gapWith)),
  };
}

/** Is mass at this filter measured among what top-k has left? */
export function within({ steps }: Profile, at: SettingName): boolean {
  const k = steps.indexOf("top_k");
  return k >= 0 && steps.slice(k, Math.max(k, steps.indexOf(at))).includes("softmax");
}

/** The two with the named settings alone, and changes to them. */
function pairWith(
  core: Core,
  { logits, context, settings: given }: Config,
  names: readonly [string, string],
  values: readonly [Values, Values],
  settings: readonly SettingName[],
  change: Settings,
) {
  const asked = names.map((name, side) => {
    // the penalty's window comes with it
    const whole = settings.includes("repetition_penalty") ? [...settings, "repeat_last_n" as const] : settings;
    const own = whole.flatMap(setting => (values[side]![setting] === null ? [] : [[setting, values[side]![setting]]]));
    // its default: a given 0 may be refused
    const greedy = given.temperature === undefined && values[side]!.temperature === 0;
    return {
      name,
      settings: {
        temperature: 1,
        ...Object.fromEntries(own),
        ...change,
        ...(greedy && settings.includes("temperature") ? { temperature: 1, greedy } : {}),
      },
    };
  });
  return part(logits, JSON.stringify([asked, context]), () => {
    const [a, b] = asked.map(each => runOf(core, each.name, floatsOf(logits), each.settings, context, true)) as [
      Run,
      Run,
    ];
    const kept =
      a.distribution && b.distribution ? ([a.distribution.ids.length, b.distribution.ids.length] as const) : null;
    return { kept, gap: gapOf(core, a, b), split: [...onlyIn(a, b), ...onlyIn(b, a)] };
  });
}

/** The rules in which the profiles differ at a setting: those without which the two agree, or all if none
    is alone to blame. */
function* rulesAt(
  at: SettingName,
  [a, b]: readonly [Profile, Profile],
  used: readonly SettingName[],
  [va, vb]: readonly [Values, Values],
  gapWith: (names: readonly SettingName[], change?: Settings) => Generator<unknown, { readonly gap: Gap | null }>,
): Generator<unknown, { readonly rules: readonly Rule[]; readonly tested: boolean }> {
  const filter = at === "top_p" || at === "min_p",
    without = (setting: SettingName) => gapWith(used.filter(name => name !== setting));
  const { gap: here } = yield* gapWith(used),
    cold = yield* gapWith(used, { temperature: 1 });
  const candidates: readonly (readonly [rule: Rule, differ: boolean, rest: { readonly gap: Gap | null } | null])[] = [
    ["smallT", at === "temperature" && (a.least !== b.least || a.greedy_below !== b.greedy_below), null],
    ["window", at === "repetition_penalty" && va.repeat_last_n !== vb.repeat_last_n, null],
    ["tie", at === "top_k" && a.tie !== b.tie, null],
    ["equals", at === "top_k" && a.tie === b.tie && here !== null && here.n_only_p === here.n_only_q, null],
    [
      "order",
      filter && va.temperature !== 1 && runsBefore(a, "temperature", at) !== runsBefore(b, "temperature", at),
      cold,
    ],
    ["measure", filter && used.includes("top_k") && within(a, at) !== within(b, at), yield* without("top_k")],
    [
      "minP",
      at === "min_p" && used.includes("top_p") && runsBefore(a, "min_p", "top_p") !== runsBefore(b, "min_p", "top_p"),
      yield* without("top_p"),
    ],
    ["boundary", at === "top_p" && a.boundary !== b.boundary, null],
  ];
  const differing = candidates.filter(([, differ]) => differ);
  const shown = differing.filter(([, , rest]) => rest?.gap && !apart(rest.gap)).map(([rule]) => rule);
  if (shown.length) return { rules: shown, tested: true };
  // what stays when everything else that could be is taken away
  const open = differing.filter(([, , rest]) => rest === null).map(([rule]) => rule);
  const rules = open.length ? open : differing.map(([rule]) => rule);
  return { rules, tested: rules.length === 1 };
}
