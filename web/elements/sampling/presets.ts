// The settings a reader can return to with one press. Texts, as one would type them.
import type { Dtype, Tie } from "../../core/lab.ts";

export type Preset = {
  readonly logits: string;
  readonly tau: string;
  readonly k: string;
  readonly u: string;
  readonly tie?: Tie;
  readonly dtype?: Dtype;
  /** What the candidates stand for, by id. */
  readonly labels?: readonly string[];
};

const preset = (logits: string, tau: string, k: string, u: string, more: Partial<Preset> = {}): Preset => ({
  logits,
  tau,
  k,
  u,
  ...more,
});

export const presets = {
  /** The worked example of the chapter. */
  chapter: preset("0 1 2 3", "0.8", "2", "0.5"),
  /** Two candidates share the second place: the tie rules keep two or three. */
  tie: preset("3 2 2 0", "1", "2", "0.5"),
  /** tau = 0 takes the smallest id among the maxima ... */
  greedy: preset("1 1 0", "0", "3", "0.75"),
  /** ... which is not the limit of small tau: that shares evenly among them. */
  nearZero: preset("1 1 0", "0.01", "3", "0.75"),
  /** The eight largest logits of SmolLM2-135M-Instruct (Q4_1) after "Write one sentence about the sea.": the shortest
      decimals of the floats; ids there 504, 49, 788, 60, 67, 18, 33, 1195. */
  real: preset("31.526676 29.375378 28.478804 27.068878 26.996305 26.904148 26.558115 26.491688", "1", "5", "0.5", {
    labels: ["The", "A", "In", "L", "S", '"', "1", "the"],
  }),
  hot: preset("0 1 2 3", "2", "4", "0.5"),
  cold: preset("0 1 2 3", "0.2", "4", "0.5"),
  /** The chapter's with 50 added to every logit: nothing changes. */
  shift: preset("50 51 52 53", "0.8", "2", "0.5"),
  /** k = 1 with a tie: one candidate, or two under the threshold rule. */
  single: preset("3 3 1", "1", "1", "0.75", { tie: "threshold" }),
  three: preset("2 1 0.5", "1", "3", "0.9"),
  five: preset("3 2 1 0.5 0.1", "1.5", "5", "0.9"),
  extremes: preset("100 -100 0", "1", "3", "0.999"),
  /** The four largest logits five tokens into the same answer, in the order of their ids there: 28, 284, 5065, 33780.
      In float16 the two largest become one number, and the smaller id wins. */
  close: preset("27.38779 27.398201 22.862324 23.27213", "1", "1", "0.5", {
    dtype: "float16",
    labels: [",", " and", " ocean", " expanse"],
  }),
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
/** Shown in the row; the rest stand under "more". */
export const FIRST_PRESETS = 7;
export const presetNames = Object.keys(presets) as PresetName[];
export const isPresetName = (name: string): name is PresetName => Object.hasOwn(presets, name);
