// A tiny language model. Its file and its caches lie in wasm memory between calls; what they were made from is here, so
// that after a trap, when the core is another instance, they are made again.
import { isWhole, refusal } from "./checks.ts";
import type { Fault, Words } from "./error.ts";
import { giveBack, keep } from "./kept.ts";
import { withArena, type Arena, type Core, type Fields } from "./module.ts";
import { finding } from "./place.ts";

/** An opened model: facts of its file, and where it lies. */
export type Model = {
  readonly name: string;
  /** The file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Ids are 0 to tokens - 1. */
  readonly tokens: number;
  /** Positions. */
  readonly context: number;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  /** Private. */
  readonly placed: { at?: Placed };
};

/** What stays in the memory of one instance. */
type Placed = {
  readonly memory: WebAssembly.Memory;
  readonly gpt: Fields;
  readonly characters: number;
  readonly work: number;
  readonly logits: number;
  /** Give all of it back. */
  readonly end: () => void;
};

type Facts = "n_tokens" | "n_context" | "n_layers" | "n_heads" | "width";

/** Open the file of a model. Throws SmpError: `model: ...` says what is wrong with the file. */
export function openModel(core: Core, name: string, bytes: Uint8Array): Model {
  const own = bytes.slice(),
    placed = place(core, own),
    facts = placed.gpt as Readonly<Record<Facts, number>>;
  return {
    name,
    bytes: own,
    tokens: facts.n_tokens,
    context: facts.n_context,
    layers: facts.n_layers,
    heads: facts.n_heads,
    width: facts.width,
    placed: { at: placed },
  };
}

/** Forget a model that is not used any more. It may be used again: then it is placed anew. */
export function closeModel(core: Core, { placed }: Model): void {
  if (placed.at?.memory === core.memory) placed.at.end();
  delete placed.at;
}

function place(core: Core, bytes: Uint8Array): Placed {
  withArena(core, arena => {
    const file = arena.take(bytes.length);
    new Uint8Array(core.memory.buffer, file, bytes.length).set(bytes);
    read(core, file, bytes.length); // before anything stays
  });
  const { memory } = core,
    kept: [at: number, size: number][] = [];
  const stay = (size: number): number => {
    const at = keep(core, size);
    kept.push([at, size]);
    return at;
  };
  const file = stay(bytes.length);
  new Uint8Array(memory.buffer, file, bytes.length).set(bytes);
  const [gpt, sizes] = read(core, file, bytes.length);
  const characters = stay(sizes.tokens);
  withArena(core, arena => {
    const at = arena.write("smp_tokens", { characters });
    arena.call("smp_tokens_make", placeGpt(core, arena, gpt), at);
  });
  return {
    memory,
    gpt,
    characters,
    work: stay(sizes.work),
    logits: stay(4 * (gpt.n_tokens as number)),
    end: () => kept.forEach(([at, size]) => giveBack(core, memory, at, size)),
  };
}

/** A struct whose bytes are kept as they are: it holds an array. */
type Gpt = Fields & { readonly [bytes]: Uint8Array };
const bytes = Symbol("bytes");

function read(core: Core, file: number, length: number): [gpt: Gpt, sizes: Record<"tokens" | "work", number>] {
  let fault: (() => Fault) | undefined;
  return withArena(
    core,
    arena => {
      const gpt = arena.room("smp_gpt"),
        at = arena.room("smp_gpt_fault");
      fault = () => faultAt(core, arena, at);
      arena.check("smp_gpt_read", file, length, gpt, at);
      const fields = arena.numbers<Facts>("smp_gpt", gpt);
      const copy = new Uint8Array(core.memory.buffer, gpt, arena.size("smp_gpt")).slice();
      return [
        { ...fields, [bytes]: copy },
        {
          tokens: arena.call("smp_tokens_size", gpt),
          work: arena.call("smp_gpt_work_size", gpt, MOST_ENTRIES),
        },
      ];
    },
    param => (param === "model" ? fault!() : undefined),
  );
}

/** Of a cache; the core refuses more. */
const MOST_ENTRIES = 4096;

function faultAt(core: Core, arena: Arena, at: number): Fault {
  const { wrong, place } = arena.numbers<"wrong" | "place">("smp_gpt_fault", at),
    [name = "", , text = ""] = core.abi.gptWrong.find(([, value]) => value === wrong) ?? [];
  const where =
    name === "GPT_HEADER" || name === "GPT_TENSOR_UNKNOWN"
      ? ` (byte ${place})`
      : name === "GPT_CHARACTERS"
        ? ` (character ${place})`
        : name.startsWith("GPT_TENSOR")
          ? ` (${tensorName(core, arena, place)})`
          : "";
  return { path: ["model"], wrong: text + where };
}

