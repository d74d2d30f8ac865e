// Typed calls of the engines: the same logits through the rules of a real library, and the ids that it
// draws for a seed.
import { idsBelow, isWhole, logitsWords, refusal, textOf, wordsOf } from "./checks.ts";
import type { Place, Words } from "./error.ts";
import { withArena, type Arena, type Code, type Core, type Fields } from "./module.ts";
import { finding, stepPlace } from "./place.ts";
import { placeTrace, traceAt, traceWords, type Trace } from "./trace.ts";

/** In transformers' names; what is left out takes the engine's default. */
export type Settings = {
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
  readonly min_p?: number;
  readonly typical_p?: number;
  readonly epsilon_cutoff?: number;
  readonly eta_cutoff?: number;
  readonly top_h?: number;
  readonly repetition_penalty?: number;
  /** Penalties see so many ids at the end of the context; 0 for all, but for none in llama.cpp and exllamav2. */
  readonly repeat_last_n?: number;
  /** transformers: the first so many ids of the context are not penalised. */
  readonly prompt_ignore_length?: number;
  readonly greedy?: boolean;
};

/** One of llama.cpp's samplers and its numbers, as in `["top_p", 0.9, 1]`: names and order in smp_engines.h. The last
    of `xtc` and of `dist` is the seed of its own generator, a number or a decimal string; the last of `dry` are the ids
    that end a repetition (where its multiplier is 0, anything). */
export type Sampler = readonly [name: string, ...numbers: (number | string | readonly (number | string)[])[]];

export type EngineOptions = {
  readonly settings?: Settings;
  /** Ids so far, oldest first. */
  readonly context?: ArrayLike<number>;
  /** Take no default of the engine but what turns a rule off. */
  readonly settingsOnly?: boolean;
  /** `torch-mkl`, `replacement`, `batch`, `new`, `gumbel`. */
  readonly variants?: readonly string[];
  /** llama.cpp: run these instead of its chain for settings. */
  readonly samplers?: readonly Sampler[];
  /** llama.cpp: generators of the `xtc` samplers, in their order, as the last run left them; first they are seeded. */
  readonly xtc?: readonly Rng[];
  /** llama.cpp: the result has its array. */
  readonly array?: boolean;
  /** The result has what a filter (`top_k`, `top_p`, `min_p`) compared for these ids, 1 to 64 of them. */
  readonly trace?: { readonly setting: string; readonly ids: ArrayLike<number> };
};

/** llama.cpp's array as the samplers left it: also entries at -inf, which are no candidates. */
export type LlamaArray = {
  readonly ids: Uint32Array;
  readonly logits: Float32Array;
  /** As the last sampler that made probabilities stored them, or 0. */
  readonly p: Float32Array;
  readonly sorted: boolean;
};

export type EngineResult = {
  /** What the engine says instead of drawing; empty if it draws. Nothing else is set then. */
  readonly refusal: string;
  readonly by_rounding: boolean;
  /** Candidates, in the order in which the engine draws among them. */
  readonly kept: Uint32Array;
  /** What it draws with, not normalised. */
  readonly weights: Float32Array;
  readonly drawing: string;
  readonly generator: string;
  /** Settings that were given and that the engine does not have. */
  readonly ignored: readonly string[];
  /** llama.cpp: the generators of its `xtc` samplers after the run. */
  readonly xtc: readonly Rng[];
  readonly array?: LlamaArray;
  readonly trace?: Trace;
};

/** A generator's state; drawing makes another. */
export type Rng = { readonly bytes: Uint8Array; readonly words: number };

