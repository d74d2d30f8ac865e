/* The experiment on its own terms: worked examples, limits, properties over random runs, refusals. */
#include <float.h>
#include <math.h> /* only for INFINITY and NAN */

#include "smp.h"
#include "test.h"

#define BELOW_1 0x1.fffffffffffffp-1
#define ASK(tau_, u_, k_, tie_, share_)                                                                                \
  { .tau = tau_, .u = u_, .k = k_, .tie = tie_, .share = share_ }

/* ---- Worked examples ------------------------------------------------------------------------------------------- */

struct example {
  const char *name;
  uint32_t n;
  double logits[4];
  smp_lab_options options;
  uint32_t kept; /* bit i for id i */
  uint32_t id;
  double p[4], q[4]; /* six decimals */
};

/* clang-format off */
#define CHAPTER 4, {0, 1, 2, 3}
#define P_CHAPTER {0.016894, 0.058965, 0.205807, 0.718335}
#define Q_CHAPTER {0, 0, 0.222700, 0.777300}
#define P_ZEROED {0, 0, 0.205807, 0.718335}
#define TIE 4, {3, 2, 2, 0}
#define P_TIE {0.560053, 0.206032, 0.206032, 0.027883}

/* name, logits, {tau, u, k, tie, share}, kept, id, p, q */
static const struct example EXAMPLES[] = {
    {"chapter, u 0.5", CHAPTER, ASK(0.8, 0.5, 2, 0, 0), 0xc, 3, P_CHAPTER, Q_CHAPTER},
    {"chapter, u 0.1", CHAPTER, ASK(0.8, 0.1, 2, 0, 0), 0xc, 2, P_CHAPTER, Q_CHAPTER},
    {"chapter, u 0", CHAPTER, ASK(0.8, 0, 2, 0, 0), 0xc, 2, P_CHAPTER, Q_CHAPTER},
    {"chapter, largest u", CHAPTER, ASK(0.8, BELOW_1, 2, 0, 0), 0xc, 3, P_CHAPTER, Q_CHAPTER},
    {"chapter, k = V", CHAPTER, ASK(0.8, 0.07, 4, 0, 0), 0xf, 1, P_CHAPTER, P_CHAPTER},
    {"chapter, k = 1", CHAPTER, ASK(0.8, 0.07, 1, 0, 0), 0x8, 3, P_CHAPTER, {0, 0, 0, 1}},
    {"zeroed, u below the sum", CHAPTER, ASK(0.8, 0.9, 2, 0, 1), 0xc, 3, P_CHAPTER, P_ZEROED},
    {"zeroed, u beyond the sum", CHAPTER, ASK(0.8, 0.95, 2, 0, 1), 0xc, SMP_NONE, P_CHAPTER, P_ZEROED},
    {"zeroed, nothing removed", CHAPTER, ASK(0.8, BELOW_1, 4, 0, 1), 0xf, 3, P_CHAPTER, P_CHAPTER},
    {"tie, strict", TIE, ASK(1, 0.99, 2, 0, 0), 0x3, 1, P_TIE, {0.731059, 0.268941}},
    {"tie, threshold", TIE, ASK(1, 0.99, 2, 1, 0), 0x7, 2, P_TIE, {0.576117, 0.211942, 0.211942}},
    {"tie of zeros", 3, {-0.0, 0.0, -1}, ASK(1, 0, 1, 0, 0), 0x1, 0, {0.422319, 0.422319, 0.155362}, {1}},
    {"small tau, shared maximum", 3, {1, 1, 0}, ASK(1e-3, 0.5, 3, 0, 0), 0x7, 1, {0.5, 0.5, 0}, {0.5, 0.5, 0}},
    {"tau 1e-300", 2, {-100, 100}, ASK(1e-300, 0, 2, 0, 0), 0x3, 1, {0, 1}, {0, 1}},
    {"least tau, score -inf", 2, {-100, 100}, ASK(0x1p-1074, 0, 2, 0, 0), 0x3, 1, {0, 1}, {0, 1}},
    {"least tau, score -1", 2, {0, 0x1p-1074}, ASK(0x1p-1074, 0.2, 2, 0, 0), 0x3, 0,
     {0.268941, 0.731059}, {0.268941, 0.731059}},
    {"tau 1e308", 4, {-9, 0, 1, 2}, ASK(1e308, 0.75, 4, 0, 0), 0xf, 3, {0.25, 0.25, 0.25, 0.25}, {0.25, 0.25, 0.25, 0.25}},
    {"largest tau", 2, {-0x1p1000, 0x1p1000}, ASK(DBL_MAX, 0.49, 2, 0, 0), 0x3, 0, {0.5, 0.5}, {0.5, 0.5}},
    {"largest logits", 3, {0x1p1000, -0x1p1000, 0x1p1000}, ASK(1, 0.5, 3, 0, 0), 0x7, 2, {0.5, 0, 0.5}, {0.5, 0, 0.5}},
    {"largest logits, fitting tau", 2, {0x1p1000, -0x1p1000}, ASK(0x1p1001, 0.9, 2, 0, 0), 0x3, 1,
     {0.731059, 0.268941}, {0.731059, 0.268941}},
    {"one logit", 1, {-7}, ASK(0.3, BELOW_1, 1, 0, 0), 0x1, 0, {1}, {1}},
    {"q = 0 first, u 0", 3, {-1000, 0, -1000}, ASK(1, 0, 3, 0, 0), 0x7, 1, {0, 1, 0}, {0, 1, 0}},
    {"q = 0 last, largest u", 3, {-1000, 0, -1000}, ASK(1, BELOW_1, 3, 0, 0), 0x7, 1, {0, 1, 0}, {0, 1, 0}},
};
/* clang-format on */

