/* One number for all results, so that builds can be compared: 64-bit FNV-1a over 32-bit words. A double goes in as its
   low word, then its high word; a float as its bits. tests/node computes the same from the wasm module. */
#ifndef DIGEST_H
#define DIGEST_H

#include "smp_engines.h"
#include "smp_gpt.h"
#include "test.h"
#include "vectors.h"

static inline uint64_t digest_word(uint64_t digest, uint32_t word) {
  return (digest ^ word) * UINT64_C(0x100000001b3);
}

static inline uint64_t digest_double(uint64_t digest, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return digest_word(digest_word(digest, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static inline uint64_t digest_float(uint64_t digest, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return digest_word(digest, bits);
}

static inline uint64_t digest_lab(uint64_t digest, const struct lab_case *c) {
  smp_lab_options options = {.tau = c->tau, .u = c->u[0], .k = c->k};
  smp_lab_result r;
  if (smp_lab_run(c->logits, c->n, &options, &r, NULL)) return 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const double each[] = {r.score[i], r.p[i], r.start[i], r.q[i], r.lo[i], r.hi[i]};
    for (size_t j = 0; j < sizeof each / sizeof each[0]; j++) digest = digest_double(digest, each[j]);
    digest = digest_word(digest, r.kept[i]);
  }
  const double whole[] = {r.weight_sum, r.kept_mass, r.removed_mass, r.sum_q, r.entropy};
  for (size_t j = 0; j < sizeof whole / sizeof whole[0]; j++) digest = digest_double(digest, whole[j]);
  digest = digest_word(digest_word(digest, r.n_kept), r.top);
  for (uint32_t j = 0; j < c->n_picks; j++) {
    options.u = c->u[j];
    if (smp_lab_run(c->logits, c->n, &options, &r, NULL)) return 0;
    digest = digest_word(digest, r.id);
  }
  return digest;
}

/* The row as it is if temperature is 1, else divided by it. */
static inline uint64_t digest_row(uint64_t digest, const char *dir, const char *name, float temperature) {
  static float row[REAL_ROW];
  uint32_t id;
  double entropy;
  if (!read_row(dir, name, row)) return 0;
  if (temperature < 1 && smp_row_temperature(row, REAL_ROW, temperature, NULL)) return 0;
  if (smp_row_scan(row, REAL_ROW, NULL, &id, NULL)) return 0;
  if (smp_row_softmax(row, REAL_ROW, &entropy, NULL)) return 0;
  digest = digest_word(digest, id);
  for (size_t i = 0; i < REAL_ROW; i++) digest = digest_float(digest, row[i]);
  return digest_double(digest, entropy);
}

/* A real row at two temperatures, and its logarithms. */
static inline uint64_t digest_distances(uint64_t digest, const char *dir, const char *name) {
  enum { TOP = 64 };
  static float row[REAL_ROW], p[REAL_ROW], q[REAL_ROW];
  uint32_t ids[TOP];
  double entropy, log_p[TOP];
  smp_distance d;
  smp_divergence v;
  if (!read_row(dir, name, row) || !read_row(dir, name, p) || !read_row(dir, name, q)) return 0;
  if (smp_row_temperature(q, REAL_ROW, 0.7f, NULL)) return 0;
  if (smp_row_softmax(p, REAL_ROW, &entropy, NULL) || smp_row_softmax(q, REAL_ROW, &entropy, NULL)) return 0;
  if (smp_row_distance(p, q, REAL_ROW, &d, NULL) || smp_row_divergence(p, q, REAL_ROW, &v, NULL)) return 0;
  if (smp_row_top_log_p(row, REAL_ROW, ids, log_p, TOP, NULL) || smp_row_log_softmax(row, REAL_ROW, NULL)) return 0;
  const double sums[] = {d.total_variation, d.max_difference, v.kl, v.entropy_p, v.entropy_q};
  for (size_t j = 0; j < sizeof sums / sizeof sums[0]; j++) digest = digest_double(digest, sums[j]);
  digest = digest_word(digest, d.max_id);
  for (size_t i = 0; i < REAL_ROW; i++) digest = digest_float(digest, row[i]);
  for (size_t j = 0; j < TOP; j++) digest = digest_double(digest_word(digest, ids[j]), log_p[j]);
  return digest;
}

/* Chains on a real row: list, records and result of each. The order of everything here is that of tests/node. */
static inline uint64_t digest_chains(uint64_t digest, const char *dir, const char *name) {
  static float row[REAL_ROW];
  static uint32_t ids[REAL_ROW];
  static double work[(18u * REAL_ROW + 65536) / sizeof(double)];
  static const uint32_t context[] = {18, 176, 19556, 504, 18, 2, 18};
  static const smp_step hot = {.kind = SMP_STEP_TEMPERATURE, .value = 0.7};
  const smp_step second[] = {
      {.kind = SMP_STEP_TOP_K, .count = 50, .tie = SMP_TIE_THRESHOLD},
      {.kind = SMP_STEP_TOP_P, .value = 0.9, .tie = SMP_TIE_LAST},
      {.kind = SMP_STEP_TOP_P, .value = 0.999, .tie = SMP_TIE_LAST},
      {.kind = SMP_STEP_MIN_P, .value = 0.05},
      {.kind = SMP_STEP_TYPICAL_P, .value = 0.9},
      {.kind = SMP_STEP_EPSILON_CUTOFF, .value = 0.0003},
      {.kind = SMP_STEP_ETA_CUTOFF, .value = 0.0003},
      {.kind = SMP_STEP_TOP_H, .value = 0.4},
      {.kind = SMP_STEP_TOP_N_SIGMA, .value = 1},
      {.kind = SMP_STEP_REPETITION_PENALTY, .value = 1.3},
      {.kind = SMP_STEP_PRESENCE_PENALTY, .value = 0.7},
      {.kind = SMP_STEP_FREQUENCY_PENALTY, .value = 0.7},
      {.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = 1},
  };
  for (size_t s = 0; s < sizeof second / sizeof second[0]; s++) {
    const smp_step steps[] = {hot, second[s]};
    const smp_chain chain = {.u = 0.5, .steps = steps, .n_steps = 2, .context = context, .n_context = 7};
    smp_step_info infos[2];
    smp_chain_result result;
    if (!read_row(dir, name, row)) return 0;
    if (smp_chain_run(row, REAL_ROW, &chain, ids, infos, &result, work, NULL)) return 0;
    digest = digest_word(digest_word(digest_word(digest, result.n_kept), result.id), result.by_rounding);
    for (uint32_t j = 0; j < result.n_kept; j++) digest = digest_float(digest_word(digest, ids[j]), row[j]);
    for (int i = 0; i < 2; i++) {
      const double each[] = {infos[i].max, infos[i].cut, infos[i].mass, infos[i].entropy};
      for (int j = 0; j < 4; j++) digest = digest_double(digest, each[j]);
    }
  }
  return digest;
}

/* Every engine on a real row, with its defaults and with settings of ours: what it keeps, weighs, draws and counts. */
static inline uint64_t digest_engines(uint64_t digest, const char *dir, const char *name) {
  static float row[REAL_ROW];
  static uint32_t ids[REAL_ROW], drawn[20];
  static double work[(24u * REAL_ROW + 65536) / sizeof(double)];
  static const uint32_t context[] = {18, 176, 19556, 504, 18, 2, 18};
  const uint32_t settings = 1u << SMP_SET_TEMPERATURE | 1u << SMP_SET_TOP_K | 1u << SMP_SET_TOP_P |
                            1u << SMP_SET_MIN_P | 1u << SMP_SET_REPETITION_PENALTY;
  for (size_t i = 0; *smp_engine_name((smp_engine)(i / 2)); i++) {
    smp_engine_call call = {
        .engine = (smp_engine)(i / 2), .context = context, .n_context = 7, .given = i % 2 ? settings : 0};
    call.temperature = 0.7;
    call.top_k = 200;
    call.top_p = 0.95;
    call.min_p = 0.001;
    call.repetition_penalty = 1.3;
    smp_engine_result result;
    smp_rng rng;
    if (!read_row(dir, name, row) || smp_engine_work_size(REAL_ROW) > sizeof work) return 0;
    if (smp_engine_run(row, REAL_ROW, &call, ids, &result, work, NULL)) return 0;
    digest = digest_word(digest_word(digest, (uint32_t)result.refusal), result.n_kept);
    for (uint32_t j = 0; j < result.n_kept; j++) digest = digest_float(digest_word(digest, ids[j]), row[j]);
    if (result.refusal || result.generator == SMP_GENERATOR_NONE) continue;
    if (smp_rng_seed(&rng, result.generator, 42, 0, NULL)) return 0;
    if (smp_engine_draw(result.drawing, ids, row, result.n_kept, REAL_ROW, &rng, drawn, 20, NULL)) return 0;
    for (int j = 0; j < 20; j++) digest = digest_word(digest, drawn[j]);
    digest = digest_double(digest, rng.words);
  }
  return digest;
}

/* The model: rows after texts of 1, 13, 64 and 70 tokens; then texts of its own, by temperature 0.8 and top-k 40 at
   seed 42: a quatrain that begins with two characters, and 200 tokens that no END ends, so that the window slides. */
enum { GPT_TOKENS = 1859, GPT_CONTEXT = 64 };
struct digest_model {
  smp_gpt gpt;
  smp_gpt_cache cache;
  smp_tokens tokens;
  float logits[GPT_TOKENS];
  float work[16 * 96 + GPT_CONTEXT], memory[2 * 4 * 96 * GPT_CONTEXT];
  uint32_t characters[2 * GPT_TOKENS];
};

static inline int digest_open(struct digest_model *m) {
  size_t size;
  const unsigned char *file = read_model(&size);
  if (!file || smp_gpt_read(file, size, &m->gpt, NULL, NULL) || m->gpt.n_tokens != GPT_TOKENS) return 0;
  if (smp_gpt_cache_size(&m->gpt, GPT_CONTEXT) > sizeof m->memory) return 0;
  if (smp_gpt_work_size(&m->gpt, GPT_CONTEXT) > sizeof m->work) return 0;
  m->cache = (smp_gpt_cache){.memory = m->memory, .capacity = GPT_CONTEXT};
  m->tokens = (smp_tokens){.characters = m->characters};
  smp_tokens_make(&m->gpt, &m->tokens);
  return 1;
}

static inline uint64_t digest_text(uint64_t digest, struct digest_model *m, const char *prompt, uint32_t count,
                                   int ends) {
  static const smp_step steps[] = {{.kind = SMP_STEP_TEMPERATURE, .value = 0.8},
                                   {.kind = SMP_STEP_TOP_K, .count = 40, .tie = SMP_TIE_THRESHOLD}};
  static double work[(18u * GPT_TOKENS + 65536) / sizeof(double)];
  uint32_t ids[256] = {SMP_TOKEN_END};
  uint32_t n = 1 + (uint32_t)smp_tokens_encode(&m->tokens, prompt, strlen(prompt), ids + 1);
  smp_rng rng;
  smp_utf8 half = {0};
  if (smp_rng_seed(&rng, SMP_GENERATOR_CHACHA12, 42, 0, NULL)) return 0;
  m->cache.n = 0;
  for (uint32_t i = 0; i < count && (i == 0 || !ends || ids[n - 1] != SMP_TOKEN_END); i++) {
    const smp_chain chain = {
        .u = smp_rng_uniform(&rng), .steps = steps, .n_steps = 2, .out = SMP_OUT_ID, .order = SMP_ORDER_DESCENDING};
    smp_chain_result result;
    unsigned char bytes[4];
    char text[16];
    if (smp_gpt_next(&m->gpt, &m->cache, ids, n, m->logits, m->work, NULL)) return 0;
    if (smp_chain_run(m->logits, GPT_TOKENS, &chain, NULL, NULL, &result, work, NULL)) return 0;
    ids[n++] = result.id;
    digest = digest_word(digest_double(digest, chain.u), result.id);
    const size_t length = smp_utf8_feed(&half, bytes, smp_tokens_bytes(&m->tokens, result.id, bytes), text);
    for (size_t j = 0; j < length; j++) digest = digest_word(digest, (unsigned char)text[j]);
  }
  char end[3];
  const size_t left = smp_utf8_flush(&half, end);
  for (size_t j = 0; j < left; j++) digest = digest_word(digest, (unsigned char)end[j]);
  return digest;
}

static inline uint64_t digest_gpt(uint64_t digest) {
  static struct digest_model m;
  static const uint32_t lengths[] = {1, 13, 64, 70};
  uint32_t ids[70];
  if (!digest_open(&m)) return 0;
  for (uint32_t i = 0; i < 70; i++) ids[i] = i * 7919u % GPT_TOKENS;
  for
    EACH(i, lengths) {
      if (smp_gpt_next(&m.gpt, &m.cache, ids, lengths[i], m.logits, m.work, NULL)) return 0;
      for (size_t j = 0; j < GPT_TOKENS; j++) digest = digest_float(digest, m.logits[j]);
    }
  digest = digest_text(digest, &m, "明月", 40, 1);
  return digest_text(digest, &m, "", 200, 0);
}

static inline uint64_t digest_of_everything(const char *logits_dir) {
  uint64_t digest = UINT64_C(0xcbf29ce484222325);
  for
    EACH(i, LAB_CASES) digest = digest_lab(digest, &LAB_CASES[i]);
  for
    EACH(i, EXP_POINTS) digest = digest_double(digest, smp_exp(EXP_POINTS[i].x));
  for
    EACH(i, LOG_POINTS) digest = digest_double(digest, smp_log(LOG_POINTS[i].x));
  for
    EACH(i, LOG1P_NEG_POINTS) digest = digest_double(digest, smp_log1p(-LOG1P_NEG_POINTS[i].x));
  for
    EACH(i, REAL_ROWS) {
      digest = digest_row(digest, logits_dir, REAL_ROWS[i], 1.0f);
      digest = digest_row(digest, logits_dir, REAL_ROWS[i], 0.7f);
    }
  digest = digest_distances(digest, logits_dir, REAL_ROWS[0]);
  digest = digest_chains(digest, logits_dir, REAL_ROWS[0]);
  digest = digest_chains(digest, logits_dir, REAL_ROWS[5]);
  digest = digest_engines(digest, logits_dir, REAL_ROWS[5]);
  return digest_gpt(digest);
}

#endif
