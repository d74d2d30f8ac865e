/* How engines draw: weights and random words to ids, one draw after the other. stream.c has the same with
   sums made once. */
#include "engine.h"

/* ---- Races ------------------------------------------------------------------------------------------------------- */

static void leave(rng_words *words, uint32_t *mkl, size_t entries) {
  if (entries == 0) return;
  if (mkl)
    smpi_rng_skip_mkl(mkl, entries);
  else
    smpi_rng_leave(words, 2 * (uint64_t)entries);
}

/* An exponential q = -ln(1 - u) is at least u, so weight / q is at most weight / u: where that is below the best by
   more than the roundings of u, q and the quotient, which are about 2^-22, the logarithm need not be taken. */
#define SURELY_BELOW 0.999999

/* aten/native/Distributions.cpp: the first of the largest p / q with q exponential, one q for each entry of the row:
   masked entries still consume random numbers. */
size_t smpi_draw_race(const uint32_t *ids, const float *weights, size_t n_kept, size_t n, rng_words *words,
                      uint32_t *mkl, float *ratios) {
  size_t place = 0, next = 0;
  float best = -1;
  for (size_t j = 0; j < n_kept; j++) {
    leave(words, mkl, ids[j] - next);
    next = ids[j] + 1;
    double u = mkl ? 1 - (double)smpi_rng_uniform_mkl(mkl) : uniform_53(words);
    if (!ratios && (double)weights[j] <= SURELY_BELOW * u * (double)best) continue;
    float ratio = weights[j] / (mkl ? smpi_rng_exponential_mkl((float)(1 - u)) : smpi_rng_exponential(u));
    if (!(weights[j] > 0)) ratio = 0; /* 0 / 0 */
    if (ratios) ratios[j] = ratio;
    if (!(weights[j] > 0 && ratio > best)) continue;
    best = ratio;
    place = j;
  }
  leave(words, mkl, n - next);
  return place;
}

/* ---- From a number in [0, 1) to a candidate ---------------------------------------------------------------------- */

/* At u = 0 torch with replacement and llama.cpp would draw a first candidate of weight 0; here none of
   weight 0 is drawn. */

/* The last that has weight takes what rounding leaves. */
static size_t last_with_weight(const float *weights, size_t n) {
  while (n > 1 && !(weights[n - 1] > 0)) n--;
  return n - 1;
}

/* aten/native/cpu/MultinomialKernel.cpp: cumulative sum over its last, which is set to 1; the first at or above u. */
static size_t replaced(const float *weights, size_t n, float total, double u) {
  float sum = 0;
  for (size_t j = 0; j + 1 < n; j++) {
    sum += weights[j];
    const float part = sum / total;
    if (part > 0 && (double)part >= u) return j;
  }
  return last_with_weight(weights, n);
}

/* rand 0.9, WeightedIndex<f32>: how many of the sums, except the last, do not exceed u times the total. */
static size_t weighted_index(const float *weights, size_t n, float total, double u) {
  const float x = (float)u * total;
  float sum = 0;
  for (size_t j = 0; j + 1 < n; j++) {
    sum += weights[j];
    if (sum > x) return j;
  }
  return last_with_weight(weights, n);
}

/* llama.cpp, llama-sampler.cpp, dist: the first at which the sum in double reaches u times the total. With one
   candidate the number is drawn and thrown away. */
static size_t dist(const float *weights, size_t n, double total, double u) {
  const double target = total * u;
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    sum += (double)weights[j];
    if (sum > 0 && sum >= target) return j;
  }
  return last_with_weight(weights, n);
}

/* transformers.js, src/utils/random.js. */
size_t smpi_draw_subtract(const float *weights, size_t n, double total, double u) {
  double left = u * total;
  for (size_t j = 0; j < n; j++) {
    left -= (double)weights[j];
    if (left < 0) return j;
  }
  return last_with_weight(weights, n);
}

/* The first whose sum in double exceeds u times the total: the inverse of the cumulative sum. */
static size_t inverse(const float *weights, size_t n, double total, double u) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    sum += (double)weights[j];
    if (sum > u * total) return j;
  }
  return last_with_weight(weights, n);
}

