/* From logits to probabilities: softmax of a row, and its entropy. */
#include "impl.h"
#include "lanes.h"

smp_status smp_row_softmax(float *row, size_t n, double *entropy, smp_where *where) {
  float max;
  smp_status status = smp_row_scan(row, n, &max, NULL, where);
  if (status) return status;

  /* Each block is summed in float lanes; the blocks are summed in double, in order. */
  const size_t capacity = smp_row_capacity(n);
  double sum = 0, weighted_sum = 0;
  for (size_t at = 0; at < capacity; at += SMP_ROW_BLOCK) {
    lanes weight[SMP_ROW_BLOCK / 4], weighted = lanes_all(0);
    for (size_t i = 0; i < SMP_ROW_BLOCK / 4; i++) {
      float *p = row + at + 4 * i;
      lanes score = lanes_max(lanes_load(p) - lanes_all(max), lanes_all(LANES_EXP_FLOOR));
      weight[i] = lanes_exp(score);
      lanes_store(p, weight[i]);
      weighted += weight[i] * score; /* the floor is finite, so this is 0 where the weight is */
    }
    sum += lanes_sum(weight);
    weighted_sum += lanes_total(weighted);
  }

  const lanes share = lanes_all((float)(1 / sum));
  for (size_t i = 0; i < capacity; i += 4) lanes_store(row + i, lanes_load(row + i) * share);
  if (entropy) *entropy = smp_log(sum) - weighted_sum / sum; /* both terms >= 0, because no score is above 0 */
  return SMP_OK;
}
