/* A chain: the table of rules; checks every parameter, runs the steps in order, reports the row after each, and writes
   the result. The row is only read until nothing can fail any more. */
#include "chain.h"
#include "lanes.h"

/* ---- Work area -------------------------------------------------------------------------------------------------- */

size_t smp_chain_work_size(size_t n) {
  const size_t entries = smp_row_capacity(n), blocks = smp_row_capacity(blocks_of(entries));
  if (entries == 0) return 0;
  return (blocks + CHAIN_BUCKETS) * sizeof(double) + (3 * entries + blocks + SMP_ROW_BLOCK) * sizeof(float) +
         (entries + CHAIN_BUCKETS) * sizeof(uint32_t);
}

static void lay_out(chain_run *run, size_t n, void *work) {
  const size_t entries = smp_row_capacity(n), blocks = smp_row_capacity(blocks_of(entries));
  memset(run, 0, sizeof *run);
  run->block_sum = work;
  run->mass = run->block_sum + blocks;
  run->values = (float *)(void *)(run->mass + CHAIN_BUCKETS);
  run->weight = run->values + entries;
  run->key = run->weight + entries;
  run->block_max = run->key + entries;
  run->tail = run->block_max + blocks;
  run->ids = (uint32_t *)(void *)(run->tail + SMP_ROW_BLOCK);
  run->filled = run->ids + entries;
}

/* ---- Rules ------------------------------------------------------------------------------------------------------ */

/* Bounds of a value that is used as a float: (float)x is above 0 above the first, and finite below the second. */
#define FLOAT_ZERO     0x1p-150
#define FLOAT_INFINITE 0x1.ffffffp127

/* `low` and `high` of the table. */
#define OPEN(a, b)   .low = (a), .high = (b)
#define CLOSED(a, b) .low = (a), .high = (b), .includes_low = 1, .includes_high = 1
#define UP_TO(a, b)  .low = (a), .high = (b), .includes_high = 1
#define FROM(a, b)   .low = (a), .high = (b), .includes_low = 1
#define REMOVES      .removes = 1
#define TIE(usual)   .has_tie = 1, .usual_tie = SMP_TIE_##usual

/* The table of rules, one row each: kind, shape, what it does, range. A kind without a row does not compile. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
const chain_rule *smpi_chain_rule(smp_step_kind kind) {
  switch (kind) {
#define RULE(kind, shape, function, ...)                                                                               \
  case SMP_STEP_##kind: {                                                                                              \
    static const chain_rule rule = {SMP_AT_##kind, RULE_##shape, .apply = function, __VA_ARGS__};                      \
    return &rule;                                                                                                      \
  }
    /* clang-format off */
    RULE(TEMPERATURE,          VALUE,  smpi_temperature,        OPEN(FLOAT_ZERO, FLOAT_INFINITE))
    RULE(REPETITION_PENALTY,   WINDOW, smpi_repetition_penalty, OPEN(FLOAT_ZERO, FLOAT_INFINITE))
    RULE(PRESENCE_PENALTY,     WINDOW, smpi_presence_penalty,   OPEN(-FLOAT_INFINITE, FLOAT_INFINITE))
    RULE(FREQUENCY_PENALTY,    WINDOW, smpi_frequency_penalty,  OPEN(-FLOAT_INFINITE, FLOAT_INFINITE))
    RULE(LOGIT_BIAS,           PAIRS,  smpi_logit_bias,)
    RULE(SUPPRESS_TOKENS,      IDS,    smpi_suppress_tokens,)
    RULE(NO_REPEAT_NGRAM_SIZE, COUNT,  smpi_no_repeat_ngram,)
    RULE(TOP_K,                COUNT,  smpi_top_k,       REMOVES, TIE(THRESHOLD))
    RULE(TOP_P,                VALUE,  smpi_top_p,       CLOSED(0, 1), REMOVES, TIE(LAST))
    RULE(MIN_P,                VALUE,  smpi_min_p,       CLOSED(0, 1), REMOVES)
    RULE(TYPICAL_P,            VALUE,  smpi_typical,     OPEN(FLOAT_ZERO, 1), REMOVES, .may_remove_max = 1)
    RULE(EPSILON_CUTOFF,       VALUE,  smpi_epsilon,     OPEN(0, 1), REMOVES)
    RULE(ETA_CUTOFF,           VALUE,  smpi_eta,         OPEN(0, 1), REMOVES)
    RULE(TOP_H,                VALUE,  smpi_top_h,       UP_TO(0, 1), REMOVES)
    RULE(TOP_N_SIGMA,          VALUE,  smpi_top_n_sigma, FROM(0, SMP_INF), REMOVES)
    /* clang-format on */
#undef RULE
  }
  return NULL;
}
#pragma GCC diagnostic pop

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static int ids_are_legal(const smp_step *step, size_t n) {
  for (uint32_t j = 0; j < step->count; j++)
    if (step->ids[j] >= n) return 0;
  return 1;
}

