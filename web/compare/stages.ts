// What is compared before and after the distributions: the logits once they are penalised, and the greedy choice. And
// the settings of seed document 000 on the row at hand, beside what that document measured on its own.
import { engine, penalised, type Settings } from "../core/engine.ts";
import { SmpError } from "../core/error.ts";
import type { Core } from "../core/module.ts";
import { part } from "./slices.ts";
import { floatsOf, gapOf, runOf } from "./run.ts";
import type { Config } from "./config.ts";

/** What the core gives, or null where it refuses. */
function or<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof SmpError) return null;
    throw error;
  }
}

/** Ids whose logits differ between the two of the pair after their penalties; null where one of them refuses. */
export function unequalLogits(
  core: Core,
  { logits, settings: { repetition_penalty, repeat_last_n }, context, pair }: Config,
): number[] | null {
  const settings = {
    ...(repetition_penalty === undefined ? {} : { repetition_penalty }),
    ...(repeat_last_n === undefined ? {} : { repeat_last_n }),
  };
  return part(logits, JSON.stringify(["unequal", pair, settings, context]), () => {
    const rows = or(() => pair.map(name => penalised(core, name, floatsOf(logits), { settings, context })));
    if (!rows) return null;
    const [one, two] = rows as [Float32Array, Float32Array],
      unequal: number[] = [];
    for (let id = 0; id < one.length; id++) if (one[id] !== two[id]) unequal.push(id);
    return unequal;
  });
}

/** What the two of the pair choose where they only take the largest; null where one of them refuses. */
export function greedyIds(core: Core, { logits, settings, context, pair }: Config): readonly [number, number] | null {
  const { repetition_penalty } = settings,
    given: Settings = repetition_penalty === undefined ? { greedy: true } : { repetition_penalty, greedy: true };
  const chosen = (name: string): number => engine(core, name, floatsOf(logits), { settings: given, context }).kept[0]!;
  return part(logits, JSON.stringify(["greedy", pair, given, context]), () =>
    or(() => [chosen(pair[0]), chosen(pair[1])] as const),
  );
}

/** The settings that document 000 measured transformers and candle with. */
const BOTH: Settings = { temperature: 0.7, top_k: 40, top_p: 0.9 },
  BARE: Settings = { temperature: 0.7 },
  PENALTY = 1.3,
  LAST = 64;

export type Figures = {
  /** Kept by transformers and by candle with top-k 40 and top-p 0.9; distance; share of candle's that
      transformers removes. */
  readonly kept: readonly [number, number];
  readonly tv: number;
  readonly outside: number;
  /** Distance where only the temperature is given. */
  readonly tvBare: number;
  /** Logits that the penalty changes: over the whole context, and over its last 64 ids; how far these two
      are apart at most. */
  readonly changed: readonly [number, number];
  readonly most: number;
};

/** The figures of document 000, on its logits. */
export const DOCUMENT: Figures = {
  kept: [14, 31],
  tv: 7.45e-2,
  outside: 0.0748,
  tvBare: 6.06e-2,
  changed: [60, 39],
  most: 4.66,
};

/** The same settings on the row at hand. */
export const figuresOf = (core: Core, config: Pick<Config, "logits" | "context">): Figures =>
  part(config.logits, JSON.stringify(["document", config.context]), () => measured(core, config));

function measured(core: Core, { logits, context }: Pick<Config, "logits" | "context">): Figures {
  const row = floatsOf(logits),
    runs = (settings: Settings) => ["transformers", "candle"].map(name => runOf(core, name, row, settings, []));
  const [first, second] = runs(BOTH),
    [bare, all] = runs(BARE),
    gap = gapOf(core, first!, second!)!;
  const rows = [0, LAST].map(repeat_last_n =>
    penalised(core, "candle", row, { settings: { repetition_penalty: PENALTY, repeat_last_n }, context }),
  );
  const changed = rows.map(each => each.filter((x, id) => x !== row[id]).length);
  return {
    kept: [first!.distribution!.ids.length, second!.distribution!.ids.length],
    tv: gap.total_variation,
    outside: gap.only_q,
    tvBare: gapOf(core, bare!, all!)!.total_variation,
    changed: [changed[0]!, changed[1]!],
    most: rows[0]!.reduce(
      (most, x, id) => (x === rows[1]![id] ? most : Math.max(most, Math.abs(x - rows[1]![id]!))),
      0,
    ), // -inf is equal
  };
}
