// What is checked before a call: arguments that wasm could not carry as they are.
import { SmpError } from "./error.ts";
import type { Code, Core } from "./module.ts";

/** A whole number that fits the core's unsigned 32 bits; what lies in range is the core's to say. */
export function count(core: Core, name: string, value: number, index = 0): number {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32) return value;
  throw refusal(core, name, index);
}

/** The value of a word in one of the tables of the core. */
export function choice(core: Core, table: readonly Code[], name: string, text: string): number {
  const row = table.find(([, , known]) => known === text);
  if (row) return row[1];
  throw refusal(core, name);
}

function refusal(core: Core, name: string, index = 0): SmpError {
  const allowed = core.abi.param.find(row => row[2] === name)?.[3] ?? "";
  const text = core.abi.status.find(row => row[0] === "ERR_PARAM")?.[2] ?? "";
  return new SmpError("ERR_PARAM", { param: name, index }, `${name}: ${text}; allowed: ${allowed}`, allowed);
}
