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

/* The block of weights that starts at `at`; a last, shorter one as a copy padded with 0. */
static const float *weights_at(const float *weights, size_t n, size_t at, float copy[SMP_ROW_BLOCK]) {
  if (at + SMP_ROW_BLOCK <= n) return weights + at;
  memset(copy, 0, SMP_ROW_BLOCK * sizeof *copy);
  memcpy(copy, weights + at, (n - at) * sizeof *copy);
  return copy;
}

/* As above, but there is no room for the sums of all blocks: only for what is before each 64 of them. */
smp_status smp_row_draw(const float *weights, size_t n, double u, uint32_t *id, smp_where *where) {
  enum { PART = 64 * SMP_ROW_BLOCK };
  double until[SMP_ROW_MAX / PART];
  float copy[SMP_ROW_BLOCK];
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  double sum = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    const float *block = weights_at(weights, n, at, copy);
    if (!smp_block_is_probable(block)) return smp_row_check_probabilities(weights, n, where);
    if (at % PART == 0) until[at / PART] = sum;
    sum += lanes_sum_block(block);
  }
  if (!(u >= 0 && u < 1)) return smp_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  if (sum == 0) return smp_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);

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
  *id = (uint32_t)(from + place_in_block(weights + from, block_length(n, from), before, target));
  return SMP_OK;
}

/* ---- As engines draw ---------------------------------------------------------------------------------------------- */

static void skip(smp_rng *rng, uint32_t *mkl, size_t entries) {
  if (!mkl) smp_rng_skip(rng, 2 * entries);
  while (mkl && entries-- > 0) smp_rng_uniform_mkl(mkl);
}

/* aten/native/Distributions.cpp: the first greatest p / q with q exponential, once per entry of the row: the others use up
   their numbers, and lose. mkl: the state of that generator, or NULL. */
static uint32_t race(const uint32_t *ids, const float *weights, size_t n_kept, size_t n, smp_rng *rng, uint32_t *mkl) {
  uint32_t id = ids[0];
  float best = -1;
  size_t next = 0;
  for (size_t j = 0; j < n_kept; j++) {
    skip(rng, mkl, ids[j] - next);
    next = ids[j] + 1;
    double u = mkl ? 1 - (double)smp_rng_uniform_mkl(mkl) : smp_rng_uniform_53(rng);
    if ((double)weights[j] <= 0.999999 * u * (double)best) continue; /* q is at least u: no need of a logarithm */
    float ratio = weights[j] / (mkl ? smp_rng_exponential_mkl((float)(1 - u)) : smp_rng_exponential(u));
    if (!(weights[j] > 0 && ratio > best)) continue;
    best = ratio;
    id = ids[j];
  }
  skip(rng, mkl, n - next);
  return id;
}

/* aten/native/cpu/MultinomialKernel.cpp: cumulative sum over its last, which is set to 1; the first at or above u. */
static size_t replaced(const float *weights, size_t n, float total, double u) {
  float sum = 0;
  for (size_t j = 0; j + 1 < n; j++) {
    sum += weights[j];
    if ((double)(sum / total) >= u) return j;
  }
  return n - 1;
}

/* rand 0.9, WeightedIndex<f32>: how many of the sums but the last do not exceed a uniform of 23 bits times the total. */
static size_t weighted_index(const float *weights, size_t n, float total, uint32_t word) {
  const float x = (float)(word >> 9) * 0x1p-23f * total;
  float sum = 0;
  for (size_t j = 0; j + 1 < n; j++) {
    sum += weights[j];
    if (sum > x) return j;
  }
  return n - 1;
}

/* llama.cpp, llama-sampler.cpp, dist: std::uniform_real_distribution<double> of libstdc++, low word first. With one
   candidate the number is drawn and thrown away. */
static size_t dist(const float *weights, size_t n, double total, smp_rng *rng) {
  double low = (double)smp_rng_next(rng), u = (low + (double)smp_rng_next(rng) * 0x1p32) * 0x1p-64, sum = 0;
  const double target = total * (u < 1 ? u : 0x1.fffffffffffffp-1);
  for (size_t j = 0; j < n; j++) {
    sum += (double)weights[j];
    if (sum >= target) return j;
  }
  return n - 1;
}

