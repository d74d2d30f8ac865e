// The eval operations of stop protocols: a batch, and one prompt.
import type { Core } from "../core/module.ts";
import { stop, stopOne, type Cell, type Rule } from "../core/stop.ts";
import { at, list, number, numbers, word, type Json, type Request } from "./request.ts";

export function evaluateStop(core: Core, request: Request): Json {
  const rows = list(request.candidates, at("candidates")).map((row, index) => numbers(row, at("candidates", index)));
  const {
    cells,
    rows: ends,
    columns,
    pad,
    lost,
    lost_eos,
    junk,
    idle,
  } = stop(core, rows, {
    ...limits(request),
    pad: number(request.pad, at("pad")),
    rule: word(request, "rule", "latch") as Rule,
  });
  const appended = cells.map(row => row.slice(0, columns));
  const column = (step: number, key: keyof Cell): Json => appended.map(row => row[step]![key]);
  return {
    new_tokens: appended.map(row => row.map(cell => cell.appended)),
    finish: ends.map(end => end.finish),
    stop_step: ends.map(end => end.step),
    steps: Array.from({ length: columns }, (_, step) => ({
      candidate: column(step, "candidate"),
      finished_before: column(step, "before"),
      appended: column(step, "appended"),
      finished_after: column(step, "after"),
      batch_finished: appended[0]![step]!.batch,
    })),
    counters: { pad, lost, lost_eos, junk, idle },
  };
}

export function evaluateStopOne(core: Core, request: Request): Json {
  return stopOne(core, numbers(request.prompt, at("prompt")), numbers(request.candidates, at("candidates")), {
    ...limits(request),
    keepEos: request.keep_eos === true,
  });
}

/** The EOS set, as a list, one id or none, and the limit. */
function limits({ eos, max_new_tokens }: Request): { eos: number[]; maxNewTokens: number } {
  const ids = eos ?? [];
  return {
    eos: Array.isArray(ids) ? numbers(ids, at("eos")) : [number(ids, at("eos"))],
    maxNewTokens: number(max_new_tokens, at("max_new_tokens")),
  };
}
