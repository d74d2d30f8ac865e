// A refusal of a typed call in the words of the line that was asked: its field, its step or entry, and
// the value that stands there.
import type { Path, SmpError } from "../core/error.ts";
import { finding, stepPlace } from "../core/place.ts";
import { LineError, type Json, type Request } from "./request.ts";

/** What a line calls the arguments of the typed calls, where the two differ. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  logits: ["logits", "logits_file"],
  weights: ["logits", "logits_file"],
  steps: ["chain"],
  samplers: ["spec"],
  maxNewTokens: ["max_new_tokens"],
  source: ["generator"],
  variants: ["replacement", "generator", "constructor"],
};

export function explained(error: SmpError, request: Request): LineError {
  if (error instanceof LineError) return error;
  const { code, status, step, index, allowed, wrong, ...fault } = error.fault,
    path = pathIn(request, error.path),
    value = valueAt(request, path);
  const told = value === undefined || (wrong !== undefined && !("found" in fault)) ? { wrong } : finding(value);
  const zero = step?.name === "temperature" && value === 0;
  return new LineError({
    ...(step ? stepPlace(path, step) : { path, index }),
    code,
    status,
    ...told,
    allowed: zero ? `${allowed}; 0 is greedy, which is no division: write ["top_k",1,{"tie":"strict"}]` : allowed,
  });
}

function pathIn(request: Request, [first = "", ...rest]: Path): Path {
  const fields = Object.hasOwn(FIELDS, first) ? FIELDS[first]! : [String(first)];
  const field = fields.find(each => Object.hasOwn(request, each)) ?? fields[0]!,
    value = request[field];
  // one id may stand for a list of one, and a flag for a variant; entries of a file do not stand in the line
  const inside = (value !== null && typeof value === "object") || field === "logits_file";
  return inside ? [field, ...rest] : [field];
}

function valueAt(request: Request, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, each) =>
      value !== null && typeof value === "object" && Object.hasOwn(value, each)
        ? (value as { [key: string]: Json })[each]
        : undefined,
    request,
  );
}
