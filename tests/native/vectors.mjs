// Turns softmax64.json, filters.json, rounding.json, rules.json, frequency.json, stop.json, gpt.json, and what torch
// sorts and draws with into a C header of the same facts, for the native tests:
//   node tests/native/vectors.mjs VECTORS_DIR OUT.h
// C and the file write a double in the same way, so its text passes unchanged and no number is rounded here.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [dir, out] = process.argv.slice(2);
if (!dir || !out) {
  console.error("usage: node tests/native/vectors.mjs VECTORS_DIR OUT.h");
  process.exit(2);
}
const truth = JSON.parse(readFileSync(join(dir, "softmax64.json"), "utf8"));
/** A file of ours that a folder from elsewhere may lack: then ours. */
const ours = name => {
  const own = fileURLToPath(new URL(`../vectors/${name}`, import.meta.url));
  return JSON.parse(readFileSync([join(dir, name), own].find(existsSync), "utf8"));
};
const filters = ours("filters.json");
const rounding = ours("rounding.json");
const rules = ours("rules.json");
const frequency = ours("frequency.json");
const gpt = ours("gpt.json");
const orders = JSON.parse(readFileSync(join(dir, "torch/topk.json"), "utf8"));
/** With seeds as strings: a number would round those above 2^53. */
const seeded = name => JSON.parse(readFileSync(join(dir, name), "utf8").replace(/("seed":\s*)(\d+)/g, '$1"$2"'));
const numbers = seeded("torch/rng.json");
const words = seeded("rng/mt19937.json");
const batches = JSON.parse(readFileSync(join(dir, "stop.json"), "utf8"));

const hex = text => {
  if (!/^-?0x[01]\.[0-9a-f]+p[+-]\d+$/.test(text)) throw new Error(`softmax64.json: ${text} is no hex float`);
  return text;
};
const whole = n => {
  if (!Number.isInteger(n) || n < 0) throw new Error(`${n} is no id`);
  return String(n);
};
const decimal = x => {
  if (!Number.isFinite(x)) throw new Error(`softmax64.json: ${x} is no number`);
  return String(x);
};
const doubles = list => `(const double[]){${list.map(hex).join(", ")}}`;
const ids = list => `(const uint32_t[]){${list.map(whole).join(", ")}}`;

const cases = truth.cases.map(c =>
  [
    `  {.n = ${c.logits.length}, .k = ${whole(c.k)}, .n_kept = ${c.kept.length}, .n_picks = ${c.picks.length},`,
    `   .tau = ${hex(c.tau)}, .entropy = ${hex(c.entropy_nats)},`,
    `   .logits = ${doubles(c.logits)},`,
    `   .p = ${doubles(c.p)},`,
    `   .kept = ${ids(c.kept)},`,
    `   .q = ${doubles(c.q)},`,
    `   .lo = ${doubles(c.intervals.map(([lo]) => lo))},`,
    `   .hi = ${doubles(c.intervals.map(([, hi]) => hi))},`,
    `   .u = ${doubles(c.picks.map(([u]) => u))},`,
    `   .id = ${ids(c.picks.map(([, id]) => id))}},`,
  ].join("\n"),
);
const quoted = text => {
  if (!/^[\w ,.-]+$/.test(text)) throw new Error(`${text} is no name`);
  return `"${text}"`;
};
/** `["top_k", 2, {"tie": "threshold"}]`: a count, or the hex float of a share. */
const filter = ([rule, value, { tie = "strict" } = {}]) =>
  `{.kind = SMP_STEP_${rule.toUpperCase()}, .tie = SMP_TIE_${tie.toUpperCase()}, ${rule === "top_k" ? `.count = ${whole(value)}` : `.value = ${hex(value)}`}}`;
