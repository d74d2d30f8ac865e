/* Private to c/: what the build must guarantee, exact arithmetic on pairs of doubles, and calls between the files.
   A pair stands for the unevaluated sum hi + lo with |lo| at most half an ulp of hi: about 106 bits. */
#ifndef SMP_IMPL_H
#define SMP_IMPL_H

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

#define SMP_INF __builtin_inf()
#define SMP_NAN __builtin_nan("")

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

/* ---- Between the files ---------------------------------------------------------------------------------------- */

/* math.c: e^(x.hi + x.lo) = (m.hi + m.lo) 2^e for |x| < 1100, with m.hi in (0.98, 2), relative error below 2^-64. */
pair smp_exp_pair(pair x, int *e);

/* math.c: (float)smp_exp(x), in half its time. */
float smp_exp_float(double x);

/* row.c: the checks of smp_row_scan on a row that is not to be padded. */
smp_status smp_row_check(const float *row, size_t n, float *max, uint32_t *id, smp_where *where);

/* ---- Cuts by rounding ---------------------------------------------------------------------------------------- */

/* From a float x >= 0 to the next. */
static inline float spacing_of(float x) {
  uint32_t bits;
  float above;
  memcpy(&bits, &x, sizeof bits);
  bits++;
  memcpy(&above, &bits, sizeof above);
  return above - x;
}

/* Whether a distance from a threshold, of either sign, is within 4 ulp of it. */
static inline int is_near(double distance, float threshold) {
  return (distance < 0 ? -distance : distance) <= 4 * (double)spacing_of(threshold);
}

/* ---- A row on its way through a chain ------------------------------------------------------------------------- */

#define SMP_BUCKETS 1024u

/* What chain.c hands from step to step. The caller's row is only read until the end, so that an error leaves it as it
   was. Entries are either all of the row, or a list of those that are left, packed, ids rising; both are padded with
   -inf to whole blocks. */
typedef struct smp_run {
  const float *x;    /* the entries, still to be divided by tau: the row itself, or `values` */
  float *values;     /* room for our own copy of them */
  float *weight;     /* e^(x / tau - max), if weighed */
  float *key;        /* what TYPICAL orders by */
  float *block_max;  /* the greatest of each block of x / tau, if not listed */
  float *tail;       /* a copy of the last, shorter block of the row, padded */
  double *block_sum; /* sum of weight in each block, if weighed */
  double *mass;      /* SMP_BUCKETS */
  uint32_t *filled;  /* SMP_BUCKETS */
  uint32_t *ids;     /* of the entries, if listed */
  size_t n_row, n;   /* entries of the row, entries of x */
  size_t n_live;     /* entries above -inf */
  double sum;        /* of weight, if weighed */
  double mass_kept;  /* by the step that runs, of the distribution it found */
  float tau;         /* division still to be done; 1 if there is none */
  float max, least;  /* of x / tau; least is -inf or NaN where it is not known */
  int listed, weighed, by_rounding;
} smp_run;

/* The block of entries that starts at `at`. */
static inline const float *run_block(const smp_run *run, size_t at) {
  return run->x != run->values && at + SMP_ROW_BLOCK > run->n ? run->tail : run->x + at;
}

/* row.c: start a run, and find the least entry if asked to; make the entries our own and divide them; the steps that change
   numbers. */
smp_status smp_run_start(smp_run *run, const float *row, size_t n, int with_least, smp_where *where);
void smp_run_own(smp_run *run);
int smp_run_temperature(smp_run *run, float tau);
int smp_run_step(smp_run *run, const smp_step *step, const uint32_t *context, size_t n_context);

/* Floats in rising order as whole numbers, and back; -0 and +0 are the same. */
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

/* Entries in rising order of their keys, each with a mass: where the running sum of masses first exceeds a limit. */
typedef struct smp_cut {
  size_t place;    /* of an entry there */
  float key;       /* its key */
  uint32_t before; /* entries with the same key before it */
  uint32_t equal;  /* all entries with that key */
  double distance; /* of the nearer of the sums on both sides of the cut from the limit */
} smp_cut;

typedef struct smp_cut_search {
  const float *key; /* n of them, none NaN */
  size_t n;
  double base;         /* mass below all entries */
  int even;            /* keys are finite and spread evenly enough for buckets of one width */
  double limit;        /* a float, unless exact */
  const float *weight; /* mass is (float)(weight * share), and the sum is rounded to float before it is compared */
  float share;
  const float *exact; /* or, if not NULL: mass is e^(exact - max) / sum in double, compared in double */
  double max, sum;
  double *mass;     /* SMP_BUCKETS */
  uint32_t *filled; /* SMP_BUCKETS */
} smp_cut_search;

/* cut.c: n >= 1. If no sum exceeds the limit the cut is at the last entry. */
smp_cut smp_cut_find(const smp_cut_search *s);

/* list.c: turn the row into the list of n entries whose ids are there, and in `key`, if the row is weighed, their weights;
   of those with x / tau >= bound; or only gather ids and weights above a bound, and count them. */
void smp_run_list(smp_run *run, size_t n);
void smp_run_list_from(smp_run *run, float bound);
size_t smp_run_gather(smp_run *run, float bound);

/* list.c: keep the entries of a list whose key is above that of the cut, and so many of its equals as the rule says. */
void smp_run_keep_above(smp_run *run, const float *key, smp_cut c, smp_tie tie);

/* select.c: the steps that remove entries by their rank or probability. */
void smp_run_select(smp_run *run, const smp_step *step);

/* prob.c: weights and their sum; only the sums of blocks and their sum, after which the run ends; sum of a packed list of
   weights; entropy in nats of the weighed entries. */