/** Run an engine on 1 to 2^20 logits. Throws SmpError. */
export function engine(core: Core, name: string, logits: Float32Array, options: EngineOptions = {}): EngineResult {
  return withArena(
    core,
    arena => {
      const n = logits.length,
        row = rowOf(core, arena, logits),
        ids = arena.take(4 * n),
        result = arena.room("smp_engine_result");
      const array = options.array ? roomForArray(arena, n) : 0,
        xtc: number[] = [],
        trace = options.trace ? placeTrace(core, arena, n, options.trace) : 0;
      const call = callOf(core, arena, name, n, options, { array, xtc, trace });
      arena.check("smp_engine_run", row, n, call, ids, result, arena.take(core.call.smp_engine_work_size!(n)));
      const { n_kept, by_rounding, refusal, drawing, generator, ignored } = arena.numbers<
        "n_kept" | "by_rounding" | "refusal" | "drawing" | "generator" | "ignored"
      >("smp_engine_result", result);
      return {
        refusal: filled(textOf(core.abi.refusal, refusal), { ...options.settings, n }),
        by_rounding: by_rounding === 1,
        kept: new Uint32Array(core.memory.buffer, ids, n_kept).slice(),
        weights: new Float32Array(core.memory.buffer, row, n_kept).slice(),
        drawing: textOf(core.abi.drawing, drawing),
        generator: textOf(core.abi.generator, generator),
        ignored: core.abi.setting.filter(([, bit]) => (ignored >> bit) & 1).map(([, , text]) => text),
        xtc: xtc.map(at => rngAt(core, arena, at)),
        ...(array && !refusal ? { array: arrayAt(core, arena, array) } : {}),
        ...(trace && !refusal ? { trace: traceAt(core, arena, trace) } : {}),
      };
    },
    engineWords(name, logits.length, options),
  );
}

/** What the caller wrote where the core names an argument of an engine. */
function engineWords(name: string, n: number, { settings, samplers, trace }: EngineOptions): Words {
  const ofTrace = traceWords(n, trace);
  return (param, entry, index) => {
    if (settings && Object.hasOwn(settings, param)) return { path: ["settings", param] };
    if (param === "generator") return { path: ["variants"], allowed: `one that ${name} has` };
    if (param === "samplers") return { path: samplers ? ["samplers", ...(index ? [index] : [])] : ["array"] };
    const kind = samplers?.[index]?.[0];
    if (kind !== undefined && param === kind) return stepPlace(["samplers", index], { name: kind, depth: 2 });
    return ofTrace(param, entry, index) ?? logitsWords(param, entry, index);
  };
}

/** What one setting comes to. */
export type SettingState = {
  /** What the engine works with; where the rule is off, what was given, or what turns it off. */
  readonly value: number;
  readonly on: boolean;
  /** `given`, `default`, `moved`; off: `unset`, `off`, `keeps-all`, `sees-none`, `absent`, `greedy`,
      `refused`, `not-followed`. */
  readonly why: string;
  /** What the engine says where it refuses the value. */
  readonly refusal: string;
};

/** For each setting what an engine works with on a row of n entries, or that it is off, and why. Throws SmpError. */
export function settingsInForce(
  core: Core,
  name: string,
  n: number,
  options: EngineOptions = {},
): Readonly<Record<keyof Settings, SettingState>> {
  return withArena(
    core,
    arena => {
      const { setting } = core.abi,
        states = arena.room("smp_setting_state", setting.length);
      arena.check("smp_engine_settings", callOf(core, arena, name, n, options), n, states);
      const stateOf = (bit: number): SettingState => {
        const { value, on, why, refusal } = arena.numbers<keyof SettingState>("smp_setting_state", states, bit);
        return {
          value,
          on: on === 1,
          why: textOf(core.abi.why, why),
          refusal: filled(textOf(core.abi.refusal, refusal), { ...options.settings, n }),
        };
      };
      return Object.fromEntries(setting.map(([, bit, text]) => [text, stateOf(bit)])) as Record<
        keyof Settings,
        SettingState
      >;
    },
    (param, entry, index) => (param === "row" ? { path: ["n"] } : engineWords(name, n, options)(param, entry, index)),
  );
}

