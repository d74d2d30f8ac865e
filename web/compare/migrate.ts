// How to make one engine do as another: the settings, or the steps of its own library in another order, each run
// through the core on the row at hand and on short rows that tell rules apart. Nothing is offered that no run has
// shown.
import type { Gap } from "../core/compare.ts";
import { probabilities } from "../core/compare.ts";
import { engine, penalised, settingsInForce, type Sampler, type Settings } from "../core/engine.ts";
import { SmpError } from "../core/error.ts";
import type { Core } from "../core/module.ts";
import { apart, has } from "./explain.ts";
import { floatsOf, gapOf, runOf, type Profile, type Run } from "./run.ts";
import type { Config, SettingName } from "./config.ts";

/** A setting that is a rule of its own. */
export type Rule = Exclude<SettingName, "repeat_last_n">;

/** One rule at work. `all`: top-k keeps whatever equals the k-th. */
export type Op = { readonly setting: Rule; readonly value: number; readonly all: boolean };

/** What an engine does to a row, in order; every filter measures among what the one before it left. */
export type Plan = {
  readonly greedy: boolean;
  readonly ops: readonly Op[];
  /** The penalty sees so many ids at the end of the context; 0 for all. */
  readonly window: number;
};

/** `settings`: the engine's own settings are enough. `steps`: its steps have to be put together anew. */
export type Way = "settings" | "steps";

export type Move = {
  readonly way: Way;
  /** The plan of the engine that is copied. */
  readonly plan: Plan;
  /** How far the two are apart on the row at hand. */
  readonly gap: Gap;
  /** Of the short rows: how many were tried, and the first on which they still differ. */
  readonly tried: number;
  readonly differs: readonly number[] | null;
};

export type Migration = {
  readonly from: string;
  readonly to: string;
  /** As the settings stand; null where one of them gives no result. */
  readonly before: Gap | null;
  readonly move: Move | null;
  /** Where nothing helps: what the engine has not, or null. */
  readonly lacks: SettingName | null;
};

/** Engines whose libraries let one put steps together. */
export const COMPOSED: readonly string[] = ["transformers", "candle", "llama.cpp", "mlx-lm"];

/** Ids that are penalised. */
const tailOf = (context: readonly number[], window: number): readonly number[] =>
  window ? context.slice(-window) : context;

const RULES: readonly string[] = [
  "temperature",
  "top_k",
  "top_p",
  "min_p",
  "repetition_penalty",
] satisfies readonly Rule[];
const isRule = (step: string): step is Rule => RULES.includes(step);

/** The rules of an engine in the order in which each measures what the one before it left: where top-k and then top-p
    work on the same probabilities, top-p first. */
function orderOf({ steps }: Profile): readonly Rule[] {
  const order = steps.filter(isRule),
    k = steps.indexOf("top_k"),
    p = steps.indexOf("top_p");
  if (k < 0 || p < k || steps.slice(k, p).includes("softmax")) return order;
  return order.flatMap(step => (step === "top_k" ? (["top_p", "top_k"] as const) : step === "top_p" ? [] : [step]));
}

/** What an engine does under a configuration, as steps that each measure what is left. */
export function planOf(
  core: Core,
  name: string,
  { logits, settings, context }: Pick<Config, "logits" | "settings" | "context">,
): Plan {
  const profile = core.abi.profile[name]!,
    states = settingsInForce(core, name, logits.length, { settings, context });
  // a top-k that keeps all of this row cuts a longer one; what greedy does not look at is still a setting
  const works = (rule: Rule): boolean =>
    states[rule].on || states[rule].why === "keeps-all" || states[rule].why === "greedy";
  const ops = orderOf(profile)
    .filter(works)
    .map(
      (setting): Op => ({
        setting,
        value: states[setting].value,
        all: setting === "top_k" && profile.tie === "TIE_THRESHOLD",
      }),
    );
  return { greedy: states.greedy.on, ops, window: states.repeat_last_n.on ? states.repeat_last_n.value : 0 };
}

/** An engine with the settings of a plan, and what it has besides turned off. */
export function settingsOf(profile: Profile, plan: Plan): Settings | null {
  if (plan.greedy) return { greedy: true };
  const lacking = plan.ops.some(({ setting }) => !has(profile, setting));
  const window =
    has(profile, "repeat_last_n") && plan.ops.some(({ setting }) => setting === "repetition_penalty")
      ? { repeat_last_n: plan.window || 2 ** 32 - 1 }
      : {}; // all
  return lacking
    ? null
    : { temperature: 1, ...Object.fromEntries(plan.ops.map(({ setting, value }) => [setting, value])), ...window };
}

/** Which engine's filter is used for a step where a library composes its own: the rule in words of that
    library's tools. */
function toolOf(to: string, { setting, all }: Op): string {
  if (setting === "top_k") return all && to !== "mlx-lm" ? "transformers" : to === "transformers" ? "chapter" : to;
  return setting === "min_p" && to === "candle" ? "transformers" : to;
}

const SAMPLERS: Readonly<Record<Exclude<Rule, "repetition_penalty">, (value: number) => Sampler>> = {
  temperature: value => ["temp", value],
  top_k: value => ["top_k", value],
  top_p: value => ["top_p", value, 1],
  min_p: value => ["min_p", value, 1],
};