const filterStep = s =>
  [
    `{.n_found = ${s.found.length}, .n_kept = ${s.kept.length}, .meets = ${Number(s.meets)}, .threshold = ${hex(s.threshold)},`,
    `.mass = ${doubles([s.mass_before, s.mass_after, s.kept_mass, s.removed_mass])},`,
    `.found = ${ids(s.found)}, .p = ${doubles(s.p)}, .value = ${doubles(s.values)},`,
    `.kept = ${ids(s.kept)}, .q = ${doubles(s.q)}}`,
  ].join("\n     ");
const some = (type, list) => (list.length ? `(const ${type}[]){${list.join(",\n    ")}}` : "NULL");
const filtered = filters.cases.map(c =>
  [
    `  {.id = ${quoted(c.id)}, .n = ${c.logits.length}, .n_filters = ${c.filters.length}, .n_kept = ${c.kept.length}, .n_picks = ${c.picks.length},`,
    `   .tau = ${hex(c.tau)}, .logits = ${doubles(c.logits)},`,
    `   .filters = ${some("smp_step", c.filters.map(filter))},`,
    `   .steps = ${some("struct filter_step", c.steps.map(filterStep))},`,
    `   .removed_by = ${ids(c.removed_by)}, .kept = ${ids(c.kept)},`,
    `   .q = ${doubles(c.q)},`,
    `   .lo = ${doubles(c.intervals.map(([lo]) => lo))}, .hi = ${doubles(c.intervals.map(([, hi]) => hi))},`,
    `   .u = ${doubles(c.picks.map(([u]) => u))}, .chosen = ${ids(c.picks.map(([, id]) => id))}},`,
  ].join("\n"),
);
const stops = batches.cases.map(c => {
  const eos = [c.eos_id].flat();
  return [
    `  {.id = ${JSON.stringify(c.id)}, .rows = ${c.candidates.length}, .limit = ${whole(c.max_new_tokens)}, .pad = ${whole(c.pad_id)},`,
    `   .n_eos = ${eos.length}, .eos = ${ids(eos)}, .lengths = ${ids(c.candidates.map(row => row.length))},`,
    `   .candidates = ${ids(c.candidates.flat())},`,
    `   .columns = ${c.new_tokens[0].length}, .new_tokens = ${ids(c.new_tokens.flat())}},`,
  ].join("\n");
});
const floats = list =>
  `(const float[]){${list.map(x => (x === "-inf" ? "-__builtin_inff()" : `(float)${decimal(x)}`)).join(", ")}}`;
/** `["top_k", 2, {"tie": "last"}]`: a number, ids, or pairs of id and bias. */
const step = ([rule, value, { tie = "strict", last = 0 } = {}]) => {
  const list = typeof value === "number" ? [] : value.map(entry => [entry].flat());
  return [
    `{.rule = ${quoted(rule)}, .value = ${list.length ? 0 : decimal(value)}, .last = ${whole(last)}, .tie = SMP_TIE_${tie.toUpperCase()},`,
    ` .n_ids = ${list.length}, .ids = ${list.length ? ids(list.map(([id]) => id)) : "NULL"},`,
    ` .biases = ${list[0]?.length === 2 ? floats(list.map(([, bias]) => bias)) : "NULL"}}`,
  ].join("");
};
const ruled = rules.cases.map(c =>
  [
    `  {.id = ${quoted(c.id)}, .n = ${c.logits.length}, .n_context = ${c.context.length}, .n_steps = ${c.chain.length}, .n_kept = ${c.kept.length},`,
    `   .logits = ${floats(c.logits)},`,
    `   .context = ${ids(c.context)},`,
    `   .steps = (const struct rule_step[]){${c.chain.map(step).join(",\n     ")}},`,
    `   .kept = ${ids(c.kept)},`,
    `   .p = (const double[]){${c.probs.map(decimal).join(", ")}},`,
    `   .u = ${decimal(c.u)}, .token = ${whole(c.token)}},`,
  ].join("\n"),
);
const points = name =>
  [
    `static const struct point ${name.toUpperCase()}_POINTS[] = {`,
    ...truth[name].map(([x, rounded, rest]) => `  {${hex(x)}, ${hex(rounded)}, ${decimal(rest)}},`),
    "};",
  ].join("\n");