static int six_decimals(double a, double b) {
  return a - b < 5.1e-7 && b - a < 5.1e-7;
}

static void run_example(const struct example *e) {
  smp_lab_result r;
  begin_case("%s", e->name);
  smp_status status = smp_lab_run(e->logits, e->n, &e->options, &r, NULL);
  expect(status == SMP_OK, "status %d", status);
  if (status) return;
  expect(r.id == e->id, "id %u, want %u", r.id, e->id);
  for (uint32_t i = 0; i < e->n; i++) {
    expect(six_decimals(r.p[i], e->p[i]), "p[%u] = %.17g, want %.6f", i, r.p[i], e->p[i]);
    expect(six_decimals(r.q[i], e->q[i]), "q[%u] = %.17g, want %.6f", i, r.q[i], e->q[i]);
    expect(r.kept[i] == (e->kept >> i & 1), "kept[%u] = %u", i, r.kept[i]);
    expect(r.score[i] <= 0, "score[%u] = %g", i, r.score[i]);
  }
}

/* ---- Single facts ---------------------------------------------------------------------------------------------- */

static void test_boundary(void) {
  double logits[] = {0, 1, 2, 3};
  smp_lab_options options = {.tau = 0.8, .u = 0.5, .k = 2};
  smp_lab_result r, at;
  begin_case("u at a boundary belongs to the right-hand interval");
  smp_lab_run(logits, 4, &options, &r, NULL);
  expect(six_decimals(r.lo[3], 0.222700) && r.hi[3] == 1, "[%g, %g)", r.lo[3], r.hi[3]);
  options.u = r.lo[3];
  smp_lab_run(logits, 4, &options, &at, NULL);
  expect(at.id == 3, "at the boundary: %u", at.id);
  options.u = r.lo[3] - ulp_of(r.lo[3]);
  smp_lab_run(logits, 4, &options, &at, NULL);
  expect(at.id == 2, "just below: %u", at.id);

  begin_case("masses and sums of the chapter");
  options.share = SMP_SHARE_ZEROED;
  smp_lab_run(logits, 4, &options, &r, NULL);
  expect(six_decimals(r.sum_q, 0.924142) && r.sum_q == r.kept_mass && r.hi[3] == r.sum_q, "sum_q %g", r.sum_q);
  expect(six_decimals(r.removed_mass, 0.075858), "removed %g", r.removed_mass);
  expect(r.weight[3] == 1 && six_decimals(r.weight_sum, 1.392108), "weight_sum %.9g", r.weight_sum);
  expect(r.start[0] == 0 && r.start[1] == r.p[0], "start %g %g", r.start[0], r.start[1]);
  expect(r.top == 3 && r.n == 4 && r.n_kept == 2 && r.greedy == 0, "counts");
}

static void test_greedy(void) {
  double logits[] = {1, 1, 0};
  smp_lab_options options = {.tau = -0.0, .u = BELOW_1, .k = 1, .tie = SMP_TIE_THRESHOLD, .share = SMP_SHARE_ZEROED};
  smp_lab_result r, empty = {.n = 3, .greedy = 1};
  begin_case("tau 0 is greedy and leaves the rest zero");
  poison(&r, sizeof r);
  expect(smp_lab_run(logits, 3, &options, &r, NULL) == SMP_OK, "status");
  expect(r.id == 0 && r.top == 0 && r.greedy == 1 && r.n == 3, "id %u", r.id);
  expect(memcmp(r.score, empty.score, offsetof(smp_lab_result, n)) == 0, "scores or probabilities were written");
}

