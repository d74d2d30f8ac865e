// The eval operations of engines: one of them on a row, and several of them compared.
import { wordsOf } from "../core/checks.ts";
import { engine, penalised, type EngineOptions, type Sampler } from "../core/engine.ts";
import type { Core } from "../core/module.ts";
import { finding } from "../core/place.ts";
import { lineOf, type Json } from "./answer.ts";
import { checked, compared, drawn, run, tracedBy, type Wanted } from "./compared.ts";
import { optionsOf, seedIn } from "./engine-request.ts";
import { explained } from "./explain.ts";
import { listed } from "./listed.ts";
import { at, bad, list, logitsOf, number, word, type ReadLogits, type Request } from "./request.ts";

/** One engine: what it keeps, what it draws with, and the ids that it draws for a seed. */
export function evaluateEngine(core: Core, request: Request, read: ReadLogits): Json {
  const name = word(request, "engine", ""),
    logits = logitsOf(request, read),
    options = optionsOf(request);
  const { result, distribution } = run(core, name, logits, options);
  const { refusal, by_rounding, ignored } = result;
  if (!distribution) return { error: refusal, ignored: [...ignored], ...checked(core, name) };
  return {
    n_kept: distribution.ids.length,
    ...listed(distribution.ids, distribution.p),
    changed: changed(core, name, logits, options),
    ...drawn({ core, name, logits, options, wanted: () => wantedIn(request, options) }, result),
    by_rounding,
    ...tracedBy(result),
    ignored: [...ignored],
    error: null,
    ...checked(core, name),
  };
}

/** Several engines, each answering for itself, and how far each pair of them is apart. */
export function evaluateCompare(core: Core, request: Request, read: ReadLogits): Json {
  const logits = logitsOf(request, read),
    options = optionsOf(request),
    names = enginesOf(core, request);
  return compared(core, {
    names,
    logits,
    options,
    wanted: () => wantedIn(request, options),
    own: request.seed === undefined,
    explain: error => explained(error, request),
  });
}

/** The draws that are asked for; null for none. */
function wantedIn(request: Request, options: EngineOptions): Wanted | null {
  const seed = seedIn(request, options),
    { draws = 1 } = request;
  if (seed) return { ...seed, draws: number(draws, at("draws")) };
  if (request.draws === undefined) return null;
  throw bad({ ...at("seed"), ...finding(undefined), allowed: "a decimal string, where there are draws" });
}

function enginesOf(core: Core, request: Request): string[] {
  const names = list(request.engines, at("engines")),
    known = core.abi.engine.map(([, , name]) => name),
    all = wordsOf(core.abi.engine);
  return names.map((found, index) => {
    if (typeof found !== "string" || !known.includes(found))
      throw bad({ ...at("engines", index), ...finding(found), allowed: all });
    if (names.indexOf(found) < index)
      throw bad({
        ...at("engines", index),
        ...finding(found, " again"),
        allowed: "each engine once",
      });
    return found;
  });
}

/** What evaluateLine answers to a request to compare, for callers that ask nothing else. */
export const compareLine = (core: Core, request: Request, read: ReadLogits): string =>
  lineOf(() => evaluateCompare(core, request, read));

/** `[id, logit]` of every entry that the engine's penalty has changed, or those of its samplers on the
    row as it was given. */
function changed(core: Core, name: string, logits: Float32Array, options: EngineOptions): Json[] {
  const after = options.samplers
    ? penalisedBy(core, name, logits, options, options.samplers)
    : penalised(core, name, logits, options);
  return Array.from(logits.keys()).flatMap(id => (after[id] === logits[id] ? [] : [[id, after[id]!]]));
}

function penalisedBy(
  core: Core,
  name: string,
  logits: Float32Array,
  options: EngineOptions,
  all: readonly Sampler[],
): Float32Array {
  const samplers = all.filter(([kind]) => kind === "penalties" || kind === "dry"),
    after = logits.slice();
  const { trace, ...others } = options,
    { array } = engine(core, name, logits, { ...others, samplers, array: true });
  array?.ids.forEach((id, place) => (after[id] = array.logits[place]!));
  return after;
}
