/* From logits to probabilities: softmax of a row, and its entropy. */
#include "impl.h"
#include "lanes.h"

smp_status smp_row_softmax(float *row, size_t n, double *entropy, smp_where *where) {
  float max;
  smp_status status = smp_row_scan(row, n, &max, NULL, where);
  if (status) return status;

  /* Each block is summed in float lanes, in order; the blocks are summed in double. */
  const size_t capacity = smp_row_capacity(n);
  double sum = 0, weighted = 0;
  for (size_t at = 0; at < capacity; at += SMP_ROW_BLOCK) {
    lanes block_sum = lanes_all(0), block_weighted = lanes_all(0);
    for (float *p = row + at; p < row + at + SMP_ROW_BLOCK; p += 4) {
      lanes score = lanes_max(lanes_load(p) - lanes_all(max), lanes_all(LANES_EXP_FLOOR));
      lanes weight = lanes_exp(score);
      lanes_store(p, weight);
      block_sum += weight;
      block_weighted += weight * score; /* the floor is finite, so this is 0 where the weight is */
    }
    sum += (double)lanes_sum(block_sum);
    weighted += (double)lanes_sum(block_weighted);
  }

  const lanes share = lanes_all((float)(1 / sum));
  for (size_t i = 0; i < capacity; i += 4) lanes_store(row + i, lanes_load(row + i) * share);
  if (entropy) *entropy = smp_log(sum) - weighted / sum; /* both terms >= 0, because no score is above 0 */
  return SMP_OK;
}
