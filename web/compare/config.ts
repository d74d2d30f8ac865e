// What engines are asked, side by side.
import type { Row } from "./row.ts";

/** Settings in transformers' names. */
export const settingNames = ["temperature", "top_k", "top_p", "min_p", "repetition_penalty", "repeat_last_n"] as const;
export type SettingName = (typeof settingNames)[number];

/** What the core is asked. */
export type Config = {
  readonly logits: readonly number[] | Float32Array;
  /** Where the logits are from, if they were not typed. */
  readonly row: Row | null;
  /** What is left out is left to the engine. */
  readonly settings: Readonly<Partial<Record<SettingName, number>>>;
  readonly context: readonly number[];
  /** Decimal, to 2^64 - 1. */
  readonly seed: string;
  readonly engines: readonly string[];
  readonly pair: readonly [string, string];
};
