// The eval operations of one row: the experiment, and a chain of steps.
import { isPlain } from "../core/checks.ts";
import { chain, changesIds, type Step, type StepOptions, type StepValue } from "../core/chain.ts";
import type { Path, Place } from "../core/error.ts";
import { lab, type LabFilter, type Share, type Tie } from "../core/lab.ts";
import type { Core } from "../core/module.ts";
import { finding, short, stepPlace } from "../core/place.ts";
import { filtersOf, infoOf } from "./filters.ts";
import { listed } from "./listed.ts";
import { at, bad, logitsOf, number, numbers, word, type Json, type ReadLogits, type Request } from "./request.ts";

export function evaluateLab(core: Core, request: Request): Json {
  const result = lab(core, numbers(request.logits, at("logits")), {
    ...removing(request),
    tau: number(request.tau, at("tau")),
    u: number(request.u, at("u")),
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
function removing(request: Request): { k: number; tie: Tie } | { filters: LabFilter[] } {
  const { filters, k, tie } = request;
  if (filters === undefined) {
    if (k === undefined)
      throw bad({ ...at("k"), ...finding(k), allowed: 'k, or filters such as [["top_k",2],["top_p",0.9]]' });
    return { k: number(k, at("k")), tie: word(request, "tie", "strict") as Tie };
  }
  return Object.assign({ filters: filtersOf(filters) }, { k, tie }); // the call refuses them beside filters
}

export function evaluateChain(core: Core, request: Request, read: ReadLogits): Json {
  const logits = logitsOf(request, read),
    steps = stepsOf(request.chain);
  const context = request.context === undefined ? [] : numbers(request.context, at("context"));
  const u = request.u === undefined ? 0 : number(request.u, at("u"));
  const order = word(request, "order", "id");
  const { n_kept, id, by_rounding, kept, values, info } = chain(core, logits, { steps, context, u, order, info: true });
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

/** What a step may be. */
export const STEP =
  'arrays such as ["temperature", 0.7], ["top_k", 50, {"tie": "strict"}] or ["logit_bias", [[3, -1.5]]]';
/** Steps of a chain at most: each is a pass over the row, and a record in the answer. */
const MOST_STEPS = 64;

export function stepsOf(steps: Json | undefined): Step[] {
  if (!Array.isArray(steps)) throw bad({ ...at("chain"), ...finding(steps), allowed: `an array of ${STEP}` });
  if (steps.length > MOST_STEPS)
    throw bad({ ...at("chain"), wrong: `found ${steps.length} steps`, allowed: `at most ${MOST_STEPS}` });
  return steps.map((step, index) => {
    const [name, value, options = {}, ...rest] = Array.isArray(step) ? step : [];
    if (typeof name !== "string" || value === undefined || !isPlain(options) || rest.length)
      throw bad({ ...at("chain", index), ...finding(step), allowed: STEP });
    const inStep = (...inside: Path): Place =>
      stepPlace(at("chain", index, ...inside).path, { name: short(name), depth: 2 });
    for (const [key, found] of Object.entries(options)) {
      if (key !== "tie" && key !== "last")
        throw bad({ ...inStep(2, key), wrong: "no such option", allowed: "tie, last" });
      const wanted = key === "tie" ? "string" : "number";
      if (typeof found !== wanted) throw bad({ ...inStep(2, key), ...finding(found), allowed: `a ${wanted}` });
    }
    return [name, valueOf(value, inStep), options as StepOptions];
  });
}

/** A number, or a list of numbers and of pairs of them; what fits the step is for the chain to say. */
function valueOf(value: Json, inStep: (...inside: Path) => Place): StepValue {
  if (!Array.isArray(value)) return number(value, inStep(1));
  return value.map((entry, place) =>
    Array.isArray(entry) ? numbers(entry, inStep(1, place)) : number(entry, inStep(1, place)),
  ) as StepValue;
}
