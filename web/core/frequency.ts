// Typed calls of frequencies: one distribution drawn again and again, how well the counts fit, and curves
// over temperatures.
import { count as whole, isWhole, refusal } from "./checks.ts";
import { probabilities } from "./compare.ts";
import { engine, placeRng, rngAt, seeded, valueOf, type EngineResult, type Rng } from "./engine.ts";
import { SmpError, type Words } from "./error.ts";
import { lab, type Sampled } from "./lab.ts";
import { withArena, type Arena, type Core } from "./module.ts";
import { finding } from "./place.ts";

/** Whose draws: of each an engine with its variants; `own` cuts the cumulative sum at u, and is of no library. */
export const SOURCES = {
  torch: { engine: "chapter", variants: [] },
  "torch-mkl": { engine: "chapter", variants: ["torch-mkl"] },
  candle: { engine: "candle", variants: [] },
  "llama.cpp": { engine: "llama.cpp", variants: [] },
  "transformers.js": { engine: "transformers.js", variants: [] },
  own: { engine: "chapter", variants: [] },
} as const;

/** `torch-mkl`: x86 wheels of torch up to 2.6. */
export type Source = keyof typeof SOURCES;

export type CandidateOptions = {
  /** Temperature: finite, at least 0; 0 is greedy. Default 1. */
  readonly tau?: number;
  /** Candidates to keep; default all. */
  readonly k?: number;
  /** Default `own`. */
  readonly source?: Source;
  /** torch: all draws by one `multinomial(p, n, replacement=True)`. */
  readonly replacement?: boolean;
};

/** What is drawn from. */
export type Candidates = {
  readonly source: Source;
  readonly drawing: string;
  readonly generator: string;
  /** Entries of the row. */
  readonly n: number;
  /** In the order in which the source adds them up. */
  readonly kept: Uint32Array;
  readonly weights: Float32Array;
  /** Of `own` on up to 64 logits: the ends of the experiment's intervals. */
  readonly edges?: Float64Array;
  /** By id; 0 for what was removed. */
  readonly p: Float64Array;
};

/** Whether there is no u in a drawing: every candidate takes a random number, and the largest ratio wins. */
export const isRace = (drawing: string): boolean => /^(race|batch)/.test(drawing);

/** The candidates of a source after temperature and top-k. Throws SmpError. */
export function candidates(core: Core, logits: ArrayLike<number>, options: CandidateOptions = {}): Candidates {
  const { tau = 1, k = logits.length, source = "own", replacement = false } = options,
    n = logits.length;
  if (!Object.hasOwn(SOURCES, source))
    throw new SmpError({ path: ["source"], ...finding(source), allowed: Object.keys(SOURCES).join(", ") });
  if (replacement && !source.startsWith("torch"))
    throw new SmpError({ path: ["replacement"], ...finding(true), allowed: "true only with torch and torch-mkl" });
  const small = n <= core.abi.limits.labMax ? lab(core, logits, { tau, k, u: 0 }) : undefined; // refuses what is wrong
  if (!small) checkLong(core, tau, k, n);
  if (source === "own" && small && !small.greedy) return ofExperiment(small);
  const result = ofEngine(core, logits, { tau, k, source, replacement });
  const { kept, weights, drawing, generator } = result,
    p = new Float64Array(n),
    distribution = probabilities(core, result);
  distribution.ids.forEach((id, place) => (p[id] = distribution.p[place]!));
  return { source, n, kept, weights, p, ...(source === "own" ? ownDrawing(drawing) : { drawing, generator }) };
}

/** What the source's engine leaves. */
function ofEngine(core: Core, logits: ArrayLike<number>, options: Required<CandidateOptions>): EngineResult {
  const { tau, k, source, replacement } = options,
    { engine: name, variants } = SOURCES[source];
  const result = inWords(() =>
    engine(core, name, Float32Array.from(logits), {
      settings: tau === 0 ? { greedy: true } : { temperature: tau, top_k: k }, // candle has no temperature 0
      settingsOnly: true,
      variants: replacement ? [...variants, "replacement"] : variants,
    }),
  );
  if (!result.refusal) return result;
  // its own checks are passed: what is left is a temperature so small that it is 0 in the source's arithmetic
  const { wrong } = finding(tau, `, and ${result.refusal} in ${source}`);
  throw new SmpError({ path: ["tau"], wrong: wrong!, allowed: `0, or one at which ${source} draws` });
}