/** llama.cpp's samplers for a plan. */
export function samplersOf({ greedy, ops, window }: Plan, count: number): Sampler[] {
  const chain = ops.map(
    ({ setting, value }): Sampler =>
      setting === "repetition_penalty" ? ["penalties", window || count, value, 0, 0] : SAMPLERS[setting](value),
  );
  return greedy ? [...chain.filter(([name]) => name === "penalties"), ["greedy"]] : chain;
}

/** The steps of a plan one after the other, with the library's own filters: what each removes is masked
    for the next. */
function composed(core: Core, to: string, plan: Plan, logits: Float32Array, context: readonly number[]): Run {
  if (to === "llama.cpp") return finished(core, to, logits, { samplers: samplersOf(plan, context.length), context });
  let row = logits,
    temperature = 1;
  for (const op of plan.ops) {
    if (op.setting === "repetition_penalty")
      row = penalised(core, to, row, {
        settings: { repetition_penalty: op.value },
        context: tailOf(context, plan.window),
        settingsOnly: true,
      });
    else if (op.setting === "temperature") temperature = op.value;
    else row = masked(core, toolOf(to, op), row, { temperature, [op.setting]: op.value });
  }
  return finished(core, to, row, { settings: plan.greedy ? { greedy: true } : { temperature }, settingsOnly: true });
}

function masked(core: Core, tool: string, row: Float32Array, settings: Settings): Float32Array {
  const left = row.reduce((count, x) => count + Number(x > -Infinity), 0);
  if (settings.top_k !== undefined && settings.top_k >= left && (tool !== "mlx-lm" || settings.top_k < row.length))
    return row; // which mlx-lm refuses
  const kept = new Set(engine(core, tool, row, { settings, settingsOnly: true }).kept);
  return row.map((x, id) => (kept.has(id) ? x : -Infinity));
}

function finished(core: Core, name: string, row: Float32Array, options: Parameters<typeof engine>[3]): Run {
  const result = engine(core, name, row, options);
  if (result.refusal) return { name, refusal: result.refusal, ignored: result.ignored };
  // candle lists what was masked, with weight 0
  const live = [...result.kept.keys()].filter(place => row[result.kept[place]!]! > -Infinity);
  const left = {
    kept: Uint32Array.from(live, place => result.kept[place]!),
    weights: Float32Array.from(live, place => result.weights[place]!),
  };
  return { name, result: { ...result, ...left }, distribution: probabilities(core, left) };
}

/** The engine `to` as it was made to follow a plan, on any row. */
export function follow(
  core: Core,
  to: string,
  way: Way,
  plan: Plan,
  logits: Float32Array,
  context: readonly number[],
): Run | null {
  try {
    if (way === "steps") return composed(core, to, plan, logits, context);
    const settings = settingsOf(core.abi.profile[to]!, plan);
    return settings && runOf(core, to, logits, settings, context, true);
  } catch (error) {
    if (error instanceof SmpError) return null;
    throw error;
  }
}

/** Rows that tell rules apart: equals, temperatures and masses near and far, and more entries than a usual k. */
const LONG = (step: number): number[] => Array.from({ length: 96 }, (_, id) => (((id * 37) % 96) * step) / 16);
export const SHORT_ROWS: readonly (readonly number[])[] = [
  [0, 0],
  [1, 0],
  [1, 1, 0],
  [2, 1, 1],
  [0, 0, 0],
  [2, 1, 0],
  [4, 2, 1, 0],
  [3, 2, 2, 1],
  [1, 0, 0, 0],
  [2, 2, 1, 1, 0],
  [3, 2.5, 2, 1, 0.5, 0],
  [5, 4.5, 4, 2, 1, 0, -1, -3],
  [1, 0.75, 0.5, 0.25, 0, -0.25, -0.5, -0.75],
  LONG(1),
  LONG(0.25),
];

/** From the pair's first to its second, or the other way round. */
export function migrationOf(core: Core, config: Config, from: Run, to: Run): Migration {
  const plan = planOf(core, from.name, config),
    before = gapOf(core, from, to);
  const ways: readonly Way[] = COMPOSED.includes(to.name) ? ["settings", "steps"] : ["settings"];
  const moves = ways.flatMap(way => moveBy(core, config, from, to.name, way, plan));
  const move = moves.find(({ differs }) => !differs) ?? moves[0] ?? null;
  const lacks = plan.ops.find(({ setting }) => !has(core.abi.profile[to.name]!, setting))?.setting ?? null;
  return { from: from.name, to: to.name, before, move, lacks };
}

function moveBy(
  core: Core,
  { logits, settings, context }: Config,
  from: Run,
  to: string,
  way: Way,
  plan: Plan,
): Move[] {
  const run = follow(core, to, way, plan, floatsOf(logits), context),
    gap = run && gapOf(core, from, run);
  if (!gap || apart(gap)) return [];
  let tried = 0;
  const differs = SHORT_ROWS.find(short => {
    const row = Float32Array.from(short),
      here = context.filter(id => id < short.length);
    const copied = runOf(core, from.name, row, settings, here),
      made = follow(core, to, way, plan, row, here);
    if (!copied.distribution || !made?.distribution) return false;
    tried++;
    return apart(gapOf(core, copied, made));
  });
  return [{ way, plan, gap, tried, differs: differs ?? null }];
}
