// Random lines, most of them nearly right: eval answers each, in order, and lives.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { answersTo } from "./asked.mjs";
import { api, cores } from "./support.mjs";

const core = cores.simd;

const RUNS = 10_000;
const hostile = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    0.5,
    1e39,
    -1e39,
    5e-324,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 31),
    1e300,
    null,
    true,
    false,
    "",
    "nan",
    "inf",
    "-inf",
    "0x1p-3",
    "0x",
    "__proto__",
    "constructor",
    "toString",
    "7",
  ),
  fc.double(),
  fc.integer({ min: -3, max: 9 }),
  fc.string({ maxLength: 6, unit: "binary" }),
);
const mostly = (right, weight = 40) =>
  fc.oneof(
    { weight, arbitrary: right },
    { weight: 1, arbitrary: hostile },
    { weight: 1, arbitrary: fc.array(hostile, { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        fc.constantFrom("tie", "last", "setting", "ids", "x", "__proto__", "toString"),
        hostile,
        { maxKeys: 3 },
      ),
    },
  );
const logit = mostly(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -1e38, max: 1e38, noNaN: true })), 200);
const ids = mostly(fc.array(mostly(fc.integer({ min: 0, max: 5 }), 200), { maxLength: 6 }));
const value = mostly(
  fc.oneof(fc.double({ min: 0, max: 2, noNaN: true }), fc.integer({ min: 0, max: 6 }), fc.constantFrom(1, 0.5)),
);
const whole = mostly(fc.integer({ min: 1, max: 5 })),
  share = mostly(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }));
const STEPS = Object.keys(core.abi.step),
  SAMPLERS = core.abi.sampler.map(([, , name, numbers]) => [name, numbers.split(" ").filter(Boolean)]);
const SETTINGS = core.abi.setting.map(([, , name]) => name),
  ENGINES = core.abi.engine.map(([, , name]) => name);
const step = fc.oneof(
  fc.tuple(fc.constantFrom(...STEPS), value),
  fc.tuple(
    fc.constantFrom("logit_bias", "suppress_tokens"),
    mostly(fc.oneof(ids, fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), logit), { maxLength: 4 }))),
  ),
  fc.tuple(
    fc.constantFrom(...STEPS),
    value,
    fc.record(
      { tie: mostly(fc.constantFrom("strict", "threshold", "last")), last: mostly(fc.nat(4)) },
      { requiredKeys: [] },
    ),
  ),
);
const sampler = fc
  .constantFrom(...SAMPLERS)
  .chain(([name, wanted]) => fc.tuple(fc.constant(name), ...wanted.map(each => (each === "breakers" ? ids : value))));
const fields = {
  op: mostly(fc.constantFrom("lab", "chain", "stop", "stop-one", "engine", "compare", "draw", "curve"), 60),
  logits: mostly(fc.array(logit, { minLength: 6, maxLength: 7 }), 60),
  logits_file: hostile,
  tau: value,
  k: whole,
  u: share,
  tie: mostly(fc.constantFrom("strict", "threshold", "last")),
  share: mostly(fc.constantFrom("renormalised", "zeroed")),
  filters: mostly(
    fc.array(
      mostly(fc.tuple(fc.constantFrom("top_k", "top_p", "min_p"), share, fc.constantFrom({}, { tie: "strict" })), 20),
      { maxLength: 4 },
    ),
    20,
  ),
  hex: mostly(fc.boolean()),
  chain: mostly(fc.array(mostly(step, 20), { maxLength: 5 }), 20),
  context: ids,
  candidates: mostly(fc.array(mostly(fc.array(whole, { minLength: 5, maxLength: 6 })), { minLength: 1, maxLength: 3 })),
  eos: ids,
  pad: whole,
  max_new_tokens: whole,
  rule: mostly(fc.constantFrom("latch", "any", "same-step", "scalar", "single")),
  prompt: mostly(fc.array(whole, { minLength: 5, maxLength: 6 })),
  keep_eos: mostly(fc.boolean()),
  engine: mostly(fc.constantFrom(...ENGINES), 20),
  engines: mostly(fc.uniqueArray(fc.constantFrom(...ENGINES), { minLength: 1, maxLength: 4 }), 20),
  settings: mostly(fc.dictionary(fc.constantFrom(...SETTINGS, "x"), value, { maxKeys: 5 })),
  seed: mostly(fc.constantFrom("0", "42", "4294967295", "18446744073709551615")),
  draws: mostly(fc.integer({ min: 1, max: 5 })),
  settings_only: mostly(fc.boolean()),
  greedy: mostly(fc.boolean()),
  constructor: mostly(fc.constantFrom("new", "from_sampling")),
  generator: mostly(fc.constantFrom("torch", "torch-mkl")),
  replacement: mostly(fc.boolean()),
  spec: mostly(fc.array(mostly(sampler, 20), { maxLength: 4 })),
  before: mostly(fc.nat(5)),
  minlength: mostly(fc.nat(9)),
  taus: mostly(fc.array(mostly(fc.oneof(value, fc.constant("inf")), 20), { maxLength: 4 })),
  pair: mostly(fc.array(mostly(fc.nat(5), 200), { minLength: 2, maxLength: 2 })),
  trace: mostly(fc.record({ setting: mostly(fc.constantFrom("top_k", "top_p", "min_p", "temperature")), ids })),
};
const FIELDS = {
  lab: ["logits", "tau", "k", "u", "tie", "share", "hex", "filters"],
  chain: ["logits", "chain", "context", "u"],
  stop: ["candidates", "eos", "pad", "max_new_tokens", "rule"],
  "stop-one": ["prompt", "candidates", "eos", "max_new_tokens", "keep_eos"],
  engine: [
    "engine",
    "logits",
    "settings",
    "context",
    "seed",
    "draws",
    "settings_only",
    "greedy",
    "constructor",
    "generator",
    "replacement",
    "spec",
    "trace",
  ],
};
FIELDS.draw = ["logits", "seed", "draws", "tau", "k", "generator", "replacement", "before", "minlength", "hex"];
FIELDS.curve = ["logits", "taus", "pair", "hex"];
FIELDS.compare = ["engines", ...FIELDS.engine.slice(1)];
const of = (names, requiredKeys) =>
  fc.record(Object.fromEntries(names.map(name => [name, fields[name]])), { requiredKeys });
