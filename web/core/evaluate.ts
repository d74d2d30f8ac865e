// JSON lines in, JSON lines out: the core for scripts and tests in any language.
import { chain, CHANGES, type Step, type StepOptions, type StepValue } from "./chain.ts";
import { SmpError } from "./error.ts";
import { formatHexFloat, parseHexFloat } from "./hexfloat.ts";
import { lab, type Share, type Tie } from "./lab.ts";
import type { Core } from "./module.ts";
import { stop, stopOne, type Cell, type Rule } from "./stop.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Request = Readonly<Record<string, Json>>;
/** Reads a file of little-endian floats, where the host has files; null if it cannot. */
export type ReadLogits = (path: string) => Float32Array | null;
type Operation = { readonly fields: Readonly<Record<string, "required" | "optional">>; readonly run: (core: Core, request: Request, read: ReadLogits) => Json };

const operations: Readonly<Record<string, Operation>> = {
  lab: {
    fields: { logits: "required", tau: "required", k: "required", u: "required", tie: "optional", share: "optional", hex: "optional" },
    run: evaluateLab,
  },
  chain: {
    fields: { logits: "optional", logits_file: "optional", chain: "required", context: "optional", u: "optional" },
    run: evaluateChain,
  },
  stop: {
    fields: { candidates: "required", eos: "optional", pad: "required", max_new_tokens: "required", rule: "optional" },
    run: evaluateStop,
  },
  "stop-one": {
    fields: { prompt: "required", candidates: "required", eos: "optional", max_new_tokens: "required", keep_eos: "optional" },
    run: evaluateStopOne,
  },
};

/** The answer to one line, itself one line of JSON. Never throws for a bad line: the answer then is an error. */
export function evaluateLine(core: Core, line: string, read: ReadLogits = () => null): string {
  try {
    const request = parse(line);
    const answer = operation(request).run(core, request, read);
    return JSON.stringify(request.hex === true ? hex(answer) : answer, nonFinite);
  } catch (error) {
    if (error instanceof SmpError) return JSON.stringify({ error: { code: error.code, where: error.where, message: error.message } });
    throw error;
  }
}

function evaluateLab(core: Core, request: Request): Json {
  const result = lab(core, numbers(request, "logits"), {
    tau: number(request.tau, "tau"),
    k: number(request.k, "k"),
    u: number(request.u, "u"),
    tie: word(request, "tie", "strict") as Tie,
    share: word(request, "share", "renormalised") as Share,
  });
  if (result.greedy) return { greedy: true, id: result.id, scores: null, p: null, kept: null, q: null, intervals: null };
  const kept = Array.from(result.kept.keys()).filter(id => result.kept[id]);
  return {
    scores: [...result.score],
    p: [...result.p],
    kept,
    q: kept.map(id => result.q[id]!),
    intervals: kept.map(id => [result.lo[id]!, result.hi[id]!]),
    id: result.id,
  };
}

/** Up to this many kept ids are listed; of more, the most probable. */
const LISTED = 400, MOST_PROBABLE = 64;

function evaluateChain(core: Core, request: Request, read: ReadLogits): Json {
  const logits = logitsOf(request, read), steps = stepsOf(request);
  const context = request.context === undefined ? [] : numbers(request, "context");
  const u = request.u === undefined ? 0 : number(request.u, "u");
  const { n_kept, id, by_rounding, kept, values, info } = chain(core, logits, { steps, context, u, info: true });
  const order = Array.from(kept.keys());
  if (n_kept > LISTED) order.sort((a, b) => values[b]! - values[a]! || a - b).length = MOST_PROBABLE;
  const [ids, p] = [order.map(place => kept[place]!), order.map(place => values[place]!)];
  return {
    n_kept,
    ...(n_kept > LISTED ? { top_ids: ids, top_probs: p } : { kept: ids, probs: p }),
    changed: changed(core, logits, steps, context),
    info: info.map((record, index) => ({ step: steps[index]![0], ...record })),
    id,
    by_rounding,
  };
}

/** `[id, logit]` of every entry that a penalty or a bias has changed, before other steps touch it. */
function changed(core: Core, logits: Float32Array, all: readonly Step[], context: readonly number[]): Json[] {
  const steps = all.filter(([name]) => CHANGES.test(name));
  if (!steps.length) return [];
  const { kept, values } = chain(core, logits, { steps, context, out: "logits" });
  const after = new Float32Array(logits.length).fill(-Infinity);
  kept.forEach((id, place) => (after[id] = values[place]!));
  return Array.from(logits.keys()).flatMap(id => (after[id] === logits[id] ? [] : [[id, after[id]!]]));
}

function logitsOf(request: Request, read: ReadLogits): Float32Array {
  const { logits, logits_file: path } = request;
  if ((logits === undefined) === (path === undefined)) throw bad("logits", `logits: ${path === undefined ? "missing" : "found logits_file too"}; allowed: one of logits and logits_file`);
  if (path === undefined) return Float32Array.from(numbers(request, "logits"));
  const row = typeof path === "string" ? read(path) : null;
  if (!row) throw bad("logits_file", `logits_file: ${shown(path)}; allowed: the path of a readable file of 32-bit little-endian floats`);
  return row;
}

const STEP = 'arrays such as ["temperature", 0.7], ["top_k", 50, {"tie": "strict"}] or ["logit_bias", [[3, -1.5]]]';

