/* The model: against PyTorch in double precision and the plain reference, its cache, and what a call refuses. */
#include <stdlib.h>

#include "gpt_reference.h"
#include "smp_gpt.h"
#include "test.h"
#include "vectors.h"

enum { CONTEXT = 64, TOKENS = 1859 };

/* The model zh, with a cache of its context and a work area that holds anything. */
struct model {
  smp_gpt gpt;
  smp_gpt_cache cache;
  float *logits, *other;
  void *work;
  size_t cache_size;
};

static float *floats(size_t bytes) {
  float *at = malloc(bytes);
  expect(at != NULL, "no memory");
  poison(at, bytes);
  return at;
}

static int open_model(struct model *m, uint32_t capacity) {
  size_t size;
  const unsigned char *file = read_model(&size);
  if (!file || smp_gpt_read(file, size, &m->gpt, NULL, NULL)) {
    expect(0, "the model is refused");
    return 0;
  }
  m->cache_size = smp_gpt_cache_size(&m->gpt, capacity);
  m->cache = (smp_gpt_cache){floats(m->cache_size), 0, capacity};
  m->work = floats(smp_gpt_work_size(&m->gpt, capacity));
  m->logits = floats(m->gpt.n_tokens * sizeof(float));
  m->other = floats(m->gpt.n_tokens * sizeof(float));
  return 1;
}

static void close_model(struct model *m) {
  free(m->cache.memory);
  free(m->work);
  free(m->logits);
  free(m->other);
}

static void feed(struct model *m, const uint32_t *ids, uint32_t n, uint32_t position, float *logits) {
  const smp_status status = smp_gpt_feed(&m->gpt, &m->cache, ids, n, position, logits, m->work, NULL);
  expect(status == SMP_OK, "feed: status %d", status);
}

static int same_floats(const float *a, const float *b, size_t n) {
  return memcmp(a, b, n * sizeof *a) == 0;
}

static double distance(double a, double b) {
  return a < b ? b - a : a - b;
}

/* Within 2e-5 of the row's spread; the worst of a build is 1e-6. */
static void test_oracle(void) {
  struct model m;
  static float want[TOKENS];
  begin_case("logits of 64 prompts: PyTorch in double");
  FILE *file = fopen("tests/vectors/gpt.f32", "rb");
  expect(file != NULL, "cannot open tests/vectors/gpt.f32");
  if (!file || !open_model(&m, CONTEXT)) return;
  for
    EACH(i, GPT_CASES) {
      const struct gpt_case *c = &GPT_CASES[i];
      const uint32_t first = c->n % 4;
      const size_t n = (TOKENS - first + 3) / 4;
      expect(fread(want, sizeof *want, n, file) == n, "gpt.f32 is too short");
      if (i % every) continue;
      m.cache.n = 0;
      feed(&m, c->ids, c->n, 0, m.logits);
      for (size_t j = 0; j < n; j++) {
        const double off = distance((double)m.logits[first + 4 * j], (double)want[j]);
        expect(off <= 2e-5 * (c->largest - c->least), "prompt of %u tokens: logit %zu is %g off", c->n, first + 4 * j,
               off);
      }
    }
  fclose(file);
  close_model(&m);
}

/* The reference is the same formula in double as PyTorch's: what is left is rounding, and that gpt.f32 holds floats. */
static void test_reference(void) {
  struct model m;
  static double rows[CONTEXT * TOKENS];
  begin_case("logits: the plain reference, at every token of a text");
  if (!open_model(&m, CONTEXT)) return;
  for (size_t i = 0; i < 64; i += 21) { /* 1, 22, 43, 64 tokens */
    const struct gpt_case *c = &GPT_CASES[i];
    double *work = malloc(smpi_gpt_reference_size(&m.gpt, c->n) * sizeof *work);
    smpi_gpt_reference(&m.gpt, c->ids, c->n, rows, work);
    free(work);
    double least = 0, largest = 0;
    for (size_t id = 0; id < TOKENS; id++) {
      const double x = rows[(c->n - 1) * TOKENS + id];
      if (x < least) least = x;
      if (x > largest) largest = x;
    }
    expect(distance(least, c->least) < 1e-11 && distance(largest, c->largest) < 1e-11,
           "%.17g to %.17g, want %.17g to %.17g", least, largest, c->least, c->largest);
    m.cache.n = 0;
    for (uint32_t t = 0; t < c->n; t++) {
      feed(&m, c->ids + t, 1, t, m.logits);
      for (size_t id = 0; id < TOKENS; id++) {
        const double want = rows[t * TOKENS + id], off = distance((double)m.logits[id], want);
        expect(off <= 2e-5 * (largest - least), "token %u of %u: logit %zu is %.9g, want %.9g", t, c->n, id,
               (double)m.logits[id], want);
      }
    }
  }
  close_model(&m);
}

