// The plane of tau and u as shapes: which id each point chooses. The core computes the edges; here they become paths.
import { axisPlace, axisValue, map, type LabFilter, type Share } from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";

/** The ends of the tau axis: 0 and infinity are strips of their own. */
export const TAU_AXIS = { low: 0.05, high: 20, ticks: [20, 5, 2, 1, 0.5, 0.2, 0.05] } as const;
const ROWS = 96;
/** How often the space between two rows is halved where a filter changes its mind there: to a hundredth of a pixel. */
const HALVINGS = 8;

export type PlaneInput = {
  readonly logits: readonly number[];
  readonly share: Share;
  readonly filters: readonly LabFilter[];
  /** True if what the filters keep depends on tau. */
  readonly moving: boolean;
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
  /** Where nothing is chosen: the outline, or null; its edge, where no region has that one all along. */
  readonly gap: string | null;
  readonly gapEdge: string | null;
  /** The id whose edge is that of the gap. */
  readonly last: number | null;
  /** Where the last interval ends in each row. */
  readonly ends: readonly number[];
  /** Places of the rows, 0 at the top. */
  readonly ys: readonly number[];
  /** True if a region may end above or below, so that its names need height too. */
  readonly moving: boolean;
  /** Places of the ticks on the tau axis, 0 at the top. */
  readonly ticks: readonly { readonly tau: number; readonly at: number }[];
};

export function solvePlane(core: Core, input: PlaneInput): Plane {
  const { logits, moving } = input,
    end = logits.length - 1;
  const [limit] = edgesAt(core, input, [Infinity]) as [Float64Array];
  const lines = linesOf(core, input),
    ys = lines.map(({ y }) => y),
    ends = lines.map(({ edges }) => edges[end]!);
  const whole = limit[end] === 1 && ends.every(at => at === 1);
  const regions = [...logits.keys()].flatMap((id): Omit<Region, "edge">[] => {
    const rows = lines.map(({ edges }) => span(edges, id)),
      its = span(limit, id);
    if (![its, ...(moving ? rows : [])].some(([lo, hi]) => hi > lo)) return [];
    const [left, right] = [rows.map(([lo]) => lo), rows.map(([, hi]) => hi)];
    return [{ id, rows, limit: its, area: outline(ys, left, right) }];
  });
  const last = regions.at(-1)!.id,
    edgeOf = ({ id, rows }: Omit<Region, "edge">): string | null => {
      if (moving) return edgeWhere(ys, rows, ([lo, hi], row) => hi > lo && hi < ends[row]!);
      return whole && id === last
        ? null
        : `M${points(
            ys,
            rows.map(([, hi]) => hi),
          )}`;
    };
  return {
    regions: regions.map(region => ({ ...region, edge: edgeOf(region) })),
    gap: whole
      ? null
      : outline(
          ys,
          ends,
          ends.map(() => 1),
        ),
    gapEdge:
      whole || !moving
        ? null
        : edgeWhere(
            ys,
            ends.map(at => [0, at] as const),
            ([, hi]) => hi < 1,
          ),
    last: whole || moving ? null : last,
    ends,
    ys,
    moving,
    ticks: TAU_AXIS.ticks.map(tau => ({ tau, at: 1 - axisPlace(core, TAU_AXIS.low, TAU_AXIS.high, tau) })),
  };
}

const edgesAt = (core: Core, { logits, share, filters }: PlaneInput, taus: readonly number[]): Float64Array[] =>
  map(core, logits, { tau: 1, u: 0, share, filters }, taus);

/** A row of the plane: where it lies, and where its intervals end. */
type Line = { readonly y: number; readonly edges: Float64Array };

/** The rows; where a filter keeps other candidates in one than in the next, two more, one each side of the jump. */
function linesOf(core: Core, input: PlaneInput): Line[] {
  const at = (ys: readonly number[]): Line[] => {
    const edges = edgesAt(
      core,
      input,
      ys.map(y => axisValue(core, TAU_AXIS.low, TAU_AXIS.high, 1 - y)),
    );
    return ys.map((y, row) => ({ y, edges: edges[row]! }));
  };
  const even = at(Array.from({ length: ROWS + 1 }, (_, row) => row / ROWS));
  if (!input.moving) return even;
  return even.flatMap((line, row) => {
    let above = even[row - 1],
      below = line;
    if (!above || shown(above) === shown(below)) return [line];
    for (let times = 0; times < HALVINGS; times++) {
      const [middle] = at([(above.y + below.y) / 2]) as [Line];
      if (shown(middle) === shown(above)) above = middle;
      else below = middle;
    }
    return [above, below, line];
  });
}

/** Which ids have room in a row. */
const shown = ({ edges }: Line): string =>
  Array.from(edges, (hi, id) => (hi > (id ? edges[id - 1]! : 0) ? 1 : 0)).join("");

const span = (row: Float64Array, id: number) => [id ? row[id - 1]! : 0, row[id]!] as const;

/** The right ends of the rows that pass, in as many pieces as there are. */
function edgeWhere(
  ys: readonly number[],
  rows: Region["rows"],
  passes: (span: readonly [number, number], row: number) => boolean,
): string | null {
  const pieces: number[][] = [[]];
  for (const [row, its] of rows.entries())
    if (passes(its, row)) pieces.at(-1)!.push(row);
    else pieces.push([]);
  const paths = pieces
    .filter(piece => piece.length > 1)
    .map(
      piece =>
        `M${points(
          piece.map(row => ys[row]!),
          piece.map(row => rows[row]![1]),
        )}`,
    );
  return paths.join("") || null;
}

function points(ys: readonly number[], us: readonly number[], backwards = false): string {
  const list = us.map((u, row) => `${round(1000 * u)} ${round(1000 * ys[row]!)}`);
  return (backwards ? list.reverse() : list).join("L");
}

function outline(ys: readonly number[], left: readonly number[], right: readonly number[]): string {
  return `M${points(ys, left)}L${points(ys, right, true)}Z`;
}

const round = (x: number) => Math.round(100 * x) / 100;

/** What a region's name must keep clear of: the lines of u and tau, and above tau the dotted lines of the cuts. */
export type Lines = { readonly u: number; readonly tauAt: number; readonly cuts: readonly number[] };

/** Where the name of a region goes: the middle of its widest free part, at least `width` wide; null if
    there is none. */
export function namePlace(
  { ys, moving }: Plane,
  region: Region,
  lines: Lines,
  width: number,
): { x: number; y: number } | null {
  const height = 0.13;
  let best: { x: number; y: number; width: number } | null = null;
  for (const [row, own] of region.rows.entries()) {
    const y = ys[row]!;
    if (y < height / 2 || y > 1 - height / 2 || Math.abs(y - lines.tauAt) < height) continue;
    const around = moving ? region.rows.filter((_, other) => Math.abs(ys[other]! - y) < height / 2) : [own];
    const lo = Math.max(...around.map(([left]) => left)),
      hi = Math.min(...around.map(([, right]) => right));
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
