/* Scores of four tokens, temperature 0.8, top-p 0.9: which token lies at u = 0.5, and how probable is it? */
#include <stdio.h>
#include <stdlib.h>

#include "smp.h"

int main(void) {
  float row[64] = {0, 1, 2, 3}; /* one logit a token, in a row of smp_row_capacity(4) floats */
  const smp_step steps[] = {{.kind = SMP_STEP_TEMPERATURE, .value = 0.8},
                            {.kind = SMP_STEP_TOP_P, .value = 0.9, .tie = SMP_TIE_LAST}};
  const smp_chain chain = {.u = 0.5, .steps = steps, .n_steps = 2, .out = SMP_OUT_P};
  smp_chain_result result;
  smp_where where;
  void *work = malloc(smp_chain_work_size(4));
  const smp_status status = smp_chain_run(row, 4, &chain, NULL, NULL, &result, work, &where);
  if (status == SMP_OK)
    printf("%u candidates; token %u with probability %.6f\n", result.n_kept, result.id, (double)row[result.id]);
  else
    printf("%s: %s; allowed: %s\n", smp_param_text(where.param), smp_status_text(status),
           smp_param_allowed(where.param));
  free(work);
  return status != SMP_OK;
}
