// JSON lines in, JSON lines out: the core for scripts and tests in any language.
import { isPlain, wordsOf } from "../core/checks.ts";
import { SmpError } from "../core/error.ts";
import { TAUS } from "../core/frequency.ts";
import type { Core } from "../core/module.ts";
import { finding } from "../core/place.ts";
import { lineOf } from "./answer.ts";
import { ENGINE_FIELDS } from "./engine-request.ts";
import { evaluateChain, evaluateLab, STEP } from "./evaluate-chain.ts";
import { CURVE_FIELDS, DRAW_FIELDS, DRAWS, evaluateCurve, evaluateDraw } from "./evaluate-draw.ts";
import { evaluateCompare, evaluateEngine } from "./evaluate-engine.ts";
import { evaluateGenerate, GENERATE_FIELDS } from "./evaluate-generate.ts";
import { evaluateStop, evaluateStopOne } from "./evaluate-stop.ts";
import { explained } from "./explain.ts";
import { formatHexFloat } from "./hexfloat.ts";
import { badLine, parseLine } from "./json.ts";
import { at, bad, type Json, type ReadLogits, type Request } from "./request.ts";

export type { ReadLogits };
type Operation = {
  readonly fields: Readonly<Record<string, "required" | "optional">>;
  readonly run: (core: Core, request: Request, read: ReadLogits) => Json;
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
    fields: {
      logits: "optional",
      logits_file: "optional",
      chain: "required",
      context: "optional",
      u: "optional",
      order: "optional",
    },
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
  draw: { fields: DRAW_FIELDS, run: evaluateDraw },
  curve: { fields: CURVE_FIELDS, run: evaluateCurve },
  generate: { fields: GENERATE_FIELDS, run: evaluateGenerate },
};

/** The answer to one line, itself one line of JSON. Never throws: the answer then is an error. */
export function evaluateLine(core: Core, line: string, read: ReadLogits = () => null): string {
  return lineOf(() => answerTo(core, askedIn(core, line), read));
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
    asked = askedIn(core, line);
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
  throw bad({ ...at("logits_file"), ...finding(path, `: ${problem}`) });
};

function answerTo(core: Core, { request, operation }: Asked, read: ReadLogits): Json {
  try {
    const answer = operation.run(core, request, read);
    return request.hex === true ? hex(answer) : answer;
  } catch (error) {
    throw error instanceof SmpError ? explained(error, request) : error;
  }
}

function askedIn(core: Core, line: string): Asked {
  const request = parseLine(line);
  if (!isPlain(request)) throw badLine("is not a JSON object");
  return { request, operation: operationOf(core, request) };
}

const FLAGS = ["hex", "keep_eos", "settings_only", "greedy", "replacement", "stop"];

function operationOf(core: Core, request: Request): Operation {
  const { op } = request,
    names = Object.keys(operations);
  const found = typeof op === "string" && names.includes(op) ? operations[op] : undefined;
  if (!found) throw bad({ ...at("op"), ...finding(op), allowed: names.map(name => `"${name}"`).join(", ") });
  const known = ["op", ...Object.keys(found.fields)];
  for (const key of Object.keys(request))
    if (!known.includes(key)) throw bad({ ...at(key), wrong: "no such field", allowed: known.join(", ") });
  for (const flag of FLAGS)
    if (request[flag] !== undefined && typeof request[flag] !== "boolean")
      throw bad({ ...at(flag), ...finding(request[flag]), allowed: "true or false" });
  for (const [key, need] of Object.entries(found.fields))
    if (need === "required" && !Object.hasOwn(request, key))
      throw bad({ ...at(key), ...finding(undefined), allowed: allowedFor(core, key) });
  return found;
}

/** What a field that must be there may be. */
function allowedFor(core: Core, key: string): string {
  if (key === "chain") return `an array of ${STEP}`;
  if (key === "engine") return wordsOf(core.abi.engine);
  if (key === "engines") return `an array of ${wordsOf(core.abi.engine)}`;
  if (key === "draws") return DRAWS;
  if (key === "model") return "the name of a model whose script is loaded";
  if (key === "taus") return `an array of ${TAUS}`;
  return core.abi.param.find(([, , name]) => name === key)![3];
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
    if (/^(ids?|kept|found|removed|n_kept|top_ids|counts|degrees|bincount|bincount_length|words|prompt_ids)$/.test(key))
      return [key, value];
    return [
      key,
      key === "changed"
        ? (value as [number, number][]).map(([id, logit]) => [id, formatHexFloat(logit)])
        : convert(value),
    ];
  });
  return Object.fromEntries(entries);
}
