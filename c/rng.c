/* Generators, bit for bit as the engines' libraries make them. */
#include "engine.h"

/* ---- mt19937: Matsumoto and Nishimura, ACM TOMACS 8 (1998), seeding of 2002 ------------------------------------- */

enum { MT_SIZE = 624, MT_APART = 397 };

static void mt_seed(smp_rng *rng, uint32_t seed) {
  uint32_t *s = rng->state;
  s[0] = seed;
  for (uint32_t i = 1; i < MT_SIZE; i++) s[i] = UINT32_C(1812433253) * (s[i - 1] ^ s[i - 1] >> 30) + i;
  rng->at = MT_SIZE;
}

/* init_by_array of the same paper, as Python's random and transformers.js: the words of the seed, low first. */
static void mt_seed_words(smp_rng *rng, const uint32_t key[2]) {
  uint32_t *s = rng->state, i = 1, j = 0;
  const uint32_t words = key[1] ? 2 : 1;
  mt_seed(rng, 19650218u);
  for (uint32_t round = 0; round < MT_SIZE; round++, i++, j = (j + 1) % words) {
    if (i >= MT_SIZE) s[0] = s[MT_SIZE - 1], i = 1;
    s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525u) + key[j] + j;
  }
  for (uint32_t round = 1; round < MT_SIZE; round++, i++) {
    if (i >= MT_SIZE) s[0] = s[MT_SIZE - 1], i = 1;
    s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941u) - i;
  }
  s[0] = 0x80000000u;
}

static uint32_t mt_mixed(uint32_t high, uint32_t low, uint32_t far) {
  uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ joined >> 1 ^ (0x9908b0dfu & -(joined & 1));
}

static void mt_refill(smp_rng *rng) {
  uint32_t *s = rng->state, i = 0;
  for (; i < MT_SIZE - MT_APART; i++) s[i] = mt_mixed(s[i], s[i + 1], s[i + MT_APART]);
  for (; i < MT_SIZE - 1; i++) s[i] = mt_mixed(s[i], s[i + 1], s[i + MT_APART - MT_SIZE]);
  s[i] = mt_mixed(s[i], s[0], s[MT_APART - 1]);
  rng->at = 0;
}

static uint32_t mt_temper(uint32_t x) {
  x ^= x >> 11;
  x ^= x << 7 & 0x9d2c5680u;
  x ^= x << 15 & 0xefc60000u;
  return x ^ x >> 18;
}

/* ---- ChaCha12: Bernstein 2008, 64-bit counter; rand_chacha 0.9 --------------------------------------------------- */

enum { CHACHA_COUNTER = 8, CHACHA_BLOCK = 10, CHACHA_WORDS = 16, CHACHA_ROUNDS = 12 }; /* places in smp_rng.state */

static uint32_t rotated(uint32_t x, unsigned by) {
  return x << by | x >> (32 - by);
}

/* rand_core 0.9, SeedableRng::seed_from_u64: eight outputs of PCG-XSH-RR 64/32 are the key. */
static void chacha_seed(smp_rng *rng, uint64_t seed) {
  for (int i = 0; i < CHACHA_COUNTER; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(11634580027462260723);
    unsigned right = (unsigned)(seed >> 59);
    uint32_t x = (uint32_t)((seed >> 18 ^ seed) >> 27);
    rng->state[i] = x >> right | x << (32 - right) % 32;
  }
  rng->state[CHACHA_COUNTER] = rng->state[CHACHA_COUNTER + 1] = 0;
  rng->at = CHACHA_WORDS;
}

static void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
  *a += *b, *d = rotated(*d ^ *a, 16);
  *c += *d, *b = rotated(*b ^ *c, 12);
  *a += *b, *d = rotated(*d ^ *a, 8);
  *c += *d, *b = rotated(*b ^ *c, 7);
}

static void chacha_refill(smp_rng *rng) {
  uint32_t start[CHACHA_WORDS] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}; /* "expand 32-byte k" */
  uint32_t *x = rng->state + CHACHA_BLOCK, *counter = rng->state + CHACHA_COUNTER;
  memcpy(start + 4, rng->state, CHACHA_BLOCK * sizeof *start); /* key and counter; the stream is 0 */
  memcpy(x, start, sizeof start);
  for (int round = 0; round < CHACHA_ROUNDS; round++) {
    const int turn = round % 2; /* columns, then diagonals */
    for (int i = 0; i < 4; i++)
      quarter_round(&x[i], &x[4 + (i + turn) % 4], &x[8 + (i + 2 * turn) % 4], &x[12 + (i + 3 * turn) % 4]);
  }
  for (int i = 0; i < CHACHA_WORDS; i++) x[i] += start[i];
  if (++counter[0] == 0) counter[1]++;
  rng->at = 0;
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

