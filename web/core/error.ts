// The one error class: what is wrong, as data in the words of the caller, and the one sentence that is made from it.

/** Names of fields and places in lists, the outermost first. */
export type Path = readonly (string | number)[];

/** Where something is wrong. */
export type Place = {
  readonly path: Path;
  /** How the path is written, where that is another way than with dots and brackets. */
  readonly text?: string;
  /** What `where` says; by default the last name and the last place of the path. */
  readonly param?: string;
  readonly index?: number;
  /** The step or sampler that the first `depth` parts of the path lead to; `part`: what of it, where it has a name. */
  readonly step?: { readonly name: string; readonly depth: number; readonly part?: string };
};

export type Fault = Place & {
  /** Default `ERR_PARAM`. */
  readonly code?: string;
  /** The text of the code. */
  readonly status?: string;
  /** What stands there, if `wrong` tells that and no more. */
  readonly found?: unknown;
  /** What is wrong, where it is more than the code says. */
  readonly wrong?: string;
  readonly allowed?: string;
};

/** An argument that the core, or the typed call in front of it, refuses. Nothing was computed. */
export class SmpError extends Error {
  /** Name of the status, as in smp.h: `ERR_PARAM`, `ERR_NAN`, ...; or `ERR_TRAP`: the core itself failed, in the
      function that `where` names, and was started anew. */
  readonly code: string;
  /** Name of the argument, field, step or sampler and, within a list, the index of the entry. */
  readonly where: { readonly param: string; readonly index: number };
  /** The way to it through what the caller gave. */
  readonly path: Path;
  readonly allowed: string | undefined;
  readonly fault: Fault;

  constructor(fault: Fault) {
    const { path, code = "ERR_PARAM", status, wrong, allowed, text = pathText(path) } = fault;
    const told = [wrong, wrong && code === "ERR_PARAM" ? "" : status, allowed && `allowed: ${allowed}`];
    super(`${text}${path.length ? ": " : " "}${told.filter(Boolean).join("; ")}`);
    const { param = last(path, "string") ?? "line", index = last(path, "number") ?? 0 } = fault;
    this.name = "SmpError";
    this.code = code;
    this.where = { param, index };
    this.path = path;
    this.allowed = allowed;
    this.fault = fault;
  }
}

function last(path: Path, type: "string"): string | undefined;
function last(path: Path, type: "number"): number | undefined;
function last(path: Path, type: string): string | number | undefined {
  return path.filter(each => typeof each === type).at(-1);
}

/** `settings.top_k`, `candidates[1][0]`; of nothing, the line. */
export const pathText = (path: Path): string =>
  path.map((each, at) => (typeof each === "number" ? `[${each}]` : (at ? "." : "") + each)).join("") || "the line";

/** Of each status and parameter its name, its value, its text, and what is allowed. */
type Tables = Readonly<
  Record<"status" | "param", readonly (readonly [name: string, value: number, text: string, allowed: string])[]>
>;

/** What the caller calls an argument of the core, and the entry of it that is meant, if one is; nothing
    where the names agree. */
export type Words = (param: string, entry: readonly number[], index: number) => Fault | undefined;

/** Statuses that mean one entry; of lists, ERR_PARAM does too. The other errors of an array mean the whole of it. */
const OF_ENTRY = ["ERR_NAN", "ERR_INF", "ERR_SHORT"],
  LISTS = ["logits", "candidates", "eos", "prompt", "context", "row", "kept"];

/** The error for a status that a call returned, with the texts of the core and the words of the caller. */
export function statusError(abi: Tables, status: number, param: number, index: number, words?: Words): SmpError {
  const [code, , text] = abi.status.find(row => row[1] === status) ?? [`status ${status}`, status, "unknown status"];
  const [, , name, allowed] = abi.param.find(row => row[1] === param) ?? ["", param, "", ""];
  const entry = OF_ENTRY.includes(code) || (code === "ERR_PARAM" && LISTS.includes(name)) ? [index] : [];
  return new SmpError({
    allowed,
    ...(words?.(name, entry, index) ?? { path: [name, ...entry], index }),
    code,
    status: text,
  });
}
