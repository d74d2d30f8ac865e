/* Chains: steps that change numbers, the examples of the documentation, batches, draws, distances, and
   every refusal. */
#include <math.h> /* only for INFINITY and NAN */
#include <stdlib.h>

#include "smp.h"
#include "test.h"

enum { SMALL = 200, SMALL_CAPACITY = 256 };
static double small_work[(18 * SMALL_CAPACITY + 16384) / sizeof(double)];

#define STEP(...) (&(const smp_step){__VA_ARGS__})

/* The logits that one step leaves of a small row, removed entries as -inf. */
static smp_status run_one(const float *logits, size_t n, const smp_step *step, const uint32_t *context,
                          uint32_t n_context, float row[SMALL_CAPACITY], smp_where *where) {
  const smp_chain chain = {
      .steps = step, .n_steps = 1, .context = context, .n_context = n_context, .out = SMP_OUT_LOGITS};
  smp_chain_result result;
  memcpy(row, logits, n * sizeof *row);
  return smp_chain_run(row, n, &chain, NULL, NULL, &result, small_work, where);
}

static void leaves(const float *logits, size_t n, const smp_step *step, const uint32_t *context, uint32_t n_context,
                   const float *want) {
  float row[SMALL_CAPACITY];
  expect(run_one(logits, n, step, context, n_context, row, NULL) == SMP_OK, "status");
  for (size_t i = 0; i < n; i++)
    expect(row[i] == want[i], "row[%zu] is %.9g, want %.9g", i, (double)row[i], (double)want[i]);
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static void test_changes(void) {
  static const float logits[] = {3, -1, 0, 2, -INFINITY};
  static const uint32_t context[] = {1, 0, 1, 4, 1};
  begin_case("repetition: a negative logit is multiplied, -1 becomes -1.5 and not -0.667; once for each id");
  leaves(logits, 5, STEP(.kind = SMP_STEP_REPETITION_PENALTY, .value = 1.5), context, 5,
         (float[]){2, -1.5f, 0, 2, -INFINITY});
  begin_case("repetition over the last id only");
  leaves(logits, 5, STEP(.kind = SMP_STEP_REPETITION_PENALTY, .value = 1.5, .count = 1), context, 5,
         (float[]){3, -1.5f, 0, 2, -INFINITY});
  begin_case("repetition over more ids than there are");
  leaves(logits, 5, STEP(.kind = SMP_STEP_REPETITION_PENALTY, .value = 2, .count = 99), context, 5,
         (float[]){1.5f, -2, 0, 2, -INFINITY});
  begin_case("presence");
  leaves(logits, 5, STEP(.kind = SMP_STEP_PRESENCE_PENALTY, .value = 0.5), context, 5,
         (float[]){2.5f, -1.5f, 0, 2, -INFINITY});
  begin_case("frequency");
  leaves(logits, 5, STEP(.kind = SMP_STEP_FREQUENCY_PENALTY, .value = 0.5), context, 5,
         (float[]){2.5f, -2.5f, 0, 2, -INFINITY});
  begin_case("a negative presence penalty rewards");
  leaves(logits, 5, STEP(.kind = SMP_STEP_PRESENCE_PENALTY, .value = -2), context, 5, (float[]){5, 1, 0, 2, -INFINITY});
  begin_case("no context, no penalty");
  leaves(logits, 5, STEP(.kind = SMP_STEP_FREQUENCY_PENALTY, .value = 0.5), NULL, 0, logits);
  begin_case("bias, in order, and -inf removes");
  leaves(logits, 5,
         STEP(.kind = SMP_STEP_LOGIT_BIAS, .ids = (uint32_t[]){2, 0, 2, 4}, .values = (float[]){1, -INFINITY, 0.5f, 9},
              .count = 4),
         NULL, 0, (float[]){-INFINITY, -1, 1.5f, 2, -INFINITY});
  begin_case("mask");
  leaves(logits, 5, STEP(.kind = SMP_STEP_SUPPRESS_TOKENS, .ids = (uint32_t[]){0, 3, 0}, .count = 3), NULL, 0,
         (float[]){-INFINITY, -1, 0, -INFINITY, -INFINITY});
  begin_case("temperature is one division, rounded once");
  leaves(logits, 5, STEP(.kind = SMP_STEP_TEMPERATURE, .value = 0.7), NULL, 0,
         (float[]){3 / 0.7f, -1 / 0.7f, 0, 2 / 0.7f, -INFINITY});
}

static void test_no_repeat(void) {
  static const float logits[4] = {0};
  static const uint32_t context[] = {0, 1, 2, 0, 1};
  static const struct {
    uint32_t length, n;
    float want[4];
  } cases[] = {
      {1, 5, {-INFINITY, -INFINITY, -INFINITY, 0}}, /* every id that occurred */
      {2, 5, {0, 0, -INFINITY, 0}},                 /* 1 was followed by 2 */
      {3, 5, {0, 0, -INFINITY, 0}},                 /* 0 1 too */
      {4, 5, {0, 0, 0, 0}},
      {6, 5, {0, 0, 0, 0}},
      {2, 1, {0, 0, 0, 0}},
      {1, 0, {0, 0, 0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    begin_case("no run of %u repeats in %u ids", cases[i].length, cases[i].n);
    leaves(logits, 4, STEP(.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = cases[i].length), context, cases[i].n,
           cases[i].want);
  }
}

/* The same steps on a list as on a row: what top-k has removed is out of reach, the rest is changed alike. */
static void test_changes_of_a_list(void) {
  float logits[SMALL], row[SMALL_CAPACITY], list[SMALL_CAPACITY];
  uint32_t ids[SMALL], context[40];
  uint64_t state = 5;
  for (size_t i = 0; i < SMALL; i++) logits[i] = (float)random_word(&state) * 0x1p-29f - 4;
  for (size_t i = 0; i < 40; i++) context[i] = random_word(&state) % SMALL;
  const smp_step steps[] = {
      {.kind = SMP_STEP_TOP_K, .count = 90, .tie = SMP_TIE_THRESHOLD},
      {.kind = SMP_STEP_REPETITION_PENALTY, .value = 1.3, .count = 20},
      {.kind = SMP_STEP_FREQUENCY_PENALTY, .value = 0.25},
      {.kind = SMP_STEP_PRESENCE_PENALTY, .value = 0.5},
      {.kind = SMP_STEP_TEMPERATURE, .value = 0.8},
      {.kind = SMP_STEP_SUPPRESS_TOKENS, .ids = (uint32_t[]){7, 8, 9, 10, 11, 12}, .count = 6},
      {.kind = SMP_STEP_LOGIT_BIAS, .ids = (uint32_t[]){20, 21, 22}, .values = (float[]){1, 2, -1}, .count = 3},
  };
  enum { N = sizeof steps / sizeof steps[0] };
  smp_step bare[N];
  smp_chain chain = {.steps = steps, .n_steps = N, .context = context, .n_context = 40, .out = SMP_OUT_LOGITS};
  smp_chain_result result;
  begin_case("penalties, temperature, mask and bias after top-k");
  memcpy(list, logits, sizeof logits);
  expect(smp_chain_run(list, SMALL, &chain, ids, NULL, &result, small_work, NULL) == SMP_OK, "status");
  memcpy(bare, steps, sizeof steps);
  memcpy(row, logits, sizeof logits);
  chain.steps = bare + 1;
  chain.n_steps = N - 1;
  smp_chain_result whole;
  expect(smp_chain_run(row, SMALL, &chain, NULL, NULL, &whole, small_work, NULL) == SMP_OK, "status");
  expect(result.n_kept >= 84 && result.n_kept <= 90, "%u kept", result.n_kept);
  for (uint32_t j = 0; j < result.n_kept; j++)
    expect(list[j] == row[ids[j]], "entry %u is %g in the list, %g in the row", ids[j], (double)list[j],
           (double)row[ids[j]]);
}

/* ---- Examples --------------------------------------------------------------------------------------------------- */

static uint32_t kept_of(const float *logits, size_t n, const smp_step *step) {
  const smp_chain chain = {.steps = step, .n_steps = 1};
  smp_chain_result result = {0};
  float row[SMALL_CAPACITY];
  memcpy(row, logits, n * sizeof *row);
  expect(smp_chain_run(row, n, &chain, NULL, NULL, &result, small_work, NULL) == SMP_OK, "status");
  return result.n_kept;
}

static void test_examples(void) {
  static const float tied[] = {3, 2, 2, 1};
  begin_case("[3, 2, 2, 1], k = 2: threshold keeps 3, strict 2");
  expect(kept_of(tied, 4, STEP(.kind = SMP_STEP_TOP_K, .count = 2, .tie = SMP_TIE_THRESHOLD)) == 3, "threshold");
  expect(kept_of(tied, 4, STEP(.kind = SMP_STEP_TOP_K, .count = 2, .tie = SMP_TIE_STRICT)) == 2, "strict");
  begin_case("ln [0.5, 0.3, 0.2], p = 0.8 keeps 2");
  static const float logs[] = {-0.6931472f, -1.2039728f, -1.609438f};
  expect(kept_of(logs, 3, STEP(.kind = SMP_STEP_TOP_P, .value = 0.8, .tie = SMP_TIE_LAST)) == 2, "kept");

  /* 100,000 equal entries have p = (float)1e-5 each. In double, as in torch, half of them make half the mass. A running
     sum in float adds p as a multiple of its own spacing, each time off in the same direction, and keeps 50,032. */
  enum { MANY = 100000 };
  begin_case("a running sum in double, not in float: 100,000 equal entries, p = 0.5");
  float *row = calloc(smp_row_capacity(MANY), sizeof *row);
  void *work = malloc(smp_chain_work_size(MANY));
  const smp_chain chain = {.steps = STEP(.kind = SMP_STEP_TOP_P, .value = 0.5, .tie = SMP_TIE_LAST), .n_steps = 1};
  smp_chain_result result;
  expect(smp_chain_run(row, MANY, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "status");
  float sum = 0;
  uint32_t dropped = 0;
  for (; dropped < MANY; dropped++) {
    sum += 1e-5f;
    if (sum > 0.5f) break;
  }
  expect(result.n_kept == 50000, "%u kept", result.n_kept);
  expect(MANY - dropped == 50032, "a sum in float would keep %u", MANY - dropped);
  free(row);
  free(work);
}

static void test_real_row(const char *dir) {
  static const struct {
    uint32_t k;
    double p;
    uint32_t want;
  } cases[] = {{50, 1, 50}, {40, 1, 40}, {49152, 0.9, 14}, {40, 0.9, 11}};
  static float row[REAL_ROW];
  void *work = malloc(smp_chain_work_size(REAL_ROW));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    begin_case("a/00 at 0.7, top-k %u, top-p %g", cases[i].k, cases[i].p);
    const smp_step steps[] = {{.kind = SMP_STEP_TEMPERATURE, .value = 0.7},
                              {.kind = SMP_STEP_TOP_K, .count = cases[i].k, .tie = SMP_TIE_THRESHOLD},
                              {.kind = SMP_STEP_TOP_P, .value = cases[i].p, .tie = SMP_TIE_LAST}};
    const smp_chain chain = {.steps = steps, .n_steps = 3};
    smp_chain_result result = {0};
    if (!read_row(dir, "a/00.f32", row)) continue;
    expect(smp_chain_run(row, REAL_ROW, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "status");
    expect(result.n_kept == cases[i].want, "%u kept, want %u", result.n_kept, cases[i].want);
  }
  free(work);
}

/* Rows with chains of their own, in place, against the same chains one by one; a refused row stays as it was. */
static void test_batch(void) {
  enum { ROWS = 32, N = 128256 };
  const size_t capacity = smp_row_capacity(N);
  float *rows = malloc(ROWS * capacity * sizeof *rows), *one = malloc(capacity * sizeof *one);
  void *work = malloc(smp_chain_work_size(N));
  static smp_step steps[ROWS][3];
  static smp_chain chains[ROWS];
  static smp_chain_result results[ROWS];
  uint64_t state = 11;
  begin_case("32 rows of 128,256 with their own temperature, k, p and u");
  for (uint32_t r = 0; r < ROWS; r++) {
    for (size_t i = 0; i < N; i++) rows[r * capacity + i] = (float)random_word(&state) * 0x1p-28f - 8;
    steps[r][0] = (smp_step){.kind = SMP_STEP_TEMPERATURE, .value = 0.5 + 0.05 * r};
    steps[r][1] = (smp_step){.kind = SMP_STEP_TOP_K, .count = 1 + 500 * r, .tie = SMP_TIE_STRICT};
    steps[r][2] = (smp_step){.kind = SMP_STEP_TOP_P, .value = 0.03 * r, .tie = SMP_TIE_LAST};
    chains[r] = (smp_chain){.steps = steps[r], .n_steps = r % 4 ? 3 : 2, .u = r / 32.0};
  }
  steps[7][0].value = -1;
  rows[9 * capacity + 5] = NAN;
  float *before = malloc(ROWS * capacity * sizeof *rows);
  memcpy(before, rows, ROWS * capacity * sizeof *rows);
  expect(smp_chain_run_rows(rows, ROWS, N, chains, results, work, NULL) == SMP_OK, "status");
  for (uint32_t r = 0; r < ROWS; r++) {
    smp_chain_result alone = {.id = SMP_NONE};
    smp_where where = {SMP_AT_NONE, 0};
    memcpy(one, before + r * capacity, N * sizeof *one);
    smp_status status = smp_chain_run(one, N, &chains[r], NULL, NULL, &alone, work, &where);
    expect(results[r].status == status && results[r].where.param == where.param &&
               results[r].where.index == where.index,
           "row %u: status %d at %d, %u", r, results[r].status, results[r].where.param, results[r].where.index);
    expect((status == SMP_OK) == (r != 7 && r != 9), "row %u: status %d", r, status);
    expect(results[r].id == alone.id && results[r].n_kept == alone.n_kept, "row %u: id %u, alone %u", r, results[r].id,
           alone.id);
    expect(memcmp(one, rows + r * capacity, N * sizeof *one) == 0, "row %u differs from the same alone", r);
  }
  free(rows);
  free(one);
  free(before);
  free(work);
}

/* ---- Draws, logarithms, distances -------------------------------------------------------------------------------- */

/* Weights whose sums are exact, so that every end of an interval is known: none at all in the second third of a row. */
static void draw_from(size_t n, size_t step, uint64_t *state) {
  static float p[70000];
  static double edge[70000];
  double sum = 0;
  begin_case("draws from %zu", n);
  for (size_t i = 0; i < n; i++)
    p[i] = random_word(state) % 3 && (i < n / 3 || i >= 2 * n / 3) ? (float)(random_word(state) % 1024) * 0x1p-20f : 0;
  p[random_word(state) % n] = 0.5f;
  for (size_t i = 0; i < n; i++) edge[i] = sum += (double)p[i];
  uint32_t id = SMP_NONE, last = 0, first = SMP_NONE;
  for (size_t i = 0; i < n; i++) {
    if (!(p[i] > 0)) continue;
    if (first == SMP_NONE) first = (uint32_t)i;
    last = (uint32_t)i;
    double before = edge[i] - (double)p[i];
    if (i % step) continue;
    expect(smp_row_draw(p, n, before / sum + 1e-9 < 1 ? before / sum + 1e-9 : 0, &id, NULL) == SMP_OK && id == i,
           "just after %g: id %u, want %zu", before, id, i);
  }
  expect(smp_row_draw(p, n, 0, &id, NULL) == SMP_OK && id == first, "at the start: id %u, want %u", id, first);
  expect(smp_row_draw(p, n, 1 - 0x1p-53, &id, NULL) == SMP_OK && id == last, "at the end: id %u, want %u", id, last);
  for (size_t i = 2 * n / 3; n > 300 && i < n; i++) p[i] = 0; /* then the end is far from the last block */
  last = 0;
  for (size_t i = 0; i < n; i++) last = p[i] > 0 ? (uint32_t)i : last;
  if (p[last] > 0)
    expect(smp_row_draw(p, n, 1 - 0x1p-53, &id, NULL) == SMP_OK && id == last, "zeros after %u: id %u", last, id);
}

static void test_draw(void) {
  uint64_t state = 3;
  for (size_t n = 1; n <= 300; n += n < 70 ? 1 : 23) draw_from(n, 1, &state);
  for (size_t n = 4095; n <= 4097; n++) draw_from(n, 61, &state);
  draw_from(8192, 127, &state);
  draw_from(70000, 641, &state);
  begin_case("refused draws");
  smp_where where;
  uint32_t id = 77;
  float bad[3] = {0.5f, NAN, -1};
  expect(smp_row_draw(bad, 3, 0.5, &id, &where) == SMP_ERR_NAN && where.param == SMP_AT_ROW && where.index == 1, "NaN");
  bad[1] = 0.5f;
  expect(smp_row_draw(bad, 3, 0.5, &id, &where) == SMP_ERR_PARAM && where.index == 2, "a negative weight");
  expect(smp_row_draw(bad, 2, 1, &id, &where) == SMP_ERR_PARAM && where.param == SMP_AT_U, "u = 1");
  expect(smp_row_draw(bad, 0, 0.5, &id, &where) == SMP_ERR_EMPTY, "no entries");
  expect(smp_row_draw(bad, SMP_ROW_MAX + 1, 0.5, &id, &where) == SMP_ERR_LENGTH, "too many");
  expect(smp_row_draw((float[]){0, 0}, 2, 0.5, &id, &where) == SMP_ERR_MASKED, "all zero");
  expect(id == 77, "an id was written");
}

static void test_logarithms(void) {
  float row[SMALL_CAPACITY], logits[SMALL_CAPACITY];
  uint64_t state = 8;
  for (size_t n = 1; n <= SMALL; n += 7) {
    begin_case("log-softmax of %zu", n);
    for (size_t i = 0; i < n; i++) logits[i] = i % 9 == 4 ? -INFINITY : (float)random_word(&state) * 0x1p-26f - 30;
    double sum = 0, max = -INFINITY;
    for (size_t i = 0; i < n; i++) max = (double)logits[i] > max ? (double)logits[i] : max;
    for (size_t i = 0; i < n; i++) sum += smp_exp((double)logits[i] - max);
    memcpy(row, logits, sizeof row);
    expect(smp_row_log_softmax(row, n, NULL) == SMP_OK, "status");
    uint32_t ids[5], m = n < 5 ? (uint32_t)n : 5;
    double log_p[5];
    expect(smp_row_top_log_p(logits, n, ids, log_p, m, NULL) == SMP_OK, "status of the top");
    for (size_t i = 0; i < n; i++) {
      double want = (double)logits[i] - max - smp_log(sum), off = (double)row[i] - want,
             bound = (2 - ((double)logits[i] - max)) * 0x1p-23;
      if (!(logits[i] > -INFINITY))
        expect(row[i] == -INFINITY, "entry %zu", i);
      else
        expect(off <= bound && off >= -bound, "entry %zu is %.9g, want %.9g", i, (double)row[i], want);
    }
    for (uint32_t j = 0; j < m && log_p[j] > -INFINITY; j++) {
      double off = log_p[j] - ((double)logits[ids[j]] - max - smp_log(sum));
      expect(off <= 3e-7 && off >= -3e-7, "log p of id %u is off by %g", ids[j], off);
    }
  }
}

static void test_distance(void) {
  smp_distance d;
  smp_divergence v;
  smp_where where;
  const float p[] = {0.5f, 0.25f, 0.25f, 0}, q[] = {0.25f, 0.25f, 0, 0.5f}, even[] = {0.5f, 0.5f},
              odd[] = {0.25f, 0.75f};
  begin_case("distance of two distributions, by hand");
  expect(smp_row_distance(p, q, 4, &d, NULL) == SMP_OK, "status");
  expect(d.total_variation == 0.5 && d.max_difference == 0.5 && d.max_id == 3, "%g %g %u", d.total_variation,
         d.max_difference, d.max_id);
  expect(d.only_p == 0.25 && d.n_only_p == 1 && d.only_q == 0.5 && d.n_only_q == 1, "%g of %u, %g of %u", d.only_p,
         d.n_only_p, d.only_q, d.n_only_q);
  expect(smp_row_distance(even, odd, 2, &d, NULL) == SMP_OK && d.max_id == 0 && d.n_only_p == 0, "status");
  begin_case("divergence of two distributions, by hand");
  expect(smp_row_divergence(p, q, 4, &v, NULL) == SMP_OK && v.kl == INFINITY, "%g", v.kl);
  expect(v.entropy_p == 1.5 * smp_log(2) && v.entropy_q == 1.5 * smp_log(2), "%.17g", v.entropy_p);
  expect(smp_row_divergence(even, odd, 2, &v, NULL) == SMP_OK, "status");
  double off = v.kl - 0.14384103622589042; /* ln 2 - ln 3 / 2 */
  expect(off < 1e-15 && off > -1e-15, "%.17g", v.kl);
  expect(smp_row_divergence((float[]){1, 0}, (float[]){1, 0}, 2, &v, NULL) == SMP_OK && v.kl == 0 && v.entropy_p == 0,
         "the same");
  begin_case("refused distances");
  expect(smp_row_distance((float[]){1, 0}, (float[]){1, NAN}, 2, &d, &where) == SMP_ERR_NAN && where.index == 1, "NaN");
  expect(smp_row_divergence((float[]){1, 0}, (float[]){1, NAN}, 2, &v, &where) == SMP_ERR_NAN && where.index == 1,
         "NaN");
  expect(smp_row_distance((float[]){1, -1}, (float[]){1, 0}, 2, &d, &where) == SMP_ERR_PARAM && where.index == 1,
         "negative");
  expect(smp_row_distance(NULL, NULL, 0, &d, &where) == SMP_ERR_EMPTY, "no entries");
  expect(smp_row_divergence(NULL, NULL, 0, &v, &where) == SMP_ERR_EMPTY, "no entries");
  expect(smp_row_distance(NULL, NULL, SMP_ROW_MAX + 1, &d, &where) == SMP_ERR_LENGTH, "too many");
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static void refuse(const char *name, const float *logits, size_t n, const smp_chain *chain, smp_status want,
                   smp_param param, uint32_t index) {
  begin_case("refused: %s", name);
  float row[SMALL_CAPACITY], before[SMALL_CAPACITY];
  uint32_t ids[SMALL];
  smp_step_info infos[4];
  smp_chain_result result;
  smp_where where;
  for (int list = 0; list < 2; list++) {
    poison(row, sizeof row);
    memcpy(row, logits, (n > SMALL ? SMALL : n) * sizeof *row);
    memcpy(before, row, sizeof row);
    poison(ids, sizeof ids);
    poison(infos, sizeof infos);
    poison(&result, sizeof result);
    smp_status status = smp_chain_run(row, n, chain, list ? ids : NULL, infos, &result, small_work, &where);
    expect(status == want && where.param == param && where.index == index, "status %d at %d, %u", status, where.param,
           where.index);
    expect(memcmp(row, before, sizeof row) == 0 && is_poison(ids, sizeof ids) && is_poison(infos, sizeof infos) &&
               is_poison(&result, sizeof result),
           "something was written");
  }
}

static void refuse_step(const char *name, const smp_step *step, smp_param param) {
  static const float logits[] = {-3e38f, 1, 3e38f};
  static const uint32_t context[] = {2, 0, 1};
  const smp_step steps[] = {{.kind = SMP_STEP_TOP_K, .count = 3}, *step};
  refuse(name, logits, 3, &(smp_chain){.steps = steps, .n_steps = 2, .context = context, .n_context = 3}, SMP_ERR_PARAM,
         param, 1);
}

static void test_refusals(void) {
  const smp_chain none = {0};
  float row[SMALL] = {0};
  static const uint32_t places[] = {0, 3, 63, 64, 127, 128, SMALL - 1};
  refuse("no entries", row, 0, &none, SMP_ERR_EMPTY, SMP_AT_ROW, 0);
  refuse("too many entries", row, SMP_ROW_MAX + 1, &none, SMP_ERR_LENGTH, SMP_AT_ROW, 0);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    row[places[i]] = NAN;
    refuse("NaN", row, SMALL, &none, SMP_ERR_NAN, SMP_AT_ROW, places[i]);
    row[places[i]] = INFINITY;
    refuse("+inf", row, SMALL, &none, SMP_ERR_INF, SMP_AT_ROW, places[i]);
    row[places[i]] = 0;
  }
  refuse("all masked", (float[]){-INFINITY, -INFINITY}, 2, &none, SMP_ERR_MASKED, SMP_AT_ROW, 0);

  static const float three[] = {0, 1, 2};
  static const uint32_t beyond[] = {1, 3};
  refuse("u = 1", three, 3, &(smp_chain){.u = 1}, SMP_ERR_PARAM, SMP_AT_U, 0);
  refuse("u NaN", three, 3, &(smp_chain){.u = NAN}, SMP_ERR_PARAM, SMP_AT_U, 0);
  refuse("a context id beyond the row", three, 3, &(smp_chain){.context = beyond, .n_context = 2}, SMP_ERR_PARAM,
         SMP_AT_CONTEXT, 1);
  refuse("an unknown output", three, 3, &(smp_chain){.out = (smp_out)4}, SMP_ERR_PARAM, SMP_AT_OUT, 0);

  static const double bad[] = {NAN, -1, 0, INFINITY, 1e-50};
  for (size_t i = 0; i < 5; i++) {
    refuse_step("temperature", STEP(.kind = SMP_STEP_TEMPERATURE, .value = bad[i]), SMP_AT_TEMPERATURE);
    refuse_step("repetition", STEP(.kind = SMP_STEP_REPETITION_PENALTY, .value = bad[i]), SMP_AT_REPETITION_PENALTY);
  }
  refuse_step("a temperature that makes +inf", STEP(.kind = SMP_STEP_TEMPERATURE, .value = 0.5), SMP_AT_TEMPERATURE);
  refuse_step("a reward that makes +inf", STEP(.kind = SMP_STEP_REPETITION_PENALTY, .value = 0.5),
              SMP_AT_REPETITION_PENALTY);
  refuse_step("presence that makes +inf", STEP(.kind = SMP_STEP_PRESENCE_PENALTY, .value = -3e38),
              SMP_AT_PRESENCE_PENALTY);
  refuse_step("presence NaN", STEP(.kind = SMP_STEP_PRESENCE_PENALTY, .value = NAN), SMP_AT_PRESENCE_PENALTY);
  refuse_step("frequency inf", STEP(.kind = SMP_STEP_FREQUENCY_PENALTY, .value = INFINITY), SMP_AT_FREQUENCY_PENALTY);
  refuse_step("bias of a far id",
              STEP(.kind = SMP_STEP_LOGIT_BIAS, .ids = (uint32_t[]){3}, .values = three, .count = 1),
              SMP_AT_LOGIT_BIAS);
  refuse_step("bias +inf", STEP(.kind = SMP_STEP_LOGIT_BIAS, .ids = beyond, .values = (float[]){INFINITY}, .count = 1),
              SMP_AT_LOGIT_BIAS);
  refuse_step("bias NaN", STEP(.kind = SMP_STEP_LOGIT_BIAS, .ids = beyond, .values = (float[]){NAN}, .count = 1),
              SMP_AT_LOGIT_BIAS);
  refuse_step("mask of a far id", STEP(.kind = SMP_STEP_SUPPRESS_TOKENS, .ids = (uint32_t[]){9}, .count = 1),
              SMP_AT_SUPPRESS_TOKENS);
  refuse_step("mask of everything", STEP(.kind = SMP_STEP_SUPPRESS_TOKENS, .ids = (uint32_t[]){0, 1, 2}, .count = 3),
              SMP_AT_SUPPRESS_TOKENS);
  refuse_step("no repeats at all", STEP(.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = 1),
              SMP_AT_NO_REPEAT_NGRAM_SIZE);
  refuse_step("runs of 0", STEP(.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = 0), SMP_AT_NO_REPEAT_NGRAM_SIZE);
  refuse_step("k = 0", STEP(.kind = SMP_STEP_TOP_K, .count = 0), SMP_AT_TOP_K);
  refuse_step("an unknown tie", STEP(.kind = SMP_STEP_TOP_K, .count = 1, .tie = (smp_tie)3), SMP_AT_TIE);
  refuse_step("an unknown step", STEP(.kind = (smp_step_kind)15), SMP_AT_STEP);
  static const double outside[] = {-1e-9, 1.0000001, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 5; i++) {
    refuse_step("top-p", STEP(.kind = SMP_STEP_TOP_P, .value = outside[i]), SMP_AT_TOP_P);
    refuse_step("min-p", STEP(.kind = SMP_STEP_MIN_P, .value = outside[i]), SMP_AT_MIN_P);
    refuse_step("top-h", STEP(.kind = SMP_STEP_TOP_H, .value = outside[i]), SMP_AT_TOP_H);
    refuse_step("typical", STEP(.kind = SMP_STEP_TYPICAL_P, .value = outside[i]), SMP_AT_TYPICAL_P);
    refuse_step("epsilon", STEP(.kind = SMP_STEP_EPSILON_CUTOFF, .value = outside[i]), SMP_AT_EPSILON_CUTOFF);
    refuse_step("eta", STEP(.kind = SMP_STEP_ETA_CUTOFF, .value = outside[i]), SMP_AT_ETA_CUTOFF);
  }
  refuse_step("top-h 0", STEP(.kind = SMP_STEP_TOP_H, .value = 0), SMP_AT_TOP_H);
  refuse_step("typical 1", STEP(.kind = SMP_STEP_TYPICAL_P, .value = 1), SMP_AT_TYPICAL_P);
  refuse_step("epsilon 0", STEP(.kind = SMP_STEP_EPSILON_CUTOFF, .value = 0), SMP_AT_EPSILON_CUTOFF);
  refuse_step("eta 1", STEP(.kind = SMP_STEP_ETA_CUTOFF, .value = 1), SMP_AT_ETA_CUTOFF);
  refuse_step("sigma", STEP(.kind = SMP_STEP_TOP_N_SIGMA, .value = -1), SMP_AT_TOP_N_SIGMA);
  begin_case("sizes");
  expect(smp_chain_work_size(0) == 0 && smp_chain_work_size(SMP_ROW_MAX + 1) == 0 &&
             smp_chain_work_size(SMALL) <= sizeof small_work,
         "work size");
}

void test_chain(const char *logits_dir) {
  test_changes();
  test_no_repeat();
  test_changes_of_a_list();
  test_examples();
  test_real_row(logits_dir);
  test_batch();
  test_draw();
  test_logarithms();
  test_distance();
  test_refusals();
}
