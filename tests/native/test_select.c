/* Steps that remove, against the reference: rows of every kind and size, every alignment, every k and p. */
#include <float.h>
#include <math.h> /* only for INFINITY and frexp */
#include <stdlib.h>

#include "reference.h"
#include "test.h"

enum shape { RANDOM, TIED, SORTED, REVERSED, EQUAL, MASKED, HEAVY, NEAR, FLAT, ZEROS, TINY, FAR, EXTREME, N_SHAPES };
static const char *const SHAPES[] = {"random",        "tied",         "sorted",     "reversed", "all-equal",
                                     "mostly masked", "heavy-tailed", "ulps apart", "flat",     "signed zeros",
                                     "subnormal",     "far",          "of extremes"};

static const float EXTREMES[] = {-FLT_MAX, FLT_MAX, -0.0f, 0, -FLT_MIN, FLT_MIN, -0x1p31f, 0x1p31f, -INFINITY, 104};
enum { N_EXTREMES = sizeof EXTREMES / sizeof EXTREMES[0] };

/* Nearly normal: the sum of four uniform numbers. */
static float bell(uint64_t *state) {
  float sum = 0;
  for (int i = 0; i < 4; i++) sum += (float)random_word(state) * 0x1p-32f;
  return sum - 2;
}

static int float_order(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return x < y ? -1 : x > y;
}

static void paint(float *row, size_t n, enum shape shape, uint64_t *state) {
  for (size_t i = 0; i < n; i++) {
    float z = 4 * bell(state);
    uint32_t word = random_word(state);
    switch (shape) {
    case TIED:
      row[i] = (float)(word % 5) - 2;
      break;
    case EQUAL:
      row[i] = -1.5f;
      break;
    case MASKED:
      row[i] = word % 16 ? -INFINITY : z;
      break;
    case HEAVY:
      row[i] = z * z * z * 40;
      break;
    case NEAR:
      row[i] = 5 + 0x1p-21f * (float)(word % 4);
      break;
    case FLAT:
      row[i] = z * 0.01f;
      break;
    case ZEROS:
      row[i] = word % 8 ? word % 2 ? -0.0f : 0 : -1;
      break;
    case TINY:
      row[i] = (float)(int32_t)(word % 31 - 15) * 0x1p-149f;
      break;
    case FAR: /* magnitudes from 2^31 on, often neighbours */
      row[i] = (float)(0x1p31 * (double)(1u << random_word(state) % 30)) * (word & 64 ? -1 : 1) *
               (1 + (float)(word % 5) * 0x1p-23f);
      break;
    case EXTREME:
      row[i] = EXTREMES[word % N_EXTREMES];
      break;
    default:
      row[i] = z;
      break;
    }
  }
  if (shape == EXTREME) row[random_word(state) % n] = 0;
  if (shape == MASKED) row[random_word(state) % n] = 3;
  if (shape == SORTED || shape == REVERSED) qsort(row, n, sizeof *row, float_order);
  for (size_t i = 0; shape == REVERSED && i < n / 2; i++) {
    float x = row[i];
    row[i] = row[n - 1 - i];
    row[n - 1 - i] = x;
  }
}

/* Buffers for the largest row, one float off any vector's alignment. */
enum { GREATEST = 128256, ROOM = 128256 + 64 };
static float logits[ROOM], list_buffer[ROOM + 9], row_buffer[ROOM + 9], masked[ROOM];
static uint8_t want[ROOM];
static uint32_t ids[ROOM], spare[ROOM];
static void *work, *exact_work;
static double scores[ROOM], shares[ROOM], keys[ROOM];
static uint32_t order[ROOM];
static uint32_t steps_run, steps_by_rounding; /* on rows without ties */

/* What the reference keeps of the logits, in `want`; returns how many. */
static uint32_t reference_keeps(size_t n, const smp_step *step) {
  reference r = {.x = scores, .p = shares, .key = keys, .order = order, .n = (uint32_t)n};
  uint32_t n_want = 0;
  for (size_t i = 0; i < n; i++) scores[i] = (double)logits[i];
  smpi_reference_softmax(&r);
  smpi_reference_step(&r, step);
  for (size_t i = 0; i < n; i++) n_want += want[i] = scores[i] > -INFINITY;
  return n_want;
}

/* Places of the row and of the work area: just as far as they may reach, so that sanitizers see a step too far. */
static void *work_of(size_t n) {
  free(exact_work);
  exact_work = malloc(smp_chain_work_size(n));
  poison(exact_work, smp_chain_work_size(n));
  return exact_work;
}

