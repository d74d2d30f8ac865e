/* A whole engine: checks what it is given, applies its penalties, and hands the row to the file that knows its rules. Then
   what it left as a distribution, and how far two of these are apart. */
#include "engine.h"

size_t smp_engine_work_size(size_t n) {
  const size_t entries = smp_row_capacity(n);
  return entries * (sizeof(float) + sizeof(sort_entry));
}

/* ---- Rows of engines.def ------------------------------------------------------------------------------------------ */

#define FILTERS(steps, equals, cut) .order = steps, .tie = SMP_##equals, .boundary = SMP_##cut,
#define DEFAULTS(tau, k, p, m, penalty, window)                                                                        \
  .temperature = (tau), .top_k = (k), .top_p = (p), .min_p = (m), .repetition = (penalty), .last_n = (window),
#define LIMITS(k, zero, most, p, m, least, greatest, zero_last)                                                        \
  .least_k = (k), .zero_k = (zero), .most_k = (most), .outside_p = #p[0], .outside_min_p = #m[0],                      \
  .least_penalty = (least), .most_penalty = (greatest), .zero_n = (zero_last),
#define TEMPERATURES(below, floor, under) .greedy_below = (below), .least = (floor), .negative = #under[0],
#define DRAWS(kind, words, eos)           .drawing = SMP_##kind, .generator = SMP_##words
#define SMP_ENGINE(name, value, text, filters, defaults, limits, temperatures, draws, checked)                         \
  [value] = {FILTERS filters DEFAULTS defaults LIMITS limits TEMPERATURES temperatures DRAWS draws},

const engine_profile *smpi_engine_profile(smp_engine engine) {
  static const engine_profile profiles[] = {
#include "engines.def"
  };
  return (size_t)engine < sizeof profiles / sizeof *profiles ? &profiles[engine] : NULL;
}

const char *smp_engine_name(smp_engine engine) {
  static const char *const names[] = {
#define SMP_ENGINE(name, value, text, ...) [value] = text,
#include "engines.def"
  };
  return (size_t)engine < sizeof names / sizeof *names ? names[engine] : "";
}

/* The settings that an engine has, as bits. */
static uint32_t settings_of(const engine_profile *profile) {
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
                 {call->typical_p, SMP_SET_TYPICAL_P, SMP_AT_TYPICAL_P},
                 {call->epsilon_cutoff, SMP_SET_EPSILON_CUTOFF, SMP_AT_EPSILON_CUTOFF},
                 {call->eta_cutoff, SMP_SET_ETA_CUTOFF, SMP_AT_ETA_CUTOFF},
                 {call->top_h, SMP_SET_TOP_H, SMP_AT_TOP_H},
                 {call->repetition_penalty, SMP_SET_REPETITION_PENALTY, SMP_AT_REPETITION_PENALTY}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (call->given >> numbers[i].setting & 1 && !finite(numbers[i].value)) return numbers[i].param;
  return SMP_AT_NONE;
}

/* The choices that an engine has besides its settings. */
static uint32_t variants_of(const engine_profile *profile) {
  if (profile->drawing == SMP_DRAWING_RACE) return SMP_VARIANT_TORCH_MKL | SMP_VARIANT_REPLACEMENT | SMP_VARIANT_BATCH;
  return profile->drawing == SMP_DRAWING_WEIGHTED_INDEX ? SMP_VARIANT_NEW | SMP_VARIANT_GUMBEL : 0;
}

