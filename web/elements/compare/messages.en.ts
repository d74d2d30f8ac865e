// English of <smp-compare>. Same keys as compare.zh.ts; written, not translated.
import type { FieldName, Problem } from "./state.ts";
import type { CompareMessages } from "./messages.zh.ts";
import type { Heights } from "../snippet.ts";
import { fault, many, sentence } from "../../i18n/messages.en.ts";
import { fileProblem } from "../../files/messages.en.ts";
import { say, strong, v } from "../../i18n/rich.ts";

const allowed: Readonly<Record<FieldName, string>> = {
  logits: "2 to 64 numbers from −1000 to 1000",
  temperature: "any number, or nothing",
  top_k: "a whole number from −2147483648 to 2147483647, or nothing",
  top_p: "any number, or nothing",
  min_p: "any number, or nothing",
  repetition_penalty: "any number, or nothing",
  repeat_last_n: "a whole number from 0 to 4294967295, 0 for all (llama.cpp, exllamav2: none), or nothing",
  context: "at most 128 ids of candidates, or nothing",
  seed: "a whole number from 0 to 18446744073709551615",
};

function wrong(problem: Problem): string {
  switch (problem.kind) {
    case "tooFew":
      return `${many(problem.found, "number")}; at least 2 are needed`;
    case "notAnId":
      return `${problem.text} is no id of a candidate; these go from 0 to ${problem.count - 1}`;
    default:
      return sentence(fault(problem));
  }
}

const and = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names);

/** Rows, their number already grouped. */
const rows = (count: string): string => `${count} ${count === "1" ? "row" : "rows"} tried`;

const boundaries: Readonly<Record<string, string>> = {
  BOUNDARY_BELOW: "keeps while the mass before is <\u00a0p",
  BOUNDARY_ASCENDING: "adds from below and drops while the sum is ≤\u00a01\u00a0−\u00a0p",
  BOUNDARY_OPEN: "adds from below and drops while the sum is <\u00a01\u00a0−\u00a0p",
  BOUNDARY_AT_MOST: "keeps while the mass before is ≤\u00a0p",
  BOUNDARY_EQUALS: "keeps while the mass of all greater ones is <\u00a0p, equals together",
  BOUNDARY_HEAP: "drops the smallest from a heap while the sum exceeds p",
  BOUNDARY_NONE: "has no top-p",
};