function tensorName(core: Core, arena: Arena, tensor: number): string {
  const at = arena.take(32);
  arena.call("smp_gpt_tensor_name", tensor, at);
  const text = new Uint8Array(core.memory.buffer, at, 32);
  return new TextDecoder().decode(text.subarray(0, text.indexOf(0)));
}

/** The model as it lies in the instance that runs now. */
function placedIn(core: Core, model: Model): Placed {
  const { placed } = model;
  if (placed.at?.memory !== core.memory) placed.at = place(core, model.bytes);
  return placed.at;
}

function placeGpt(core: Core, arena: Arena, gpt: Fields): number {
  const at = arena.room("smp_gpt");
  new Uint8Array(core.memory.buffer, at).set((gpt as Gpt)[bytes]);
  return at;
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------

const encoder = new TextEncoder();

/** The ids of a text, or of bytes: whatever has no token of its own is bytes, so every text has ids. */
export function encode(core: Core, model: Model, text: string | Uint8Array): Uint32Array {
  const { characters } = placedIn(core, model),
    source = typeof text === "string" ? encoder.encode(text) : text;
  return withArena(core, arena => {
    const from = arena.take(source.length),
      ids = arena.take(4 * source.length);
    new Uint8Array(core.memory.buffer, from, source.length).set(source);
    const tokens = arena.write("smp_tokens", { characters, n: model.tokens - core.abi.limits.tokenCharacter });
    const n = arena.call("smp_tokens_encode", tokens, from, source.length, ids);
    return new Uint32Array(core.memory.buffer, ids, n).slice();
  });
}

/** The bytes of tokens, one after the other; END has none. */
export function bytesOf(core: Core, model: Model, ids: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const { characters } = placedIn(core, model);
  return withArena(core, arena => {
    const tokens = arena.write("smp_tokens", { characters, n: model.tokens - core.abi.limits.tokenCharacter }),
      one = arena.take(4),
      all = new Uint8Array(4 * ids.length);
    let length = 0;
    for (let i = 0; i < ids.length; i++) {
      const n = arena.call("smp_tokens_bytes", tokens, isWhole(ids[i]) ? ids[i]! : core.abi.limits.none, one);
      all.set(new Uint8Array(core.memory.buffer, one, n), length);
      length += n;
    }
    return all.slice(0, length);
  });
}

/** Half a character that waits for its other bytes. */
export type Half = { readonly bytes: Uint8Array };
export const NO_HALF: Half = { bytes: new Uint8Array(12) };

/** The text of more bytes, and what then waits; `end`: nothing may wait any more. */
export function textOf(
  core: Core,
  half: Half,
  more: Uint8Array,
  end = false,
): { readonly text: string; readonly half: Half } {
  return withArena(core, arena => {
    const at = arena.room("smp_utf8"),
      size = arena.size("smp_utf8"),
      from = arena.take(more.length),
      to = arena.take(3 * more.length + 6);
    new Uint8Array(core.memory.buffer, at).set(half.bytes);
    new Uint8Array(core.memory.buffer, from).set(more);
    let length = arena.call("smp_utf8_feed", at, from, more.length, to);
    if (end) length += arena.call("smp_utf8_flush", at, to + length);
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(core.memory.buffer, to, length));
    return { text, half: { bytes: new Uint8Array(core.memory.buffer, at, size).slice() } };
  });
}

/** The text of ids. */
export const decode = (core: Core, model: Model, ids: ArrayLike<number>): string =>
  textOf(core, NO_HALF, bytesOf(core, model, ids), true).text;

// ---- Caches ---------------------------------------------------------------------------------------------------------

/** Tokens that were fed from a position on, or entries that were cut. */
type Event =
  | { readonly ids: readonly number[]; readonly position: number }
  | { readonly from: number; readonly to: number };

/** What a model keeps of the tokens before. */
export type Cache = {
  readonly model: Model;
  /** Entries it has room for. */
  readonly capacity: number;
  /** Entries it has. */
  n: number;
  /** Private: how it came about, and where it lies. */
  log: readonly Event[];
  at: number;
  memory: WebAssembly.Memory | null;
};

/** An empty cache, with room for the model's context or another number of entries. */
export const newCache = (model: Model, capacity: number = model.context): Cache => ({
  model,
  capacity,
  n: 0,
  log: [],
  at: 0,
  memory: null,
});

/** Give the memory of a cache back; it is then empty. */
export function release(core: Core, cache: Cache): void {
  if (cache.memory && cache.memory === core.memory) giveBack(core, cache.memory, cache.at, sizeOf(core, cache));
  Object.assign(cache, { n: 0, log: [], at: 0, memory: null });
}

