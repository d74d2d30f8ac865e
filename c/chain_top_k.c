/* Top-k: the value of the k-th largest entry by halving ranks; no sort. */
#include "chain.h"
#include "lanes.h"

/* How many of the keys, whole groups of four, reach the bound. */
static size_t count_from(const float *keys, size_t n, float bound) {
  const lanes least = lanes_all(bound);
  lanes_bits count = {0};
  for (size_t i = 0; i < n; i += 4) count = lanes_count(count, (lanes_bits)(lanes_load(keys + i) >= least));
  return (size_t)count[0] + count[1] + count[2] + count[3];
}

/* A value that at least k of the keys reach, and no more than `most` do unless they are equal: bisection over the ranks
   of floats. At least k keys are above -inf, and none is above max. */
static float reached_by(const float *keys, size_t n, size_t k, size_t most, float max) {
  uint32_t low = rank_of(-FLT_MAX), high = rank_of(max) + 1;
  size_t reached = SIZE_MAX;
  while (high - low > 1 && reached > most) {
    const uint32_t middle = low + (high - low) / 2;
    const size_t count = count_from(keys, n, value_of(middle));
    if (count < k) {
      high = middle;
      continue;
    }
    low = middle;
    reached = count;
  }
  return value_of(low);
}

/* For k up to this share of the block maxima the maxima of four blocks each are enough, and a quarter of the work. */
enum { FEW = 16 };

/* The bisection over block maxima may end above the k-th: an eighth more of them lists few entries in vain. */
static size_t enough(size_t k) {
  return k + k / 8;
}

/* A lower bound on the k-th largest entry: the k-th largest block maximum, or of groups of four blocks. */
static float bound_of(chain_run *run, size_t k) {
  const float *maxima = run->block_max;
  size_t n = smp_row_capacity(blocks_of(run->n));
  if (k <= n / FEW) {
    n /= 4;
    for (size_t i = 0; i < n; i += 4) {
      const lanes a = lanes_max(lanes_load(maxima + i), lanes_load(maxima + n + i));
      const lanes b = lanes_max(lanes_load(maxima + 2 * n + i), lanes_load(maxima + 3 * n + i));
      lanes_store(run->key + i, lanes_max(a, b));
    }
    maxima = run->key;
  }
  return count_from(maxima, n, -FLT_MAX) < k ? -FLT_MAX : reached_by(maxima, n, k, enough(k), run->max);
}

void smpi_chain_keep_top_k(chain_run *run, size_t k, smp_tie tie) {
  if (k >= run->n_live) return;
  if (!run->listed) smpi_chain_list_from(run, bound_of(run, k));
  if (k >= run->n) return;
  const size_t n = (run->n + 3) / 4 * 4; /* the rest is -inf */
  const float cut = reached_by(run->values, n, k, 0, run->max);
  const size_t reach = count_from(run->values, n, cut), above = count_from(run->values, n, value_of(rank_of(cut) + 1));
  const chain_cut c = {.key = cut, .before = (uint32_t)(reach - k), .equal = (uint32_t)(reach - above)};
  smpi_chain_keep_above(run, run->values, c, tie);
}

int smpi_top_k(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  smpi_chain_keep_top_k(run, step->count, step->tie);
  return 1;
}
