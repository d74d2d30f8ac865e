// The eval operations of engines: one of them on a row, and several of them compared.
import { wordsOf } from "../core/checks.ts";
import { gap, probabilities, type Distribution } from "../core/compare.ts";
import { drawFrom, engine, penalised, seededAt } from "../core/engine.ts";
import type { EngineOptions, EngineResult, Sampler } from "../core/engine.ts";
import { SmpError } from "../core/error.ts";
import type { Core } from "../core/module.ts";
import { finding } from "../core/place.ts";
import { lineOf } from "./answer.ts";
import { optionsOf, seedIn } from "./engine-request.ts";
import { explained } from "./explain.ts";
import { listed } from "./listed.ts";
import { at, bad, list, logitsOf, number, word, type Json, type ReadLogits, type Request } from "./request.ts";

type Run = { readonly result: EngineResult; readonly distribution: Distribution | null };
/** One of several: its run, or why it cannot be run. */
type Turn = { readonly name: string; readonly run: Run | null; readonly error: string | null };

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
    ...drawn({ core, name, logits, options, request }, result),
    by_rounding,
    ...tracedBy(result),
    ignored: [...ignored],
    error: null,
    ...checked(core, name),
  };
}

const tracedBy = ({ trace }: EngineResult): { [key: string]: Json } =>
  trace ? { trace: { ...trace, rows: trace.rows.map(row => ({ ...row })) } } : {};

/** How far the answer is to be trusted: run or read, and which versions its last bits and orders belong to. */
function checked(core: Core, name: string): { [key: string]: Json } {
  const { how, version } = core.abi.profile[name]!;
  return { checked: how!, version: version! };
}

/** Several engines, each answering for itself, and how far each pair of them is apart. */
export function evaluateCompare(core: Core, request: Request, read: ReadLogits): Json {
  const logits = logitsOf(request, read),
    options = optionsOf(request),
    names = enginesOf(core, request);
  const turns = names.map((name): Turn => turnOf(core, name, logits, options, request));
  const draws = drawnByAll(turns.map(turn => ({ turn, source: { core, name: turn.name, logits, options, request } })));
  const pairs = turns.flatMap((first, index) => turns.slice(index + 1).map(second => [first, second] as const));
  return {
    engines: turns.map(({ name, run, error }, index) => ({
      engine: name,
      n_kept: run?.distribution ? run.distribution.ids.length : 0,
      ...(run?.distribution ? listed(run.distribution.ids, run.distribution.p) : {}),
      by_rounding: run ? run.result.by_rounding : false,
      ...(run ? tracedBy(run.result) : {}),
      ...draws[index],
      ignored: run ? [...run.result.ignored] : [],
      error,
      ...checked(core, name),
    })),
    pairs: pairs.map(([first, second]) => ({ engines: [first.name, second.name], ...pairOf(core, first, second) })),
  };
}

