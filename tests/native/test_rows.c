/* Row kernels: real rows against double arithmetic, every size and alignment, order and ties, refusals. */
#include <math.h> /* only for INFINITY and NAN */
#include <stdlib.h>

#include "lanes.h"
#include "smp.h"
#include "test.h"

enum { SMALL = 200, SMALL_CAPACITY = 256 };

static uint32_t naive_top(const float *row, size_t n) {
  size_t top = 0;
  for (size_t i = 1; i < n; i++)
    if (row[i] > row[top]) top = i;
  return (uint32_t)top;
}

/* ---- Softmax ---------------------------------------------------------------------------------------------------- */

/* Compare with the exact softmax of the float row, taken in double, whose error is far below the bound. */
static void check_softmax(const float *logits, const float *p, size_t n, double entropy) {
  double max = logits[naive_top(logits, n)], sum = 0, want_entropy = 0, total = 0;
  for (size_t i = 0; i < n; i++) sum += smp_exp(logits[i] - max);
  for (size_t i = 0; i < n; i++) {
    double score = logits[i] - max, want = smp_exp(score) / sum;
    double error = p[i] > want ? p[i] - want : want - p[i];
    double bound = want * (2 - score) * 0x1p-23;
    if (smp_exp(score) < 0x1p-126) bound = 0x1p-126 / sum; /* flushed to zero */
    expect(error <= bound || want == 0, "p[%zu] = %a, want %a, off by %g of the bound", i, p[i], want, error / bound);
    if (want > 0) want_entropy -= want * (score - smp_log(sum));
    total += p[i];
  }
  expect(total - 1 <= 1e-6 && 1 - total <= 1e-6, "the sum is %.9g", total);
  double off = entropy - want_entropy;
  expect(off <= 2e-6 && off >= -2e-6, "entropy %.9g, want %.9g", entropy, want_entropy);
}

static void test_real_rows(const char *dir) {
  static float logits[REAL_ROW], row[REAL_ROW];
  static const float temperatures[] = {1.0f, 0.7f, 0.05f, 20.0f};
  for (size_t i = 0; i < N_REAL_ROWS; i++) {
    for (size_t t = 0; t < sizeof temperatures / sizeof temperatures[0]; t++) {
      begin_case("softmax of %s at %g", REAL_ROWS[i], (double)temperatures[t]);
      if (!read_row(dir, REAL_ROWS[i], logits)) continue;
      smp_row_temperature(logits, REAL_ROW, temperatures[t], NULL);
      memcpy(row, logits, sizeof row);
      float max;
      uint32_t id;
      double entropy;
      smp_row_scan(row, REAL_ROW, &max, &id, NULL);
      expect(id == naive_top(logits, REAL_ROW) && max == logits[id], "max %g at %u", (double)max, id);
      smp_row_softmax(row, REAL_ROW, &entropy, NULL);
      check_softmax(logits, row, REAL_ROW, entropy);
    }
  }
}

/* Rows of every size up to 200 that start one float off any vector's alignment; nothing beyond the capacity moves. */
static void test_sizes(void) {
  uint64_t state = 42;
  for (size_t n = 1; n <= SMALL; n++) {
    begin_case("a row of %zu", n);
    float buffer[1 + SMALL_CAPACITY + 8], logits[SMALL], *row = buffer + 1, max;
    size_t capacity = smp_row_capacity(n), rest = sizeof buffer - sizeof(float) * (1 + capacity);
    poison(buffer, sizeof buffer);
    for (size_t i = 0; i < n; i++) {
      logits[i] = (float)random_word(&state) * 0x1p-28f - 8;
      if (i % 7 == 3) logits[i] = -INFINITY;
    }
    memcpy(row, logits, n * sizeof *row);

    uint32_t id;
    double entropy;
    expect(smp_row_scan(row, n, &max, &id, NULL) == SMP_OK, "scan");
    expect(id == naive_top(logits, n) && max == logits[id], "max %g at %u", (double)max, id);
    for (size_t i = n; i < capacity; i++) expect(row[i] == -INFINITY, "padding %zu", i);
    expect(smp_row_temperature(row, n, 0.7f, NULL) == SMP_OK, "temperature");
    for (size_t i = 0; i < n; i++) {
      logits[i] /= 0.7f;
      expect(row[i] == logits[i], "row[%zu] = %a, want %a", i, (double)row[i], (double)logits[i]);
    }
    expect(smp_row_softmax(row, n, &entropy, NULL) == SMP_OK, "softmax");
    check_softmax(logits, row, n, entropy);
    for (size_t i = n; i < capacity; i++) expect(row[i] == 0, "padding %zu after softmax", i);
    expect(is_poison(buffer, sizeof *buffer) && is_poison(row + capacity, rest), "written outside the row");
  }
}