static void check_step(size_t n, const smp_step *step) {
  float *list = list_buffer + 1, *row = row_buffer + 1;
  const size_t capacity = smp_row_capacity(n);
  smp_chain chain = {.steps = step, .n_steps = 1, .u = 0.7};
  smp_chain_result result, again;
  smp_step_info info;
  poison(list_buffer, (capacity + 9) * sizeof(float));
  poison(row_buffer, (capacity + 9) * sizeof(float));
  poison(ids, (n + 1) * sizeof *ids);
  memcpy(list, logits, n * sizeof *list);
  memcpy(row, logits, n * sizeof *row);
  const uint32_t n_want = reference_keeps(n, step);

  void *area = n <= 200 ? work_of(n) : work;
  expect(smp_chain_run(list, n, &chain, ids, NULL, &result, area, NULL) == SMP_OK, "status");
  expect(smp_chain_run(row, n, &chain, NULL, &info, &again, area, NULL) == SMP_OK, "status with infos");
  expect(result.n_kept == again.n_kept && result.id == again.id && result.by_rounding == again.by_rounding,
         "with infos %u kept, %u chosen; without %u, %u", again.n_kept, again.id, result.n_kept, result.id);
  expect(is_poison(list_buffer, sizeof(float)) && is_poison(row_buffer, sizeof(float)) &&
             is_poison(list + n, (capacity - n + 8) * sizeof(float)) && is_poison(row + capacity, 8 * sizeof(float)),
         "written outside the row");
  expect(is_poison(ids + n, sizeof *ids), "written outside the ids");
  expect(memcmp(list + result.n_kept, result.n_kept < n ? logits + result.n_kept : list + result.n_kept,
                (n - result.n_kept) * sizeof *list) == 0,
         "the row is written beyond the list");

  /* Only the id: the same one, though nothing was weighed but sums, and nothing written. */
  chain.out = SMP_OUT_ID;
  memcpy(masked, logits, n * sizeof *logits);
  poison(spare, n * sizeof *spare);
  expect(smp_chain_run(masked, n, &chain, spare, NULL, &again, area, NULL) == SMP_OK, "status with only the id");
  expect(again.id == result.id && again.n_kept == result.n_kept, "only the id: %u of %u", again.id, again.n_kept);
  expect(memcmp(masked, logits, n * sizeof *logits) == 0 && is_poison(spare, n * sizeof *spare),
         "something is written");

  uint32_t j = 0, differ = 0;
  double sum = 0, least = INFINITY;
  for (size_t i = 0; i < n; i++) {
    int kept = j < result.n_kept && ids[j] == i;
    differ += kept != want[i];
    float p = kept ? list[j++] : 0;
    expect(same_bits((double)row[i], (double)p), "row[%zu] is %a, in the list %a", i, (double)row[i], (double)p);
    sum += (double)p;
    masked[i] = kept ? logits[i] : -INFINITY;
    if (kept && (double)logits[i] < least) least = (double)logits[i];
  }
  expect(j == result.n_kept, "ids do not rise");
  for (size_t i = n; i < capacity; i++) expect(row[i] == 0, "padding %zu", i);
  steps_run++;
  steps_by_rounding += result.by_rounding;
  expect(differ == 0 || result.by_rounding, "%u kept, the reference keeps %u, %u differ", result.n_kept, n_want,
         differ);
  expect(sum - 1 <= 1e-6 && 1 - sum <= 1e-6, "the sum is %.9g", sum);
  expect(row[result.id] > 0, "the chosen id has no probability");

  /* The same probabilities as softmax of what is left, within what the order of sums does. */
  expect(smp_row_softmax(masked, n, NULL, NULL) == SMP_OK, "softmax");
  for (size_t i = 0; i < n; i++) {
    float off = row[i] - masked[i];
    expect((off < 0 ? -off : off) <= masked[i] * 0x1p-21f, "p[%zu] is %g, softmax of what is left %g", i,
           (double)row[i], (double)masked[i]);
  }
  expect(info.n_kept == result.n_kept && info.cut == least && info.by_rounding == result.by_rounding,
         "info: %u from %g on", info.n_kept, info.cut);
  expect(info.mass > 0 && info.mass <= 1 + 1e-6 && info.entropy >= 0, "info: mass %g, entropy %g", info.mass,
         info.entropy);
}

static const double SHARES[] = {0,    1e-9, 0.01, 0.1,  0.25, 0.3,   0.5,      0.6,
                                0.75, 0.8,  0.9,  0.95, 0.99, 0.999, 1 - 1e-7, 1};
enum { N_SHARES = sizeof SHARES / sizeof SHARES[0] };
static const smp_tie TIES[] = {SMP_TIE_STRICT, SMP_TIE_THRESHOLD, SMP_TIE_LAST};

