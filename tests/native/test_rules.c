/* Every rule of the table: the fast code and the reference against the vectors, at thresholds, and against each other
   on chains of several. */
#include <math.h> /* only for INFINITY */
#include <stdlib.h>

#include "chain.h"
#include "reference.h"
#include "test.h"
#include "vectors.h"

enum { ROOM = 1024, STEPS = 24, CASES = sizeof RULE_CASES / sizeof RULE_CASES[0] };
static double x[ROOM], p[ROOM], key[ROOM];
static uint32_t order[ROOM], ids[ROOM];
static float row[ROOM];
static double work[(18 * ROOM + 65536) / sizeof(double)];

static reference reference_of(const float *logits, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) x[i] = (double)logits[i];
  return (reference){.x = x, .p = p, .key = key, .order = order, .n = n};
}

static int is_apart(double a, double b, double bound) {
  return !(a - b <= bound && b - a <= bound);
}

/* ---- The vectors ------------------------------------------------------------------------------------------------- */

/* The name of a rule, or NULL where the table ends. */
static const char *name_of(int kind) {
  const chain_rule *rule = smpi_chain_rule((smp_step_kind)kind);
  return rule ? smp_param_text(rule->param) : NULL;
}

static int kind_of(const char *name) {
  int kind = 0;
  while (name_of(kind) && strcmp(name_of(kind), name) != 0) kind++;
  expect(name_of(kind) != NULL, "there is no rule %s", name);
  return kind;
}

static smp_step step_of(const struct rule_step *s) {
  smp_step step = {.value = s->value, .kind = (smp_step_kind)kind_of(s->rule), .tie = s->tie};
  const chain_rule *rule = smpi_chain_rule(step.kind);
  if (!rule) return step;
  switch (rule->shape) {
  case RULE_VALUE:
    break;
  case RULE_WINDOW:
    step.count = s->last;
    break;
  case RULE_COUNT:
    step.count = (uint32_t)s->value;
    break;
  case RULE_IDS:
  case RULE_PAIRS:
    step.ids = s->ids;
    step.values = s->biases;
    step.count = s->n_ids;
    break;
  }
  return step;
}

/* Only the last bits of doubles apart from the 50 digits, but in a chain of 15 steps. */
static void check_reference(const struct rule_case *c, const smp_chain *chain) {
  reference r = reference_of(c->logits, c->n);
  const uint32_t token = smpi_reference_chain(&r, chain);
  uint32_t j = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const int kept = j < c->n_kept && c->kept[j] == i;
    const double want = kept ? c->p[j++] : 0;
    expect((x[i] > -INFINITY) == kept, "the reference %s %u", kept ? "removes" : "keeps", i);
    expect(!is_apart(p[i], want, want * 1e-13), "the reference's p[%u] is %.17g, want %.17g", i, p[i], want);
  }
  expect(token == c->token, "the reference chooses %u, want %u", token, c->token);
}

static void check_fast(const struct rule_case *c, const smp_chain *chain) {
  smp_chain_result result = {0};
  memcpy(row, c->logits, c->n * sizeof *row);
  expect(smp_chain_run(row, c->n, chain, ids, NULL, &result, work, NULL) == SMP_OK, "status");
  expect(result.n_kept == c->n_kept, "%u kept, want %u", result.n_kept, c->n_kept);
  expect(result.id == c->token && !result.by_rounding, "%u is chosen, want %u", result.id, c->token);
  for (uint32_t j = 0; j < c->n_kept; j++) {
    expect(ids[j] == c->kept[j], "%u is kept, want %u", ids[j], c->kept[j]);
    expect(!is_apart((double)row[j], c->p[j], 2e-7 + c->p[j] * 4e-6), "p of %u is %.9g, want %.9g", ids[j],
           (double)row[j], c->p[j]);
  }
}

/* u over the whole line by descending probability: the fast code and the reference choose the same, where u lies on no
   edge; the chosen ones never become more probable. */
