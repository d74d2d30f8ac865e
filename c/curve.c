/* A distribution at many temperatures: probabilities, entropy, and how two ids stand to each other. */
#include "exact.h"
#include "smp_engines.h"

static smp_curve curve_of(double entropy, double ratio) {
  return (smp_curve){.entropy = entropy, .bits = entropy / smp_log(2), .ratio = ratio};
}

/* e^((z - y) / tau): of two logits the smaller one's weight, the other's being 1. */
static double ratio_of(double z, double y, double tau) {
  const double two[2] = {z, y};
  const smp_lab_options options = {.tau = tau, .k = 2};
  smp_lab_result r;
  smp_lab_run(two, 2, &options, &r, NULL); /* every argument was checked */
  return r.weight[0] / r.weight[1];
}

/* One id has everything. */
static smp_curve at_zero(const double *logits, uint32_t n, uint32_t top, uint32_t a, uint32_t b, double *p) {
  for (uint32_t i = 0; i < n; i++) p[i] = i == top;
  return curve_of(0, logits[a] > logits[b] ? SMP_INF : logits[a] < logits[b] ? 0 : 1);
}

/* All have the same. */
static smp_curve at_infinity(uint32_t n, double *p) {
  for (uint32_t i = 0; i < n; i++) p[i] = 1 / (double)n;
  return curve_of(smp_log((double)n), 1);
}

smp_status smp_curve_run(const double *logits, uint32_t n, const double *taus, uint32_t n_taus, uint32_t a, uint32_t b,
                         double *p, smp_curve *curves, smp_where *where) {
  smp_lab_options options = {.tau = 1, .k = n};
  smp_lab_result r;
  const smp_status status = smp_lab_run(logits, n, &options, &r, where);
  if (status) return status;
  for (uint32_t t = 0; t < n_taus; t++)
    if (!(taus[t] >= 0)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TAU, t, where);
  if (a >= n || b >= n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_PAIR, a < n, where);
  const uint32_t top = r.top;
  for (uint32_t t = 0; t < n_taus; t++, p += n) {
    options.tau = taus[t];
    if (options.tau == 0)
      curves[t] = at_zero(logits, n, top, a, b, p);
    else if (options.tau == SMP_INF)
      curves[t] = at_infinity(n, p);
    else {
      smp_lab_run(logits, n, &options, &r, NULL);
      memcpy(p, r.p, n * sizeof *p);
      curves[t] = curve_of(r.entropy, ratio_of(logits[a], logits[b], options.tau));
    }
  }
  return SMP_OK;
}
