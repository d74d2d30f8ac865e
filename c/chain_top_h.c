/* Top-h: by a share of the entropy. */
#include "chain.h"
#include "lanes.h"

int smpi_top_h(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  uint32_t order[SMP_TOP_H_ENTRIES];
  smpi_chain_keep_top_k(run, SMP_TOP_H_ENTRIES, SMP_TIE_STRICT);
  if (!run->listed) smpi_chain_list_from(run, -FLT_MAX);
  const size_t n = run->n;
  if (run->weighed)
    smpi_chain_total(run);
  else
    smpi_chain_weigh(run);
  smp_row_top(run->values, n, order, n, NULL); /* n is 1 to 100, all of them finite */

  double all = 0, entropy = 0, sum = 0;
  double slack = 0; /* what subnormal p, each off by up to 2^-150, can shift sum and entropy by */
  for (size_t i = 0; i < n; i++) all += smp_exp((double)run->values[i] - (double)run->max);
  const double ln_all = smp_log(all);
  for (size_t i = 0; i < n; i++) {
    double ln_p = ((double)run->values[i] - (double)run->max) - ln_all, p = smp_exp(ln_p);
    entropy -= (double)((float)p * (p > 0 ? (float)ln_p : 0));
    slack -= p > 0 ? 0x1p-149 * ln_p : 0;
  }
  const float limit = (float)entropy * (float)step->value;
  int left = 1;
  for (size_t j = 0; j < n; j++) {
    double ln_p = ((double)run->values[order[j]] - (double)run->max) - ln_all;
    float p = (float)smp_exp(ln_p);
    sum += p > 0 ? -(double)(p * (float)ln_p) : 0;
    const double off = (double)(float)sum - (double)limit;
    if (j > 0 && (is_near(off, limit) || (off < slack && off > -slack))) run->by_rounding = 1;
    if (j > 0 && (p == 0 || (float)sum > limit)) left = 0; /* p = 0: 0 times ln 0 is NaN there */
    run->key[order[j]] = left ? 1.0f : 0.0f;
  }
  smpi_chain_keep_above(run, run->key, (chain_cut){.key = 0}, SMP_TIE_STRICT);
  return 1;
}