/** The logits after the engine's penalties. Throws SmpError. */
export function penalised(core: Core, name: string, logits: Float32Array, options: EngineOptions = {}): Float32Array {
  return withArena(
    core,
    arena => {
      const n = logits.length,
        row = rowOf(core, arena, logits);
      arena.check(
        "smp_engine_penalise",
        row,
        n,
        callOf(core, arena, name, n, options),
        arena.take(core.call.smp_engine_work_size!(n)),
      );
      return new Float32Array(core.memory.buffer, row, n).slice();
    },
    engineWords(name, logits.length, options),
  );
}

/** A generator with a seed: a decimal string, because no number holds 2^64 - 1. Throws SmpError. */
export const seeded = (core: Core, generator: string, seed: string): Rng =>
  seededAt(core, generator, seed, { path: ["seed"] });

/** The same for a seed that stands elsewhere in what the caller wrote. */
export function seededAt(core: Core, generator: string, seed: string, at: Place): Rng {
  const value = seedOf(seed);
  if (value === null) throw refusal(core, "seed", { ...at, ...finding(seed) });
  return withArena(
    core,
    arena => {
      const rng = arena.room("smp_rng");
      arena.check(
        "smp_rng_seed",
        rng,
        valueOf(core, core.abi.generator, ["generator"], generator),
        Number(value & 0xffffffffn),
        Number(value >> 32n),
      );
      return rngAt(core, arena, rng);
    },
    () => ({ ...at, ...finding(seed) }),
  );
}

/** The next u of a generator, in [0, 1). */
export const uniform = (core: Core, rng: Rng): { readonly u: number; readonly rng: Rng } =>
  withArena(core, arena => {
    const at = placeRng(core, arena, rng);
    return { u: arena.call("smp_rng_uniform", at), rng: rngAt(core, arena, at) };
  });

/** A whole number from 0 to 2^64 - 1, written as decimal digits; else null. */
export function seedOf(text: string): bigint | null {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : 2n ** 64n;
  return value < 2n ** 64n ? value : null;
}

/** Draw ids one after the other among the candidates of a row of n entries. Throws SmpError. */
export function draw(
  core: Core,
  { drawing, kept, weights }: EngineResult,
  n: number,
  rng: Rng,
  draws: number,
): { readonly ids: Uint32Array; readonly rng: Rng } {
  checkDraws(core, draws);
  return withArena(
    core,
    arena => {
      const state = placeRng(core, arena, rng),
        out = arena.take(4 * draws);
      const kind = valueOf(core, core.abi.drawing, ["drawing"], drawing);
      arena.check("smp_engine_draw", kind, arena.u32(kept), arena.f32(weights), kept.length, n, state, out, draws);
      return { ids: new Uint32Array(core.memory.buffer, out, draws).slice(), rng: rngAt(core, arena, state) };
    },
    (param, entry) =>
      param === "row" ? { path: ["weights", ...entry] } : param === "generator" ? { path: ["rng"] } : undefined,
  );
}

/** What drawing from a row gave; with `xtc`, `result` is that of the last draw. */
export type Drawn = { readonly ids: Uint32Array; readonly rng: Rng; readonly result: EngineResult };

/** Run an engine and draw ids one after the other, none if it refuses. With `xtc` llama.cpp's samplers run again for
    each, and `each` sees what each draws from; `result.xtc` are the generators to go on with. Throws SmpError. */
export function drawFrom(
  core: Core,
  name: string,
  logits: Float32Array,
  options: EngineOptions,
  rng: Rng,
  draws: number,
  each: (result: EngineResult) => void = () => {},
): Drawn {
  checkDraws(core, draws);
  let result = engine(core, name, logits, options),
    state = rng;
  if (!result.refusal && !result.xtc.length) return { ...draw(core, result, logits.length, rng, draws), result };
  const ids: number[] = [];
  while (!result.refusal) {
    each(result);
    const drawn = draw(core, result, logits.length, state, 1);
    ids.push(drawn.ids[0]!);
    state = drawn.rng;
    if (ids.length === draws) break;
    result = engine(core, name, logits, { ...options, xtc: result.xtc });
  }
  return { ids: Uint32Array.from(ids), rng: state, result };
}

