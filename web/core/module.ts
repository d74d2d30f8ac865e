// Instantiates the wasm module and reads its description of itself: codes, limits, layout of structs.
import { SmpError, statusError, type Words } from "./error.ts";

/** `[name, value, text, allowed]`, from the tables in c/codes.c and c/engine_codes.c. */
export type Code = readonly [name: string, value: number, text: string, allowed: string];
type Field = readonly [offset: number, type: "f64" | "u32" | "i32" | "u8", bytes: number];
/** Of a struct; arrays only of doubles. */
export type Fields = Readonly<Record<string, number | readonly number[]>>;
type Struct = { readonly size: number; readonly fields: Readonly<Record<string, Field>> };

/** What an engine does; codes by their names. */
export type Profile = {
  /** Settings in the order in which they run; `softmax` where probabilities are made from what is left. */
  readonly steps: readonly string[];
  readonly tie: string;
  readonly boundary: string;
  readonly drawing: string;
  readonly generator: string;
  /** Below it a temperature is greedy, or raised to it; 0 where that is not so. */
  readonly greedy_below: number;
  readonly least: number;
  readonly eos: string;
  readonly how: string;
  readonly version: string;
  readonly date: string;
  readonly source: string;
};

export type Abi = {
  readonly version: string;
  readonly status: readonly Code[];
  readonly param: readonly Code[];
  readonly tie: readonly Code[];
  readonly share: readonly Code[];
  readonly dtype: readonly Code[];
  readonly out: readonly Code[];
  readonly rule: readonly Code[];
  readonly finish: readonly Code[];
  readonly role: readonly Code[];
  /** The filters of the experiment, by name: their kinds of step. */
  readonly filter: Readonly<Record<string, number>>;
  /** The rules of chains, by name; empty in the module of the page. `shape`: what a step takes. `tie`:
      the usual one, -1 where it takes none. */
  readonly step: Readonly<
    Record<
      string,
      { readonly kind: number; readonly shape: "value" | "window" | "count" | "ids" | "pairs"; readonly tie: number }
    >
  >;
  /* What follows, to `profile`, and the structs of engines are missing in the module of the elements. */
  readonly setting: readonly Code[];
  readonly generator: readonly Code[];
  readonly variant: readonly Code[];
  readonly drawing: readonly Code[];
  readonly refusal: readonly Code[];
  readonly boundary: readonly Code[];
  readonly compared: readonly Code[];
  readonly sampler: readonly Code[];
  /** Why a setting is in force or off. */
  readonly why: readonly Code[];
  readonly engine: readonly Code[];
  /** By the name of the engine: its row of the core's table. */
  readonly profile: Readonly<Record<string, Profile>>;
  /** How candidates are laid out for u; missing in the module of the elements. */
  readonly order: readonly Code[];
  /** What can be wrong with the file of a model; like the limits of tokens, only in the whole module. */
  readonly gptWrong: readonly Code[];
  readonly limits: Readonly<
    Record<
      | "labMax"
      | "labFilters"
      | "rowMax"
      | "none"
      | "stopRows"
      | "stopTokens"
      | "stopEos"
      | "tokenEnd"
      | "tokenByte"
      | "tokenCharacter",
      number
    >
  >;
  readonly structs: Readonly<Record<string, Struct>>;
};

/** A running core. One serves a whole page: it keeps no state between calls, but for models and their caches (model.ts).
    After a trap it is another instance of its module: memory and exports are read from here for every call. */
export type Core = {
  readonly abi: Abi;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly call: Readonly<Record<string, (...args: number[]) => number>>;
};

/** Start a core from the bytes of smp.wasm. Rejects with a CompileError where a policy forbids wasm. */
export async function instantiate(bytes: BufferSource): Promise<Core> {
  const { module, instance } = await WebAssembly.instantiate(bytes, {});
  return start(module, instance);
}

/** The core of a module. */
export function start(module: WebAssembly.Module, instance?: WebAssembly.Instance): Core {
  const running = { module, ...exportsOf(module, instance) },
    raw = readJson<Abi>(running, "smp_abi_json");
  if (!running.call.smp_abi_engines_json) return { ...running, abi: raw }; // the module of the elements
  const { profile, structs, ...tables } = readJson<Engines>(running, "smp_abi_engines_json");
  const frequencies = running.call.smp_abi_frequencies_json
    ? readJson<Abi["structs"]>(running, "smp_abi_frequencies_json")
    : {};
  const model = running.call.smp_abi_gpt_json
    ? readJson<Pick<Abi, "gptWrong" | "limits" | "structs">>(running, "smp_abi_gpt_json")
    : undefined;
  const codes = {
      ...raw,
      ...tables,
      ...(model ? { gptWrong: model.gptWrong, limits: { ...raw.limits, ...model.limits } } : {}),
    },
    engine = Object.keys(profile).map((text, value): Code => ["", value, text, ""]);
  return {
    ...running,
    abi: {
      ...codes,
      engine,
      profile: profiles(codes, profile),
      structs: { ...raw.structs, ...structs, ...frequencies, ...model?.structs },
    },
  };
}

type Running = Omit<Core, "abi">;

function exportsOf(
  module: WebAssembly.Module,
  instance = new WebAssembly.Instance(module, {}),
): Pick<Core, "memory" | "call"> {
  const { memory, ...call } = instance.exports as { memory: WebAssembly.Memory } & Core["call"];
  return { memory, call };
}

/** A description of the module; its shape is c/wasm/wasm.c's to keep. */
function readJson<T>(core: Running, name: string): T {
  const bytes = new Uint8Array(core.memory.buffer, invoke(core, name));
  return JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
}

