/* Stop protocols: 207 batches of the real `generate`, the rules on worked examples, every refusal, and properties over
   random tables. */
#include "smp.h"
#include "test.h"
#include "vectors.h"

enum { ROWS = SMP_STOP_ROWS, TOKENS = SMP_STOP_TOKENS };

/* A batch and what came of it. */
struct batch {
  uint32_t candidates[ROWS * TOKENS], lengths[ROWS + 1], rows, eos[SMP_STOP_EOS + 1], n_eos;
  smp_stop_options options;
  smp_stop_cell cells[ROWS * TOKENS];
  smp_stop_row ends[ROWS];
  smp_stop_result result;
};

static smp_status run(struct batch *b, smp_where *where) {
  return smp_stop_run(b->candidates, b->lengths, b->rows, b->eos, b->n_eos, &b->options, b->cells, b->ends, &b->result,
                      where);
}

static const smp_stop_cell *cell(const struct batch *b, uint32_t row, uint32_t step) {
  return &b->cells[step * b->rows + row];
}

/* ---- The real system ------------------------------------------------------------------------------------------- */

void test_stop_vectors(void) {
  static struct batch b;
  for (size_t i = 0; i < sizeof STOP_CASES / sizeof STOP_CASES[0]; i++) {
    const struct stop_case *c = &STOP_CASES[i];
    begin_case("stop.json %s", c->id);
    smp_stop_options options = {c->limit, c->pad, SMP_RULE_LATCH, c->limit};
    smp_status status =
        smp_stop_run(c->candidates, c->lengths, c->rows, c->eos, c->n_eos, &options, b.cells, b.ends, &b.result, NULL);
    expect(status == SMP_OK, "status %d", status);
    expect(b.result.columns == c->columns, "%u columns, want %u", b.result.columns, c->columns);
    if (status || b.result.columns != c->columns) continue;
    for (uint32_t row = 0; row < c->rows; row++)
      for (uint32_t t = 0; t < c->columns; t++) {
        uint32_t got = b.cells[t * c->rows + row].appended, want = c->new_tokens[row * c->columns + t];
        expect(got == want, "row %u step %u: %u, want %u", row, t + 1, got, want);
      }
  }
}

/* ---- Worked examples ------------------------------------------------------------------------------------------- */

/* E is the EOS and P is PAD; other signs stand for themselves. Where PAD shares the id, P is the EOS too. */
enum { EOS_ID = 1, PAD_ID = 0 };

static uint32_t id_of(char sign, uint32_t pad) {
  return sign == 'E' ? EOS_ID : sign == 'P' ? pad : (uint32_t)sign;
}

/* Rows are words: "Eaa xEb yzE". */
static void load(struct batch *b, const char *words, uint32_t limit, uint32_t pad, smp_rule rule) {
  *b = (struct batch){.eos = {EOS_ID}, .n_eos = 1, .options = {limit, pad, rule, limit}};
  uint32_t n = 0;
  for (const char *at = words; *at; at++) {
    if (at == words || *at == ' ') b->rows++;
    if (*at == ' ') continue;
    b->candidates[n++] = id_of(*at, pad);
    b->lengths[b->rows - 1]++;
  }
}

/* The appended ids of every row as words; '.' where nothing was appended. */
static const char *appended(const struct batch *b) {
  static char text[200];
  char *at = text;
  for (uint32_t row = 0; row < b->rows; row++) {
    if (row) *at++ = ' ';
    for (uint32_t t = 0; t < b->options.max_new_tokens; t++) {
      uint32_t id = cell(b, row, t)->appended;
      *at++ = id == EOS_ID ? 'E' : id == PAD_ID ? 'P' : id == SMP_NONE ? '.' : (char)id;
    }
  }
  *at = 0;
  return text;
}

/* The roles of every row: t token, E first EOS, p pad, j junk, l lost, e lost EOS, '.' none. */
static const char *roles(const struct batch *b) {
  static char text[200];
  char *at = text;
  for (uint32_t row = 0; row < b->rows; row++) {
    if (row) *at++ = ' ';
    for (uint32_t t = 0; t < b->options.max_new_tokens; t++) *at++ = ".tEpjle"[cell(b, row, t)->role];
  }
  *at = 0;
  return text;
}