smp_status smp_rng_seed(smp_rng *rng, smp_generator generator, uint32_t low, uint32_t high, smp_where *where) {
  if (generator == SMP_GENERATOR_NONE) return smpi_fail(SMP_ERR_PARAM, SMP_AT_SEED_NONE, 0, where);
  if (generator != SMP_GENERATOR_MT19937 && generator != SMP_GENERATOR_MT19937_32 &&
      generator != SMP_GENERATOR_MT19937_PYTHON && generator != SMP_GENERATOR_CHACHA12)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  if (generator == SMP_GENERATOR_MT19937_32 && (high || low == UINT32_MAX))
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_SEED_32, 0, where);
  if (generator == SMP_GENERATOR_MT19937_PYTHON && high >> 21)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_SEED_53, 0, where);
  const uint32_t words[2] = {low, high};
  memset(rng, 0, sizeof *rng);
  rng->generator = generator;
  if (generator == SMP_GENERATOR_CHACHA12)
    chacha_seed(rng, (uint64_t)high << 32 | low);
  else if (generator == SMP_GENERATOR_MT19937_PYTHON)
    mt_seed_words(rng, words);
  else
    mt_seed(rng, low);
  return SMP_OK;
}

uint32_t smp_rng_next(smp_rng *rng) {
  rng->words++;
  if (rng->generator == SMP_GENERATOR_CHACHA12) {
    if (rng->at >= CHACHA_WORDS) chacha_refill(rng);
    return rng->state[CHACHA_BLOCK + rng->at++];
  }
  if (rng->at >= MT_SIZE) mt_refill(rng);
  return mt_temper(rng->state[rng->at++]);
}

double smp_rng_uniform(smp_rng *rng) {
  const uint32_t high = smp_rng_next(rng);
  return uniform_53_of(high, smp_rng_next(rng));
}

void smpi_rng_skip(smp_rng *rng, size_t words) {
  if (rng->generator == SMP_GENERATOR_CHACHA12) {
    while (words-- > 0) smp_rng_next(rng);
    return;
  }
  rng->words += (double)words;
  for (; words > MT_SIZE - rng->at; mt_refill(rng)) words -= MT_SIZE - rng->at;
  rng->at += (uint32_t)words;
}

void smpi_rng_fill(rng_words *words) {
  smp_rng *rng = words->rng;
  const int chacha = rng->generator == SMP_GENERATOR_CHACHA12;
  const uint32_t size = chacha ? CHACHA_WORDS : MT_SIZE;
  const uint32_t room = sizeof words->block / sizeof *words->block;
  if (rng->at >= size) {
    if (chacha)
      chacha_refill(rng);
    else
      mt_refill(rng);
  }
  uint32_t n = size - rng->at;
  if (n > room) n = room;
  if (n > words->left) n = (uint32_t)words->left;
  const uint32_t *from = rng->state + (chacha ? CHACHA_BLOCK : 0) + rng->at;
  for (uint32_t i = 0; i < n; i++) words->block[i] = chacha ? from[i] : mt_temper(from[i]);
  rng->at += n;
  rng->words += (double)n;
  words->left -= n;
  words->at = 0;
  words->end = n;
}

void smpi_rng_leave(rng_words *words, uint64_t n) {
  const uint32_t here = words->end - words->at;
  if (n <= here) {
    words->at += (uint32_t)n;
    return;
  }
  words->at = words->end;
  words->left -= n - here;
  smpi_rng_skip(words->rng, (size_t)(n - here));
}

/* ---- Exponential numbers ----------------------------------------------------------------------------------------- */

/* x0 = word mod (2^31 - 1), 0 becomes 1; then x = 1132489760 x mod (2^31 - 1); u = x / (2^31 - 1). */
enum { MCG31_MODULUS = 0x7fffffff };

uint32_t smpi_rng_seed_mkl(uint32_t word) {
  uint32_t x = word % MCG31_MODULUS;
  return x ? x : 1;
}

enum { MCG31_FACTOR = 1132489760 };

/* a b mod 2^31 - 1, where 2^31 is 1: without a division. a and b below the modulus and not 0. */
static uint32_t mcg_product(uint32_t a, uint32_t b) {
  uint64_t x = (uint64_t)a * b;
  x = (x & MCG31_MODULUS) + (x >> 31);
  return (uint32_t)(x >= MCG31_MODULUS ? x - MCG31_MODULUS : x);
}

float smpi_rng_uniform_mkl(uint32_t *state) {
  float u = (float)((double)*state / MCG31_MODULUS);
  *state = mcg_product(*state, MCG31_FACTOR);
  return u;
}

void smpi_rng_skip_mkl(uint32_t *state, uint64_t n) {
  for (uint32_t power = MCG31_FACTOR; n > 0; n >>= 1, power = mcg_product(power, power))
    if (n & 1) *state = mcg_product(*state, power);
}

/* ATen/core/TransformationHelper.h. */
float smpi_rng_exponential(double u) {
  return u > 0 ? smpi_minus_log_float(1 - u) : 0; /* 1 - u is exact */
}

/* Within 1 ulp of what MKL's own logarithm gives; nine of ten are the same float. */
float smpi_rng_exponential_mkl(float u) {
  return smpi_minus_log_float((double)u) + FLT_MIN;
}
