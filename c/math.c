/* exp, log and log1p of doubles without libm: the same bits on every machine, because only + - * / are used.

   exp:   x = k ln2/32 + r, |r| < 0.011, r as a pair; 2^(k mod 32 / 32) from a table of pairs; Taylor series to r^8.
   log:   x = 2^e m, m in [1/sqrt 2, sqrt 2); r = m c - 1 exactly, with a short reciprocal c from a table, |r| < 0.032;
          Taylor series to r^14. c = 1 around m = 1, so that nothing cancels there.
   log1p: 1 + x as a pair, then the same as log.
   Leading terms are pairs and are added up smallest first, so only the last addition rounds visibly: the error stays
   below 0.51 ulp, and 0.5001 is the most that 180,000 points showed (docs/numerics.md).
   Tables: 32 x 2 and 32 x 3 doubles. */
#include "exact.h"

/* clang-format off */
/* Made by tests/oracle/tables.py: begin. */
/* ln 2 / 32 in three parts, the first two short enough that their products with k are exact; 32 / ln 2. */
#define EXP_STEP_1 0x1.62e42fef80000p-6
#define EXP_STEP_2 0x1.1cf79abc80000p-41
#define EXP_STEP_3 0x1.e3b39803f2f6bp-77
#define EXP_CELLS_PER_UNIT 0x1.71547652b82fep+5

/* 2^(i/32) as hi + lo. */
static const double EXP_TABLE[32][2] = {
    {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54},
};

/* ln 2 as hi + lo; hi and the hi column below are multiples of 2^-42, so that e * hi + hi is exact. */
#define LOG_LN2_HI 0x1.62e42fefa3800p-1
#define LOG_LN2_LO 0x1.ef35793c76730p-45

/* c, and -ln c as hi + lo. c is near 1 / m for the m of the cell, has 9 bits at most, and is 1 around m = 1. */
static const double LOG_TABLE[32][3] = {
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.ea00000000000p-1, 0x1.67c94f2d48000p-5, 0x1.dac20827cca0cp-44},
    {0x1.da00000000000p-1, 0x1.3bdf5a7d20000p-4, -0x1.19bd0ad125895p-44},
    {0x1.ce00000000000p-1, 0x1.a4e7640b1c000p-4, -0x1.e42b6b94407c8p-47},
    {0x1.c000000000000p-1, 0x1.1178e8227e000p-3, 0x1.1ef78ce2d07f2p-45},
    {0x1.b400000000000p-1, 0x1.4913d8333c000p-3, -0x1.53e43558124c4p-44},
    {0x1.aa00000000000p-1, 0x1.7898d85444000p-3, 0x1.8e67be3dbaf3fp-44},
    {0x1.9e00000000000p-1, 0x1.b31d8575bc000p-3, 0x1.c794e562a63cbp-44},
    {0x1.9400000000000p-1, 0x1.e530effe72000p-3, -0x1.fdbdbb13f7c18p-44},
    {0x1.8a00000000000p-1, 0x1.0c42d67616000p-2, 0x1.7188b163ceae9p-45},
    {0x1.8200000000000p-1, 0x1.214456d0ec000p-2, -0x1.caf0428b728a3p-44},
    {0x1.7800000000000p-1, 0x1.3c25277333000p-2, 0x1.83b54b606bd5cp-46},
    {0x1.7000000000000p-1, 0x1.522ae0738a000p-2, 0x1.ebe708164c759p-45},
    {0x1.6800000000000p+0, -0x1.5d1bdbf581000p-2, 0x1.8d6bdc9c7c238p-44},
    {0x1.6000000000000p+0, -0x1.4618bc21c6000p-2, 0x1.3d82f484c84ccp-46},
    {0x1.5900000000000p+0, -0x1.31871c9544000p-2, -0x1.84fab94cecfd9p-46},
    {0x1.5200000000000p+0, -0x1.1c898c169a000p-2, 0x1.81410e5c62affp-44},
    {0x1.4b00000000000p+0, -0x1.071b85fcd6000p-2, 0x1.bcb8ba3e01a11p-44},
    {0x1.4400000000000p+0, -0x1.e27076e2b0000p-3, 0x1.a342c2af0003cp-44},
    {0x1.3e00000000000p+0, -0x1.bc286742d8000p-3, -0x1.9ac53f39d121cp-44},
    {0x1.3800000000000p+0, -0x1.9525a9cf46000p-3, 0x1.297137d9f158fp-44},
    {0x1.3200000000000p+0, -0x1.6d60fe719e000p-3, 0x1.bc6e557134767p-44},
    {0x1.2d00000000000p+0, -0x1.4ba36f39a6000p-3, 0x1.4354bb3f219e5p-44},
    {0x1.2700000000000p+0, -0x1.2266f190a6000p-3, 0x1.4d20ab840e7f6p-45},
    {0x1.2200000000000p+0, -0x1.fec9131dc0000p-4, 0x1.54555d1ae6607p-44},
    {0x1.1d00000000000p+0, -0x1.b78c82bb10000p-4, 0x1.25ef7bc3987e7p-44},
    {0x1.1800000000000p+0, -0x1.6f0d28ae58000p-4, 0x1.4b4641b664613p-44},
    {0x1.1300000000000p+0, -0x1.253f62f0a0000p-4, -0x1.416f8fb69a701p-44},
    {0x1.0f00000000000p+0, -0x1.d276b8adb0000p-5, -0x1.6a423c78a64b0p-46},
    {0x1.0a00000000000p+0, -0x1.39e87b9fe8000p-5, -0x1.eafd480ad9015p-44},
    {0x1.0600000000000p+0, -0x1.7b91b07d60000p-6, 0x1.3b955b602ace4p-44},
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0},
};
/* Made by tests/oracle/tables.py: end. */
/* clang-format on */

