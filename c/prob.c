/* From logits to probabilities: softmax of a row and its entropy, logarithms, distances between distributions. */
#include "impl.h"
#include "lanes.h"

static inline lanes score_of(lanes x, float max) {
  return x - lanes_all(max);
}

/* The sum of weight * score in a block: of the entropy. `divide` is a constant, 0 for tau = 1. */
LANES_INLINE double expect_block(const float *block, int divide, lanes tau, float max, const float *weight) {
  const lanes floor = lanes_all(LANES_EXP_FLOOR); /* it is finite, so the product is 0 where the weight is */
  lanes sum = lanes_all(0);
  for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
    const lanes x = lanes_load(block + i);
    sum += lanes_load(weight + i) * lanes_max(score_of(divide ? x / tau : x, max), floor);
  }
  return lanes_total(sum);
}

/* One copy for all who weigh single blocks, or blocks that may reach below the floor. */
__attribute__((noinline)) static double exp_block(const float *block, float tau, float max, float *weight) {
  const lanes_exp_constants k = lanes_exp_ready();
  return lanes_exp_block(block, 1, 1, lanes_all(tau), lanes_all(max), &k, weight);
}

/* The same at tau = 1 where `high` says that the whole block is above the floor. */
LANES_INLINE double exp_block_of_row(const float *block, int high, float max, const lanes_exp_constants *k,
                                     float *weight) {
  return high ? lanes_exp_block(block, 0, 0, lanes_all(1), lanes_all(max), k, weight)
              : exp_block(block, 1, max, weight);
}

/* How much of a row can be weighed without a look at the floor: all of its whole blocks, or nothing. */
static size_t above_floor(const float *row, size_t n, float max) {
  const size_t whole = n / SMP_ROW_BLOCK * SMP_ROW_BLOCK;
  lanes least = lanes_all(max);
  for (size_t i = 0; i < whole; i += 4) least = lanes_min(lanes_load(row + i), least);
  return lanes_least(least) - max > LANES_EXP_FLOOR ? whole : 0;
}

smp_status smp_row_softmax(float *row, size_t n, double *entropy, smp_where *where) {
  float max;
  smp_status status = smp_row_scan(row, n, &max, NULL, where);
  if (status) return status;

  /* Blocks are summed in float lanes, then in double; the sums of blocks are added in double, in order. */
  const size_t capacity = smp_row_capacity(n), high = above_floor(row, n, max);
  const lanes_exp_constants k = lanes_exp_ready();
  double sum = 0, weighted_sum = 0;
  for (size_t at = 0; at < capacity; at += SMP_ROW_BLOCK) {
    float weight[SMP_ROW_BLOCK];
    sum += exp_block_of_row(row + at, at < high, max, &k, weight);
    if (entropy) weighted_sum += expect_block(row + at, 0, lanes_all(1), max, weight);
    memcpy(row + at, weight, sizeof weight);
  }

  const lanes share = lanes_all((float)(1 / sum));
  for (size_t i = 0; i < capacity; i += 4) lanes_store(row + i, lanes_load(row + i) * share);
  if (entropy) *entropy = smp_log(sum) - weighted_sum / sum; /* both terms >= 0, because no score is above 0 */
  return SMP_OK;
}

/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* ln of the sum of e^(row[i] - max). */
static double ln_sum_of(const float *row, size_t n, float max) {
  const size_t whole = n / SMP_ROW_BLOCK * SMP_ROW_BLOCK, high = above_floor(row, n, max);
  const lanes_exp_constants k = lanes_exp_ready();
  float weight[SMP_ROW_BLOCK], rest[SMP_ROW_BLOCK];
  double sum = 0;
  for (size_t at = 0; at < whole; at += SMP_ROW_BLOCK) sum += exp_block_of_row(row + at, at < high, max, &k, weight);
  if (whole < n) {
    for (size_t i = 0; i < SMP_ROW_BLOCK; i++) rest[i] = whole + i < n ? row[whole + i] : -(float)SMP_INF;
    sum += exp_block(rest, 1, max, weight);
  }
  return smp_log(sum);
}