/* Finish reasons and steps of every row: "E1 E2 L3", N for none, C for cut. */
static const char *ends(const struct batch *b) {
  static char text[200];
  char *at = text;
  for (uint32_t row = 0; row < b->rows; row++) {
    if (row) *at++ = ' ';
    const smp_stop_row *end = &b->ends[row];
    at += snprintf(at, 8, "%c%u", "NELC"[end->finish], end -> step);
  }
  return text;
}

/* answers: length of each row's. counts: pad, lost, lost EOS, junk, idle. */
struct example {
  const char *name, *candidates;
  uint32_t limit, pad;
  smp_rule rule;
  const char *appended, *roles, *ends, *answers, *counts;
};

static const struct example EXAMPLES[] = {
    {"EOS row by row", "Eaa xEb yzE", 3, 0, SMP_RULE_LATCH, "EPP xEP yzE", "Epp tEp ttE", "E1 E2 E3", "012",
     "3 0 0 0 3"},
    {"EOS row by row, any", "Eaa xEb yzE", 3, 0, SMP_RULE_ANY, "E.. x.. y..", "E.. te. tle", "E1 C1 C1", "011",
     "0 1 2 0 0"},
    {"EOS row by row, same step", "Eaa xEb yzE", 3, 0, SMP_RULE_SAME_STEP, "Eaa xEb yzE", "Ejj tEj ttE", "E1 E2 E3",
     "012", "0 0 0 3 3"},
    {"length first", "Eaa xEb yzE", 2, 0, SMP_RULE_LATCH, "EP xE yz", "Ep tE tt", "E1 E2 L2", "012", "1 0 0 0 1"},
    {"length first, any", "Eaa xEb yzE", 2, 0, SMP_RULE_ANY, "E. x. y.", "E. te tl", "E1 C1 C1", "011", "0 1 1 0 0"},
    {"streams", "5E67 78E9 1234", 4, 0, SMP_RULE_LATCH, "5EPP 78EP 1234", "tEpp ttEp tttt", "E2 E3 L4", "124",
     "3 0 0 0 3"},
    {"streams, any", "5E67 78E9 1234", 4, 0, SMP_RULE_ANY, "5E.. 78.. 12..", "tE.. tte. ttll", "E2 C2 C2", "122",
     "0 2 1 0 0"},
    {"streams, same step", "5E67 78E9 1234", 4, 0, SMP_RULE_SAME_STEP, "5E67 78E9 1234", "tEjj ttEj tttt", "E2 E3 L4",
     "124", "0 0 0 3 3"},
    {"all at once", "Eab Ecd Eef", 3, 0, SMP_RULE_LATCH, "E.. E.. E..", "E.. E.. E..", "E1 E1 E1", "000", "0 0 0 0 0"},
    {"all at once, any", "Eab Ecd Eef", 3, 0, SMP_RULE_ANY, "E.. E.. E..", "E.. E.. E..", "E1 E1 E1", "000",
     "0 0 0 0 0"},
    {"all at once, same step", "Eab Ecd Eef", 3, 0, SMP_RULE_SAME_STEP, "E.. E.. E..", "E.. E.. E..", "E1 E1 E1", "000",
     "0 0 0 0 0"},
    {"all show EOS later, one again", "EaEb xEEy", 4, 0, SMP_RULE_SAME_STEP, "EaE. xEE.", "Ejj. tEj.", "E1 E2", "01",
     "0 0 0 3 3"},
    {"shared id", "Eaa xEb yzE", 3, 1, SMP_RULE_LATCH, "EEE xEE yzE", "Epp tEp ttE", "E1 E2 E3", "012", "3 0 0 0 3"},
    {"shared id, same step", "EPa aEb", 3, 1, SMP_RULE_SAME_STEP, "EE. aE.", "Ej. tE.", "E1 E2", "01", "0 0 0 1 1"},
    {"a chosen PAD after EOS is junk, not padding", "EP ab", 2, 0, SMP_RULE_SAME_STEP, "EP ab", "Ej tt", "E1 L2", "02",
     "0 0 0 1 1"},
    {"PAD by hand, its own id", "PaE ab", 2, 0, SMP_RULE_LATCH, "Pa ab", "tt tt", "L2 L2", "22", "0 0 0 0 0"},
    {"PAD by hand, shared id", "PaE abc", 3, 1, SMP_RULE_LATCH, "EEE abc", "Epp ttt", "E1 L3", "03", "2 0 0 0 2"},
    {"any at the limit cuts nobody", "abE cde", 3, 0, SMP_RULE_ANY, "abE cde", "ttE ttt", "E3 L3", "23", "0 0 0 0 0"},
    {"any without EOS", "ab cd", 2, 0, SMP_RULE_ANY, "ab cd", "tt tt", "L2 L2", "22", "0 0 0 0 0"},
    {"one row, scalar", "aEb", 3, 0, SMP_RULE_SCALAR, "aE.", "tE.", "E2", "1", "0 0 0 0 0"},
    {"one row, single", "aEb", 3, 0, SMP_RULE_SINGLE, "aE.", "tE.", "E2", "1", "0 0 0 0 0"},
    {"one row, to the limit", "abE", 2, 0, SMP_RULE_LATCH, "ab", "tt", "L2", "2", "0 0 0 0 0"},
    {"rows of different lengths", "aEbcd xy zE", 2, 0, SMP_RULE_LATCH, "aE xy zE", "tE tt tE", "E2 L2 E2", "121",
     "0 0 0 0 0"},
    {"nothing is lost after a row's EOS", "Eaa xab xEa", 3, 0, SMP_RULE_ANY, "E.. x.. x..", "E.. tll te.", "E1 C1 C1",
     "011", "0 2 1 0 0"}};