double smpi_draw_uniform(smp_drawing drawing, rng_words *words) {
  if (is_race(drawing) || drawing == SMP_DRAWING_GREEDY) return 0;
  const uint32_t first = next_word(words);
  if (drawing == SMP_DRAWING_WEIGHTED_INDEX) return (double)(first >> 9) * 0x1p-23; /* rand 0.9 */
  const uint32_t second = next_word(words);
  double u;
  switch (drawing) {
  case SMP_DRAWING_DIST: /* libstdc++, std::uniform_real_distribution<double>: low word first */
    u = ((double)first + (double)second * 0x1p32) * 0x1p-64;
    return u < 1 ? u : 0x1.fffffffffffffp-1;
  case SMP_DRAWING_SUBTRACT: /* 27 bits of the first word and 26 of the second */
    return ((double)(first >> 5) * 0x1p26 + (double)(second >> 6)) * 0x1p-53;
  default:
    return uniform_53_of(first, second);
  }
}

/* ---- Which ------------------------------------------------------------------------------------------------------- */

int smpi_draw_is_known(smp_drawing drawing) {
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
  case SMP_DRAWING_INVERSE:
    return 1;
  case SMP_DRAWING_NONE:
    break;
  }
  return 0;
}

/* torch.multinomial draws a single id by a race, whatever was said of replacement (Distributions.cpp); of several MKL's
   numbers draw none. */
smp_drawing smpi_draw_kind(smp_drawing drawing, size_t draws) {
  if (drawing == SMP_DRAWING_REPLACEMENT && draws == 1) return SMP_DRAWING_RACE;
  if (drawing != SMP_DRAWING_REPLACEMENT_MKL) return drawing;
  return draws == 1 ? SMP_DRAWING_RACE_MKL : SMP_DRAWING_REPLACEMENT;
}

uint64_t smpi_draw_words(smp_drawing drawing, size_t n) {
  if (drawing == SMP_DRAWING_RACE) return 2 * (uint64_t)n;
  if (drawing == SMP_DRAWING_GREEDY || drawing == SMP_DRAWING_BATCH_MKL) return 0;
  return drawing == SMP_DRAWING_RACE_MKL || drawing == SMP_DRAWING_WEIGHTED_INDEX ? 1 : 2;
}

smp_status smp_engine_draw(smp_drawing drawing, const uint32_t *ids, const float *weights, size_t n_kept, size_t n,
                           smp_rng *rng, uint32_t *out, size_t draws, smp_where *where) {
  if (n_kept == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (!smpi_draw_is_known(drawing)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  if (draws < 1 || draws > SMP_ROW_MAX) return smpi_fail(SMP_ERR_PARAM, SMP_AT_DRAWS, 0, where);
  drawing = smpi_draw_kind(drawing, draws);
  for (size_t j = 0; is_race(drawing) && j < n_kept; j++)
    if (ids[j] >= n || (j > 0 && ids[j] <= ids[j - 1]))
      return smpi_fail(SMP_ERR_PARAM, SMP_AT_KEPT, (uint32_t)j, where);
  float total = 0;
  double exact = 0;
  for (size_t j = 0; j < n_kept; j++) {
    total += weights[j];
    exact += (double)weights[j];
  }
  rng_words words = {.rng = rng, .left = draws * smpi_draw_words(drawing, n)};
  uint32_t mkl = drawing == SMP_DRAWING_BATCH_MKL ? smpi_rng_seed_mkl(smp_rng_next(rng)) : 0;
  for (size_t i = 0; i < draws; i++) {
    size_t place = 0;
    if (drawing == SMP_DRAWING_RACE_MKL) mkl = smpi_rng_seed_mkl(next_word(&words));
    const double u = smpi_draw_uniform(drawing, &words);
    if (is_race(drawing)) place = smpi_draw_race(ids, weights, n_kept, n, &words, mkl ? &mkl : NULL, NULL);
    if (drawing == SMP_DRAWING_REPLACEMENT) place = replaced(weights, n_kept, total, u);
    if (drawing == SMP_DRAWING_WEIGHTED_INDEX) place = weighted_index(weights, n_kept, total, u);
    if (drawing == SMP_DRAWING_SUBTRACT) place = smpi_draw_subtract(weights, n_kept, exact, u);
    if (drawing == SMP_DRAWING_DIST) place = dist(weights, n_kept, exact, u);
    if (drawing == SMP_DRAWING_INVERSE) place = inverse(weights, n_kept, exact, u);
    out[i] = ids[place];
  }
  return SMP_OK;
}