static void test_subnormal_shares(void) {
  double logits[] = {-745, 0, -744};
  smp_lab_options options = {.tau = 1, .u = 0, .k = 3};
  smp_lab_result r;
  begin_case("probabilities fade out gradually");
  smp_lab_run(logits, 3, &options, &r, NULL);
  expect(same_bits(r.p[0], 0x1p-1074) && same_bits(r.p[2], 0x1p-1074 * 2), "%a %a", r.p[0], r.p[2]);
  expect(r.id == 0 && r.hi[0] == r.p[0], "u 0 chooses %u", r.id);
}

/* ---- Properties ------------------------------------------------------------------------------------------------ */

static double power_of_two(int e) {
  double x = 1;
  for (; e > 0; e--) x *= 2;
  for (; e < 0; e++) x /= 2;
  return x;
}

/* Sum with the rounding errors added back, so that the sum itself adds none that matter. */
static double exact_sum(const double *x, uint32_t n) {
  double sum = 0, lost = 0;
  for (uint32_t i = 0; i < n; i++) {
    double next = sum + x[i];
    lost += sum >= x[i] ? (sum - next) + x[i] : (x[i] - next) + sum;
    sum = next;
  }
  return sum + lost;
}

/* What rounding takes from a - b (Knuth's two-sum). */
static double lost_by_difference(double a, double b) {
  double difference = a - b, b_part = difference - a;
  return (a - (difference - b_part)) - (b + b_part);
}

static void check_run(const double *logits, uint32_t n, smp_lab_options options, smp_lab_result *r) {
  smp_status status = smp_lab_run(logits, n, &options, r, NULL);
  expect(status == SMP_OK, "status %d", status);
  if (status) return;
  double end = 0;
  for (uint32_t i = 0; i < n; i++) {
    expect(r->p[i] >= 0 && r->p[i] <= 1 && r->q[i] >= 0 && r->q[i] <= 1 && r->score[i] <= 0, "NaN or out of range");
    double difference = logits[i] - logits[r->top], score = difference / options.tau;
    if (lost_by_difference(logits[i], logits[r->top]) == 0)
      expect(r->score[i] == score, "score %a, want %a", r->score[i], score);
    if (!r->kept[i]) continue;
    expect(same_bits(r->lo[i], end) && r->lo[i] <= r->hi[i], "the intervals do not join at id %u", i);
    expect(r->q[i] > 0 || r->lo[i] == r->hi[i], "id %u has an interval but q = 0", i);
    end = r->hi[i];
  }
  double sum_p = exact_sum(r->p, n) - 1, sum_q = exact_sum(r->q, n) - 1;
  expect(sum_p <= 1e-15 && sum_p >= -1e-15 && sum_q <= 1e-15 && sum_q >= -1e-15, "sums off by %g, %g", sum_p, sum_q);
  expect(end == 1 && r->sum_q == 1, "the last interval ends at %.17g", end);
  expect(r->id < n && r->kept[r->id] && r->q[r->id] > 0, "id %u has no probability", r->id);
  expect(r->entropy >= 0 && r->entropy <= 4.16, "entropy %g", r->entropy);
  if (options.k == n) expect(memcmp(r->p, r->q, sizeof r->p) == 0, "k = V changed a probability");
}

static void test_random_runs(void) {
  uint64_t state = 2718;
  for (int family = 0; family < 4; family++) {
    begin_case("10000 random runs, family %d", family);
    for (int run = 0; run < 10000; run += (int)every) {
      double logits[SMP_LAB_MAX];
      uint32_t n = 1 + random_word(&state) % SMP_LAB_MAX, k = 1 + random_word(&state) % n;
      int tau_exponent = family == 3 ? (int)(random_word(&state) % 2097) - 1073 : (int)(random_word(&state) % 13) - 6;
      double tau = power_of_two(tau_exponent) * (1 + random_word(&state) * 0x1p-33);
      for (uint32_t i = 0; i < n; i++) {
        double x = random_word(&state) * 0x1p-31 - 1;
        if (family == 0) x *= 20;                                                     /* like real logits */
        if (family == 1) x = (double)(int)(x * 4);                                    /* many ties */
        if (family == 2) x *= 700 * tau;                                              /* down to subnormal shares */
        if (family == 3) x *= power_of_two((int)(random_word(&state) % 2060) - 1061); /* all magnitudes */
        logits[i] = x;
      }
      smp_lab_options options = {
          .tau = tau, .u = random_word(&state) * 0x1p-32, .k = k, .tie = random_word(&state) % 2};
      smp_lab_result r;
      check_run(logits, n, options, &r);
      options.u = BELOW_1;
      check_run(logits, n, options, &r);
    }
  }
}

