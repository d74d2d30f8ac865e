/* Weights of the entries of a chain: e^(x / tau - max), their sums, the entropy. */
#include "chain.h"
#include "lanes.h"

/* The first n entries, whole blocks above the floor: their weights, `step` floats apart for each block, and the sums of
   the blocks. `divide` is a constant. Returns the sum of all. */
LANES_INLINE double weigh_high(const chain_run *run, size_t n, int divide, size_t step) {
  const lanes_exp_constants k = lanes_exp_ready();
  const lanes tau = lanes_all(run->tau), max = lanes_all(run->max);
  const float *x = run->x;
  float *weight = run->weight;
  double *total = run->block_sum, sum = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK, weight += step)
    sum += *total++ = lanes_exp_block(x + at, divide, 0, tau, max, &k, weight);
  return sum;
}

/* step: SMP_ROW_BLOCK, or 0 where only the sums are wanted: then every block is written over the one before. */
static void weigh(chain_run *run, size_t step) {
  const size_t high = run->least - run->max > LANES_EXP_FLOOR ? run->n / SMP_ROW_BLOCK * SMP_ROW_BLOCK : 0;
  double sum = run->tau == 1 ? weigh_high(run, high, 0, step) : weigh_high(run, high, 1, step);
  float *weight = run->weight + high / SMP_ROW_BLOCK * step;
  for (size_t at = high; at < run->n; at += SMP_ROW_BLOCK, weight += step)
    sum += run->block_sum[at / SMP_ROW_BLOCK] = smpi_row_weigh_block(run_block(run, at), run->tau, run->max, weight);
  run->sum = sum;
}

void smpi_chain_weigh(chain_run *run) {
  if (!run->weighed) weigh(run, SMP_ROW_BLOCK);
  run->weighed = 1;
}

void smpi_chain_sum(chain_run *run) {
  if (!run->weighed) weigh(run, 0);
}

void smpi_chain_weigh_block(chain_run *run, size_t at) {
  smpi_row_weigh_block(run_block(run, at), run->tau, run->max, run->weight + at);
}

void smpi_chain_total(chain_run *run) {
  run->sum = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    double total = lanes_sum_block(run->weight + at);
    run->block_sum[at / SMP_ROW_BLOCK] = total;
    run->sum += total;
  }
}

double smpi_chain_entropy(const chain_run *run) {
  double weighted_sum = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK)
    weighted_sum += lanes_expect_block(run_block(run, at), 1, lanes_all(run->tau), run->max, run->weight + at);
  return smp_log(run->sum) - weighted_sum / run->sum;
}