/* ---- exp ------------------------------------------------------------------------------------------------------ */

pair smpi_exp_pair(pair x, int *e) {
  const double magic = 0x1.8p52; /* adding it rounds to a whole number */
  double k = (x.hi * EXP_CELLS_PER_UNIT + magic) - magic;
  /* |k| < 2^16: both products are exact, and so is the first difference (the operands are close or k is 0). */
  pair r = two_sum(x.hi - k * EXP_STEP_1, -(k * EXP_STEP_2));
  r = fast_two_sum(r.hi, r.lo - k * EXP_STEP_3 + x.lo);
  double t = r.hi;
  double tail = 1.0 / 720 + t * (1.0 / 5040 + t * (1.0 / 40320));
  tail = t * t * (0.5 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * tail))));
  tail += r.lo + r.lo * t; /* now e^r = 1 + t + tail */

  int cell = (int)k & 31;
  double hi = EXP_TABLE[cell][0], lo = EXP_TABLE[cell][1];
  pair product = two_product(hi, t);
  pair m = fast_two_sum(hi, product.hi);
  *e = ((int)k - cell) / 32;
  return fast_two_sum(m.hi, m.lo + (product.lo + (lo + (lo * t + hi * tail))));
}

double smp_exp(double x) {
  if (x != x) return x;
  if (x > 710) return SMP_INF;
  if (x < -746) return 0;
  int e;
  pair m = smpi_exp_pair((pair){x, 0}, &e);
  if (e > -1000) return scale(m.hi, e);
  return shrink_512((pair){scale(m.hi, e + 512), scale(m.lo, e + 512)});
}

/* A quick exponential with a relative error below 2^-48; the slow one where that could change the nearest float. */
float smpi_exp_float(double x) {
  if (!(x < 88 && x > -104)) return (float)smp_exp(x);
  const double magic = 0x1.8p52, off = 0x1p-48;
  const double k = (x * EXP_CELLS_PER_UNIT + magic) - magic, t = (x - k * EXP_STEP_1) - k * EXP_STEP_2;
  const double tail = t * t * (0.5 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720)))));
  const int cell = (int)k & 31;
  const double e = scale(EXP_TABLE[cell][0] * (1 + (t + tail)), ((int)k - cell) / 32);
  const float low = (float)(e - e * off), high = (float)(e + e * off);
  return low == high ? low : (float)smp_exp(x);
}

