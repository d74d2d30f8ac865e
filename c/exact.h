/* Private to the library, included by every file: what the build must guarantee, how a failed call is reported, and
   exact arithmetic. A pair stands for the unevaluated sum hi + lo with |lo| at most half an ulp of hi: 106 bits. */
#ifndef SMP_EXACT_H
#define SMP_EXACT_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "smp.h"

#ifdef __FAST_MATH__
#error "results must be the same bits everywhere: compile without -ffast-math"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "excess precision changes results: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "float and double must be IEEE 754 binary32 and binary64"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__FP_FAST_FMA) && !defined(__STRICT_ANSI__) && !defined(SMP_CONTRACT_OFF)
/* gcc tells no one whether it contracts; by default it does, except under -std=c11. */
#error "a * b + c must be rounded twice: compile with -std=c11, or with -ffp-contract=off -DSMP_CONTRACT_OFF"
#endif

#define SMP_INF     __builtin_inf()
#define SMP_NAN     __builtin_nan("")
#define SMP_REMOVED (-__builtin_inff()) /* a logit that is masked or removed */

enum { SMP_TOP_H_ENTRIES = 100 }; /* top-h looks at this many of the largest (transformers: TopHLogitsWarper) */

#pragma GCC visibility push(hidden)

/* codes.c: fill *where unless it is NULL, and return the status. */
smp_status smpi_fail(smp_status status, smp_param param, uint32_t index, smp_where *where);

/* ---- Bits and scales ---------------------------------------------------------------------------------------- */

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* x * 2^e for any e; the last product rounds if the result is subnormal. */
static inline double scale(double x, int e) {
  for (; e > 1000; e -= 1000) x *= 0x1p1000;
  for (; e < -1000; e += 1000) x *= 0x1p-1000;
  return x * of_bits((uint64_t)(e + 1023) << 52);
}

/* The exponent e of a finite x != 0: |x| = m 2^e with m in [1, 2). */
static inline int exponent_of(double x) {
  int field = (int)(bits_of(x) >> 52 & 0x7ff);
  if (field) return field - 1023;
  return (int)(bits_of(x * 0x1p54) >> 52 & 0x7ff) - 1023 - 54;
}

/* ---- Pairs of doubles (Dekker 1971, Knuth TAOCP 4.2.2) --------------------------------------------------------- */

typedef struct pair {
  double hi, lo;
} pair;

/* a + b exactly. */
static inline pair two_sum(double a, double b) {
  double sum = a + b, b_part = sum - a;
  return (pair){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* a + b exactly, where |a| >= |b| or a = 0. */
static inline pair fast_two_sum(double a, double b) {
  double sum = a + b;
  return (pair){sum, b - (sum - a)};
}

/* The upper 26 bits of a, |a| < 2^996, rounded to nearest; the rest then also has 26 bits. */
static inline double upper_half(double a) {
  double c = a * 0x1.0000002p27; /* Veltkamp: 2^27 + 1 */
  return c - (c - a);
}

/* a * b exactly, unless it leaves the range of normal doubles. */
static inline pair two_product(double a, double b) {
  double product = a * b;
  double a1 = upper_half(a), a2 = a - a1;
  double b1 = upper_half(b), b2 = b - b1;
  return (pair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* a + b for pairs of one sign: relative error below 2^-103. */
static inline pair pair_add(pair a, pair b) {
  pair sum = two_sum(a.hi, b.hi);
  return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

/* a / b: relative error below 2^-100; exactly 1 if a and b are the same. */
static inline pair pair_divide(pair a, pair b) {
  double q = a.hi / b.hi;
  pair back = two_product(q, b.hi);
  double rest = ((a.hi - back.hi) - back.lo) + a.lo - q * b.lo;
  return fast_two_sum(q, rest / b.hi);
}

/* A pair scaled up by 2^512 (so that neither part is subnormal) to the nearest double of its value: one rounding,
   also where the result is subnormal. */
static inline double shrink_512(pair x) {
  double hi = x.hi < 0 ? -x.hi : x.hi, lo = x.hi < 0 ? -x.lo : x.lo;
  if (hi < 0x1p-510) {
    /* Doubles of [2^-510, 2^-509) are spaced like subnormals, 2^(-1074 + 512): adding 2^-510 rounds to that grid. */
    pair grid = two_sum(0x1p-510, hi);
    hi = (grid.hi + (grid.lo + lo)) - 0x1p-510;
  }
  return (x.hi < 0 ? -hi : hi) * 0x1p-512;
}

/* ---- Floats as neighbours ---------------------------------------------------------------------------------------- */

/* The distance from |x| to the next float, for a finite x: above 0 also for -0, and finite also for the largest. */
static inline float spacing_of(float x) {
  uint32_t even, odd;
  float low, high;
  memcpy(&even, &x, sizeof even);
  even &= 0x7ffffffeu;
  odd = even | 1;
  memcpy(&low, &even, sizeof low);
  memcpy(&high, &odd, sizeof high);
  return high - low;
}

/* Whether a value that differs from a threshold by `distance`, of either sign, lies within 4 ulp of it. */
static inline int is_near(double distance, float threshold) {
  return (distance < 0 ? -distance : distance) <= 4 * (double)spacing_of(threshold);
}

/* Whether other arithmetic might put x on the other side of the threshold. */
static inline int is_close(float x, float threshold) {
  return is_near((double)x - (double)threshold, threshold);
}

/* Floats as whole numbers in the same ascending order, and back; -0 and +0 are the same. */
static inline uint32_t rank_of(float x) {
  uint32_t bits;
  x += 0.0f;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static inline float value_of(uint32_t rank) {
  const uint32_t bits = rank >> 31 ? rank & 0x7fffffffu : ~rank;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* ---- Functions (math.c) ------------------------------------------------------------------------------------------ */

/* e^(x.hi + x.lo) = (m.hi + m.lo) 2^e for |x| < 1100, with m.hi in (0.98, 2), relative error below 2^-64. */
pair smpi_exp_pair(pair x, int *e);

/* (float)smp_exp(x), in half its time. */
float smpi_exp_float(double x);

/* (float)-smp_log(x) for 0 < x <= 1, in half its time. */
float smpi_minus_log_float(double x);

#pragma GCC visibility pop

#endif
