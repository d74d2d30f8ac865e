// English of <smp-frequency>.
import type { Source } from "../../core/frequency.ts";
import { fault, sentence } from "../../i18n/messages.en.ts";
import { id, list, nb, say, strong, v, type Part } from "../../i18n/rich.ts";
import type { Problem } from "../../ui/numbers.ts";
import type { Heights } from "../snippet.ts";
import type { FrequencyMessages } from "./messages.zh.ts";
import type { PresetName } from "./presets.ts";
import { LIMITS, type FieldName } from "./state.ts";

const ids = (values: readonly number[]): Part => list(values.map(id), ", ");
const grouped = (n: number): string => n.toLocaleString("en");

const allowed = {
  logits: () => "allowed: 1 to 8 numbers from −100 to 100",
  tau: () => "allowed: 0 or any positive number",
  k: (count: number) => (count === 1 ? "allowed: 1" : `allowed: a whole number from 1 to ${count}`),
  draws: () => `allowed: a whole number from 1 to ${grouped(LIMITS.draws)}`,
  seed: () => "allowed: a whole number from 0 to 2⁶⁴ − 1",
  taus: () => `allowed: 1 to ${LIMITS.taus} temperatures, none negative`,
} satisfies Record<FieldName, (count: number) => string>;

const draws = (n: string): Part => nb(n, n === "1" ? " draw" : " draws");

/** How far a deviation is, in words. */
const deviates = (z: number): string => {
  const size = Math.abs(z);
  if (size < 0.25) return "almost exactly right";
  if (size < 1) return "less than one standard error: very common";
  if (size < 2) return "between one and two standard errors: common";
  return size < 3 ? "more than two standard errors: unusual" : "more than three standard errors: very unusual";
};

const sources: Record<Source, string> = {
  "torch-mkl": "torch, up to 2.6",
  torch: "torch, today",
  candle: "candle",
  "llama.cpp": "llama.cpp",
  "transformers.js": "transformers.js",
  own: "built in",
};

