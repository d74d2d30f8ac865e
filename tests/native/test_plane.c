/* The plane of tau and u, its axis, and rounding to shorter formats. */
#include <float.h>
#include <math.h> /* only for INFINITY and NAN */

#include "smp.h"
#include "test.h"
#include "vectors.h"

enum { N = 5, N_TAUS = 6 };
static const double LOGITS[N] = {1, -2000, 1, 3, 0.5};
static const double TAUS[N_TAUS] = {0, 0x1p-1074, 0.3, 1, 1e300, INFINITY};

/* The id that a row of edges gives to u. */
static uint32_t read_edges(const double *edges, double u) {
  for (uint32_t i = 0; i < N; i++)
    if (u < edges[i]) return i;
  return SMP_NONE;
}

static void test_map(smp_tie tie, smp_share share) {
  static const double places[] = {0, 0.05, 0.2, 0.35, 0.5, 0.75, 0.9, 0x1.fffffffffffffp-1};
  for (uint32_t k = 1; k <= N; k++) {
    begin_case("the plane at k %u, tie %d, share %d, is what single runs choose", k, tie, share);
    double edges[N_TAUS * N];
    smp_lab_options options = {.tau = NAN, .u = NAN, .k = k, .tie = tie, .share = share};
    expect(smp_lab_map(LOGITS, N, &options, TAUS, N_TAUS, edges, NULL) == SMP_OK, "status");
    for (size_t t = 0; t < N_TAUS; t++) {
      const double *row = edges + t * N;
      for (uint32_t i = 1; i < N; i++) expect(row[i - 1] <= row[i], "tau %g: edge %u falls", TAUS[t], i);
      for (size_t j = 0; j < sizeof places / sizeof places[0] && TAUS[t] < INFINITY; j++) {
        smp_lab_result r;
        options.tau = TAUS[t];
        options.u = places[j];
        smp_lab_run(LOGITS, N, &options, &r, NULL);
        uint32_t id = read_edges(row, places[j]);
        expect(id == r.id, "tau %g, u %g: %u, a run gives %u", TAUS[t], places[j], id, r.id);
      }
    }
    double last = share == SMP_SHARE_ZEROED && tie == SMP_TIE_STRICT ? (double)k / N : edges[N_TAUS * N - 1];
    expect(edges[N_TAUS * N - 1] == last, "tau inf ends at %.17g", edges[N_TAUS * N - 1]);
    if (share == SMP_SHARE_RENORMALISED) expect(last == 1, "tau inf ends at %.17g", last);
  }
}

static void test_map_refusals(void) {
  static const double bad[] = {1, -1, 1}, nan[] = {NAN};
  double edges[3 * N];
  smp_lab_options options = {.tau = 0, .u = 0, .k = 2};
  smp_where where;
  begin_case("the plane refuses and writes nothing");
  poison(edges, sizeof edges);
  expect(smp_lab_map(LOGITS, N, &options, bad, 3, edges, &where) == SMP_ERR_PARAM, "tau -1");
  expect(where.param == SMP_AT_TAU && where.index == 1, "at %d, %u", where.param, where.index);
  expect(smp_lab_map(LOGITS, N, &options, nan, 1, edges, &where) == SMP_ERR_PARAM, "tau NaN");
  options.k = N + 1;
  expect(smp_lab_map(LOGITS, N, &options, TAUS, 3, edges, &where) == SMP_ERR_PARAM, "k");
  expect(where.param == SMP_AT_K, "k is blamed on %d", where.param);
  expect(is_poison(edges, sizeof edges), "edges were written");
}

