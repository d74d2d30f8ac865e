/* From the weights of a chain to an id: inverse of the cumulative sum, by blocks, then inside the block; or from the
   largest weight down. */
#include "chain.h"

size_t smpi_chain_draw(chain_run *run, double u) {
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
  if (!run->weighed) smpi_chain_weigh_block(run, from);
  return from + smpi_row_place_in_block(run->weight + from, block_length(run->n, from), before, target);
}

/* A heap of places, the one to be taken first at its root: of the largest value, and of equals the first. */
static int comes_after(const float *x, uint32_t a, uint32_t b) {
  return x[a] < x[b] || (x[a] == x[b] && a > b);
}

static void sink(const float *x, uint32_t *heap, size_t size, size_t at) {
  const uint32_t place = heap[at];
  for (size_t child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && comes_after(x, heap[child], heap[child + 1])) child++;
    if (!comes_after(x, place, heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = place;
}

size_t smpi_chain_draw_descending(chain_run *run, double u) {
  smpi_chain_own(run); /* equal after a division is equal */
  const double target = u * run->sum;
  uint32_t *heap = (uint32_t *)(void *)run->key; /* no filter is to come */
  size_t size = 0, place = 0;
  for (size_t i = 0; i < run->n; i++)
    if (run->weight[i] > 0) heap[size++] = (uint32_t)i;
  for (size_t i = size / 2; i-- > 0;) sink(run->values, heap, size, i);
  for (double sum = 0; size > 0;) { /* rounding may leave the target beyond all of them: then the last */
    place = heap[0];
    sum += (double)run->weight[place];
    if (target < sum) break;
    heap[0] = heap[--size];
    sink(run->values, heap, size, 0);
  }
  return place;
}