static void check_descending(const struct rule_case *c, const smp_chain *by_id) {
  smp_chain chain = *by_id;
  chain.order = SMP_ORDER_DESCENDING;
  double last = 2;
  for (int tick = 0; tick < 64; tick++) {
    chain.u = tick / 64.0;
    reference r = reference_of(c->logits, c->n);
    const uint32_t token = smpi_reference_chain(&r, &chain);
    double sum = 0;
    int on_edge = 0;
    for (uint32_t j = 0; j < c->n; j++) {
      sum += p[order[j]];
      on_edge |= !is_apart(sum, chain.u, 1e-5);
    }
    smp_chain_result result = {0};
    memcpy(row, c->logits, c->n * sizeof *row);
    expect(smp_chain_run(row, c->n, &chain, NULL, NULL, &result, work, NULL) == SMP_OK, "status");
    const int is_tie = !is_apart(p[result.id], p[token], p[token] * 1e-6); /* in float, and then by id */
    expect(on_edge || is_tie || result.id == token, "u = %g: %u is chosen, the reference has %u", chain.u, result.id,
           token);
    expect(p[token] <= last, "u = %g: token %u is more probable than the one before", chain.u, token);
    last = p[token];
    chain.out = SMP_OUT_ID;
    memcpy(row, c->logits, c->n * sizeof *row);
    const uint32_t id = result.id;
    expect(smp_chain_run(row, c->n, &chain, ids, NULL, &result, work, NULL) == SMP_OK && result.id == id,
           "u = %g: %u where only the id is wanted", chain.u, result.id);
    chain.out = SMP_OUT_P;
  }
}

static void test_vectors(void) {
  for (size_t i = 0; i < CASES; i++) {
    const struct rule_case *c = &RULE_CASES[i];
    smp_step steps[STEPS];
    begin_case("rules.json: %s", c->id);
    expect(c->n <= ROOM && c->n_steps <= STEPS && smp_chain_work_size(c->n) <= sizeof work, "no room");
    for (uint32_t j = 0; j < c->n_steps && j < STEPS; j++) steps[j] = step_of(&c->steps[j]);
    if (tally.broken) continue;
    const smp_chain chain = {
        .u = c->u, .steps = steps, .n_steps = c->n_steps, .context = c->context, .n_context = c->n_context};
    check_fast(c, &chain);
    check_reference(c, &chain);
    check_descending(c, &chain);
  }
}

/* Whether a rule has cases of its own, and stands in every chain of several. */
static void test_every_rule(void) {
  begin_case("the table of rules");
  expect(name_of(0) != NULL, "is empty");
  for (int kind = 0; name_of(kind); kind++) {
    size_t alone = 0, chains = 0, within = 0;
    begin_case("the rule %s has vectors", name_of(kind));
    for (size_t i = 0; i < CASES; i++) {
      const struct rule_case *c = &RULE_CASES[i];
      size_t times = 0;
      for (uint32_t j = 0; j < c->n_steps; j++) times += strcmp(c->steps[j].rule, name_of(kind)) == 0;
      alone += c->n_steps == 1 && times;
      chains += c->n_steps > 1;
      within += c->n_steps > 1 && times;
    }
    expect(alone > 0, "rules.json has no case of it: add it to tests/oracle/rules.py");
    expect(within == chains && chains > 0, "a chain of several lacks it: add it to ALL in tests/oracle/rules.py");
  }
}

/* ---- Exactly at a threshold -------------------------------------------------------------------------------------- */

