/* How well counts fit probabilities: deviations in standard errors, chi-square, and how often it is
   exceeded by chance. */
#include "exact.h"
#include "smp_engines.h"

/* ---- Q(a, x), the upper incomplete gamma function over the whole -------------------------------------------------- */

/* m - ln(1 + m) for m > -1, without loss near 0: with s = m / (2 + m) it is m s - 2 (s^3 / 3 + s^5 / 5 + ...). */
static double above_log(double m) {
  if (m < -0.5 || m > 0.5) return m - smp_log1p(m);
  const double s = m / (2 + m), square = s * s;
  double tail = 0;
  for (int k = 39; k >= 3; k -= 2) tail = tail * square + 1.0 / k;
  return m * s - 2 * s * square * tail;
}

#define PI      0x1.921fb54442d18p+1
#define ROOT_PI 0x1.c5bf891b4ef6bp+0

/* x^a e^-x / Gamma(a + 1), x > 0. Small a as a product: a is a whole number or lies between two. Others as a normal
   density in disguise: e^(-a (m - ln(1 + m))) / sqrt(2 pi a) with m = x / a - 1, over Stirling's series
   (Abramowitz and Stegun 6.1.41; Temme 1979). */
static double density(double a, double x) {
  if (a < 20) {
    if (x > 900) return 0;
    const double half = smp_exp(-x / 2); /* twice, so that nothing is subnormal before the result is */
    double product = half;
    double k = a - (double)(int64_t)a;                     /* 0 or 1/2 */
    if (k > 0) product *= __builtin_sqrt(x) * 2 / ROOT_PI; /* over Gamma(3/2) */
    for (k += 1; k <= a; k++) product *= x / k;
    return product * half;
  }
  const double b = 1 / (a * a);
  const double stirling =
      (1.0 / 12 - b * (1.0 / 360 - b * (1.0 / 1260 - b * (1.0 / 1680 - b * (1.0 / 1188 - b * (691.0 / 360360)))))) / a;
  return smp_exp(-a * above_log((x - a) / a) - stirling) / __builtin_sqrt(2 * PI * a);
}

/* Below a + 1 by the series of P, above by Legendre's continued fraction (Lentz): both converge in about
   sqrt(a) steps. */
double smp_stats_q(uint32_t degrees, double x) {
  const double a = (double)degrees / 2;
  if (x != x) return x;
  if (x <= 0) return 1;
  if (degrees == 0 || x == SMP_INF) return 0;
  const double d = density(a, x);
  if (x < a + 1) {
    double term = 1, sum = 1;
    for (double k = a + 1; term > sum * 0x1p-60; k++) sum += term *= x / k;
    return d * sum < 1 ? 1 - d * sum : 0;
  }
  double b = x + 1 - a, c = 0x1p1000, e = 1 / b, fraction = e;
  for (double k = 1; k < 1e7; k++) {
    const double step = k * (a - k);
    b += 2;
    e = 1 / (step * e + b);
    c = b + step / c;
    const double factor = c * e;
    fraction *= factor;
    if (factor - 1 < 0x1p-52 && 1 - factor < 0x1p-52) break;
  }
  return d * a * fraction;
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

static smp_status check(const uint32_t *counts, const double *p, size_t n, double *draws, smp_where *where) {
  if (n == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  pair sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    if (p[i] != p[i]) return smpi_fail(SMP_ERR_NAN, SMP_AT_P, (uint32_t)i, where);
    if (!(p[i] >= 0 && p[i] <= 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_P, (uint32_t)i, where);
    sum = pair_add(sum, (pair){p[i], 0});
  }
  if (!(sum.hi >= 1 - 1e-9 && sum.hi <= 1 + 1e-9)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_P, (uint32_t)n, where);
  *draws = 0;
  for (size_t i = 0; i < n; i++) {
    if (counts[i] > 0 && !(p[i] > 0)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_COUNTS, (uint32_t)i, where);
    *draws += (double)counts[i];
  }
  return *draws > 0 ? SMP_OK : smpi_fail(SMP_ERR_PARAM, SMP_AT_COUNTS, (uint32_t)n, where);
}

/* count - N p, rounded about once: where they are near, N p must not be rounded before. */
static double deviation(double count, double draws, double p) {
  const pair expected = two_product(draws, p);
  return (count - expected.hi) - expected.lo;
}

smp_status smp_stats_fit(const uint32_t *counts, const double *p, size_t n, double *z, smp_fit *fit, smp_where *where) {
  double draws = 0;
  const smp_status status = check(counts, p, n, &draws, where);
  if (status) return status;
  smp_fit r = {.draws = draws, .least = draws};
  uint32_t possible = 0;
  pair sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    const double expected = draws * p[i], off = deviation((double)counts[i], draws, p[i]);
    if (z) z[i] = p[i] > 0 && p[i] < 1 ? off / __builtin_sqrt(expected * (1 - p[i])) : 0;
    if (!(p[i] > 0)) continue;
    possible++;
    if (expected < r.least) r.least = expected;
    sum = pair_add(sum, (pair){off * off / expected, 0});
  }
  r.degrees = possible - 1;
  r.chi_square = r.degrees ? sum.hi : 0;
  r.p_value = r.degrees ? smp_stats_q(r.degrees, r.chi_square / 2) : 1;
  *fit = r;
  return SMP_OK;
}

smp_status smp_stats_bands(double p, const double *draws, uint32_t n, smp_band *bands, smp_where *where) {
  if (!(p >= 0 && p <= 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_P, 0, where);
  for (uint32_t i = 0; i < n; i++)
    if (!(draws[i] >= 1 && draws[i] < SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_RUN, i, where);
  for (uint32_t i = 0; i < n; i++) {
    const double error = __builtin_sqrt(p * (1 - p) / draws[i]), low = p - 2 * error, high = p + 2 * error;
    bands[i] = (smp_band){.expected = draws[i] * p,
                          .count_error = __builtin_sqrt(draws[i] * p * (1 - p)),
                          .error = error,
                          .low = low > 0 ? low : 0,
                          .high = high < 1 ? high : 1};
  }
  return SMP_OK;
}

size_t smp_stats_bincount(const uint32_t *counts, size_t n, size_t minlength) {
  while (n > 0 && counts[n - 1] == 0) n--;
  return n > minlength ? n : minlength;
}
