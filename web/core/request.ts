// A line of JSON as a request: its fields read strictly, and errors that say what was found and what is allowed.
import { SmpError } from "./error.ts";
import { parseHexFloat } from "./hexfloat.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Request = Readonly<Record<string, Json>>;
/** Reads a file of little-endian floats, where the host has files; null if it cannot. */
export type ReadLogits = (path: string) => Float32Array | null;

/** The row of `logits` or `logits_file`. */
export function logitsOf(request: Request, read: ReadLogits): Float32Array {
  const { logits, logits_file: path } = request;
  if ((logits === undefined) === (path === undefined)) throw bad("logits", `logits: ${path === undefined ? "missing" : "found logits_file too"}; allowed: one of logits and logits_file`);
  if (path === undefined) return Float32Array.from(numbers(request, "logits"));
  const row = typeof path === "string" ? read(path) : null;
  if (!row) throw bad("logits_file", `logits_file: ${shown(path)}; allowed: the path of a readable file of 32-bit little-endian floats`);
  return row;
}

export function list(request: Request, key: string, name = key): Json[] {
  const value = request[key];
  if (!Array.isArray(value)) throw bad(name, `${name}: ${shown(value)}; allowed: an array`);
  return value;
}

export function numbers(request: Request, key: string, name = key): number[] {
  return list(request, key, name).map((entry, index) => number(entry, name, index));
}

export function number(value: Json | undefined, key: string, index?: number): number {
  if (typeof value === "number") return value;
  const named = { inf: Infinity, "-inf": -Infinity, nan: NaN };
  const parsed = typeof value !== "string" ? null : Object.hasOwn(named, value) ? named[value as keyof typeof named] : parseHexFloat(value);
  if (parsed !== null) return parsed;
  throw bad(key, `${key}${index === undefined ? "" : `[${index}]`}: ${shown(value)}; allowed: a number, or a string with a C99 hex float, "inf", "-inf" or "nan"`, index);
}

export function word(request: Request, key: string, fallback: string): string {
  const value = request[key] ?? fallback;
  if (typeof value !== "string") throw bad(key, `${key}: ${shown(value)}; allowed: a string`);
  return value;
}

/** An object that is neither null nor an array. */
export const isPlain = (value: Json | undefined): value is { [key: string]: Json } => value !== null && typeof value === "object" && !Array.isArray(value);

export function bad(param: string, message: string, index = 0): SmpError {
  return new SmpError("ERR_PARAM", { param, index }, message);
}

/** What was found, short enough for a message. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return `found ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
}