static int biases_are_legal(const smp_step *step) {
  for (uint32_t j = 0; j < step->count; j++)
    if (!(step->values[j] < (float)SMP_INF)) return 0;
  return 1;
}

/* Written so that NaN fails. */
static int is_in_range(const chain_rule *rule, double x) {
  return (rule->includes_low ? x >= rule->low : x > rule->low) &&
         (rule->includes_high ? x <= rule->high : x < rule->high);
}

static int is_legal(const chain_rule *rule, const smp_step *step, size_t n) {
  switch (rule->shape) {
  case RULE_VALUE:
  case RULE_WINDOW:
    return is_in_range(rule, step->value);
  case RULE_COUNT:
    return step->count >= 1;
  case RULE_IDS:
    return ids_are_legal(step, n);
  case RULE_PAIRS:
    return ids_are_legal(step, n) && biases_are_legal(step);
  }
  return 0;
}

static smp_status check_chain(const smp_chain *chain, size_t n, smp_where *where) {
  for (uint32_t i = 0; i < chain->n_steps; i++) {
    const smp_step *step = &chain->steps[i];
    const chain_rule *rule = smpi_chain_rule(step->kind);
    if (!rule) return smpi_fail(SMP_ERR_PARAM, SMP_AT_STEP, i, where);
    if (!is_legal(rule, step, n)) return smpi_fail(SMP_ERR_PARAM, rule->param, i, where);
    const int known = step->tie == SMP_TIE_STRICT || step->tie == SMP_TIE_THRESHOLD || step->tie == SMP_TIE_LAST;
    if (rule->has_tie && !known) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TIE, i, where);
  }
  for (uint32_t i = 0; i < chain->n_context; i++)
    if (chain->context[i] >= n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  if (!(chain->u >= 0 && chain->u < 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  if (chain->out != SMP_OUT_P && chain->out != SMP_OUT_LOG_P && chain->out != SMP_OUT_LOGITS &&
      chain->out != SMP_OUT_ID)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_OUT, 0, where);
  if (chain->order != SMP_ORDER_ID && chain->order != SMP_ORDER_DESCENDING)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_ORDER, 0, where);
  return SMP_OK;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

static void find_max(chain_run *run) {
  float max = SMP_REMOVED;
  for (size_t i = 0; i < run->n; i++) max = run->values[i] > max ? run->values[i] : max;
  if (max < run->max) run->weighed = 0; /* the weights are those of a larger maximum */
  run->max = max;
}

/* After a filter: the sums of what is left, and which share of the distribution before it that is. */
static void settle_filter(chain_run *run, const chain_rule *rule, const chain_run *before) {
  if (run->n_live == before->n_live && !run->listed) return;
  if (run->weighed) smpi_chain_total(run);
  if (before->weighed) run->mass_kept = run->sum / before->sum;
  run->least = SMP_REMOVED; /* not known any more */
  if (rule->may_remove_max) find_max(run);
}

static int run_step(chain_run *run, const smp_step *step, const smp_chain *chain) {
  const chain_rule *rule = smpi_chain_rule(step->kind);
  const chain_run before = *run;
  run->mass_kept = 1;
  run->by_rounding = 0;
  if (!rule->apply(run, step, chain)) return 0;
  if (rule->removes) settle_filter(run, rule, &before);
  return run->n_live > 0;
}

static float least_live(const chain_run *run) {
  float least = run->max;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i++) {
      float x = block[i] / run->tau;
      if (x < least && x > SMP_REMOVED) least = x;
    }
  }
  return least;
}

static smp_step_info info_of(chain_run *run) {
  smpi_chain_weigh(run);
  return (smp_step_info){
      .max = (double)run->max,
      .cut = (double)least_live(run),
      .mass = run->mass_kept,
      .entropy = smpi_chain_entropy(run),
      .n_kept = (uint32_t)run->n_live,
      .by_rounding = (uint32_t)run->by_rounding,
  };
}

/* ---- Result ----------------------------------------------------------------------------------------------------- */

typedef struct output {
  smp_out out;
  float share, max;
  double ln_sum;
} output;

static float output_of(const output *o, float x, float weight) {
  if (o->out == SMP_OUT_P) return weight * o->share;
  return o->out == SMP_OUT_LOGITS ? x : (float)((double)(x - o->max) - o->ln_sum);
}

/* The first n entries of a row that is no list: up to its capacity. */
static void write_entries(const chain_run *run, const output *o, float *row, size_t n) {
  size_t i = 0;
  if (o->out == SMP_OUT_P) {
    const lanes share = lanes_all(o->share);
    for (; i + 4 <= n; i += 4) lanes_store(row + i, lanes_load(run->weight + i) * share);
  }
  while (i < n) {
    const size_t at = i / SMP_ROW_BLOCK * SMP_ROW_BLOCK, end = n - at < SMP_ROW_BLOCK ? n : at + SMP_ROW_BLOCK;
    const float *block = run_block(run, at);
    for (; i < end; i++) row[i] = output_of(o, block[i - at] / run->tau, run->weight[i]);
  }
}

