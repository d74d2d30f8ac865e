// Everything the views need, computed once for a frame: what was typed, what it means, what the core answered.
import { lab, round, type LabResult, type Sampled, type Tie } from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";
import type { Messages } from "../../i18n/messages.zh.ts";
import type { SamplingMessages } from "./messages.zh.ts";
import type { Plane } from "./plane.ts";
import type { PresetName } from "./presets.ts";
import { CHAPTER_RULES, keptByTies, marked, nearZero, optionsOf, stagesOf, type Stage, type TieP } from "./rules.ts";
import type { Config, Draft, FieldName, Reading } from "./state.ts";

export const STEPS = { read: 1, score: 2, before: 3, keep: 4, after: 5, place: 6 } as const;

export type Scene = {
  readonly m: Messages;
  readonly s: SamplingMessages;
  readonly draft: Draft;
  readonly reading: Reading;
  /** The last valid configuration; it and all below belong together. */
  readonly config: Config;
  /** The logits of the experiment: as typed, or rounded to another format. */
  readonly logits: readonly number[];
  /** Ids whose logits became equal to another's by that rounding. */
  readonly merged: readonly number[];
  readonly result: LabResult;
  /** The result where it has probabilities. */
  readonly sampled: Sampled | null;
  /** Kept ids of the current rule; with tau = 0 those that a filter would keep. */
  readonly kept: readonly number[];
  readonly removed: readonly number[];
  /** Ids of the largest logit. */
  readonly top: readonly number[];
  /** Of the largest logits those that any filter leaves however small tau is. */
  readonly outlive: readonly number[];
  /** What the filter with that tie would keep under each of its rules. */
  readonly keptBy: Readonly<Record<Tie, readonly number[]>>;
  readonly keptByP: Readonly<Record<TieP, readonly number[]>>;
  /** True if the filters are others than the chapter's. */
  readonly filtered: boolean;
  readonly stages: readonly Stage[];
  /** Words as they are shown, where any candidate has one; "" where one has none. */
  readonly labels: readonly string[] | undefined;
  /** True if those are the preset's. */
  readonly real: boolean;
  readonly preset: PresetName;
  readonly edited: boolean;
  /** Ends of the bars on which logits are dragged. */
  readonly range: readonly [low: number, high: number];
  /** The open question, or how it was answered. */
  readonly quiz: Quiz | null;
  /** True while it is open: what would answer it is not shown. */
  readonly veiled: boolean;
  readonly step: number;
  readonly plane: Plane;
  /** Where tau lies on the map's axis, 0 at the top. */
  readonly tauAt: number;
  /** Width of the figure in CSS px: what fits on it. */
  readonly plotWidth: number;
  /** The id that is pointed at, focused or pinned; else null. */
  readonly lit: number | null;
  /** The id whose formula is shown. */
  readonly shown: number;
};

/** "Which id will this u choose?" */
export type Quiz = { readonly u: string; readonly id: number; readonly guess: number | null };

export type Actions = {
  readonly type: (field: FieldName, text: string, commit: boolean) => void;
  readonly change: (part: Partial<Draft>) => void;
  /** A logit on its bar. */
  readonly drag: (id: number, value: string, commit: boolean) => void;
  /** Answers the question; null skips it. */
  readonly guess: (id: number | null) => void;
  readonly choose: (preset: PresetName) => void;
  readonly go: (step: number) => void;
  /** The point of the map to a place: both from 0 to 1, tau upwards, below 0 the strip of tau = 0. */
  readonly place: (at: { readonly u: number; readonly tau: number; readonly commit: boolean }) => void;
  /** The point by a part of an axis. */
  readonly move: (by: { readonly u?: number; readonly tau?: number }) => void;
  readonly point: (id: number | null) => void;
  readonly pin: (id: number) => void;
  /** What spans the figure: its width is that of the figure. */
  readonly measure: (part: Element | null) => void;
};

/** What lights a candidate up while the pointer is on it. */
export const pointing = (act: Actions, id: number) => ({
  onPointerEnter: () => act.point(id),
  onPointerLeave: () => act.point(null),
});

export type ViewProps = { readonly scene: Scene; readonly act: Actions };

/** The part of a scene that the core computes. */
export function solve(core: Core, config: Config) {
  const logits = round(core, config.logits, config.dtype);
  const result = lab(core, logits, optionsOf(config)),
    limit = nearZero(core, logits, config);
  const kept = marked((result.greedy ? limit : result).kept),
    all = [...logits.keys()],
    top = all.filter(id => logits[id] === logits[result.top]);
  const [strict, threshold] = keptByTies(core, logits, config, "top_k", [{ tie: "strict" }, { tie: "threshold" }]);
  const [below, inclusive] = keptByTies(core, logits, config, "top_p", [{ tie_p: "strict" }, { tie_p: "inclusive" }]);
  return {
    config,
    logits,
    merged: all.filter(id =>
      all.some(other => logits[id] === logits[other] && config.logits[id] !== config.logits[other]),
    ),
    result,
    sampled: result.greedy ? null : result,
    kept,
    removed: all.filter(id => !kept.includes(id)),
    top,
    outlive: top.filter(id => limit.kept[id]),
    keptBy: { strict, threshold },
    keptByP: { strict: below, inclusive },
    filtered: config.rules.join() !== CHAPTER_RULES,
    stages: stagesOf(core, logits, config, result),
  } satisfies Partial<Scene>;
}

/** A u worth asking about: one that chooses another id than the present u. None where u plays no part. */
export function question(
  core: Core,
  { config, logits, result }: Pick<Scene, "config" | "logits" | "result">,
): Quiz | null {
  if (result.greedy) return null;
  const asked = ["0.1", "0.9", "0.3", "0.7"].map(u => ({
    u,
    id: lab(core, logits, { ...optionsOf(config), u: Number(u) }).id,
    guess: null,
  }));
  const quiz = asked.find(({ id }) => id !== null && id !== result.id);
  return quiz ? { ...quiz, id: quiz.id! } : null;
}
