// A line of JSON as a request: its fields read strictly, and errors that say what was found and what is allowed.
import { SmpError } from "../core/error.ts";
import { parseHexFloat } from "./hexfloat.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Request = Readonly<Record<string, Json>>;
/** Reads a row from a file, where the host has files; null if it cannot. */
export type ReadLogits = (path: string) => Float32Array | null;

/** The row of `logits` or `logits_file`. */
export function logitsOf(request: Request, read: ReadLogits): Float32Array {
  const { logits, logits_file: path } = request;
  if ((logits === undefined) === (path === undefined))
    throw bad(
      "logits",
      `logits: ${path === undefined ? "missing" : "found logits_file too"}; allowed: one of logits and logits_file`,
    );
  if (path === undefined)
    return Float32Array.from(numbers(request, "logits"), (value, index) => floatOf(value, "logits", index));
  const row = typeof path === "string" ? read(path) : null;
  if (!row) throw bad("logits_file", `logits_file: ${shown(path)}; allowed: the path of a readable file of logits`);
  return row;
}

/** The number, unless it would turn infinite as a 32-bit float. */
function floatOf(value: number, name: string, index: number): number {
  if (!Number.isFinite(value) || Number.isFinite(Math.fround(value))) return value;
  throw bad(
    name,
    `${name}[${index}]: found ${value}; allowed: numbers that a 32-bit float holds, to ±3.4028234663852886e38; for an entry that is removed write "-inf"`,
    index,
  );
}

export function list(request: Request, key: string, name = key): Json[] {
  const value = request[key];
  if (!Array.isArray(value)) throw bad(name, `${name}: ${shown(value)}; allowed: an array`);
  return value;
}

export function numbers(request: Request, key: string, name = key): number[] {
  return list(request, key, name).map((entry, index) => number(entry, name, index));
}

/** A number of JSON or the text of one. `key` is the field, `index` the entry of its list; `path` is where it stands in the line. */
export function number(
  value: Json | undefined,
  key: string,
  index?: number,
  path = index === undefined ? key : `${key}[${index}]`,
): number {
  const named = { inf: Infinity, "-inf": -Infinity, nan: NaN };
  if (typeof value === "string" && Object.hasOwn(named, value)) return named[value as keyof typeof named];
  const parsed = typeof value === "number" ? value : typeof value === "string" ? parseHexFloat(value) : null;
  if (parsed === null)
    throw bad(
      key,
      `${path}: ${shown(value)}; allowed: a number, or a string with a C99 hex float, "inf", "-inf" or "nan"`,
      index,
    );
  if (Number.isFinite(parsed)) return parsed;
  throw bad(
    key,
    `${path}: found a number beyond ±1.7976931348623157e308, which is the end of doubles; for an infinity write "inf" or "-inf"`,
    index,
  );
}

export function word(request: Request, key: string, fallback: string): string {
  const value = request[key] ?? fallback;
  if (typeof value !== "string") throw bad(key, `${key}: ${shown(value)}; allowed: a string`);
  return value;
}

/** An object that is neither null nor an array. */
export const isPlain = (value: Json | undefined): value is { [key: string]: Json } =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** What is wrong with a line before anything is called. */
export class LineError extends SmpError {}

export const bad = (param: string, message: string, index = 0): LineError =>
  new LineError("ERR_PARAM", { param, index }, message);

/** What was found, short enough for a message. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "missing";
  return `found ${short(JSON.stringify(value))}`;
}

/** The first characters of someone's text. */
export const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
