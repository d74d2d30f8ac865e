// English of <smp-sampling>. Same keys as the Chinese; written, not translated.
import { fault, many, sentence } from "../../i18n/messages.en.ts";
import { id, list, named, nb, say, strong, v, type Part } from "../../i18n/rich.ts";
import type { Heights } from "../snippet.ts";
import type { SamplingMessages } from "./messages.zh.ts";
import { rules } from "./rules.en.ts";
import type { FieldName } from "./state.ts";

const and = (parts: readonly Part[]): Part =>
  parts.length < 2 ? parts : [list(parts.slice(0, -1), ", "), " and ", parts[parts.length - 1]!];
const ids = (values: readonly number[]): Part => and(values.map(id));
const names = (values: readonly number[]): Part => and(values.map(value => nb(named(value))));
const equals = (name: string, value: string): Part => nb(v(name), ` = ${value}`);

const allowed: Record<FieldName, (count: number, most: number) => string> = {
  logits: (_, most) =>
    `Allowed: 1 to ${most} numbers from −100 to 100, each with a word before it if you like: the: 3.2`,
  tau: () => "Allowed: 0 or any positive number",
  k: count => (count === 1 ? "Allowed: 1" : `Allowed: a whole number from 1 to ${count}`),
  top_p: () => "Allowed: a number from 0 to 1",
  min_p: () => "Allowed: a number from 0 to 1",
  u: () => "Allowed: 0 up to, but not including, 1",
};

