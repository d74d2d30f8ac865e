/* Private: the model in its plainest form, see gpt_reference.c. Only tests call it. */
#ifndef SMP_GPT_REFERENCE_H
#define SMP_GPT_REFERENCE_H

#include "smp_gpt.h"

#pragma GCC visibility push(hidden)

/* Doubles of work for a text of n tokens. */
size_t smpi_gpt_reference_size(const smp_gpt *gpt, uint32_t n);

/* The logits after each of the n tokens, which stand at positions 0 to n - 1: n rows of n_tokens doubles. */
void smpi_gpt_reference(const smp_gpt *gpt, const uint32_t *ids, uint32_t n, double *logits, double *work);

#pragma GCC visibility pop

#endif
