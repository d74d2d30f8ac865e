// A line of JSON as a request: its fields read strictly, and errors that say what was found and what is allowed.
import { SmpError, type Fault, type Path, type Place } from "../core/error.ts";
import { finding, short, stepPlace } from "../core/place.ts";
import type { Json } from "./answer.ts";
import { parseHexFloat } from "./hexfloat.ts";

export { short };

export type { Json };
export type Request = Readonly<Record<string, Json>>;
/** Reads a row from a file, where the host has files; null if it cannot. */
export type ReadLogits = (path: string) => Float32Array | null;

/** What is wrong with a line, in its own words. */
export class LineError extends SmpError {}

export const bad = (fault: Fault): LineError => new LineError(fault);

/** Where a field stands in the line, or an entry of it. */
export const at = (...path: Path): Place => ({
  path: path.map(each => (typeof each === "string" ? short(each) : each)),
});
const within = ({ path, step }: Place, entry: number): Place =>
  step ? stepPlace([...path, entry], step) : at(...path, entry);

/** The row of `logits` or `logits_file`. */
export function logitsOf(request: Request, read: ReadLogits): Float32Array {
  const { logits, logits_file: path } = request;
  if ((logits === undefined) === (path === undefined))
    throw bad({
      ...at("logits"),
      wrong: path === undefined ? "missing" : "found logits_file too",
      allowed: "one of logits and logits_file",
    });
  if (path === undefined) return Float32Array.from(numbers(logits, at("logits")), floatOf);
  const row = typeof path === "string" ? read(path) : null;
  if (!row) throw bad({ ...at("logits_file"), ...finding(path), allowed: "the path of a readable file of logits" });
  return row;
}

/** The number, unless it would turn infinite as a 32-bit float. */
function floatOf(value: number, index: number): number {
  if (!Number.isFinite(value) || Number.isFinite(Math.fround(value))) return value;
  throw bad({
    ...at("logits", index),
    ...finding(value),
    allowed: 'numbers that a 32-bit float holds, to ±3.4028234663852886e38; for an entry that is removed write "-inf"',
  });
}

export function list(value: Json | undefined, place: Place): Json[] {
  if (!Array.isArray(value)) throw bad({ ...place, ...finding(value), allowed: "an array" });
  return value;
}

export const numbers = (value: Json | undefined, place: Place): number[] =>
  list(value, place).map((entry, index) => number(entry, within(place, index)));

/** Of numbers that JSON has no other way to write. */
const NAMED: ReadonlyMap<Json | undefined, number> = new Map([
  ["inf", Infinity],
  ["-inf", -Infinity],
  ["nan", NaN],
]);

/** A number of JSON or the text of one: here alone numbers of a line are read. */
export function number(value: Json | undefined, place: Place): number {
  const named = NAMED.get(value);
  if (named !== undefined) return named;
  const parsed = typeof value === "number" ? value : typeof value === "string" ? parseHexFloat(value) : null;
  if (parsed === null)
    throw bad({
      ...place,
      ...finding(value),
      allowed: 'a number, or a string with a C99 hex float, "inf", "-inf" or "nan"',
    });
  if (Number.isFinite(parsed)) return parsed;
  throw bad({
    ...place,
    wrong:
      'found a number beyond ±1.7976931348623157e308, which is the end of doubles; for an infinity write "inf" or "-inf"',
  });
}

export function word(request: Request, key: string, fallback: string): string {
  const value = request[key] ?? fallback;
  if (typeof value !== "string") throw bad({ ...at(key), ...finding(value), allowed: "a string" });
  return value;
}
