// The eval operations of engines: one of them on a row, and several of them compared.
import { lineOf } from "./answer.ts";
import { gap, probabilities, type Distribution } from "./compare.ts";
import { drawFrom, engine, penalised, seeded, type EngineOptions, type EngineResult, type Sampler, type Settings } from "./engine.ts";
import { listed } from "./listed.ts";
import type { Core } from "./module.ts";
import { bad, isPlain, list, logitsOf, number, numbers, shown, word, type Json, type ReadLogits, type Request } from "./request.ts";

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

/** One engine: what it keeps, what it draws with, and the ids that it draws for a seed. */
export function evaluateEngine(core: Core, request: Request, read: ReadLogits): Json {
  const name = word(request, "engine", ""), logits = logitsOf(request, read), options = optionsOf(request);
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

const tracedBy = ({ trace }: EngineResult): { [key: string]: Json } => (trace ? { trace: { ...trace, rows: trace.rows.map(row => ({ ...row })) } } : {});

/** How far the answer is to be trusted: run or read, and which versions its last bits and orders belong to. */
function checked(core: Core, name: string): { [key: string]: Json } {
  const { how, version } = core.abi.profile[name]!;
  return { checked: how!, version: version! };
}

/** Several engines, and how far each pair of them is apart. */
export function evaluateCompare(core: Core, request: Request, read: ReadLogits): Json {
  const logits = logitsOf(request, read), options = optionsOf(request);
  const names = list(request, "engines").map((name, index) => {
    if (typeof name !== "string") throw bad("engines", `engines[${index}]: ${shown(name)}; allowed: a name of an engine`, index);
    return name;
  });
  if (names.length < 1) throw bad("engines", "engines: found []; allowed: at least one name of an engine");
  const runs = names.map(name => ({ name, ...run(core, name, logits, options) }));
  const pairs = runs.flatMap((first, index) => runs.slice(index + 1).map(second => [first, second] as const));
  return {
    engines: runs.map(({ name, result, distribution }) => ({
      engine: name,
      n_kept: distribution ? distribution.ids.length : 0,
      ...(distribution ? listed(distribution.ids, distribution.p) : {}),
      by_rounding: result.by_rounding,
      ...tracedBy(result),
      ...(distribution ? drawnIfReplayed({ core, name, logits, options, request }, result) : {}),
      ignored: [...result.ignored],
      error: result.refusal || null,
      ...checked(core, name),
    })),
    pairs: pairs.map(([first, second]) => ({ engines: [first.name, second.name], ...pairOf(core, first, second) })),
  };
}

/** What evaluateLine answers to a request to compare, for callers that ask nothing else. */
export const compareLine = (core: Core, request: Request, read: ReadLogits): string => lineOf(() => evaluateCompare(core, request, read));

function pairOf(core: Core, first: Run, second: Run): { [key: string]: Json } {
  if (!first.distribution || !second.distribution) return { error: first.result.refusal || second.result.refusal };
  const { total_variation, max_difference, max_id, only_p, only_q, n_only_p, n_only_q } = gap(core, first.distribution, second.distribution);
  const only = (mass: number, count: number, of: Distribution, other: Distribution): Json => ({ n: count, mass, ...onlyIn(of, other) });
  return {
    tv: total_variation,
    max_diff: max_difference,
    max_id,
    n_kept: [first.distribution.ids.length, second.distribution.ids.length],
    only: [only(only_p, n_only_p, first.distribution, second.distribution), only(only_q, n_only_q, second.distribution, first.distribution)],
    by_rounding: first.result.by_rounding || second.result.by_rounding,
  };
}

/** The candidates of one distribution that the other has not, listed as any. */
function onlyIn({ ids, p }: Distribution, other: Distribution): { [key: string]: Json } {
  const known = new Set(other.ids), places = Array.from(ids.keys()).filter(place => !known.has(ids[place]!));
  const lists = listed(places.map(place => ids[place]!), places.map(place => p[place]!));
  return "kept" in lists ? { ids: lists.kept, probs: lists.probs } : lists;
}

function run(core: Core, name: string, logits: Float32Array, options: EngineOptions): Run {
  const result = engine(core, name, logits, options);
  return { result, distribution: result.refusal ? null : probabilities(core, result) };
}

/** What is drawn from, and for what seed. */
type Source = { readonly core: Core; readonly name: string; readonly logits: Float32Array; readonly options: EngineOptions; readonly request: Request };

/** Runs of `xtc` that are listed, one for each draw. */
const RUNS = 100;

/** The ids that the engine draws for the seed of the request or of its `dist`, and how many words of its generator that took.
    With `xtc`, also what each of them was drawn from. */
function drawn({ core, name, logits, options, request }: Source, { generator }: EngineResult): { [key: string]: Json } {
  const seed = seedOf(request, options), { draws = 1 } = request;
  if (seed === undefined) {
    if (request.draws === undefined) return {};
    throw bad("seed", "seed: missing; allowed: a decimal string, where there are draws");
  }
  if (typeof seed !== "string" && !Number.isSafeInteger(seed)) throw bad("seed", `seed: ${shown(seed)}; allowed: a decimal string, because no number holds 2^64 - 1`);
  const runs: Json[] = [], list = (result: EngineResult): void => {
    if (runs.length === RUNS) return;
    const { ids, p } = probabilities(core, result);
    runs.push({ n_kept: ids.length, ...listed(ids, p) });
  };
  const { ids, rng } = drawFrom(core, name, logits, options, seeded(core, generator, String(seed)), number(draws, "draws"), list);
  return { ids: [...ids], words: rng.words, ...(runs.length ? { runs } : {}) };
}

/** That of the request, or of llama.cpp's `dist`; not two. */
function seedOf({ seed }: Request, { samplers = [] }: EngineOptions): Json | undefined {
  const own = samplers.flatMap(([name, number]) => (name === "dist" ? [number as number] : []))[0];
  if (seed !== undefined && own !== undefined && String(seed) !== String(own)) throw bad("seed", `seed: ${shown(seed)}, and ${own} in dist; allowed: one seed`);
  return seed ?? own;
}

/** Beside others, an engine whose draws are not replayed is no error. */
function drawnIfReplayed(source: Source, result: EngineResult): { [key: string]: Json } {
  if (result.generator !== "" || source.request.seed === undefined) return drawn(source, result);
  return { ids: null, words: null };
}

/** `[id, logit]` of every entry that the engine's penalty has changed, or those of its samplers on the row as it was given. */
function changed(core: Core, name: string, logits: Float32Array, options: EngineOptions): Json[] {
  const after = options.samplers ? penalisedBy(core, name, logits, options, options.samplers) : penalised(core, name, logits, options);
  return Array.from(logits.keys()).flatMap(id => (after[id] === logits[id] ? [] : [[id, after[id]!]]));
}

function penalisedBy(core: Core, name: string, logits: Float32Array, options: EngineOptions, all: readonly Sampler[]): Float32Array {
  const samplers = all.filter(([kind]) => kind === "penalties" || kind === "dry"), after = logits.slice();
  const { trace, ...others } = options, { array } = engine(core, name, logits, { ...others, samplers, array: true });
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
    settingsOnly: request.settings_only === true,
    ...(request.spec === undefined ? {} : { samplers: list(request, "spec") as unknown as Sampler[] }), // the call looks at each
    ...(request.trace === undefined ? {} : { trace: traceOf(request) }),
    variants: request.replacement === true ? [...variants, "replacement"] : variants,
  };
}

function traceOf({ trace }: Request): NonNullable<EngineOptions["trace"]> {
  if (!isPlain(trace) || typeof trace.setting !== "string") throw bad("trace", `trace: ${shown(trace)}; allowed: an object such as {"setting":"top_p","ids":[0,1]}`);
  return { setting: trace.setting, ids: numbers(trace as Request, "ids") };
}

function settingsOf(request: Request): Settings {
  const { settings = {} } = request;
  if (!isPlain(settings)) throw bad("settings", `settings: ${shown(settings)}; allowed: an object such as {"temperature":0.7,"top_k":40}`);
  const { greedy = request.greedy ?? false, ...rest } = settings;
  if (typeof greedy !== "boolean") throw bad("settings", `greedy: ${shown(greedy)}; allowed: true or false`);
  const numeric = Object.entries(rest).map(([key, value]) => [key, number(value, key)]);
  return { ...(Object.fromEntries(numeric) as Settings), greedy };
}
