/* Counts against probabilities and curves over temperatures, against the 60 digits of frequency.json and on their own
   terms. */
#include <stdlib.h>

#include "reference.h"
#include "smp_engines.h"
#include "test.h"
#include "vectors.h"

static int within(double a, double b, double bound) {
  return a == b || (a - b <= bound && b - a <= bound);
}

static double size_of(double x) {
  return x < 0 ? -x : x;
}

static void gamma_cases(void) {
  for
    EACH(i, GAMMA_CASES) {
      const struct gamma_case *c = &GAMMA_CASES[i];
      begin_case("Q(%u / 2, %g)", c->degrees, c->x);
      const double q = smp_stats_q(c->degrees, c->x), plain = smpi_reference_p_value(c->degrees, 2 * c->x);
      expect(within(q, c->q, 1e-12 * c->q), "%.17g, want %.17g", q, c->q);
      if (c->degrees < 10000 && c->x < 700) expect(within(plain, c->q, 1e-11), "the blackboard has %.17g", plain);
    }
  begin_case("Q at its ends");
  expect(smp_stats_q(3, 0) == 1 && smp_stats_q(3, -1) == 1 && smp_stats_q(3, __builtin_inf()) == 0, "an end");
  expect(smp_stats_q(0, 1) == 0 && smp_stats_q(1048575, 1e12) == 0 && smp_stats_q(UINT32_MAX, 1e300) == 0, "far out");
  expect(smp_stats_q(2, 0x1p-1074) == 1, "near 0");
  begin_case("Q falls");
  for (uint32_t degrees = 1; degrees < 200; degrees += 1 + degrees / 4) {
    double before = 1;
    for (double x = 0; x < 300; x += 0.37) {
      const double q = smp_stats_q(degrees, x);
      expect(q <= before * (1 + 1e-13), "Q(%u / 2, %g) = %.17g after %.17g", degrees, x, q, before);
      before = q;
    }
  }
}

static void one_fit(const struct fit_case *c) {
  double *z = malloc(c->n * sizeof *z);
  smp_fit fit;
  const smp_status status = smp_stats_fit(c->counts, c->p, c->n, z, &fit, NULL);
  expect(status == SMP_OK && z, "status %d", status);
  if (status == SMP_OK && z) {
    double least = fit.draws, draws = 0;
    for (uint32_t i = 0; i < c->n; i++) {
      expect(within(z[i], c->z[i], 1e-14 * size_of(c->z[i])), "z[%u] = %.17g, want %.17g", i, z[i], c->z[i]);
      const double plain = smpi_reference_z(c->counts[i], fit.draws, c->p[i]);
      expect(within(plain, c->z[i], 1e-7), "the blackboard has z[%u] = %.17g", i, plain);
      if (c->p[i] > 0 && fit.draws * c->p[i] < least) least = fit.draws * c->p[i];
      draws += c->counts[i];
    }
    expect(within(fit.chi_square, c->chi_square, 1e-14 * c->chi_square), "chi-square %.17g", fit.chi_square);
    expect(within(fit.p_value, c->p_value, 1e-12 * c->p_value), "p %.17g, want %.17g", fit.p_value, c->p_value);
    expect(fit.degrees == c->degrees && fit.draws == draws && fit.least == least, "%u degrees", fit.degrees);
    const double plain = smpi_reference_chi_square(c->counts, c->p, c->n);
    expect(within(plain, c->chi_square, 1e-7 * (1 + c->chi_square)), "the blackboard has %.17g", plain);
    smp_fit other;
    expect(smp_stats_fit(c->counts, c->p, c->n, NULL, &other, NULL) == SMP_OK && other.p_value == fit.p_value,
           "another without z");
  }
  free(z);
}