export const messages: CompareMessages = {
  title: "The same logits, another library, other tokens",
  tasks: {
    measure: "Top-k first, top-p second. Normalising a step sooner or later decides whether one token stays.",
    order: "Temperature before the filter or after it: top-p sees other probabilities.",
    tie: "Two 2s share second place, and k is 2. See who keeps one more.",
    boundary: "The first two sum to exactly 0.75. Stop on the line, or go on?",
    minP: "Temperature first levels the row, and min-p removes nothing. The other way round, half of it goes.",
    defaults: "Only a temperature is given. Some libraries add a top-k of their own.",
    minPFirst: "Top-p and min-p: which comes first decides about one token.",
    penalty: "Ids seen before get a penalty. One library has no such setting and says nothing.",
    stream: "Same set, same probabilities, same seed. And yet other tokens.",
    zero: "Temperature 0: greedy to some, refused by others, in their own words.",
    mix: "Three filters at once. Six libraries give three answers.",
  },
  free: "Change one number and see who moves first.",
  presets: {
    measure: "Normalising",
    order: "Temperature",
    tie: "Tie",
    boundary: "On the line",
    minP: "Min-p",
    defaults: "Defaults",
    minPFirst: "Min-p first",
    penalty: "Penalty",
    stream: "Same seed",
    zero: "Temperature 0",
    mix: "All at once",
  },

  fields: {
    logits: say`${strong("Logits")} ${v("z")}`,
    temperature: strong("Temperature"),
    top_k: strong("Top-k"),
    top_p: strong("Top-p"),
    min_p: strong("Min-p"),
    repetition_penalty: strong("Penalty"),
    repeat_last_n: strong("Window"),
    context: say`${strong("Context")} ids so far, oldest first`,
    seed: strong("Seed"),
  },
  names: {
    temperature: "temperature",
    top_k: "top-k",
    top_p: "top-p",
    min_p: "min-p",
    repetition_penalty: "repetition penalty",
    repeat_last_n: "penalty window",
  },
  unset: "not set; rests on a default",
  slider: name => `${name}, slider`,
  count: count => `${many(count, "candidate")}, ids 0 to ${count - 1}.`,
  logitsHint: "2 to 64 numbers, spaces or commas between",
  defaults: groups => `If empty: ${groups.map(([names, value]) => `${names} ${value}`).join("; ")}.`,
  value: (name, value) =>
    name === "repeat_last_n" && !value
      ? "all"
      : value === null
        ? "off"
        : name === "temperature" && value === 0
          ? "greedy"
          : String(value),
  noSuch: "not supported",
  lacking: names =>
    `${and(names)} ${names.length > 1 ? "have" : "has"} no such setting and ${names.length > 1 ? "ignore" : "ignores"} it.`,
  allHave: "All chosen libraries have it.",
  contextOf: (count, used) =>
    count === 0
      ? "No context: a penalty does nothing."
      : used
        ? `${many(count, "id")}.`
        : `${many(count, "id")}. Without a penalty they do nothing.`,
  problem: (field, problem) => `${wrong(problem)}. Allowed: ${allowed[field]}.`,

  source: {
    label: "Logits from",
    typed: "typed",
    file: "a file",
    hint: endings => `Or drop one here: ${endings.join(", ")}. It is read on this page and goes nowhere.`,
    missing: name =>
      `There is no position “${name}” here, so the typed logits are used. It comes with sampling-lab-logits.js.`,
    come: (name, count) => `Loaded ${name}, ${many(count, "logit")}.`,
    wrong: name => `${name}:`,
    problem: fileProblem,
    position: (title, count) => `${count} real logits of SmolLM2-135M, “${title}”.`,
    context: "Text so far",
    loaded: (name, dtype, shape, count) => `${name}: ${dtype}, shape (${shape.join(", ")}), ${many(count, "number")}.`,
    most: (value, id, piece) => `Largest ${value}, at ID ${id}${piece && ` “${piece}”`}.`,
    rounded: count => `${count} of them rounded to 32-bit floats.`,
    tensor: "Tensor",
    row: rows => `Row, 0 to ${rows - 1}`,
    save: "Save the row as .f32",
    told: "For a long row the settings are now temperature 0.7, top-k 40, top-p 0.9 and no others; “typed” brings yours back.",
    noLink: "The link has the settings, not the file.",
  },

  engines: "Libraries to compare",
  noEngine: (found, known) => `“${found}” is not known. Allowed: ${known.join(", ")}.`,
  fewEngines: "Choose at least two libraries.",
  how: { ran: "ran", read: "read" },
  checked: (how, version) => `${how}, ${version}`,
  refusals: "Libraries without a result",
  says: name => `${name} refuses, in its own words:`,
  closed: (name, setting) => `${name}: this value of ${setting} is not followed here.`,

  matrix: {
    name: "Distances",
    table: "Total variation of each pair",
    caption:
      "Total variation (TV) of each pair: half the sum of the absolute differences; 0 is the same, 1 has nothing in common. Choose a cell to look closely.",
    cell: (first, second, tv) => `${first} and ${second}, TV ${tv}`,
    none: "none",
    waits: "to come",
  },
  pair: {
    title: (first, second) => `${first} and ${second}`,
    first: "First library",
    second: "Second library",
    kept: "Kept",
    keptOf: (first, mine, second, its) => `${first} ${mine}, ${second} ${its}`,
    most: "Largest difference",
    mostAt: (difference, id) => say`${difference}, at ID ${String(id)}`,
    only: name => `Only ${name} keeps`,
    mass: mass => `mass ${mass}`,
    more: count => `${count} in all,`,
    nobody: "none",
    rounding: "Decided by rounding",
    roundingYes: "yes: the cut is within 4 ulp of the threshold; another machine may differ",
    roundingNo: "no",
  },
  why: {
    label: "Why",
    pending: "Comparing, one setting at a time.",
    same: "Both keep the same tokens; the probabilities differ by rounding at most.",
    refused: "One of them gives no result: nothing to compare.",
    unknown:
      "With each setting alone the two agree, and only with all together do they differ; the table of rules does not say why.",
    absent: (name, setting) => `${name} has no ${setting}; the other applies it.`,
    default: (setting, first, mine, second, its) =>
      `${setting} is not given, so each takes its default: ${first} ${mine}, ${second} ${its}.`,
    bites: (setting, tv, ids) => `They part at ${setting}: TV ${tv}${ids ? `, on ${ids}` : ""}.`,
    rule: (names, tested) =>
      tested || names.length === 1
        ? `${names.join("; ")}.`
        : `Several rules differ, and no test tells them apart: ${names.join("; ")}.`,
    none: setting => `The two work out ${setting} differently; the table of rules has no column for it.`,
    detail: {
      order: (name, temperatureFirst) =>
        `${name} ${temperatureFirst ? "divides by the temperature first" : "filters first"}`,
      measure: (name, within) =>
        `${name} ${within ? "renormalises after top-k, then adds up" : "adds up the probabilities from before top-k"}`,
      minP: (name, minPFirst) => `${name} applies ${minPFirst ? "min-p" : "top-p"} first`,
      tie: (name, all) => `${name} keeps ${all ? "all that equal the k-th" : "exactly k"}`,
      equals: name => `${name} picks among equals in an order of its own`,
      boundary: (name, boundary) => `${name} ${boundaries[boundary] ?? boundary}`,
      window: (name, last) => `${name} looks at ${last ? `the last ${last} ids` : "the whole context"}`,
      smallT: (name, least, greedyBelow) =>
        `${name} ${greedyBelow > 1e-300 ? `is greedy below ${greedyBelow}` : least ? `raises a temperature below ${least} to it` : "takes it as given"}`,
    },
    ids: ids => `ID\u00a0${ids.join(", ")}`,
  },
  ladder: {
    name: "One setting at a time",
    caption: "From nothing set, each line adds one setting: where do they part?",
    setting: "Added",
    kept: name => `${name} keeps`,
    apart: "they part",
    refused: "refused",
  },
  tokens: {
    name: "Around the cut",
    caption: "In descending order of logits. The probabilities are those each library draws with, normalised.",
    id: "Token",
    logit: "Logit",
    who: "Kept by",
    both: "both",
    none: "neither",
    only: name => `${name} only`,
    above: count => `${count} more above, kept by both.`,
    below: count => `${count} more below, kept by neither.`,
    others: count => `Not listed: ${count} more.`,
  },
  cut: {
    name: setting => `The numbers of ${setting}`,
    caption:
      "What each of the two compares, in its own float arithmetic, and how far that is from the threshold in ulps (the spacing of floats there). Within 4 ulp, other arithmetic may decide otherwise; such a number is marked “rounding”.",
    kinds: {
      logit: "the logit",
      p: "the probability",
      "sum-before": "the cumulative sum before it, in descending order",
      "sum-from-below": "the cumulative sum in ascending order, itself included",
    },
    compares: (name, what, threshold) => `${name} compares ${what}; threshold ${threshold}`,
    nothing: (name, setting) => `${name} does not test ${setting}, or not number by number`,
    ulps: count => `${count} ulp`,
    stays: "stays",
    goes: "goes",
    gone: "gone before",
    rounding: "rounding",
  },
  stages: {
    logits: "Logits first",
    distributions: "Then the distributions",
    greedy: "Then the greedy choice",
    random: "And only then what is drawn",
    equal: "Both start from the same row, and after their penalties it is still the same, bit for bit.",
    unequal: ids =>
      `After the penalties they differ at ID\u00a0${ids.slice(0, 8).join(", ")}${ids.length > 8 ? `, ${ids.length} in all` : ""}.`,
    noLogits: "One of the two does not take this penalty.",
    both: "With greedy decoding both choose",
    apart: ": they differ even with greedy decoding.",
    noGreedy: "One of the two gives no result.",
  },
  tools: "Porting",
  migrate: {
    title: "What to change to make the two agree",
    heading: (from, to) => `Make ${to} behave like ${from}`,
    settings: "Changing settings is enough.",
    steps: "Settings are not enough: its sampling steps must be rebuilt.",
    fell: (before, after) => `TV falls from ${before} to ${after}.`,
    agree: tried => `On ${tried} other short rows they agree as well.`,
    equals: row => `With equal logits they may still differ, as on ${row}.`,
    differs: row => `On other rows they still differ, as on ${row}.`,
    settingsAre: settings => `Set: ${settings || "everything off"}.`,
    lacks: (name, setting) => `Not possible: ${name} has no ${setting}, and its sampling steps cannot be rebuilt.`,
    none: why => `Not possible with any settings. ${why}`,
  },
  hunt: {
    title: "Find the smallest row that tells them apart",
    hint: most => `Tries rows with the present settings, the shortest and simplest first, up to ${most} logits.`,
    start: "Search",
    tried: count => `${rows(count)}.`,
    found: (row, count) => `They differ on ${row}. ${rows(count)}.`,
    none: count => `${rows(count)}, and they differ on none.`,
    nothing: "With these settings one of the two never gives a result: nothing to compare.",
    take: "Take as logits",
  },
  document: {
    title: "Beside the figures that one article measured",
    caption:
      "The article measured its figures on its own logits; those here have the same settings on the row above. Other logits give other figures; the rules are the same.",
    theirs: "Article",
    ours: "Here",
    kept: "Temperature 0.7, top-k 40, top-p 0.9: kept by transformers / candle",
    tv: "TV of these two",
    outside: "Mass of candle outside what transformers keeps",
    bare: "Temperature 0.7 alone: TV",
    changed: "Penalty 1.3 over the whole context / its last 64 ids: logits changed",
    most: "Largest difference between these two",
  },
  streams: {
    label: "One seed",
    name: "The first 20 tokens",
    caption: seed => `Seed ${seed}, each library with its own generator.`,
    engine: "Library",
    ids: "Ids drawn",
    words: "Random words used",
    seedHint: "0 to 2⁶⁴ − 1",
    seedTaken: "All libraries get this seed.",
    not: names => `Draws of ${and(names)} are not replayed here.`,
    refused: text => `This seed is not taken. Allowed: ${text}`,
    why: parts => `Equal seeds, other tokens: ${parts.join("; ")}.`,
    uses: (name, generator, each) =>
      `${name} draws from ${generator}, ${each} ${each === "1" ? "word" : "words"} a token`,
    empty: "None of the chosen libraries can be replayed.",
    pending: "Drawing.",
  },
  draws: {
    label: "100,000 draws",
    engine: "Library that draws",
    start: "Draw",
    cancel: "Stop",
    progress: done => `${done} drawn`,
    name: "Frequency and probability",
    caption:
      "The standard error is how far a frequency strays by chance; within two or three of them it agrees with the probability.",
    id: "Token",
    count: "Times",
    frequency: "Frequency",
    p: "Probability",
    error: "Std. error",
    rest: count => many(count, "other"),
    outside: (count, share, other) => `${count} of them (${share}) are tokens that ${other} does not keep at all.`,
    inside: other => `${other} keeps every token drawn.`,
    done: name => `${name} has drawn them all.`,
    idle: "Changing any setting discards the draws under way.",
    none: "Neither library of this pair can be replayed.",
  },
  sources: {
    label: "Evidence",
    line: (name, how, version, date, source) => `${name}: ${how}, ${version}, ${date}. ${source}`,
  },
  vector: "Save as test vector",
  closing:
    "The libraries themselves do not run here: one core follows their rules. “Ran” means compared with the real package; “read” means taken from its source and never run. Versions on a GPU may do otherwise.",
};

/** Measured in this language. */
export const heights: Heights = [
  [280, 6224],
  [304, 5987],
  [336, 5805],
  [376, 5415],
  [384, 5415],
  [392, 5298],
  [408, 5214],
  [464, 4999],
  [552, 4861],
  [560, 4404],
  [584, 4162],
  [600, 4162],
  [608, 4065],
  [736, 3849],
  [752, 3734],
  [928, 3652],
  [936, 3578],
  [952, 3578],
  [960, 3104],
  [968, 3076],
  [1200, 2950],
];