/* Both sides leave n_kept of a row that makes every number exact, and choose the token. */
static void leave(const char *name, const float *logits, uint32_t n, const smp_step *step, double u, uint32_t n_kept,
                  uint32_t token) {
  const smp_chain chain = {.u = u, .steps = step, .n_steps = step ? 1 : 0};
  smp_chain_result result = {0};
  uint32_t left = 0;
  begin_case("%s", name);
  memcpy(row, logits, n * sizeof *row);
  expect(smp_chain_run(row, n, &chain, ids, NULL, &result, work, NULL) == SMP_OK, "status");
  expect(result.n_kept == n_kept && result.id == token, "%u kept, %u chosen", result.n_kept, result.id);
  reference r = reference_of(logits, n);
  const uint32_t id = smpi_reference_chain(&r, &chain);
  for (uint32_t i = 0; i < n; i++) left += x[i] > -INFINITY;
  expect(left == n_kept && id == token, "the reference: %u kept, %u chosen", left, id);
}

static void test_thresholds(void) {
  static const float even[] = {0, 0, 0, 0};
  const float nearly = (float)(-150 * smp_log(2));
  leave("a boundary belongs to the token on its right", even, 2, NULL, 0.5, 2, 1);
  leave("top-p removes a sum that equals 1 - p", even, 4,
        &(smp_step){.kind = SMP_STEP_TOP_P, .value = 0.75, .tie = SMP_TIE_LAST}, 0, 3, 1);
  leave("epsilon keeps what equals it", even, 4, &(smp_step){.kind = SMP_STEP_EPSILON_CUTOFF, .value = 0.25}, 0, 4, 0);
  leave("min-p 1 keeps the largest", even, 4, &(smp_step){.kind = SMP_STEP_MIN_P, .value = 1}, 0, 4, 0);
  leave("top-h keeps a sum that equals its limit", even, 4, &(smp_step){.kind = SMP_STEP_TOP_H, .value = 0.5}, 0, 2, 0);
  leave("top-h ends where a float is 0", (float[]){0, -110}, 2, &(smp_step){.kind = SMP_STEP_TOP_H, .value = 1}, 0, 1,
        0);
  leave("top-n-sigma keeps what lies on the line", (float[]){1, -1}, 2,
        &(smp_step){.kind = SMP_STEP_TOP_N_SIGMA, .value = 2}, 0, 2, 0);
  const smp_step all = {.kind = SMP_STEP_TOP_P, .value = 1, .tie = SMP_TIE_LAST};
  leave("top-p 1 keeps 1.1 times 2^-150", (float[]){0, nearly + 0.1f}, 2, &all, 0, 2, 0);
  leave("top-p 1 removes 0.9 times 2^-150", (float[]){0, nearly - 0.1f}, 2, &all, 0, 1, 0);
}

/* ---- Chains of several on random rows ---------------------------------------------------------------------------- */

/* Logits that are multiples of 2^-8, and changes that keep them exact: both sides then filter the same numbers. */
static uint32_t random_changes(smp_step *steps, uint64_t *state, uint32_t n) {
  static uint32_t some[3];
  static const float biases[] = {0.5f, -2, -INFINITY};
  for (int j = 0; j < 3; j++) some[j] = random_word(state) % n;
  const smp_step all[] = {
      {.kind = SMP_STEP_TEMPERATURE, .value = random_word(state) % 2 ? 0.5 : 2},
      {.kind = SMP_STEP_REPETITION_PENALTY, .value = random_word(state) % 2 ? 0.5 : 2, .count = random_word(state) % 9},
      {.kind = SMP_STEP_PRESENCE_PENALTY,
       .value = (double)(random_word(state) % 9) / 4 - 1,
       .count = random_word(state) % 9},
      {.kind = SMP_STEP_FREQUENCY_PENALTY,
       .value = (double)(random_word(state) % 9) / 8 - 0.5,
       .count = random_word(state) % 9},
      {.kind = SMP_STEP_LOGIT_BIAS, .ids = some, .values = biases, .count = 3},
      {.kind = SMP_STEP_SUPPRESS_TOKENS, .ids = some, .count = 2},
      {.kind = SMP_STEP_NO_REPEAT_NGRAM_SIZE, .count = 2 + random_word(state) % 3},
  };
  const uint32_t m = random_word(state) % 4;
  for (uint32_t j = 0; j < m; j++) steps[j] = all[random_word(state) % (sizeof all / sizeof *all)];
  return m;
}

