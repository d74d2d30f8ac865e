// Real positions of a model, as the second script leaves them on the page: it may come before the elements, or after.
import type { Row } from "../../compare/row.ts";

export type Position = {
  /** What attributes and links call it. */
  readonly name: string;
  /** By language. */
  readonly title: Readonly<Record<string, string>>;
  /** Ids so far. */
  readonly context: readonly number[];
  /** Their end, as text. */
  readonly text: string;
  /** Floats in base64: first the highest byte of each, then the next, since the highest repeat. */
  readonly row: string;
  /** A line for each id: white space and backslashes as \n, \r, \t and \\, bytes that are no character as \xNN. */
  readonly pieces: string;
};

/** The place that all copies of the scripts share, and the event that says it is filled. */
const SHARED = Symbol.for("sampling-lab.logits");
export const ARRIVED = "sampling-lab-logits";

type Place = { [SHARED]?: readonly Position[] };

export const published = (): readonly Position[] => (globalThis as Place)[SHARED] ?? [];

export function publish(positions: readonly Position[]): void {
  (globalThis as Place)[SHARED] = positions;
  dispatchEvent(new Event(ARRIVED));
}

const rows = new WeakMap<Position, Row>();

/** The row of a position; read on first use. */
export function rowAt(position: Position): Row {
  const known = rows.get(position);
  if (known) return known;
  const row: Row = {
    kind: "position",
    name: position.name,
    logits: decode(position.row),
    piece: piecesOf(position.pieces),
  };
  rows.set(position, row);
  return row;
}

function decode(text: string): Float32Array {
  const bytes = atob(text),
    count = bytes.length / 4,
    view = new DataView(new ArrayBuffer(bytes.length));
  for (let place = 0; place < bytes.length; place++)
    view.setUint8(4 * (place % count) + Math.floor(place / count), bytes.charCodeAt(place));
  return Float32Array.from({ length: count }, (_, index) => view.getFloat32(4 * index));
}

/** White space as a sign. */
const SIGNS: Readonly<Record<string, string>> = { " ": "␣", "\\n": "⏎", "\\r": "␍", "\\t": "⇥", "\\\\": "\\" };

function piecesOf(text: string): (id: number) => string {
  let lines: readonly string[] | undefined;
  return id => ((lines ??= text.split("\n"))[id] ?? "").replace(/ |\\[nrt\\]/g, sign => SIGNS[sign]!);
}
