// Typed calls of a chain: steps in order on a row of logits, the row after each, and what is left in the end.
import { SmpError, statusError } from "./error.ts";
import { withArena, type Core } from "./module.ts";

/** A step: transformers' name of its parameter, the value, and what else there is to say. */
export type Step = readonly [name: string, value: StepValue, options?: StepOptions];
/** A number; ids for `suppress_tokens`; pairs of id and bias for `logit_bias`. */
export type StepValue = number | readonly number[] | readonly (readonly [id: number, bias: number])[];
export type StepOptions = {
  /** `top_k` (default `threshold`) and `top_p` (default `last`): which of the equals at the cut are kept. */
  readonly tie?: string;
  /** Penalties: how many ids at the end of the context count. Default 0, all of them. */
  readonly last?: number;
};

export type ChainOptions = {
  readonly steps: readonly Step[];
  /** Ids so far, oldest first. */
  readonly context?: ArrayLike<number>;
  /** Where to cut the final distribution, 0 <= u < 1. Default 0. */
  readonly u?: number;
  /** `p` (default), `log_p` or `logits`. */
  readonly out?: string;
  /** Report the row after each step. Default false. */
  readonly info?: boolean;
};

export type StepInfo = {
  readonly n_kept: number;
  readonly max: number;
  readonly cut: number;
  readonly mass: number;
  readonly entropy: number;
  readonly by_rounding: boolean;
};

export type ChainResult = {
  readonly n_kept: number;
  /** The id chosen by u. */
  readonly id: number;
  readonly by_rounding: boolean;
  /** Rising. */
  readonly kept: Uint32Array;
  /** What `out` says of each kept id. */
  readonly values: Float32Array;
  /** One for each step, if asked for. */
  readonly info: readonly StepInfo[];
};

/** Whether a step changes the numbers of single ids. */
export const changesIds = (core: Core, name: string): boolean =>
  ["window", "pairs"].includes(core.abi.step[name]?.shape ?? "");

/** Run a chain on 1 to 2^20 logits. Throws SmpError; `where.index` is then that of the step. */
export function chain(core: Core, logits: Float32Array, options: ChainOptions): ChainResult {
  return withArena(core, arena => {
    const n = logits.length,
      capacity = core.call.smp_row_capacity!(n),
      row = arena.take(4 * capacity),
      ids = arena.take(4 * n);
    if (capacity) new Float32Array(core.memory.buffer, row, n).set(logits); // else the call says what is wrong
    const { steps, info = false } = options,
      call = arena.write("smp_chain", fieldsOf(core, arena, options, n));
    const infos = info ? arena.room("smp_step_info", steps.length) : 0,
      result = arena.room("smp_chain_result");
    arena.check("smp_chain_run", row, n, call, ids, infos, result, arena.take(core.call.smp_chain_work_size!(n)));
    const { n_kept, id, by_rounding } = arena.read("smp_chain_result", result, 0) as Record<string, number>;
    return {
      n_kept: n_kept!,
      id: id!,
      by_rounding: by_rounding === 1,
      kept: new Uint32Array(core.memory.buffer, ids, n_kept).slice(),
      values: new Float32Array(core.memory.buffer, row, n_kept).slice(),
      info: info
        ? steps.map((_, index) =>
            infoOf(
              arena.read("smp_step_info", infos + index * arena.size("smp_step_info"), 0) as Record<string, number>,
            ),
          )
        : [],
    };
  });
}

/** What became of a row of a batch: a result, or why the row was refused and left as it was. */
export type RowOutcome =
  | { readonly n_kept: number; readonly id: number; readonly by_rounding: boolean }
  | { readonly refused: SmpError };

/**
 * Rows of n logits side by side in wasm memory, each with a chain of its own, without a copy: `fill` writes the logits of a
 * row into a view of it, `read` finds there what `out` says of all n entries (removed ones are 0, or -Infinity). A view lasts
 * as long as its call. A row that is refused holds up no other. Throws SmpError where a step or n is wrong, RangeError where
 * there is no room: 32 rows of 128,256 have it.
 */
export function chainRows(
  core: Core,
  n: number,
  chains: readonly Omit<ChainOptions, "info">[],
  fill: (row: Float32Array, index: number) => void,
  read?: (row: Float32Array, index: number) => void,
): RowOutcome[] {
  return withArena(core, arena => {
    const capacity = core.call.smp_row_capacity!(n),
      rows = arena.take(4 * capacity * chains.length);
    const calls = arena.writeAll(
      "smp_chain",
      chains.map(options => fieldsOf(core, arena, options, n)),
    );
    const results = arena.room("smp_chain_result", chains.length),
      work = arena.take(core.call.smp_chain_work_size!(n));
    const view = (index: number): Float32Array => new Float32Array(core.memory.buffer, rows + 4 * capacity * index, n);
    if (capacity) chains.forEach((_, index) => fill(view(index), index)); // else the call says what is wrong
    arena.check("smp_chain_run_rows", rows, chains.length, n, calls, results, work);
    return chains.map((_, row) => {
      const result = arena.read("smp_chain_result", results + row * arena.size("smp_chain_result"), 0) as Record<
        string,
        number
      >;
      if (result.status) return { refused: statusError(core.abi, result.status | 0, result.param! | 0, result.index!) };
      read?.(view(row), row);
      return { n_kept: result.n_kept!, id: result.id!, by_rounding: result.by_rounding === 1 };
    });
  });
}