export const messages: FrequencyMessages = {
  title: say`Frequencies approach probabilities: 100 times the draws, ${nb("10 times as close")}`,
  tasks: {
    record: "Drag the line: see how the 230 came about, draw by draw.",
    today: "The same seed with today's torch: 227. What has changed?",
    candle: "Ten thousand draws by candle: 7,349 and 2,651. Is that far off?",
    ten: "Only ten draws: the funnel fills almost the whole figure.",
    million: "A million draws: the funnel is a hair, yet the count is still off by hundreds.",
    missing: "In ten draws ID 3 never came. Look at the arrays below: one bin is missing.",
    one: "One draw before the run: every draw moves up by one place.",
    three: "Temperatures 0.1, 1 and 5: which curve is flat first?",
    cold: "When it is cold, how small is the probability of ID 0? Then take “heated to 5”.",
    hot: "When it is hot, what is the probability of ID 0, and how often did it come?",
  } satisfies Record<PresetName, string>,
  free: "Change a number and watch the funnel and the bars.",
  presets: {
    record: "Textbook record",
    today: "Today's torch",
    candle: "candle's record",
    ten: "Ten draws",
    million: "A million draws",
    missing: "Last ID not drawn",
    one: "One draw before",
    three: "Three temperatures",
    cold: "Cooled to 0.5",
    hot: "Heated to 5",
  } satisfies Record<PresetName, string>,

  fields: {
    logits: say`${strong("Logits")} ${v("z")}`,
    tau: say`${strong("Temperature")} ${v("τ")}`,
    k: say`${strong("Top-k")} ${v("k")}`,
    draws: say`${strong("Draws")} ${v("N")}`,
    seed: strong("Seed"),
    taus: strong("Temperatures"),
  } satisfies Record<FieldName, Part>,
  source: "Generator",
  sources,
  hints: {
    logits: "1 to 8 numbers, separated by spaces or commas",
    seed: "0 to 2⁶⁴ − 1",
    taus: "up to 6, separated by spaces; 0 is allowed",
  },
  sliders: {
    tau: "Temperature τ, 0 to 2",
    k: (count: number) => `Top-k, 1 to ${count}`,
    draws: `Draws N, 1 to ${grouped(LIMITS.draws)}`,
    line: (n: number) => `Line, draw 1 to ${grouped(n)}`,
    tauOf: (index: number) => `Temperature ${index}`,
  },
  problem: (name: FieldName, problem: Problem, count: number): string =>
    `${sentence(fault(problem))}; ${allowed[name](count)}.`,
  results: {
    count: (count: number): Part => (count === 1 ? "1 candidate." : `${count} candidates.`),
    top: (best: readonly number[]): Part => say`${ids(best)}: most probable before the filter.`,
    greedy: "Greedy: the largest logit every time.",
    keeps: (kept: readonly number[]): Part => say`Keeps ${ids(kept)}.`,
    expects: (which: number, expected: string): Part => say`${id(which)}: expected count ${nb(expected)}.`,
    takes: {
      nothing: "Uses no random numbers.",
      race: "Every candidate takes a random number; the largest ratio wins.",
      u: "Each draw takes one u.",
    },
    refused: (name: string): Part => `${name} does not take this seed.`,
  },
  replacement: "All in one call (replacement=True)",

  figure: {
    label: "Frequency against the number of draws, and the counts at the line",
    heading: (n: string, which: number, count: string, expected: string): Part =>
      say`${draws(n)}: ${id(which)} came ${count === "1" ? "once" : nb(count, " times")}, expected ${nb(expected)}`,
    always: (n: string, which: number): Part => say`${draws(n)}: ${id(which)} every time`,
    rare: (z: number): string => (Math.abs(z) > 3 ? ": very unusual" : Math.abs(z) > 2 ? ": unusual" : ""),
    funnel: "Funnel",
    law: "draws × 100, funnel ÷ 10",
    key: [
      "line: frequency up to draw n",
      "funnel: probability ± 2 standard errors",
      "bars: counts at the line; the error bar is as wide as the funnel at n",
    ],
    bars: (parts: readonly string[]): string => `Counts: ${parts.join(", ")}`,
    bar: (which: number, count: string): string => `ID ${which} ${count}`,
    walk: (which: number, share: string, n: string): string => `ID ${which}: frequency ${share} at draw ${n}`,
    progress: (done: string, all: string): string => `${done} of ${all} draws`,
    cancel: "Stop",
    go: "Draw the rest",
  },
  rounds: {
    seeded: "Seed again before each run",
    again: (n: string): string => `Draw ${n} again`,
    told: (which: number, counts: readonly string[]): Part =>
      say`${id(which)} run by run: ${nb(counts.slice(-12).join(", "))}${counts.every(count => count === counts[0]) ? "; the same seed, the same counts." : "."}`,
  },
  table: {
    name: "Table",
    caption: (n: string): string =>
      `After ${n} draws. Probabilities are those after the filter; the standard error is how much a count usually varies.`,
    heads: ["Candidate", "Count", "Expected Np", "Difference", "Standard error", "In standard errors, z"],
    removed: "removed: never drawn",
    total: "Total",
  },
  decades: {
    caption: (which: number): Part => say`The same stream, longer and longer: ${id(which)}.`,
    heads: ["Draws", "Count", "Frequency", "Minus p", "Funnel ±"],
  },
  notes: {
    far: "Is that far off?",
    by: (which: number, more: boolean, off: string, z: number): Part =>
      say`${id(which)} came ${nb(off)} ${more ? "more" : "fewer"} times than expected: ${deviates(z)}.`,
    chi: (chi: string, degrees: number, among: string): string =>
      `Chi-square ${chi} with ${degrees} ${degrees === 1 ? "degree" : "degrees"} of freedom: in about ${among} of 1,000 repetitions the deviation is larger.`,
    few: "An expected count is below 5: the p-value of chi-square is not reliable.",
    single: "There is one candidate: nothing can deviate.",
    generators: "Another generator",
    same: (which: number): Part =>
      say`One seed, another count of ${id(which)} for each generator; most of them within ± 2 standard errors.`,
    slow: "Why so slowly?",
    why: say`The standard error of a frequency is ${nb("√(p(1 − p)/n)")}. The number of draws stands under the root: 100 times ${v("n")}, a funnel a tenth as wide. The frequency does not come to rest on the probability.`,
  },

  curves: {
    heading: "Hotter: flatter probabilities, more entropy",
    name: "Figure",
    caption:
      "Probabilities before the filter, and entropy, on one axis of temperature. Drag a line, or type in the list.",
    words: (which: number, low: string, high: string): string =>
      `ID ${which}: ${low} when coldest, ${high} when hottest`,
    entropy: "Entropy",
    nats: "Entropy (nats)",
    bits: "Entropy (bits)",
    pair: ["First of the ratio", "Second of the ratio"],
    only: "depends on the difference and the temperature alone, not on other candidates or k.",
    ends: "The two ends",
    end: (count: number): Part =>
      say`At ${v("τ")} = 0 the largest logit has everything: entropy 0. As ${v("τ")} grows without limit, all ${String(count)} share alike: entropy ln ${String(count)}.`,
  },

  arrays: {
    heading: "One bin short; one draw before, and all move up",
    lead: (count: number, n: string): Part =>
      say`${strong("bincount")} counts up to the largest ID that came. Here ${String(count)} candidates and ${draws(n)}:`,
    places: (count: number): string => (count === 1 ? "1 bin" : `${count} bins`),
    lost: "none",
    missing: (which: number, p: string, expected: string): Part =>
      say`${id(which)} has probability ${nb(p)} and expected count ${nb(expected)}: not to come is nothing unusual. With minlength its bin is there.`,
    whole: "The largest ID came: with or without minlength, the same bins.",
    removed: (which: number): Part => say`${id(which)} was removed: without minlength it has no bin.`,
    before: "One draw before",
    plain: (n: number): string => `As it comes: draws 1 to ${n}`,
    shifted: (n: number): string => `One draw before, then counted from 1: each moves up, to draw ${n}`,
    moved: (out: number, into: number): Part =>
      out === into
        ? say`The first went out, one came in at the end. Both are ${id(out)}: the counts are the same, by chance.`
        : say`${id(out)} went out and ${id(into)} came in: one count is 1 less, the other 1 more.`,
    race: "This generator draws all in one call: the draw before takes numbers of its own, and everything after it differs.",
  },

  throws: {
    heading: "One throw at a time",
    lead: "One throw takes one u: the segment it falls into is the candidate that is drawn.",
    race: "There is no u here: each candidate divides its probability by a random number E, and the largest quotient wins.",
    press: ["Throw 1", "Throw 10", "Throw 100"],
    all: "Throw to N",
    again: "Clear",
    latest: (u: string, which: number): Part => say`${nb(v("u"), ` = ${u}`)} falls on ${id(which)}.`,
    won: (which: number): Part => say`${id(which)} wins.`,
    thrown: (n: string, parts: readonly string[]): string => `${n} thrown: ${parts.join(", ")}`,
    ruler: "Ruler of u from 0 to 1: each segment is as wide as its probability",
    ratio: "p / E",
  },
  closing:
    "The random numbers are replayed by this page's core with each library's own algorithm: one seed, the same stream. No model is run. A frequency estimates a probability of these settings; it does not say whether a model is good.",
  csv: ["id", "logit", "p", "count", "expected", "z"],
};

/** Measured in the first state. */
export const heights: Heights = [
  [280, 5890],
  [304, 5685],
  [312, 5663],
  [320, 5809],
  [328, 5694],
  [352, 5651],
  [368, 5490],
  [472, 5096],
  [480, 4885],
  [504, 4704],
  [552, 4660],
  [560, 4385],
  [704, 4313],
  [824, 4015],
  [952, 3958],
  [960, 3127],
  [1104, 2979],
  [1200, 2979],
];
