/* When a batch stops: per-row latch, the wrong rules that people meet, and the protocol for one prompt. The candidates
   are known beforehand, so what is left is the protocol. A row's state after a step is in its cell, and the next step
   reads it there: no work area. */
#include "exact.h"

static int is_in(uint32_t id, const uint32_t *set, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (set[i] == id) return 1;
  return 0;
}

static smp_status check_ids(const uint32_t *ids, uint32_t n, smp_param param, smp_where *where) {
  for (uint32_t i = 0; i < n; i++)
    if (ids[i] == SMP_NONE) return smpi_fail(SMP_ERR_PARAM, param, i, where);
  return SMP_OK;
}

static smp_status check_limit(uint32_t limit, smp_where *where) {
  if (limit < 1 || limit > SMP_STOP_TOKENS) return smpi_fail(SMP_ERR_PARAM, SMP_AT_MAX_NEW_TOKENS, 0, where);
  return SMP_OK;
}

static smp_status check_eos(const uint32_t *eos, uint32_t n_eos, smp_where *where) {
  if (n_eos > SMP_STOP_EOS) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_EOS, 0, where);
  return check_ids(eos, n_eos, SMP_AT_EOS, where);
}

/* A row is as long as the run, or ends with an EOS before; under SAME_STEP it would have to go on after that. */
static int is_complete(const uint32_t *row, uint32_t length, const uint32_t *eos, uint32_t n_eos, uint32_t limit,
                       smp_rule rule) {
  if (length >= limit) return 1;
  for (uint32_t t = 0; t < length && rule != SMP_RULE_SAME_STEP; t++)
    if (is_in(row[t], eos, n_eos)) return 1;
  return 0;
}

static smp_status check_rows(const uint32_t *candidates, const uint32_t *lengths, uint32_t rows, const uint32_t *eos,
                             uint32_t n_eos, uint32_t limit, smp_rule rule, smp_where *where) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < rows; i++) {
    if (lengths[i] == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROWS, i, where);
    if (lengths[i] > SMP_STOP_TOKENS) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_ROWS, i, where);
  }
  for (uint32_t i = 0; i < rows; total += lengths[i++])
    if (!is_complete(candidates + total, lengths[i], eos, n_eos, limit, rule))
      return smpi_fail(SMP_ERR_SHORT, SMP_AT_ROWS, i, where);
  return check_ids(candidates, total, SMP_AT_CANDIDATES, where);
}

static smp_status check_options(const smp_stop_options *options, smp_where *where) {
  smp_status status = check_limit(options->max_new_tokens, where);
  if (status) return status;
  switch (options->rule) {
  case SMP_RULE_LATCH:
  case SMP_RULE_ANY:
  case SMP_RULE_SAME_STEP:
  case SMP_RULE_SCALAR:
  case SMP_RULE_SINGLE:
    if (options->pad == SMP_NONE) return smpi_fail(SMP_ERR_PARAM, SMP_AT_PAD, 0, where);
    return SMP_OK;
  }
  return smpi_fail(SMP_ERR_PARAM, SMP_AT_RULE, 0, where);
}

/* Two rules refuse a batch. The index is the step: SCALAR compares once a column is chosen, SINGLE asks before the
   first. */
static smp_status check_batch(uint32_t rows, uint32_t n_eos, smp_rule rule, smp_where *where) {
  if (rows == 1 || n_eos == 0) return SMP_OK;
  if (rule == SMP_RULE_SCALAR) return smpi_fail(SMP_ERR_REFUSED, SMP_AT_RULE, 1, where);
  if (rule == SMP_RULE_SINGLE) return smpi_fail(SMP_ERR_REFUSED, SMP_AT_RULE, 0, where);
  return SMP_OK;
}

/* ---- The three parts of a step, in this order ------------------------------------------------------------------ */

/* A row that has finished gets PAD instead of what the model chose. */
static void replace(smp_stop_cell *column, uint32_t rows, const uint32_t *eos, uint32_t n_eos,
                    const smp_stop_options *options) {
  for (uint32_t i = 0; i < rows; i++) {
    smp_stop_cell *cell = &column[i];
    if (!cell->before)
      cell->role = is_in(cell->candidate, eos, n_eos) ? SMP_ROLE_EOS : SMP_ROLE_TOKEN;
    else
      cell->role = options->rule == SMP_RULE_SAME_STEP ? SMP_ROLE_JUNK : SMP_ROLE_PAD;
  }
}

/* The column is appended to every row: the buffer stays a rectangle. */
static void append(smp_stop_cell *column, uint32_t rows, uint32_t pad, smp_stop_result *result) {
  for (uint32_t i = 0; i < rows; i++) column[i].appended = column[i].role == SMP_ROLE_PAD ? pad : column[i].candidate;
  result->columns++;
}

/* Rows that met an EOS or the limit are finished, for good; then the rule says whether the batch is. */
static void finish(smp_stop_cell *column, uint32_t rows, const uint32_t *eos, uint32_t n_eos,
                   const smp_stop_options *options, smp_stop_result *result) {
  uint32_t last = result->columns == options->max_new_tokens, n_shown = 0;
  result->finished = 0;
  for (uint32_t i = 0; i < rows; i++) {
    smp_stop_cell *cell = &column[i];
    cell->after = cell->before || cell->role == SMP_ROLE_EOS || last;
    result->finished += cell->after;
    n_shown += (uint32_t)is_in(cell->appended, eos, n_eos);
  }
  if (options->rule == SMP_RULE_ANY)
    result->stopped = n_shown > 0 || last;
  else if (options->rule == SMP_RULE_SAME_STEP)
    result->stopped = n_shown == rows || last;
  else
    result->stopped = result->finished == rows;
  for (uint32_t i = 0; i < rows; i++) column[i].batch = result->stopped;
}