function fieldsOf(
  core: Core,
  arena: Arena,
  { steps, context = [], u = 0, out = "p" }: ChainOptions,
  n: number,
): Record<string, number> {
  const records = steps.map((step, index) => recordOf(core, arena, step, index, n));
  return {
    u,
    steps: arena.writeAll("smp_step", records),
    n_steps: steps.length,
    context: arena.u32(Array.from(context, id => wholeOf(core, id, n))),
    n_context: context.length,
    out: core.abi.out.find(([, , name]) => name === out)?.[1] ?? core.abi.limits.none,
  };
}

function infoOf(record: Record<string, number>): StepInfo {
  const { n_kept, max, cut, mass, entropy, by_rounding } = record as Record<keyof StepInfo, number>;
  return { n_kept, max, cut, mass, entropy, by_rounding: by_rounding === 1 };
}

type Arena = Parameters<Parameters<typeof withArena>[1]>[0];

function recordOf(
  core: Core,
  arena: Arena,
  [name, value, options = {}]: Step,
  index: number,
  n: number,
): Record<string, number> {
  if (!Object.hasOwn(core.abi.step, name)) throw refusal(core, "step", index, name);
  const { kind, shape } = core.abi.step[name]!,
    tie = tieOf(core, name, options, index),
    count = lastOf(core, name, options, index);
  if (typeof value === "number" && (shape === "value" || shape === "window")) return { kind, tie, value, count };
  if (typeof value === "number" && shape === "count" && isWhole(value, 2 ** 32)) return { kind, tie, count: value };
  if (typeof value === "number" || (shape !== "ids" && shape !== "pairs")) throw refusal(core, name, index);
  const pairs = value.map(entry => (typeof entry === "number" ? [entry] : entry) as readonly number[]);
  pairs.forEach((pair, place) => {
    const [id, bias = 0] = pair,
      at = `${name}[${place}]`;
    if (pair.length !== (shape === "pairs" ? 2 : 1))
      throw wrong(name, index, `${at}: allowed: ${shape === "pairs" ? "a pair of id and bias" : "an id"}`);
    if (!isWhole(id!, n)) throw wrong(name, index, `${at}: id ${id}; allowed: ids of the row, 0 to ${n - 1}`);
    if (bias !== -Infinity && !Number.isFinite(Math.fround(bias)))
      throw wrong(
        name,
        index,
        `${at}: id ${id} with ${bias}; allowed: a bias that a 32-bit float holds, or -inf, which removes the id`,
      );
  });
  const list = { kind, tie, count: pairs.length, ids: arena.u32(pairs.map(([id]) => id!)) };
  return shape === "pairs" ? { ...list, values: arena.f32(pairs.map(([, bias]) => bias!)) } : list;
}

type Rule = Core["abi"]["step"][string];

/** An option that a step would not look at is refused. */
function checkTaken(
  core: Core,
  name: string,
  option: keyof StepOptions,
  options: StepOptions,
  index: number,
  takes: (rule: Rule) => boolean,
): void {
  if (options[option] === undefined || takes(core.abi.step[name]!)) return;
  const takers = Object.keys(core.abi.step).filter(known => takes(core.abi.step[known]!));
  throw wrong(name, index, `${name}: ${option} does nothing here; allowed: ${option} with ${takers.join(", ")}`);
}

function tieOf(core: Core, name: string, options: StepOptions, index: number): number {
  checkTaken(core, name, "tie", options, index, rule => rule.tie >= 0);
  if (options.tie === undefined) return Math.max(core.abi.step[name]!.tie, 0);
  const ties = core.abi.tie.filter(([name]) => name !== "TIE_INCLUSIVE"), // of the experiment
    found = ties.find(([, , known]) => known === options.tie);
  if (!found)
    throw wrong(
      "tie",
      index,
      `tie "${String(options.tie).slice(0, 40)}" of ${name}; allowed: ${ties.map(([, , known]) => known).join(", ")}`,
    );
  return found[1];
}

function lastOf(core: Core, name: string, options: StepOptions, index: number): number {
  checkTaken(core, name, "last", options, index, rule => rule.shape === "window");
  const { last = 0 } = options;
  if (isWhole(last, 2 ** 32)) return last;
  throw wrong(
    "last",
    index,
    `last ${last} of ${name}; allowed: a whole number from 0 to 4294967295; 0 for the whole context`,
  );
}

const isWhole = (number: number, limit: number): boolean => Number.isInteger(number) && number >= 0 && number < limit;

/** An id as it is, or one that the core refuses with its position: it must not wrap around to a legal one. */
const wholeOf = (core: Core, id: number, n: number): number => (isWhole(id, n) ? id : core.abi.limits.none);

const wrong = (param: string, index: number, message: string): SmpError =>
  new SmpError("ERR_PARAM", { param, index }, message);

function refusal(core: Core, name: string, index: number, found = ""): SmpError {
  const allowed =
    name === "step" ? Object.keys(core.abi.step).join(", ") : (core.abi.param.find(row => row[2] === name)?.[3] ?? "");
  const text = core.abi.status.find(row => row[0] === "ERR_PARAM")?.[2] ?? "";
  return new SmpError(
    "ERR_PARAM",
    { param: name, index },
    `${name}${found && ` "${found.slice(0, 40)}"`}: ${text}; allowed: ${allowed}`,
    found ? undefined : allowed,
  );
}
