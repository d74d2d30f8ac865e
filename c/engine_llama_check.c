/* llama.cpp's samplers as they are asked for: which can be run, and what of the context they see. llama.c runs them. */
#include "engine.h"

enum { MAX_SAMPLERS = 64, DRY_WINDOW = 16384 };

/* None from 0 down. */
size_t smpi_llama_window(const smp_engine_call *call, double last_n) {
  if (last_n <= 0) return 0;
  return last_n > (double)call->n_context ? call->n_context : (size_t)last_n;
}

/* f: a float; +: one above 0; w: a whole number; n: one from 0 on. */
static int is_allowed(char form, double x) {
  if (form == 'f') return x >= -(double)FLT_MAX && x <= (double)FLT_MAX;
  if (form == '+') return x <= (double)FLT_MAX && (float)x > 0;
  return x >= (form == 'w' ? -0x1p31 : 0) && x < 0x1p31 && x == (double)(int32_t)x;
}

static int can_run(const smp_sampler *s, const smp_engine_call *call, size_t n) {
  static const char forms[][5] = {
      [SMP_SAMPLER_TOP_K] = "w",       [SMP_SAMPLER_TOP_P] = "fn", [SMP_SAMPLER_MIN_P] = "fn",
      [SMP_SAMPLER_TYPICAL] = "fn",    [SMP_SAMPLER_TEMP] = "f",   [SMP_SAMPLER_TEMP_EXT] = "fff",
      [SMP_SAMPLER_TOP_N_SIGMA] = "f", [SMP_SAMPLER_XTC] = "ffn",  [SMP_SAMPLER_PENALTIES] = "w+ff",
      [SMP_SAMPLER_DRY] = "ffnw",      [SMP_SAMPLER_GREEDY] = "",  [SMP_SAMPLER_DIST] = "",
  };
  for (size_t i = 0; forms[s->kind][i]; i++)
    if (!is_allowed(forms[s->kind][i], s->number[i])) return 0;
  if (s->kind == SMP_SAMPLER_XTC) return s->rng && s->rng->generator == SMP_GENERATOR_MT19937_32;
  if (s->kind != SMP_SAMPLER_DRY) return 1;
  for (size_t i = 0; i < s->n_ids; i++)
    if (s->ids[i] >= n) return 0;
  return smpi_llama_window(call, s->number[3]) <= DRY_WINDOW;
}

static int is_kind(smp_sampler_kind kind, int is_last) {
  return kind <= SMP_SAMPLER_DIST && (is_last || (kind != SMP_SAMPLER_GREEDY && kind != SMP_SAMPLER_DIST));
}

smp_status smpi_llama_check(const smp_engine_call *call, size_t n, smp_where *where) {
  if (!call->samplers && !call->array) return SMP_OK;
  if (call->engine != SMP_ENGINE_LLAMA_CPP || (call->samplers && call->given) || call->n_samplers > MAX_SAMPLERS)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_SAMPLERS, 0, where);
  for (uint32_t i = 0; call->samplers && i < call->n_samplers; i++) {
    const smp_sampler *s = &call->samplers[i];
    if (!is_kind(s->kind, i + 1 == call->n_samplers)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_SAMPLERS, i, where);
    if (!can_run(s, call, n))
      return smpi_fail(SMP_ERR_PARAM, (smp_param)((int)SMP_AT_SAMPLER_TOP_K + (int)s->kind), i, where);
  }
  return SMP_OK;
}
