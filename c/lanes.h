/* Four floats at a time: the only file with vector syntax (GNU vector extensions: gcc and clang, any target).
   Every operation is the IEEE 754 one per lane, so the bits do not depend on whether the target has vectors.
   Element i of a row is in lane i mod 4. */
#ifndef SMP_LANES_H
#define SMP_LANES_H

#include <stdint.h>
#include <string.h>

/* Before a loop over lanes in an array: unrolled even at -Oz, so that they stay in registers. */
#if defined(__clang__)
#define LANES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LANES_UNROLL _Pragma("GCC unroll 16")
#endif

/* For functions that take constants: specialised at every call, even at -Oz. */
#define LANES_INLINE static inline __attribute__((always_inline))

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

/* The larger, and the smaller: b if they are equal (so of -0 and +0 it gives b) or one is NaN. One instruction where
   the target has exactly this one. */
static inline lanes lanes_max(lanes a, lanes b) {
#if defined(__wasm_simd128__)
  return __builtin_wasm_pmax_f32x4(b, a);
#elif defined(__SSE__)
  return __builtin_ia32_maxps(a, b);
#else
  return lanes_select((lanes_bits)(a > b), a, b);
#endif
}

static inline lanes lanes_min(lanes a, lanes b) {
#if defined(__wasm_simd128__)
  return __builtin_wasm_pmin_f32x4(b, a);
#elif defined(__SSE__)
  return __builtin_ia32_minps(a, b);
#else
  return lanes_select((lanes_bits)(a < b), a, b);
#endif
}

static inline lanes_bits lanes_less(lanes a, lanes b) {
  return (lanes_bits)(a < b);
}

static inline lanes_bits lanes_equal(lanes a, lanes b) {
  return (lanes_bits)(a == b);
}

static inline int lanes_any(lanes_bits mask) {
  typedef uint64_t halves __attribute__((vector_size(16)));
  halves both = (halves)mask;
  return (both[0] | both[1]) != 0;
}

/* Append at + j for every lane j that is set to the n ids so far; returns the new number. Always writes four ids; those
   past the end are meaningless. */
LANES_INLINE size_t lanes_list(lanes_bits mask, uint32_t at, uint32_t *ids, size_t n) {
#if defined(__wasm_simd128__)
  enum { A = 0x03020100, B = 0x07060504, C = 0x0b0a0908, D = 0x0f0e0d0c }; /* the bytes of lanes 0 to 3 */
  static const uint32_t order[16][4] = {{0}, {A},    {B},    {A, B},    {C},    {A, C},    {B, C},    {A, B, C},
                                        {D}, {A, D}, {B, D}, {A, B, D}, {C, D}, {A, C, D}, {B, C, D}, {A, B, C, D}};
  typedef signed char bytes __attribute__((vector_size(16)));
  const uint32_t flags = (uint32_t)__builtin_wasm_bitmask_i32x4((int32_t __attribute__((vector_size(16))))mask);
  bytes packed;
  memcpy(&packed, order[flags], sizeof packed);
  packed = __builtin_wasm_swizzle_i8x16((bytes)(lanes_bits){at, at + 1, at + 2, at + 3}, packed);
  memcpy(ids + n, &packed, sizeof packed);
  return n + (size_t)__builtin_popcount(flags);
#else
  LANES_UNROLL
  for (uint32_t j = 0; j < 4; j++) {
    ids[n] = at + j;
    n += mask[j] & 1;
  }
  return n;
#endif
}

/* The same of 16 lanes: nothing is written if none of them is set. */
LANES_INLINE size_t lanes_list_group(const lanes_bits masks[4], uint32_t at, uint32_t *ids, size_t n) {
  if (!lanes_any(masks[0] | masks[1] | masks[2] | masks[3])) return n;
  LANES_UNROLL
  for (uint32_t i = 0; i < 4; i++) n = lanes_list(masks[i], at + 4 * i, ids, n);
  return n;
}

/* Per lane: count, plus 1 where the mask is set. */
static inline lanes_bits lanes_count(lanes_bits count, lanes_bits mask) {
  return count - mask;
}

/* The lanes as (0 + 2) + (1 + 3), in double, where the sum of four floats is as good as exact. */
static inline double lanes_total(lanes x) {
  return ((double)x[0] + (double)x[2]) + ((double)x[1] + (double)x[3]);
}

