/* What torch sorts and draws with, against its own orders and numbers. */
#include "impl.h"
#include "test.h"
#include "vectors.h"

enum { LONGEST = 4096 };

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void fill(smp_entry *entries, const struct order_case *c, float sign) {
  for (uint32_t i = 0; i < c->n; i++) entries[i] = (smp_entry){sign * float_of(c->x[i]), i};
}

static void expect_order(const smp_entry *entries, const uint32_t *ids, uint32_t n, const char *what) {
  for (uint32_t i = 0; i < n; i++)
    expect(entries[i].id == ids[i], "%s: place %u has %u, want %u", what, i, entries[i].id, ids[i]);
}

static void one_order(const struct order_case *c) {
  static smp_entry entries[LONGEST];
  expect(c->n <= LONGEST, "%u entries are too many for this test", c->n);
  if (c->n > LONGEST) return;
  if (c->rising) {
    fill(entries, c, 1);
    smp_order_sort(entries, c->n);
    expect_order(entries, c->rising, c->n, "rising");
    fill(entries, c, -1);
    smp_order_sort(entries, c->n);
    expect_order(entries, c->falling, c->n, "falling");
  }
  fill(entries, c, -1);
  smp_order_topk(entries, c->k, c->n);
  expect_order(entries, c->topk, c->k, "topk");
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
  smp_rng_skip(&skipping, c->n_words);
  expect(memcmp(&rng, &skipping, sizeof rng) == 0, "skipping does not count as taking");

  rng = seeded(c);
  skipping = rng;
  uint32_t mkl = smp_rng_seed_mkl(&skipping);
  for (uint32_t i = 0; i < c->n_exponential; i++) {
    float q = smp_rng_exponential(smp_rng_uniform_53(&rng)), other = smp_rng_exponential_mkl(smp_rng_uniform_mkl(&mkl));
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
      smp_rng_skip(&skipping, COUNTS[k]);
      expect(rng.words == skipping.words, "%u words count as %g", COUNTS[k], skipping.words);
      expect(smp_rng_next(&rng) == smp_rng_next(&skipping), "after %u words comes another", COUNTS[k]);
    }
}

void test_torch(void) {
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
}
