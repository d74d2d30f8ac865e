/* A whole engine: checks what it is given, applies its penalties, and hands the row to the file that knows its rules. */
#include "impl.h"

size_t smp_engine_work_size(size_t n) {
  const size_t entries = smp_row_capacity(n);
  return entries * (sizeof(float) + sizeof(smp_entry));
}

static int is_engine(smp_engine engine) {
  switch (engine) {
#define SMP_ENGINE(name, value, text) case SMP_##name:
#include "engines.def"
    return 1;
  }
  return 0;
}

static smp_status check_call(const smp_engine_call *call, size_t n, smp_where *where) {
  if (!is_engine(call->engine)) return smp_fail(SMP_ERR_PARAM, SMP_AT_ENGINE, 0, where);
  for (uint32_t i = 0; i < call->n_context; i++)
    if (call->context[i] >= n) return smp_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  return smp_llama_check(call, n, where);
}

smp_status smp_engine_penalise(float *row, size_t n, const smp_engine_call *call, smp_where *where) {
  smp_status status = smp_row_check(row, n, NULL, NULL, where);
  if (status == SMP_OK) status = check_call(call, n, where);
  return status; /* to do: the penalties */
}

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
  smp_status status = smp_engine_penalise(row, n, call, where);
  if (status) return status;
  smp_engine_work w = {.call = call, .n = n, .x = row, .ids = ids};
  w.p = work;
  w.entries = (smp_entry *)(void *)(w.p + smp_row_capacity(n));
  smp_refusal refusal = run_engine(&w);
  *result = (smp_engine_result){.refusal = refusal};
  if (refusal == SMP_REFUSAL_NONE)
    *result = (smp_engine_result){.n_kept = (uint32_t)w.n_kept,
                                  .by_rounding = (uint32_t)w.by_rounding,
                                  .drawing = w.drawing,
                                  .generator = w.generator};
  return SMP_OK;
}