const rounded = name =>
  rounding[name].map(text => {
    if (!/^[0-9a-f]{16}:[0-9a-f]{4}$/.test(text)) throw new Error(`rounding.json: ${text} is no case`);
    const [x, bits] = text.split(":");
    return `  {UINT64_C(0x${x}), 0x${bits}, SMP_DTYPE_${name === "float16" ? "F16" : "BF16"}},`;
  });

const hexOrInf = text => (text === "inf" ? "__builtin_inf()" : hex(text));
const counted = list => `(const uint32_t[]){${list.map(n => `${whole(n)}u`).join(", ")}}`;
const fits = frequency.fits.map(c =>
  [
    `  {.n = ${c.p.length}, .degrees = ${whole(c.degrees)}, .chi_square = ${hex(c.chi_square)}, .p_value = ${hex(c.p_value)},`,
    `   .counts = ${counted(c.counts)}, .p = ${doubles(c.p)}, .z = ${doubles(c.z)}},`,
  ].join("\n"),
);
const curves = frequency.curves.map(c => {
  const column = name => `(const double[]){${c.points.map(point => hexOrInf(point[name])).join(", ")}}`;
  return [
    `  {.n = ${c.logits.length}, .n_taus = ${c.points.length}, .a = ${whole(c.pair[0])}, .b = ${whole(c.pair[1])}, .logits = ${doubles(c.logits)},`,
    `   .taus = ${column("tau")}, .entropy = ${column("entropy")},`,
    `   .bits = ${column("bits")}, .ratio = ${column("ratio")},`,
    `   .p = ${doubles(c.points.flatMap(point => point.p))}},`,
  ].join("\n");
});

/** Floats as their bits, from concatenated hex. */
const bits = text => (text ? `(const uint32_t[]){${text.replace(/[0-9a-f]{8}/g, "0x$&u, ")}}` : "NULL");
const idsOrNone = list => (list ? ids(list) : "NULL"); // large rows were not sorted as a whole
const sorted = orders.cases.map(c =>
  [
    `  {.n = ${c.n}, .k = ${whole(c.k)}, .x = ${bits(c.x)},`,
    `   .topk = ${ids(c.topk_indices)}, .ascending = ${idsOrNone(c.sort_ascending_indices)}, .descending = ${idsOrNone(c.sort_descending_indices)}},`,
  ].join("\n"),
);
const generator = (seed, list, exponential, mkl) =>
  `  {UINT64_C(${seed}), ${list.length}, ${exponential.length / 8}, ${ids(list)}, ${bits(exponential)}, ${bits(mkl)}},`;
const generators = [
  ...numbers.cases.map(c =>
    generator(c.seed, c.default.mt19937_u32, c.default.exponential_f32, c.mkl_mcg31.exponential_f32),
  ),
  ...words.seeds.map(c => generator(c.seed, c.u32, "", "")),
];

