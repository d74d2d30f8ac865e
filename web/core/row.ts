// Typed calls on rows of vocabulary size, computed in place in wasm memory.
import { withArena, type Core } from "./module.ts";

export type RowResult = {
  /** Id of the greatest logit, the smallest among equals. */
  readonly top: number;
  readonly probabilities: Float32Array;
  /** In nats. */
  readonly entropy: number;
};

/** Softmax of 1 to 2^20 float logits after division by a temperature (finite, > 0). Throws SmpError. */
export function softmax(core: Core, logits: Float32Array, temperature = 1): RowResult {
  return withArena(core, arena => {
    const n = logits.length, top = arena.take(4), entropy = arena.take(8);
    const capacity = core.call.smp_row_capacity!(n), row = arena.take(4 * capacity);
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
  });
}
