// English of <smp-stopping>. Same keys as the Chinese; written, not translated.
import { fault, many, sentence } from "../../i18n/messages.en.ts";
import { nb, say, strong } from "../../i18n/rich.ts";
import type { Heights } from "../snippet.ts";
import type { StoppingMessages } from "./messages.zh.ts";

export const messages: StoppingMessages = {
  title: say`A row that ends early ${nb("waits for the others")}`,
  tasks: {
    rowByRow: "Three rows meet EOS in three different steps. Step forward: what fills the rows that have ended?",
    length: "The limit is 2, so row 3 never meets its EOS. See what ends it.",
    shared: "PAD and EOS are now the same number. Can you still tell their roles apart?",
    together: "All rows end in the same step: nobody waits, and no PAD is needed.",
    padOwn: "A PAD among the candidates of a row that has not ended. It is not EOS, so it belongs to the answer.",
    padShared: "The same candidates with a shared id: now that PAD is an EOS.",
    prompt: "The prompt of row 2 holds an EOS, and the row still runs to the limit.",
    single: "With one row, the wrong rules look right.",
    eight: "Three rows, eight steps: see how long the first to end has to wait.",
  },
  free: "Change a row and see who ends first and who waits.",
  presets: {
    rowByRow: "EOS row by row",
    length: "Length first",
    shared: "Shared id",
    together: "All at once",
    padOwn: "PAD as a candidate",
    padShared: "PAD as a candidate, shared id",
    prompt: "EOS in the prompt",
    single: "One row",
    eight: "Eight steps",
  },

  rows: "Candidate tokens of each row",
  row: row => `Row ${row}`,
  add: "Add a row",
  remove: "Remove a row",
  hint: "1 to 8 a row, spaces or commas between; EOS and PAD in capitals",
  lookalike: text => `“${text}” is an ordinary token; ${text.toUpperCase()} needs capitals.`,
  ready: (rows, limit) => `From the start: ${rows}; at most ${many(limit, "step")}.`,
  rowResult: (answer, finish, step) =>
    `${answer ? `Answers ${answer}` : "No answer"}; ${finish === "eos" ? "EOS" : "limit"} in step ${step}.`,
  rowProblem: problem => {
    switch (problem.kind) {
      case "empty":
        return "This field is empty; 1 to 8 tokens are needed.";
      case "textTooLong":
        return `More than ${problem.most} characters; 1 to 8 tokens are needed.`;
      case "tooMany":
        return `${problem.found} tokens; at most 8 are allowed.`;
      case "tokenTooLong":
        return `“${problem.text}” is too long; 12 characters at most.`;
      case "badToken":
        return `“${problem.text}” is not allowed; letters, digits and underscores only.`;
      case "short":
        return `${many(problem.found, "token")} cannot cover ${many(problem.limit, "step")}; at least ${problem.limit} are needed, or an EOS.`;
    }
  },
  limit: say`${strong("New tokens")} at most`,
  limitSlider: "New tokens at most, 1 to 8",
  limitProblem: problem => `${sentence(fault(problem))}. Allowed: a whole number from 1 to 8.`,
  preview: (steps, row, finish) =>
    `The whole run takes ${many(steps, "step")}; row ${row} ends by ${finish === "eos" ? "EOS" : "length"}.`,
  shared: "PAD shares the id of EOS",
  ids: pad => (pad === 1 ? "EOS and PAD are both 1." : `EOS is 1, PAD is ${pad}.`),
  idsHint: "With a shared id the numbers are equal; the roles are not",

  quiz: {
    question: "If the batch stops as soon as any row meets EOS, which rows are cut short?",
    answer: (right, cut) =>
      `${right ? "Right" : "Not quite"}: ${cut.length ? `cut short: row ${cut.join(" and row ")}` : "no row is cut short"}.`,
    reveal: "Show",
    veiled: "Guess first, then see where it stops.",
  },

  steps: {
    label: "Steps",
    name: step => (step ? `Step ${step}` : "Start"),
    start: "Nothing is appended yet. finished is false in every row; an EOS in a prompt does not count.",
    pads: (row, token) => `row ${row} had ended, so PAD replaces ${token}`,
    eos: (row, token) =>
      token === "EOS" ? `row ${row} meets EOS and ends` : `in row ${row} ${token} is the EOS, so the row ends`,
    limit: (row, token) => `row ${row} appends ${token} and is at the limit`,
    adds: (row, token) => `row ${row} appends ${token}`,
    all: (parts, stopped) =>
      `${sentence(parts.join("; "))}. ${stopped ? "All rows have ended: the batch stops." : "The batch goes on."}`,
  },

  right: "Right: stop row by row",
  rightNote: "the batch stops when all rows have",
  prompt: "prompt and mask",
  answer: "answer",
  reason: "reason",
  stopStep: "ended",
  atStep: step => `step ${step}`,
  finishes: { none: "—", eos: "EOS", length: "length limit", cut: "cut short" },
  empty: "none",
  unfinished: "so far",
  counts: (now, limit, rows) => [
    ["Columns", `${now.columns} of ${limit}`],
    ["Ended", `${now.finished} of ${many(rows, "row")}`],
    ["PAD", many(now.pad, "cell")],
    ["Idle", many(now.idle, "row-step")],
    ["Batch", now.stopped ? "stopped" : "going on"],
  ],

  wrong: "Wrong:",
  choose: "Choose a wrong rule",
  rules: {
    any: "any EOS stops the batch",
    "same-step": "stop when all show EOS at once",
    scalar: "test a whole column at once",
    single: "take one row only",
  },
  lost: "lost",
  junk: "surplus",
  nothing: "none",
  extra: "+",
  halt: "stop",
  tally: {
    waiting: "No row has met an EOS yet.",
    cut: (column, lost, eos) => `Stops after column ${column}: ${many(lost, "answer token")} and ${eos} EOS lost.`,
    harmless: column => `Stops after column ${column}; nothing is lost.`,
    junk: (junk, idle) =>
      `${many(junk, "surplus token")}, all after the row’s own EOS; ${many(idle, "idle row-step")}.`,
    clean: "No surplus token up to this step.",
    same: "With one row it does the same as the right rule.",
    scalar:
      "Error in step 1: a column has several elements, and comparing it with EOS gives no single truth value. Nothing is appended.",
    single: "Refused before the first step: with an EOS given, only one row is allowed.",
  },
  roles: {
    eos: "first EOS, ends the row",
    given: "in a prompt, ends nothing",
    pad: "fills a row that has ended",
    replaced: "candidate after the end, replaced by PAD",
    next: "still to come",
    lost: "lost by stopping early",
    junk: "surplus after the row’s end",
  },
  small: "small figure: the id",
  maskKey: "0 or 1 under a prompt: the attention mask",
  maskBit: bit => `mask ${bit}`,

  log: {
    title: steps => `Step log (${many(steps, "step")})`,
    caption: rows => (rows > 1 ? `Each cell lists rows 1 to ${rows} in order.` : "One row."),
    heads: () => ["step", "candidate", "finished before", "appended", "finished after", "batch"],
    batch: stopped => (stopped ? "stops" : "goes on"),
  },

  notes: {
    steps: "A step does three things",
    first: "In rows that have ended, PAD replaces the candidate.",
    second: "The new column is appended to every row.",
    third: "Rows that met EOS or the limit have ended; once all have, the batch stops.",
    prompt: "Prompts",
    promptText:
      "Prompts are padded on the left; the 0 or 1 under each token is the attention mask. finished starts as false in every row, and an EOS in a prompt stops nothing.",
    roles: "Why the numbers are not enough",
    rolesText:
      "With a shared id, the first EOS and the padding after it are the same number. What tells them apart is the value of finished before the step, which the final array does not hold.",
    returns: "Is EOS in what is returned?",
    returnsText:
      "Some libraries keep it; others test before they append, so it is missing. Here it stays; the answer is what comes before it.",
  },
  closing:
    "No model runs here: the candidates are written beforehand. How a tokenizer hides special tokens when it decodes is not simulated. The right rule agrees with generate of transformers 5.22 on 207 batches.",
};

/** Measured in this language. */
export const heights: Heights = [
  [280, 3727],
  [312, 3571],
  [320, 3382],
  [344, 3317],
  [360, 3153],
  [456, 2840],
  [472, 2707],
  [552, 2686],
  [560, 2385],
  [712, 2248],
  [720, 1815],
  [872, 1674],
  [1072, 1648],
  [1080, 1454],
  [1088, 1430],
  [1200, 1408],
];
