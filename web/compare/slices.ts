// Long work in slices, so that the page lives on between them.

/** Half of what a frame has, in ms. */
const SLICE = 8;

let until = 0;

/** Lets the page do what waits; the next slice begins. */
export async function turn(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve));
  until = performance.now() + SLICE;
}

/** True where a slice is over. */
export const due = (): boolean => performance.now() >= until;

const known = new WeakMap<object, Map<string, unknown>>();
/** Results that are remembered for one row. */
const MOST = 64;

/** Thrown where a slice is over before the work is; no error. */
const later = Symbol("later");
let slicing = false;

/** A part of some work on a row: made once, then remembered. Work in slices is put off here and begins again: it finds
    what it has made. */
export function part<T>(row: object, key: string, make: () => T): T {
  const made = known.get(row) ?? new Map<string, unknown>();
  known.set(row, made);
  if (made.has(key)) return made.get(key) as T;
  if (slicing && due()) throw later;
  if (made.size === MOST) made.clear();
  const result = make();
  made.set(key, result);
  return result;
}

/** Work that is made of parts, fewer than are remembered; null if `go` says no before it is done. */
export async function inSlices<T>(work: () => T, go: () => boolean): Promise<T | null> {
  for (;;) {
    await turn();
    if (!go()) return null;
    slicing = true;
    try {
      return work();
    } catch (thrown) {
      if (thrown !== later) throw thrown;
    } finally {
      slicing = false;
    }
  }
}
