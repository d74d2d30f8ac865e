/* Four floats at a time: the only file with vector syntax (GNU vector extensions: gcc and clang, any target).
   Every operation is the IEEE 754 one per lane, so the bits do not depend on whether the target has vectors.
   Element i of a row is in lane i mod 4. */
#ifndef SMP_LANES_H
#define SMP_LANES_H

#include <stdint.h>
#include <string.h>

typedef float lanes __attribute__((vector_size(16)));
typedef uint32_t lanes_bits __attribute__((vector_size(16))); /* also masks: all ones or all zeros per lane */

static inline lanes lanes_load(const float *from) {
  lanes x;
  memcpy(&x, from, sizeof x); /* needs no alignment; one instruction where the target has it */
  return x;
}

static inline void lanes_store(float *to, lanes x) {
  memcpy(to, &x, sizeof x);
}

static inline lanes lanes_all(float x) {
  return (lanes){x, x, x, x};
}

/* a where the mask is set, else b. */
static inline lanes lanes_select(lanes_bits mask, lanes a, lanes b) {
  return (lanes)(((lanes_bits)a & mask) | ((lanes_bits)b & ~mask));
}

/* The greater; b if they are equal (so of -0 and +0 it gives b) or one is NaN. */
static inline lanes lanes_max(lanes a, lanes b) {
  return lanes_select((lanes_bits)(a > b), a, b);
}

static inline lanes_bits lanes_less(lanes a, lanes b) {
  return (lanes_bits)(a < b);
}

static inline lanes_bits lanes_equal(lanes a, lanes b) {
  return (lanes_bits)(a == b);
}

static inline int lanes_any(lanes_bits mask) {
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/* The lanes as (0 + 2) + (1 + 3), in double, where four floats lose nothing that matters. */
static inline double lanes_total(lanes x) {
  return ((double)x[0] + (double)x[2]) + ((double)x[1] + (double)x[3]);
}

/* Sum of a block of 64 that are >= 0, folded in halves: element i + 32 on i, then 16, 8, 4, then the lanes. The first
   fold rounds; what rounding takes from the others is added up and given back (Knuth's two-sum). So the relative error
   is little more than 2^-24, and nothing for equal values: a row with few distinct values would otherwise round in the
   same direction everywhere. Overwrites the block. */
static inline double lanes_sum(lanes x[16]) {
  lanes lost = lanes_all(0);
  for (int i = 0; i < 8; i++) x[i] += x[i + 8];
  for (int half = 4; half > 0; half /= 2) {
    for (int i = 0; i < half; i++) {
      lanes sum = x[i] + x[i + half], b_part = sum - x[i];
      lost += (x[i] - (sum - b_part)) + (x[i + half] - b_part);
      x[i] = sum;
    }
  }
  return lanes_total(x[0]) + lanes_total(lost);
}

static inline float lanes_greatest(lanes x) {
  float a = x[0] > x[2] ? x[0] : x[2], b = x[1] > x[3] ? x[1] : x[3];
  return a > b ? a : b;
}

/* ---- Exponential ---------------------------------------------------------------------------------------------- */

/* clang-format off */
/* Made by tests/oracle/tables.py: begin. */
/* The greatest float whose exponential is below 2^-126. */
#define LANES_EXP_FLOOR -0x1.5d58a00000000p+6f
/* 1 / ln 2; ln 2 as hi + lo, hi short; e^t - 1 - t = t^2 (C2 + t C3 + ... + t^4 C6). */
#define LANES_EXP_LOG2E 0x1.7154760000000p+0f
#define LANES_EXP_LN2_HI 0x1.62e4000000000p-1f
#define LANES_EXP_LN2_LO 0x1.7f7d1c0000000p-20f
#define LANES_EXP_C2 0x1.0000000000000p-1f
#define LANES_EXP_C3 0x1.5554de0000000p-3f
#define LANES_EXP_C4 0x1.55551a0000000p-5f
#define LANES_EXP_C5 0x1.120b620000000p-7f
#define LANES_EXP_C6 0x1.6d10fc0000000p-10f
/* Made by tests/oracle/tables.py: end. */
/* clang-format on */

/* e^x for x in [LANES_EXP_FLOOR, 0]; +0 at the floor itself, which stands for everything below 2^-126.
   x = n ln 2 + t, |t| <= ln 2 / 2, then a polynomial and n added to the exponent. */
static inline lanes lanes_exp(lanes x) {
  const lanes magic = lanes_all(0x1.8p23f); /* adding it rounds to a whole number, held in the low bits */
  lanes shifted = x * lanes_all(LANES_EXP_LOG2E) + magic;
  lanes n = shifted - magic;
  lanes t = (x - n * lanes_all(LANES_EXP_LN2_HI)) - n * lanes_all(LANES_EXP_LN2_LO);
  lanes rest = lanes_all(LANES_EXP_C6) * t + lanes_all(LANES_EXP_C5);
  rest = rest * t + lanes_all(LANES_EXP_C4);
  rest = rest * t + lanes_all(LANES_EXP_C3);
  rest = rest * t + lanes_all(LANES_EXP_C2);
  lanes power = lanes_all(1.0f) + (t + t * t * rest);
  lanes_bits scaled = (lanes_bits)power + ((lanes_bits)shifted << 23);
  return (lanes)(scaled & (lanes_bits)(x > lanes_all(LANES_EXP_FLOOR)));
}

#endif
