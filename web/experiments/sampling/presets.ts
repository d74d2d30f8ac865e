// The settings a reader can return to with one press. Texts, as one would type them.
import type { Tie } from "../../core/lab.ts";

export type Preset = {
  readonly logits: string;
  readonly tau: string;
  readonly k: string;
  readonly u: string;
  readonly tie: Tie;
  /** What the candidates stand for, by id. */
  readonly labels?: readonly string[];
};

const preset = (logits: string, tau: string, k: string, u: string, tie: Tie = "strict"): Preset => ({ logits, tau, k, u, tie });

export const presets = {
  /** The worked example of the chapter. */
  chapter: preset("0 1 2 3", "0.8", "2", "0.5"),
  /** Two candidates share the second place: the tie rules keep two or three. */
  tie: preset("3 2 2 0", "1", "2", "0.5"),
  /** tau = 0 takes the smallest id among the maxima ... */
  greedy: preset("1 1 0", "0", "3", "0.75"),
  /** ... which is not the limit of small tau: that shares evenly among them. */
  nearZero: preset("1 1 0", "0.01", "3", "0.75"),
  /** The eight greatest logits of SmolLM2-135M-Instruct (Q4_1) after "Write one sentence about the sea.": the shortest
      decimals of the floats; ids there 504, 49, 788, 60, 67, 18, 33, 1195. */
  real: {
    ...preset("31.526676 29.375378 28.478804 27.068878 26.996305 26.904148 26.558115 26.491688", "1", "5", "0.5"),
    labels: ["The", "A", "In", "L", "S", '"', "1", "the"],
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];
export const isPresetName = (name: string): name is PresetName => Object.hasOwn(presets, name);