static void refused_fits(void) {
  static const double HALF[2] = {0.5, 0.5}, ONE[2] = {1, 0}, NAN_[2] = {0.5, __builtin_nan("")}, OVER[2] = {1.5, -0.5},
                      LITTLE[2] = {0.5, 0.49}, INF[2] = {__builtin_inf(), 0};
  static const uint32_t SOME[2] = {1, 2}, NONE[2] = {0, 0};
  const struct {
    const uint32_t *counts;
    const double *p;
    size_t n;
    smp_status status;
    smp_where where;
  } cases[] = {
      {SOME, HALF, 0, SMP_ERR_EMPTY, {SMP_AT_ROW, 0}},   {SOME, HALF, SMP_ROW_MAX + 1, SMP_ERR_LENGTH, {SMP_AT_ROW, 0}},
      {SOME, NAN_, 2, SMP_ERR_NAN, {SMP_AT_P, 1}},       {SOME, OVER, 2, SMP_ERR_PARAM, {SMP_AT_P, 0}},
      {SOME, INF, 2, SMP_ERR_PARAM, {SMP_AT_P, 0}},      {SOME, LITTLE, 2, SMP_ERR_PARAM, {SMP_AT_P, 2}},
      {SOME, ONE, 2, SMP_ERR_PARAM, {SMP_AT_COUNTS, 1}}, {NONE, HALF, 2, SMP_ERR_PARAM, {SMP_AT_COUNTS, 2}}};
  for
    EACH(i, cases) {
      smp_where where = {SMP_AT_NONE, 7};
      smp_fit fit;
      double z[2];
      begin_case("refused fit %zu", i);
      poison(&fit, sizeof fit);
      poison(z, sizeof z);
      const smp_status status = smp_stats_fit(cases[i].counts, cases[i].p, cases[i].n, z, &fit, &where);
      expect(status == cases[i].status && where.param == cases[i].where.param && where.index == cases[i].where.index,
             "status %d at %d[%u]", status, where.param, where.index);
      expect(is_poison(&fit, sizeof fit) && is_poison(z, sizeof z), "it wrote");
    }
}

/* The widths of the funnel of p = 1 / (1 + e^1.25), by arithmetic of 50 digits. */
static void bands_of_the_record(void) {
  const double p = 0.22270013882530885, draws[] = {10, 1000, 100000, 1000000},
               twice[] = {0.26313858477425694, 0.026313858477425694, 0.0026313858477425694, 0.00083211726815995597};
  smp_band bands[4];
  smp_where where;
  begin_case("bands of the record");
  expect(smp_stats_bands(p, draws, 4, bands, &where) == SMP_OK, "refused");
  for
    EACH(i, draws) expect(within(2 * bands[i].error, twice[i], 4e-16), "at %g: %.17g", draws[i], 2 * bands[i].error);
  expect(within(bands[1].expected, 222.70013882530885, 3e-14), "%.17g", bands[1].expected);
  expect(within(bands[1].count_error, 13.156929238712847, 2e-15), "%.17g", bands[1].count_error);
  expect(bands[0].low == 0 && bands[1].low == p - 2 * bands[1].error, "%.17g", bands[0].low);
  begin_case("bands of what is certain, and at one draw");
  expect(smp_stats_bands(1, draws, 4, bands, NULL) == SMP_OK && bands[0].low == 1 && bands[0].high == 1, "of 1");
  expect(smp_stats_bands(0, draws, 4, bands, NULL) == SMP_OK && bands[3].low == 0 && bands[3].high == 0, "of 0");
  expect(smp_stats_bands(0.5, (double[]){1}, 1, bands, NULL) == SMP_OK && bands[0].low == 0 && bands[0].high == 1, "1");
  begin_case("bands that are refused");
  poison(bands, sizeof bands);
  expect(smp_stats_bands(1.5, draws, 4, bands, &where) == SMP_ERR_PARAM && where.param == SMP_AT_P, "p");
  expect(smp_stats_bands(__builtin_nan(""), draws, 4, bands, &where) == SMP_ERR_PARAM && where.param == SMP_AT_P,
         "p is NaN");
  expect(smp_stats_bands(0.5, (double[]){1, 0.5}, 2, bands, &where) == SMP_ERR_PARAM && where.param == SMP_AT_RUN &&
             where.index == 1,
         "draws");
  expect(is_poison(bands, sizeof bands), "written");
}

static void bincounts(void) {
  static const uint32_t LAST_MISSING[4] = {5, 3, 2, 0}, RECORD[4] = {0, 0, 230, 770}, NOTHING[4] = {0, 0, 0, 0};
  begin_case("bincount with and without minlength");
  expect(smp_stats_bincount(LAST_MISSING, 4, 0) == 3 && smp_stats_bincount(LAST_MISSING, 4, 4) == 4, "5 3 2");
  expect(smp_stats_bincount(RECORD, 4, 0) == 4 && smp_stats_bincount(RECORD, 4, 2) == 4, "the record");
  expect(smp_stats_bincount(RECORD, 4, 9) == 9, "more than there are ids");
  expect(smp_stats_bincount(NOTHING, 4, 0) == 0 && smp_stats_bincount(NOTHING, 0, 0) == 0, "nothing");
}

