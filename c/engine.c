/* A whole engine: checks what it is given, applies its penalties, and hands the row to the file that knows its rules. Then
   what it left as a distribution, and how far two of these are apart. */
#include "impl.h"

size_t smp_engine_work_size(size_t n) {
  const size_t entries = smp_row_capacity(n);
  return entries * (sizeof(float) + sizeof(smp_entry));
}

/* ---- Rows of engines.def ------------------------------------------------------------------------------------------ */

#define FILTERS(steps, equals, cut) .order = steps, .tie = SMP_##equals, .boundary = SMP_##cut,
#define DEFAULTS(tau, k, p, m, penalty, window)                                                                        \
  .temperature = (tau), .top_k = (k), .top_p = (p), .min_p = (m), .repetition = (penalty), .last_n = (window),
#define LIMITS(k, zero, most, p, m, least, greatest)                                                                   \
  .least_k = (k), .zero_k = (zero), .most_k = (most), .outside_p = #p[0], .outside_min_p = #m[0],                      \
  .least_penalty = (least), .most_penalty = (greatest),
#define TEMPERATURES(below, floor, under) .greedy_below = (below), .least = (floor), .negative = #under[0],
#define DRAWS(kind, words, eos)           .drawing = SMP_##kind, .generator = SMP_##words
#define SMP_ENGINE(name, value, text, filters, defaults, limits, temperatures, draws, checked)                         \
  [value] = {FILTERS filters DEFAULTS defaults LIMITS limits TEMPERATURES temperatures DRAWS draws},

const smp_profile *smp_engine_profile(smp_engine engine) {
  static const smp_profile profiles[] = {
#include "engines.def"
  };
  return (size_t)engine < sizeof profiles / sizeof *profiles ? &profiles[engine] : NULL;
}

/* The settings that an engine has, as bits. */
static uint32_t settings_of(const smp_profile *profile) {
  uint32_t bits = 1u << SMP_SET_GREEDY;
  for (const char *step = profile->order; *step; step++) switch (*step) {
    case 'i':
      bits |= 1u << SMP_SET_PROMPT_IGNORE_LENGTH;
      break;
    case 'w':
      bits |= 1u << SMP_SET_REPEAT_LAST_N;
      break;
    case 'r':
      bits |= 1u << SMP_SET_REPETITION_PENALTY;
      break;
    case 't':
      bits |= 1u << SMP_SET_TEMPERATURE;
      break;
    case 'h':
      bits |= 1u << SMP_SET_TOP_H;
      break;
    case 'k':
      bits |= 1u << SMP_SET_TOP_K;
      break;
    case 'p':
      bits |= 1u << SMP_SET_TOP_P;
      break;
    case 'm':
      bits |= 1u << SMP_SET_MIN_P;
      break;
    case 'y':
      bits |= 1u << SMP_SET_TYPICAL_P;
      break;
    case 'e':
      bits |= 1u << SMP_SET_EPSILON_CUTOFF;
      break;
    case 'n':
      bits |= 1u << SMP_SET_ETA_CUTOFF;
      break;
    }
  return bits;
}

/* ---- Checks --------------------------------------------------------------------------------------------------------- */

static int finite(double x) {
  return x - x == 0;
}

