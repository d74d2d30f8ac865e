// An answer as a line of JSON.
import { SmpError } from "../core/error.ts";
import type { Json } from "./request.ts";

/** What `work` gives, or why there is no answer: whatever happens, a line. */
export function lineOf(work: () => Json): string {
  try {
    return JSON.stringify(work(), nonFinite);
  } catch (error) {
    // a terminal acts on C1 controls too, and JSON escapes only the others
    return JSON.stringify({ error: told(error) }).replace(
      /[\x7f-\x9f]/g,
      control => `\\u00${control.charCodeAt(0).toString(16)}`,
    );
  }
}

function told(error: unknown) {
  if (error instanceof SmpError) return { code: error.code, where: error.where, message: error.message };
  const { message } = error instanceof Error ? error : new Error(String(error)),
    where = { param: "line", index: 0 };
  if (error instanceof RangeError)
    return { code: "ERR_LENGTH", where, message: `the line needs more memory than there is: ${message}` };
  return { code: "ERR_INTERNAL", where, message: `this should not happen, please report it: ${message}` };
}

/** JSON has no infinities. The core returns no other value that JSON lacks. */
function nonFinite(_key: string, value: unknown): unknown {
  return value === -Infinity ? "-inf" : value === Infinity ? "inf" : value;
}