static void write_row(const chain_run *run, const output *o, float *row) {
  const size_t capacity = smp_row_capacity(run->n_row);
  if (!run->listed) {
    write_entries(run, o, row, capacity);
    return;
  }
  const lanes nothing = lanes_all(o->out == SMP_OUT_P ? 0 : SMP_REMOVED);
  for (size_t i = 0; i < capacity; i += 4) lanes_store(row + i, nothing);
  for (size_t j = 0; j < run->n; j++) row[run->ids[j]] = output_of(o, run->values[j], run->weight[j]);
}

/* The list of what is left, out of a row or a list. */
static void write_list(const chain_run *run, const output *o, float *row, uint32_t *ids) {
  uint32_t j = 0;
  if (run->listed) {
    memcpy(ids, run->ids, run->n * sizeof *ids);
    for (; j < run->n; j++) row[j] = output_of(o, run->values[j], run->weight[j]);
    return;
  }
  if (run->n_live == run->n_row) { /* nothing is gone: the list is the row */
    for (; j < run->n_row; j++) ids[j] = j;
    write_entries(run, o, row, run->n_row);
    return;
  }
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const size_t here = run->n - at < SMP_ROW_BLOCK ? run->n - at : SMP_ROW_BLOCK;
    const float *block = run_block(run, at);
    for (size_t i = 0; i < here; i++) {
      float x = block[i] / run->tau;
      if (!(x > SMP_REMOVED)) continue;
      ids[j] = (uint32_t)(at + i);
      row[j++] = output_of(o, x, run->weight[at + i]);
    }
  }
}

smp_status smp_chain_run(float *row, size_t n, const smp_chain *chain, uint32_t *ids, smp_step_info *infos,
                         smp_chain_result *result, void *work, smp_where *where) {
  chain_run run;
  smp_status status = smpi_row_check_length(n, where);
  if (status == SMP_OK) status = check_chain(chain, n, where);
  if (status) return status;
  lay_out(&run, n, work);
  const int with_least = chain->n_steps == 0 || chain->steps[0].kind != SMP_STEP_TOP_K; /* where the list comes first */
  status = smpi_chain_start(&run, row, n, with_least, where);
  if (status) return status;

  /* A dry run if there are records to write: the first failing step must not leave any. */
  int by_rounding = 0;
  for (uint32_t i = 0; i < chain->n_steps; i++) {
    if (!run_step(&run, &chain->steps[i], chain))
      return smpi_fail(SMP_ERR_PARAM, smpi_chain_rule(chain->steps[i].kind)->param, i, where);
    by_rounding |= run.by_rounding;
  }
  if (infos) {
    lay_out(&run, n, work);
    smpi_chain_start(&run, row, n, with_least, NULL);
    for (uint32_t i = 0; i < chain->n_steps; i++) {
      smpi_chain_weigh(&run);
      run_step(&run, &chain->steps[i], chain);
      infos[i] = info_of(&run);
    }
  }
  const int by_id = chain->order == SMP_ORDER_ID;
  if (chain->out == SMP_OUT_ID && by_id)
    smpi_chain_sum(&run);
  else
    smpi_chain_weigh(&run);
  const size_t place = by_id ? smpi_chain_draw(&run, chain->u) : smpi_chain_draw_descending(&run, chain->u);
  *result = (smp_chain_result){
      .n_kept = (uint32_t)run.n_live,
      .id = run.listed ? run.ids[place] : (uint32_t)place,
      .by_rounding = (uint32_t)by_rounding,
  };
  const output o = {chain->out, (float)(1 / run.sum), run.max, chain->out == SMP_OUT_LOG_P ? smp_log(run.sum) : 0};
  if (chain->out == SMP_OUT_ID) return SMP_OK;
  if (ids)
    write_list(&run, &o, row, ids);
  else
    write_row(&run, &o, row);
  return SMP_OK;
}

smp_status smp_chain_run_rows(float *rows, size_t n_rows, size_t n, const smp_chain *chains, smp_chain_result *results,
                              void *work, smp_where *where) {
  smp_status length = smpi_row_check_length(n, where);
  if (length) return length;
  for (size_t r = 0; r < n_rows; r++, rows += smp_row_capacity(n)) {
    smp_where refused;
    results[r] = (smp_chain_result){.id = SMP_NONE};
    smp_status status = smp_chain_run(rows, n, &chains[r], NULL, NULL, &results[r], work, &refused);
    if (status) results[r] = (smp_chain_result){.id = SMP_NONE, .status = status, .where = refused};
  }
  return SMP_OK;
}
