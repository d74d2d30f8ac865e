// An answer as a line of JSON.
import { SmpError } from "./error.ts";
import type { Json } from "./request.ts";

/** What `work` gives, or why it is refused. */
export function lineOf(work: () => Json): string {
  try {
    return JSON.stringify(work(), nonFinite);
  } catch (error) {
    if (error instanceof SmpError) return JSON.stringify({ error: { code: error.code, where: error.where, message: error.message } });
    throw error;
  }
}

/** JSON has no infinities. The core returns no other value that JSON lacks. */
function nonFinite(_key: string, value: unknown): unknown {
  return value === -Infinity ? "-inf" : value;
}