/** Nearly right requests, so that the core is reached; then any fields; then any JSON, and any text. */
const likely = fc.constantFrom(...Object.keys(FIELDS)).chain(op =>
  of(FIELDS[op], FIELDS[op].slice(0, op === "engine" || op === "compare" ? 2 : 4)).map(rest =>
    JSON.stringify({
      op,
      ...rest,
      ...(op === "stop-one" ? { candidates: rest.prompt } : {}),
      ...(rest.filters ? { k: undefined, tie: undefined } : {}),
    }),
  ),
);
const anyFields = of(Object.keys(fields), ["op"]).map(each => JSON.stringify(each));
const text = fc.string({ maxLength: 40, unit: "binary" }).map(each => each.replaceAll("\n", " "));
const cut = fc
  .tuple(likely, fc.nat(200), fc.string({ maxLength: 3, unit: "binary" }))
  .map(([line, at, inside]) => (line.slice(0, at) + inside + line.slice(at)).replaceAll("\n", " "));
const line = fc.oneof(
  { weight: 16, arbitrary: likely },
  { weight: 1, arbitrary: anyFields },
  { weight: 2, arbitrary: cut },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
);

test("random and hostile lines: one answer each, in order, and no death", () => {
  let answered = 0,
    marked = core.call.smp_arena_mark();
  fc.assert(
    fc.property(line, each => {
      const text = api.evaluateLine(core, each),
        answer = JSON.parse(text);
      assert.ok(!text.includes("\n") && answer !== null && typeof answer === "object", text);
      assert.equal(core.call.smp_arena_mark(), marked, "the arena was not given back");
      if (!answer.error?.code) return void answered++;
      const { code, where, message } = answer.error;
      assert.notEqual(code, "ERR_INTERNAL", message);
      assert.ok(
        core.abi.status.some(([name]) => name === code),
        code,
      );
      assert.ok(typeof where.param === "string" && Number.isInteger(where.index) && message.length > 5, text);
      assert.doesNotMatch(message, /undefined|\[object|NaN\b(?! )/, message);
    }),
    { numRuns: RUNS, seed: 16 },
  );
  assert.ok(answered > RUNS / 10, `only ${answered} lines were right`);
});

test("the command: random lines between two that are known", () => {
  const lines = fc.sample(line, { numRuns: 2000, seed: 17 });
  const known = index => JSON.stringify({ op: "stop-one", prompt: [index], candidates: [1], max_new_tokens: 1 });
  const answers = answersTo(lines.flatMap((each, index) => [`${each}\n`, `${known(index)}\n`]).join(""));
  assert.equal(answers.length, 2 * lines.length);
  lines.forEach((_, index) => assert.deepEqual(answers[2 * index + 1], { ids: [index, 1], finish: "length" }));
});
