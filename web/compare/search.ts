// The smallest row on which two engines differ: short rows of simple numbers first, then rows that meet a limit
// exactly, then others; in slices short enough for a page to stay alive. Always the same rows in the same order.
import type { Core } from "../core/module.ts";
import { apart } from "./explain.ts";
import { gapOf, runOf } from "./run.ts";
import { inSlices } from "./slices.ts";
import type { Config } from "./config.ts";

/** Logits of a row at most; those of all rows that are tried to the last; digits of the simple rows. */
export const MOST = 8,
  ALL = 4,
  DIGITS = 4;
/** Rows without a pattern for each length. */
const LOOSE = 120;

type Row = readonly number[];

/** Every row of n digits, the last changing fastest; or only those that fall. */
export function* digits(n: number, descending: boolean, before: Row = []): Generator<Row> {
  if (before.length === n) return yield before;
  const most = descending && before.length ? before.at(-1)! : DIGITS - 1;
  for (let digit = 0; digit <= most; digit++) yield* digits(n, descending, [...before, digit]);
}

/** Rows in which the first few share a limit and the others the rest, with and without the temperature;
    then one and its min-p parts. */
function* edges(
  core: Core,
  n: number,
  { temperature = 1, top_p: p = 0, min_p: m = 0 }: Config["settings"],
): Generator<Row> {
  const ln = (x: number): number => core.call.smp_log!(x);
  for (const t of new Set([1, temperature])) {
    if (!(t > 0)) continue;
    if (p > 0 && p < 1)
      for (let first = 1; first < n; first++)
        yield Array.from({ length: n }, (_, id) => t * ln(id < first ? p / first : (1 - p) / (n - first)));
    if (m > 0 && m < 1)
      for (let first = 1; first < n; first++) yield Array.from({ length: n }, (_, id) => (id < first ? 0 : t * ln(m)));
  }
}

/** Eighths from -4 to 4 without a pattern. */
function* loose(n: number): Generator<Row> {
  let state = n;
  const next = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  for (let count = 0; count < LOOSE; count++) yield Array.from({ length: n }, () => (next() >>> 26) / 8 - 4);
}

/** All rows in order. */
export function* rows(core: Core, settings: Config["settings"]): Generator<Row> {
  for (let n = 2; n <= MOST; n++) {
    if (n <= ALL) yield* digits(n, false);
    else for (const row of digits(n, true)) yield* [row, [...row].reverse()];
    yield* edges(core, n, settings);
    yield* loose(n);
  }
}

/** Do the two of the pair differ on a row? null where one of them gives no result. */
export function differ(core: Core, { settings, context, pair }: Config, row: Row): boolean | null {
  const logits = Float32Array.from(row),
    known = context.filter(id => id < row.length);
  const [first, second] = pair.map(name => runOf(core, name, logits, settings, known)),
    gap = gapOf(core, first!, second!);
  return gap && apart(gap);
}

/** Rows that are a little simpler: one entry less, one entry 0, one entry whole. */
function* simpler(row: Row): Generator<Row> {
  if (row.length > 2) for (const at of row.keys()) yield row.filter((_, id) => id !== at);
  for (const [at, x] of row.entries())
    for (const y of x === 0 ? [] : Number.isInteger(x) ? [0] : [0, Math.round(x)])
      yield row.map((each, id) => (id === at ? y : each));
}

/** How far the hunt is; `row` is the smallest found, if any. */
export type Hunt = {
  readonly config: Config;
  readonly tried: number;
  readonly row: Row | null;
  readonly over: boolean;
};

/** Hunts until a row is found and no simpler one is, or all are tried, or `go` says no; tells after each slice. */
export async function hunt(core: Core, config: Config, go: (hunt: Hunt) => boolean): Promise<void> {
  let tried = 0,
    row: Row | null = null;
  const told = (over: boolean) => go({ config, tried, row, over });
  function* work(): Generator<unknown, true> {
    let source = rows(core, config.settings);
    for (;;) {
      yield;
      const { value, done } = source.next();
      if (done) return true;
      const differs: boolean | null = differ(core, config, value);
      if (differs !== null) tried++;
      if (!differs) continue;
      row = value;
      source = simpler(value);
    }
  }
  if (told(false) && (await inSlices(work(), fresh => !fresh || told(false)))) told(true);
}