/** The engine's temperature is the caller's tau. */
function inWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SmpError) || error.path.join(".") !== "settings.temperature") throw error;
    throw new SmpError({ ...error.fault, path: ["tau"] });
  }
}

/** What the experiment says of a short row. */
function checkLong(core: Core, tau: number, k: number, n: number): void {
  if (!(tau >= 0 && tau < Infinity)) throw refusal(core, "tau", { path: ["tau"], ...finding(tau) });
  if (!isWhole(k, n + 1) || k < 1) throw refusal(core, "k", { path: ["k"], ...finding(k) });
}

const OWN = { drawing: "inverse", generator: "chacha12" } as const;

const ownDrawing = (drawing: string) => ({ ...OWN, drawing: drawing === "greedy" ? drawing : OWN.drawing });

function ofExperiment({ n, kept: keeps, hi, q }: Sampled): Candidates {
  const kept = Uint32Array.from(keeps.keys()).filter(id => keeps[id]);
  const edges = Float64Array.from(kept, id => hi[id]!),
    weights = Float32Array.from(kept, id => q[id]!);
  return { source: "own", ...OWN, n, kept, weights, edges, p: q };
}

/** A run of draws: a value; drawing makes another. Each longer run of a seed begins with the shorter ones, but that
    torch makes a race of one draw with replacement. */
export type Stream = {
  readonly candidates: Candidates;
  readonly rng: Rng;
  /** Of the whole run. */
  readonly draws: number;
  readonly done: number;
  readonly batch: number;
};

/** A run from its start: seeded anew, by a decimal string, or going on with a generator. Throws SmpError. */
export function streamOf(core: Core, candidates: Candidates, seed: string | Rng, draws: number): Stream {
  const rng = typeof seed === "string" ? seeded(core, candidates.generator, seed) : seed;
  return { candidates, rng, draws: runOf(core, draws), done: 0, batch: 0 };
}

/** What the caller calls what the core names of a run. */
const runWords =
  ({ candidates, draws: all, done }: Stream, draws: number): Words =>
  (param, entry) => {
    if (param === "draws")
      return { path: ["draws"], ...finding(draws), allowed: `at most the ${all - done} that are left` };
    if (param === "generator")
      return { path: ["source"], ...finding(candidates.source), allowed: "torch or torch-mkl, which make a race" };
    return param === "row" ? { path: ["candidates", "weights", ...entry] } : undefined;
  };

/** The next ids, and of each the number in [0, 1) that it took: 0 in races. Throws SmpError. */
export function nextIds(
  core: Core,
  from: Stream,
  draws: number,
): { readonly ids: Uint32Array; readonly u: Float64Array; readonly stream: Stream } {
  const some = whole(core, "draws", Math.min(draws, core.abi.limits.rowMax));
  return withArena(
    core,
    arena => {
      const at = place(core, arena, from),
        ids = arena.take(4 * some),
        u = arena.take(8 * some);
      arena.check("smp_stream_draw", at.stream, ids, u, some, at.work);
      return {
        ids: new Uint32Array(core.memory.buffer, ids, some).slice(),
        u: new Float64Array(core.memory.buffer, u, some).slice(),
        stream: moved(core, arena, from, at),
      };
    },
    runWords(from, draws),
  );
}

/** Adds the next ids to counts by id, in place; the run as it then is. Throws SmpError. */
export function nextCounts(core: Core, from: Stream, counts: Uint32Array, draws: number): Stream {
  const some = whole(core, "draws", draws);
  if (counts.length !== from.candidates.n)
    throw new SmpError({
      path: ["counts"],
      wrong: `found ${counts.length}`,
      allowed: `one for each of the ${from.candidates.n} logits`,
    });
  return withArena(
    core,
    arena => {
      const at = place(core, arena, from),
        sums = arena.u32(counts);
      arena.check("smp_stream_count", at.stream, sums, some, at.work);
      counts.set(new Uint32Array(core.memory.buffer, sums, counts.length));
      return moved(core, arena, from, at);
    },
    runWords(from, draws),
  );
}

