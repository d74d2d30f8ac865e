/* Private to the files of engines (engine*.c). */
#ifndef SMP_ENGINE_H
#define SMP_ENGINE_H

#include "row.h"
#include "smp_engines.h"
#include "sort.h"

#pragma GCC visibility push(hidden)

/* ---- Profiles (engine.c) ---------------------------------------------------------------------------------------------- */

/* A row of engines.def. */
typedef struct engine_profile {
  const char *order;
  double temperature, top_p, min_p, repetition; /* defaults */
  double least_penalty, most_penalty, greedy_below, least;
  int32_t top_k, least_k;
  uint32_t last_n;
  smp_tie tie;
  smp_boundary boundary;
  smp_drawing drawing;
  smp_generator generator;
  int zero_k, most_k, zero_n;
  char outside_p, outside_min_p, negative;
} engine_profile;

/* NULL for an unknown engine. */
const engine_profile *smpi_engine_profile(smp_engine engine);

static inline int is_given(const smp_engine_call *call, smp_setting setting) {
  return (int)(call->given >> setting & 1);
}

/* ---- A row on its way through an engine --------------------------------------------------------------------------------- */

typedef struct engine_work {
  const smp_engine_call *call;
  size_t n;            /* entries of the row */
  float *x;            /* the row, penalties done; on return the weights of the candidates */
  float *p;            /* room for n, rounded up to blocks of 64 */
  sort_entry *entries; /* room for n */
  uint32_t *ids;       /* on return the candidates */
  size_t n_kept;       /* on return; at least 1 unless refused */
  smp_drawing drawing;
  smp_generator generator;
  int by_rounding;
  float size; /* the number whose ulp a trace counts in */
} engine_work;

/* engine_torch.c, engine_candle.c, engine_llama.c: the engines that are replayed exactly. */
smp_refusal smpi_torch_run(engine_work *w);
smp_refusal smpi_candle_run(engine_work *w);
smp_refusal smpi_llama_run(engine_work *w);

/* engine_rules.c: the engines reproduced rule by rule, not bit for bit. */
smp_refusal smpi_rules_run(engine_work *w);

/* engine_rules.c: what an engine says to a value that it does not take. */
smp_refusal smpi_rules_refusal(const smp_engine_call *call, smp_setting setting);

/* engine_torch.c, for engines on torch: w->p from the n_kept packed entries w->ids, w->x. */
void smpi_torch_softmax(engine_work *w);

/* engine_torch.c: how a variant draws. */
smp_drawing smpi_torch_drawing(uint32_t variant);

/* engine_llama_check.c: whether the samplers of a call can be run on a row of n entries. */
smp_status smpi_llama_check(const smp_engine_call *call, size_t n, smp_where *where);

/* engine_llama_check.c: how many ids at the end of the context a sampler sees. */
size_t smpi_llama_window(const smp_engine_call *call, double last_n);

/* ---- Traces (engine_trace.c) ---------------------------------------------------------------------------------------------- */

/* Whether a call's trace, if any, can be made on a row of n entries. */
smp_status smpi_trace_check(const smp_engine_call *call, size_t n, smp_where *where);

/* Whether the call asks for what this filter compares. */
int smpi_trace_asks(const engine_work *w, smp_setting setting);

/* Nothing was compared. */
void smpi_trace_clear(engine_work *w);

/* A filter that is asked for begins. */
void smpi_trace_start(engine_work *w, smp_compared compared);

/* What it compares with, and the number whose ulp is counted. */
void smpi_trace_limit(engine_work *w, float threshold, float size);

/* One comparison; it replaces an earlier one of the same id. */
void smpi_trace_note(engine_work *w, uint32_t id, float value, int kept, int by_rounding);

/* Distances in ulps, at the end. */
void smpi_trace_finish(engine_work *w);

/* ---- Generators (rng.c) ------------------------------------------------------------------------------------------------------ */

/* In [0, 1), from two words, high first, as torch does. */
double smpi_rng_uniform_53(smp_rng *rng);

/* Take that many words of MT19937 and do nothing with them. */
void smpi_rng_skip(smp_rng *rng, size_t words);

/* MKL's MCG31m1, from which x86 wheels of torch up to 2.6 draw: its first state is seeded by one word. */
uint32_t smpi_rng_seed_mkl(smp_rng *rng);

/* In (0, 1]. */
float smpi_rng_uniform_mkl(uint32_t *state);

/* torch's exponential_(1) in float, from a 53-bit uniform number; from one of MKL's. */
float smpi_rng_exponential(double u);
float smpi_rng_exponential_mkl(float u);

#pragma GCC visibility pop

#endif
