/* A chain: checks every parameter, runs the steps in order, reports the row after each, and writes the result. The row
   is only read until nothing can fail any more. */
#include "impl.h"
#include "lanes.h"

/* ---- Work area -------------------------------------------------------------------------------------------------- */

static size_t blocks_of(size_t n) {
  return (n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
}

size_t smp_chain_work_size(size_t n) {
  const size_t entries = smp_row_capacity(n), blocks = smp_row_capacity(blocks_of(entries));
  if (entries == 0) return 0;
  return (blocks + SMP_BUCKETS) * sizeof(double) + (3 * entries + blocks + SMP_ROW_BLOCK) * sizeof(float) +
         (entries + SMP_BUCKETS) * sizeof(uint32_t);
}

static void lay_out(smp_run *run, size_t n, void *work) {
  const size_t entries = smp_row_capacity(n), blocks = smp_row_capacity(blocks_of(entries));
  memset(run, 0, sizeof *run);
  run->block_sum = work;
  run->mass = run->block_sum + blocks;
  run->values = (float *)(void *)(run->mass + SMP_BUCKETS);
  run->weight = run->values + entries;
  run->key = run->weight + entries;
  run->block_max = run->key + entries;
  run->tail = run->block_max + blocks;
  run->ids = (uint32_t *)(void *)(run->tail + SMP_ROW_BLOCK);
  run->filled = run->ids + entries;
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

static smp_param param_of(smp_step_kind kind) {
  switch (kind) {
  case SMP_STEP_TEMPERATURE:
    return SMP_AT_TEMPERATURE;
  case SMP_STEP_REPETITION:
    return SMP_AT_REPETITION;
  case SMP_STEP_PRESENCE:
    return SMP_AT_PRESENCE;
  case SMP_STEP_FREQUENCY:
    return SMP_AT_FREQUENCY;
  case SMP_STEP_BIAS:
    return SMP_AT_BIAS;
  case SMP_STEP_MASK:
    return SMP_AT_MASK;
  case SMP_STEP_NO_REPEAT:
    return SMP_AT_NO_REPEAT;
  case SMP_STEP_TOP_K:
    return SMP_AT_TOP_K;
  case SMP_STEP_TOP_P:
    return SMP_AT_TOP_P;
  case SMP_STEP_MIN_P:
    return SMP_AT_MIN_P;
  case SMP_STEP_TYPICAL:
    return SMP_AT_TYPICAL;
  case SMP_STEP_EPSILON:
    return SMP_AT_EPSILON;
  case SMP_STEP_ETA:
    return SMP_AT_ETA;
  case SMP_STEP_TOP_H:
    return SMP_AT_TOP_H;
  case SMP_STEP_TOP_N_SIGMA:
    return SMP_AT_TOP_N_SIGMA;
  }
  return SMP_AT_STEP;
}

static int ids_are_legal(const smp_step *step, size_t n) {
  for (size_t j = 0; j < step->count; j++) {
    if (step->ids[j] >= n) return 0;
    if (step->kind == SMP_STEP_BIAS && !(step->values[j] < (float)SMP_INF)) return 0;
  }
  return 1;
}

/* Written so that NaN fails. Numbers that the rules use as floats are looked at as floats. */
static int is_legal(const smp_step *step, size_t n) {
  const double x = step->value;
  const float as_float = (float)x;
  switch (step->kind) {
  case SMP_STEP_TEMPERATURE:
  case SMP_STEP_REPETITION:
    return as_float > 0 && as_float < (float)SMP_INF;
  case SMP_STEP_PRESENCE:
  case SMP_STEP_FREQUENCY:
    return as_float < (float)SMP_INF && as_float > -(float)SMP_INF;
  case SMP_STEP_BIAS:
  case SMP_STEP_MASK:
    return ids_are_legal(step, n);
  case SMP_STEP_NO_REPEAT:
  case SMP_STEP_TOP_K:
    return step->count >= 1;
  case SMP_STEP_TOP_P:
  case SMP_STEP_MIN_P:
    return x >= 0 && x <= 1;
  case SMP_STEP_TYPICAL:
    return as_float > 0 && x < 1;
  case SMP_STEP_EPSILON:
  case SMP_STEP_ETA:
    return x > 0 && x < 1;
  case SMP_STEP_TOP_H:
    return x > 0 && x <= 1;
  case SMP_STEP_TOP_N_SIGMA:
    return x >= 0 && x < SMP_INF;
  }
  return 0;
}

static smp_status check_chain(const smp_chain *chain, size_t n, smp_where *where) {
  for (uint32_t i = 0; i < chain->n_steps; i++) {
    const smp_step *step = &chain->steps[i];
    if (!is_legal(step, n)) return smp_fail(SMP_ERR_PARAM, param_of(step->kind), i, where);
    int ranks = step->kind == SMP_STEP_TOP_K || step->kind == SMP_STEP_TOP_P;
    int known = step->tie == SMP_TIE_STRICT || step->tie == SMP_TIE_THRESHOLD || step->tie == SMP_TIE_LAST;
    if (ranks && !known) return smp_fail(SMP_ERR_PARAM, SMP_AT_TIE, i, where);
  }
  for (uint32_t i = 0; i < chain->n_context; i++)
    if (chain->context[i] >= n) return smp_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  if (!(chain->u >= 0 && chain->u < 1)) return smp_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  if (chain->out != SMP_OUT_P && chain->out != SMP_OUT_LOG_P && chain->out != SMP_OUT_LOGITS &&
      chain->out != SMP_OUT_ID)
    return smp_fail(SMP_ERR_PARAM, SMP_AT_OUT, 0, where);
  return SMP_OK;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* 0 if the result is not finite, or no entry is left: no later step, and no draw, may find a run without one. */
static int run_step(smp_run *run, const smp_step *step, const smp_chain *chain) {
  run->mass_kept = 1;
  run->by_rounding = 0;
  if (step->kind == SMP_STEP_TEMPERATURE) return smp_run_temperature(run, (float)step->value);
  if (step->kind < SMP_STEP_TOP_K) return smp_run_step(run, step, chain->context, chain->n_context);
  return smp_run_select(run, step);
}

static float least_live(const smp_run *run) {
  float least = run->max;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i++) {
      float x = block[i] / run->tau;
      if (x < least && x > -(float)SMP_INF) least = x;
    }
  }
  return least;
}

static smp_step_info info_of(smp_run *run) {
  smp_run_weigh(run);
  return (smp_step_info){
      .max = (double)run->max,
      .cut = (double)least_live(run),
      .mass = run->mass_kept,
      .entropy = smp_run_entropy(run),
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
static void write_entries(const smp_run *run, const output *o, float *row, size_t n) {
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

static void write_row(const smp_run *run, const output *o, float *row) {
  const size_t capacity = smp_row_capacity(run->n_row);
  if (!run->listed) {
    write_entries(run, o, row, capacity);
    return;
  }
  const lanes nothing = lanes_all(o->out == SMP_OUT_P ? 0 : -(float)SMP_INF);
  for (size_t i = 0; i < capacity; i += 4) lanes_store(row + i, nothing);
  for (size_t j = 0; j < run->n; j++) row[run->ids[j]] = output_of(o, run->values[j], run->weight[j]);
}

/* The list of what is left, out of a row or a list. */
static void write_list(const smp_run *run, const output *o, float *row, uint32_t *ids) {
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
      if (!(x > -(float)SMP_INF)) continue;
      ids[j] = (uint32_t)(at + i);
      row[j++] = output_of(o, x, run->weight[at + i]);
    }
  }
}

smp_status smp_chain_run(float *row, size_t n, const smp_chain *chain, uint32_t *ids, smp_step_info *infos,
                         smp_chain_result *result, void *work, smp_where *where) {
  smp_run run;
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  smp_status status = check_chain(chain, n, where);
  if (status) return status;
  lay_out(&run, n, work);
  const int with_least = chain->n_steps == 0 || chain->steps[0].kind != SMP_STEP_TOP_K; /* where the list comes first */
  status = smp_run_start(&run, row, n, with_least, where);
  if (status) return status;

  /* A dry run if there are records to write: the first failing step must not leave any. */
  int by_rounding = 0;
  for (uint32_t i = 0; i < chain->n_steps; i++) {
    if (!run_step(&run, &chain->steps[i], chain))
      return smp_fail(SMP_ERR_PARAM, param_of(chain->steps[i].kind), i, where);
    by_rounding |= run.by_rounding;
  }
  if (infos) {
    lay_out(&run, n, work);
    smp_run_start(&run, row, n, with_least, NULL);
    for (uint32_t i = 0; i < chain->n_steps; i++) {
      smp_run_weigh(&run);
      run_step(&run, &chain->steps[i], chain);
      infos[i] = info_of(&run);
    }
  }
  if (chain->out == SMP_OUT_ID)
    smp_run_sum(&run);
  else
    smp_run_weigh(&run);
  const size_t place = smp_draw_place(&run, chain->u);
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
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  for (size_t r = 0; r < n_rows; r++, rows += smp_row_capacity(n)) {
    smp_where refused;
    results[r] = (smp_chain_result){.id = SMP_NONE};
    smp_status status = smp_chain_run(rows, n, &chains[r], NULL, NULL, &results[r], work, &refused);
    if (status)
      results[r] = (smp_chain_result){.id = SMP_NONE, .status = status, .param = refused.param, .index = refused.index};
  }
  return SMP_OK;
}
