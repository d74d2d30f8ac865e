// Every refusal of every operation speaks of the line: its message begins with a path of the line, and holds no inner
// name. The list is made from right lines: each value in them is left out, and replaced by each that is mistyped or out
// of range.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { told } from "./asked.mjs";
import { api, cores, fromRoot, readModel } from "./support.mjs";

const core = cores.simd;
api.publishModel({ name: "zh", bytes: readModel() });
const engine = {
  logits: [3, 2, 1, 0],
  settings: { temperature: 1, top_k: 2, top_p: 0.9, min_p: 0.1, repetition_penalty: 1.1, repeat_last_n: 2 },
  context: [1, 3],
  seed: "7",
  draws: 2,
  generator: "torch",
  trace: { setting: "top_p", ids: [0, 1] },
};
const rare = { typical_p: 0.9, epsilon_cutoff: 0.01, eta_cutoff: 0.01, top_h: 0.5, prompt_ignore_length: 1 };
const samplers = [
  ["top_k", 3],
  ["top_p", 0.9, 1],
  ["min_p", 0.1, 1],
  ["typical", 0.9, 1],
  ["temp", 1],
  ["temp_ext", 1, 0, 1],
  ["top_n_sigma", 1],
  ["xtc", 0.5, 0.1, 1, "42"],
  ["penalties", 64, 1.1, 0, 0],
  ["dry", 1, 1.5, 2, 64, [1]],
  ["dist", "7"],
];
const chain = [
  ["repetition_penalty", 1.1, { last: 2 }],
  ["presence_penalty", 0.5],
  ["frequency_penalty", 0.5],
  ["logit_bias", [[3, -1.5]]],
  ["suppress_tokens", [2]],
  ["no_repeat_ngram_size", 2],
  ["temperature", 0.7],
  ["top_k", 3, { tie: "last" }],
  ["top_p", 0.9],
  ["min_p", 0.1],
  ["typical_p", 0.9],
  ["epsilon_cutoff", 0.01],
  ["eta_cutoff", 0.01],
  ["top_h", 0.5],
  ["top_n_sigma", 1],
];
const filters = [
  ["top_k", 3, { tie: "threshold" }],
  ["top_p", 0.9, { tie: "inclusive" }],
  ["min_p", 0.1],
];
const BATCH = {
  op: "stop",
  candidates: [
    [7, 1],
    [8, 9],
  ],
  eos: [1],
  pad: 0,
  max_new_tokens: 2,
  rule: "latch",
};
const RIGHT = [
  { op: "lab", logits: [0, 1, 2, 3], tau: 0.8, k: 2, u: 0.5, tie: "strict", share: "zeroed", hex: true },
  { op: "lab", logits: [0, 1, 2, 3], tau: 0.8, u: 0.5, filters },
  { op: "chain", logits: [3, 2, 1, 0, 2, 1], chain, context: [1, 3], u: 0.5, order: "descending" },
  { op: "chain", logits_file: "scores.f32", chain: [["top_k", 2]] },
  BATCH,
  { ...BATCH, eos: 1, rule: "same-step" },
  { op: "stop-one", prompt: [1, 2], candidates: [3, 4], eos: [3], max_new_tokens: 2, keep_eos: true },
  { op: "engine", engine: "transformers", ...engine, settings_only: true },
  { op: "engine", engine: "candle", ...engine, constructor: "from_sampling", replacement: false, greedy: false },
  { op: "engine", engine: "transformers", logits: [3, 2, 1], settings: rare },
  { op: "engine", engine: "llama.cpp", logits: [3, 2, 1, 0], spec: samplers },
  { op: "compare", engines: ["vllm", "candle", "transformers.js"], ...engine, constructor: "from_sampling" },
  { op: "compare", engines: ["llama.cpp", "candle"], logits: [3, 2, 1], spec: [["top_k", 2]] },
  {
    op: "draw",
    logits: [0, 1, 2, 3],
    tau: 0.8,
    k: 2,
    generator: "torch-mkl",
    replacement: true,
    seed: "7",
    draws: 5,
    before: 1,
    minlength: 6,
    hex: true,
  },
  { op: "draw", logits: [0, 1, 2, 3], tau: 0.8, k: 2, generator: "candle", seed: 7, draws: 5 },
  { op: "draw", logits: Array(65).fill(1), tau: 0.8, k: 2, generator: "llama.cpp", seed: "7", draws: 5 },
  { op: "draw", logits_file: "scores.f32", seed: "7", draws: 5 },
  { op: "curve", logits: [0, 1, 2, 3], taus: [0, 1, "inf"], pair: [3, 2], hex: true },
  {
    op: "generate",
    model: "zh",
    prompt: "月",
    chain: [["top_k", 3]],
    seed: "7",
    max_new_tokens: 2,
    stop: false,
    hex: true,
  },
  {
    op: "generate",
    model: "zh",
    engine: "candle",
    settings: { top_k: 3 },
    settings_only: true,
    seed: "7",
    max_new_tokens: 2,
  },
  { op: "generate", model: "zh", greedy: true, max_new_tokens: 2 },
];
const WRONG = [
  ...[undefined, null, true, "x", "", "strict", "0.5", "nan", "inf", "-inf", "4294967295", "18446744073709551616"],
  ...[0, -1, 1.5, 2, 5, 65, 1025, 1e39, -1e39, 2 ** 31, 2 ** 32, 2 ** 53, [], {}, [[]], [1, 2, 3], [null], { x: 1 }],
  ...[Array(65).fill(1), Array(65).fill([1]), Array(65).fill(["temp", 1]), ["-inf", "-inf", "-inf", "-inf"]],
];
/** Lines that only several changes at once make. */
const MORE = [
  { ...BATCH, rule: "scalar" },
  { ...BATCH, rule: "single" },
  { ...RIGHT[0], logits: [0, 2 ** 1001] },
  { ...RIGHT[0], filters },
  { op: "lab", logits: [0, 1], tau: 1, u: 0, tie: "strict", filters },
  {
    op: "engine",
    engine: "llama.cpp",
    logits: [1, 2],
    spec: [
      ["dist", 1],
      ["temp", 1],
    ],
  },
  { op: "engine", engine: "llama.cpp", logits: [1, 2], spec: [["temp", 1]], settings: { top_k: 1 } },
  { op: "engine", engine: "llama.cpp", logits: [1, 2], spec: [["dist", 1]], seed: "2" },
  { op: "engine", engine: "llama.cpp", logits: [1, 2], spec: [["temp", 1]], settings_only: true },
  { op: "engine", engine: "transformers.js", logits: [1, 2], seed: "9007199254740993" },
  { op: "engine", engine: "transformers.js", logits: [1, 2], settings: { temperature: -1 } },
  { op: "engine", engine: "vllm", logits: [1, 2], seed: "1" },
  { op: "engine", engine: "candle", logits: [1, 2], generator: "torch-mkl" },
  { op: "engine", engine: "candle", logits: [1, 2], replacement: true },
  { op: "engine", engine: "transformers", logits: [1, 2], constructor: "new" },
  { op: "engine", engine: "candle", logits: [1, 2], logits_file: "scores.f32" },
  { op: "compare", engines: ["candle", "candle"], logits: [1, 2] },
  { op: "draw", logits: [1, 2], replacement: true, seed: "1", draws: 1 },
  { op: "draw", logits: [1, 2], logits_file: "scores.f32", seed: "1", draws: 1 },
  { op: "draw", logits: [1e30, 0], tau: 1e-30, generator: "torch", seed: "1", draws: 1 },
  { op: "draw", logits: [1, 2], seed: "1", draws: 10_000_001 },
  { op: "draw", logits: Array(1000).fill(1), generator: "torch", seed: "1", draws: 1_000_001 },
  { op: "draw", logits: [1, 2], seed: "1", draws: 1, minlength: 2 ** 20 + 1 },
  { op: "curve", logits: [1, 2], taus: Array(1001).fill(1) },
];

