/* From the weights of a chain to an id: inverse of the cumulative sum, by blocks, then inside the block. */
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
