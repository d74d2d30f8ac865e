// The plane of tau and u as shapes: which id each point chooses. The core computes the edges; here they become paths.
import { axisPlace, axisValue, map, type Share, type Tie } from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";

/** The ends of the tau axis: 0 and infinity are strips of their own. */
export const TAU_AXIS = { low: 0.05, high: 20, ticks: [20, 5, 2, 1, 0.5, 0.2, 0.05] } as const;
const ROWS = 96;

export type PlaneInput = {
  readonly logits: readonly number[];
  readonly k: number;
  readonly tie: Tie;
  readonly share: Share;
};

export type Region = {
  readonly id: number;
  /** Outline in a box of 1000 by 1000, tau falling downwards. */
  readonly area: string;
  /** The edge towards the next region; none for the last before u = 1. */
  readonly edge: string | null;
  /** Where it lies in each row, top to bottom. */
  readonly rows: readonly (readonly [lo: number, hi: number])[];
  /** Its share in the limit of large tau. */
  readonly limit: readonly [lo: number, hi: number];
};

export type Plane = {
  readonly regions: readonly Region[];
  /** Where nothing is chosen: the outline, or null. */
  readonly gap: string | null;
  /** Places of the ticks on the tau axis, 0 at the top. */
  readonly ticks: readonly { readonly tau: number; readonly at: number }[];
};

export function solvePlane(core: Core, { logits, k, tie, share }: PlaneInput): Plane {
  const taus = Array.from({ length: ROWS + 1 }, (_, row) =>
    axisValue(core, TAU_AXIS.low, TAU_AXIS.high, 1 - row / ROWS),
  );
  const edges = map(core, logits, { tau: 1, u: 0, k, tie, share }, [Infinity, ...taus]);
  const limit = edges.shift()!,
    last = logits.length - 1;
  const span = (row: Float64Array, id: number) => [id ? row[id - 1]! : 0, row[id]!] as const;
  const chosen = [...logits.keys()].filter(id => limit[id]! > (id ? limit[id - 1]! : 0));
  const ends = edges.map(row => row[last]!),
    whole = limit[last] === 1;
  return {
    regions: chosen.map(id => {
      const rows = edges.map(row => span(row, id)),
        right = rows.map(([, hi]) => hi);
      return {
        id,
        rows,
        limit: span(limit, id),
        area: outline(
          rows.map(([lo]) => lo),
          right,
        ),
        edge: whole && id === chosen.at(-1) ? null : `M${points(right)}`,
      };
    }),
    gap: whole
      ? null
      : outline(
          ends,
          ends.map(() => 1),
        ),
    ticks: TAU_AXIS.ticks.map(tau => ({ tau, at: 1 - axisPlace(core, TAU_AXIS.low, TAU_AXIS.high, tau) })),
  };
}

function points(us: readonly number[], backwards = false): string {
  const list = us.map((u, row) => `${round(1000 * u)} ${round((1000 * row) / ROWS)}`);
  return (backwards ? list.reverse() : list).join("L");
}

function outline(left: readonly number[], right: readonly number[]): string {
  return `M${points(left)}L${points(right, true)}Z`;
}

const round = (x: number) => Math.round(100 * x) / 100;

/** What a region's name must keep clear of: the lines of u and tau, and above tau the dotted lines of the cuts. */
export type Lines = { readonly u: number; readonly tauAt: number; readonly cuts: readonly number[] };

/** Where the name of a region goes: the middle of its widest free part, at least `width` wide; null if
    there is none. */
export function namePlace(region: Region, lines: Lines, width: number): { x: number; y: number } | null {
  const height = 0.13;
  let best: { x: number; y: number; width: number } | null = null;
  for (const [row, [lo, hi]] of region.rows.entries()) {
    const y = row / ROWS;
    if (y < height / 2 || y > 1 - height / 2 || Math.abs(y - lines.tauAt) < height) continue;
    const bars = [lo, ...(y < lines.tauAt ? lines.cuts : []), lines.u, hi]
      .filter(x => x >= lo && x <= hi)
      .sort((a, b) => a - b);
    for (const [index, left] of bars.slice(0, -1).entries()) {
      const right = bars[index + 1]!;
      if (right - left >= width && (!best || right - left > best.width + 0.002))
        best = { x: (left + right) / 2, y, width: right - left };
    }
  }
  return best;
}
