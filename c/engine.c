/* A whole engine: checks what it is given, applies its penalties, hands the row to the file that knows its rules. */
#include "engine.h"

size_t smp_engine_work_size(size_t n) {
  const size_t entries = smp_row_capacity(n);
  return entries * (sizeof(float) + sizeof(sort_entry));
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* The call as smp_engine_settings checks it, the row, and what only matters where the engine runs. */
static smp_status check_run(const float *row, const smp_engine_call *call, size_t n, engine_settings *settings,
                            smp_where *where) {
  smp_status status = smpi_row_check(row, n, NULL, NULL, where);
  if (status == SMP_OK) status = smpi_engine_check(call, n, settings, where);
  if (status == SMP_OK && settings->of[SMP_SET_TEMPERATURE].why == SMP_WHY_CLOSED)
    status = smpi_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE_NEGATIVE, 0, where);
  if (status == SMP_OK) status = smpi_trace_check(call, n, where);
  return status ? status : smpi_llama_check(call, n, where);
}

/* ---- Penalties --------------------------------------------------------------------------------------------------- */

/* The first id of the context that is penalised. */
static uint32_t first_penalised(const smp_engine_call *call, const engine_settings *settings) {
  const smp_setting_state *last_n = &settings->of[SMP_SET_REPEAT_LAST_N];
  const smp_setting_state *ignored = &settings->of[SMP_SET_PROMPT_IGNORE_LENGTH];
  uint32_t first = ignored->on ? call->prompt_ignore_length : 0;
  if (last_n->on && last_n->value < call->n_context && call->n_context - (uint32_t)last_n->value > first)
    first = call->n_context - (uint32_t)last_n->value;
  return first;
}

/* For x = 0 both branches agree. */
static float penalised(const engine_profile *profile, float x, double penalty) {
  const float narrow = (float)penalty;
  if (profile->in_double) return (float)(x < 0 ? (double)x * penalty : (double)x / penalty);
  return x < 0 ? x * narrow : x / narrow;
}

static smp_status penalise(float *row, size_t n, const smp_engine_call *call, const engine_settings *settings,
                           unsigned char *done, smp_where *where) {
  const engine_profile *profile = smpi_engine_profile(call->engine);
  const smp_setting_state *penalty = &settings->of[SMP_SET_REPETITION_PENALTY];
  if (!penalty->on && penalty->why != SMP_WHY_REFUSED) return SMP_OK;
  const uint32_t first = first_penalised(call, settings);
  size_t left = 0; /* above -inf; an overflow to -inf masks, as in a row that is given */
  for (size_t i = 0; i < n; i++) left += row[i] > SMP_REMOVED;
  memset(done, 0, n);
  for (uint32_t i = first; i < call->n_context; i++) {
    const uint32_t id = call->context[i];
    const float y = penalised(profile, row[id], penalty->value);
    if (!(y < (float)SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_REPETITION_PENALTY, 0, where);
    left -= !done[id] && row[id] > SMP_REMOVED && !(y > SMP_REMOVED);
    done[id] = 1;
  }
  if (left == 0) return smpi_fail(SMP_ERR_PARAM, SMP_AT_REPETITION_PENALTY, 0, where);
  memset(done, 0, n);
  for (uint32_t i = first; i < call->n_context; i++) {
    const uint32_t id = call->context[i];
    if (!done[id]) row[id] = penalised(profile, row[id], penalty->value);
    done[id] = 1;
  }
  return SMP_OK;
}

smp_status smp_engine_penalise(float *row, size_t n, const smp_engine_call *call, void *work, smp_where *where) {
  engine_settings settings;
  const smp_status status = check_run(row, call, n, &settings, where);
  return status ? status : penalise(row, n, call, &settings, work, where);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* torch.multinomial has more than one way. */
static smp_drawing drawing_of(const engine_profile *profile, uint32_t variant) {
  const int mkl = (variant & SMP_VARIANT_TORCH_MKL) != 0;
  if (profile->drawing != SMP_DRAWING_RACE) return (smp_drawing)profile->drawing;
  if (variant & SMP_VARIANT_REPLACEMENT) return mkl ? SMP_DRAWING_REPLACEMENT_MKL : SMP_DRAWING_REPLACEMENT;
  if (!mkl) return SMP_DRAWING_RACE;
  return variant & SMP_VARIANT_BATCH ? SMP_DRAWING_BATCH_MKL : SMP_DRAWING_RACE_MKL;
}

/* Of the settings that were given, as bits, those that the engine does not have. */
static uint32_t ignored_by(const engine_profile *profile, uint32_t given) {
  given &= ~(1u << SMP_SET_GREEDY);
  for (size_t i = 0; i < profile->n_steps; i++)
    if (profile->steps[i].setting != ENGINE_SOFTMAX) given &= ~(1u << profile->steps[i].setting);
  return given;
}

smp_status smp_engine_run(float *row, size_t n, const smp_engine_call *call, uint32_t *ids, smp_engine_result *result,
                          void *work, smp_where *where) {
  engine_settings settings;
  smp_status status = check_run(row, call, n, &settings, where);
  if (status) return status;
  const engine_profile *profile = smpi_engine_profile(call->engine);
  engine_work w = {.call = call, .profile = profile, .settings = &settings, .n = n, .x = row, .ids = ids};
  w.p = work;
  w.entries = (sort_entry *)(void *)(w.p + smp_row_capacity(n));
  w.drawing = drawing_of(profile, call->variant);
  smp_refusal refusal = settings.of[SMP_SET_REPETITION_PENALTY].refusal ? settings.refusal : SMP_REFUSAL_NONE;
  if (!refusal) {
    status = penalise(row, n, call, &settings, work, where);
    if (status) return status;
    refusal = settings.refusal;
  }
  smpi_trace_clear(&w);
  if (!refusal) refusal = profile->run(&w);
  if (refusal)
    smpi_trace_clear(&w);
  else
    smpi_trace_finish(&w);
  *result = (smp_engine_result){.refusal = refusal, .ignored = ignored_by(profile, call->given)};
  if (refusal) return SMP_OK;
  result->n_kept = (uint32_t)w.n_kept;
  result->by_rounding = (uint32_t)w.by_rounding;
  result->drawing = w.drawing;
  result->generator = (smp_generator)profile->generator;
  return SMP_OK;
}
