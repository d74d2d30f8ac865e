/* Top-n-sigma: by standard deviations below the maximum. */
#include "chain.h"
#include "lanes.h"

/* The sum of x - mean over the entries above -inf, or of its square. `squared` is a constant. Four sums, element i in
   sum i mod 4. */
LANES_INLINE double sum_from(const chain_run *run, double mean, int squared) {
  const lanes_wide middle = {mean, mean}, none = {-SMP_INF, -SMP_INF}, zero = {0, 0};
  lanes_wide sum[2] = {zero, zero};
  for (size_t i = 0; i < run->n; i += 4) {
    const lanes x = lanes_load(run->values + i);
    const lanes_wide half[2] = {lanes_low(x), lanes_high(x)};
    LANES_UNROLL
    for (int j = 0; j < 2; j++) {
      const lanes_wide off = half[j] - middle, live = lanes_wide_select((lanes_wide_bits)(off > none), off, zero);
      sum[j] += squared ? live * live : live;
    }
  }
  return (sum[0][0] + sum[1][0]) + (sum[0][1] + sum[1][1]);
}

int smpi_top_n_sigma(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  smpi_chain_own(run);
  const double n = (double)run->n_live, mean = sum_from(run, 0, 0) / n;
  const double sigma = __builtin_sqrt(sum_from(run, mean, 1) / n);
  const double least = (double)run->max - step->value * sigma;
  const float from = (float)least, slack = 4 * spacing_of(from < 0 ? -from : from);
  if (!run->listed) smpi_chain_list_from(run, from - slack);
  for (size_t i = 0; i < run->n; i++) {
    double off = (double)run->values[i] - least;
    if (run->values[i] < run->max && off <= (double)slack && off >= -(double)slack) run->by_rounding = 1;
    run->key[i] = off >= 0 || run->values[i] == run->max ? 1.0f : 0.0f;
  }
  smpi_chain_keep_above(run, run->key, (chain_cut){.key = 0}, SMP_TIE_STRICT);
  return 1;
}