void smp_run_weigh(smp_run *run);
void smp_run_sum(smp_run *run);
void smp_run_total(smp_run *run);
double smp_run_entropy(const smp_run *run);

/* prob.c: whether all of a block are in [0, 1]; the first of n that is not, or NaN. */
int smp_block_is_probable(const float *block);
smp_status smp_row_check_probabilities(const float *p, size_t n, smp_where *where);

/* prob.c: make the weights of the block that starts at `at`. */
void smp_run_weigh_block(smp_run *run, size_t at);

/* draw.c: the place of the entry at u of a run that is weighed, or summed. */
size_t smp_draw_place(smp_run *run, double u);

/* ---- Engines ---------------------------------------------------------------------------------------------------- */

/* What is sorted: rising keys. For falling order give negated values. */
typedef struct smp_entry {
  float key;
  uint32_t id;
} smp_entry;

/* order.c: GNU libstdc++'s std::sort, std::partial_sort and std::nth_element, so that equal keys end where they do
   there. 0 <= middle <= n, nth < n. */
void smp_order_sort(smp_entry *entries, size_t n);
void smp_order_partial_sort(smp_entry *entries, size_t middle, size_t n);
void smp_order_nth_element(smp_entry *entries, size_t nth, size_t n);

/* order.c: torch.topk on a CPU (TopKImpl.h), 1 <= k <= n: the first k are sorted, the others in no order. */
void smp_order_topk(smp_entry *entries, size_t k, size_t n);

/* order.c: sort n places of keys, which are in `places` on entry, by rising key; of equals the earlier stays before.
   `spare` has room for n. */
void smp_order_places(const uint32_t *keys, uint32_t *places, void *spare, size_t n);

/* rng.c: in [0, 1). The 53-bit one takes two words, high first, as torch does. */
double smp_rng_uniform_53(smp_rng *rng);

/* A row of engines.def. */
typedef struct smp_profile {
  const char *order;
  double temperature, top_p, min_p, repetition; /* defaults */
  double least_penalty, most_penalty, greedy_below, least;
  int32_t top_k, least_k;
  uint32_t last_n;
  smp_tie tie;
  smp_boundary boundary;
  smp_drawing drawing;
  smp_generator generator;
  int zero_k, most_k;
  char outside_p, outside_min_p, negative;
} smp_profile;

/* engine.c: NULL for an unknown engine. */
const smp_profile *smp_engine_profile(smp_engine engine);
/* rng.c: take so many words of MT19937 and do nothing with them. */
void smp_rng_skip(smp_rng *rng, size_t words);

/* rng.c: MKL's MCG31m1, from which x86 wheels of torch up to 2.6 draw: its first state is seeded by one word. In (0, 1]. */
uint32_t smp_rng_seed_mkl(smp_rng *rng);
float smp_rng_uniform_mkl(uint32_t *state);

/* rng.c: torch's exponential_(1) in float, from a 53-bit uniform number; from one of MKL's. */
float smp_rng_exponential(double u);
float smp_rng_exponential_mkl(float u);

/* A row on its way through an engine. */
typedef struct smp_engine_work {
  const smp_engine_call *call;
  size_t n;           /* entries of the row */
  float *x;           /* the row, penalties done; on return the weights of the candidates */
  float *p;           /* room for n, rounded up to blocks of 64 */
  smp_entry *entries; /* room for n */
  uint32_t *ids;      /* on return the candidates */
  size_t n_kept;      /* on return; at least 1 unless refused */
  smp_drawing drawing;
  smp_generator generator;
  int by_rounding;
  float size; /* the number whose ulp a trace counts in */
} smp_engine_work;

/* trace.c: whether a call's trace, if any, can be made on a row of n entries; whether it asks for a filter; nothing was
   compared; such a filter begins; what it compares with, and the number whose ulp is counted; one comparison, which replaces
   an earlier one of the id; distances, at the end. */
smp_status smp_trace_check(const smp_engine_call *call, size_t n, smp_where *where);
int smp_trace_asks(const smp_engine_work *work, smp_setting setting);
void smp_trace_clear(smp_engine_work *work);
void smp_trace_start(smp_engine_work *work, smp_compared compared);
void smp_trace_limit(smp_engine_work *work, float threshold, float size);
void smp_trace_note(smp_engine_work *work, uint32_t id, float value, int kept, int by_rounding);
void smp_trace_finish(smp_engine_work *work);

/* candle.c, llama.c, torch.c: the engines that are replayed exactly. */
smp_refusal smp_candle_run(smp_engine_work *work);
smp_refusal smp_llama_run(smp_engine_work *work);
smp_refusal smp_torch_run(smp_engine_work *work);

/* torch.c, for engines on torch: w->p from the n_kept packed entries w->ids, w->x; how a variant draws. */
void smp_torch_softmax(smp_engine_work *work);
smp_drawing smp_torch_drawing(uint32_t variant);
/* samplers.c: whether the samplers of a call can be run on a row of n entries; how many of the context's last ids a sampler
   sees. */
smp_status smp_llama_check(const smp_engine_call *call, size_t n, smp_where *where);
size_t smp_llama_window(const smp_engine_call *call, double last_n);

/* profile.c: the engines whose rules are followed, but for the last bits. */
smp_refusal smp_profile_words(const smp_engine_call *call, smp_setting setting);
smp_refusal smp_profile_run(smp_engine_work *work);

/* codes.c: fill *where unless it is NULL, and return the status. */
smp_status smp_fail(smp_status status, smp_param param, uint32_t index, smp_where *where);

#endif
