/* How far apart two distributions are, and what one says of the other. */
#include "row.h"
#include "lanes.h"

int smpi_row_block_is_probable(const float *block) {
  const lanes zero = lanes_all(0), one = lanes_all(1);
  lanes_bits fine = ~(lanes_bits){0};
  for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
    const lanes x = lanes_load(block + i);
    fine &= (lanes_bits)(x >= zero) & (lanes_bits)(x <= one); /* false for NaN */
  }
  return !lanes_any(~fine);
}

smp_status smpi_row_check_probabilities(const float *p, size_t n, smp_where *where) {
  size_t i = 0;
  while (i + SMP_ROW_BLOCK <= n && smpi_row_block_is_probable(p + i)) i += SMP_ROW_BLOCK;
  for (; i < n; i++)
    if (!(p[i] >= 0 && p[i] <= 1))
      return smpi_fail(p[i] != p[i] ? SMP_ERR_NAN : SMP_ERR_PARAM, SMP_AT_ROW, (uint32_t)i, where);
  return SMP_OK;
}

static smp_status check_two(const float *p, const float *q, size_t n, smp_where *where) {
  smp_status status = smpi_row_check_length(n, where);
  if (status == SMP_OK) status = smpi_row_check_probabilities(p, n, where);
  if (status == SMP_OK) status = smpi_row_check_probabilities(q, n, where);
  return status;
}

/* Entries i to i + 3 of a row of n; 0 past its end. */
static inline lanes load_four(const float *row, size_t n, size_t i) {
  float last[4] = {0};
  if (i + 4 <= n) return lanes_load(row + i);
  memcpy(last, row + i, (n - i) * sizeof *row);
  return lanes_load(last);
}

static inline lanes_wide absolute(lanes_wide x) {
  const lanes_wide_bits magnitude = {INT64_MAX, INT64_MAX};
  return (lanes_wide)((lanes_wide_bits)x & magnitude);
}

/* Of sums over the entries i mod 4 = 0, 1 and 2, 3. */
static double total_of(lanes_wide low, lanes_wide high) {
  return (low[0] + high[0]) + (low[1] + high[1]);
}

static uint32_t count_of(lanes_bits count) {
  return count[0] + count[1] + count[2] + count[3];
}

/* ---- Distance --------------------------------------------------------------------------------------------------- */

/* What only one of two rows has: mass and number of entries, in sums of entries i mod 4. */
typedef struct only {
  lanes_wide low, high;
  lanes_bits count;
} only;

static inline void add_only(only *sum, lanes x, lanes_bits alone) {
  const lanes mass = (lanes)((lanes_bits)x & alone);
  sum->low += lanes_low(mass);
  sum->high += lanes_high(mass);
  sum->count = lanes_count(sum->count, alone);
}

smp_status smp_row_distance(const float *p, const float *q, size_t n, smp_distance *distance, smp_where *where) {
  smp_status status = check_two(p, q, n, where);
  if (status) return status;

  smp_distance d = {0};
  lanes_wide low = {0, 0}, high = {0, 0};
  only only_p = {0}, only_q = {0};
  const lanes zero = lanes_all(0);
  for (size_t i = 0; i < n; i += 4) {
    const lanes a = load_four(p, n, i), b = load_four(q, n, i);
    const lanes_wide first = absolute(lanes_low(a) - lanes_low(b)), second = absolute(lanes_high(a) - lanes_high(b));
    low += first;
    high += second;
    add_only(&only_p, a, (lanes_bits)(a > zero) & (lanes_bits)(b == zero));
    add_only(&only_q, b, (lanes_bits)(b > zero) & (lanes_bits)(a == zero));
    const lanes_wide most = {d.max_difference, d.max_difference};
    if (!lanes_any((lanes_bits)(first > most) | (lanes_bits)(second > most))) continue;
    for (size_t j = 0; j < 4; j++) {
      const double difference = j < 2 ? first[j] : second[j - 2];
      if (!(difference > d.max_difference)) continue;
      d.max_difference = difference;
      d.max_id = (uint32_t)(i + j);
    }
  }
  d.total_variation = 0.5 * total_of(low, high);
  d.only_p = total_of(only_p.low, only_p.high);
  d.only_q = total_of(only_q.low, only_q.high);
  d.n_only_p = count_of(only_p.count);
  d.n_only_q = count_of(only_q.count);
  *distance = d;
  return SMP_OK;
}

/* ---- Divergence ------------------------------------------------------------------------------------------------- */

typedef struct sums {
  lanes_wide kl, entropy_p, entropy_q;
} sums;

/* Adds two entries of each row. A probability of 0 adds nothing, so its logarithm may be any finite number: 2^-1000 is
   added, which is lost in the rounding where p is not 0. */
static inline void add_two(sums *to, lanes_wide p, lanes_wide q) {
  const lanes_wide tiny = {0x1p-1000, 0x1p-1000};
  const lanes_wide ln_p = lanes_wide_log(p + tiny), ln_q = lanes_wide_log(q + tiny);
  to->kl += p * (ln_p - ln_q);
  to->entropy_p -= p * ln_p;
  to->entropy_q -= q * ln_q;
}

smp_status smp_row_divergence(const float *p, const float *q, size_t n, smp_divergence *divergence, smp_where *where) {
  smp_status status = check_two(p, q, n, where);
  if (status) return status;

  sums low = {0}, high = {0};
  const lanes zero = lanes_all(0);
  lanes_bits missing = {0}; /* in q, but not in p */
  for (size_t i = 0; i < n; i += 4) {
    const lanes a = load_four(p, n, i), b = load_four(q, n, i);
    add_two(&low, lanes_low(a), lanes_low(b));
    add_two(&high, lanes_high(a), lanes_high(b));
    missing |= (lanes_bits)(a > zero) & (lanes_bits)(b == zero);
  }
  smp_divergence d = {total_of(low.kl, high.kl), total_of(low.entropy_p, high.entropy_p),
                      total_of(low.entropy_q, high.entropy_q)};
  if (d.kl < 0) d.kl = 0; /* rounding, of p and q too */
  if (lanes_any(missing)) d.kl = SMP_INF;
  *divergence = d;
  return SMP_OK;
}
