// Sentences and numbers that several views say the same way.
import { decimal, minus } from "../../i18n/format.ts";
import type { Messages } from "../../i18n/messages.zh.ts";
import { plain } from "../../i18n/rich.ts";
import { runsBefore, valuesOf, within, type Rule } from "../../compare/explain.ts";
import { profileOf, type Scene } from "./scene.ts";
import type { Profile } from "../../compare/run.ts";
import type { FieldName, Problem } from "./state.ts";
import type { SettingName } from "../../compare/config.ts";

/** A distance: six decimals, and powers of ten below them, where it is rounding. */
export function distance(x: number): string {
  return x === 0 ? "0" : x < 1e-6 ? minus(x.toExponential(1)) : x.toFixed(6);
}

export const logitText = (x: number): string => decimal(x);

/** Sentences one after another: Chinese has no space between them. */
export const prose = ({ join }: Pick<Messages, "join">, ...parts: readonly (string | false)[]): string =>
  parts.filter(Boolean).join(join);

/** A setting and what the two work with; one value where it is the same. */
export function settingText(
  { s, solved: { pair } }: Scene,
  setting: SettingName,
  [mine, its]: readonly [number | null, number | null],
): string {
  if (mine === its) return `${s.names[setting]} ${s.value(setting, mine)}`;
  return `${s.names[setting]} ${pair.first.name} ${s.value(setting, mine)} / ${pair.second.name} ${s.value(setting, its)}`;
}

/** What is wrong with the fields and the choice of libraries; "" where nothing is. */
export function faultsOf({ m, s, reading: { problems, fewEngines } }: Scene): string {
  const wrong = Object.entries(problems) as [FieldName, Problem][];
  return prose(
    m,
    ...wrong.map(([name, problem]) => `${plain(s.fields[name])}: ${s.problem(name, problem)}`),
    fewEngines && s.fewEngines,
  );
}

/** What a sentence about the pair needs. */
type Told = Pick<Scene, "core" | "m" | "s" | "solved">;

/** Why the two differ, and where that begins: also what is spoken on commit. */
export function reasonText(scene: Told): string {
  const {
      s,
      solved: { pair },
      m,
    } = scene,
    { reason, first, second } = pair,
    w = s.why;
  if (!("at" in reason)) return w[reason.kind];
  const rung = reason.ladder.find(({ setting }) => setting === reason.at)!;
  const named = rung.split.length && rung.split.length <= 4 ? w.ids(rung.split) : "";
  const bites = w.bites(s.names[reason.at], distance(rung.gap!.total_variation), named);
  if (reason.kind === "absent") return prose(m, w.absent(reason.lacks, s.names[reason.at]), bites);
  if (reason.kind === "default") {
    const value = (at: number) => s.value(reason.at, rung.values[at]!);
    return prose(m, w.default(s.names[reason.at], first.name, value(0), second.name, value(1)), bites);
  }
  if (!reason.rules.length) return prose(m, w.none(s.names[reason.at]), bites);
  const details = reason.rules.map(rule =>
    [first, second].map(({ name }) => detailOf(scene, rule, name, reason.at)).join(m.comma),
  );
  return prose(m, w.rule(details, reason.tested), bites);
}

/** What a library does where the two differ, read from its profile. */
function detailOf(scene: Told, rule: Rule, name: string, at: SettingName): string {
  const d = scene.s.why.detail,
    profile: Profile = profileOf(scene, name);
  switch (rule) {
    case "order":
      return d.order(name, runsBefore(profile, "temperature", at));
    case "measure":
      return d.measure(name, within(profile, at));
    case "minP":
      return d.minP(name, runsBefore(profile, "min_p", "top_p"));
    case "tie":
      return d.tie(name, profile.tie === "TIE_THRESHOLD");
    case "equals":
      return d.equals(name);
    case "boundary":
      return d.boundary(name, profile.boundary);
    case "window":
      return d.window(name, valuesOf(scene.core, name, scene.solved.config).repeat_last_n ?? 0);
    case "smallT":
      return d.smallT(name, profile.least, profile.greedy_below);
  }
}