/* ---- A run ----------------------------------------------------------------------------------------------------- */

/* Every cell with its candidate, and nothing appended yet. What would follow the EOS of a short row is not known. */
static void lay_out(const uint32_t *candidates, const uint32_t *lengths, uint32_t rows, uint32_t limit,
                    smp_stop_cell *cells) {
  for (uint32_t i = 0; i < rows; i++) {
    for (uint32_t t = 0; t < limit; t++)
      cells[t * rows + i] =
          (smp_stop_cell){.candidate = t < lengths[i] ? candidates[t] : SMP_NONE, .appended = SMP_NONE};
    candidates += lengths[i];
  }
}

/* How row i ended, from its cells. */
static smp_stop_row end_of(const smp_stop_cell *cells, uint32_t rows, uint32_t i, const smp_stop_result *result) {
  smp_stop_row end = {0};
  for (uint32_t t = 0; t < result->columns; t++) {
    const smp_stop_cell *cell = &cells[t * rows + i];
    end.answer += cell->role == SMP_ROLE_TOKEN;
    if (cell->before || !(cell->after || cell->batch)) continue;
    end.step = t + 1;
    end.finish = cell->role == SMP_ROLE_EOS ? SMP_FINISH_EOS : cell->after ? SMP_FINISH_LENGTH : SMP_FINISH_CUT;
  }
  return end;
}

/* What row i would still have got from the right rule: its candidates up to an EOS. */
static void mark_lost(smp_stop_cell *cells, uint32_t rows, uint32_t i, const uint32_t *eos, uint32_t n_eos,
                      uint32_t limit, smp_stop_result *result) {
  for (uint32_t t = result->columns; t < limit; t++) {
    smp_stop_cell *cell = &cells[t * rows + i];
    if (is_in(cell->candidate, eos, n_eos)) {
      cell->role = SMP_ROLE_LOST_EOS;
      result->lost_eos++;
      return;
    }
    cell->role = SMP_ROLE_LOST;
    result->lost++;
  }
}

smp_status smp_stop_run(const uint32_t *candidates, const uint32_t *lengths, uint32_t rows, const uint32_t *eos,
                        uint32_t n_eos, const smp_stop_options *options, smp_stop_cell *cells, smp_stop_row *ends,
                        smp_stop_result *result, smp_where *where) {
  if (rows == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROWS, 0, where);
  if (rows > SMP_STOP_ROWS) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_ROWS, 0, where);
  smp_status status = check_options(options, where);
  if (status == SMP_OK) status = check_eos(eos, n_eos, where);
  if (status == SMP_OK)
    status = check_rows(candidates, lengths, rows, eos, n_eos, options->max_new_tokens, options->rule, where);
  if (status == SMP_OK) status = check_batch(rows, n_eos, options->rule, where);
  if (status) return status;

  uint32_t limit = options->max_new_tokens;
  smp_stop_result *r = result;
  *r = (smp_stop_result){0};
  lay_out(candidates, lengths, rows, limit, cells);
  while (r->columns < options->steps && !r->stopped) { /* the limit stops every batch */
    smp_stop_cell *column = cells + r->columns * rows;
    for (uint32_t i = 0; i < rows && r->columns > 0; i++) column[i].before = (column - rows)[i].after;
    replace(column, rows, eos, n_eos, options);
    append(column, rows, options->pad, r);
    finish(column, rows, eos, n_eos, options, r);
  }

  for (uint32_t i = 0; i < r->columns * rows; i++) {
    r->pad += cells[i].role == SMP_ROLE_PAD;
    r->junk += cells[i].role == SMP_ROLE_JUNK;
    r->idle += cells[i].before;
  }
  for (uint32_t i = 0; i < rows; i++) {
    ends[i] = end_of(cells, rows, i, r);
    if (ends[i].finish == SMP_FINISH_CUT) mark_lost(cells, rows, i, eos, n_eos, limit, r);
  }
  return SMP_OK;
}

/* ---- One prompt ------------------------------------------------------------------------------------------------ */

smp_status smp_stop_one(const uint32_t *prompt, uint32_t n_prompt, const uint32_t *candidates, uint32_t n,
                        const uint32_t *eos, uint32_t n_eos, uint32_t max_new_tokens, uint32_t keep_eos, uint32_t *out,
                        uint32_t *n_out, smp_finish *finish_reason, smp_where *where) {
  if (n_prompt == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_PROMPT, 0, where);
  if (n_prompt > SMP_STOP_TOKENS) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_PROMPT, 0, where);
  smp_status status = check_ids(prompt, n_prompt, SMP_AT_PROMPT, where);
  if (status == SMP_OK) status = check_limit(max_new_tokens, where);
  if (status == SMP_OK) status = check_eos(eos, n_eos, where);
  if (status == SMP_OK) status = check_rows(candidates, &n, 1, eos, n_eos, max_new_tokens, SMP_RULE_LATCH, where);
  if (status) return status;
  if (keep_eos > 1) return smpi_fail(SMP_ERR_PARAM, SMP_AT_KEEP_EOS, 0, where);

  uint32_t length = 0;
  smp_finish reason = SMP_FINISH_LENGTH;
  for (; length < n_prompt; length++) out[length] = prompt[length];
  for (uint32_t t = 0; t < max_new_tokens && reason == SMP_FINISH_LENGTH; t++) {
    if (is_in(candidates[t], eos, n_eos)) reason = SMP_FINISH_EOS;
    if (reason == SMP_FINISH_LENGTH || keep_eos) out[length++] = candidates[t];
  }
  *n_out = length;
  *finish_reason = reason;
  return SMP_OK;
}