static void test_example(const struct example *e) {
  static struct batch b;
  load(&b, e->candidates, e->limit, e->pad, e->rule);
  poison(b.cells, sizeof b.cells);
  smp_status status = run(&b, NULL);
  expect(is_poison(cell(&b, 0, e->limit), 4 * sizeof *b.cells), "wrote beyond the last column");
  expect(status == SMP_OK, "status %d", status);
  expect(!strcmp(appended(&b), e->appended), "appended %s, want %s", appended(&b), e->appended);
  expect(!strcmp(roles(&b), e->roles), "roles %s, want %s", roles(&b), e->roles);
  expect(!strcmp(ends(&b), e->ends), "ends %s, want %s", ends(&b), e->ends);
  const smp_stop_result *r = &b.result;
  char text[80], *at = text;
  for (uint32_t i = 0; i < b.rows; i++) at += snprintf(at, 4, "%u", b.ends[i].answer);
  expect(!strcmp(text, e->answers), "answers of %s tokens, want %s", text, e->answers);
  snprintf(text, sizeof text, "%u %u %u %u %u", r->pad, r->lost, r->lost_eos, r->junk, r->idle);
  expect(!strcmp(text, e->counts), "counters %s, want %s", text, e->counts);
  expect(r->stopped == 1, "not stopped");
}

/* Each step's columns: candidate, before, appended, after, batch. */
static void test_log(void) {
  static struct batch b;
  static const char *const log[3][5] = {
      {"Exy", "000", "Exy", "100", "000"}, {"aEz", "100", "PEz", "110", "000"}, {"abE", "110", "PPE", "111", "111"}};
  load(&b, "Eaa xEb yzE", 3, 0, SMP_RULE_LATCH);
  run(&b, NULL);
  for (uint32_t t = 0; t < 3; t++)
    for (uint32_t i = 0; i < 3; i++) {
      const smp_stop_cell *c = cell(&b, i, t);
      expect(c->candidate == id_of(log[t][0][i], 0), "candidate of row %u, step %u: %u", i, t + 1, c->candidate);
      expect(c->before == (uint32_t)(log[t][1][i] - '0'), "before of row %u, step %u: %u", i, t + 1, c->before);
      expect(c->appended == id_of(log[t][2][i], 0), "appended to row %u, step %u: %u", i, t + 1, c->appended);
      expect(c->after == (uint32_t)(log[t][3][i] - '0'), "after of row %u, step %u: %u", i, t + 1, c->after);
      expect(c->batch == (uint32_t)(log[t][4][i] - '0'), "batch of row %u, step %u: %u", i, t + 1, c->batch);
    }
  expect(b.result.finished == 3 && b.result.columns == 3, "%u finished, %u columns", b.result.finished,
         b.result.columns);

  load(&b, "Eaa xEb yzE", 3, 0, SMP_RULE_ANY);
  run(&b, NULL);
  expect(b.result.finished == 1 && b.result.columns == 1, "any: %u finished", b.result.finished);
  for (uint32_t i = 0; i < 3; i++) {
    expect(cell(&b, i, 0)->batch == 1 && cell(&b, i, 0)->after == (i == 0), "any: row %u after the column", i);
    expect(!cell(&b, i, 1)->batch && !cell(&b, i, 1)->after && !cell(&b, i, 1)->before, "any: row %u beyond it", i);
    expect(cell(&b, i, 2)->candidate == id_of("abE"[i], 0), "any: candidate of row %u beyond it", i);
  }
}

