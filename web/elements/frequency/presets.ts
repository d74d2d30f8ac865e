// The settings a reader can return to with one press. Texts, as one would type them.
import type { Source } from "../../core/frequency.ts";

export type Preset = {
  readonly logits: string;
  readonly tau: string;
  readonly k: string;
  readonly draws: string;
  readonly seed: string;
  readonly source: Source;
  /** Temperatures of the curves; default 0.5 1 1.5. */
  readonly taus?: string;
  /** Draws thrown away first; default none. */
  readonly skip?: string;
};

const preset = (
  logits: string,
  tau: string,
  k: string,
  draws: string,
  seed: string,
  source: Source,
  more: Pick<Preset, "taus" | "skip"> = {},
): Preset => ({ logits, tau, k, draws, seed, source, ...more });

export const presets = {
  /** The record of the chapter: 230 and 770. */
  record: preset("0 1 2 3", "0.8", "2", "1000", "2718", "torch-mkl"),
  /** Another torch, another record: 227 and 773. */
  today: preset("0 1 2 3", "0.8", "2", "1000", "2718", "torch"),
  /** 7,349 and 2,651. */
  candle: preset("3 2 2 1", "1", "2", "10000", "42", "candle"),
  ten: preset("0 1 2 3", "0.8", "2", "10", "2718", "torch-mkl"),
  million: preset("0 1 2 3", "0.8", "2", "1000000", "2718", "torch-mkl"),
  /** The last id is not drawn: 5, 3 and 2. */
  missing: preset("3 2 1 0", "1", "4", "10", "2718", "torch-mkl"),
  one: preset("0 1 2 3", "0.8", "2", "1000", "2718", "torch-mkl", { skip: "1" }),
  three: preset("0 1 2 3", "0.8", "4", "1000", "2718", "torch-mkl", { taus: "0.1 1 5" }),
  /** Two temperatures of one seed: the chapter's low candidate when cold ... */
  cold: preset("0 1 2 3", "0.5", "4", "1000", "2718", "torch-mkl", { taus: "0.5 5" }),
  /** ... and when hot. */
  hot: preset("0 1 2 3", "5", "4", "1000", "2718", "torch-mkl", { taus: "0.5 5" }),
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];
export const isPresetName = (text: string): text is PresetName => Object.hasOwn(presets, text);
