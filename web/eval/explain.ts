// A refusal of the core in the words of the line that was asked: its field, its step or entry, and the value as it stands there.
import { SmpError } from "../core/error.ts";
import type { Core } from "../core/module.ts";
import { isPlain, LineError, shown, type Json, type Request } from "./request.ts";

type Place = { readonly field: string; readonly path: string; readonly value: Json | undefined };

/** The error itself where the line has no other word for its argument. */
export function explained(core: Core, error: SmpError, request: Request): SmpError {
  if (error instanceof LineError) return error;
  const { code, message, allowed, where } = error,
    { param, index } = where,
    list = request.chain === undefined ? "filters" : "chain",
    isStep = Array.isArray(request[list]) && !/^(row|context|u|logits|tau|share)$/.test(param);
  if (allowed === undefined)
    return new SmpError(code, where, isStep ? `${list}[${index}] ${message}` : message.replace(/^samplers\b/, "spec"));
  const place = isStep ? ofStep(request[list] as Json[], list, param, index) : placeOf(error, request);
  if (!place) return error;
  const wrong = code === "ERR_PARAM" ? "" : `; ${core.abi.status.find(([name]) => name === code)?.[2] ?? code}`;
  const hint =
    param === "temperature" && isStep && place.value === 0
      ? '; 0 is greedy, which is no division: write ["top_k",1,{"tie":"strict"}]'
      : "";
  return new SmpError(
    code,
    { param: place.field, index },
    `${place.path}: ${shown(place.value)}${wrong}; allowed: ${allowed}${hint}`,
    allowed,
  );
}

/** A step of a chain or a filter, or its tie. */
function ofStep(steps: Json[], list: string, param: string, index: number): Place {
  const [name, value, options] = steps[index] as Json[],
    path = `${list}[${index}] ${name as string}`;
  if (param === "tie" && isPlain(options)) return { field: param, path: `${path} tie`, value: options.tie };
  return { field: param === "k" ? "top_k" : param, path, value };
}

function placeOf({ code, where: { param, index } }: SmpError, request: Request): Place | undefined {
  const { settings, spec } = request,
    whole = /ERR_(EMPTY|LENGTH|MASKED)/.test(code);
  const entry = (field: string): Place => {
    const value = request[field];
    return whole || !Array.isArray(value)
      ? { field, path: field, value }
      : { field, path: `${field}[${index}]`, value: value[index] };
  };
  if (param === "row" && request.logits === undefined)
    return {
      field: "logits_file",
      path: whole ? "logits_file" : `logits_file, entry ${index}`,
      value: request.logits_file,
    };
  if (param === "row") return entry("logits");
  if (request.op === "stop" && (param === "rows" || param === "candidates"))
    return ofBatch(request.candidates as Json[][], param, index);
  if (param === "rows") return { field: "candidates", path: "candidates", value: request.candidates };
  if (/^(logits|candidates|context|eos|prompt)$/.test(param)) return entry(param);
  if (Array.isArray(spec) && param === "samplers") return { field: "spec", path: `spec[${index}]`, value: spec[index] };
  if (Array.isArray(spec) && Array.isArray(spec[index]) && (spec[index] as Json[])[0] === param)
    return { field: param, path: `spec[${index}]`, value: spec[index] };
  if (isPlain(settings) && Object.hasOwn(settings, param))
    return { field: param, path: `settings.${param}`, value: settings[param] };
  const field =
    param === "generator"
      ? (["replacement", "generator", "constructor"].find(each => Object.hasOwn(request, each)) ?? param)
      : param;
  return Object.hasOwn(request, field) ? { field: param, path: field, value: request[field] } : undefined;
}

/** A row of the batch, or the id that stands at a place among those of all rows. */
function ofBatch(rows: readonly Json[][], param: string, index: number): Place {
  if (param === "rows")
    return {
      field: "candidates",
      path: rows.length ? `candidates[${index}]` : "candidates",
      value: rows.length ? rows[index] : (rows as Json),
    };
  let row = 0,
    place = index;
  while (place >= rows[row]!.length) place -= rows[row++]!.length;
  return { field: "candidates", path: `candidates[${row}][${place}]`, value: rows[row]![place] };
}