static uint32_t random_filters(smp_step *steps, uint64_t *state) {
  const double share = (double)(1 + random_word(state) % 98) / 100;
  const smp_step all[] = {
      {.kind = SMP_STEP_TOP_K, .count = 1 + random_word(state) % 60, .tie = (smp_tie)(random_word(state) % 3)},
      {.kind = SMP_STEP_TOP_P, .value = share, .tie = (smp_tie)(random_word(state) % 3)},
      {.kind = SMP_STEP_MIN_P, .value = share / 10},
      {.kind = SMP_STEP_TYPICAL_P, .value = share},
      {.kind = SMP_STEP_EPSILON_CUTOFF, .value = share / 100},
      {.kind = SMP_STEP_ETA_CUTOFF, .value = share / 100},
      {.kind = SMP_STEP_TOP_H, .value = share},
      {.kind = SMP_STEP_TOP_N_SIGMA, .value = 2 * share},
  };
  const uint32_t m = 1 + random_word(state) % 3;
  for (uint32_t j = 0; j < m; j++) steps[j] = all[random_word(state) % (sizeof all / sizeof *all)];
  return m;
}

/* Of float sums the ends of an interval may be this far off, in u. */
static const double OFF = 1e-6;

static void check_drawn(const reference *r, uint32_t id, double u) {
  double before = 0;
  for (uint32_t i = 0; i < id; i++) before += r->p[i];
  expect(u >= before - OFF && u < before + r->p[id] + OFF, "%u is chosen by %g, and has [%g, %g)", id, u, before,
         before + r->p[id]);
}

static void test_chains(void) {
  uint64_t state = 17;
  uint32_t compared = 0, rounds = 4000;
  for (uint32_t round = 0; round < rounds; round++) {
    float logits[ROOM];
    uint32_t context[40];
    smp_step steps[STEPS];
    smp_chain_result result = {0};
    const uint32_t n = 20 + random_word(&state) % 300;
    for (uint32_t i = 0; i < n; i++) logits[i] = (float)(random_word(&state) % 4096) * 0x1p-8f - 8;
    for (uint32_t i = 0; i < 40; i++) context[i] = random_word(&state) % n;
    uint32_t m = random_changes(steps, &state, n);
    m += random_filters(steps + m, &state);
    m += random_changes(steps + m, &state, n);
    const smp_chain chain = {.u = random_word(&state) * 0x1p-32,
                             .steps = steps,
                             .n_steps = m,
                             .context = context,
                             .n_context = random_word(&state) % 41};
    begin_case("chain %u of %u steps on %u", round, m, n);
    memcpy(row, logits, n * sizeof *row);
    const smp_status status = smp_chain_run(row, n, &chain, ids, NULL, &result, work, NULL);
    if (status == SMP_ERR_PARAM) continue; /* nothing was left */
    expect(status == SMP_OK, "status %d", status);
    if (result.by_rounding) continue;
    reference r = reference_of(logits, n);
    smpi_reference_chain(&r, &chain);
    uint32_t j = 0;
    for (uint32_t i = 0; i < n; i++) {
      const int kept = j < result.n_kept && ids[j] == i;
      expect((x[i] > -INFINITY) == kept, "the reference %s %u", kept ? "removes" : "keeps", i);
      const double found = kept ? (double)row[j++] : 0;
      expect(!is_apart(found, p[i], 1e-7 + p[i] * 0x1p-18), "p[%u] is %g, the reference's %g", i, found, p[i]);
    }
    check_drawn(&r, result.id, chain.u);
    compared++;
  }
  begin_case("most chains decide without rounding");
  expect(compared > rounds * 3 / 4, "%u of %u", compared, rounds);
}

void test_rules(void) {
  test_vectors();
  test_every_rule();
  test_thresholds();
  test_chains();
}
