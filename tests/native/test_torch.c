/* What torch sorts and draws with, against its own orders and numbers. */
#include "engine.h"
#include "test.h"
#include "vectors.h"

enum { LONGEST = 4096, ROWS = 3000, ROW = 300 };

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void fill(sort_entry *entries, const struct order_case *c, float sign) {
  for (uint32_t i = 0; i < c->n; i++) entries[i] = (sort_entry){sign * float_of(c->x[i]), i};
}

static void expect_order(const sort_entry *entries, const uint32_t *ids, uint32_t n, const char *what) {
  for (uint32_t i = 0; i < n; i++)
    expect(entries[i].id == ids[i], "%s: place %u has %u, want %u", what, i, entries[i].id, ids[i]);
}

static void one_order(const struct order_case *c) {
  static sort_entry entries[LONGEST];
  expect(c->n <= LONGEST, "%u entries are too many for this test", c->n);
  if (c->n > LONGEST) return;
  if (c->ascending) {
    fill(entries, c, 1);
    smpi_std_sort(entries, c->n);
    expect_order(entries, c->ascending, c->n, "ascending");
    fill(entries, c, -1);
    smpi_std_sort(entries, c->n);
    expect_order(entries, c->descending, c->n, "descending");
  }
  fill(entries, c, -1);
  smpi_torch_topk(entries, c->k, c->n);
  expect_order(entries, c->topk, c->k, "topk");
}

/* Every place once, keys ascending, and equal keys by place. */
static void places_in_order(void) {
  static uint32_t keys[LONGEST], places[LONGEST];
  static double spare[LONGEST];
  uint32_t random = 1;
  for (uint32_t n = 0; n < 1200; n += 1 + n / 8)
    for (uint32_t shift = 0; shift < 32; shift += 5) {
      begin_case("%u keys of %u bits in order", n, 32 - shift);
      for (uint32_t i = 0; i < n; i++) keys[i] = (random = random * 1664525 + 1013904223) >> shift;
      for (uint32_t i = 0; i < n; i++) places[i] = i;
      smpi_sort_places(keys, places, spare, n);
      for (uint32_t i = 0; i < n; i++) expect(places[i] < n, "place %u is %u of %u", i, places[i], n);
      for (uint32_t i = 1; i < n; i++) {
        const uint32_t before = places[i - 1], here = places[i];
        expect(keys[before] < keys[here] || (keys[before] == keys[here] && before < here), "%u stands before %u",
               before, here);
      }
    }
}

static smp_rng seeded(const struct generator_case *c) {
  smp_rng rng;
  smp_rng_seed(&rng, SMP_GENERATOR_MT19937, (uint32_t)c->seed, (uint32_t)(c->seed >> 32), NULL);
  return rng;
}

static void one_generator(const struct generator_case *c) {
  smp_rng rng = seeded(c), skipping = rng;
  for (uint32_t i = 0; i < c->n_words; i++) {
    uint32_t word = smp_rng_next(&rng);
    expect(word == c->words[i], "word %u is %u, want %u", i, word, c->words[i]);
  }
  smpi_rng_skip(&skipping, c->n_words);
  expect(memcmp(&rng, &skipping, sizeof rng) == 0, "skipping does not count as taking");

  rng = seeded(c);
  skipping = rng;
  uint32_t mkl = smpi_rng_seed_mkl(smp_rng_next(&skipping));
  rng_words uniform = {.rng = &rng, .left = 2 * c->n_exponential};
  for (uint32_t i = 0; i < c->n_exponential; i++) {
    float q = smpi_rng_exponential(uniform_53(&uniform)), other = smpi_rng_exponential_mkl(smpi_rng_uniform_mkl(&mkl));
    expect(same_bits((double)q, (double)float_of(c->exponential[i])), "exponential %u is %a", i, (double)q);
    double want = (double)float_of(c->mkl[i]),
           off = (double)other - want; /* MKL's logarithm is not the nearest float */
    expect(off <= want * 0x1p-23 && -off <= want * 0x1p-23, "exponential of MKL %u is %a", i, (double)other);
  }
}

/* Over several states, and from within one. */
static void skips(void) {
  static const uint32_t COUNTS[] = {0, 1, 623, 624, 625, 1248, 5000};
  for (uint32_t before = 0; before < 2; before++)
    for (uint32_t k = 0; k < sizeof COUNTS / sizeof *COUNTS; k++) {
      smp_rng rng, skipping;
      smp_rng_seed(&rng, SMP_GENERATOR_MT19937, 42, 0, NULL);
      if (before) smp_rng_next(&rng);
      skipping = rng;
      for (uint32_t i = 0; i < COUNTS[k]; i++) smp_rng_next(&rng);
      smpi_rng_skip(&skipping, COUNTS[k]);
      expect(rng.words == skipping.words, "%u words count as %g", COUNTS[k], skipping.words);
      expect(smp_rng_next(&rng) == smp_rng_next(&skipping), "after %u words comes another", COUNTS[k]);
    }
}

/* ---- Against the chain, whose arithmetic is another -------------------------------------------------------------- */

static double pick(uint64_t *state, const double *values, uint32_t n) {
  return values[random_word(state) % n];
}

