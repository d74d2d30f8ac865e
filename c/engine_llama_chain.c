/* llama.cpp's chain: the table of its samplers, which of them can be run, the chain that its programs build from
   settings, and running one. */
#include "engine_llama.h"

enum { MAX_SAMPLERS = 64, DRY_WINDOW = 16384 };

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* What a number of a sampler may be. */
typedef enum llama_form {
  FORM_END,
  FORM_FLOAT,
  FORM_POSITIVE, /* a float above 0 */
  FORM_WHOLE,    /* of 32 bits */
  FORM_COUNT,    /* a whole number from 0 on */
} llama_form;

typedef struct llama_row {
  llama_form forms[5];
  llama_apply *apply;
  int only_last;
} llama_row;

static const llama_row SAMPLERS[] = {
    [SMP_SAMPLER_TOP_K] = {{FORM_WHOLE}, smpi_llama_top_k, 0},
    [SMP_SAMPLER_TOP_P] = {{FORM_FLOAT, FORM_COUNT}, smpi_llama_top_p, 0},
    [SMP_SAMPLER_MIN_P] = {{FORM_FLOAT, FORM_COUNT}, smpi_llama_min_p, 0},
    [SMP_SAMPLER_TYPICAL] = {{FORM_FLOAT, FORM_COUNT}, smpi_llama_typical, 0},
    [SMP_SAMPLER_TEMP] = {{FORM_FLOAT}, smpi_llama_temp, 0},
    [SMP_SAMPLER_TEMP_EXT] = {{FORM_FLOAT, FORM_FLOAT, FORM_FLOAT}, smpi_llama_temp_ext, 0},
    [SMP_SAMPLER_TOP_N_SIGMA] = {{FORM_FLOAT}, smpi_llama_top_n_sigma, 0},
    [SMP_SAMPLER_XTC] = {{FORM_FLOAT, FORM_FLOAT, FORM_COUNT}, smpi_llama_xtc, 0},
    [SMP_SAMPLER_PENALTIES] = {{FORM_WHOLE, FORM_POSITIVE, FORM_FLOAT, FORM_FLOAT}, smpi_llama_penalties, 0},
    [SMP_SAMPLER_DRY] = {{FORM_FLOAT, FORM_FLOAT, FORM_COUNT, FORM_WHOLE}, smpi_llama_dry, 0},
    [SMP_SAMPLER_GREEDY] = {{FORM_END}, smpi_llama_greedy, 1},
    [SMP_SAMPLER_DIST] = {{FORM_END}, smpi_llama_dist, 1},
};

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static int is_allowed(llama_form form, double x) {
  if (form == FORM_FLOAT) return x >= -(double)FLT_MAX && x <= (double)FLT_MAX;
  if (form == FORM_POSITIVE) return x <= (double)FLT_MAX && (float)x > 0;
  return x >= (form == FORM_WHOLE ? -0x1p31 : 0) && x < 0x1p31 && x == (double)(int32_t)x;
}

static int can_run(const smp_sampler *s, const smp_engine_call *call, size_t n) {
  const llama_form *forms = SAMPLERS[s->kind].forms;
  for (size_t i = 0; forms[i] != FORM_END; i++)
    if (!is_allowed(forms[i], s->number[i])) return 0;
  if (s->kind == SMP_SAMPLER_XTC) return s->rng && s->rng->generator == SMP_GENERATOR_MT19937_32;
  if (s->kind != SMP_SAMPLER_DRY) return 1;
  for (size_t i = 0; i < s->n_ids; i++)
    if (s->ids[i] >= n) return 0;
  return smpi_llama_window(call, s->number[3]) <= DRY_WINDOW;
}

static int is_kind(smp_sampler_kind kind, int is_last) {
  if ((size_t)kind >= sizeof SAMPLERS / sizeof *SAMPLERS || !SAMPLERS[kind].apply) return 0;
  return is_last || !SAMPLERS[kind].only_last;
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

/* ---- The chain of settings --------------------------------------------------------------------------------------- */

/* common/common.h: the chain that llama.cpp's programs build, without what is off. A top_k that keeps all still sorts.
   The row has had its penalties. Returns how many. */
static size_t chain_of_settings(const engine_work *w, smp_sampler *chain) {
  static const struct {
    smp_setting setting;
    smp_sampler_kind kind;
  } all[] = {
      {SMP_SET_TOP_K, SMP_SAMPLER_TOP_K},          {SMP_SET_TYPICAL_P, SMP_SAMPLER_TYPICAL},
      {SMP_SET_TOP_P, SMP_SAMPLER_TOP_P},          {SMP_SET_MIN_P, SMP_SAMPLER_MIN_P},
      {SMP_SET_TEMPERATURE, SMP_SAMPLER_TEMP_EXT},
  };
  if (is_given(w->call, SMP_SET_GREEDY)) {
    chain[0] = (smp_sampler){.kind = SMP_SAMPLER_GREEDY};
    return 1;
  }
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (is_on(w, all[i].setting) || w->settings->of[all[i].setting].why == SMP_WHY_ALL)
      chain[n++] = (smp_sampler){.kind = all[i].kind, .number = {value_for(w, all[i].setting)}};
  return n;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* Whether some logit became NaN or +inf: llama.cpp goes on, and draws the last candidate in the end. */
static int has_overflowed(const array *a) {
  for (size_t i = 0; i < a->size; i++)
    if (!(a->logit[i] < (float)SMP_INF)) return 1;
  return 0;
}

/* What dist draws with. Left out are entries at -inf, which it never draws (except the first, if all 64 bits are 0). */
static void weigh(const array *a, engine_work *w, float max) {
  w->n_kept = 0;
  for (size_t i = 0; i < a->size; i++) {
    if (a->logit[i] == SMP_REMOVED) continue;
    w->ids[w->n_kept] = a->id[i];
    w->x[w->n_kept++] = smpi_exp_float((double)(a->logit[i] - max));
  }
}

static void record(const array *a, smp_llama_array *to) {
  memcpy(to->ids, a->id, a->size * sizeof *a->id);
  memcpy(to->logits, a->logit, a->size * sizeof *a->logit);
  memcpy(to->p, a->p, a->size * sizeof *a->p);
  to->n = (uint32_t)a->size;
  to->sorted = (uint32_t)a->sorted;
}

smp_refusal smpi_llama_run(engine_work *w) {
  array a = {.id = w->ids, .logit = w->x, .p = w->p, .entries = w->entries, .size = w->n, .w = w};
  for (size_t i = 0; i < w->n; i++) {
    a.id[i] = (uint32_t)i;
    a.p[i] = 0;
  }
  smp_sampler of_settings[5];
  const smp_sampler *chain = w->call->samplers ? w->call->samplers : of_settings;
  const size_t length = w->call->samplers ? w->call->n_samplers : chain_of_settings(w, of_settings);
  for (size_t i = 0; i < length; i++) {
    SAMPLERS[chain[i].kind].apply(&a, &chain[i]);
    if (has_overflowed(&a)) return SMP_REFUSAL_NAN;
  }
  const float max = a.logit[argmax_of(a.logit, a.size)];
  if (max == SMP_REMOVED) return SMP_REFUSAL_NAN;
  if (w->call->array) record(&a, w->call->array);
  weigh(&a, w, max);
  if (length > 0 && chain[length - 1].kind == SMP_SAMPLER_GREEDY) w->drawing = SMP_DRAWING_GREEDY;
  return SMP_REFUSAL_NONE;
}