writeFileSync(
  out,
  `/* Made by tests/native/vectors.mjs from the files that it names. */
#include <stddef.h>
#include <stdint.h>

#include "smp.h"

struct lab_case {
  uint32_t n, k, n_kept, n_picks;
  double tau, entropy;
  const double *logits, *p;             /* n each */
  const uint32_t *kept;                 /* n_kept ids */
  const double *q, *lo, *hi;            /* one per kept id */
  const double *u;                      /* n_picks */
  const uint32_t *id;                   /* chosen at each u */
};

/* The exact value of a function at x is rounded + rest * ulp(rounded). */
struct point {
  double x, rounded, rest;
};

/* The double of these bits is, in the format, the number of those bits. */
struct rounding_case {
  uint64_t x;
  uint16_t bits;
  smp_dtype dtype;
};

static const struct lab_case LAB_CASES[] = {
${cases.join("\n")}
};

struct filter_step {
  uint32_t n_found, n_kept, meets;
  double threshold;
  const double *mass;                   /* before, after, kept, removed */
  const uint32_t *found, *kept;         /* in descending order; ascending */
  const double *p, *value, *q;          /* of those found, found, kept */
};

struct filter_case {
  const char *id;
  uint32_t n, n_filters, n_kept, n_picks;
  double tau;
  const double *logits;
  const smp_step *filters;
  const struct filter_step *steps;
  const uint32_t *removed_by, *kept;
  const double *q, *lo, *hi, *u;
  const uint32_t *chosen;
};

static const struct filter_case FILTER_CASES[] = {
${filtered.join("\n")}
};

${["exp", "log", "log1p_neg"].map(points).join("\n\n")}

static const struct rounding_case ROUNDING_CASES[] = {
${[...rounded("float16"), ...rounded("bfloat16")].join("\n")}
};

struct stop_case {
  const char *id;
  uint32_t rows, limit, pad, n_eos, columns;
  const uint32_t *eos, *lengths;
  const uint32_t *candidates; /* the rows one after the other */
  const uint32_t *new_tokens; /* rows of \`columns\` ids, as \`generate\` appended them */
};

static const struct stop_case STOP_CASES[] = {
${stops.join("\n")}
};

/* A step by its name, with one number, or ids, or ids with biases. */
struct rule_step {
  const char *rule;
  double value;
  uint32_t last, n_ids;
  smp_tie tie;
  const uint32_t *ids;
  const float *biases;
};

struct rule_case {
  const char *id;
  uint32_t n, n_context, n_steps, n_kept, token;
  const float *logits;
  const uint32_t *context;
  const struct rule_step *steps;
  const uint32_t *kept; /* n_kept ids */
  const double *p;      /* theirs */
  double u;             /* chooses the token */
};

/* Q(degrees / 2, x). */
static const struct gamma_case {
  uint32_t degrees;
  double x, q;
} GAMMA_CASES[] = {
${frequency.q.map(([degrees, x, q]) => `  {${whole(degrees)}, ${hex(x)}, ${hex(q)}},`).join("\n")}
};

static const struct fit_case {
  uint32_t n, degrees;
  double chi_square, p_value;
  const uint32_t *counts; /* n */
  const double *p, *z;
} FIT_CASES[] = {
${fits.join("\n")}
};

static const struct curve_case {
  uint32_t n, n_taus, a, b;
  const double *logits;
  const double *taus, *entropy, *bits, *ratio; /* n_taus */
  const double *p;                             /* n_taus rows of n */
} CURVE_CASES[] = {
${curves.join("\n")}
};

static const struct rule_case RULE_CASES[] = {
${ruled.join("\n")}
};

/* Floats as their bits, and the ids in the orders in which torch.topk and torch.sort leave them. */
struct order_case {
  uint32_t n, k;
  const uint32_t *x;
  const uint32_t *topk;             /* k */
  const uint32_t *ascending, *descending; /* n each, or NULL */
};

static const struct order_case ORDER_CASES[] = {
${sorted.join("\n")}
};

/* Prompts of the model zh; the logits are in gpt.f32. */
static const struct gpt_case {
  uint32_t n, drawn;
  double least, largest;
  const uint32_t *ids; /* n */
} GPT_CASES[] = {
${gpt.prompts.map(p => `  {${p.ids.length}, ${whole(p.drawn)}, ${decimal(p.least)}, ${decimal(p.largest)}, ${ids(p.ids)}},`).join("\n")}
};

/* The first words of std::mt19937 and the first of torch's exponential numbers, floats as their bits. */
struct generator_case {
  uint64_t seed;
  uint32_t n_words, n_exponential;
  const uint32_t *words, *exponential, *mkl;
};

static const struct generator_case GENERATOR_CASES[] = {
${generators.join("\n")}
};
`,
);