const isObject = value => value !== null && typeof value === "object";

/** A copy with another value at a path, or without it. */
function changed(value, [key, ...rest], found) {
  if (key === undefined) return found;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const inner = changed(value[key], rest, found);
  if (inner !== undefined) copy[key] = inner;
  else if (Array.isArray(copy)) copy.splice(key, 1);
  else delete copy[key];
  return copy;
}

function* pathsIn(value, path = []) {
  if (path.length) yield path;
  if (isObject(value))
    for (const key of Object.keys(value)) yield* pathsIn(value[key], [...path, Array.isArray(value) ? +key : key]);
}

function* linesFrom(right) {
  for (const path of pathsIn(right)) for (const wrong of WRONG) yield changed(right, path, wrong);
  for (const path of [[], ...pathsIn(right)]) {
    const inner = path.reduce((value, key) => value[key], right);
    if (isObject(inner) && !Array.isArray(inner)) yield changed(right, path, { ...inner, other: 1 });
  }
}

const LINES = [...RIGHT.flatMap(right => [...linesFrom(right)]), ...MORE];

/** Names of what the line becomes inside: of arguments of C and of typed calls, and of tables. */
const INNER =
  /\b(row|rows|samplers|setting|generator|steps|variants?|weights|maxNewTokens|keepEos|settingsOnly|param)\b/g;
