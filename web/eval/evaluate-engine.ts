// The eval operations of engines: one of them on a row, and several of them compared.
import { lineOf } from "./answer.ts";
import { gap, probabilities, type Distribution } from "../core/compare.ts";
import {
  drawFrom,
  engine,
  penalised,
  seeded,
  type EngineOptions,
  type EngineResult,
  type Sampler,
  type Settings,
} from "../core/engine.ts";
import { SmpError } from "../core/error.ts";
import { listed } from "./listed.ts";
import type { Core } from "../core/module.ts";
import {
  bad,
  isPlain,
  list,
  logitsOf,
  number,
  numbers,
  short,
  shown,
  word,
  type Json,
  type ReadLogits,
  type Request,
} from "./request.ts";

/** What `engine` and `compare` both take. */
export const ENGINE_FIELDS = {
  logits: "optional",
  logits_file: "optional",
  settings: "optional",
  context: "optional",
  seed: "optional",
  draws: "optional",
  settings_only: "optional",
  greedy: "optional",
  constructor: "optional",
  generator: "optional",
  replacement: "optional",
  spec: "optional",
  trace: "optional",
} as const;

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
  const turns = names.map((name): Turn => turnOf(core, name, logits, options));
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
  const names = list(request, "engines"),
    known = core.abi.engine.map(([, , name]) => name),
    all = known.join(", ");
  if (names.length < 1) throw bad("engines", `engines: found []; allowed: at least one of ${all}`);
  return names.map((name, index) => {
    if (typeof name !== "string" || !known.includes(name))
      throw bad("engines", `engines[${index}]: ${shown(name)}; allowed: ${all}`, index);
    if (names.indexOf(name) < index)
      throw bad("engines", `engines[${index}]: ${shown(name)} again; allowed: each engine once`, index);
    return name;
  });
}

/** Arguments that one engine takes and another does not. What is wrong with any other is wrong for all of them. */
const OWN = /^(temperature|repetition_penalty|generator)$/,
  SHARED = /^(row|context|trace|setting|engine)$/;

function turnOf(core: Core, name: string, logits: Float32Array, options: EngineOptions): Turn {
  try {
    const made = run(core, name, logits, options);
    return { name, run: made, error: made.result.refusal || null };
  } catch (error) {
    if (!(error instanceof SmpError)) throw error;
    const { param } = error.where,
      value = options.settings?.[param as keyof Settings] ?? 0;
    if (!(options.samplers ? !SHARED.test(param) : OWN.test(param) && Number.isFinite(value))) throw error;
    return { name, run: null, error: error.message };
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
    if (error instanceof SmpError && error.where.param === "seed") return error;
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
  const seed = seedOf(request, options),
    { draws = 1 } = request;
  if (seed === undefined) {
    if (request.draws === undefined) return {};
    throw bad("seed", "seed: missing; allowed: a decimal string, where there are draws");
  }
  if (typeof seed !== "string" && !Number.isSafeInteger(seed))
    throw bad("seed", `seed: ${shown(seed)}; allowed: a decimal string, because no number holds 2^64 - 1`);
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
    seeded(core, generator, String(seed)),
    number(draws, "draws"),
    list,
  );
  return { ids: [...ids], words: rng.words, ...(runs.length ? { runs } : {}) };
}

/** That of the request, or of llama.cpp's `dist`; not two. */
function seedOf({ seed }: Request, { samplers = [] }: EngineOptions): Json | undefined {
  const own = samplers.flatMap(([name, number]) => (name === "dist" ? [number as number] : []))[0];
  if (seed !== undefined && own !== undefined && String(seed) !== String(own))
    throw bad("seed", `seed: ${shown(seed)}, and ${own} in dist; allowed: one seed`);
  return seed ?? own;
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

const VARIANTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  constructor: { new: ["new"], from_sampling: [] },
  generator: { torch: [], "torch-mkl": ["torch-mkl"] },
};

function optionsOf(request: Request): EngineOptions {
  const variants = Object.entries(VARIANTS).flatMap(([key, choices]) => {
    const found = Object.hasOwn(request, key) ? request[key] : undefined;
    if (found === undefined) return [];
    const chosen = typeof found === "string" && Object.hasOwn(choices, found) ? choices[found] : undefined;
    if (!chosen) throw bad(key, `${key}: ${shown(found)}; allowed: ${Object.keys(choices).join(", ")}`);
    return chosen;
  });
  return {
    settings: settingsOf(request),
    context: request.context === undefined ? [] : numbers(request, "context"),
    settingsOnly: settingsOnlyOf(request),
    ...(request.spec === undefined ? {} : { samplers: list(request, "spec") as unknown as Sampler[] }), // the call looks at each
    ...(request.trace === undefined ? {} : { trace: traceOf(request) }),
    variants: request.replacement === true ? [...variants, "replacement"] : variants,
  };
}

function settingsOnlyOf({ settings_only: only = false, spec }: Request): boolean {
  if (only && spec !== undefined)
    throw bad(
      "settings_only",
      "settings_only: does nothing beside spec, which takes no defaults; allowed: one of the two",
    );
  return only === true;
}

function traceOf({ trace }: Request): NonNullable<EngineOptions["trace"]> {
  if (!isPlain(trace) || typeof trace.setting !== "string")
    throw bad("trace", `trace: ${shown(trace)}; allowed: an object such as {"setting":"top_p","ids":[0,1]}`);
  const { setting, ids, ...more } = trace,
    [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw bad("trace", `trace: no such field as ${shown(unknown).slice(6)}; allowed: setting, ids`);
  return { setting, ids: numbers({ ids: ids! }, "ids", "trace.ids") };
}

function settingsOf(request: Request): Settings {
  const { settings = {} } = request;
  if (!isPlain(settings))
    throw bad("settings", `settings: ${shown(settings)}; allowed: an object such as {"temperature":0.7,"top_k":40}`);
  const { greedy = request.greedy ?? false, ...rest } = settings;
  if (settings.greedy !== undefined && request.greedy !== undefined)
    throw bad("greedy", "greedy: given twice, beside the settings and among them; allowed: once");
  if (typeof greedy !== "boolean") throw bad("settings", `settings.greedy: ${shown(greedy)}; allowed: true or false`);
  const numeric = Object.entries(rest).map(([key, value]) => [
    key,
    number(value, key, undefined, `settings.${short(key)}`),
  ]);
  return { ...(Object.fromEntries(numeric) as Settings), greedy };
}