function checkDraws(core: Core, draws: number): void {
  if (!isWhole(draws, core.abi.limits.rowMax + 1) || draws < 1)
    throw refusal(core, "draws", { path: ["draws"], ...finding(draws) });
}

export function rngAt(core: Core, arena: Arena, at: number): Rng {
  const bytes = new Uint8Array(core.memory.buffer, at, arena.size("smp_rng")).slice();
  return { bytes, words: arena.numbers<"words">("smp_rng", at).words };
}

function rowOf(core: Core, arena: Arena, logits: Float32Array): number {
  const capacity = core.call.smp_row_capacity!(logits.length),
    row = arena.take(4 * capacity);
  // else the call says what is wrong
  if (capacity) new Float32Array(core.memory.buffer, row, logits.length).set(logits);
  return row;
}

export function placeRng(core: Core, arena: Arena, rng: Rng): number {
  const at = arena.room("smp_rng");
  new Uint8Array(core.memory.buffer, at, rng.bytes.length).set(rng.bytes);
  return at;
}

function roomForArray(arena: Arena, n: number): number {
  return arena.write("smp_llama_array", { ids: arena.take(4 * n), logits: arena.take(4 * n), p: arena.take(4 * n) });
}

function arrayAt(core: Core, arena: Arena, at: number): LlamaArray {
  const { ids, logits, p, n, sorted } = arena.numbers<"ids" | "logits" | "p" | "n" | "sorted">("smp_llama_array", at);
  const floats = (from: number): Float32Array => new Float32Array(core.memory.buffer, from, n).slice();
  return {
    ids: new Uint32Array(core.memory.buffer, ids, n).slice(),
    logits: floats(logits),
    p: floats(p),
    sorted: sorted === 1,
  };
}

const MOST_SAMPLERS = 64;

/** The address of the samplers; 0 where the settings count. */
function samplersOf(
  core: Core,
  arena: Arena,
  n: number,
  { samplers, xtc = [] }: EngineOptions,
  outputs: Outputs,
): number {
  if (samplers === undefined) return 0;
  if (!Array.isArray(samplers)) throw refusal(core, "samplers", { path: ["samplers"], ...finding(samplers) });
  const placed = samplers.slice(0, MOST_SAMPLERS + 1); // of too many the core needs only their number
  return arena.writeAll(
    "smp_sampler",
    placed.map((sampler: unknown, index) => samplerOf(core, arena, n, sampler, index, xtc, outputs)),
  );
}

function samplerOf(
  core: Core,
  arena: Arena,
  n: number,
  sampler: unknown,
  index: number,
  xtc: readonly Rng[],
  outputs: Outputs,
): Fields {
  const parts: readonly unknown[] = Array.isArray(sampler) ? sampler : [sampler],
    [first, ...numbers] = parts,
    row = core.abi.sampler.find(([, , known]) => known === first),
    path = ["samplers", index];
  if (!row) throw refusal(core, "samplers", { path, ...finding(sampler), allowed: wordsOf(core.abi.sampler) });
  const [, kind, name, names] = row,
    wanted = names.split(" ").filter(Boolean);
  const fits =
    numbers.length === wanted.length &&
    numbers.every((each, i) =>
      wanted[i] === "breakers"
        ? Array.isArray(each)
        : typeof each === "number" || (wanted[i] === "seed" && typeof each === "string"),
    );
  if (!fits) {
    const allowed = `[${[JSON.stringify(name), ...wanted].join(", ")}]`;
    throw refusal(core, name, { ...stepPlace(path, { name, depth: 2 }), ...finding(sampler), allowed });
  }
  const seed = (place: number): Rng =>
    seededAt(
      core,
      "mt19937-32",
      String(numbers[place]),
      stepPlace([...path, place + 1], { name, depth: 2, part: "seed" }),
    );
  if (name === "dist") seed(0); // refuses what is no seed
  const breakers = name === "dry" && numbers[0] !== 0 ? (numbers[4] as readonly number[]) : [];
  if (name === "xtc") outputs.xtc.push(placeRng(core, arena, xtc[outputs.xtc.length] ?? seed(3)));
  return {
    kind,
    number: numbers.filter((_, i) => wanted[i] !== "breakers" && wanted[i] !== "seed") as number[],
    rng: name === "xtc" ? outputs.xtc.at(-1)! : 0,
    ids: arena.u32(idsBelow(core, n, breakers)),
    n_ids: breakers.length,
  };
}