static void test_pause(void) {
  static struct batch b;
  load(&b, "Eaa xEb yzE", 3, 0, SMP_RULE_LATCH);
  b.options.steps = 2;
  run(&b, NULL);
  expect(!strcmp(appended(&b), "EP. xE. yz."), "latch after 2: %s", appended(&b));
  expect(!strcmp(ends(&b), "E1 E2 N0"), "latch after 2: %s", ends(&b));
  expect(b.result.finished == 2 && b.result.columns == 2 && !b.result.stopped, "latch after 2: %u", b.result.finished);
  expect(b.ends[2].answer == 2 && b.result.pad == 1 && b.result.idle == 1, "latch after 2: pad %u", b.result.pad);
  b.options.steps = 0;
  run(&b, NULL);
  expect(!strcmp(appended(&b), "... ... ..."), "nothing at step 0: %s", appended(&b));
  expect(!strcmp(ends(&b), "N0 N0 N0") && !b.result.stopped && !b.result.finished, "at step 0: %s", ends(&b));
  b.options.rule = SMP_RULE_ANY;
  run(&b, NULL);
  expect(b.result.lost == 0 && !strcmp(roles(&b), "... ... ..."), "nothing is lost before the stop");
  b.options.steps = UINT32_MAX;
  run(&b, NULL);
  expect(b.result.lost == 1 && b.result.columns == 1, "more steps than the limit are the whole run");
}

/* Several ids end a row, each counts, and other rows' ids do not. */
static void test_eos_set(void) {
  static struct batch b;
  load(&b, "5aa xEb yz6", 3, 0, SMP_RULE_LATCH);
  b.n_eos = 3;
  b.eos[1] = '5';
  b.eos[2] = EOS_ID;
  run(&b, NULL);
  expect(!strcmp(appended(&b), "5PP xEP yz6"), "appended %s", appended(&b));
  expect(!strcmp(ends(&b), "E1 E2 L3"), "ends %s", ends(&b));
  b.n_eos = 0;
  for (int rule = SMP_RULE_LATCH; rule <= SMP_RULE_SINGLE; rule++) {
    b.options.rule = (smp_rule)rule;
    expect(run(&b, NULL) == SMP_OK && !strcmp(ends(&b), "L3 L3 L3"), "rule %d without EOS: %s", rule, ends(&b));
    expect(!strcmp(appended(&b), "5aa xEb yz6"), "rule %d without EOS: %s", rule, appended(&b));
  }
}

/* A row that is shorter than the run is complete where it holds an EOS: all is as if the model had gone on. */
static void test_ragged(void) {
  static struct batch whole, b;
  for (int rule = SMP_RULE_LATCH; rule <= SMP_RULE_ANY; rule++) {
    load(&whole, "Eaabb xEbbb yzxyz", 5, 0, (smp_rule)rule);
    run(&whole, NULL);
    load(&b, "Eaabb xEbbb yzxyz", 5, 0, (smp_rule)rule);
    const uint32_t ragged[] = {EOS_ID, 'x', EOS_ID, 'y', 'z', 'x', 'y', 'z'};
    memcpy(b.candidates, ragged, sizeof ragged);
    b.lengths[0] = 1, b.lengths[1] = 2;
    expect(run(&b, NULL) == SMP_OK, "rule %d: refused", rule);
    expect(!memcmp(&b.result, &whole.result, sizeof b.result), "rule %d: another result", rule);
    expect(!memcmp(b.ends, whole.ends, 3 * sizeof *b.ends), "rule %d: other ends", rule);
    for (uint32_t t = 0; t < 5; t++)
      for (uint32_t row = 0; row < 3; row++) {
        smp_stop_cell found = *cell(&b, row, t), want = *cell(&whole, row, t);
        if (row < 2 && t > row) want.candidate = SMP_NONE;
        expect(!memcmp(&found, &want, sizeof found), "rule %d: row %u, step %u", rule, row, t + 1);
      }
  }
  b.options.rule = SMP_RULE_SCALAR, b.rows = 1;
  expect(run(&b, NULL) == SMP_OK && b.result.columns == 1, "one row under scalar");
}

