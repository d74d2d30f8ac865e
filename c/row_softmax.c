/* Softmax of a row and its entropy; logarithms of probabilities. */
#include "row.h"
#include "lanes.h"

double smpi_row_weigh_block(const float *block, float tau, float max, float *weight) {
  const lanes_exp_constants k = lanes_exp_ready();
  return lanes_exp_block(block, 1, 1, lanes_all(tau), lanes_all(max), &k, weight);
}

/* The same at tau = 1 where `high` says that the whole block is above the floor. */
LANES_INLINE double weigh_block_of_row(const float *block, int high, float max, const lanes_exp_constants *k,
                                       float *weight) {
  return high ? lanes_exp_block(block, 0, 0, lanes_all(1), lanes_all(max), k, weight)
              : smpi_row_weigh_block(block, 1, max, weight);
}

static size_t above_floor(const float *row, size_t n, float max) {
  const size_t whole = n / SMP_ROW_BLOCK * SMP_ROW_BLOCK;
  lanes smallest = lanes_all(max);
  for (size_t i = 0; i < whole; i += 4) smallest = lanes_min(lanes_load(row + i), smallest);
  return lanes_smallest(smallest) - max > LANES_EXP_FLOOR ? whole : 0;
}

smp_status smp_row_softmax(float *row, size_t n, double *entropy, smp_where *where) {
  float max;
  smp_status status = smp_row_scan(row, n, &max, NULL, where);
  if (status) return status;

  /* Blocks are summed in float lanes, then in double; block totals are added in double, in order. */
  const size_t capacity = smp_row_capacity(n), high = above_floor(row, n, max);
  const lanes_exp_constants k = lanes_exp_ready();
  double sum = 0, weighted_sum = 0;
  for (size_t at = 0; at < capacity; at += SMP_ROW_BLOCK) {
    float weight[SMP_ROW_BLOCK];
    sum += weigh_block_of_row(row + at, at < high, max, &k, weight);
    if (entropy) weighted_sum += lanes_expect_block(row + at, 0, lanes_all(1), max, weight);
    memcpy(row + at, weight, sizeof weight);
  }

  const lanes share = lanes_all((float)(1 / sum));
  for (size_t i = 0; i < capacity; i += 4) lanes_store(row + i, lanes_load(row + i) * share);
  if (entropy) *entropy = smp_log(sum) - weighted_sum / sum; /* both terms >= 0, because no score is above 0 */
  return SMP_OK;
}

/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* ln of the sum of e^(row[i] - max). */
static double ln_sum_of(const float *row, size_t n, float max) {
  const size_t whole = n / SMP_ROW_BLOCK * SMP_ROW_BLOCK, high = above_floor(row, n, max);
  const lanes_exp_constants k = lanes_exp_ready();
  float weight[SMP_ROW_BLOCK], rest[SMP_ROW_BLOCK];
  double sum = 0;
  for (size_t at = 0; at < whole; at += SMP_ROW_BLOCK) sum += weigh_block_of_row(row + at, at < high, max, &k, weight);
  if (whole < n) sum += smpi_row_weigh_block(block_at(row, n, whole, rest), 1, max, weight);
  return smp_log(sum);
}

smp_status smp_row_log_softmax(float *row, size_t n, smp_where *where) {
  float max;
  smp_status status = smp_row_scan(row, n, &max, NULL, where);
  if (status) return status;
  const size_t capacity = smp_row_capacity(n);
  const double ln_sum = ln_sum_of(row, n, max);
  const lanes_wide off = {ln_sum, ln_sum};
  for (size_t i = 0; i < capacity; i += 4) { /* padding stays -inf */
    const lanes score = lanes_load(row + i) - lanes_all(max);
    lanes_store(row + i, lanes_narrow(lanes_low(score) - off, lanes_high(score) - off));
  }
  return SMP_OK;
}

smp_status smp_row_top_log_p(const float *row, size_t n, uint32_t *ids, double *log_p, size_t m, smp_where *where) {
  smp_status status = smp_row_top(row, n, ids, m, where);
  if (status) return status;
  float max = row[ids[0]];
  double ln_sum = ln_sum_of(row, n, max);
  for (size_t j = 0; j < m; j++) log_p[j] = ((double)row[ids[j]] - (double)max) - ln_sum;
  return SMP_OK;
}