/** Addresses of what a call gives besides its result: the array and the trace or 0, and the generators,
    which writing the call adds. */
type Outputs = { readonly array: number; readonly xtc: number[]; readonly trace: number };

function callOf(
  core: Core,
  arena: Arena,
  name: string,
  n: number,
  options: EngineOptions,
  outputs: Outputs = { array: 0, xtc: [], trace: 0 },
): number {
  const { settings = {}, context = [], settingsOnly = false, variants = [] } = options;
  const bits = (
    names: readonly string[],
    table: readonly Code[],
    path: (name: string, index: number) => Place["path"],
    bit: (value: number) => number,
  ): number => names.reduce((sum, each, index) => sum | bit(valueOf(core, table, path(each, index), each)), 0);
  const { greedy, ...numbers } = settings;
  checkWhole(core, settings);
  const given = Object.entries(settings)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key]) => key);
  return arena.write("smp_engine_call", {
    ...numbers,
    context: arena.u32(idsBelow(core, n, context)),
    n_context: context.length,
    given: bits(
      given,
      core.abi.setting,
      name => ["settings", name],
      value => 1 << value,
    ),
    settings_only: Number(settingsOnly),
    engine: valueOf(core, core.abi.engine, ["engine"], name),
    variant: bits(
      variants,
      core.abi.variant,
      (_, index) => ["variants", index],
      value => value,
    ),
    samplers: samplersOf(core, arena, n, options, outputs),
    n_samplers: options.samplers?.length ?? 0,
    array: outputs.array,
    trace: outputs.trace,
  });
}

/** Settings that are whole numbers: they must not be cut to a legal one on their way. */
function checkWhole(core: Core, settings: Settings): void {
  const ranges = {
    AT_ENGINE_TOP_K: [settings.top_k, -(2 ** 31), 2 ** 31],
    AT_REPEAT_LAST_N: [settings.repeat_last_n, 0, 2 ** 32],
    AT_PROMPT_IGNORE_LENGTH: [settings.prompt_ignore_length, 0, 2 ** 32],
  } as const;
  for (const [code, [value, low, high]] of Object.entries(ranges)) {
    const [, , param, allowed] = core.abi.param.find(row => row[0] === code)!;
    if (value !== undefined && !(Number.isInteger(value) && value >= low && value < high))
      throw refusal(core, param, { path: ["settings", param], ...finding(value), allowed });
  }
}

/** A refusal with the values of the settings that it names, floats as Python prints them; `n` is the
    length of the row. */
function filled(text: string, values: Settings & { readonly n: number }): string {
  return text.replace(/\{(\w+)\}/g, (_, name: keyof typeof values) =>
    /^(top_k|n)$/.test(name) ? String(values[name]) : pythonFloat(Number(values[name])),
  );
}

/** The same digits as here; an exponent below 1e-4 and from 1e16 on, of two digits at least. */
function pythonFloat(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
  const size = Math.abs(x),
    sign = Object.is(x, -0) ? "-" : "";
  if (size === 0 || (size >= 1e-4 && size < 1e16)) return `${sign}${x}${Number.isInteger(x) ? ".0" : ""}`;
  return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** The value of a word in a table. */
export function valueOf(core: Core, table: readonly Code[], path: Place["path"], text: string): number {
  const found = table.find(([, , known]) => known === text);
  if (!found) throw refusal(core, "", { path, ...finding(text), allowed: wordsOf(table) });
  return found[1];
}
