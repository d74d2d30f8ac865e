/* From a distribution to an id: inverse of the cumulative sum, by blocks, then inside the block. */
#include "impl.h"
#include "lanes.h"

/* The first of n <= 64 weights at which the running sum exceeds the target. Rounding may leave the target beyond all of
   them, because the block's own sum is not added up in this order: then it is the last that has weight. */
static size_t place_in_block(const float *weight, size_t n, double before, double target) {
  size_t place = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(weight[i] > 0)) continue;
    place = i;
    before += (double)weight[i];
    if (target < before) break;
  }
  return place;
}

static size_t block_length(size_t n, size_t at) {
  return n - at < SMP_ROW_BLOCK ? n - at : SMP_ROW_BLOCK;
}

size_t smp_draw_place(smp_run *run, double u) {
  double target = u * run->sum, before = 0, next = 0;
  size_t from = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    double block = run->block_sum[at / SMP_ROW_BLOCK];
    if (!(block > 0)) continue;
    from = at;
    before = next;
    next += block;
    if (target < next) break;
  }
  if (!run->weighed) smp_run_weigh_block(run, from);
  return from + place_in_block(run->weight + from, block_length(run->n, from), before, target);
}

static double sum_of_block(const float *weights, size_t n, size_t at) {
  float copy[SMP_ROW_BLOCK] = {0};
  if (at + SMP_ROW_BLOCK <= n) return lanes_sum_block(weights + at);
  memcpy(copy, weights + at, block_length(n, at) * sizeof *copy);
  return lanes_sum_block(copy);
}

smp_status smp_row_draw(const float *weights, size_t n, double u, uint32_t *id, smp_where *where) {
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  smp_status status = smp_row_check_probabilities(weights, n, where);
  if (status) return status;
  if (!(u >= 0 && u < 1)) return smp_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  double sum = 0, before = 0, next = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) sum += sum_of_block(weights, n, at);
  if (sum == 0) return smp_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);

  /* As above, but there was no room to keep the sums. */
  size_t from = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    double block = sum_of_block(weights, n, at);
    if (!(block > 0)) continue;
    from = at;
    before = next;
    next += block;
    if (u * sum < next) break;
  }
  *id = (uint32_t)(from + place_in_block(weights + from, block_length(n, from), before, u * sum));
  return SMP_OK;
}
