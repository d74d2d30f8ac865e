// Small rows that separate engines, each by one rule. Texts, as one would type them; what is left empty
// is each engine's default.

export type Preset = {
  readonly logits: string;
  readonly temperature?: string;
  readonly top_k?: string;
  readonly top_p?: string;
  readonly min_p?: string;
  readonly repetition_penalty?: string;
  readonly repeat_last_n?: string;
  readonly context?: string;
  readonly seed?: string;
  readonly engines?: string;
  readonly pair: string;
};

/** Sixty-four logits that fall evenly from 2. */
const SLOPE = Array.from({ length: 64 }, (_, id) => String((64 - id) / 32)).join(" ");

export const presets = {
  /** ln 0.5, 0.2, 0.15, 0.15: the mass of the first is 0.5 before top-k and 0.714 after it. */
  measure: {
    logits: "-0.6931471805599453 -1.6094379124341003 -1.8971199848858813 -1.8971199848858813",
    temperature: "1",
    top_k: "2",
    top_p: "0.6",
    pair: "transformers candle",
  },
  order: {
    logits: "3 2 1",
    temperature: "0.5",
    top_k: "",
    top_p: "0.8",
    engines: "transformers candle llama.cpp mlx-lm vllm ollama",
    pair: "transformers llama.cpp",
  },
  tie: { logits: "3 2 2 1", temperature: "1", top_k: "2", top_p: "1", seed: "42", pair: "transformers candle" },
  /** ln 0.5, 0.25, 0.125, 0.125: the sum meets p exactly. */
  boundary: {
    logits: "-0.6931471805599453 -1.3862943611198906 -2.0794415416798357 -2.0794415416798357",
    temperature: "1",
    top_p: "0.75",
    engines: "transformers candle llama.cpp sglang ollama llama2.c",
    pair: "transformers sglang",
  },
  minP: { logits: "4 2 1 0", temperature: "2", top_p: "1", min_p: "0.1", pair: "transformers llama.cpp" },
  defaults: { logits: SLOPE, temperature: "0.7", pair: "transformers candle" },
  /** ln 0.5, 0.2, 0.1, 0.1, 0.1. */
  minPFirst: {
    logits: "-0.6931471805599453 -1.6094379124341003 -2.3025850929940455 -2.3025850929940455 -2.3025850929940455",
    temperature: "1",
    top_p: "0.6",
    min_p: "0.3",
    pair: "transformers vllm",
  },
  penalty: {
    logits: "2 1.5 0 -1 1",
    temperature: "1",
    top_p: "1",
    repetition_penalty: "1.3",
    context: "0 0 2 3",
    engines: "transformers candle llama.cpp transformers.js vllm ollama",
    pair: "transformers ollama",
  },
  stream: {
    logits: "0 1 2 3",
    temperature: "0.8",
    top_k: "2",
    top_p: "1",
    seed: "2718",
    engines: "transformers candle llama.cpp transformers.js chapter",
    pair: "transformers candle",
  },
  zero: {
    logits: "2 1 0",
    temperature: "0",
    engines: "transformers candle llama.cpp transformers.js vllm flashinfer",
    pair: "llama.cpp transformers.js",
  },
  mix: {
    logits: "5 4.5 4 2 1 0 -1 -3",
    temperature: "2",
    top_k: "4",
    top_p: "0.9",
    min_p: "0.05",
    engines: "transformers candle llama.cpp mlx-lm vllm exllamav2",
    pair: "transformers exllamav2",
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as PresetName[];

export const isPresetName = (text: string): text is PresetName => Object.hasOwn(presets, text);
