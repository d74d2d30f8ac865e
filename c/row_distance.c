/* How far apart two distributions are. */
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

/* Sums over the entries i mod 4 = 0, 1 or 2, 3 of two rows. */
typedef struct sums {
  lanes_wide difference, kl, entropy_p, entropy_q;
} sums;

/* Adds two entries of each row; returns |p - q|. A probability of 0 adds nothing, so its logarithm may be any finite number:
   2^-1000 is added, which is lost in the rounding where p is not 0. */
static inline lanes_wide compare_two(sums *to, lanes_wide p, lanes_wide q) {
  const lanes_wide tiny = {0x1p-1000, 0x1p-1000};
  const lanes_wide_bits magnitude = {INT64_MAX, INT64_MAX};
  const lanes_wide difference = (lanes_wide)((lanes_wide_bits)(p - q) & magnitude);
  const lanes_wide ln_p = lanes_wide_log(p + tiny), ln_q = lanes_wide_log(q + tiny);
  to->difference += difference;
  to->kl += p * (ln_p - ln_q);
  to->entropy_p -= p * ln_p;
  to->entropy_q -= q * ln_q;
  return difference;
}

static double total_of(lanes_wide low, lanes_wide high) {
  return (low[0] + high[0]) + (low[1] + high[1]);
}

smp_status smp_row_distance(const float *p, const float *q, size_t n, smp_distance *distance, smp_where *where) {
  smp_status status = smpi_row_check_length(n, where);
  if (status == SMP_OK) status = smpi_row_check_probabilities(p, n, where);
  if (status == SMP_OK) status = smpi_row_check_probabilities(q, n, where);
  if (status) return status;

  smp_distance d = {0};
  sums low = {0}, high = {0};
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
