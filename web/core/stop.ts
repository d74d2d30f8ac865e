// Typed calls of the stop protocols.
import { choice, count, textOf } from "./checks.ts";
import type { Words } from "./error.ts";
import { withArena, type Core } from "./module.ts";

export type Rule = "latch" | "any" | "same-step" | "scalar" | "single";
export type Finish = "none" | "eos" | "length" | "cut";
export type Role = "none" | "token" | "eos" | "pad" | "junk" | "lost" | "lost-eos";

export type StopOptions = {
  /** Ids that end a row; none may be given. */
  readonly eos: readonly number[];
  /** Id of PAD; may be one of the EOS ids. */
  readonly pad: number;
  readonly maxNewTokens: number;
  /** Default `latch`, the right one. */
  readonly rule?: Rule;
  /** Pause after so many steps; default: the whole run. */
  readonly steps?: number;
};

/** One row in one step: fields as in smp_stop_cell. */
export type Cell = {
  /** null behind the end of a row that is shorter than the run. */
  readonly candidate: number | null;
  readonly before: boolean;
  /** null where nothing was appended. */
  readonly appended: number | null;
  readonly after: boolean;
  readonly batch: boolean;
  readonly role: Role;
};

export type RowEnd = { readonly answer: number; readonly finish: Finish; readonly step: number };

/** Counters as in smp_stop_result; `cells[row][step]`, for every step up to the limit. */
export type StopResult = Readonly<
  Record<"columns" | "finished" | "pad" | "lost" | "lost_eos" | "junk" | "idle", number>
> & {
  readonly stopped: boolean;
  readonly cells: readonly (readonly Cell[])[];
  readonly rows: readonly RowEnd[];
};

/** Generate a batch with known candidates, a row each, under a rule; a row that ends with an EOS may be shorter than
    the limit, except under same-step, where it would go on. Throws SmpError. */
export function stop(core: Core, candidates: readonly (readonly number[])[], options: StopOptions): StopResult {
  const { stopRows, stopTokens, none } = core.abi.limits,
    limit = count(core, "max_new_tokens", options.maxNewTokens, "maxNewTokens");
  // what is too large to be copied the core refuses by its lengths alone
  const fits =
    candidates.length <= stopRows && limit <= stopTokens && candidates.every(row => row.length <= stopTokens);
  const ids = (fits ? candidates : []).flatMap((row, at) =>
    row.map((id, place) => count(core, "candidates", id, "candidates", at, place)),
  );
  return withArena(
    core,
    arena => {
      const n = candidates.length,
        size = fits ? n * limit : 0;
      const cells = arena.room("smp_stop_cell", size),
        ends = arena.room("smp_stop_row", fits ? n : 0),
        result = arena.room("smp_stop_result");
      const settings = arena.write("smp_stop_options", {
        max_new_tokens: limit,
        pad: count(core, "pad", options.pad),
        rule: choice(core, core.abi.rule, "rule", options.rule ?? "latch"),
        steps: options.steps ?? limit,
      });
      const lengths = arena.u32(candidates.slice(0, stopRows).map(row => row.length));
      arena.check(
        "smp_stop_run",
        arena.u32(ids),
        lengths,
        n,
        ...eosSet(core, arena, options.eos),
        settings,
        cells,
        ends,
        result,
      );

      const cell = (index: number): Cell => {
        const { candidate, before, appended, after, batch, role } = arena.numbers<keyof Cell>(
          "smp_stop_cell",
          cells,
          index,
        );
        return {
          candidate: candidate === none ? null : candidate,
          before: !!before,
          appended: appended === none ? null : appended,
          after: !!after,
          batch: !!batch,
          role: textOf(core.abi.role, role) as Role,
        };
      };
      const { stopped, ...counters } = arena.numbers<Exclude<keyof StopResult, "cells" | "rows">>(
        "smp_stop_result",
        result,
      );
      return {
        ...counters,
        stopped: !!stopped,
        cells: candidates.map((_, row) => Array.from({ length: limit }, (_, step) => cell(step * n + row))),
        rows: candidates.map((_, row) => {
          const { answer, finish, step } = arena.numbers<keyof RowEnd>("smp_stop_row", ends, row);
          return { answer, finish: textOf(core.abi.finish, finish) as Finish, step };
        }),
      };
    },
    batchWords(candidates, stopRows),
  );
}

/** The core has the rows of a batch end to end, and the place of an id among all of them. */
const batchWords =
  (candidates: readonly (readonly number[])[], most: number): Words =>
  (param, _, index) => {
    if (param === "rows")
      return { path: candidates.length && candidates.length <= most ? ["candidates", index] : ["candidates"] };
    if (param !== "candidates") return limitWords(param, [], index);
    let row = 0,
      place = index;
    while (place >= candidates[row]!.length) place -= candidates[row++]!.length;
    return { path: ["candidates", row, place] };
  };

const limitWords: Words = param => (param === "max_new_tokens" ? { path: ["maxNewTokens"] } : undefined);

export type StopOneOptions = {
  readonly eos: readonly number[];
  readonly maxNewTokens: number;
  /** Whether the EOS is returned as well; default false. */
  readonly keepEos?: boolean;
};

/** The protocol for one prompt: the prompt with its answer, and why it ended. Throws SmpError. */
export function stopOne(
  core: Core,
  prompt: readonly number[],
  candidates: readonly number[],
  options: StopOneOptions,
): { ids: number[]; finish: Finish } {
  const { stopTokens } = core.abi.limits;
  const checked = (name: string, ids: readonly number[]) =>
    (ids.length <= stopTokens ? ids : []).map((id, index) => count(core, name, id, name, index));
  return withArena(
    core,
    arena => {
      const out = arena.take(8 * stopTokens),
        length = arena.take(4),
        finish = arena.take(4);
      const limit = count(core, "max_new_tokens", options.maxNewTokens, "maxNewTokens"),
        eos = eosSet(core, arena, options.eos);
      const from = arena.u32(checked("prompt", prompt)),
        chosen = arena.u32(checked("candidates", candidates));
      arena.check(
        "smp_stop_one",
        from,
        prompt.length,
        chosen,
        candidates.length,
        ...eos,
        limit,
        options.keepEos ? 1 : 0,
        out,
        length,
        finish,
      );
      const view = new DataView(core.memory.buffer);
      return {
        ids: Array.from(new Uint32Array(core.memory.buffer, out, view.getUint32(length, true))),
        finish: textOf(core.abi.finish, view.getUint32(finish, true)) as Finish,
      };
    },
    oneWords,
  );
}

/** One prompt is no batch. */
const oneWords: Words = (param, entry, index) =>
  param === "rows" ? { path: ["candidates"] } : limitWords(param, entry, index);

/** The arguments for a set of EOS ids. One that is too large the core refuses by its length. */
function eosSet(
  core: Core,
  arena: { u32(values: readonly number[]): number },
  eos: readonly number[],
): [at: number, length: number] {
  const checked = eos.slice(0, core.abi.limits.stopEos).map((id, index) => count(core, "eos", id, "eos", index));
  return [arena.u32(checked), eos.length];
}