static smp_status check_call(const smp_engine_call *call, size_t n, smp_where *where) {
  smp_status status;
  const engine_profile *profile = smpi_engine_profile(call->engine);
  if (!profile) return smpi_fail(SMP_ERR_PARAM, SMP_AT_ENGINE, 0, where);
  if (call->given >> (SMP_SET_GREEDY + 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_SETTING, 0, where);
  if (call->variant & ~variants_of(profile)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  smp_param bad = bad_number(call);
  int negative = call->given >> SMP_SET_TEMPERATURE & 1 && call->temperature < 0;
  if (bad == SMP_AT_NONE && negative && profile->negative == 'x') bad = SMP_AT_TEMPERATURE_NEGATIVE;
  if (bad != SMP_AT_NONE) return smpi_fail(SMP_ERR_PARAM, bad, 0, where);
  for (uint32_t i = 0; i < call->n_context; i++)
    if (call->context[i] >= n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  status = smpi_trace_check(call, n, where);
  return status ? status : smpi_llama_check(call, n, where);
}

/* ---- Penalties ------------------------------------------------------------------------------------------------------ */

static double penalty_of(const smp_engine_call *call) {
  const engine_profile *profile = smpi_engine_profile(call->engine);
  if (!(settings_of(profile) >> SMP_SET_REPETITION_PENALTY & 1)) return 1;
  if (call->given >> SMP_SET_REPETITION_PENALTY & 1) return call->repetition_penalty;
  return call->settings_only ? 1 : profile->repetition;
}

/* The first id of the context that is penalised. */
static uint32_t first_penalised(const smp_engine_call *call) {
  const engine_profile *profile = smpi_engine_profile(call->engine);
  const uint32_t given = call->given & settings_of(profile);
  uint32_t last_n = call->settings_only ? 0 : profile->last_n, first = 0;
  if (given >> SMP_SET_REPEAT_LAST_N & 1) {
    last_n = call->repeat_last_n;
    if (last_n == 0 && !profile->zero_n) return call->n_context;
  }
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
  smp_status status = smpi_row_check(row, n, NULL, NULL, where);
  if (status == SMP_OK) status = check_call(call, n, where);
  if (status) return status;
  const double penalty = penalty_of(call);
  if (penalty == 1) return SMP_OK;
  unsigned char *done = work;
  const uint32_t first = first_penalised(call);
  size_t left = 0; /* above -inf; an overflow to -inf masks, as in a row that is given */
  for (size_t i = 0; i < n; i++) left += row[i] > SMP_REMOVED;
  memset(done, 0, n);
  for (uint32_t i = first; i < call->n_context; i++) {
    const uint32_t id = call->context[i];
    const float y = penalised(call->engine, row[id], penalty);
    if (!(y < (float)SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_REPETITION_PENALTY, 0, where);
    left -= !done[id] && row[id] > SMP_REMOVED && !(y > SMP_REMOVED);
    done[id] = 1;
  }
  if (left == 0) return smpi_fail(SMP_ERR_PARAM, SMP_AT_REPETITION_PENALTY, 0, where);
  memset(done, 0, n);
  for (uint32_t i = first; i < call->n_context; i++) {
    const uint32_t id = call->context[i];
    if (!done[id]) row[id] = penalised(call->engine, row[id], penalty);
    done[id] = 1;
  }
  return SMP_OK;
}

/* ---- Running -------------------------------------------------------------------------------------------------------- */

static smp_refusal run_engine(engine_work *w) {
  switch (w->call->engine) {
  case SMP_ENGINE_TRANSFORMERS:
    return smpi_torch_run(w);
  case SMP_ENGINE_CANDLE:
    return smpi_candle_run(w);
  case SMP_ENGINE_LLAMA_CPP:
    return smpi_llama_run(w);
  default:
    return smpi_rules_run(w);
  }
}

smp_status smp_engine_run(float *row, size_t n, const smp_engine_call *call, uint32_t *ids, smp_engine_result *result,
                          void *work, smp_where *where) {
  smp_status status = smpi_row_check(row, n, NULL, NULL, where);
  if (status == SMP_OK) status = check_call(call, n, where);
  if (status) return status;
  const engine_profile *profile = smpi_engine_profile(call->engine);
  const uint32_t ignored = call->given & ~settings_of(profile);
  const double penalty = penalty_of(call);
  if (penalty < profile->least_penalty || penalty > profile->most_penalty) {
    smpi_trace_clear(&(engine_work){.call = call});
    *result = (smp_engine_result){.refusal = smpi_rules_refusal(call, SMP_SET_REPETITION_PENALTY), .ignored = ignored};
    return SMP_OK;
  }
  status = smp_engine_penalise(row, n, call, work, where);
  if (status) return status;
  engine_work w = {.call = call, .n = n, .x = row, .ids = ids};
  w.p = work;
  w.entries = (sort_entry *)(void *)(w.p + smp_row_capacity(n));
  smpi_trace_clear(&w);
  smp_refusal refusal = run_engine(&w);
  if (refusal == SMP_REFUSAL_NONE)
    smpi_trace_finish(&w);
  else
    smpi_trace_clear(&w);
  *result = (smp_engine_result){.refusal = refusal, .ignored = ignored};
  if (refusal == SMP_REFUSAL_NONE)
    *result = (smp_engine_result){.n_kept = (uint32_t)w.n_kept,
                                  .by_rounding = (uint32_t)w.by_rounding,
                                  .drawing = w.drawing,
                                  .generator = w.generator,
                                  .ignored = ignored};
  return SMP_OK;
}
