// JSON lines in, JSON lines out: the core for scripts and tests in any language.
import { lineOf } from "./answer.ts";
import { chain, changesIds, type Step, type StepOptions, type StepValue } from "../core/chain.ts";
import { SmpError } from "../core/error.ts";
import { ENGINE_FIELDS, evaluateCompare, evaluateEngine, type Told } from "./evaluate-engine.ts";
import { explained } from "./explain.ts";
import { formatHexFloat } from "./hexfloat.ts";
import { parseLine } from "./json.ts";
import { lab, type LabFilter, type Share, type Tie } from "../core/lab.ts";
import { filtersOf, infoOf } from "./filters.ts";
import { listed } from "./listed.ts";
import type { Core } from "../core/module.ts";
import {
  bad,
  isPlain,
  list,
  logitsOf,
  number,
  numbers,
  short,
  shown,
  word,
  type Json,
  type ReadLogits,
  type Request,
} from "./request.ts";
import { stop, stopOne, type Cell, type Rule } from "../core/stop.ts";

export type { ReadLogits };
type Operation = {
  readonly fields: Readonly<Record<string, "required" | "optional">>;
  readonly run: (core: Core, request: Request, read: ReadLogits, told?: Told) => Json;
};
/** A line that can be tried: its fields are those of its operation. */
type Asked = { readonly request: Request; readonly operation: Operation };

const operations: Readonly<Record<string, Operation>> = {
  lab: {
    fields: {
      logits: "required",
      tau: "required",
      k: "optional",
      u: "required",
      tie: "optional",
      filters: "optional",
      share: "optional",
      hex: "optional",
    },
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
    fields: {
      prompt: "required",
      candidates: "required",
      eos: "optional",
      max_new_tokens: "required",
      keep_eos: "optional",
    },
    run: evaluateStopOne,
  },
  engine: {
    fields: { engine: "required", ...ENGINE_FIELDS },
    run: evaluateEngine,
  },
  compare: {
    fields: { engines: "required", ...ENGINE_FIELDS },
    run: evaluateCompare,
  },
};

/** The answer to one line, itself one line of JSON. Never throws: the answer then is an error. */
export function evaluateLine(core: Core, line: string, read: ReadLogits = () => null, told?: Told): string {
  return lineOf(() => answerTo(core, askedIn(line), read, told));
}

/** The same where files are not read at once: the row that the line names is fetched first. */
export async function evaluateLineWith(
  core: Core,
  line: string,
  fetchRow: (path: string) => Promise<Float32Array>,
): Promise<string> {
  let asked: Asked,
    row: Float32Array | undefined,
    problem = "";
  try {
    asked = askedIn(line);
  } catch (error) {
    return lineOf(() => rethrown(error));
  }
  const { logits_file: path } = asked.request;
  try {
    if (typeof path === "string") row = await fetchRow(path);
  } catch (error) {
    problem = (error as Error).message;
  }
  return lineOf(() => answerTo(core, asked, path => row ?? unread(path, problem)));
}

const rethrown = (error: unknown): never => {
  throw error;
};

const unread = (path: string, problem: string): never => {
  throw bad("logits_file", `logits_file: ${shown(path)}: ${problem}`);
};

function answerTo(core: Core, { request, operation }: Asked, read: ReadLogits, told?: Told): Json {
  try {
    const answer = operation.run(core, request, read, told);
    return request.hex === true ? hex(answer) : answer;
  } catch (error) {
    throw error instanceof SmpError ? explained(core, error, request) : error;
  }
}

function evaluateLab(core: Core, request: Request): Json {
  const result = lab(core, numbers(request, "logits"), {
    ...removing(core, request),
    tau: number(request.tau, "tau"),
    u: number(request.u, "u"),
    share: word(request, "share", "renormalised") as Share,
  });
  const filtered = request.filters !== undefined;
  if (result.greedy) {
    const answer = { greedy: true, id: result.id, scores: null, p: null, kept: null, q: null, intervals: null };
    return filtered ? { ...answer, info: null } : answer;
  }
  const kept = Array.from(result.kept.keys()).filter(id => result.kept[id]);
  return {
    scores: [...result.score],
    p: [...result.p],
    kept,
    q: kept.map(id => result.q[id]!),
    intervals: kept.map(id => [result.lo[id]!, result.hi[id]!]),
    ...(filtered ? { info: result.steps.map(infoOf) } : {}),
    id: result.id,
  };
}

/** `filters`, or `k` with its `tie`. */
function removing(core: Core, request: Request): { k: number; tie: Tie } | { filters: LabFilter[] } {
  if (request.filters === undefined) {
    if (request.k === undefined)
      throw bad("k", 'k: missing; allowed: k, or filters such as [["top_k",2],["top_p",0.9]]');
    return { k: number(request.k, "k"), tie: word(request, "tie", "strict") as Tie };
  }
  for (const key of ["k", "tie"])
    if (request[key] !== undefined)
      throw bad(
        key,
        `${key}: ${shown(request[key])} beside filters; allowed: one of the two, as in filters [["top_k",2,{"tie":"strict"}]]`,
      );
  return { filters: filtersOf(core, request) };
}

function evaluateChain(core: Core, request: Request, read: ReadLogits): Json {
  const logits = logitsOf(request, read),
    steps = stepsOf(request);
  const context = request.context === undefined ? [] : numbers(request, "context");
  const u = request.u === undefined ? 0 : number(request.u, "u");
  const { n_kept, id, by_rounding, kept, values, info } = chain(core, logits, { steps, context, u, info: true });
  return {
    n_kept,
    ...listed(kept, values),
    changed: changed(core, logits, steps, context),
    info: info.map((record, index) => ({ step: steps[index]![0], ...record })),
    id,
    by_rounding,
  };
}

