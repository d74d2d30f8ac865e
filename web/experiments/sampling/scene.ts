// Everything the views need, computed once for a frame: what was typed, what it means, what the core answered.
import { keep, lab, type LabResult, type Sampled, type Tie } from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";
import type { Messages } from "../../i18n/zh.ts";
import type { Plane } from "./plane.ts";
import type { PresetName } from "./presets.ts";
import type { Config, Draft, FieldName, Reading } from "./state.ts";

export const STEPS = { read: 1, score: 2, before: 3, keep: 4, after: 5, place: 6 } as const;

export type Scene = {
  readonly m: Messages;
  readonly draft: Draft;
  readonly reading: Reading;
  /** The last valid configuration; it and all below belong together. */
  readonly config: Config;
  readonly result: LabResult;
  /** The result where it has probabilities. */
  readonly sampled: Sampled | null;
  /** Kept ids of the current rule; with tau = 0 those that a filter would keep. */
  readonly kept: readonly number[];
  readonly removed: readonly number[];
  /** Ids of the greatest logit. */
  readonly top: readonly number[];
  readonly keptBy: Readonly<Record<Tie, readonly number[]>>;
  readonly labels: readonly string[] | undefined;
  readonly preset: PresetName;
  readonly edited: boolean;
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

export type Actions = {
  readonly type: (field: FieldName, text: string, commit: boolean) => void;
  readonly change: (part: Partial<Draft>) => void;
  readonly choose: (preset: PresetName) => void;
  readonly go: (step: number) => void;
  /** The point of the map to a place: both from 0 to 1, tau upwards, below 0 the strip of tau = 0. */
  readonly place: (at: { readonly u: number; readonly tau: number; readonly commit: boolean }) => void;
  /** The point by a part of an axis. */
  readonly move: (by: { readonly u?: number; readonly tau?: number }) => void;
  readonly point: (id: number | null) => void;
  readonly pin: (id: number) => void;
};

export type ViewProps = { readonly scene: Scene; readonly act: Actions };

/** The part of a scene that the core computes. */
export function solve(core: Core, config: Config): Pick<Scene, "config" | "result" | "sampled" | "kept" | "removed" | "top" | "keptBy"> {
  const { logits, k, tie } = config;
  const result = lab(core, logits, config);
  const keptBy = { strict: keep(core, logits, k, "strict"), threshold: keep(core, logits, k, "threshold") };
  const kept = keptBy[tie], all = logits.map((_, id) => id);
  return {
    config,
    result,
    sampled: result.greedy ? null : result,
    kept,
    removed: all.filter(id => !kept.includes(id)),
    top: all.filter(id => logits[id] === logits[result.top]),
    keptBy,
  };
}