/** The same cache once more, to fork a text. */
export function copy(core: Core, cache: Cache): Cache {
  const other = newCache(cache.model, cache.capacity);
  if (cache.n === 0) return other;
  const from = addressOf(core, cache),
    to = addressOf(core, other),
    size = sizeOf(core, cache);
  new Uint8Array(core.memory.buffer).copyWithin(to, from, from + size);
  return Object.assign(other, { n: cache.n, log: cache.log });
}

/** Remove the entries from `from` to before `to`: what is left was computed in their sight. */
export function cut(core: Core, cache: Cache, from: number, to: number): void {
  if (!isWhole(from, to + 1) || !isWhole(to, cache.n + 1))
    throw refusal(core, "cache", { path: ["cache"], ...finding([from, to]) });
  addressOf(core, cache);
  withCache(core, cache, (arena, gpt, at) => arena.check("smp_gpt_cache_cut", gpt, at, from, to));
  cache.log = cache.n ? [...cache.log, { from, to }] : [];
}

/** Run tokens from a position on: the logits after the last. Throws SmpError. */
export function feed(core: Core, cache: Cache, ids: readonly number[], position: number): Float32Array {
  if (!isWhole(position)) throw refusal(core, "position", { path: ["position"], ...finding(position) });
  addressOf(core, cache);
  const row = fed(core, cache, "smp_gpt_feed", ids, position);
  cache.log = [...cache.log, { ids: [...ids], position }];
  return row;
}

/** The logits after a text, its END at the start included: the cache is fed with what it does not have, and where the text
    has outgrown the context, with its end anew. Throws SmpError. */
export function logitsAfter(core: Core, cache: Cache, ids: readonly number[]): Float32Array {
  const { context } = cache.model,
    known = ids.length > context ? [] : textIn(cache.log);
  let same = 0;
  while (same < known.length && same < ids.length - 1 && known[same] === ids[same]) same++;
  cache.n = addressOf(core, cache) ? same : 0;
  cache.log = [{ ids: known.slice(0, same), position: 0 }];
  const row = fed(core, cache, "smp_gpt_next", ids);
  cache.log = ids.length > context ? [{ ids: ids.slice(-context), position: 0 }] : [{ ids: [...ids], position: 0 }];
  return row;
}

/** The tokens of a cache that has been fed in order, from 0 on; of another one none. */
function textIn(log: readonly Event[]): readonly number[] {
  const text: number[] = [];
  for (const event of log) {
    if (!("ids" in event) || event.position !== text.length) return [];
    text.push(...event.ids);
  }
  return text;
}

function fed(core: Core, cache: Cache, name: string, ids: readonly number[], ...position: number[]): Float32Array {
  const { model } = cache,
    { work, logits } = placedIn(core, model);
  withCache(core, cache, (arena, gpt, at) => {
    const list = arena.u32(ids.map(id => (isWhole(id) ? id : core.abi.limits.none)));
    arena.check(name, gpt, at, list, ids.length, ...position, logits, work);
  });
  return new Float32Array(core.memory.buffer, logits, model.tokens).slice();
}

const idsWords: Words = (param, entry) => (param === "context" ? { path: ["ids", ...entry] } : undefined);

function withCache(core: Core, cache: Cache, work: (arena: Arena, gpt: number, at: number) => void): void {
  withArena(
    core,
    arena => {
      const { at: memory, n, capacity } = cache,
        at = arena.write("smp_gpt_cache", { memory, n, capacity });
      work(arena, placeGpt(core, arena, placedIn(core, cache.model).gpt), at);
      cache.n = arena.numbers<"n">("smp_gpt_cache", at).n;
    },
    idsWords,
  );
}

const sizeOf = (core: Core, { model, capacity }: Cache): number =>
  withArena(core, arena =>
    arena.call("smp_gpt_cache_size", placeGpt(core, arena, placedIn(core, model).gpt), capacity),
  );

/** Where the cache lies in the instance that runs now; what it held in another one is made again. */
function addressOf(core: Core, cache: Cache): number {
  const { capacity, log } = cache;
  if (!isWhole(capacity, MOST_ENTRIES + 1) || capacity < 1)
    throw refusal(core, "cache", { path: ["capacity"], ...finding(capacity), allowed: `1 to ${MOST_ENTRIES}` });
  if (cache.memory === core.memory) return cache.at;
  const at = keep(core, sizeOf(core, cache));
  Object.assign(cache, { n: 0, at, memory: core.memory });
  for (const event of log)
    if ("ids" in event) {
      if (event.ids.length) fed(core, cache, "smp_gpt_feed", event.ids, event.position);
    } else withCache(core, cache, (arena, gpt, to) => arena.check("smp_gpt_cache_cut", gpt, to, event.from, event.to));
  return at;
}