smp_status smp_row_log_softmax(float *row, size_t n, smp_where *where) {
  float max;
  smp_status status = smp_row_scan(row, n, &max, NULL, where);
  if (status) return status;
  const size_t capacity = smp_row_capacity(n);
  const double ln_sum = ln_sum_of(row, n, max);
  const lanes_wide off = {ln_sum, ln_sum};
  for (size_t i = 0; i < capacity; i += 4) { /* of the padding -inf is left */
    const lanes score = score_of(lanes_load(row + i), max);
    lanes_store(row + i, lanes_narrow(lanes_low(score) - off, lanes_high(score) - off));
  }
  return SMP_OK;
}

smp_status smp_row_top_log_p(const float *row, size_t n, uint32_t *ids, double *log_p, size_t m, smp_where *where) {
  smp_status status = smp_row_top(row, n, ids, m, where);
  if (status) return status;
  float max = row[ids[0]];
  double ln_sum = ln_sum_of(row, n, max);
  for (size_t j = 0; j < m; j++) log_p[j] = ((double)row[ids[j]] - (double)max) - ln_sum;
  return SMP_OK;
}

/* ---- Distances -------------------------------------------------------------------------------------------------- */

int smp_block_is_probable(const float *block) {
  const lanes zero = lanes_all(0), one = lanes_all(1);
  lanes_bits fine = ~(lanes_bits){0};
  for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
    const lanes x = lanes_load(block + i);
    fine &= (lanes_bits)(x >= zero) & (lanes_bits)(x <= one); /* false for NaN */
  }
  return !lanes_any(~fine);
}

smp_status smp_row_check_probabilities(const float *p, size_t n, smp_where *where) {
  size_t i = 0;
  while (i + SMP_ROW_BLOCK <= n && smp_block_is_probable(p + i)) i += SMP_ROW_BLOCK;
  for (; i < n; i++)
    if (!(p[i] >= 0 && p[i] <= 1))
      return smp_fail(p[i] != p[i] ? SMP_ERR_NAN : SMP_ERR_PARAM, SMP_AT_ROW, (uint32_t)i, where);
  return SMP_OK;
}

/* Sums over the entries i mod 4 = 0, 1 or 2, 3 of two rows. */
typedef struct apart {
  lanes_wide difference, kl, entropy_p, entropy_q;
} apart;

/* Adds two entries of each; their differences. A probability of 0 adds nothing, so its logarithm is any finite one: that of
   2^-1000, which added to a float other than 0 is gone. */
static inline lanes_wide compare_two(apart *sums, lanes_wide p, lanes_wide q) {
  const lanes_wide tiny = {0x1p-1000, 0x1p-1000};
  const lanes_wide_bits magnitude = {INT64_MAX, INT64_MAX};
  const lanes_wide off = (lanes_wide)((lanes_wide_bits)(p - q) & magnitude);
  const lanes_wide ln_p = lanes_wide_log(p + tiny), ln_q = lanes_wide_log(q + tiny);
  sums->difference += off;
  sums->kl += p * (ln_p - ln_q);
  sums->entropy_p -= p * ln_p;
  sums->entropy_q -= q * ln_q;
  return off;
}

static double total_of(lanes_wide low, lanes_wide high) {
  return (low[0] + high[0]) + (low[1] + high[1]);
}

