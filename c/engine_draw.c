/* How engines draw: weights and random words to ids. */
#include "engine.h"

static void skip(smp_rng *rng, uint32_t *mkl, size_t entries) {
  if (!mkl) smpi_rng_skip(rng, 2 * entries);
  while (mkl && entries-- > 0) smpi_rng_uniform_mkl(mkl);
}

/* An exponential q = -ln(1 - u) is at least u, so weight / q is at most weight / u: where that is below the best by
   more than the roundings of u, q and the quotient, which are about 2^-22, the logarithm need not be taken. */
#define SURELY_BELOW 0.999999

/* aten/native/Distributions.cpp: the first of the largest p / q with q exponential, one q for each entry of the row:
   masked entries still consume random numbers. mkl: the state of that generator, or NULL. */
static uint32_t race(const uint32_t *ids, const float *weights, size_t n_kept, size_t n, smp_rng *rng, uint32_t *mkl) {
  uint32_t id = ids[0];
  float best = -1;
  size_t next = 0;
  for (size_t j = 0; j < n_kept; j++) {
    skip(rng, mkl, ids[j] - next);
    next = ids[j] + 1;
    double u = mkl ? 1 - (double)smpi_rng_uniform_mkl(mkl) : smpi_rng_uniform_53(rng);
    if ((double)weights[j] <= SURELY_BELOW * u * (double)best) continue;
    float ratio = weights[j] / (mkl ? smpi_rng_exponential_mkl((float)(1 - u)) : smpi_rng_exponential(u));
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

/* rand 0.9, WeightedIndex<f32>: how many sums, except the last, do not exceed a uniform of 23 bits times the total. */
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
  if (n_kept == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (!is_drawing(drawing)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  if (draws < 1 || draws > SMP_ROW_MAX) return smpi_fail(SMP_ERR_PARAM, SMP_AT_DRAWS, 0, where);
  drawing = drawing_of(drawing, draws);
  for (size_t j = 0; is_race(drawing) && j < n_kept; j++)
    if (ids[j] >= n || (j > 0 && ids[j] <= ids[j - 1]))
      return smpi_fail(SMP_ERR_PARAM, SMP_AT_KEPT, (uint32_t)j, where);
  float total = 0;
  double exact = 0;
  for (size_t j = 0; j < n_kept; j++) {
    total += weights[j];
    exact += (double)weights[j];
  }
  uint32_t mkl = drawing == SMP_DRAWING_BATCH_MKL ? smpi_rng_seed_mkl(rng) : 0;
  for (size_t i = 0; i < draws; i++) {
    size_t place = 0;
    if (drawing == SMP_DRAWING_RACE_MKL) mkl = smpi_rng_seed_mkl(rng);
    if (is_race(drawing)) {
      out[i] = race(ids, weights, n_kept, n, rng, mkl ? &mkl : NULL);
      continue;
    }
    if (drawing == SMP_DRAWING_REPLACEMENT) place = replaced(weights, n_kept, total, smpi_rng_uniform_53(rng));
    if (drawing == SMP_DRAWING_WEIGHTED_INDEX) place = weighted_index(weights, n_kept, total, smp_rng_next(rng));
    if (drawing == SMP_DRAWING_SUBTRACT) place = subtract(weights, n_kept, exact, rng);
    if (drawing == SMP_DRAWING_DIST) place = dist(weights, n_kept, exact, rng);
    out[i] = ids[place];
  }
  return SMP_OK;
}