/* ---- Refusals -------------------------------------------------------------------------------------------------- */

static void refuse(const char *name, struct batch *b, smp_status status, smp_param param, uint32_t index) {
  smp_where where = {SMP_AT_NONE, 77};
  poison(b->cells, sizeof b->cells);
  poison(b->ends, sizeof b->ends);
  poison(&b->result, sizeof b->result);
  smp_status got = run(b, &where);
  expect(got == status, "%s: status %d", name, got);
  expect(where.param == param && where.index == index, "%s: points at %d, %u", name, where.param, where.index);
  expect(is_poison(b->cells, sizeof b->cells) && is_poison(b->ends, sizeof b->ends), "%s: wrote a cell", name);
  expect(is_poison(&b->result, sizeof b->result), "%s: wrote the result", name);
  expect(run(b, NULL) == status, "%s: needs no where", name);
}

static void test_refusals(void) {
  static struct batch b;
  const char *good = "Eaa xEb yzE";
#define REFUSE(change, status, param, index)                                                                           \
  load(&b, good, 3, 0, SMP_RULE_LATCH), change, refuse(#change, &b, status, param, index)
  REFUSE(b.rows = 0, SMP_ERR_EMPTY, SMP_AT_ROWS, 0);
  REFUSE(b.rows = ROWS + 1, SMP_ERR_LENGTH, SMP_AT_ROWS, 0);
  REFUSE(b.options.max_new_tokens = 0, SMP_ERR_PARAM, SMP_AT_MAX_NEW_TOKENS, 0);
  REFUSE(b.options.max_new_tokens = TOKENS + 1, SMP_ERR_PARAM, SMP_AT_MAX_NEW_TOKENS, 0);
  REFUSE(b.options.rule = (smp_rule)5, SMP_ERR_PARAM, SMP_AT_RULE, 0);
  REFUSE(b.options.pad = SMP_NONE, SMP_ERR_PARAM, SMP_AT_PAD, 0);
  REFUSE(b.n_eos = SMP_STOP_EOS + 1, SMP_ERR_LENGTH, SMP_AT_EOS, 0);
  REFUSE((b.n_eos = 3, b.eos[2] = SMP_NONE), SMP_ERR_PARAM, SMP_AT_EOS, 2);
  REFUSE(b.lengths[1] = 0, SMP_ERR_EMPTY, SMP_AT_ROWS, 1);
  REFUSE(b.lengths[2] = TOKENS + 1, SMP_ERR_LENGTH, SMP_AT_ROWS, 2);
  REFUSE(b.lengths[2] = 2, SMP_ERR_SHORT, SMP_AT_ROWS, 2);
  REFUSE((b.n_eos = 0, b.lengths[2] = 2), SMP_ERR_SHORT, SMP_AT_ROWS, 2);
  REFUSE((b.options.rule = SMP_RULE_SAME_STEP, b.candidates[7] = EOS_ID, b.lengths[2] = 2), SMP_ERR_SHORT, SMP_AT_ROWS,
         2);
  REFUSE(b.candidates[0] = SMP_NONE, SMP_ERR_PARAM, SMP_AT_CANDIDATES, 0);
  REFUSE(b.candidates[8] = SMP_NONE, SMP_ERR_PARAM, SMP_AT_CANDIDATES, 8);
  REFUSE(b.options.rule = SMP_RULE_SCALAR, SMP_ERR_REFUSED, SMP_AT_RULE, 1);
  REFUSE(b.options.rule = SMP_RULE_SINGLE, SMP_ERR_REFUSED, SMP_AT_RULE, 0);
  REFUSE((b.options.rule = SMP_RULE_SCALAR, b.rows = 2), SMP_ERR_REFUSED, SMP_AT_RULE, 1);
#undef REFUSE
}

/* The largest batch, the longest row, the largest EOS set and ids are taken. */
static void test_limits(void) {
  static struct batch b;
  b = (struct batch){.rows = ROWS, .n_eos = SMP_STOP_EOS, .options = {TOKENS, SMP_NONE - 1, SMP_RULE_LATCH, TOKENS}};
  for (uint32_t i = 0; i < SMP_STOP_EOS; i++) b.eos[i] = SMP_NONE - 1 - i;
  for (uint32_t i = 0; i < ROWS; i++) b.lengths[i] = TOKENS;
  expect(run(&b, NULL) == SMP_OK, "refused");
  expect(b.result.columns == TOKENS && b.result.finished == ROWS && b.result.pad == 0, "%u columns", b.result.columns);
  b.candidates[ROWS * TOKENS - 2] = b.eos[SMP_STOP_EOS - 1];
  expect(run(&b, NULL) == SMP_OK && b.result.pad == 1, "%u pads", b.result.pad);
  expect(cell(&b, ROWS - 1, TOKENS - 1)->appended == SMP_NONE - 1, "the last cell is no PAD");
}

/* ---- Properties ------------------------------------------------------------------------------------------------ */

/* A random table of 1 to 4 rows of 1 to 8 candidates with frequent EOS and PAD ids. */
static void random_batch(struct batch *b, uint64_t *state) {
  uint32_t limit = 1 + random_word(state) % 8, n = 0;
  *b = (struct batch){.rows = 1 + random_word(state) % 4, .n_eos = random_word(state) % 3};
  b->options = (smp_stop_options){limit, random_word(state) % 3, (smp_rule)(random_word(state) % 3), limit};
  b->eos[0] = 1;
  b->eos[1] = 3;
  for (uint32_t i = 0; i < b->rows; i++) {
    b->lengths[i] = limit + random_word(state) % 3;
    for (uint32_t t = 0; t < b->lengths[i]; t++) b->candidates[n++] = random_word(state) % 7;
  }
}

/* Row i under the right rule, from the definition: answer, EOS or not. */
static uint32_t first_eos(const struct batch *b, uint32_t i, uint32_t limit) {
  uint32_t t = 0;
  for (; t < limit; t++)
    for (uint32_t j = 0; j < b->n_eos; j++)
      if (cell(b, i, t)->candidate == b->eos[j]) return t;
  return t;
}

/* The counters again, from the buffer and the definition of each. */
static void recount(const struct batch *b) {
  uint32_t limit = b->options.max_new_tokens, columns = b->result.columns;
  uint32_t lost = 0, lost_eos = 0, after_eos = 0, longest = 0;
  for (uint32_t i = 0; i < b->rows; i++) {
    uint32_t at = first_eos(b, i, limit), got = at < columns ? at : columns;
    longest = at + 1 > longest ? at + 1 : longest;
    lost += at - got;
    lost_eos += at < limit && at >= columns;
    if (at < columns) after_eos += columns - at - 1;
    expect(b->ends[i].answer == got, "row %u answers %u tokens, want %u", i, b->ends[i].answer, got);
    smp_finish want = at < columns ? SMP_FINISH_EOS : columns == limit ? SMP_FINISH_LENGTH : SMP_FINISH_CUT;
    expect(b->ends[i].finish == want, "row %u ends by %d, want %d", i, b->ends[i].finish, want);
    expect(b->ends[i].step == (at < columns ? at + 1 : columns), "row %u ends in step %u", i, b->ends[i].step);
  }
  int pads = b->options.rule == SMP_RULE_LATCH;
  if (pads) expect(columns == (longest < limit ? longest : limit), "%u columns", columns);
  expect(b->result.lost == lost && b->result.lost_eos == lost_eos, "lost %u, EOS %u", b->result.lost,
         b->result.lost_eos);
  expect(b->result.idle == after_eos, "idle %u", b->result.idle);
  expect(b->result.pad == (pads ? after_eos : 0), "pad %u", b->result.pad);
  expect(b->result.junk == (pads ? 0 : after_eos), "junk %u", b->result.junk);
  expect(b->result.stopped == 1, "not stopped");
}

static void test_properties(void) {
  static struct batch whole, part;
  uint64_t state = 5;
  for (int round = 0; round < 3000; round += (int)every) {
    random_batch(&whole, &state);
    part = whole;
    run(&whole, NULL);
    recount(&whole);
    size_t column = whole.rows * sizeof(smp_stop_cell);
    for (uint32_t t = 0; t <= whole.result.columns; t++) {
      part.options.steps = t;
      run(&part, NULL);
      expect(part.result.columns == t, "round %d: %u columns after %u", round, part.result.columns, t);
      expect(!memcmp(part.cells, whole.cells, t * column), "round %d: other cells after %u", round, t);
      expect(part.result.stopped == (t == whole.result.columns), "round %d: stopped after %u", round, t);
      for (uint32_t i = 0; i < whole.rows; i++) {
        int ended = whole.ends[i].step <= t;
        expect(part.ends[i].step == (ended ? whole.ends[i].step : 0), "round %d: row %u after %u", round, i, t);
        expect(part.ends[i].finish == (ended ? whole.ends[i].finish : SMP_FINISH_NONE), "round %d: finish", round);
      }
    }
    expect(!memcmp(&part.result, &whole.result, sizeof whole.result), "round %d: other counters at the end", round);
    expect(!memcmp(part.cells, whole.cells, whole.options.max_new_tokens * column), "round %d: other marks", round);
  }
}

/* One row ends in the same way whatever its rule, and as the protocol for one prompt says. */
static void test_one_row_agrees(void) {
  static struct batch b;
  uint64_t state = 6;
  const uint32_t prompt[] = {9, 1};
  for (int round = 0; round < 500; round++) {
    random_batch(&b, &state);
    b.rows = 1;
    uint32_t limit = b.options.max_new_tokens, out[2 + 8], n;
    smp_finish reason;
    smp_stop_one(prompt, 2, b.candidates, b.lengths[0], b.eos, b.n_eos, limit, 1, out, &n, &reason, NULL);
    for (int rule = SMP_RULE_LATCH; rule <= SMP_RULE_SINGLE; rule++) {
      b.options.rule = (smp_rule)rule;
      expect(run(&b, NULL) == SMP_OK, "rule %d refuses one row", rule);
      expect(b.ends[0].finish == reason && b.result.columns + 2 == n, "rule %d ends another way", rule);
      for (uint32_t t = 0; t < b.result.columns; t++) expect(cell(&b, 0, t)->appended == out[t + 2], "rule %d", rule);
    }
  }
}

/* ---- One prompt ------------------------------------------------------------------------------------------------ */

static const uint32_t ALWAYS_3[] = {3, 3, 3}, PROMPT[] = {1, 2}, EOS_3[] = {3};

static void test_one(void) {
  static const struct {
    uint32_t n_eos, limit, keep, n;
    smp_finish finish;
  } cases[] = {{1, 3, 0, 2, SMP_FINISH_EOS},    {1, 3, 1, 3, SMP_FINISH_EOS},    {0, 3, 0, 5, SMP_FINISH_LENGTH},
               {0, 3, 1, 5, SMP_FINISH_LENGTH}, {0, 1, 0, 3, SMP_FINISH_LENGTH}, {1, 1, 0, 2, SMP_FINISH_EOS}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t out[5] = {0}, n = 0;
    smp_finish reason = SMP_FINISH_NONE;
    smp_status status = smp_stop_one(PROMPT, 2, ALWAYS_3, 3, EOS_3, cases[i].n_eos, cases[i].limit, cases[i].keep, out,
                                     &n, &reason, NULL);
    expect(status == SMP_OK && n == cases[i].n && reason == cases[i].finish, "case %zu: %u ids, reason %d", i, n,
           reason);
    for (uint32_t t = 0; t < 5; t++) expect(out[t] == (t >= n ? 0 : t < 2 ? t + 1 : 3), "case %zu: id %u", i, t);
  }

  uint32_t out[4], n;
  smp_finish reason;
  const uint32_t prompt[] = {3}, later[] = {7, 8, 3};
  smp_stop_one(prompt, 1, later, 3, EOS_3, 1, 3, 1, out, &n, &reason, NULL);
  expect(n == 4 && out[0] == 3 && out[1] == 7 && out[2] == 8 && out[3] == 3, "an EOS in the prompt stopped it");
  expect(reason == SMP_FINISH_EOS, "EOS in the step of the limit: reason %d", reason);
}

static void test_one_refusals(void) {
  static uint32_t many[TOKENS + 1], out[2 * TOKENS], n;
  static const uint32_t bad[] = {1, SMP_NONE, SMP_NONE};
  smp_finish reason;
  smp_where where;
#define REFUSE(prompt, n_prompt, candidates, length, eos, n_eos, limit, keep, status, parameter, at)                   \
  poison(out, sizeof out), poison(&n, sizeof n), poison(&reason, sizeof reason);                                       \
  expect(smp_stop_one(prompt, n_prompt, candidates, length, eos, n_eos, limit, keep, out, &n, &reason, &where) ==      \
             (status),                                                                                                 \
         "line %d: status", __LINE__);                                                                                 \
  expect(where.param == (parameter) && where.index == (at), "line %d: points at %d, %u", __LINE__, where.param,        \
         where.index);                                                                                                 \
  expect(is_poison(out, sizeof out) && is_poison(&n, sizeof n) && is_poison(&reason, sizeof reason), "line %d: wrote", \
         __LINE__)
  REFUSE(many, 0, ALWAYS_3, 3, EOS_3, 1, 3, 0, SMP_ERR_EMPTY, SMP_AT_PROMPT, 0);
  REFUSE(many, TOKENS + 1, ALWAYS_3, 3, EOS_3, 1, 3, 0, SMP_ERR_LENGTH, SMP_AT_PROMPT, 0);
  REFUSE(bad, 3, ALWAYS_3, 3, EOS_3, 1, 3, 0, SMP_ERR_PARAM, SMP_AT_PROMPT, 1);
  REFUSE(PROMPT, 2, ALWAYS_3, 3, EOS_3, 1, 0, 0, SMP_ERR_PARAM, SMP_AT_MAX_NEW_TOKENS, 0);
  REFUSE(PROMPT, 2, many, TOKENS, EOS_3, 1, TOKENS + 1, 0, SMP_ERR_PARAM, SMP_AT_MAX_NEW_TOKENS, 0);
  REFUSE(PROMPT, 2, ALWAYS_3, 3, many, SMP_STOP_EOS + 1, 3, 0, SMP_ERR_LENGTH, SMP_AT_EOS, 0);
  REFUSE(PROMPT, 2, ALWAYS_3, 3, bad, 3, 3, 0, SMP_ERR_PARAM, SMP_AT_EOS, 1);
  REFUSE(PROMPT, 2, ALWAYS_3, 0, EOS_3, 1, 3, 0, SMP_ERR_EMPTY, SMP_AT_ROWS, 0);
  REFUSE(PROMPT, 2, many, TOKENS + 1, EOS_3, 1, 3, 0, SMP_ERR_LENGTH, SMP_AT_ROWS, 0);
  REFUSE(PROMPT, 2, ALWAYS_3, 2, EOS_3, 0, 3, 0, SMP_ERR_SHORT, SMP_AT_ROWS, 0);
  REFUSE(PROMPT, 2, bad, 3, EOS_3, 1, 3, 0, SMP_ERR_PARAM, SMP_AT_CANDIDATES, 1);
  REFUSE(PROMPT, 2, ALWAYS_3, 3, EOS_3, 1, 3, 2, SMP_ERR_PARAM, SMP_AT_KEEP_EOS, 0);
#undef REFUSE
  expect(smp_stop_one(many, TOKENS, many, TOKENS, many, SMP_STOP_EOS, TOKENS, 1, out, &n, &reason, NULL) == SMP_OK,
         "the largest sizes are refused");
  expect(n == TOKENS + 1 && reason == SMP_FINISH_EOS, "%u ids", n);
  expect(smp_stop_one(many, TOKENS, many, TOKENS, many, 0, TOKENS, 1, out, &n, &reason, NULL) == SMP_OK &&
             n == 2 * TOKENS,
         "the largest answer has %u ids", n);
}

void test_stop(void) {
  for (size_t i = 0; i < sizeof EXAMPLES / sizeof EXAMPLES[0]; i++) {
    begin_case("stop: %s", EXAMPLES[i].name);
    test_example(&EXAMPLES[i]);
  }
  static const struct {
    const char *name;
    void (*test)(void);
  } tests[] = {
      {"stop: the log of every step", test_log},
      {"stop: a run paused", test_pause},
      {"stop: EOS sets", test_eos_set},
      {"stop: a short row that ended is complete", test_ragged},
      {"stop: refusals write nothing", test_refusals},
      {"stop: the largest sizes and ids", test_limits},
      {"stop: the state after a step is that of a run to it; counters recounted", test_properties},
      {"stop: all rules agree on one row", test_one_row_agrees},
      {"stop: one prompt", test_one},
      {"stop: one prompt, refusals write nothing", test_one_refusals},
  };
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    begin_case("%s", tests[i].name);
    tests[i].test();
  }
}