/* Each setting with a chance of one in two, and the steps of a chain that mean the same. */
static uint32_t settings(uint64_t *state, smp_engine_call *call, smp_step steps[8]) {
  static const double TAUS[] = {0.3, 0.7, 1.5}, PS[] = {0.2, 0.5, 0.9, 0.99}, SMALL[] = {0.001, 0.02, 0.3};
  const struct {
    double *value;
    const double *values;
    uint32_t n;
    smp_setting setting;
    smp_step_kind kind;
  } rules[] = {{&call->temperature, TAUS, 3, SMP_SET_TEMPERATURE, SMP_STEP_TEMPERATURE},
               {&call->top_h, PS, 4, SMP_SET_TOP_H, SMP_STEP_TOP_H},
               {NULL, NULL, 0, SMP_SET_TOP_K, SMP_STEP_TOP_K},
               {&call->top_p, PS, 4, SMP_SET_TOP_P, SMP_STEP_TOP_P},
               {&call->min_p, SMALL, 3, SMP_SET_MIN_P, SMP_STEP_MIN_P},
               {&call->typical_p, PS, 4, SMP_SET_TYPICAL_P, SMP_STEP_TYPICAL_P},
               {&call->epsilon_cutoff, SMALL, 3, SMP_SET_EPSILON_CUTOFF, SMP_STEP_EPSILON_CUTOFF},
               {&call->eta_cutoff, SMALL, 3, SMP_SET_ETA_CUTOFF, SMP_STEP_ETA_CUTOFF}};
  uint32_t n = 0;
  for (uint32_t i = 0; i < 8; i++) {
    if (random_word(state) >> 31) continue;
    call->given |= 1u << rules[i].setting;
    steps[n] = (smp_step){.kind = rules[i].kind, .tie = SMP_TIE_THRESHOLD};
    if (rules[i].kind == SMP_STEP_TOP_K)
      steps[n].count = (uint32_t)(call->top_k = 1 + (int32_t)(random_word(state) % 60));
    else
      steps[n].value = *rules[i].value = pick(state, rules[i].values, rules[i].n);
    if (rules[i].kind == SMP_STEP_TOP_P) steps[n].tie = SMP_TIE_LAST;
    n++;
  }
  return n;
}

static void one_row(uint64_t *state) {
  static float row[2][ROW + SMP_ROW_BLOCK];
  static double work[ROW * 40];
  static uint32_t ids[ROW];
  const uint32_t n = 1 + random_word(state) % ROW, grid = random_word(state) % 3, masked = random_word(state) % 3;
  smp_engine_call call = {.engine = SMP_ENGINE_TRANSFORMERS, .settings_only = 1};
  smp_step steps[8];
  smp_chain chain = {.steps = steps, .n_steps = settings(state, &call, steps), .out = SMP_OUT_P};
  smp_chain_result want;
  smp_engine_result found;
  for (uint32_t i = 0; i < n; i++) {
    float x = (float)random_word(state) * 0x1p-29f;
    if (grid) x = (float)(int)x / (float)grid; /* equals */
    if (i > 0 && masked && random_word(state) % 3 < masked) x = SMP_REMOVED;
    row[0][i] = row[1][i] = x;
  }
  expect(smp_chain_work_size(n) <= sizeof work && smp_engine_work_size(n) <= sizeof work, "room for %u", n);
  expect(smp_chain_run(row[0], n, &chain, NULL, NULL, &want, work, NULL) == SMP_OK, "chain of %u", chain.n_steps);
  expect(smp_engine_run(row[1], n, &call, ids, &found, work, NULL) == SMP_OK, "engine");
  expect(found.refusal == SMP_REFUSAL_NONE && found.n_kept >= 1, "refusal %d, %u kept", found.refusal, found.n_kept);
  double sum = 0;
  for (uint32_t j = 0; j < found.n_kept; j++) {
    expect(ids[j] < n && (j == 0 || ids[j] > ids[j - 1]), "id %u", ids[j]);
    sum += (double)row[1][j];
  }
  expect(sum > 1 - 1e-6 && sum < 1 + 1e-6, "the weights sum to %.9g", sum);
  if (found.by_rounding || want.by_rounding) return;
  expect(found.n_kept == want.n_kept, "%u of %u kept, given %x; the chain keeps %u", found.n_kept, n, call.given,
         want.n_kept);
}

void test_torch(void) {
  places_in_order();
  for (uint32_t i = 0; i < sizeof ORDER_CASES / sizeof *ORDER_CASES; i++) {
    begin_case("torch's order %u: n %u, k %u", i, ORDER_CASES[i].n, ORDER_CASES[i].k);
    one_order(&ORDER_CASES[i]);
  }
  for (uint32_t i = 0; i < sizeof GENERATOR_CASES / sizeof *GENERATOR_CASES; i++) {
    begin_case("torch's numbers %u", i);
    one_generator(&GENERATOR_CASES[i]);
  }
  begin_case("words of mt19937 skipped");
  skips();
  uint64_t state = 7;
  for (uint32_t i = 0; i < ROWS; i++) {
    begin_case("transformers and the chain, row %u", i);
    one_row(&state);
  }
}
