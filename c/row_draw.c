/* From a distribution to an id: inverse of the cumulative sum, by blocks, then inside the block. */
#include "row.h"
#include "lanes.h"

size_t smpi_row_place_in_block(const float *weight, size_t n, double before, double target) {
  size_t place = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(weight[i] > 0)) continue;
    place = i;
    before += (double)weight[i];
    if (target < before) break;
  }
  return place;
}

/* The block of weights that starts at `at`; a last, shorter one as a copy padded with 0. */
static const float *weights_at(const float *weights, size_t n, size_t at, float copy[SMP_ROW_BLOCK]) {
  if (at + SMP_ROW_BLOCK <= n) return weights + at;
  memset(copy, 0, SMP_ROW_BLOCK * sizeof *copy);
  memcpy(copy, weights + at, (n - at) * sizeof *copy);
  return copy;
}

/* There is no room for the sums of all blocks: only for the sum before each 64 of them. */
smp_status smp_row_draw(const float *weights, size_t n, double u, uint32_t *id, smp_where *where) {
  enum { PART = 64 * SMP_ROW_BLOCK };
  double until[SMP_ROW_MAX / PART];
  float copy[SMP_ROW_BLOCK];
  smp_status status = smpi_row_check_length(n, where);
  if (status) return status;
  double sum = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    const float *block = weights_at(weights, n, at, copy);
    if (!smpi_row_block_is_probable(block)) return smpi_row_check_probabilities(weights, n, where);
    if (at % PART == 0) until[at / PART] = sum;
    sum += lanes_sum_block(block);
  }
  if (!(u >= 0 && u < 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  if (sum == 0) return smpi_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);

  const double target = u * sum;
  size_t part = (n - 1) / PART;
  while (part > 0 && until[part] > target) part--;
  double before = until[part], next = before;
  size_t from = part * PART;
  for (size_t at = from; at < n; at += SMP_ROW_BLOCK) {
    double block = lanes_sum_block(weights_at(weights, n, at, copy));
    if (!(block > 0)) continue;
    from = at;
    before = next;
    next += block;
    if (target < next) break;
  }
  *id = (uint32_t)(from + smpi_row_place_in_block(weights + from, block_length(n, from), before, target));
  return SMP_OK;
}
