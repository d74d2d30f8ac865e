// The eval operations of frequencies: one distribution drawn again and again, and a distribution over temperatures.
import {
  bincount,
  candidates,
  counting,
  curve,
  fit,
  isRace,
  nextIds,
  streamOf,
  type Candidates,
  type Source,
  type Stream,
} from "../core/frequency.ts";
import type { Core } from "../core/module.ts";
import { finding } from "../core/place.ts";
import { listed } from "./listed.ts";
import { at, bad, logitsOf, number, numbers, word, type Json, type ReadLogits, type Request } from "./request.ts";

export const DRAW_FIELDS = {
  logits: "optional",
  logits_file: "optional",
  tau: "optional",
  k: "optional",
  generator: "optional",
  replacement: "optional",
  seed: "required",
  draws: "required",
  before: "optional",
  minlength: "optional",
  hex: "optional",
} as const;

export const CURVE_FIELDS = { logits: "required", taus: "required", pair: "optional", hex: "optional" } as const;

/** Draws of a line at most, and of a race the random numbers that it may take. */
const MOST_DRAWS = 10_000_000,
  MOST_NUMBERS = 1_000_000_000;
/** The first ids are listed, and a bincount that is no longer than a list of candidates. */
const FIRST = 100,
  LISTED = 400;
const MOST_TAUS = 1000;

/** What `draws` may be. */
export const DRAWS = `a whole number from 1 to ${MOST_DRAWS}, and in a race so many that they take at most ${MOST_NUMBERS} random numbers`;

/** Counts of so many draws, how well they fit, and the first ids. `before`: so many draws come first and
    are not counted. */
export function evaluateDraw(core: Core, request: Request, read: ReadLogits): Json {
  const from = candidatesOf(core, request, read),
    draws = drawsOf(request, "draws", 1, from),
    before = request.before === undefined ? 0 : drawsOf(request, "before", 0, from);
  const start = skipped(core, seededBy(core, request, from, draws + before), before);
  const first = nextIds(core, start, Math.min(FIRST, draws)).ids,
    { counts, stream } = last(counting(core, start));
  const { z, chi_square, p_value, degrees, least } = fit(core, counts!, from.p),
    places = bincount(core, counts!, request.minlength === undefined ? 0 : number(request.minlength, at("minlength")));
  const ids = from.kept.slice().sort(),
    lists = listed(
      ids,
      Array.from(ids, id => from.p[id]!),
    ),
    shownIds = "kept" in lists ? lists.kept : lists.top_ids;
  return {
    n_kept: ids.length,
    ...lists,
    counts: shownIds.map(id => counts![id]!),
    z: shownIds.map(id => z[id]!),
    chi_square,
    degrees,
    p_value,
    least,
    bincount_length: places.length,
    ...(places.length <= LISTED ? { bincount: [...places] } : {}),
    ids: [...first],
    words: stream.rng.words,
    drawing: from.drawing,
  };
}

/** The run from its draw after `before` on. */
function skipped(core: Core, start: Stream, before: number): Stream {
  let now = start;
  while (now.done < before) now = nextIds(core, now, before - now.done).stream;
  return now;
}

function last<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
}

function candidatesOf(core: Core, request: Request, read: ReadLogits): Candidates {
  // the experiment's, in double
  const short = Array.isArray(request.logits) && request.logits.length <= core.abi.limits.labMax;
  const logits =
    short && request.logits_file === undefined ? numbers(request.logits, at("logits")) : logitsOf(request, read);
  return candidates(core, logits, {
    tau: request.tau === undefined ? 1 : number(request.tau, at("tau")),
    ...(request.k === undefined ? {} : { k: number(request.k, at("k")) }),
    source: word(request, "generator", "own") as Source,
    replacement: request.replacement === true,
  });
}

function drawsOf(request: Request, key: string, least: number, { drawing, n }: Candidates): number {
  const found = number(request[key], at(key)),
    most = isRace(drawing) ? Math.min(MOST_DRAWS, Math.floor(MOST_NUMBERS / n)) : MOST_DRAWS;
  if (Number.isInteger(found) && found >= least && found <= most) return found;
  throw bad({ ...at(key), ...finding(request[key]), allowed: `a whole number from ${least} to ${most}` });
}

function seededBy(core: Core, { seed }: Request, from: Candidates, draws: number): Stream {
  if (typeof seed !== "string" && !Number.isSafeInteger(seed))
    throw bad({ ...at("seed"), ...finding(seed), allowed: "a decimal string, because no number holds 2^64 - 1" });
  return streamOf(core, from, String(seed), draws);
}

/** Probabilities, entropy and the ratio of two ids at each temperature, before any filter. */
export function evaluateCurve(core: Core, request: Request): Json {
  const taus = numbers(request.taus, at("taus")),
    pair = request.pair === undefined ? [0, 0] : numbers(request.pair, at("pair"));
  if (taus.length > MOST_TAUS)
    throw bad({ ...at("taus"), wrong: `found ${taus.length} temperatures`, allowed: `at most ${MOST_TAUS}` });
  if (pair.length !== 2) throw bad({ ...at("pair"), ...finding(request.pair), allowed: "two ids of the logits" });
  return {
    curves: curve(core, numbers(request.logits, at("logits")), taus, pair as [number, number]).map(
      ({ p, ...rest }) => ({
        ...rest,
        p: [...p],
      }),
    ),
  };
}