/** The next draw of a race: what each candidate has, p over its exponential number, and who wins. Throws SmpError. */
export function nextRace(
  core: Core,
  from: Stream,
): { readonly id: number; readonly ratios: Float32Array; readonly stream: Stream } {
  return withArena(
    core,
    arena => {
      const at = place(core, arena, from),
        n = from.candidates.kept.length,
        ratios = arena.take(4 * n),
        id = arena.take(4);
      arena.check("smp_stream_race", at.stream, ratios, id);
      return {
        id: new Uint32Array(core.memory.buffer, id, 1)[0]!,
        ratios: new Float32Array(core.memory.buffer, ratios, n).slice(),
        stream: moved(core, arena, from, at),
      };
    },
    runWords(from, 1),
  );
}

/** The upper end of each candidate's part of [0, 1), in their order. Throws SmpError. */
export function edgesOf(core: Core, from: Stream): Float64Array {
  return withArena(
    core,
    arena => {
      const at = place(core, arena, from),
        n = from.candidates.kept.length,
        ends = arena.take(8 * n);
      arena.check("smp_stream_edges", at.stream, ends);
      return new Float64Array(core.memory.buffer, ends, n).slice();
    },
    runWords(from, 1),
  );
}

export type Counted = {
  readonly done: number;
  /** By id; only at a mark. */
  readonly counts: Uint32Array | null;
  readonly stream: Stream;
};

/** Words of a generator in a slice: a few milliseconds. */
const WORDS = 65536;

/** Counts a run to its end, in slices; at each mark, a number of draws, the counts so far. The last mark is the end. */
export function* counting(core: Core, start: Stream, marks: Iterable<number> = []): Generator<Counted, Counted> {
  const counts = new Uint32Array(start.candidates.n),
    { drawing, n } = start.candidates,
    slice = Math.max(1, Math.floor(WORDS / (isRace(drawing) ? 2 * n : 2)));
  const ends = [...new Set([...marks, start.draws])].filter(mark => mark > start.done && mark <= start.draws);
  let now = start;
  for (const end of ends.sort((a, b) => a - b))
    while (now.done < end) {
      now = nextCounts(core, now, counts, Math.min(slice, end - now.done));
      yield { done: now.done, counts: now.done === end ? counts.slice() : null, stream: now };
    }
  return { done: now.done, counts: counts.slice(), stream: now };
}

function runOf(core: Core, draws: number): number {
  if (isWhole(draws) && draws >= 1) return draws;
  const [, , , allowed] = core.abi.param.find(([code]) => code === "AT_RUN")!;
  throw refusal(core, "draws", { path: ["draws"], ...finding(draws), allowed });
}

type Placed = { readonly stream: number; readonly rng: number; readonly work: number };

function place(core: Core, arena: Arena, { candidates, rng, draws, done, batch }: Stream): Placed {
  const { kept, weights, edges, n, drawing } = candidates,
    at = placeRng(core, arena, rng);
  const record = {
    ids: arena.u32(kept),
    weights: arena.f32(weights),
    edges: edges ? arena.f64(edges) : 0,
    rng: at,
    n_kept: kept.length,
    n,
    draws,
    done,
    batch,
    drawing: valueOf(core, core.abi.drawing, ["candidates", "drawing"], drawing),
  };
  return {
    stream: arena.write("smp_stream", record),
    rng: at,
    work: arena.take(core.call.smp_stream_work_size!(kept.length)),
  };
}

function moved(core: Core, arena: Arena, from: Stream, at: Placed): Stream {
  const { done, batch } = arena.numbers<"done" | "batch">("smp_stream", at.stream);
  return { ...from, done, batch, rng: rngAt(core, arena, at.rng) };
}

