// An answer as a line of JSON.
import { SmpError } from "../core/error.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What `work` gives, or why there is no answer: whatever happens, a line. */
export function lineOf(work: () => Json): string {
  try {
    return JSON.stringify(work(), nonFinite);
  } catch (error) {
    const { code, where, message } = told(error);
    // a terminal acts on C1 controls too, and JSON escapes only the others
    return JSON.stringify({ error: { code, where, message } }).replace(
      /[\x7f-\x9f]/g,
      control => `\\u00${control.charCodeAt(0).toString(16)}`,
    );
  }
}

function told(error: unknown): SmpError {
  if (error instanceof SmpError) return error;
  const { message } = error instanceof Error ? error : new Error(String(error));
  return error instanceof RangeError
    ? new SmpError({ code: "ERR_LENGTH", path: [], wrong: `needs more memory than there is: ${message}` })
    : new SmpError({
        code: "ERR_INTERNAL",
        path: [],
        wrong: `led to an internal error; please report it: ${message}`,
      });
}

/** JSON has no infinities. The core returns no other value that JSON lacks. */
function nonFinite(_key: string, value: unknown): unknown {
  return value === -Infinity ? "-inf" : value === Infinity ? "inf" : value;
}
