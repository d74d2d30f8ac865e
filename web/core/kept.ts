// Blocks that stay in wasm memory between calls. What is given back is used again for as many bytes.
import { withArena, type Core } from "./module.ts";

const free = new WeakMap<WebAssembly.Memory, Map<number, number[]>>();

function listOf({ memory }: Core, bytes: number): number[] {
  const lists = free.get(memory) ?? new Map<number, number[]>(),
    list = lists.get(bytes) ?? [];
  free.set(memory, lists.set(bytes, list));
  return list;
}

/** Bytes that stay until they are given back, or the instance ends. Throws RangeError where there is no room. */
export function keep(core: Core, bytes: number): number {
  const known = listOf(core, bytes).pop();
  if (known !== undefined) return known;
  const at = withArena(core, arena => arena.call("smp_arena_keep", bytes));
  if (!at) throw new RangeError(`the core has no room to keep ${bytes} more bytes`);
  return at;
}

/** Give a block back; one of another instance is gone with it. */
export function giveBack(core: Core, memory: WebAssembly.Memory | null, at: number, bytes: number): void {
  if (memory === core.memory) listOf(core, bytes).push(at);
}