/* ---- log ------------------------------------------------------------------------------------------------------ */

/* ln((x.hi + x.lo) 2^e) for a normal, finite x.hi > 0. */
static double log_of_pair(pair x, int e) {
  int shift = exponent_of(x.hi);
  uint64_t fraction = bits_of(x.hi) & 0xfffffffffffff;
  int cell = (int)(fraction >> 47);
  if (cell >= 13) shift++; /* 1 + 13/32 is the cell edge next to sqrt 2 */
  double m = of_bits(fraction | (uint64_t)(cell >= 13 ? 1022 : 1023) << 52);
  double c = LOG_TABLE[cell][0];

  /* r = m c - 1: m in a part of 40 bits and a part of 13, so that both products with the 9 bits of c are exact. */
  double m1 = of_bits(bits_of(m) & ~UINT64_C(0x1fff)), m2 = m - m1;
  pair r = two_sum(m1 * c - 1, m2 * c);
  pair r_low = two_sum(r.hi, scale(x.lo, -shift) * c);
  r = fast_two_sum(r_low.hi, r_low.lo + r.lo);

  /* ln(1 + t) = t - t^2/2 + tail */
  double t = r.hi;
  double tail = 1.0 / 11 - t * (1.0 / 12 - t * (1.0 / 13 - t * (1.0 / 14)));
  tail = 1.0 / 7 - t * (1.0 / 8 - t * (1.0 / 9 - t * (1.0 / 10 - t * tail)));
  tail = t * t * t * (1.0 / 3 - t * (1.0 / 4 - t * (1.0 / 5 - t * (1.0 / 6 - t * tail))));
  pair square = two_product(t, t);

  double n = e + shift;
  pair sum = fast_two_sum(n * LOG_LN2_HI + LOG_TABLE[cell][1], t);
  pair sum_low = two_sum(sum.hi, -0.5 * square.hi);
  double low = (n * LOG_LN2_LO + LOG_TABLE[cell][2]) + (r.lo - t * r.lo) - 0.5 * square.lo + tail;
  return sum_low.hi + (sum_low.lo + (sum.lo + low));
}

double smp_log(double x) {
  if (x != x) return x;
  if (x < 0) return SMP_NAN;
  if (x == 0) return -SMP_INF;
  if (x == SMP_INF) return x;
  if (x < 0x1p-1022) return log_of_pair((pair){x * 0x1p54, 0}, -54);
  return log_of_pair((pair){x, 0}, 0);
}

/* A quick logarithm with a relative error below 2^-44; the slow one where that error could change the nearest float.
   For 1 the sign of zero is that of the slow one. */
float smpi_minus_log_float(double x) {
  if (x >= 1 || x < 0x1p-1022) return (float)-smp_log(x);
  const uint64_t fraction = bits_of(x) & 0xfffffffffffff;
  const int cell = (int)(fraction >> 47), low_half = cell < 13;
  const double m = of_bits(fraction | (uint64_t)(low_half ? 1023 : 1022) << 52), n = exponent_of(x) + !low_half;
  const double r = m * LOG_TABLE[cell][0] - 1, off = 0x1p-44;
  double tail = 1.0 / 7 - r * (1.0 / 8 - r * (1.0 / 9 - r * (1.0 / 10 - r * (1.0 / 11))));
  tail = 1.0 / 3 - r * (1.0 / 4 - r * (1.0 / 5 - r * (1.0 / 6 - r * tail)));
  const double l = -((n * LOG_LN2_HI + LOG_TABLE[cell][1]) + (n * LOG_LN2_LO + (r - r * r * (0.5 - r * tail))));
  const float low = (float)(l - l * off), high = (float)(l + l * off);
  return low == high ? low : (float)-smp_log(x);
}

double smp_log1p(double x) {
  if (x != x) return x;
  if (x < -1) return SMP_NAN;
  if (x == -1) return -SMP_INF;
  if (x == SMP_INF) return x;
  if (-0x1p-54 < x && x < 0x1p-54) return x; /* the next term, x^2/2, is below a quarter ulp; keeps -0 */
  return log_of_pair(two_sum(1, x), 0);
}