smp_status smp_row_distance(const float *p, const float *q, size_t n, smp_distance *distance, smp_where *where) {
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  smp_status status = smp_row_check_probabilities(p, n, where);
  if (status == SMP_OK) status = smp_row_check_probabilities(q, n, where);
  if (status) return status;

  smp_distance d = {0};
  apart low = {0}, high = {0};
  const lanes zero = lanes_all(0);
  lanes_bits missing = {0}; /* in q, but not in p */
  for (size_t i = 0; i < n; i += 4) {
    lanes a, b;
    if (i + 4 <= n) {
      a = lanes_load(p + i);
      b = lanes_load(q + i);
    } else { /* neither has anything past the end */
      float last[8] = {0};
      for (size_t j = 0; i + j < n; j++) {
        last[j] = p[i + j];
        last[4 + j] = q[i + j];
      }
      a = lanes_load(last);
      b = lanes_load(last + 4);
    }
    const lanes_wide first = compare_two(&low, lanes_low(a), lanes_low(b));
    const lanes_wide second = compare_two(&high, lanes_high(a), lanes_high(b));
    missing |= (lanes_bits)(a > zero) & (lanes_bits)(b == zero);
    const lanes_wide most = {d.max_difference, d.max_difference};
    if (!lanes_any((lanes_bits)(first > most) | (lanes_bits)(second > most))) continue;
    for (size_t j = 0; j < 4; j++) {
      const double difference = j < 2 ? first[j] : second[j - 2];
      if (!(difference > d.max_difference)) continue;
      d.max_difference = difference;
      d.max_id = (uint32_t)(i + j);
    }
  }
  d.total_variation = 0.5 * total_of(low.difference, high.difference);
  d.kl = total_of(low.kl, high.kl);
  d.entropy_p = total_of(low.entropy_p, high.entropy_p);
  d.entropy_q = total_of(low.entropy_q, high.entropy_q);
  if (d.kl < 0) d.kl = 0; /* rounding, of p and q too */
  if (lanes_any(missing)) d.kl = SMP_INF;
  *distance = d;
  return SMP_OK;
}

/* ---- Weights of a run ------------------------------------------------------------------------------------------- */

/* The first blocks of a run, all above the floor: as below. `divide` is a constant. */
LANES_INLINE double weigh_high(const smp_run *run, size_t n, int divide, size_t step) {
  const lanes_exp_constants k = lanes_exp_ready();
  const lanes tau = lanes_all(run->tau), max = lanes_all(run->max);
  const float *x = run->x;
  float *weight = run->weight;
  double *total = run->block_sum, sum = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK, weight += step)
    sum += *total++ = lanes_exp_block(x + at, divide, 0, tau, max, &k, weight);
  return sum;
}

/* Block after block to `weight`, or all of them to its beginning. */
static void weigh(smp_run *run, size_t step) {
  const size_t high = run->least - run->max > LANES_EXP_FLOOR ? run->n / SMP_ROW_BLOCK * SMP_ROW_BLOCK : 0;
  double sum = run->tau == 1 ? weigh_high(run, high, 0, step) : weigh_high(run, high, 1, step);
  float *weight = run->weight + high / SMP_ROW_BLOCK * step;
  for (size_t at = high; at < run->n; at += SMP_ROW_BLOCK, weight += step)
    sum += run->block_sum[at / SMP_ROW_BLOCK] = exp_block(run_block(run, at), run->tau, run->max, weight);
  run->sum = sum;
}

void smp_run_weigh(smp_run *run) {
  if (!run->weighed) weigh(run, SMP_ROW_BLOCK);
  run->weighed = 1;
}

void smp_run_sum(smp_run *run) {
  if (!run->weighed) weigh(run, 0);
}

void smp_run_weigh_block(smp_run *run, size_t at) {
  exp_block(run_block(run, at), run->tau, run->max, run->weight + at);
}

void smp_run_total(smp_run *run) {
  run->sum = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    double total = lanes_sum_block(run->weight + at);
    run->block_sum[at / SMP_ROW_BLOCK] = total;
    run->sum += total;
  }
}

double smp_run_entropy(const smp_run *run) {
  double weighted_sum = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK)
    weighted_sum += expect_block(run_block(run, at), 1, lanes_all(run->tau), run->max, run->weight + at);
  return smp_log(run->sum) - weighted_sum / run->sum;
}
