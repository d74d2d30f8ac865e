// Long work in slices, so that the page lives on between them. Such work is a generator: where it yields,
// a slice may end.

/** Half of what a frame has, in ms. */
const SLICE = 8;

let until = 0;

/** Lets the page do what waits; the next slice begins. */
async function turn(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve));
  until = performance.now() + SLICE;
}

/** What work comes to; null if `go` says no before. It is asked before each step, and told whether a slice begins. */
export async function inSlices<T>(work: Generator<unknown, T>, go: (fresh: boolean) => boolean): Promise<T | null> {
  for (;;) {
    const fresh = performance.now() >= until;
    if (fresh) await turn();
    if (!go(fresh)) return null;
    const { value, done } = work.next();
    if (done) return value;
  }
}

/** Tells as long as these ms have not passed. */
export function within(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() < end;
}

/** The same without a stop. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
}

const known = new WeakMap<object, Map<string, unknown>>();
/** Results that are remembered for one row. */
const MOST = 64;

/** A part of some work on a row: made once, then remembered. */
export function part<T>(row: object, key: string, make: () => T): T {
  const made = known.get(row) ?? new Map<string, unknown>();
  known.set(row, made);
  if (made.has(key)) return made.get(key) as T;
  if (made.size === MOST) made.clear();
  const result = make();
  made.set(key, result);
  return result;
}
