/* Where rows are at an edge: an entry that must survive, searches of nothing, runs of ids without a
   context, and what was once answered wrongly. */
#include <float.h>
#include <math.h> /* only for INFINITY */
#include <stdlib.h>

#include "chain.h"
#include "engine.h"
#include "test.h"

#define STEP(...) (&(const smp_step){__VA_ARGS__})

/* What a chain leaves of a small row, and the id at u = 0.5. */
static smp_chain_result run(const float *logits, size_t n, const smp_step *steps, uint32_t n_steps) {
  const smp_chain chain = {.steps = steps, .n_steps = n_steps, .u = 0.5};
  smp_chain_result result = {.id = SMP_NONE};
  float row[SMP_ROW_BLOCK];
  void *work = malloc(smp_chain_work_size(n));
  memcpy(row, logits, n * sizeof *row);
  expect(smp_chain_run(row, n, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "status");
  free(work);
  return result;
}

static void leaves_one(const char *name, const float *logits, size_t n, const smp_step *steps, uint32_t n_steps,
                       uint32_t id) {
  begin_case("%s", name);
  const smp_chain_result r = run(logits, n, steps, n_steps);
  expect(r.n_kept == 1 && r.id == id, "%u kept, id %u, want 1 and %u", r.n_kept, r.id, id);
}

static void test_survivors(void) {
  const smp_step cold[] = {{.kind = SMP_STEP_TEMPERATURE, .value = 1e-8},
                           {.kind = SMP_STEP_TOP_P, .value = 1, .tie = SMP_TIE_LAST},
                           {.kind = SMP_STEP_TOP_N_SIGMA, .value = 1},
                           {.kind = SMP_STEP_TOP_P, .value = 0.5, .tie = SMP_TIE_LAST}};
  leaves_one("top-p 1 at 3e9: the bound rounds to the largest logit", (float[]){30, 0}, 2, cold, 2, 0);
  leaves_one("and the steps after it find an entry", (float[]){30, 0}, 2, cold, 4, 0);
  leaves_one("top-n-sigma 0 of -0 alone", (float[]){-0.0f}, 1, STEP(.kind = SMP_STEP_TOP_N_SIGMA), 1, 0);
  leaves_one("top-p 1 of the least float alone", (float[]){-FLT_MAX}, 1, STEP(.kind = SMP_STEP_TOP_P, .value = 1), 1,
             0);
  leaves_one("top-p 1 of the largest", (float[]){-FLT_MAX, FLT_MAX}, 2, STEP(.kind = SMP_STEP_TOP_P, .value = 1), 1, 1);
  begin_case("an entry just above 2^-150 stays, though its logit is the float nearest to the bound");
  const float max = 108, nearest = (float)(108 + smp_log(2) - 150 * smp_log(2)); /* 1.9e-7 above it */
  expect(smp_exp((double)nearest - (double)max) / 2 > 0x1p-150, "the share is not above");
  const smp_chain_result r = run((float[]){max, nearest, max}, 3, STEP(.kind = SMP_STEP_TOP_P, .value = 1), 1);
  expect(r.n_kept == 3, "%u kept", r.n_kept);
}

/* Probabilities below the normal floats. */
static void test_subnormal(void) {
  begin_case("top-h: subnormal probabilities, each rounded to a thirtieth, decide");
  float row[23] = {104}; /* the others 3.625, e^-100.375: 18 times the smallest float */
  for (size_t i = 1; i < 23; i++) row[i] = 3.625f;
  expect(run(row, 23, STEP(.kind = SMP_STEP_TOP_H, .value = 0.9625), 1).by_rounding == 1, "not by rounding");
  begin_case("top-h: normal ones, away from the limit, decide as they are");
  for (size_t i = 1; i < 23; i++) row[i] = 20; /* e^-84 */
  expect(run(row, 23, STEP(.kind = SMP_STEP_TOP_H, .value = 0.52), 1).by_rounding == 0, "by rounding");
  begin_case("epsilon and eta that are 0 as floats remove nothing");
  expect(run((float[]){0, -200}, 2, STEP(.kind = SMP_STEP_EPSILON_CUTOFF, .value = 0x1p-1074), 1).n_kept == 2, "gone");
  expect(run((float[]){0, -200}, 2, STEP(.kind = SMP_STEP_ETA_CUTOFF, .value = 0x1p-1074), 1).n_kept == 2, "gone");
}

/* The distances of the first two from the entropy are equal as floats, and are not. */
static void test_equal_by_rounding(void) {
  begin_case("typical: an equal of the cut that rounding made is a cut by rounding");
  const smp_chain_result r =
      run((float[]){0x1.5629d8p-30f, 0x1.562808p-30f, 0.25f}, 3, STEP(.kind = SMP_STEP_TYPICAL_P, .value = 1e-8), 1);
  expect(r.by_rounding == 1, "%u kept", r.n_kept);
  begin_case("typical: true equals are none");
  expect(run((float[]){0.125f, 0.125f, 0.25f}, 3, STEP(.kind = SMP_STEP_TYPICAL_P, .value = 1e-8), 1).by_rounding == 0,
         "by rounding");
}

static void test_spacing(void) {
  begin_case("the distance to the next float");
  static const float of[][2] = {{0, 0x1p-149f},       {-0.0f, 0x1p-149f},    {1, 0x1p-23f},
                                {-1, 0x1p-23f},       {1.5f, 0x1p-23f},      {FLT_MAX, 0x1p104f},
                                {-FLT_MAX, 0x1p104f}, {0x1p31f, 256},        {0x1.fffffep0f, 0x1p-23f},
                                {FLT_MIN, 0x1p-149f}, {0x1p-149f, 0x1p-149f}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    expect(spacing_of(of[i][0]) == of[i][1], "of %g: %g", (double)of[i][0], (double)spacing_of(of[i][0]));
}

static void test_nothing(void) {
  begin_case("a search of no entries");
  double mass[CHAIN_BUCKETS];
  uint32_t filled[CHAIN_BUCKETS];
  const chain_cut c = smpi_chain_cut_find(&(chain_cut_search){.even = 1, .mass = mass, .filled = filled, .share = 1});
  expect(c.place == 0 && c.before == 0 && c.equal == 0, "place %zu, %u of %u", c.place, c.before, c.equal);
}

/* ---- Runs of ids ------------------------------------------------------------------------------------------------ */

enum { IDS = 8 };

/* By every place of the context: which ids would complete a run of `length` that it holds. */
static void check_no_repeat(const uint32_t *context, uint32_t n, uint32_t length, void *work) {
  float row[SMP_ROW_BLOCK] = {0};
  const smp_chain chain = {.steps = STEP(.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = length),
                           .n_steps = 1,
                           .context = context,
                           .n_context = n,
                           .out = SMP_OUT_LOGITS};
  smp_chain_result result;
  expect(smp_chain_run(row, IDS + 1, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "status");
  for (uint32_t id = 0; id <= IDS; id++) {
    int banned = 0;
    for (uint32_t at = 0; at + length <= n && !banned; at++) {
      banned = context[at + length - 1] == id;
      for (uint32_t i = 0; i + 1 < length; i++) banned &= context[at + i] == context[n - (length - 1) + i];
    }
    expect((row[id] == -INFINITY) == banned, "n %u, runs of %u: id %u is %g", n, length, id, (double)row[id]);
  }
}

static void test_no_repeat_ngrams(void) {
  void *work = malloc(smp_chain_work_size(IDS + 1));
  uint64_t state = 11;
  begin_case("runs of 1 without a context");
  check_no_repeat(NULL, 0, 1, work);
  for (uint32_t round = 0; round < 2000; round++) {
    uint32_t context[40], n = 1 + random_word(&state) % 40, ids = 1 + random_word(&state) % 4;
    uint32_t period = 1 + random_word(&state) % 8, noise = random_word(&state) % 3 * 6;
    for (uint32_t i = 0; i < n; i++) {
      context[i] = random_word(&state) % ids;
      if (i >= period && random_word(&state) % 12 >= noise) context[i] = context[i - period];
    }
    begin_case("runs in context %u", round);
    for (uint32_t length = 1; length <= n + 1; length++) check_no_repeat(context, n, length, work);
  }
  /* 2^19 times 2^19 comparisons would take minutes */
  begin_case("half of 2^20 equal ids, and nearly equal ones");
  const uint32_t n = 1u << 20;
  uint32_t *context = calloc(n, sizeof *context);
  for (uint32_t odd = 0; odd < 3; odd++) {
    if (odd) context[odd == 1 ? 0 : 3 * (n / 4)] = 1;
    float row[SMP_ROW_BLOCK] = {0};
    const smp_chain chain = {.steps = STEP(.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = n / 2),
                             .n_steps = 1,
                             .context = context,
                             .n_context = n,
                             .out = SMP_OUT_LOGITS};
    smp_chain_result result;
    expect(smp_chain_run(row, IDS, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "status");
    expect(result.n_kept == (odd == 2 ? IDS : IDS - 1), "%u kept", result.n_kept);
  }
  free(context);
  free(work);
}

/* ---- Engines ---------------------------------------------------------------------------------------------------- */

static void test_window_of_0(void) {
  static const uint32_t context[] = {3, 3};
  static const struct {
    smp_engine engine;
    float want;
  } cases[] = {{SMP_ENGINE_LLAMA_CPP, 4}, {SMP_ENGINE_EXLLAMAV2, 4}, {SMP_ENGINE_MLX_LM, 2}, {SMP_ENGINE_CANDLE, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin_case("repeat_last_n 0 of engine %d", cases[i].engine);
    float row[SMP_ROW_BLOCK] = {1, 2, 3, 4};
    unsigned char work[SMP_ROW_BLOCK];
    const smp_engine_call call = {.engine = cases[i].engine,
                                  .repetition_penalty = 2,
                                  .context = context,
                                  .n_context = 2,
                                  .given = 1u << SMP_SET_REPETITION_PENALTY | 1u << SMP_SET_REPEAT_LAST_N};
    expect(smp_engine_penalise(row, 4, &call, work, NULL) == SMP_OK, "status");
    expect(row[3] == cases[i].want, "logit %g, want %g", (double)row[3], (double)cases[i].want);
  }
}

/* multinomial(ones(10), n, replacement=True) after manual_seed(123), in a wheel with MKL: one draw is a race by MKL's
   numbers, more are not (pytorch/pytorch#114945). */
static void test_replacement_mkl(void) {
  static const uint32_t want[] = {3, 0, 5, 0, 4, 5, 6};
  uint32_t ids[SMP_ROW_BLOCK], drawn[7];
  float row[SMP_ROW_BLOCK] = {0};
  double work[SMP_ROW_BLOCK * 2];
  smp_engine_result result = {0};
  smp_rng rng;
  const smp_engine_call call = {.engine = SMP_ENGINE_TRANSFORMERS,
                                .settings_only = 1,
                                .variant = SMP_VARIANT_TORCH_MKL | SMP_VARIANT_REPLACEMENT};
  begin_case("torch-mkl with replacement");
  expect(smp_engine_run(row, 10, &call, ids, &result, work, NULL) == SMP_OK && result.n_kept == 10, "run");
  for (size_t n = 1; n <= 7; n++) {
    smp_rng_seed(&rng, result.generator, 123, 0, NULL);
    expect(smp_engine_draw(result.drawing, ids, row, 10, 10, &rng, drawn, n, NULL) == SMP_OK, "status");
    if (n == 1) expect(drawn[0] == 9 && rng.words == 1, "one draw is %u after %g words", drawn[0], rng.words);
    for (size_t i = 0; n > 1 && i < n; i++) expect(drawn[i] == want[i], "draw %zu of %zu is %u", i, n, drawn[i]);
  }
}

static void test_ulps(void) {
  begin_case("ulps at a threshold of -0 have the sign of the difference");
  float row[SMP_ROW_BLOCK] = {-0.0f, -1, -2, 1};
  uint32_t ids[SMP_ROW_BLOCK];
  double work[SMP_ROW_BLOCK * 2];
  smp_trace_row rows[4] = {{.id = 0}, {.id = 1}, {.id = 2}, {.id = 3}};
  smp_trace trace = {.rows = rows, .n = 4, .setting = SMP_SET_TOP_K};
  smp_engine_result result;
  const smp_engine_call call = {
      .engine = SMP_ENGINE_TRANSFORMERS, .top_k = 2, .given = 1u << SMP_SET_TOP_K, .settings_only = 1, .trace = &trace};
  expect(smp_engine_run(row, 4, &call, ids, &result, work, NULL) == SMP_OK && result.n_kept == 2, "run");
  for (size_t i = 0; i < 4; i++) {
    const double off = rows[i].value - trace.threshold;
    expect(rows[i].ulps == off * 0x1p149, "id %zu: %g ulps for %g", i, rows[i].ulps, off);
  }
}

void test_edges(void) {
  test_survivors();
  test_equal_by_rounding();
  test_subnormal();
  test_spacing();
  test_nothing();
  test_no_repeat_ngrams();
  test_window_of_0();
  test_replacement_mkl();
  test_ulps();
}
