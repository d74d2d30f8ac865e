// The one error class: a status of the core, and the argument it points at.

/** Of each status and parameter its name, its value, its text, and what is allowed. */
type Tables = Readonly<
  Record<"status" | "param", readonly (readonly [name: string, value: number, text: string, allowed: string])[]>
>;

/** An argument that the core, or the typed call in front of it, refuses. Nothing was computed. */
export class SmpError extends Error {
  /** Name of the status, as in smp.h: `ERR_PARAM`, `ERR_NAN`, ...; or `ERR_TRAP`: the core itself failed, in the function
      that `where` names, and was started anew. */
  readonly code: string;
  /** Name of the argument and, within an array, the index of the entry. */
  readonly where: { readonly param: string; readonly index: number };
  /** What the argument may be, where the message only says that and no more. */
  readonly allowed: string | undefined;

  constructor(code: string, where: { param: string; index: number }, message: string, allowed?: string) {
    super(message);
    this.name = "SmpError";
    this.code = code;
    this.where = where;
    this.allowed = allowed;
  }
}

/** Statuses that mean one entry; of lists, ERR_PARAM does too. The other errors of an array mean the whole of it. */
const OF_ENTRY = ["ERR_NAN", "ERR_INF", "ERR_SHORT"],
  LISTS = ["logits", "candidates", "eos", "prompt", "context"];

/** The error for a status that a call returned, with the texts of the core. */
export function statusError(abi: Tables, status: number, param: number, index: number): SmpError {
  const [code, , text] = abi.status.find(row => row[1] === status) ?? [`status ${status}`, status, "unknown status"];
  const [, , name, allowed] = abi.param.find(row => row[1] === param) ?? ["", param, "", ""];
  const entry = OF_ENTRY.includes(code) || (code === "ERR_PARAM" && LISTS.includes(name)) ? `${name}[${index}]` : name;
  return new SmpError(code, { param: name, index }, `${entry}: ${text}; allowed: ${allowed}`, allowed);
}