export type Fit = {
  /** Deviations in standard errors, by id. */
  readonly z: Float64Array;
  readonly chi_square: number;
  /** How often chance alone deviates at least so much; good where `least` is 5 or more. */
  readonly p_value: number;
  readonly draws: number;
  /** The smallest expected count above 0. */
  readonly least: number;
  readonly degrees: number;
};

/** How well counts by id fit probabilities. Throws SmpError. */
export function fit(core: Core, counts: Uint32Array, p: ArrayLike<number>): Fit {
  if (counts.length !== p.length)
    throw new SmpError({
      path: ["p"],
      wrong: `found ${p.length} beside ${counts.length} counts`,
      allowed: "as many of both",
    });
  return withArena(
    core,
    arena => {
      const z = arena.take(8 * counts.length),
        result = arena.room("smp_fit");
      arena.check("smp_stats_fit", arena.u32(counts), arena.f64(p), counts.length, z, result);
      return {
        ...arena.numbers<Exclude<keyof Fit, "z">>("smp_fit", result),
        z: new Float64Array(core.memory.buffer, z, counts.length).slice(),
      };
    },
    (param, _, index) =>
      param === "row" ? { path: ["counts"] } : { path: [param, ...(index < p.length ? [index] : [])] },
  );
}

export type Band = {
  /** N p, and the standard error of the count. */
  readonly expected: number;
  readonly count_error: number;
  /** The standard error of the share, and p less and more two of them, within [0, 1]. */
  readonly error: number;
  readonly low: number;
  readonly high: number;
};

/** Where an id of this probability stands after each of these numbers of draws. Throws SmpError. */
export function bands(core: Core, p: number, draws: ArrayLike<number>): Band[] {
  return withArena(
    core,
    arena => {
      const at = arena.room("smp_band", draws.length);
      arena.check("smp_stats_bands", p, arena.f64(draws), draws.length, at);
      return Array.from(draws, (_, row) => arena.numbers<keyof Band>("smp_band", at, row));
    },
    (param, _, index) => (param === "p" ? { path: ["p"] } : { path: ["draws", index] }),
  );
}

/** What torch.bincount(ids, minlength) returns for ids that came so often. */
export function bincount(core: Core, counts: Uint32Array, minlength = 0): Uint32Array {
  const { rowMax } = core.abi.limits;
  if (!isWhole(minlength, rowMax + 1))
    throw new SmpError({ path: ["minlength"], ...finding(minlength), allowed: `a whole number from 0 to ${rowMax}` });
  const length = withArena(core, arena => core.call.smp_stats_bincount!(arena.u32(counts), counts.length, minlength));
  const places = new Uint32Array(length);
  places.set(counts.subarray(0, length));
  return places;
}

export type Curve = {
  readonly tau: number;
  /** Before any filter, by id. */
  readonly p: Float64Array;
  /** In nats, and in bits. */
  readonly entropy: number;
  readonly bits: number;
  /** p of the first of the pair over p of the second. */
  readonly ratio: number;
};

/** What the temperatures of a curve may be. */
export const TAUS = "numbers, at least 0; infinite is the even distribution";

/** The distribution at each temperature: 0 is the argmax, Infinity the even one. Throws SmpError. */
export function curve(
  core: Core,
  logits: ArrayLike<number>,
  taus: ArrayLike<number>,
  pair: readonly [number, number] = [0, 0],
): Curve[] {
  const n = logits.length,
    [a, b] = pair.map((id, index) => whole(core, "pair", id, "pair", index));
  return withArena(
    core,
    arena => {
      const p = arena.take(8 * n * taus.length),
        curves = arena.room("smp_curve", taus.length);
      arena.check("smp_curve_run", arena.f64(logits), n, arena.f64(taus), taus.length, a!, b!, p, curves);
      return Array.from(taus, (tau, row) => ({
        tau,
        p: new Float64Array(core.memory.buffer, p + 8 * n * row, n).slice(),
        ...arena.numbers<Exclude<keyof Curve, "tau" | "p">>("smp_curve", curves, row),
      }));
    },
    (param, _, index) => {
      if (param === "tau") return { path: ["taus", index], allowed: TAUS };
      return param === "pair" ? { path: ["pair", index] } : undefined;
    },
  );
}