/** `[id, logit]` of every entry that a penalty or a bias has changed, before other steps touch it. */
function changed(core: Core, logits: Float32Array, all: readonly Step[], context: readonly number[]): Json[] {
  const steps = all.filter(([name]) => changesIds(core, name));
  if (!steps.length) return [];
  const { kept, values } = chain(core, logits, { steps, context, out: "logits" });
  const after = new Float32Array(logits.length).fill(-Infinity);
  kept.forEach((id, place) => (after[id] = values[place]!));
  return Array.from(logits.keys()).flatMap(id => (after[id] === logits[id] ? [] : [[id, after[id]!]]));
}

const STEP = 'arrays such as ["temperature", 0.7], ["top_k", 50, {"tie": "strict"}] or ["logit_bias", [[3, -1.5]]]';
/** Steps of a chain at most: each is a pass over the row, and a record in the answer. */
const MOST_STEPS = 64;

function stepsOf({ chain: steps }: Request): Step[] {
  if (!Array.isArray(steps)) throw bad("chain", `chain: ${shown(steps)}; allowed: an array of ${STEP}`);
  if (steps.length > MOST_STEPS)
    throw bad("chain", `chain: found ${steps.length} steps; allowed: at most ${MOST_STEPS}`);
  return steps.map((step, index) => {
    const [name, value, options = {}, ...rest] = Array.isArray(step) ? step : [],
      at = `chain[${index}]`;
    if (typeof name !== "string" || value === undefined || !isPlain(options) || rest.length)
      throw bad("chain", `${at}: ${shown(step)}; allowed: ${STEP}`, index);
    for (const [key, found] of Object.entries(options)) {
      if (key !== "tie" && key !== "last")
        throw bad("chain", `${at}: no such option as ${JSON.stringify(short(key))}; allowed: tie, last`, index);
      if (typeof found !== (key === "tie" ? "string" : "number"))
        throw bad(key, `${at} ${key}: ${shown(found)}; allowed: a ${key === "tie" ? "string" : "number"}`, index);
    }
    return [name, valueOf(value, name, index), options as StepOptions];
  });
}

/** A number, or a list of numbers and of pairs of them; what fits the step is for the chain to say. */
function valueOf(value: Json, name: string, index: number): StepValue {
  const at = `chain[${index}] ${short(name)}`;
  if (!Array.isArray(value)) return number(value, short(name), index, at);
  return value.map((entry, place) => {
    if (!Array.isArray(entry)) return number(entry, short(name), index, `${at}[${place}]`);
    return entry.map((each, side) => number(each, short(name), index, `${at}[${place}][${side}]`));
  }) as StepValue;
}

function evaluateStop(core: Core, request: Request): Json {
  const rows = list(request, "candidates").map((row, index) => numbers({ row }, "row", `candidates[${index}]`));
  const {
    cells,
    rows: ends,
    columns,
    pad,
    lost,
    lost_eos,
    junk,
    idle,
  } = stop(core, rows, {
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
  return stopOne(core, numbers(request, "prompt"), numbers(request, "candidates"), {
    ...limits(request),
    keepEos: request.keep_eos === true,
  });
}

/** The EOS set, as a list, one id or none, and the limit. */
function limits(request: Request): { eos: number[]; maxNewTokens: number } {
  const eos = request.eos ?? [];
  return {
    eos: numbers({ eos: Array.isArray(eos) ? eos : [eos] }, "eos"),
    maxNewTokens: number(request.max_new_tokens, "max_new_tokens"),
  };
}

function askedIn(line: string): Asked {
  const request = parseLine(line);
  if (!isPlain(request)) throw bad("line", "the line is not a JSON object; allowed: one JSON object a line");
  return { request, operation: operationOf(request) };
}

function operationOf(request: Request): Operation {
  const names = Object.keys(operations);
  const found = typeof request.op === "string" && names.includes(request.op) ? operations[request.op] : undefined;
  if (!found) throw bad("op", `op: ${shown(request.op)}; allowed: ${names.map(name => `"${name}"`).join(", ")}`);
  const known = ["op", ...Object.keys(found.fields)];
  for (const key of Object.keys(request))
    if (!known.includes(key)) throw bad(short(key), `${short(key)}: no such field; allowed: ${known.join(", ")}`);
  for (const flag of ["hex", "keep_eos", "settings_only", "greedy", "replacement"])
    if (request[flag] !== undefined && typeof request[flag] !== "boolean")
      throw bad(flag, `${flag}: ${shown(request[flag])}; allowed: true or false`);
  for (const [key, need] of Object.entries(found.fields))
    if (need === "required" && !Object.hasOwn(request, key)) throw bad(key, `${key}: missing`);
  return found;
}

/** Every number as a hex float, but for ids and counts. */
function hex(answer: Json): Json {
  const convert = (value: Json): Json =>
    typeof value === "number"
      ? formatHexFloat(value)
      : Array.isArray(value)
        ? value.map(convert)
        : value !== null && typeof value === "object"
          ? hex(value)
          : value;
  const entries = Object.entries(answer as Record<string, Json>).map(([key, value]): [string, Json] => {
    if (/^(id|kept|n_kept|top_ids|found|removed)$/.test(key)) return [key, value];
    return [
      key,
      key === "changed"
        ? (value as [number, number][]).map(([id, logit]) => [id, formatHexFloat(logit)])
        : convert(value),
    ];
  });
  return Object.fromEntries(entries);
}