export const messages: SamplingMessages = {
  title: say`Given ${v("u")}, the next token is settled`,
  tasks: {
    chapter: "Drag the point in the map: find the line between choosing ID 3 and choosing ID 2.",
    tie: "Two 2s share second place. Change the tie rule and see how many stay.",
    greedy: "Two 1s share first place; greedy takes the smaller id. Then try τ = 0.01 next to it.",
    nearZero: "τ is tiny but not 0: the two tied candidates get half each, and u decides.",
    real: "A real model’s top eight for its first token. Raise τ and see how much “The” gives away.",
    hot: "τ = 2 brings the four closer; their order stays.",
    cold: "τ = 0.2: the highest takes nearly all, yet the others stay above 0.",
    shift: "50 added to every logit, and no probability moved: only differences count.",
    single: "k = 1 may keep two: if all ties stay, the two in first place get half each.",
    three: "Three candidates, all kept. Drag the point through their regions.",
    five: "Five candidates, all kept. Lower τ and see which goes first.",
    extremes: "All three probabilities are above 0, but two are too small to take up room: no u chooses them.",
    close: "A real model’s top four; the first two differ by 0.0104. Switch to float64 and see who is chosen.",
  },
  free: "Change one number and see which sentences follow.",
  presets: {
    chapter: "Textbook",
    tie: "Tie",
    greedy: "Greedy tie",
    nearZero: "τ = 0.01",
    real: "Real tokens",
    hot: "Hot",
    cold: "Cold",
    shift: "Plus 50",
    single: "k = 1 tie",
    three: "Three",
    five: "Five",
    extremes: "Extremes",
    close: "Close call",
  },

  fields: {
    logits: say`${strong("Logits")} ${v("z")}`,
    tau: say`${strong("Temperature")} ${v("τ")}`,
    k: say`${strong("Top-k")} ${v("k")}`,
    top_p: say`${strong("Top-p")} ${v("p")}`,
    min_p: say`${strong("Min-p")} ${v("m")}`,
    u: say`${strong("Position")} ${v("u")}`,
  },
  logitsHint: "1 to 8 numbers from −100 to 100, as in 0 1 2 or the: 3, a: 2",
  sliders: {
    tau: "Temperature τ, 0 to 2",
    k: count => `Top-k, 1 to ${count}`,
    top_p: "Top-p, 0 to 1",
    min_p: "Min-p, 0 to 1",
    ruler: "u, moved along the ruler",
    logit: value => say`Logit of ${named(value)}`,
  },
  moved: "Moved on the ruler in the figure, or by the point in the map",
  problem: (field, problem, count, most = 8) => `${sentence(fault(problem))}. ${allowed[field](count, most)}.`,
  best: (count, top) =>
    say`${many(count, "candidate")}; ${ids(top)} ${top.length > 1 ? "share the highest score" : "scores highest"}.`,
  likeliest: (top, p) =>
    top.length > 1
      ? say`Before the filter, ${ids(top)} are the likeliest, at ${nb(p)} each.`
      : say`Before the filter, ${ids(top)} is the likeliest, at ${nb(p)}.`,
  noProbability: say`${equals("τ", "0")}: no probabilities; the highest score is taken.`,
  keeps: (kept, mass) => say`Keeps ${ids(kept)}, which had ${nb(mass)} before the filter.`,
  keepsAll: count => (count === 1 ? "The only candidate is kept." : `Keeps all ${count}: nothing is filtered.`),
  noFilter: say`Greedy filters nothing; ${v("k")} only has to be valid.`,
  chooses: (chosen, q, range) => say`Chooses ${id(chosen)}, probability ${nb(q)}, interval ${nb(range)}.`,
  choosesGreedy: chosen => say`Chooses ${id(chosen)}; greedy ignores ${v("u")}.`,
  choosesNone: say`${v("u")} falls into the gap: nothing is chosen.`,
  dtype: {
    label: "Number format of the logits",
    merged: (dtype, same) => say`${dtype} cannot tell them apart: ${names(same)} become equal.`,
    changed: (dtype, count) =>
      count
        ? `${dtype} rounds ${many(count, "number")}; no new ties.`
        : `${dtype} holds every number exactly; nothing changes.`,
  },
  quiz: {
    question: u => say`Which id does ${equals("u", u)} choose?`,
    answer: (right, u, chosen, why) =>
      say`${right ? "Right" : "No"}: ${equals("u", u)} chooses ${id(chosen)}, because ${nb(why)}.`,
  },
  steps: {
    label: "Steps of the computation",
    names: ["Read", "Scale", "Softmax", say`Keep ${v("k")}`, "Sum to 1", say`Place ${v("u")}`],
    read: count => `Read ${many(count, "logit")}. They are scores, not probabilities.`,
    score: (max, tau) =>
      say`From each logit subtract the maximum ${max}, then divide by ${equals("τ", tau)}: the scaled scores. The highest is 0.`,
    probability: sum => say`Raise ${v("e")} to each scaled score and divide by the sum ${nb(sum)}; the total is 1.`,
    keep: (kept, removed) =>
      removed.length
        ? say`By logit, highest first, keep ${names(kept)} and remove ${names(removed)}.`
        : say`${v("k")} equals the number of candidates, so none is removed.`,
    renormalise: mass => say`The kept ones sum to ${nb(mass)}; divide each by it, and they sum to 1 again.`,
    zeroed: mass => say`Not renormalised: the removed become 0 and the total is only ${nb(mass)}.`,
    place: (kept, u, chosen) =>
      say`Lay the probabilities of ${names(kept)} end to end from 0; ${equals("u", u)} lands in the interval of ${named(chosen)}, so ${named(chosen)} is chosen.`,
    gap: u => say`${equals("u", u)} lands outside every interval: nothing is chosen.`,
    greedy: [
      "",
      say`${equals("τ", "0")} is a rule of its own: nothing is divided by 0, nothing is scaled.`,
      "Greedy needs no probabilities.",
      say`Greedy filters nothing; ${v("k")} only has to be valid.`,
      "Without probabilities there is nothing to renormalise.",
    ],
    greedyName: "Take the top",
    greedyChoice: (max, chosen, tied) =>
      tied
        ? say`More than one logit has the maximum ${max}; the smallest id wins, so ${named(chosen)} is chosen.`
        : say`The largest logit is ${max}, so ${named(chosen)} is chosen.`,
  },
  table: {
    name: "Table",
    caption:
      "Probabilities computed from the formula, not frequencies of draws. Six decimals are shown; decisions use the unrounded values.",
    candidate: "candidate",
    score: "scaled",
    before: say`before ${v("p")}`,
    after: say`after ${v("q")}`,
    interval: "interval",
    state: "state",
    total: "Sum",
    pending: "not yet",
    undefined: "none",
    kept: "kept",
    removed: "removed",
    chosen: "chosen",
    stateWidth: "72px",
    notOne: sum => `${sum}, not 1`,
  },
  work: {
    title: lit => say`Where the numbers of ${id(lit)} come from`,
    score: "② scaled",
    before: "③ before",
    after: "⑤ after",
    from: "⑥ start",
    removed: "Removed: it has no interval.",
    zeroed: "Not renormalised: still the value before.",
    greedy: max => say`${equals("τ", "0")}: take the largest logit, ${max}, and compute nothing else.`,
    sum: (sum, count) =>
      say`The denominator ${nb(sum)} is the sum of exp(scaled score) over ${many(count, "candidate")}.`,
    hint: "Press another id to see its formula here.",
  },
  figure: {
    name: "Figure",
    caption: say`The ${v("u")} ruler and the temperature map share one ${v("u")} axis`,
    before: "Before",
    after: "After",
    segments: (which, parts) => say`${which}: ${list(parts, ", ")}`,
    segment: (value, text) => say`${named(value)} ${text}`,
    gap: "gap",
    gapFrom: sum => `gap from ${sum}`,
    greedy: say`Greedy: ${v("u")} plays no part`,
  },
  map: {
    label: "Temperature map: u across, τ upwards",
    words: (order, top, tau) =>
      say`From u = 0 on, the choices are ${names(order)}. As τ approaches 0, ${names(top)} ${top.length > 1 ? "share it" : "takes it all"}; as τ grows without limit, the kept ones share evenly. ${tau === 0 ? "Now τ = 0, which is outside the map." : ""}`,
    chooses: named,
    none: "nothing is chosen",
    point: (tau, u, result) => `τ ${tau}, u ${u}. ${result} Arrow keys move it.`,
  },
  notes: {
    label: "Reading the figure",
    read: "How to read it",
    reading: tau =>
      say`The ruler is the map’s row at ${equals("τ", tau)}. Colder, the highest score takes more; hotter, the kept ones even out.`,
    readingGreedy: say`At ${equals("τ", "0")} there are no probabilities, and the ruler has no intervals.`,
    gone: "Removed candidates",
    removed: (removed, mass) =>
      say`${names(removed)} had ${nb(mass)} before the filter and have no place after it: no ${v("u")} can choose them.`,
    noneRemoved: "None is removed.",
    mistake: "A common mistake",
    mistakeSwitch: "Only zero the removed ones; do not renormalise",
    mistakeOff: "Switch it on and see what the ruler lacks.",
    mistakeOn: sum =>
      say`The sum is only ${nb(sum)}. A larger ${v("u")} falls into a gap that belongs to no candidate.`,
    ties: "Ties",
    tieNone: say`No tie for place ${v("k")}: both rules keep the same.`,
    tieDiffer: say`A tie for place ${v("k")}: the two rules keep different sets.`,
    tieRules: { strict: say`exactly ${v("k")}, smaller id first`, threshold: say`all that equal the ${v("k")}-th` },
    tieKeeps: kept => `keeps ${kept.join(", ")}`,
    zero: "τ = 0 and tiny τ",
    zeroText: say`${equals("τ", "0")} takes the smallest id among the highest; as ${v("τ")} approaches 0, the highest share evenly.`,
    limits: "Numerical limits",
    limitsText: say`The maximum is subtracted first, so no ${v("τ")}, however small, overflows; a probability too small is lost in the running sum, and no ${v("u")} can choose it.`,
    sources: {
      real: "SmolLM2-135M’s top eight after “Write one sentence about the sea.”; the probabilities are among these eight only.",
      close:
        "SmolLM2-135M’s top four for the sixth token of the same answer, in the order of their real ids; the probabilities are among these four only.",
    },
  },
  rules,
  closing:
    "No model runs here and no random number is drawn; the ids belong to no real vocabulary. EOS, context, several steps and top-p are not part of this experiment.",
};

/** Measured in this language. */
export const heights: Heights = [
  [280, 4032],
  [360, 3481],
  [368, 3481],
  [376, 3331],
  [432, 3201],
  [552, 3112],
  [560, 2821],
  [696, 2661],
  [720, 2541],
  [744, 2541],
  [752, 2505],
  [760, 2370],
  [776, 2330],
  [856, 2330],
  [952, 2267],
  [960, 2161],
  [1072, 2139],
  [1080, 1743],
  [1200, 1677],
];