/* transformers.js, src/utils/random.js: 27 bits of the first word and 26 of the second. */
static size_t subtract(const float *weights, size_t n, double total, smp_rng *rng) {
  const double high = (double)(smp_rng_next(rng) >> 5), low = (double)(smp_rng_next(rng) >> 6);
  double left = (high * 0x1p26 + low) * 0x1p-53 * total;
  for (size_t j = 0; j < n; j++) {
    left -= (double)weights[j];
    if (left < 0) return j;
  }
  return n - 1;
}

static int is_drawing(smp_drawing drawing) {
  switch (drawing) {
  case SMP_DRAWING_GREEDY:
  case SMP_DRAWING_RACE:
  case SMP_DRAWING_RACE_MKL:
  case SMP_DRAWING_REPLACEMENT:
  case SMP_DRAWING_WEIGHTED_INDEX:
  case SMP_DRAWING_DIST:
  case SMP_DRAWING_SUBTRACT:
  case SMP_DRAWING_BATCH_MKL:
  case SMP_DRAWING_REPLACEMENT_MKL:
    return 1;
  case SMP_DRAWING_NONE:
    break;
  }
  return 0;
}

/* torch.multinomial draws a single id by a race, whatever was said of replacement (Distributions.cpp); of several MKL's
   numbers draw none. */
static smp_drawing drawing_of(smp_drawing drawing, size_t draws) {
  if (drawing == SMP_DRAWING_REPLACEMENT && draws == 1) return SMP_DRAWING_RACE;
  if (drawing != SMP_DRAWING_REPLACEMENT_MKL) return drawing;
  return draws == 1 ? SMP_DRAWING_RACE_MKL : SMP_DRAWING_REPLACEMENT;
}

static int is_race(smp_drawing drawing) {
  return drawing == SMP_DRAWING_RACE || drawing == SMP_DRAWING_RACE_MKL || drawing == SMP_DRAWING_BATCH_MKL;
}

smp_status smp_engine_draw(smp_drawing drawing, const uint32_t *ids, const float *weights, size_t n_kept, size_t n,
                           smp_rng *rng, uint32_t *out, size_t draws, smp_where *where) {
  if (n_kept == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (!is_drawing(drawing)) return smp_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  if (draws < 1 || draws > SMP_ROW_MAX) return smp_fail(SMP_ERR_PARAM, SMP_AT_DRAWS, 0, where);
  drawing = drawing_of(drawing, draws);
  for (size_t j = 0; is_race(drawing) && j < n_kept; j++)
    if (ids[j] >= n || (j > 0 && ids[j] <= ids[j - 1])) return smp_fail(SMP_ERR_PARAM, SMP_AT_KEPT, (uint32_t)j, where);
  float total = 0;
  double exact = 0;
  for (size_t j = 0; j < n_kept; j++) {
    total += weights[j];
    exact += (double)weights[j];
  }
  uint32_t mkl = drawing == SMP_DRAWING_BATCH_MKL ? smp_rng_seed_mkl(rng) : 0;
  for (size_t i = 0; i < draws; i++) {
    size_t place = 0;
    if (drawing == SMP_DRAWING_RACE_MKL) mkl = smp_rng_seed_mkl(rng);
    if (is_race(drawing)) {
      out[i] = race(ids, weights, n_kept, n, rng, mkl ? &mkl : NULL);
      continue;
    }
    if (drawing == SMP_DRAWING_REPLACEMENT) place = replaced(weights, n_kept, total, smp_rng_uniform_53(rng));
    if (drawing == SMP_DRAWING_WEIGHTED_INDEX) place = weighted_index(weights, n_kept, total, smp_rng_next(rng));
    if (drawing == SMP_DRAWING_SUBTRACT) place = subtract(weights, n_kept, exact, rng);
    if (drawing == SMP_DRAWING_DIST) place = dist(weights, n_kept, exact, rng);
    out[i] = ids[place];
  }
  return SMP_OK;
}
