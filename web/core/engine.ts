// Typed calls of the engines: the same logits through the rules of a real library, and the ids that it draws for a seed.
import { SmpError } from "./error.ts";
import { withArena, type Arena, type Code, type Core } from "./module.ts";

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
  /** Penalties see so many ids at the end of the context; 0 for all. */
  readonly repeat_last_n?: number;
  /** transformers: the first so many ids of the context are not penalised. */
  readonly prompt_ignore_length?: number;
  readonly greedy?: boolean;
};

export type EngineOptions = {
  readonly settings?: Settings;
  /** Ids so far, oldest first. */
  readonly context?: ArrayLike<number>;
  /** Take no default of the engine but what turns a rule off. */
  readonly settingsOnly?: boolean;
  /** `torch-mkl`, `replacement`, `batch`, `new`, `gumbel`. */
  readonly variants?: readonly string[];
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
};

/** A generator's state; drawing makes another. */
export type Rng = { readonly bytes: Uint8Array; readonly words: number };

/** Run an engine on 1 to 2^20 logits. Throws SmpError. */
export function engine(core: Core, name: string, logits: Float32Array, options: EngineOptions = {}): EngineResult {
  return withArena(core, arena => {
    const n = logits.length, row = rowOf(core, arena, logits), ids = arena.take(4 * n), result = arena.room("smp_engine_result");
    arena.check("smp_engine_run", row, n, callOf(core, arena, name, n, options), ids, result, arena.take(core.call.smp_engine_work_size!(n)));
    const { n_kept, by_rounding, refusal, drawing, generator } = arena.read("smp_engine_result", result, 0) as Record<string, number>;
    return {
      refusal: filled(textOf(core.abi.refusal, refusal!), options.settings),
      by_rounding: by_rounding === 1,
      kept: new Uint32Array(core.memory.buffer, ids, n_kept).slice(),
      weights: new Float32Array(core.memory.buffer, row, n_kept).slice(),
      drawing: textOf(core.abi.drawing, drawing!),
      generator: textOf(core.abi.generator, generator!),
    };
  });
}

/** The logits after the engine's penalties. Throws SmpError. */
export function penalised(core: Core, name: string, logits: Float32Array, options: EngineOptions = {}): Float32Array {
  return withArena(core, arena => {
    const n = logits.length, row = rowOf(core, arena, logits);
    arena.check("smp_engine_penalise", row, n, callOf(core, arena, name, n, options));
    return new Float32Array(core.memory.buffer, row, n).slice();
  });
}

/** A generator with a seed: a decimal string, because no number holds 2^64 - 1. Throws SmpError. */
export function seeded(core: Core, generator: string, seed: string): Rng {
  const value = /^\d{1,20}$/.test(seed) ? BigInt(seed) : 2n ** 64n;
  if (value >= 2n ** 64n) throw refused(core, "seed", seed);
  return withArena(core, arena => {
    const rng = arena.room("smp_rng");
    arena.check("smp_rng_seed", rng, valueOf(core, core.abi.generator, "generator", generator), Number(value & 0xffffffffn), Number(value >> 32n));
    return rngAt(core, arena, rng);
  });
}

/** Draw ids one after the other among the candidates of a row of n entries. Throws SmpError. */
export function draw(core: Core, { drawing, kept, weights }: EngineResult, n: number, rng: Rng, draws: number): { readonly ids: Uint32Array; readonly rng: Rng } {
  if (!Number.isInteger(draws) || draws < 1 || draws > core.abi.limits.rowMax) throw refused(core, "draws", String(draws));
  return withArena(core, arena => {
    const state = arena.room("smp_rng"), out = arena.take(4 * draws);
    new Uint8Array(core.memory.buffer, state, rng.bytes.length).set(rng.bytes);
    const kind = valueOf(core, core.abi.drawing, "generator", drawing);
    arena.check("smp_engine_draw", kind, arena.u32(kept), arena.f32(weights), kept.length, n, state, out, draws);
    return { ids: new Uint32Array(core.memory.buffer, out, draws).slice(), rng: rngAt(core, arena, state) };
  });
}

function rngAt(core: Core, arena: Arena, at: number): Rng {
  const bytes = new Uint8Array(core.memory.buffer, at, arena.size("smp_rng")).slice();
  return { bytes, words: arena.read("smp_rng", at, 0).words as number };
}

function rowOf(core: Core, arena: Arena, logits: Float32Array): number {
  const capacity = core.call.smp_row_capacity!(logits.length), row = arena.take(4 * capacity);
  if (capacity) new Float32Array(core.memory.buffer, row, logits.length).set(logits); // else the call says what is wrong
  return row;
}

function callOf(core: Core, arena: Arena, name: string, n: number, { settings = {}, context = [], settingsOnly = false, variants = [] }: EngineOptions): number {
  const bits = (names: readonly string[], what: string, table: readonly Code[], bit: (value: number) => number): number =>
    names.reduce((sum, each) => sum | bit(valueOf(core, table, what, each)), 0);
  const { greedy, ...numbers } = settings;
  const given = Object.entries(settings).filter(([, value]) => value !== undefined && value !== false).map(([key]) => key);
  return arena.write("smp_engine_call", {
    ...numbers,
    context: arena.u32(Array.from(context, id => (Number.isInteger(id) && id >= 0 && id < n ? id : core.abi.limits.none))),
    n_context: context.length,
    given: bits(given, "setting", core.abi.setting, value => 1 << value),
    settings_only: Number(settingsOnly),
    engine: valueOf(core, core.abi.engine, "engine", name),
    variant: bits(variants, "generator", core.abi.variant, value => value),
  });
}

/** A refusal with the values of the settings that it names, floats as Python prints them. */
function filled(text: string, settings: Settings = {}): string {
  return text.replace(/\{(\w+)\}/g, (_, name: keyof Settings) => (name === "top_k" ? String(settings[name]) : pythonFloat(Number(settings[name]))));
}

/** The same digits as here; an exponent below 1e-4 and from 1e16 on, of two digits at least. */
function pythonFloat(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
  const size = Math.abs(x), sign = Object.is(x, -0) ? "-" : "";
  if (size === 0 || (size >= 1e-4 && size < 1e16)) return `${sign}${x}${Number.isInteger(x) ? ".0" : ""}`;
  return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

const textOf = (table: readonly Code[], value: number): string => table.find(([, known]) => known === value)?.[2] ?? "";

function valueOf(core: Core, table: readonly Code[], what: string, text: string): number {
  const found = table.find(([, , known]) => known === text);
  if (!found) throw refused(core, what, text, table.map(([, , known]) => known).join(", "));
  return found[1];
}

function refused(core: Core, param: string, found: string, allowed = core.abi.param.find(row => row[2] === param)?.[3] ?? ""): SmpError {
  return new SmpError("ERR_PARAM", { param, index: 0 }, `${param} "${found.slice(0, 40)}": allowed: ${allowed}`);
}
