/* A row on its way through a chain: start on the caller's row, make the entries our own, settle after a change. */
#include "chain.h"
#include "lanes.h"

static float block_largest(const float *block) {
  lanes largest = lanes_load(block);
  for (size_t i = 4; i < SMP_ROW_BLOCK; i += 4) largest = lanes_max(lanes_load(block + i), largest);
  return lanes_largest(largest);
}

size_t smpi_chain_count_live(const chain_run *run) {
  lanes_bits count = {0};
  const lanes tau = lanes_all(run->tau), none = lanes_all(SMP_REMOVED);
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4)
      count = lanes_count(count, lanes_less(none, lanes_load(block + i) / tau));
  }
  return (size_t)count[0] + count[1] + count[2] + count[3];
}

/* The largest of each block and of all, the smallest of all if `with_least` (a constant), and a sum that is not finite
   if an entry is not, or if it overflows. Whole blocks only; four accumulators of each, to hide latency. */
LANES_INLINE float survey(chain_run *run, size_t blocks, int with_least) {
  lanes largest = lanes_all(SMP_REMOVED), low[4], sum[4];
  for (size_t j = 0; j < 4; j++) {
    low[j] = lanes_all(with_least ? (float)SMP_INF : SMP_REMOVED);
    sum[j] = lanes_all(0);
  }
  for (size_t b = 0; b < blocks; b++) {
    const float *block = run->x + b * SMP_ROW_BLOCK;
    lanes top[4];
    LANES_UNROLL
    for (size_t j = 0; j < 4; j++) {
      top[j] = lanes_load(block + 4 * j);
      if (with_least) low[j] = lanes_min(top[j], low[j]);
      sum[j] += top[j];
    }
    LANES_UNROLL
    for (size_t i = 16; i < SMP_ROW_BLOCK; i += 16) LANES_UNROLL
    for (size_t j = 0; j < 4; j++) {
      lanes x = lanes_load(block + i + 4 * j);
      top[j] = lanes_max(x, top[j]);
      if (with_least) low[j] = lanes_min(x, low[j]);
      sum[j] += x;
    }
    lanes all = lanes_max(lanes_max(top[0], top[1]), lanes_max(top[2], top[3]));
    largest = lanes_max(all, largest);
    run->block_max[b] = lanes_largest(all);
  }
  run->max = lanes_largest(largest);
  run->least = lanes_smallest(lanes_min(lanes_min(low[0], low[1]), lanes_min(low[2], low[3])));
  lanes total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return (total[0] + total[1]) + (total[2] + total[3]);
}

smp_status smpi_chain_start(chain_run *run, const float *row, size_t n, int with_least, smp_where *where) {
  const size_t whole = n / SMP_ROW_BLOCK, blocks = blocks_of(n);
  run->x = row;
  run->n_row = run->n = n;
  run->tau = 1;
  run->mass_kept = 1;
  block_at(row, n, whole * SMP_ROW_BLOCK, run->tail);

  float sum = with_least ? survey(run, whole, 1) : survey(run, whole, 0);
  for (size_t i = whole * SMP_ROW_BLOCK; i < n; i++) {
    sum += row[i];
    if (row[i] < run->least) run->least = row[i];
  }
  for (size_t b = whole; b < blocks || b % SMP_ROW_BLOCK; b++) {
    run->block_max[b] = b < blocks ? block_largest(run->tail) : SMP_REMOVED;
    if (run->block_max[b] > run->max) run->max = run->block_max[b];
  }
  run->n_live = n;
  if (sum - sum == 0) return SMP_OK;
  smp_status status = smpi_row_check(row, n, NULL, NULL, where); /* masked, or illegal, or large */
  if (status == SMP_OK && run->least == SMP_REMOVED) run->n_live = smpi_chain_count_live(run);
  return status;
}

void smpi_chain_own(chain_run *run) {
  if (run->x == run->values && run->tau == 1) return;
  const lanes tau = lanes_all(run->tau);
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) lanes_store(run->values + at + i, lanes_load(block + i) / tau);
  }
  run->x = run->values;
  run->tau = 1;
}

void smpi_chain_settle(chain_run *run) {
  run->weighed = 0;
  run->least = SMP_REMOVED; /* not known any more */
  if (run->listed) {
    size_t left = 0;
    for (size_t i = 0; i < run->n; i++) {
      run->values[left] = run->values[i];
      run->ids[left] = run->ids[i];
      left += run->values[i] > SMP_REMOVED;
    }
    run->n = left;
    for (size_t i = left; i % SMP_ROW_BLOCK; i++) run->values[i] = SMP_REMOVED;
  }
  const float *from = run->listed ? run->values : run->block_max;
  const size_t n = run->listed ? run->n : blocks_of(run->n);
  run->max = SMP_REMOVED;
  for (size_t i = 0; i < n; i++)
    if (from[i] > run->max) run->max = from[i];
}

size_t smpi_chain_place_of(const chain_run *run, uint32_t id) {
  size_t low = 0, high = run->n;
  if (!run->listed) return run->x[id] > SMP_REMOVED ? id : SIZE_MAX;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (run->ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < run->n && run->ids[low] == id && run->values[low] > SMP_REMOVED ? low : SIZE_MAX;
}

int smpi_chain_change(chain_run *run, size_t place, float x) {
  if (!(x < (float)SMP_INF)) return 0;
  if (x == SMP_REMOVED) {
    run->n_live--;
    if (run->weighed) run->mass_kept -= (double)run->weight[place] / run->sum;
  }
  run->values[place] = x;
  if (run->listed) return 1;
  size_t block = place / SMP_ROW_BLOCK;
  run->block_max[block] = block_largest(run->values + block * SMP_ROW_BLOCK);
  return 1;
}