/** Columns that are codes: in the module, their values. */
const CODED = ["tie", "boundary", "drawing", "generator"] as const;
type Coded = (typeof CODED)[number];
type Row = Omit<Profile, "steps" | Coded> & Readonly<Record<Coded, number>> & { readonly steps: readonly number[] };
type Engines = Partial<Abi> & { readonly profile: Readonly<Record<string, Row>> };

function profiles(abi: Abi, rows: Readonly<Record<string, Row>>): Abi["profile"] {
  const of = (table: readonly Code[], code: number): Code | undefined => table.find(([, value]) => value === code);
  const named = (row: Row): Profile => ({
    ...row,
    steps: row.steps.map(bit => of(abi.setting, bit)?.[2] ?? "softmax"),
    ...(Object.fromEntries(CODED.map(key => [key, of(abi[key], row[key])![0]])) as Record<Coded, string>),
  });
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, named(row)]));
}

/** A trap leaves the stack of the instance where it was, so that later calls would run out of it: another
    takes its place. */
function invoke(core: Running, name: string, ...args: number[]): number {
  const run = core.call[name];
  if (!run) throw new Error(`the module has no export ${name}`);
  try {
    return run(...args);
  } catch (trap) {
    Object.assign(core, exportsOf(core.module));
    throw new SmpError({ code: "ERR_TRAP", path: [name], wrong: `the core failed (${trap}) and was started anew` });
  }
}

/** Runs `work` with an arena; all that it took is given back at the end, whatever happens. `words` are
    those of the caller, for what the core refuses. */
export function withArena<T>(core: Core, work: (arena: Arena) => T, words?: Words): T {
  const mark = invoke(core, "smp_arena_mark");
  try {
    return work(arena(core, words));
  } finally {
    invoke(core, "smp_arena_release", mark);
  }
}

export type Arena = ReturnType<typeof arena>;

function arena(core: Core, words?: Words) {
  const take = (bytes: number): number => {
    const at = bytes < 2 ** 32 ? invoke(core, "smp_arena_take", bytes) : 0;
    if (!at) throw new RangeError(`the core has no room for ${bytes} more bytes`);
    return at;
  };
  const struct = (name: string): Struct => {
    const found = core.abi.structs[name];
    if (!found) throw new Error(`the module does not describe ${name}`);
    return found;
  };
  const writeAll = (name: string, records: readonly Fields[]): number => {
    const { size, fields } = struct(name);
    const at = take(size * records.length);
    new Uint8Array(core.memory.buffer, at, size * records.length).fill(0);
    records.forEach((values, index) => {
      const view = new DataView(core.memory.buffer, at + size * index, size);
      for (const [key, value] of Object.entries(values)) {
        const [offset, type] = fields[key]!;
        if (type !== "f64") view.setUint32(offset, value as number, true);
        else [value].flat().forEach((each, i) => view.setFloat64(offset + 8 * i, each, true));
      }
    });
    return at;
  };
  /** The fields of a struct: numbers, and copies of arrays cut to `length` entries. */
  const read = (name: string, at: number, length: number): Record<string, number | Float64Array | Uint8Array> => {
    const { size, fields } = struct(name);
    const view = new DataView(core.memory.buffer, at, size);
    return Object.fromEntries(
      Object.entries(fields).map(([key, [offset, type, bytes]]) => [key, readField(view, offset, type, bytes, length)]),
    );
  };
  return {
    take,
    /** A copy of the numbers in wasm memory. */
    f64(values: ArrayLike<number>): number {
      const at = take(8 * values.length);
      new Float64Array(core.memory.buffer, at, values.length).set(values);
      return at;
    },
    f32(values: ArrayLike<number>): number {
      const at = take(4 * values.length);
      new Float32Array(core.memory.buffer, at, values.length).set(values);
      return at;
    },
    /** A copy of whole numbers from 0 to 2^32 - 1 in wasm memory. */
    u32(values: ArrayLike<number>): number {
      const at = take(4 * values.length);
      new Uint32Array(core.memory.buffer, at, values.length).set(values);
      return at;
    },
    /** A struct with the given fields; the others are 0. */
    write: (name: string, values: Fields): number => writeAll(name, [values]),
    /** Structs one after the other. */
    writeAll,
    /** Room for a struct, or for several in a row. */
    room: (name: string, count = 1): number => take(count * struct(name).size),
    size: (name: string): number => struct(name).size,
    /** The fields of a struct that holds numbers only; of several in a row, of the one at `index`. */
    numbers: <Key extends string>(name: string, at: number, index = 0) =>
      read(name, at + struct(name).size * index, 0) as Record<Key, number>,
    read,
    /** Calls an export that returns a number. */
    call: (name: string, ...args: number[]): number => invoke(core, name, ...args),
    /** Calls an export that returns a status and takes a `smp_where *` last; throws SmpError unless it is SMP_OK. */
    check(name: string, ...args: number[]): void {
      const where = take(struct("smp_where").size);
      const status = invoke(core, name, ...args, where);
      if (status === 0) return;
      const view = new DataView(core.memory.buffer, where, 8);
      throw statusError(core.abi, status, view.getInt32(0, true), view.getUint32(4, true), words);
    },
  };
}

function readField(view: DataView, offset: number, type: Field[1], bytes: number, length: number) {
  const at = view.byteOffset + offset;
  if (type === "u8") return new Uint8Array(view.buffer, at, length).slice();
  if (type !== "f64") return view.getUint32(offset, true);
  return bytes === 8 ? view.getFloat64(offset, true) : new Float64Array(view.buffer, at, length).slice();
}
