// Typed calls of a chain: steps in order on a row of logits, the row after each, and what is left in the end.
import { idsBelow, isWhole, logitsWords, refusal, wordsOf } from "./checks.ts";
import { type SmpError, statusError, type Fault, type Path, type Place, type Words } from "./error.ts";
import { withArena, type Arena, type Code, type Core } from "./module.ts";
import { finding, stepPlace } from "./place.ts";

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
  /** How u goes through the candidates: by `id` (default), or `descending` by probability, equals by id. */
  readonly order?: string;
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
  /** Ascending. */
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
  return withArena(
    core,
    arena => {
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
      const { n_kept, id, by_rounding } = arena.numbers<Counted>("smp_chain_result", result);
      return {
        n_kept,
        id,
        by_rounding: by_rounding === 1,
        kept: new Uint32Array(core.memory.buffer, ids, n_kept).slice(),
        values: new Float32Array(core.memory.buffer, row, n_kept).slice(),
        info: info ? steps.map((_, index) => infoOf(arena.numbers("smp_step_info", infos, index))) : [],
      };
    },
    chainWords(options.steps),
  );
}

type Counted = "n_kept" | "id" | "by_rounding";

/** The core names a step's parameter and the step's place; the caller wrote both. */
const chainWords =
  (steps: readonly Step[], from: Path = []): Words =>
  (param, entry, index) => {
    if (param === "context") return { path: [...from, param, ...entry] };
    if (param === "u" || param === "out" || param === "order") return { path: [...from, param] };
    if (param === "row" || !steps[index]) return logitsWords(param, entry, index);
    return atStep(steps, index, param === "tie" ? [2, param] : [1], from);
  };

/** A place in a step: 1 is its value, 2 what else there is to say. */
const atStep = (steps: readonly Step[], index: number, inside: Path, from: Path = []): Place =>
  stepPlace([...from, "steps", index, ...inside], { name: String(steps[index]![0]), depth: from.length + 2 });

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
  return withArena(
    core,
    arena => {
      const capacity = core.call.smp_row_capacity!(n),
        rows = arena.take(4 * capacity * chains.length);
      const calls = arena.writeAll(
        "smp_chain",
        chains.map((options, index) => fieldsOf(core, arena, options, n, ["chains", index])),
      );
      const results = arena.room("smp_chain_result", chains.length),
        work = arena.take(core.call.smp_chain_work_size!(n));
      const view = (index: number): Float32Array =>
        new Float32Array(core.memory.buffer, rows + 4 * capacity * index, n);
      if (capacity) chains.forEach((_, index) => fill(view(index), index)); // else the call says what is wrong
      arena.check("smp_chain_run_rows", rows, chains.length, n, calls, results, work);
      return chains.map((_, row) => {
        const { status, param, index, ...result } = arena.numbers<Counted | "status" | "param" | "index">(
          "smp_chain_result",
          results,
          row,
        );
        if (status) {
          const words = chainWords(chains[row]!.steps, ["chains", row]);
          return { refused: statusError(core.abi, status | 0, param | 0, index, words) };
        }
        read?.(view(row), row);
        return { n_kept: result.n_kept, id: result.id, by_rounding: result.by_rounding === 1 };
      });
    },
    () => ({ path: ["n"] }),
  );
}

function fieldsOf(
  core: Core,
  arena: Arena,
  { steps, context = [], u = 0, out = "p", order = "id" }: ChainOptions,
  n: number,
  from: Path = [],
): Record<string, number> {
  const records = steps.map((_, index) =>
    recordOf(core, arena, steps, index, n, inside => atStep(steps, index, inside, from)),
  );
  return {
    u,
    steps: arena.writeAll("smp_step", records),
    n_steps: steps.length,
    context: arena.u32(idsBelow(core, n, context)),
    n_context: context.length,
    out: codeOf(core, core.abi.out, out),
    order: codeOf(core, core.abi.order, order),
  };
}

/** The value of a word; of another one a value that the core refuses. */
const codeOf = (core: Core, table: readonly Code[], word: string): number =>
  table.find(([, , name]) => name === word)?.[1] ?? core.abi.limits.none;

function infoOf({ n_kept, max, cut, mass, entropy, by_rounding }: Record<keyof StepInfo, number>): StepInfo {
  return { n_kept, max, cut, mass, entropy, by_rounding: by_rounding === 1 };
}

/** A place in the step at hand. */
type At = (inside: Path) => Place;

function recordOf(
  core: Core,
  arena: Arena,
  steps: readonly Step[],
  index: number,
  n: number,
  at: At,
): Record<string, number> {
  const [name, value, options = {}] = steps[index]!;
  if (!Object.hasOwn(core.abi.step, name))
    throw wrong(core, { path: at([0]).path, ...finding(name), allowed: Object.keys(core.abi.step).join(", ") });
  const { kind, shape } = core.abi.step[name]!,
    tie = tieOf(core, name, options, at),
    count = lastOf(core, name, options, at);
  if (typeof value === "number" && (shape === "value" || shape === "window")) return { kind, tie, value, count };
  if (typeof value === "number" && shape === "count" && isWhole(value)) return { kind, tie, count: value };
  if (typeof value === "number" || (shape !== "ids" && shape !== "pairs")) throw refusal(core, name, at([1]));
  const pairs = value.map(entry => (typeof entry === "number" ? [entry] : entry) as readonly number[]);
  pairs.forEach((pair, place) => {
    const [id, bias = 0] = pair,
      refused = (allowed: string) => wrong(core, { ...at([1, place]), ...finding(value[place]), allowed });
    if (pair.length !== (shape === "pairs" ? 2 : 1))
      throw refused(shape === "pairs" ? "a pair of id and bias" : "an id");
    if (!isWhole(id, n)) throw refused(`ids of the logits, 0 to ${n - 1}`);
    if (bias !== -Infinity && !Number.isFinite(Math.fround(bias)))
      throw refused("a bias that a 32-bit float holds, or -inf, which removes the id");
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
  at: At,
  takes: (rule: Rule) => boolean,
): void {
  if (options[option] === undefined || takes(core.abi.step[name]!)) return;
  const takers = Object.keys(core.abi.step).filter(known => takes(core.abi.step[known]!));
  throw wrong(core, { ...at([2, option]), wrong: "does nothing here", allowed: `${option} with ${takers.join(", ")}` });
}

function tieOf(core: Core, name: string, options: StepOptions, at: At): number {
  checkTaken(core, name, "tie", options, at, rule => rule.tie >= 0);
  const { tie } = options;
  if (tie === undefined) return Math.max(core.abi.step[name]!.tie, 0);
  const ties = core.abi.tie.filter(([code]) => code !== "TIE_INCLUSIVE"), // of the experiment
    known = ties.find(([, , word]) => word === tie);
  if (!known) throw wrong(core, { ...at([2, "tie"]), ...finding(tie), allowed: wordsOf(ties) });
  return known[1];
}

function lastOf(core: Core, name: string, options: StepOptions, at: At): number {
  checkTaken(core, name, "last", options, at, rule => rule.shape === "window");
  const { last = 0 } = options;
  if (isWhole(last)) return last;
  throw wrong(core, {
    ...at([2, "last"]),
    ...finding(last),
    allowed: "a whole number from 0 to 4294967295; 0 for the whole context",
  });
}

const wrong = (core: Core, fault: Fault): SmpError => refusal(core, "", fault);