function stepsOf(request: Request): Step[] {
  if (!Array.isArray(request.chain)) throw bad("chain", `chain: ${shown(request.chain)}; allowed: an array of ${STEP}`);
  return request.chain.map((step, index) => {
    const [name, value, options = {}, ...rest] = Array.isArray(step) ? step : [];
    const plain = options !== null && typeof options === "object" && !Array.isArray(options);
    if (typeof name !== "string" || value === undefined || !plain || rest.length) throw bad("chain", `chain[${index}]: ${shown(step)}; allowed: ${STEP}`, index);
    for (const [key, type] of Object.entries(options))
      if (!(key === "tie" && typeof type === "string") && !(key === "last" && typeof type === "number")) throw bad("chain", `chain[${index}]: ${shown(options)}; allowed: tie, last`, index);
    const deep = (entry: Json): StepValue => (Array.isArray(entry) ? (entry.map(deep) as StepValue) : number(entry, name, index));
    return [name, deep(value), options as StepOptions];
  });
}

function evaluateStop(core: Core, request: Request): Json {
  const rows = list(request, "candidates").map((row, index) => numbers({ row }, "row", `candidates[${index}]`));
  const { cells, rows: ends, columns, pad, lost, lost_eos, junk, idle } = stop(core, rows, {
    ...limits(request),
    pad: number(request.pad, "pad"),
    rule: word(request, "rule", "latch") as Rule,
  });
  const appended = cells.map(row => row.slice(0, columns));
  const column = (step: number, key: keyof Cell): Json => appended.map(row => row[step]![key]);
  return {
    new_tokens: appended.map(row => row.map(cell => cell.appended)),
    finish: ends.map(end => end.finish),
    stop_step: ends.map(end => end.step),
    steps: Array.from({ length: columns }, (_, step) => ({
      candidate: column(step, "candidate"),
      finished_before: column(step, "before"),
      appended: column(step, "appended"),
      finished_after: column(step, "after"),
      batch_finished: appended[0]![step]!.batch,
    })),
    counters: { pad, lost, lost_eos, junk, idle },
  };
}

function evaluateStopOne(core: Core, request: Request): Json {
  return stopOne(core, numbers(request, "prompt"), numbers(request, "candidates"), { ...limits(request), keepEos: request.keep_eos === true });
}

/** The EOS set, as a list, one id or none, and the limit. */
function limits(request: Request): { eos: number[]; maxNewTokens: number } {
  const eos = request.eos ?? [];
  return { eos: numbers({ eos: Array.isArray(eos) ? eos : [eos] }, "eos"), maxNewTokens: number(request.max_new_tokens, "max_new_tokens") };
}

function parse(line: string): Request {
  let value: Json;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw bad("line", `the line is not JSON (${(error as Error).message}); allowed: one JSON object a line`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw bad("line", "the line is not a JSON object; allowed: one JSON object a line");
  return value;
}

function operation(request: Request): Operation {
  const names = Object.keys(operations);
  const found = typeof request.op === "string" && names.includes(request.op) ? operations[request.op] : undefined;
  if (!found) throw bad("op", `op: ${shown(request.op)}; allowed: ${names.map(name => `"${name}"`).join(", ")}`);
  const known = ["op", ...Object.keys(found.fields)];
  for (const key of Object.keys(request))
    if (!known.includes(key)) throw bad(key, `${key}: no such field; allowed: ${known.join(", ")}`);
  for (const flag of ["hex", "keep_eos"])
    if (request[flag] !== undefined && typeof request[flag] !== "boolean") throw bad(flag, `${flag}: ${shown(request[flag])}; allowed: true or false`);
  for (const [key, need] of Object.entries(found.fields))
    if (need === "required" && request[key] === undefined) throw bad(key, `${key}: missing`);
  return found;
}

function list(request: Request, key: string, name = key): Json[] {
  const value = request[key];
  if (!Array.isArray(value)) throw bad(name, `${name}: ${shown(value)}; allowed: an array`);
  return value;
}

function numbers(request: Request, key: string, name = key): number[] {
  return list(request, key, name).map((entry, index) => number(entry, name, index));
}

function number(value: Json | undefined, key: string, index?: number): number {
  if (typeof value === "number") return value;
  const named = { inf: Infinity, "-inf": -Infinity, nan: NaN };
  const parsed = typeof value !== "string" ? null : Object.hasOwn(named, value) ? named[value as keyof typeof named] : parseHexFloat(value);
  if (parsed !== null) return parsed;
  throw bad(key, `${key}${index === undefined ? "" : `[${index}]`}: ${shown(value)}; allowed: a number, or a string with a C99 hex float, "inf", "-inf" or "nan"`, index);
}

function word(request: Request, key: string, fallback: string): string {
  const value = request[key] ?? fallback;
  if (typeof value !== "string") throw bad(key, `${key}: ${shown(value)}; allowed: a string`);
  return value;
}

function bad(param: string, message: string, index = 0): SmpError {
  return new SmpError("ERR_PARAM", { param, index }, message);
}

/** What was found, short enough for a message. */
function shown(value: Json | undefined): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return `found ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
}

/** JSON has no infinities. The core returns no other value that JSON lacks. */
function nonFinite(_key: string, value: unknown): unknown {
  return value === -Infinity ? "-inf" : value;
}

/** Every number as a hex float, but for ids and counts. */
function hex(answer: Json): Json {
  const convert = (value: Json): Json =>
    typeof value === "number" ? formatHexFloat(value) : Array.isArray(value) ? value.map(convert) : value !== null && typeof value === "object" ? hex(value) : value;
  const entries = Object.entries(answer as Record<string, Json>).map(([key, value]): [string, Json] => {
    if (/^(id|kept|n_kept|top_ids)$/.test(key)) return [key, value];
    return [key, key === "changed" ? (value as [number, number][]).map(([id, logit]) => [id, formatHexFloat(logit)]) : convert(value)];
  });
  return Object.fromEntries(entries);
}
