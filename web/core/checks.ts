// What is checked before a call: arguments that wasm could not carry as they are.
import { SmpError, type Fault, type Words } from "./error.ts";
import type { Code, Core } from "./module.ts";

/** A whole number from 0 to below a limit. */
export const isWhole = (number: unknown, limit = 2 ** 32): number is number =>
  Number.isInteger(number) && (number as number) >= 0 && (number as number) < limit;

/** Ids, those that no row of n has as one that the core refuses with its place: none may wrap around to a legal one. */
export const idsBelow = (core: Core, n: number, ids: ArrayLike<number>): number[] =>
  Array.from(ids, id => (isWhole(id, n) ? id : core.abi.limits.none));

/** A whole number that fits the core's unsigned 32 bits; what lies in range is the core's to say. */
export function count(core: Core, param: string, value: number, ...path: readonly (string | number)[]): number {
  if (isWhole(value)) return value;
  throw refusal(core, param, { path: path.length ? path : [param] });
}

/** The value of a word in one of the tables of the core. */
export function choice(core: Core, table: readonly Code[], param: string, text: string): number {
  const row = table.find(([, , known]) => known === text);
  if (row) return row[1];
  throw refusal(core, param, { path: [param] });
}

/** The words of a table. */
export const wordsOf = (table: readonly Code[]): string => table.map(([, , text]) => text).join(", ");

export const textOf = (table: readonly Code[], value: number): string =>
  table.find(([, known]) => known === value)?.[2] ?? "";

/** A value that a parameter of the core may not have. */
export function refusal(core: Core, param: string, fault: Fault): SmpError {
  const allowed = core.abi.param.find(row => row[2] === param)?.[3] ?? "";
  const status = core.abi.status.find(row => row[0] === "ERR_PARAM")?.[2] ?? "";
  return new SmpError({ status, allowed, ...fault });
}

/** The core's row is the caller's logits. */
export const logitsWords: Words = (param, entry) => (param === "row" ? { path: ["logits", ...entry] } : undefined);

/** An object that is neither null nor an array. */
export const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);