/* Few distinct values, where every partial sum of a block rounds alike and errors would add up. */
static void test_repeated_values(void) {
  for (float low = -8; low <= 0; low += 0.37f) {
    begin_case("rows of zeros and %g", (double)low);
    for (size_t n = 1; n <= SMALL; n++) {
      float logits[SMALL], row[SMALL_CAPACITY];
      double entropy;
      for (size_t i = 0; i < n; i++) logits[i] = i % 43 == 0 ? 0 : low;
      memcpy(row, logits, n * sizeof *row);
      expect(smp_row_softmax(row, n, &entropy, NULL) == SMP_OK, "softmax");
      check_softmax(logits, row, n, entropy);
    }
  }
}

static void test_softmax_edges(void) {
  float row[64] = {0, -87.336538f, -87.336548f, -INFINITY, -3e38f};
  begin_case("weights below 2^-126 and masked entries are +0");
  smp_row_softmax(row, 5, NULL, NULL);
  expect(row[0] == 1 && row[1] > 0x1p-126f && row[1] < 0x1.0001p-126f, "%a %a", (double)row[0], (double)row[1]);
  for (int i = 2; i < 64; i++) expect(same_bits(row[i], 0), "row[%d] = %a", i, (double)row[i]);

  float far_apart[64] = {3e38f, -3e38f};
  double entropy;
  begin_case("a difference beyond the range of float");
  smp_row_softmax(far_apart, 2, &entropy, NULL);
  expect(far_apart[0] == 1 && far_apart[1] == 0 && entropy == 0, "%g %g", (double)far_apart[1], entropy);

  begin_case("a flat row of 2^20");
  float *flat = calloc(SMP_ROW_MAX, sizeof *flat);
  smp_row_softmax(flat, SMP_ROW_MAX, &entropy, NULL);
  expect(flat[0] == 0x1p-20f && flat[SMP_ROW_MAX - 1] == 0x1p-20f, "%a", (double)flat[0]);
  expect(same_bits(entropy, smp_log(0x1p20)), "entropy %.17g", entropy);
  free(flat);
}

/* Every float from -2^-26, where e^x is still 1, down to -2^7, in blocks of 64; in builds where that takes more than
   seconds, one block of 509. */