/* The value of 16 bits of a format. */
static double short_value(uint16_t bits, smp_dtype dtype) {
  int mantissa = dtype == SMP_DTYPE_F16 ? 10 : 7, widest = (1 << (15 - mantissa)) - 1;
  int e = (bits & 0x7fff) >> mantissa, m = bits & ((1 << mantissa) - 1);
  double size = e ? m + (1 << mantissa) : m;
  if (e == widest) size = INFINITY;
  for (int power = (e ? e - 1 : 0) + 2 - (widest + 1) / 2 - mantissa; power < 0; power++) size /= 2;
  for (int power = (e ? e - 1 : 0) + 2 - (widest + 1) / 2 - mantissa; power > 0; power--) size *= 2;
  return bits >> 15 ? -size : size;
}

static void test_round_vectors(void) {
  begin_case("the cases of rounding.json");
  for (size_t i = 0; i < sizeof ROUNDING_CASES / sizeof ROUNDING_CASES[0]; i++) {
    const struct rounding_case *c = &ROUNDING_CASES[i];
    double x, got, want = short_value(c->bits, c->dtype);
    memcpy(&x, &c->x, sizeof x);
    expect(smp_lab_round(&x, 1, c->dtype, &got, NULL) == SMP_OK, "status");
    expect(same_bits(got, want), "%a to format %d is %a, want %a", x, c->dtype, got, want);
  }
}

static void test_round(void) {
  static const struct {
    smp_dtype dtype;
    double x, want;
  } facts[] = {
      {SMP_DTYPE_F16, 2049, 2048},          {SMP_DTYPE_F16, 2051, 2052},      /* ties to even */
      {SMP_DTYPE_F16, 65519.999, 65504},    {SMP_DTYPE_F16, 65520, INFINITY}, /* largest */
      {SMP_DTYPE_F16, 0x1p-24, 0x1p-24},    {SMP_DTYPE_F16, 0x1p-25, 0},      /* least */
      {SMP_DTYPE_F16, 0x1.8p-24, 0x1p-23},  {SMP_DTYPE_F16, -INFINITY, -INFINITY},
      {SMP_DTYPE_BF16, 257, 256},           {SMP_DTYPE_BF16, 259, 260},
      {SMP_DTYPE_BF16, 0.1, 0x1.9ap-4},     {SMP_DTYPE_BF16, 3.4e38, INFINITY},
      {SMP_DTYPE_BF16, -1e300, -INFINITY},  {SMP_DTYPE_F64, 0.1, 0.1},
      {SMP_DTYPE_F32, -DBL_MAX, -INFINITY}, {SMP_DTYPE_F32, -0.0, -0.0},
      {SMP_DTYPE_F32, 0x1p-1074, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
    begin_case("%a to format %d", facts[i].x, facts[i].dtype);
    double got;
    expect(smp_lab_round(&facts[i].x, 1, facts[i].dtype, &got, NULL) == SMP_OK, "status");
    expect(same_bits(got, facts[i].want), "%a, want %a", got, facts[i].want);
  }

  begin_case("float32 is what the processor's conversion gives, for 100000 doubles of all magnitudes");
  uint64_t state = 14;
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = (uint64_t)random_word(&state) << 32 | random_word(&state);
    bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)(860 + random_word(&state) % 292) << 52;
    double x, got;
    memcpy(&x, &bits, sizeof x);
    smp_lab_round(&x, 1, SMP_DTYPE_F32, &got, NULL);
    expect(same_bits(got, (double)(float)x), "%a becomes %a", x, got);
  }

  double in[] = {1, NAN}, out[2];
  smp_where where;
  begin_case("rounding refuses and writes nothing");
  poison(out, sizeof out);
  expect(smp_lab_round(in, 2, SMP_DTYPE_F32, out, &where) == SMP_ERR_NAN && where.index == 1, "NaN");
  expect(smp_lab_round(in, 1, (smp_dtype)4, out, &where) == SMP_ERR_PARAM && where.param == SMP_AT_DTYPE, "dtype 4");
  expect(is_poison(out, sizeof out), "out was written");
}

void test_plane(void) {
  for (int tie = 0; tie < 2; tie++)
    for (int share = 0; share < 2; share++) test_map((smp_tie)tie, (smp_share)share);
  test_map_refusals();
  test_round();
  test_round_vectors();
}