/* Numbers that were given are finite; which of them it takes is for the engine to say. */
static smp_param bad_number(const smp_engine_call *call) {
  const struct {
    double value;
    smp_setting setting;
    smp_param param;
  } numbers[] = {{call->temperature, SMP_SET_TEMPERATURE, SMP_AT_TEMPERATURE},
                 {call->top_p, SMP_SET_TOP_P, SMP_AT_TOP_P},
                 {call->min_p, SMP_SET_MIN_P, SMP_AT_MIN_P},
                 {call->typical_p, SMP_SET_TYPICAL_P, SMP_AT_TYPICAL},
                 {call->epsilon_cutoff, SMP_SET_EPSILON_CUTOFF, SMP_AT_EPSILON},
                 {call->eta_cutoff, SMP_SET_ETA_CUTOFF, SMP_AT_ETA},
                 {call->top_h, SMP_SET_TOP_H, SMP_AT_TOP_H},
                 {call->repetition_penalty, SMP_SET_REPETITION_PENALTY, SMP_AT_REPETITION}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (call->given >> numbers[i].setting & 1 && !finite(numbers[i].value)) return numbers[i].param;
  return SMP_AT_NONE;
}

/* The choices that an engine has besides its settings. */
static uint32_t variants_of(const smp_profile *profile) {
  if (profile->drawing == SMP_DRAWING_RACE) return SMP_VARIANT_TORCH_MKL | SMP_VARIANT_REPLACEMENT | SMP_VARIANT_BATCH;
  return profile->drawing == SMP_DRAWING_WEIGHTED_INDEX ? SMP_VARIANT_NEW | SMP_VARIANT_GUMBEL : 0;
}

static smp_status check_call(const smp_engine_call *call, size_t n, smp_where *where) {
  smp_status status;
  const smp_profile *profile = smp_engine_profile(call->engine);
  if (!profile) return smp_fail(SMP_ERR_PARAM, SMP_AT_ENGINE, 0, where);
  if (call->given >> (SMP_SET_GREEDY + 1)) return smp_fail(SMP_ERR_PARAM, SMP_AT_SETTING, 0, where);
  if (call->variant & ~variants_of(profile)) return smp_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  smp_param bad = bad_number(call);
  int negative = call->given >> SMP_SET_TEMPERATURE & 1 && call->temperature < 0;
  if (bad == SMP_AT_NONE && negative && profile->negative == 'x') bad = SMP_AT_BELOW_0;
  if (bad != SMP_AT_NONE) return smp_fail(SMP_ERR_PARAM, bad, 0, where);
  for (uint32_t i = 0; i < call->n_context; i++)
    if (call->context[i] >= n) return smp_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  status = smp_trace_check(call, n, where);
  return status ? status : smp_llama_check(call, n, where);
}

/* ---- Penalties ------------------------------------------------------------------------------------------------------ */

static double penalty_of(const smp_engine_call *call) {
  const smp_profile *profile = smp_engine_profile(call->engine);
  if (!(settings_of(profile) >> SMP_SET_REPETITION_PENALTY & 1)) return 1;
  if (call->given >> SMP_SET_REPETITION_PENALTY & 1) return call->repetition_penalty;
  return call->settings_only ? 1 : profile->repetition;
}

/* The first id of the context that is penalised. */
static uint32_t first_penalised(const smp_engine_call *call) {
  const smp_profile *profile = smp_engine_profile(call->engine);
  const uint32_t given = call->given & settings_of(profile);
  uint32_t last_n = call->settings_only ? 0 : profile->last_n, first = 0;
  if (given >> SMP_SET_REPEAT_LAST_N & 1) last_n = call->repeat_last_n;
  if (given >> SMP_SET_PROMPT_IGNORE_LENGTH & 1) first = call->prompt_ignore_length;
  if (last_n && last_n < call->n_context && call->n_context - last_n > first) first = call->n_context - last_n;
  return first;
}

/* transformers.js multiplies in double, all others in float; where x is 0 it does not matter which of the two they do. */
static float penalised(smp_engine engine, float x, double penalty) {
  const float narrow = (float)penalty;
  if (engine == SMP_ENGINE_TRANSFORMERS_JS) return (float)(x < 0 ? (double)x * penalty : (double)x / penalty);
  return x < 0 ? x * narrow : x / narrow;
}

smp_status smp_engine_penalise(float *row, size_t n, const smp_engine_call *call, void *work, smp_where *where) {
  smp_status status = smp_row_check(row, n, NULL, NULL, where);
  if (status == SMP_OK) status = check_call(call, n, where);
  if (status) return status;
  const double penalty = penalty_of(call);
  if (penalty == 1) return SMP_OK;
  unsigned char *done = work;
  const uint32_t first = first_penalised(call);
  size_t left = 0; /* above -inf; an overflow to -inf masks, as in a row that is given */
  for (size_t i = 0; i < n; i++) left += row[i] > -(float)SMP_INF;
  memset(done, 0, n);
  for (uint32_t i = first; i < call->n_context; i++) {
    const uint32_t id = call->context[i];
    const float y = penalised(call->engine, row[id], penalty);
    if (!(y < (float)SMP_INF)) return smp_fail(SMP_ERR_PARAM, SMP_AT_REPETITION, 0, where);
    left -= !done[id] && row[id] > -(float)SMP_INF && !(y > -(float)SMP_INF);
    done[id] = 1;
  }
  if (left == 0) return smp_fail(SMP_ERR_PARAM, SMP_AT_REPETITION, 0, where);
  memset(done, 0, n);
  for (uint32_t i = first; i < call->n_context; i++) {
    const uint32_t id = call->context[i];
    if (!done[id]) row[id] = penalised(call->engine, row[id], penalty);
    done[id] = 1;
  }
  return SMP_OK;
}

/* ---- Running -------------------------------------------------------------------------------------------------------- */

static smp_refusal run_engine(smp_engine_work *w) {
  switch (w->call->engine) {
  case SMP_ENGINE_TRANSFORMERS:
    return smp_torch_run(w);
  case SMP_ENGINE_CANDLE:
    return smp_candle_run(w);
  case SMP_ENGINE_LLAMA_CPP:
    return smp_llama_run(w);
  default:
    return smp_profile_run(w);
  }
}

smp_status smp_engine_run(float *row, size_t n, const smp_engine_call *call, uint32_t *ids, smp_engine_result *result,
                          void *work, smp_where *where) {
  smp_status status = smp_row_check(row, n, NULL, NULL, where);
  if (status == SMP_OK) status = check_call(call, n, where);
  if (status) return status;
  const smp_profile *profile = smp_engine_profile(call->engine);
  const uint32_t ignored = call->given & ~settings_of(profile);
  const double penalty = penalty_of(call);
  if (penalty < profile->least_penalty || penalty > profile->most_penalty) {
    smp_trace_clear(&(smp_engine_work){.call = call});
    *result = (smp_engine_result){.refusal = smp_profile_words(call, SMP_SET_REPETITION_PENALTY), .ignored = ignored};
    return SMP_OK;
  }
  status = smp_engine_penalise(row, n, call, work, where);
  if (status) return status;
  smp_engine_work w = {.call = call, .n = n, .x = row, .ids = ids};
  w.p = work;
  w.entries = (smp_entry *)(void *)(w.p + smp_row_capacity(n));
  smp_trace_clear(&w);
  smp_refusal refusal = run_engine(&w);
  if (refusal == SMP_REFUSAL_NONE)
    smp_trace_finish(&w);
  else
    smp_trace_clear(&w);
  *result = (smp_engine_result){.refusal = refusal, .ignored = ignored};
  if (refusal == SMP_REFUSAL_NONE)
    *result = (smp_engine_result){.n_kept = (uint32_t)w.n_kept,
                                  .by_rounding = (uint32_t)w.by_rounding,
                                  .drawing = w.drawing,
                                  .generator = w.generator,
                                  .ignored = ignored};
  return SMP_OK;
}

/* ---- Distributions and their distance ------------------------------------------------------------------------------- */

smp_status smp_engine_probabilities(const uint32_t *ids, const float *weights, size_t n_kept, uint32_t *sorted,
                                    double *p, smp_where *where) {
  if (n_kept == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  double sum = 0;
  for (size_t j = 0; j < n_kept; j++) {
    if (!(weights[j] >= 0 && weights[j] <= FLT_MAX)) return smp_fail(SMP_ERR_PARAM, SMP_AT_ROW, (uint32_t)j, where);
    sum += (double)weights[j];
  }
  if (sum == 0) return smp_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);
  for (size_t j = 0; j < n_kept; j++) sorted[j] = (uint32_t)j;
  for (size_t j = 1; j < n_kept; j++)
    if (ids[j] <= ids[j - 1]) {
      smp_order_places(ids, sorted, p, n_kept);
      break;
    }
  sum = 0;
  for (size_t j = 0; j < n_kept; j++) sum += p[j] = (double)weights[sorted[j]];
  for (size_t j = 0; j < n_kept; j++) {
    sorted[j] = ids[sorted[j]];
    p[j] /= sum;
  }
  return SMP_OK;
}

static smp_status check_rising(const uint32_t *ids, size_t n, smp_where *where) {
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  for (size_t j = 1; j < n; j++)
    if (ids[j] <= ids[j - 1]) return smp_fail(SMP_ERR_PARAM, SMP_AT_KEPT, (uint32_t)j, where);
  return SMP_OK;
}

/* |p - q| of an id; the gap notes the greatest. Inline also where size counts: it is called for every entry. */
static inline __attribute__((always_inline)) double difference(smp_engine_gap *g, double p, double q, uint32_t id) {
  const double found = p > q ? p - q : q - p;
  if (found > g->max_difference) g->max_difference = found, g->max_id = id;
  return found;
}

smp_status smp_engine_distance(const uint32_t *ids_p, const double *p, size_t n_p, const uint32_t *ids_q,
                               const double *q, size_t n_q, smp_engine_gap *gap, smp_where *where) {
  smp_status status = check_rising(ids_p, n_p, where);
  if (status == SMP_OK) status = check_rising(ids_q, n_q, where);
  if (status) return status;
  smp_engine_gap g = {.max_difference = -1};
  double sum = 0;
  for (size_t i = 0, j = 0; i < n_p || j < n_q;) {
    for (; i < n_p && j < n_q && ids_p[i] == ids_q[j]; i++, j++) sum += difference(&g, p[i], q[j], ids_p[i]);
    if (i < n_p && (j == n_q || ids_p[i] < ids_q[j])) {
      sum += difference(&g, p[i], 0, ids_p[i]);
      g.only_p += p[i++], g.n_only_p++;
    } else if (j < n_q) {
      sum += difference(&g, 0, q[j], ids_q[j]);
      g.only_q += q[j++], g.n_only_q++;
    }
  }
  g.total_variation = sum / 2;
  *gap = g;
  return SMP_OK;
}