static void test_exponential(void) {
#if defined(__OPTIMIZE__) && defined(__x86_64__) && !defined(__clang__)
  enum { STEP = 1 };
#else
  enum { STEP = 509 };
#endif
  const uint32_t first = 0xb2800000, last = 0xc3000000;
  const lanes_exp_constants k = lanes_exp_ready();
  float before = 1, x[64], e[64], quick[64];
  uint32_t rises = 0, off = 0, differ = 0;
  begin_case("e^x never rises where x falls, is 0 below 2^-126, else within (1.5 + |x|) 2^-24 of it");
  for (uint32_t bits = first; bits < last; bits += 64 * STEP) {
    for (uint32_t i = 0; i < 64; i++) {
      uint32_t of_x = bits + i;
      memcpy(&x[i], &of_x, sizeof of_x);
    }
    lanes_exp_block(x, 1, 1, lanes_all(1), lanes_all(0), &k, e);
    for (int i = 0; i < 64; i++) {
      rises += e[i] > before;
      before = e[i];
    }
    if (x[63] > -87.336540f) {
      lanes_exp_block(x, 0, 0, lanes_all(1), lanes_all(0), &k, quick);
      differ += memcmp(quick, e, sizeof e) != 0;
    }
    const double want = smp_exp((double)x[9]), error = (double)e[9] - want;
    const double bound = x[9] > -87.336540f ? want * (1.5 - (double)x[9]) * 0x1p-24 : want;
    off += error > bound || -error > bound;
  }
  expect(rises == 0 && off == 0 && differ == 0, "%u rise, %u are off, %u differ without the floor", rises, off, differ);
  for (int i = 0; i < 64; i++) x[i] = -0x1p-26f * (float)i / 64;
  lanes_exp_block(x, 1, 1, lanes_all(1), lanes_all(0), &k, e);
  for (int i = 0; i < 64; i++) expect(e[i] == 1, "e^%a is %a", (double)x[i], (double)e[i]);
  expect(before == 0, "%g at the end", (double)before);
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static void test_scan_edges(void) {
  static const size_t sizes[][2] = {
      {0, 0}, {1, 64}, {64, 64}, {65, 128}, {SMP_ROW_MAX, SMP_ROW_MAX}, {SMP_ROW_MAX + 1, 0}, {SIZE_MAX, 0}};
  begin_case("capacity");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    expect(smp_row_capacity(sizes[i][0]) == sizes[i][1], "of %zu is %zu", sizes[i][0], smp_row_capacity(sizes[i][0]));

  for (size_t first = 0; first < 130; first += 3) {
    float row[192], max;
    uint32_t id;
    begin_case("equal maxima, -0 before +0, from %zu", first);
    for (size_t i = 0; i < 192; i++) row[i] = i < first ? -1 : 0.0f;
    row[first] = -0.0f;
    smp_row_scan(row, 180, &max, &id, NULL);
    expect(id == first && same_bits(max, -0.0), "id %u, max %a", id, (double)max);
    smp_row_scan(row, 180, NULL, NULL, NULL);
  }
}

static void test_top(void) {
  static const size_t counts[] = {1, 2, 3, 10, 63, 64, SMALL};
  uint64_t state = 7;
  for (uint32_t values = 1; values <= 1000000; values *= 100) {
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      begin_case("top %zu of %d among %u values", counts[c], SMALL, values);
      float row[SMALL];
      uint32_t ids[SMALL + 1];
      uint8_t taken[SMALL] = {0};
      for (size_t i = 0; i < SMALL; i++) row[i] = (float)(random_word(&state) % values);
      for (size_t i = 5; i < SMALL; i += 11) row[i] = -INFINITY;
      poison(ids, sizeof ids);
      expect(smp_row_top(row, SMALL, ids, counts[c], NULL) == SMP_OK, "status");
      for (size_t j = 0; j < counts[c]; j++) {
        uint32_t want = SMP_NONE;
        for (uint32_t i = 0; i < SMALL; i++)
          if (!taken[i] && (want == SMP_NONE || row[i] > row[want])) want = i;
        taken[want] = 1;
        expect(ids[j] == want, "ids[%zu] = %u, want %u", j, ids[j], want);
      }
      expect(is_poison(&ids[counts[c]], sizeof *ids), "written beyond m");
    }
  }
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

enum call { SCAN, TEMPERATURE, SOFTMAX, TOP };

static void refuse(enum call call, const float *logits, size_t n, float tau, size_t m, smp_status want, smp_param param,
                   uint32_t index) {
  static const char *const names[] = {"scan", "temperature", "softmax", "top"};
  begin_case("refused: %s of %zu, tau %g, m %zu: %s at %u", names[call], n, (double)tau, m, smp_status_text(want),
             index);
  float row[SMALL_CAPACITY], before[SMALL_CAPACITY], max;
  uint32_t id, ids[8];
  double entropy;
  smp_where where;
  poison(row, sizeof row);
  memcpy(row, logits, (n > SMALL ? SMALL : n) * sizeof *row);
  memcpy(before, row, sizeof row);
  poison(&max, sizeof max);
  poison(&id, sizeof id);
  poison(ids, sizeof ids);
  poison(&entropy, sizeof entropy);
  poison(&where, sizeof where);
  smp_status status = call == SCAN          ? smp_row_scan(row, n, &max, &id, &where)
                      : call == TEMPERATURE ? smp_row_temperature(row, n, tau, &where)
                      : call == SOFTMAX     ? smp_row_softmax(row, n, &entropy, &where)
                                            : smp_row_top(row, n, ids, m, &where);
  expect(status == want, "status %d, want %d", status, want);
  expect(where.param == param && where.index == index, "at %d, %u", where.param, where.index);
  expect(memcmp(row, before, sizeof row) == 0, "the row or its padding was written");
  expect(is_poison(&max, sizeof max) && is_poison(&id, sizeof id) && is_poison(ids, sizeof ids) &&
             is_poison(&entropy, sizeof entropy),
         "an output was written");
}

static void refuse_everywhere(const float *logits, size_t n, smp_status want, uint32_t index) {
  for (enum call call = SCAN; call <= TOP; call++) refuse(call, logits, n, 0.7f, 1, want, SMP_AT_ROW, index);
}

static void test_refusals(void) {
  static const uint32_t places[] = {0, 3, 63, 64, 127, 128, SMALL - 1};
  float row[SMALL] = {0};
  refuse_everywhere(row, 0, SMP_ERR_EMPTY, 0);
  refuse_everywhere(row, SMP_ROW_MAX + 1, SMP_ERR_LENGTH, 0);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    row[places[i]] = NAN;
    refuse_everywhere(row, SMALL, SMP_ERR_NAN, places[i]);
    row[places[i]] = INFINITY;
    refuse_everywhere(row, SMALL, SMP_ERR_INF, places[i]);
    row[SMALL - 1] = NAN; /* the first one counts */
    refuse_everywhere(row, SMALL, places[i] == SMALL - 1 ? SMP_ERR_NAN : SMP_ERR_INF, places[i]);
    row[places[i]] = row[SMALL - 1] = 0;
  }
  for (size_t i = 0; i < SMALL; i++) row[i] = -INFINITY;
  refuse_everywhere(row, SMALL, SMP_ERR_MASKED, 0);

  float plain[] = {-1, 1, 2};
  static const float taus[] = {0, -0.0f, -1, NAN, INFINITY, -INFINITY, 1e-39f};
  for (size_t i = 0; i < sizeof taus / sizeof taus[0]; i++)
    refuse(TEMPERATURE, plain, 3, taus[i], 1, SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0);
  refuse(TEMPERATURE, plain, 1, 1e-39f, 1, SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0);
  refuse(TOP, plain, 3, 1, 0, SMP_ERR_PARAM, SMP_AT_N, 0);
  refuse(TOP, plain, 3, 1, 4, SMP_ERR_PARAM, SMP_AT_N, 0);

  begin_case("an overflow to -inf masks the entry");
  float masked[64] = {1e-5f, -1};
  expect(smp_row_temperature(masked, 2, 1e-39f, NULL) == SMP_OK, "status");
  expect(masked[1] == -INFINITY && masked[0] > 9e33f, "%g", (double)masked[0]);
}

void test_rows(const char *logits_dir) {
  test_real_rows(logits_dir);
  test_sizes();
  test_repeated_values();
  test_softmax_edges();
  test_exponential();
  test_scan_edges();
  test_top();
  test_refusals();
}
