/* exp, log and log1p: within 0.51 ulp of the vectors, and the edges of C99 Annex F bit for bit. */
#include <math.h> /* only for INFINITY and NAN */

#include "exact.h"
#include "test.h"
#include "vectors.h"

static double minus_log1p_of_minus(double x) {
  return -smp_log1p(-x);
}

static void within_051_ulp(const char *name, double (*function)(double), const struct point *points, size_t n) {
  begin_case("%s is within 0.51 ulp at %zu points", name, n);
  for (size_t i = 0; i < n; i++) {
    double result = function(points[i].x);
    double error = (result - points[i].rounded) / ulp_of(points[i].rounded) - points[i].rest;
    expect(-0.51 <= error && error <= 0.51, "at %a it is %a, off by %.4f ulp", points[i].x, result, error);
  }
}

static void rounds_as_the_double(double x) {
  const float found = smpi_exp_float(x), wanted = (float)smp_exp(x);
  expect(same_bits((double)found, (double)wanted), "at %a it is %a, want %a", x, (double)found, (double)wanted);
}

/* The float exponential is the double one rounded, also next to where the rounding turns: halfway between
   two floats. */
static void exp_of_floats(void) {
  begin_case("the exponential as a float is the one as a double, rounded");
  uint32_t bits = 0x80000000;
  for (uint32_t step = 0; bits < 0xc2e00000; step++, bits += every * (1 + step % 4093)) { /* 0 to -112 */
    float x;
    memcpy(&x, &bits, sizeof x);
    rounds_as_the_double((double)x);
    rounds_as_the_double(-(double)x);
  }
  for (uint32_t f = 1; f < 0x7f000000; f += every * 104729) {
    float low, high;
    const uint32_t above = f + 1;
    memcpy(&low, &f, sizeof low);
    memcpy(&high, &above, sizeof high);
    const double x = smp_log(((double)low + (double)high) / 2);
    rounds_as_the_double(x);
    rounds_as_the_double(x * (1 + 0x1p-52));
    rounds_as_the_double(x * (1 - 0x1p-52));
  }
  const double ends[] = {INFINITY, -INFINITY, NAN, 88.0, 88.7228, 88.73, -103.9, -103.98, -104.0, -104.1, -746, 710};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) rounds_as_the_double(ends[i]);
}

void test_math(void) {
  exp_of_floats();
  within_051_ulp("exp", smp_exp, EXP_POINTS, sizeof EXP_POINTS / sizeof EXP_POINTS[0]);
  within_051_ulp("log", smp_log, LOG_POINTS, sizeof LOG_POINTS / sizeof LOG_POINTS[0]);
  within_051_ulp("-log1p(-x)", minus_log1p_of_minus, LOG1P_NEG_POINTS,
                 sizeof LOG1P_NEG_POINTS / sizeof LOG1P_NEG_POINTS[0]);

  static const struct {
    const char *name;
    double (*function)(double);
    double x, result; /* NAN stands for any NaN */
  } edges[] = {
      {"exp", smp_exp, 0.0, 1},
      {"exp", smp_exp, -0.0, 1},
      {"exp", smp_exp, 0x1p-1074, 1},
      {"exp", smp_exp, INFINITY, INFINITY},
      {"exp", smp_exp, -INFINITY, 0},
      {"exp", smp_exp, 0x1p1023, INFINITY},
      {"exp", smp_exp, -0x1p1023, 0},
      {"exp", smp_exp, 0x1.62e42fefa39efp9, 0x1.fffffffffff2ap1023}, /* the last before overflow */
      {"exp", smp_exp, 0x1.62e42fefa39f0p9, INFINITY},
      {"exp", smp_exp, -0x1.74910d52d3051p9, 0x1p-1074}, /* the last above a half of 2^-1074 */
      {"exp", smp_exp, -0x1.74910d52d3052p9, 0},
      {"exp", smp_exp, NAN, NAN},
      {"log", smp_log, 1, 0.0},
      {"log", smp_log, 0.0, -INFINITY},
      {"log", smp_log, -0.0, -INFINITY},
      {"log", smp_log, -1, NAN},
      {"log", smp_log, -INFINITY, NAN},
      {"log", smp_log, INFINITY, INFINITY},
      {"log", smp_log, 0x1p-1074, -0x1.74385446d71c3p9},
      {"log", smp_log, 0x1.fffffffffffffp1023, 0x1.62e42fefa39efp9},
      {"log", smp_log, NAN, NAN},
      {"log1p", smp_log1p, 0.0, 0.0},
      {"log1p", smp_log1p, -0.0, -0.0},
      {"log1p", smp_log1p, 0x1p-1074, 0x1p-1074},
      {"log1p", smp_log1p, -1, -INFINITY},
      {"log1p", smp_log1p, -1.5, NAN},
      {"log1p", smp_log1p, INFINITY, INFINITY},
      {"log1p", smp_log1p, 0x1.fffffffffffffp1023, 0x1.62e42fefa39efp9},
      {"log1p", smp_log1p, NAN, NAN},
  };
  for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
    begin_case("%s(%a)", edges[i].name, edges[i].x);
    double result = edges[i].function(edges[i].x);
    int is_nan = edges[i].result != edges[i].result;
    expect(is_nan ? result != result : same_bits(result, edges[i].result), "%a, want %a", result, edges[i].result);
  }
}
