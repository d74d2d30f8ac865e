// Everything the views need, computed once for a frame: what was typed, what it means, what the core answered.
import { axisPlace, axisValue } from "../../core/lab.ts";
import { bands, bincount, curve, type Curve, type Source } from "../../core/frequency.ts";
import type { SmpError } from "../../core/error.ts";
import type { Core } from "../../core/module.ts";
import type { Messages } from "../../i18n/messages.zh.ts";
import type { FrequencyMessages } from "./messages.zh.ts";
import type { PresetName } from "./presets.ts";
import type { Looked, Run } from "./run.ts";
import type { Thrown } from "./thrown.ts";
import type { Config, Draft, FieldName, Reading } from "./state.ts";

/** What another generator makes of the same settings. */
export type Other = { readonly source: Source; readonly count: number | null };

export type Scene = {
  readonly core: Core;
  readonly m: Messages;
  readonly s: FrequencyMessages;
  readonly draft: Draft;
  readonly reading: Reading;
  readonly preset: PresetName;
  readonly edited: boolean;
  /** The last valid configuration whose seed its generator takes; it and all below belong together. */
  readonly config: Config;
  /** Why the configuration on view is not the one that is typed, though every field is right. */
  readonly refused: SmpError | null;
  readonly run: Run;
  /** Draws so far, and whether more are on their way. */
  readonly done: number;
  readonly going: boolean;
  /** The run at its line; null before the first draw. */
  readonly looked: Looked | null;
  /** Ids that can be drawn, ascending. */
  readonly kept: readonly number[];
  /** The id that sentences are about: lit, or the first that can be drawn. */
  readonly about: number;
  readonly lit: number | null;
  readonly others: readonly Other[];
  /** Counts of the id that sentences are about, in the runs before this one. */
  readonly earlier: readonly number[];
  readonly curves: Curves;
  readonly pair: readonly [number, number];
  readonly first: readonly number[];
  /** Of a run with a draw before it: the last id, which a run without it does not reach. */
  readonly lastIn: number | null;
  readonly thrown: Thrown;
};

export type Actions = {
  readonly type: (field: FieldName, text: string, commit: boolean) => void;
  readonly change: (part: Partial<Draft>) => void;
  readonly choose: (preset: PresetName) => void;
  readonly line: (n: number, commit: boolean) => void;
  readonly cancel: () => void;
  readonly go: () => void;
  readonly pair: (pair: readonly [number, number]) => void;
  readonly tauAt: (index: number, place: number, commit: boolean) => void;
  readonly point: (id: number | null) => void;
  readonly pin: (id: number) => void;
  /** null: to the end of the run. */
  /** Another run of as many draws. */
  readonly again: () => void;
  readonly throw: (count: number | null) => void;
  readonly clear: () => void;
};

export type ViewProps = { readonly scene: Scene; readonly act: Actions };

// ---- Axes ---------------------------------------------------------------------------------------------------------

/** Place of a number of draws on the logarithmic axis from 1 to all. */
export const drawsAt = (core: Core, all: number, n: number): number => (all === 1 ? 1 : axisPlace(core, 1, all, n));

/** The number of draws at a place of that axis. */
export const drawsOf = (core: Core, all: number, place: number): number =>
  all === 1 ? 1 : Math.min(all, Math.max(1, Math.round(axisValue(core, 1, all, Math.min(Math.max(place, 0), 1)))));

/** The ends of the temperature axis: 0 and infinity are strips of their own. */
export const TAU_AXIS = { low: 0.05, high: 20, ticks: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20] } as const;

// ---- The run as lines --------------------------------------------------------------------------------------------

const place = (x: number): string => String(Math.round(10 * x) / 10);
const point = (x: number, share: number): string => `${place(1000 * x)} ${place(1000 * (1 - share))}`;

export type RunLine = { readonly id: number; readonly walk: string; readonly funnel: string };

/** The share of each id along the run, and where it usually lies: in a box of 1000 by 1000. */
export function runLines(core: Core, run: Run): RunLine[] {
  const { draws } = run.config,
    ends = [...run.marks.map(({ n }) => n)],
    marks = ends.at(-1) === draws ? ends : [...ends, draws];
  const at = marks.map(n => drawsAt(core, draws, n));
  return [...run.candidates.p.keys()]
    .filter(id => run.candidates.p[id]! > 0)
    .map(id => {
      const around = bands(core, run.candidates.p[id]!, marks),
        line = run.marks.map(({ n, counts }, index) => point(at[index]!, counts[id]! / n));
      const low = around.map((band, index) => point(at[index]!, band.low)),
        high = around.map((band, index) => point(at[index]!, band.high));
      return {
        id,
        walk: line.length ? `M${line.join("L")}` : "",
        funnel: `M${low.join("L")}L${high.reverse().join("L")}Z`,
      };
    });
}

// ---- Temperature -------------------------------------------------------------------------------------------------

export type Curves = {
  /** Of the temperatures in the list. */
  readonly listed: readonly Curve[];
  /** At 0 and at infinity. */
  readonly ends: readonly [Curve, Curve];
  /** Lines in a box of 1000 by 1000, by id; and of the entropy, over that of equal ones. */
  readonly lines: readonly string[];
  readonly entropy: string;
};

const COLUMNS = 120;

export function curvesOf(core: Core, { logits, taus }: Config, pair: readonly [number, number]): Curves {
  const places = Array.from({ length: COLUMNS + 1 }, (_, column) => column / COLUMNS),
    along = curve(
      core,
      logits,
      places.map(at => axisValue(core, TAU_AXIS.low, TAU_AXIS.high, at)),
    );
  const [zero, even] = curve(core, logits, [0, Infinity], pair);
  const whole = even!.entropy || 1;
  return {
    listed: curve(core, logits, taus, pair),
    ends: [zero!, even!],
    lines: logits.map((_, id) => `M${along.map(({ p }, column) => point(places[column]!, p[id]!)).join("L")}`),
    entropy: `M${along.map(({ entropy }, column) => point(places[column]!, entropy / whole)).join("L")}`,
  };
}

/** Where a temperature lies on the axis; its ends for what lies beyond. */
export const tauPlace = (core: Core, tau: number): number =>
  Math.min(Math.max(axisPlace(core, TAU_AXIS.low, TAU_AXIS.high, tau), 0), 1);

// ---- Arrays ------------------------------------------------------------------------------------------------------

/** bincount without and with minlength. */
export const arraysOf = (core: Core, counts: Uint32Array): readonly [Uint32Array, Uint32Array] => [
  bincount(core, counts),
  bincount(core, counts, counts.length),
];