function enginesOf(core: Core, request: Request): string[] {
  const names = list(request.engines, at("engines")),
    known = core.abi.engine.map(([, , name]) => name),
    all = wordsOf(core.abi.engine);
  if (names.length < 1) throw bad({ ...at("engines"), ...finding(names), allowed: `at least one of ${all}` });
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

/** Whether an argument is one that one engine takes and another does not. What is wrong with any other is wrong for all. */
function isOwn([field, name]: SmpError["path"], { samplers, settings = {} }: EngineOptions): boolean {
  if (field === "samplers" || field === "variants") return true;
  if (samplers || field !== "settings" || (name !== "temperature" && name !== "repetition_penalty")) return false;
  return Number.isFinite(settings[name] ?? 0);
}

function turnOf(core: Core, name: string, logits: Float32Array, options: EngineOptions, request: Request): Turn {
  try {
    const made = run(core, name, logits, options);
    return { name, run: made, error: made.result.refusal || null };
  } catch (error) {
    if (!(error instanceof SmpError) || !isOwn(error.path, options)) throw error;
    return { name, run: null, error: explained(error, request).message };
  }
}

type Draws = { ids: Json; words: Json; runs?: Json; draws_error?: string } | Record<string, never>;

/** What each draws. A seed that only some of them take is a word about the others; one that none takes is an error. */
function drawnByAll(all: readonly { readonly turn: Turn; readonly source: Source }[]): Draws[] {
  const draws = all.map(({ turn: { run }, source }) => (run?.distribution ? drawnUnlessSeed(source, run.result) : {}));
  const refused = draws.filter(each => each instanceof SmpError),
    taken = draws.filter(each => !(each instanceof SmpError) && each.ids);
  if (refused.length && !taken.length) throw refused[0]!;
  return draws.map(each => (each instanceof SmpError ? { ids: null, words: null, draws_error: each.message } : each));
}

function drawnUnlessSeed(source: Source, result: EngineResult): Draws | SmpError {
  try {
    return drawnIfReplayed(source, result);
  } catch (error) {
    if (error instanceof SmpError && error.where.param === "seed") return explained(error, source.request);
    throw error;
  }
}

/** What evaluateLine answers to a request to compare, for callers that ask nothing else. */
export const compareLine = (core: Core, request: Request, read: ReadLogits): string =>
  lineOf(() => evaluateCompare(core, request, read));

function pairOf(
  core: Core,
  { run: first, error: wrong }: Turn,
  { run: second, error: other }: Turn,
): { [key: string]: Json } {
  if (!first?.distribution || !second?.distribution) return { error: wrong ?? other };
  const { total_variation, max_difference, max_id, only_p, only_q, n_only_p, n_only_q } = gap(
    core,
    first.distribution,
    second.distribution,
  );
  const only = (mass: number, count: number, of: Distribution, other: Distribution): Json => ({
    n: count,
    mass,
    ...onlyIn(of, other),
  });
  return {
    tv: total_variation,
    max_diff: max_difference,
    max_id,
    n_kept: [first.distribution.ids.length, second.distribution.ids.length],
    only: [
      only(only_p, n_only_p, first.distribution, second.distribution),
      only(only_q, n_only_q, second.distribution, first.distribution),
    ],
    by_rounding: first.result.by_rounding || second.result.by_rounding,
  };
}

/** The candidates of one distribution that the other has not, listed as any. */
function onlyIn({ ids, p }: Distribution, other: Distribution): { [key: string]: Json } {
  const known = new Set(other.ids),
    places = Array.from(ids.keys()).filter(place => !known.has(ids[place]!));
  const lists = listed(
    places.map(place => ids[place]!),
    places.map(place => p[place]!),
  );
  return "kept" in lists ? { ids: lists.kept, probs: lists.probs } : lists;
}

function run(core: Core, name: string, logits: Float32Array, options: EngineOptions): Run {
  const result = engine(core, name, logits, options);
  return { result, distribution: result.refusal ? null : probabilities(core, result) };
}

/** What is drawn from, and for what seed. */
type Source = {
  readonly core: Core;
  readonly name: string;
  readonly logits: Float32Array;
  readonly options: EngineOptions;
  readonly request: Request;
};

/** Runs of `xtc` that are listed, one for each draw. */
const RUNS = 100;

/** The ids that the engine draws for the seed of the request or of its `dist`, and how many words of its generator that took.
    With `xtc`, also what each of them was drawn from. */
function drawn({ core, name, logits, options, request }: Source, { generator }: EngineResult): Draws {
  const seed = seedIn(request, options),
    { draws = 1 } = request;
  if (seed === undefined) {
    if (request.draws === undefined) return {};
    throw bad({ ...at("seed"), ...finding(undefined), allowed: "a decimal string, where there are draws" });
  }
  const runs: Json[] = [],
    list = (result: EngineResult): void => {
      if (runs.length === RUNS) return;
      const { ids, p } = probabilities(core, result);
      runs.push({ n_kept: ids.length, ...listed(ids, p) });
    };
  const { ids, rng } = drawFrom(
    core,
    name,
    logits,
    options,
    seededAt(core, generator, seed.text, seed.place),
    number(draws, at("draws")),
    list,
  );
  return { ids: [...ids], words: rng.words, ...(runs.length ? { runs } : {}) };
}

/** Beside others, an engine whose draws are not replayed is no error. */
function drawnIfReplayed(source: Source, result: EngineResult): Draws {
  if (result.generator !== "" || source.request.seed === undefined) return drawn(source, result);
  return { ids: null, words: null };
}

/** `[id, logit]` of every entry that the engine's penalty has changed, or those of its samplers on the row as it was given. */
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
