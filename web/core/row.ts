// Typed calls on rows of vocabulary size, computed in place in wasm memory.
import { logitsWords } from "./checks.ts";
import type { Gap } from "./compare.ts";
import type { Words } from "./error.ts";
import { withArena, type Core } from "./module.ts";

export type RowResult = {
  /** Id of the largest logit, the smallest among equals. */
  readonly top: number;
  readonly probabilities: Float32Array;
  /** In nats. */
  readonly entropy: number;
};

/** Softmax of 1 to 2^20 float logits after division by a temperature (finite, > 0). Throws SmpError. */
export function softmax(core: Core, logits: Float32Array, temperature = 1): RowResult {
  return withArena(
    core,
    arena => {
      const n = logits.length,
        top = arena.take(4),
        entropy = arena.take(8);
      const capacity = core.call.smp_row_capacity!(n),
        row = arena.take(4 * capacity);
      if (capacity) new Float32Array(core.memory.buffer, row, n).set(logits); // else the scan says what is wrong
      arena.check("smp_row_scan", row, n, 0, top);
      if (temperature !== 1) arena.check("smp_row_temperature", row, n, temperature);
      arena.check("smp_row_softmax", row, n, entropy);
      const view = new DataView(core.memory.buffer);
      return {
        top: view.getUint32(top, true),
        probabilities: new Float32Array(core.memory.buffer, row, n).slice(),
        entropy: view.getFloat64(entropy, true),
      };
    },
    logitsWords,
  );
}

/** Natural logarithms of the softmax of 1 to 2^20 float logits. Throws SmpError. */
export function logSoftmax(core: Core, logits: Float32Array): Float32Array {
  return withArena(
    core,
    arena => {
      const n = logits.length,
        capacity = core.call.smp_row_capacity!(n),
        row = arena.take(4 * capacity);
      if (capacity) new Float32Array(core.memory.buffer, row, n).set(logits);
      arena.check("smp_row_log_softmax", row, n);
      return new Float32Array(core.memory.buffer, row, n).slice();
    },
    logitsWords,
  );
}

const topWords: Words = (param, entry, index) => (param === "n" ? { path: ["m"] } : logitsWords(param, entry, index));

/** The m most probable ids in descending order, the smaller first among equals, and the logarithms of
    their probabilities. Throws SmpError. */
export function topLogP(
  core: Core,
  logits: Float32Array,
  m: number,
): { readonly ids: Uint32Array; readonly log_p: Float64Array } {
  return withArena(
    core,
    arena => {
      const count = m >= 1 && m <= logits.length ? m : 0,
        ids = arena.take(4 * count),
        logs = arena.take(8 * count); // else the call says what is wrong
      arena.check("smp_row_top_log_p", arena.f32(logits), logits.length, ids, logs, count);
      return {
        ids: new Uint32Array(core.memory.buffer, ids, count).slice(),
        log_p: new Float64Array(core.memory.buffer, logs, count).slice(),
      };
    },
    topWords,
  );
}

export type Distance = Gap & {
  /** Of the second from the first, in nats; Infinity where the second is 0 and the first is not. */
  readonly kl: number;
  /** In nats. */
  readonly entropy_p: number;
  readonly entropy_q: number;
};

/** How far two rows of as many probabilities, 1 to 2^20, are apart. Throws SmpError. */
export function distance(core: Core, p: Float32Array, q: Float32Array): Distance {
  if (p.length !== q.length)
    throw new RangeError(`distance: found ${p.length} and ${q.length} probabilities; allowed: as many in both`);
  const words: Words = (param, [at]) =>
    param !== "row"
      ? undefined
      : {
          path: at === undefined ? ["p"] : [isShare(p[at]!) ? "q" : "p", at],
          allowed: "1 to 1048576 numbers from 0 to 1",
        };
  return withArena(
    core,
    arena => {
      const distance = arena.room("smp_distance"),
        divergence = arena.room("smp_divergence"),
        first = arena.f32(p),
        second = arena.f32(q);
      arena.check("smp_row_distance", first, second, p.length, distance);
      arena.check("smp_row_divergence", first, second, p.length, divergence);
      return {
        ...arena.numbers<keyof Gap>("smp_distance", distance),
        ...arena.numbers<Exclude<keyof Distance, keyof Gap>>("smp_divergence", divergence),
      };
    },
    words,
  );
}

const isShare = (p: number): boolean => p >= 0 && p <= 1;
