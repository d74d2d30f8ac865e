// The batches a reader can return to with one press. Texts, as one would type them.

/** PAD has an id of its own, or shares that of EOS. */
export type Pad = "own" | "shared";

export type Preset = { readonly rows: readonly string[]; readonly limit: string; readonly pad: Pad };

const preset = (rows: string, limit: string, pad: Pad = "own"): Preset => ({ rows: rows.split(" / "), limit, pad });

export const presets = {
  rowByRow: preset("EOS a a / x EOS b / y z EOS", "3"),
  length: preset("EOS a a / x EOS b / y z EOS", "2"),
  shared: preset("EOS a a / x EOS b / y z EOS", "3", "shared"),
  together: preset("EOS a b / EOS c d / EOS e f", "3"),
  /** PAD chosen by the model in a row that has not finished: part of the answer ... */
  padOwn: preset("a PAD b / PAD EOS c / d e EOS", "3"),
  /** ... unless it is the EOS. */
  padShared: preset("a PAD b / PAD EOS c / d e EOS", "3", "shared"),
  /** Row 2, whose prompt holds an EOS, goes on to the limit. */
  prompt: preset("a EOS b / x y z / c d EOS", "3"),
  single: preset("a b EOS c", "4"),
  eight: preset("a b EOS c d e f g / h i j k l m EOS n / o p q r s t u v", "8"),
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as PresetName[];

export const isPresetName = (text: string): text is PresetName => Object.hasOwn(presets, text);