/* Long rows: every fourth of the shares; the longest: every eighth, one rule of ties, few k. */
static void check_all_steps(size_t n, enum shape shape, int every_k) {
  const size_t stride = (n == GREATEST ? 8 : n > 1000 ? 4 : n > 70 ? 2 : 1) * every;
  const char *name = SHAPES[shape];
  const size_t ks[] = {1, 2, 3, 7, 50, 63, 64, 65, 100, 1000, n / 2, n - 1, n, n + 1};
  for (int t = n == GREATEST ? 2 : 0; t < 3; t++) {
    if (every_k)
      for (uint32_t k = 1; k <= n; k++) {
        begin_case("%s row of %zu, top-k %u, tie %d", name, n, k, TIES[t]);
        check_step(n, &(smp_step){.kind = SMP_STEP_TOP_K, .count = k, .tie = TIES[t]});
      }
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i += stride) {
      if (ks[i] < 1) continue;
      begin_case("%s row of %zu, top-k %zu, tie %d", name, n, ks[i], TIES[t]);
      check_step(n, &(smp_step){.kind = SMP_STEP_TOP_K, .count = (uint32_t)ks[i], .tie = TIES[t]});
    }
    for (size_t i = 0; i < N_SHARES; i += stride) {
      begin_case("%s row of %zu, top-p %g, tie %d", name, n, SHARES[i], TIES[t]);
      check_step(n, &(smp_step){.kind = SMP_STEP_TOP_P, .value = SHARES[i], .tie = TIES[t]});
    }
  }
  static const smp_step_kind kinds[] = {SMP_STEP_MIN_P,      SMP_STEP_TYPICAL_P, SMP_STEP_EPSILON_CUTOFF,
                                        SMP_STEP_ETA_CUTOFF, SMP_STEP_TOP_H,     SMP_STEP_TOP_N_SIGMA};
  for (size_t s = 0; s < sizeof kinds / sizeof kinds[0]; s++)
    for (size_t i = 1; i + 1 < N_SHARES; i += stride) {
      begin_case("%s row of %zu, step %d with %g", name, n, kinds[s], SHARES[i]);
      check_step(n, &(smp_step){.kind = kinds[s], .value = SHARES[i]});
    }
  for (int i = 0; i < 2; i++) {
    begin_case("%s row of %zu, min-p %d", name, n, i);
    check_step(n, &(smp_step){.kind = SMP_STEP_MIN_P, .value = i});
    begin_case("%s row of %zu, top-n-sigma %d", name, n, 3 * i);
    check_step(n, &(smp_step){.kind = SMP_STEP_TOP_N_SIGMA, .value = 3 * i});
  }
}

/* Limits just above a running sum: so near that the mass below a bracket must be exact, and yet not within 4 ulp. That
   is so for sums a little below a power of two. */
static void check_near_limits(void) {
  static float p[8192];
  const size_t n = sizeof p / sizeof *p;
  int tried = 0;
  for (size_t i = 0; i < n; i++) p[i] = logits[i] = (float)(i * 2731 % n) * 0x1p-11f - 0.7f;
  smp_row_softmax(p, n, NULL, NULL);
  qsort(p, n, sizeof *p, float_order);
  double sum = 0;
  for (size_t i = 0; i < n - 1; i++) {
    sum += (double)p[i];
    int exponent;
    if (i % 50 || frexp(sum, &exponent) < 0.8 || sum < 0.01 || sum > 0.5) continue;
    begin_case("top-p just above the sum of the %zu least", i + 1);
    check_step(n, &(smp_step){.kind = SMP_STEP_TOP_P, .value = 1 - sum * (1 + 0.85 * 0x1p-21), .tie = SMP_TIE_LAST});
    tried++;
  }
  begin_case("some limits just above a sum were found");
  expect(tried > 10, "%d", tried);
}

void test_select(void) {
  static const size_t sizes[] = {257, 1000, 8191, 8192, GREATEST};
  uint64_t state = 20240101;
  work = malloc(smp_chain_work_size(GREATEST));
  for (size_t n = 1; n <= 200; n += every) {
    enum shape shape = (enum shape)(n % N_SHAPES);
    paint(logits, n, shape, &state);
    check_all_steps(n, shape, n <= 20 || n % 50 == 0);
  }
  steps_run = steps_by_rounding = 0;
  for (size_t n = 3; n <= 300; n += 11) {
    paint(logits, n, RANDOM, &state);
    check_all_steps(n, RANDOM, 0);
  }
  begin_case("by_rounding is rare where entries are apart");
  expect(steps_by_rounding * 20 < steps_run, "%u of %u", steps_by_rounding, steps_run);
  for (enum shape shape = 0; shape < N_SHAPES; shape++)
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      if (sizes[s] == GREATEST && shape != RANDOM && shape != FLAT) continue;
      paint(logits, sizes[s], shape, &state);
      check_all_steps(sizes[s], shape, 0);
    }
  check_near_limits();
  free(work);
  free(exact_work);
  exact_work = NULL;
}