static void one_curve(const struct curve_case *c) {
  double *p = malloc(c->n * c->n_taus * sizeof *p);
  smp_curve *curves = malloc(c->n_taus * sizeof *curves);
  const smp_status status = smp_curve_run(c->logits, c->n, c->taus, c->n_taus, c->a, c->b, p, curves, NULL);
  expect(status == SMP_OK && p && curves, "status %d", status);
  for (uint32_t t = 0; status == SMP_OK && t < c->n_taus; t++) {
    const int exact = c->taus[t] == 0 || c->taus[t] == __builtin_inf();
    for (uint32_t i = 0; i < c->n; i++) {
      const double want = c->p[t * c->n + i], got = p[t * c->n + i];
      expect(within(got, want, exact ? 0 : 2 * ulp_of(want)), "tau %g: p[%u] = %a, want %a", c->taus[t], i, got, want);
    }
    const double want[] = {c->entropy[t], c->bits[t], c->ratio[t]};
    const double got[] = {curves[t].entropy, curves[t].bits, curves[t].ratio};
    for (int i = 0; i < 3; i++)
      expect(within(got[i], want[i], 2 * ulp_of(want[i])), "tau %g: number %d is %a, want %a", c->taus[t], i, got[i],
             want[i]);
  }
  free(p);
  free(curves);
}

static void limits_of_curves(void) {
  static const double TAUS[] = {0, 5e-324, 0.7, 1, 1e300, __builtin_inf()};
  double z[SMP_LAB_MAX], p[6 * SMP_LAB_MAX];
  smp_curve curves[6];
  for (uint32_t n = 1; n <= SMP_LAB_MAX; n++) {
    begin_case("%u equal logits", n);
    for (uint32_t i = 0; i < n; i++) z[i] = -2.5;
    expect(smp_curve_run(z, n, TAUS, 6, 0, n - 1, p, curves, NULL) == SMP_OK, "refused");
    expect(curves[0].entropy == 0 && curves[0].bits == 0 && p[0] == 1, "the argmax has an entropy");
    for (int t = 1; t < 6; t++) {
      expect(curves[t].entropy == smp_log(n), "entropy %a at %g, want ln %u", curves[t].entropy, TAUS[t], n);
      expect(curves[t].ratio == 1 && p[t * (int)n] == 1.0 / n, "not even at %g", TAUS[t]);
    }
  }
}

static void refused_curves(void) {
  static const double Z[3] = {1, 2, __builtin_nan("")}, TAUS[2] = {1, -1}, NONE[1] = {__builtin_nan("")};
  smp_where where;
  double p[6];
  smp_curve curves[2];
  begin_case("refused curves");
  poison(p, sizeof p);
  poison(curves, sizeof curves);
#define REFUSED(call, param_, index_)                                                                                  \
  expect(call == SMP_ERR_PARAM && where.param == param_ && where.index == index_, "at %d[%u]", where.param, where.index)
  REFUSED(smp_curve_run(Z, 2, TAUS, 2, 0, 1, p, curves, &where), SMP_AT_TAU, 1);
  REFUSED(smp_curve_run(Z, 2, NONE, 1, 0, 1, p, curves, &where), SMP_AT_TAU, 0);
  REFUSED(smp_curve_run(Z, 2, TAUS, 1, 2, 1, p, curves, &where), SMP_AT_PAIR, 0);
  REFUSED(smp_curve_run(Z, 2, TAUS, 1, 1, 2, p, curves, &where), SMP_AT_PAIR, 1);
  expect(smp_curve_run(Z, 3, TAUS, 1, 0, 1, p, curves, &where) == SMP_ERR_NAN && where.index == 2, "NaN");
  expect(smp_curve_run(Z, 0, TAUS, 1, 0, 1, p, curves, &where) == SMP_ERR_EMPTY, "nothing");
  expect(is_poison(p, sizeof p) && is_poison(curves, sizeof curves), "it wrote");
  expect(smp_curve_run(Z, 2, TAUS, 0, 0, 1, p, curves, &where) == SMP_OK, "no temperature is fine");
}

void test_stats(void) {
  gamma_cases();
  for
    EACH(i, FIT_CASES) {
      begin_case("fit %zu", i);
      one_fit(&FIT_CASES[i]);
    }
  refused_fits();
  bands_of_the_record();
  bincounts();
  for
    EACH(i, CURVE_CASES) {
      begin_case("curve %zu", i);
      one_curve(&CURVE_CASES[i]);
    }
  limits_of_curves();
  refused_curves();
}
