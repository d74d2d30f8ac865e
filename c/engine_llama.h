/* Private to the files of llama.cpp (engine_llama*.c). */
#ifndef SMP_ENGINE_LLAMA_H
#define SMP_ENGINE_LLAMA_H

#include "engine.h"

#pragma GCC visibility push(hidden)

/* The candidates. No logit is NaN or +inf between two samplers. */
typedef struct array {
  uint32_t *id;
  float *logit, *p;
  sort_entry *entries; /* room for all */
  size_t size;
  engine_work *w;
  int sorted;
} array;

/* engine_llama.c: what the samplers do; their numbers are those of smp_engines.h, and have been checked. */
typedef void llama_apply(array *a, const smp_sampler *s);
llama_apply smpi_llama_top_k, smpi_llama_top_p, smpi_llama_min_p, smpi_llama_typical, smpi_llama_temp,
    smpi_llama_temp_ext, smpi_llama_top_n_sigma, smpi_llama_xtc, smpi_llama_penalties, smpi_llama_dry,
    smpi_llama_greedy, smpi_llama_dist;

/* engine_llama.c: how many ids at the end of the context a sampler with this last_n sees; none for 0 or below. */
size_t smpi_llama_window(const smp_engine_call *call, double last_n);

#pragma GCC visibility pop

#endif
