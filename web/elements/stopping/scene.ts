// Everything the views need, computed once for a frame: what was typed, what it means, what the core answered.
import { SmpError } from "../../core/error.ts";
import { stop, type Rule, type StopResult } from "../../core/stop.ts";
import type { Core } from "../../core/module.ts";
import type { Messages } from "../../i18n/messages.zh.ts";
import type { StoppingMessages } from "./messages.zh.ts";
import type { PresetName } from "./presets.ts";
import { EOS_ID, type Config, type Draft, type Reading, type WrongRule } from "./state.ts";

export type Solved = {
  /** The last valid batch; it and all below belong together. */
  readonly config: Config;
  /** The step on view, 0 to the last of the right rule. */
  readonly step: number;
  /** The right rule: its whole run, and its state after the step. */
  readonly full: StopResult;
  readonly now: StopResult;
  /** The wrong rule after the step, after the last step its whole run; or the step in which it refuses the batch. */
  readonly wrong: StopResult | { readonly refused: number };
};

export type Scene = Solved & {
  readonly m: Messages;
  readonly s: StoppingMessages;
  readonly draft: Draft;
  readonly reading: Reading;
  readonly preset: PresetName;
  readonly edited: boolean;
  readonly quiz: Quiz | null;
};

/** "Which rows does `any` cut short?": those that it cuts, those that are guessed, and whether they are told. */
export type Quiz = { readonly cut: readonly number[]; readonly guess: readonly number[]; readonly told: boolean };

export type Actions = {
  readonly row: (index: number, text: string, commit: boolean) => void;
  readonly limit: (text: string, commit: boolean) => void;
  readonly change: (part: Partial<Draft>) => void;
  readonly rule: (rule: WrongRule) => void;
  readonly choose: (preset: PresetName) => void;
  readonly go: (step: number) => void;
  readonly guess: (row: number) => void;
  /** Tells the answer, or takes the question away. */
  readonly reveal: () => void;
  readonly skip: () => void;
};

export type ViewProps = { readonly scene: Scene; readonly act: Actions };

const run = (core: Core, config: Config, rule: Rule, steps: number): StopResult =>
  stop(core, config.ids, { eos: [EOS_ID], pad: config.padId, maxNewTokens: config.limit, rule, steps });

export function solve(core: Core, config: Config, wanted: number): Solved {
  const full = run(core, config, "latch", config.limit),
    step = Math.min(wanted, full.columns);
  return {
    config,
    step,
    full,
    now: run(core, config, "latch", step),
    wrong: wrongRun(core, config, step < full.columns ? step : config.limit),
  };
}

function wrongRun(core: Core, config: Config, steps: number): Solved["wrong"] {
  try {
    return run(core, config, config.rule, steps);
  } catch (error) {
    if (error instanceof SmpError && error.code === "ERR_REFUSED") return { refused: error.where.index };
    throw error;
  }
}

/** The question about a batch; none about one row. */
export function question(core: Core, config: Config): Quiz | null {
  if (config.rows.length < 2) return null;
  const { rows } = run(core, config, "any", config.limit);
  return { cut: [...rows.keys()].filter(row => rows[row]!.finish === "cut"), guess: [], told: false };
}