static void test_draws(void) {
  struct model m;
  begin_case("the token at u = 0.5 by descending probability: PyTorch");
  if (!open_model(&m, CONTEXT)) return;
  double *work = malloc(smp_chain_work_size(TOKENS));
  for
    EACH(i, GPT_CASES) {
      if (i % every) continue;
      const smp_chain chain = {.u = 0.5, .out = SMP_OUT_ID, .order = SMP_ORDER_DESCENDING};
      smp_chain_result result = {.id = SMP_NONE};
      m.cache.n = 0;
      feed(&m, GPT_CASES[i].ids, GPT_CASES[i].n, 0, m.logits);
      expect(smp_chain_run(m.logits, TOKENS, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "refused");
      expect(result.id == GPT_CASES[i].drawn, "prompt %zu: %u, want %u", i, result.id, GPT_CASES[i].drawn);
    }
  free(work);
  close_model(&m);
}

/* ---- The cache --------------------------------------------------------------------------------------------------- */

static void test_cache(void) {
  struct model m, larger;
  const struct gpt_case *c = &GPT_CASES[CONTEXT - 1];
  begin_case("a cache: the whole text fed again, in any parts, gives the same bits");
  if (!open_model(&m, CONTEXT) || !open_model(&larger, 71)) return;
  for (uint32_t n = 1; n <= CONTEXT; n++) {
    m.cache.n = n - 1;
    feed(&m, c->ids + n - 1, 1, n - 1, m.logits); /* one more token */
    if (n % every && n < CONTEXT) continue;
    larger.cache.n = 0;
    feed(&larger, c->ids, n, 0, larger.logits);
    expect(same_floats(m.logits, larger.logits, TOKENS), "%u tokens", n);
  }
  expect(m.cache.n == CONTEXT && larger.cache.n == CONTEXT, "entries: %u, %u", m.cache.n, larger.cache.n);

  begin_case("a cache: back, forth and in three parts");
  expect(smp_gpt_cache_cut(&m.gpt, &m.cache, 20, 64, NULL) == SMP_OK && m.cache.n == 20, "cut: %u", m.cache.n);
  feed(&m, c->ids + 20, 30, 20, NULL);
  feed(&m, c->ids + 50, 14, 50, m.logits);
  expect(same_floats(m.logits, larger.logits, TOKENS), "other logits");

  begin_case("a cache: a copy goes its own way");
  struct model fork;
  if (!open_model(&fork, CONTEXT)) return;
  m.cache.n = 40;
  memcpy(fork.cache.memory, m.cache.memory, m.cache_size);
  fork.cache.n = m.cache.n;
  const uint32_t other[] = {300, 400, 500};
  feed(&fork, other, 3, 40, fork.logits);
  feed(&m, c->ids + 40, 24, 40, m.logits);
  expect(same_floats(m.logits, larger.logits, TOKENS), "the fork has changed the other");
  fork.cache.n = 0;
  feed(&fork, c->ids, 40, 0, NULL);
  feed(&fork, other, 3, 40, fork.other);
  expect(same_floats(fork.logits, fork.other, TOKENS), "the fork is not what its text gives");
  close_model(&fork);

  begin_case("a cache: what is cut from the front is not seen any more, and what it did to the rest stays");
  const uint32_t two[] = {0, 700};
  m.cache.n = larger.cache.n = 0;
  feed(&m, two, 2, 0, m.logits);
  expect(smp_gpt_cache_cut(&m.gpt, &m.cache, 0, 2, NULL) == SMP_OK && m.cache.n == 0, "cut all");
  feed(&m, two, 2, 0, m.other);
  expect(same_floats(m.logits, m.other, TOKENS), "an empty cache is a new one");
  m.cache.n = 0;
  feed(&m, c->ids, 10, 0, NULL);
  expect(smp_gpt_cache_cut(&m.gpt, &m.cache, 0, 3, NULL) == SMP_OK && m.cache.n == 7, "cut the front");
  feed(&m, c->ids + 10, 1, 10, m.logits);
  feed(&larger, c->ids, 11, 0, larger.logits);
  feed(&larger, c->ids + 3, 8, 3, larger.other); /* sees 11 entries more */
  expect(!same_floats(m.logits, larger.logits, TOKENS), "nothing was cut");
  larger.cache.n = 0;
  feed(&larger, c->ids + 3, 8, 3, larger.other);
  expect(!same_floats(m.logits, larger.other, TOKENS), "it was computed anew");
  close_model(&m);
  close_model(&larger);
}

static void test_next(void) {
  struct model m, plain;
  uint32_t ids[100];
  begin_case("a text that grows: with its cache until the window slides, then without");
  if (!open_model(&m, CONTEXT) || !open_model(&plain, CONTEXT)) return;
  for (uint32_t i = 0; i < 100; i++) ids[i] = i ? (i * 7919u) % TOKENS : 0;
  for (uint32_t n = 1; n <= 70; n++) {
    const uint32_t from = n > CONTEXT ? n - CONTEXT : 0;
    if (n % every && n < CONTEXT) continue;
    expect(smp_gpt_next(&m.gpt, &m.cache, ids, n, m.logits, m.work, NULL) == SMP_OK, "%u tokens", n);
    plain.cache.n = 0;
    feed(&plain, ids + from, n - from, 0, plain.logits);
    expect(same_floats(m.logits, plain.logits, TOKENS), "%u tokens: other logits", n);
    expect(m.cache.n == n - from, "%u tokens: %u entries", n, m.cache.n);
  }
  begin_case("a text that goes back behind its cache is fed anew");
  expect(smp_gpt_next(&m.gpt, &m.cache, ids, 12, m.logits, m.work, NULL) == SMP_OK && m.cache.n == 12, "12 tokens");
  plain.cache.n = 0;
  feed(&plain, ids, 12, 0, plain.logits);
  expect(same_floats(m.logits, plain.logits, TOKENS), "other logits");
  begin_case("several tokens at once");
  expect(smp_gpt_next(&m.gpt, &m.cache, ids, 100, m.logits, m.work, NULL) == SMP_OK && m.cache.n == CONTEXT, "100");
  plain.cache.n = 0;
  feed(&plain, ids + 36, CONTEXT, 0, plain.logits);
  expect(same_floats(m.logits, plain.logits, TOKENS), "other logits");
  close_model(&m);
  close_model(&plain);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void test_refusals(void) {
  struct model m;
  begin_case("what a call refuses, and that it then wrote nothing");
  if (!open_model(&m, 10)) return;
  static const struct {
    uint32_t n_ids, position, capacity, n;
    smp_status status;
    smp_where where;
  } cases[] = {
      {0, 0, 10, 0, SMP_ERR_EMPTY, {SMP_AT_CONTEXT, 0}},         {3, 0, 10, 0, SMP_ERR_PARAM, {SMP_AT_CONTEXT, 2}},
      {1, 64, 10, 0, SMP_ERR_PARAM, {SMP_AT_POSITION, 0}},       {2, 63, 10, 0, SMP_ERR_PARAM, {SMP_AT_POSITION, 0}},
      {1, SMP_NONE, 10, 0, SMP_ERR_PARAM, {SMP_AT_POSITION, 0}}, {2, 9, 10, 9, SMP_ERR_LENGTH, {SMP_AT_CACHE, 0}},
      {1, 0, 10, 11, SMP_ERR_PARAM, {SMP_AT_CACHE, 0}},          {1, 0, 0, 0, SMP_ERR_PARAM, {SMP_AT_CACHE, 0}},
      {1, 0, 4097, 0, SMP_ERR_PARAM, {SMP_AT_CACHE, 0}},
  };
  const uint32_t ids[] = {0, 1858, 1859};
  for
    EACH(i, cases) {
      smp_where where = {0};
      smp_gpt_cache cache = {m.cache.memory, cases[i].n, cases[i].capacity};
      const smp_status status =
          smp_gpt_feed(&m.gpt, &cache, ids, cases[i].n_ids, cases[i].position, m.logits, m.work, &where);
      expect(status == cases[i].status && where.param == cases[i].where.param && where.index == cases[i].where.index,
             "case %zu: %d at %d[%u]", i, status, where.param, where.index);
      expect(cache.n == cases[i].n && is_poison(m.logits, sizeof *m.logits * TOKENS), "case %zu wrote", i);
    }
  smp_where where = {0};
  expect(smp_gpt_next(&m.gpt, &m.cache, ids, 2, m.logits, m.work, &where) == SMP_ERR_PARAM &&
             where.param == SMP_AT_CACHE,
         "a cache below the context");
  for (uint32_t from = 0; from < 6; from++)
    for (uint32_t to = 0; to < 6; to++) {
      m.cache.n = 4;
      const smp_status status = smp_gpt_cache_cut(&m.gpt, &m.cache, from, to, NULL);
      const int fine = from <= to && to <= 4;
      expect((status == SMP_OK) == fine && m.cache.n == (fine ? 4 - (to - from) : 4), "cut %u to %u", from, to);
    }
  close_model(&m);

  begin_case("the id that is wrong is counted in the whole text");
  if (!open_model(&m, CONTEXT)) return;
  uint32_t text[80] = {0};
  text[79] = TOKENS;
  expect(smp_gpt_next(&m.gpt, &m.cache, text, 80, m.logits, m.work, &where) == SMP_ERR_PARAM &&
             where.param == SMP_AT_CONTEXT && where.index == 79,
         "%d[%u]", where.param, where.index);
  expect(m.cache.n == 0, "it was fed");

  begin_case("sizes");
  expect(smp_gpt_cache_size(&m.gpt, 0) == 0 && smp_gpt_cache_size(&m.gpt, 4097) == 0, "cache of none");
  expect(smp_gpt_work_size(&m.gpt, 0) == 0 && smp_gpt_work_size(&m.gpt, 4097) == 0, "work of none");
  expect(smp_gpt_cache_size(&m.gpt, 64) == 2 * 4 * 96 * 64 * 4, "%zu", smp_gpt_cache_size(&m.gpt, 64));
  close_model(&m);
}

void test_gpt(void) {
  test_oracle();
  test_reference();
  test_draws();
  test_cache();
  test_next();
  test_refusals();
}