/** Statuses and steps of a chain and of a batch are counted in plain words. */
const PLAIN = /fewer tokens than steps|found \d+ steps|an array of arrays such as/g;

/** What an answer says against a line or one of its engines. */
const refusalsOf = ({ error, engines = [], pairs = [] }) =>
  [error?.message, ...[...engines, ...pairs].flatMap(each => [each.error, each.draws_error])].filter(
    text => text && /; allowed: /.test(text),
  );

const answered = LINES.map(line => ({ line, answer: told(line) }));
const refused = answered.flatMap(({ line, answer }) => refusalsOf(answer).map(message => ({ line, message })));

test("a right line is answered, and the list refuses much", () => {
  for (const right of RIGHT)
    if (!right.logits_file) assert.equal(told(right).error ?? null, null, JSON.stringify(right).slice(0, 90));
  assert.ok(refused.length > 3000, String(refused.length));
});

test("each begins with a path of the line, to what stands there, or is missing there", () => {
  for (const { line, message } of refused) {
    const [, path, step] = /^(\w+(?:\[\d+\]|\.\w+)*)(?: (\w+[^:]*))?: /.exec(message) ?? [];
    assert.ok(path, message);
    const keys = path.match(/\w+/g).map(key => (/^\d+$/.test(key) ? +key : key)),
      missing = keys.length === 1 && /: missing/.test(message);
    const parent = keys.slice(0, -1).reduce((value, key) => value?.[key], line);
    assert.ok(
      missing || (isObject(parent) && Object.hasOwn(parent, keys.at(-1))) || /: missing/.test(message),
      `${message}\n${JSON.stringify(line)}`,
    );
    // the step that stands there
    if (step) assert.equal(/^\w+/.exec(step)[0], parent[keys.at(-1)][0] ?? parent[keys.at(-1)], message);
    const found = /: found ([^;]*?)(…)?;/.exec(message)?.[1];
    if (found && !step && !/ again|, and |beyond|too$/.test(found)) {
      const text = JSON.stringify(parent[keys.at(-1)]);
      if (!/ (steps|filters|temperatures)$/.test(found)) assert.ok(text.startsWith(found), `${message}\n${text}`);
    }
  }
});

test("none holds an inner name, unless the line has it", () => {
  for (const { line, message } of refused) {
    const own = [
      /^trace/.test(message) ? "setting" : "",
      /^generator|: no such field;/.test(message) ? "generator" : "",
    ];
    const names = (message.replace(PLAIN, "").match(INNER) ?? []).filter(name => !own.includes(name));
    assert.deepEqual(names, [], `${message}\n${JSON.stringify(line)}`);
  }
});

test("each says what is allowed, and no text of the core is left out", () => {
  const NOT_OF_A_LINE = [
    "AT_NONE",
    "AT_DTYPE",
    "AT_N",
    "AT_OUT",
    "AT_KEPT",
    "AT_STEP",
    "AT_SETTING",
    "AT_ENGINE",
    "AT_GENERATOR",
    "AT_RUN",
    "AT_COUNTS",
    "AT_P",
    "AT_MODEL",
    "AT_POSITION",
    "AT_CACHE",
  ]; // no field; a list says more
  const IN_LISTS = ["AT_KEEP_EOS"]; // true or false
  for (const { answer, line } of answered)
    if (answer.error?.message) assert.match(answer.error.message, /; allowed: \S/, JSON.stringify(line));
  const texts = refused.map(({ message }) => message);
  for (const [code, , , allowed] of core.abi.param)
    if (![...NOT_OF_A_LINE, ...IN_LISTS].includes(code))
      assert.ok(
        texts.some(text => text.includes(`; allowed: ${allowed}`)),
        code,
      );
});

test("no code looks into the text of an error", () => {
  const READS =
    /\b(message|error|problem)\)?\.(replace|replaceAll|match|matchAll|includes|startsWith|endsWith|search|split|slice|indexOf)\(|\.(test|exec)\([^()]*\b(message|allowed)\)/;
  /** The system's own text, without the path that is named anyway. */
  const KNOWN = { "entry/cli-row.ts": 1 };
  const files = readdirSync(fromRoot("web"), { recursive: true }).filter(file => /\.tsx?$/.test(file));
  for (const file of files) {
    const lines = readFileSync(fromRoot("web", file), "utf8")
      .split("\n")
      .filter(line => READS.test(line));
    assert.ok(lines.length <= (KNOWN[file] ?? 0), `${file}: ${lines.join("\n")}`);
  }
});