typedef double lanes_wide __attribute__((vector_size(16)));

/* Lanes 0 and 1 as doubles, and lanes 2 and 3. */
static inline lanes_wide lanes_low(lanes x) {
  return (lanes_wide){(double)x[0], (double)x[1]};
}

static inline lanes_wide lanes_high(lanes x) {
#if defined(__wasm_simd128__)
  lanes y = __builtin_shufflevector(x, x, 2, 3, 0, 1);
  __asm__(
      ""
      : "+r"(
          y)); /* fixes all four lanes: V8 has one instruction for this shuffle, but needs six if two lanes are undefined */
  return lanes_low(y);
#else
  return (lanes_wide){(double)x[2], (double)x[3]};
#endif
}

/* Back to floats, each rounded. */
static inline lanes lanes_narrow(lanes_wide low, lanes_wide high) {
#if defined(__wasm_simd128__)
  typedef float two __attribute__((vector_size(8)));
  lanes a = __builtin_shufflevector(__builtin_convertvector(low, two), (two){0, 0}, 0, 1, 2, 3);
  lanes b = __builtin_shufflevector(__builtin_convertvector(high, two), (two){0, 0}, 0, 1, 2, 3);
  __asm__("" : "+r"(a), "+r"(b)); /* fixes all lanes of both: one instruction each */
  return __builtin_shufflevector(a, b, 0, 1, 4, 5);
#else
  return (lanes){(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
#endif
}

/* Two lanes each, as doubles: 0 + 2 and 1 + 3. */
static inline lanes_wide lanes_widen(lanes x) {
  return lanes_low(x) + lanes_high(x);
}

/* Sum of a block of 64 that are >= 0: the block folded in floats, element i + 32 on i, then i + 16 on i, so each is
   rounded twice; then all in double. The relative error is at most 2^-23. */
static inline double lanes_sum_block(const float *block) {
  lanes a[4];
  LANES_UNROLL
  for (int i = 0; i < 4; i++) {
    const float *from = block + 4 * i;
    a[i] = (lanes_load(from) + lanes_load(from + 32)) + (lanes_load(from + 16) + lanes_load(from + 48));
  }
  lanes_wide sum = (lanes_widen(a[0]) + lanes_widen(a[1])) + (lanes_widen(a[2]) + lanes_widen(a[3]));
  return sum[0] + sum[1];
}

/* Permutations, to fold the lanes. */
static inline lanes lanes_swap_halves(lanes x) {
  return (lanes){x[2], x[3], x[0], x[1]};
}

static inline lanes lanes_swap_pairs(lanes x) {
  return (lanes){x[1], x[0], x[3], x[2]};
}

/* Branch-free: the lane is unpredictable. */
static inline float lanes_largest(lanes x) {
  const lanes two = lanes_max(x, lanes_swap_halves(x));
  return lanes_max(two, lanes_swap_pairs(two))[0];
}

static inline float lanes_smallest(lanes x) {
  const lanes two = lanes_min(x, lanes_swap_halves(x));
  return lanes_min(two, lanes_swap_pairs(two))[0];
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

typedef int32_t lanes_whole __attribute__((vector_size(16)));

/* As lanes_load, from what need not be aligned as floats are. */
static inline lanes lanes_read(const unsigned char *from) {
  lanes x;
  memcpy(&x, from, sizeof x);
  return x;
}

/* Sixteen int8 as they lie, four to a lane: lane i has elements 4i to 4i + 3. */
static inline lanes_bits lanes_bytes(const unsigned char *from) {
  lanes_bits x;
  memcpy(&x, from, sizeof x);
  return x;
}

/* Of them elements j, 4 + j, 8 + j, 12 + j, exactly. j is a constant, 0 to 3. Shifts and one conversion: no target
   needs more, and none has to move anything from lane to lane. */
LANES_INLINE lanes lanes_of_bytes(lanes_bits bytes, int j) {
  const lanes_whole whole = (lanes_whole)(j < 3 ? bytes << (24 - 8 * j) : bytes) >> 24;
  return __builtin_convertvector(whole, lanes);
}

/* ---- Logarithm ------------------------------------------------------------------------------------------------ */

typedef uint64_t lanes_wide_bits __attribute__((vector_size(16)));

/* a where the mask is set, else b. */
static inline lanes_wide lanes_wide_select(lanes_wide_bits mask, lanes_wide a, lanes_wide b) {
  return (lanes_wide)(((lanes_wide_bits)a & mask) | ((lanes_wide_bits)b & ~mask));
}

/* ln of two positive doubles, each normal and below 2^1023, within 2.5 ulp (tried on every float up to 1). x = 2^e m, m
   in [sqrt 1/2, sqrt 2); ln m = 2 atanh s, s = (m - 1) / (m + 1), |s| < 0.172, as a series to s^21. */
static inline lanes_wide lanes_wide_log(lanes_wide x) {
  const lanes_wide_bits bits = (lanes_wide_bits)x;
  const lanes_wide_bits e = (bits + (UINT64_C(1024) << 52) - UINT64_C(0x3fe6a09e667f3bcd)) >> 52; /* and 1024 */
  const lanes_wide m = (lanes_wide)(bits - ((e - 1024) << 52));
  const lanes_wide whole = (lanes_wide)(e | UINT64_C(0x4330000000000000)) - (0x1p52 + 1024);
  const lanes_wide s = (m - 1) / (m + 1), z = s * s;
  lanes_wide rest = z * (2.0 / 21) + 2.0 / 19;
  rest = rest * z + 2.0 / 17;
  rest = rest * z + 2.0 / 15;
  rest = rest * z + 2.0 / 13;
  rest = rest * z + 2.0 / 11;
  rest = rest * z + 2.0 / 9;
  rest = rest * z + 2.0 / 7;
  rest = rest * z + 2.0 / 5;
  rest = rest * z + 2.0 / 3;
  return whole * 0x1.62e42fefa39efp-1 + (2 * s + s * z * rest);
}

/* ---- Exponential ---------------------------------------------------------------------------------------------- */

/* clang-format off */
/* Made by tests/oracle/tables.py: begin. */
/* The largest float whose exponential is below 2^-126. */
#define LANES_EXP_FLOOR -0x1.5d58a00000000p+6f
/* 1 / ln 2; ln 2; e^t - 1 - t = t^2 (C2 + t C3 + ... + t^4 C6). */
#define LANES_EXP_LOG2E 0x1.7154760000000p+0f
#define LANES_EXP_LN2 0x1.62e4300000000p-1f
#define LANES_EXP_C2 0x1.0000000000000p-1f
#define LANES_EXP_C3 0x1.5554de0000000p-3f
#define LANES_EXP_C4 0x1.55551a0000000p-5f
#define LANES_EXP_C5 0x1.120b620000000p-7f
#define LANES_EXP_C6 0x1.6d10fc0000000p-10f
/* Made by tests/oracle/tables.py: end. */
/* clang-format on */

/* The constants of the exponential, each in all lanes. Wasm reads them from memory: V8 rematerialises known constants
   (three instructions) under register pressure, which there always is here. Make them ready before a loop, not in it:
   in one process of ten their addresses share the low 12 bits with those of spilled registers, and then each read waits
   for a store (AMD Zen 3: 1.5 times the time). */
typedef struct lanes_exp_constants {
  lanes log2e, magic, ln2, c2, c3, c4, c5, c6, one;
} lanes_exp_constants;

static inline lanes_exp_constants lanes_exp_ready(void) {
#if defined(__wasm_simd128__)
  static const volatile float k[] = {
#else
  const float k[] = {
#endif
    LANES_EXP_LOG2E,
    0x1.8p23f,
    LANES_EXP_LN2,
    LANES_EXP_C2,
    LANES_EXP_C3,
    LANES_EXP_C4,
    LANES_EXP_C5,
    LANES_EXP_C6,
    1
  };
  return (lanes_exp_constants){lanes_all(k[0]), lanes_all(k[1]), lanes_all(k[2]), lanes_all(k[3]), lanes_all(k[4]),
                               lanes_all(k[5]), lanes_all(k[6]), lanes_all(k[7]), lanes_all(k[8])};
}

/* Four groups of four exponentials, half done: what the second half needs from the first. */
typedef struct lanes_exp_half {
  lanes x[4], shifted[4], t[4];
} lanes_exp_half;

/* In wasm the half-done groups are in memory, and no access to them crosses this line: V8 would reorder what it may
   keep in registers, and then spill. */
static inline void lanes_exp_apart(lanes_exp_half half[2]) {
#if defined(__wasm_simd128__)
  __asm__ volatile("" : : "r"(half) : "memory");
#else
  (void)half;
#endif
}

/* e^x of four groups of four, for x <= 0; +0 at the floor and below, where e^x < 2^-126. Monotone. x = n ln 2 + t, |t|
   <= ln 2 / 2, then a polynomial and n added to the exponent. n ln 2 is rounded, which alone is at most |x| 2^-24 of
   the result; all of it is within (1.5 + |x|) 2^-24, and with the rounding of x itself and of what follows within (2 +
   |x|) 2^-23. A test checks monotony on every float and the bound on one in 64. Here x = score / tau - max of groups 0,
   1, 8 and 9 of a block. `divide` and `floored` are constants: 0 for tau = 1, which divides nothing, to the bit; 0 if
   all x are known to be above the floor. */
LANES_INLINE void lanes_exp_begin(const float *block, int divide, int floored, lanes tau, lanes max,
                                  const lanes_exp_constants *k, lanes_exp_half *half) {
  const lanes score[4] = {lanes_load(block), lanes_load(block + 4), lanes_load(block + 32), lanes_load(block + 36)};
  LANES_UNROLL
  for (int j = 0; j < 4; j++) {
    const lanes x = (divide ? score[j] / tau : score[j]) - max;
    const lanes shifted = x * k->log2e + k->magic; /* rounds to a whole number, held in the low bits */
    if (floored) half->x[j] = x;
    half->shifted[j] = shifted;
    half->t[j] = x + (k->magic - shifted) * k->ln2;
  }
}

LANES_INLINE void lanes_exp_end(const lanes_exp_half *half, int floored, const lanes_exp_constants *k, float *weight) {
  lanes e[4];
  LANES_UNROLL
  for (int j = 0; j < 4; j++) {
    const lanes t = half->t[j], square = t * t; /* Estrin's form: a short chain */
    const lanes rest = (k->c6 * square + (k->c5 * t + k->c4)) * square + (k->c3 * t + k->c2);
    e[j] = k->one + (t + square * rest);
  }
  LANES_UNROLL
  for (int j = 0; j < 4; j++) {
    const lanes_bits scaled = (lanes_bits)e[j] + ((lanes_bits)half->shifted[j] << 23);
    /* clears the meaningless result of an x below the floor */
    e[j] = (lanes)(floored ? scaled & (lanes_bits)(half->x[j] > lanes_all(LANES_EXP_FLOOR)) : scaled);
    lanes_store(weight + 4 * (j % 2) + 32 * (j / 2), e[j]);
  }
}

/* Exponentials of score / tau - max for a block of 64, stored; returns their sum. weight may be block. The dependency
   chain of one group is 70 cycles long, so the first half of four groups overlaps with the second half of the four
   before. */
LANES_INLINE double lanes_exp_block(const float *block, int divide, int floored, lanes tau, lanes max,
                                    const lanes_exp_constants *k, float *weight) {
  lanes_exp_half half[2];
  lanes_exp_begin(block, divide, floored, tau, max, k, &half[0]);
#if !defined(__wasm__) || defined(__wasm_simd128__) /* scalar code would be longer, and no faster */
  LANES_UNROLL
#endif
  for (int i = 0; i < 4; i++) {
    lanes_exp_apart(half);
    if (i < 3) lanes_exp_begin(block + 8 * (i + 1), divide, floored, tau, max, k, &half[(i + 1) % 2]);
    lanes_exp_apart(half);
    lanes_exp_end(&half[i % 2], floored, k, weight + 8 * i);
  }
  return lanes_sum_block(weight); /* read again: eight sums on the way would need registers */
}

/* The sum of weight * (x / tau - max) over a block: of the entropy. `divide` is a constant, 0 for tau = 1. */
LANES_INLINE double lanes_expect_block(const float *block, int divide, lanes tau, float max, const float *weight) {
  const lanes floor = lanes_all(LANES_EXP_FLOOR); /* it is finite, so the product is 0 where the weight is */
  lanes sum = lanes_all(0);
  for (size_t i = 0; i < 64; i += 4) {
    const lanes x = lanes_load(block + i);
    sum += lanes_load(weight + i) * lanes_max((divide ? x / tau : x) - lanes_all(max), floor);
  }
  return lanes_total(sum);
}

#endif