/* ---- Refusals -------------------------------------------------------------------------------------------------- */

static void refuse(const char *name, const double *logits, uint32_t n, smp_lab_options options, smp_status want,
                   smp_param param, uint32_t index) {
  begin_case("refused: %s", name);
  smp_lab_result r;
  smp_where where;
  poison(&r, sizeof r);
  poison(&where, sizeof where);
  smp_status status = smp_lab_run(logits, n, &options, &r, &where);
  expect(status == want, "status %d, want %d", status, want);
  expect(where.param == param && where.index == index, "at %d, %u", where.param, where.index);
  expect(is_poison(&r, sizeof r), "the result was written");
  expect(smp_lab_run(logits, n, &options, &r, NULL) == want, "without `where` it is another status");
}

static void test_refusals(void) {
  double good[SMP_LAB_MAX + 1] = {0, 1, 2, 3};
  const smp_lab_options ok = {.tau = 0.8, .u = 0.5, .k = 2};
  refuse("no logits", good, 0, ok, SMP_ERR_EMPTY, SMP_AT_LOGITS, 0);
  refuse("65 logits", good, 65, ok, SMP_ERR_LENGTH, SMP_AT_LOGITS, 0);

  static const struct {
    const char *name;
    double z;
    smp_status want;
  } bad_logits[] = {{"a NaN logit", NAN, SMP_ERR_NAN},
                    {"a logit of inf", INFINITY, SMP_ERR_INF},
                    {"a logit of -inf", -INFINITY, SMP_ERR_INF},
                    {"a logit above 2^1000", 0x1.0000000000001p1000, SMP_ERR_PARAM},
                    {"a logit below -2^1000", -0x1.0000000000001p1000, SMP_ERR_PARAM}};
  for (uint32_t i = 0; i < sizeof bad_logits / sizeof bad_logits[0]; i++) {
    double logits[] = {0, 0, 0, 0};
    logits[i % 4] = bad_logits[i].z;
    refuse(bad_logits[i].name, logits, 4, ok, bad_logits[i].want, SMP_AT_LOGITS, i % 4);
  }

  static const struct {
    const char *name;
    smp_lab_options options;
    smp_param at;
  } bad_options[] = {{"tau -1", ASK(-1, 0.5, 2, 0, 0), SMP_AT_TAU},
                     {"tau NaN", ASK(NAN, 0.5, 2, 0, 0), SMP_AT_TAU},
                     {"tau inf", ASK(INFINITY, 0.5, 2, 0, 0), SMP_AT_TAU},
                     {"k 0", ASK(0.8, 0.5, 0, 0, 0), SMP_AT_K},
                     {"k 5", ASK(0.8, 0.5, 5, 0, 0), SMP_AT_K},
                     {"k 5 with tau 0", ASK(0, 0.5, 5, 0, 0), SMP_AT_K},
                     {"u 1", ASK(0.8, 1, 2, 0, 0), SMP_AT_U},
                     {"u 1 with tau 0", ASK(0, 1, 2, 0, 0), SMP_AT_U},
                     {"u -0.1", ASK(0.8, -0.1, 2, 0, 0), SMP_AT_U},
                     {"u NaN", ASK(0.8, NAN, 2, 0, 0), SMP_AT_U},
                     {"tie 2", ASK(0.8, 0.5, 2, (smp_tie)2, 0), SMP_AT_TIE},
                     {"share 2", ASK(0.8, 0.5, 2, 0, (smp_share)2), SMP_AT_SHARE}};
  for (size_t i = 0; i < sizeof bad_options / sizeof bad_options[0]; i++)
    refuse(bad_options[i].name, good, 4, bad_options[i].options, SMP_ERR_PARAM, bad_options[i].at, 0);
}

void test_lab(void) {
  for (size_t i = 0; i < sizeof EXAMPLES / sizeof EXAMPLES[0]; i++) run_example(&EXAMPLES[i]);
  test_boundary();
  test_greedy();
  test_subnormal_shares();
  test_random_runs();
  test_refusals();
}
