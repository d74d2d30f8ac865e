/* Chains on rows of up to 5,000 entries: as a list, as a row, with and without records, in a batch, and
   again by the plain reference. */
#include "fuzz.h"
#include "smp.h"
#include "reference.h"

enum { STEPS = 6, IDS = 24, ROWS = 3 };

struct ask {
  smp_chain chain;
  smp_step steps[STEPS];
  uint32_t ids[STEPS][IDS], context[IDS];
  float values[STEPS][IDS];
};

static void take_step(struct bytes *b, struct ask *a, uint32_t i, uint32_t n) {
  smp_step *s = &a->steps[i];
  *s = (smp_step){.kind = (smp_step_kind)below(b, 16), .tie = (smp_tie)(below(b, 32) ? below(b, 3) : 3)};
  s->value = take_double(b);
  s->count = below(b, 16) ? below(b, IDS + 1) : below(b, n + 2);
  if (s->kind != SMP_STEP_LOGIT_BIAS && s->kind != SMP_STEP_SUPPRESS_TOKENS) return;
  s->count %= IDS + 1;
  for (uint32_t j = 0; j < s->count; j++) {
    a->ids[i][j] = below(b, n + (below(b, 64) == 0));
    a->values[i][j] = take_float(b);
  }
  s->ids = a->ids[i];
  s->values = a->values[i];
}

static void take_ask(struct bytes *b, struct ask *a, uint32_t n) {
  a->chain = (smp_chain){.u = below(b, 32) ? (double)take(b, 4) * 0x1p-32 : take_double(b),
                         .steps = a->steps,
                         .context = a->context,
                         .n_steps = below(b, STEPS + 1),
                         .n_context = below(b, IDS + 1),
                         .out = (smp_out)(below(b, 32) ? below(b, 3) : 4),
                         .order = (smp_order)(below(b, 32) ? below(b, 2) : 2)};
  if (a->chain.n_context == 0) a->chain.context = NULL;
  for (uint32_t i = 0; i < IDS; i++) a->context[i] = below(b, n < 5 || below(b, 8) == 0 ? n : 5);
  if (below(b, 64) == 0) a->context[0] = n;
  for (uint32_t i = 0; i < a->chain.n_steps; i++) take_step(b, a, i, n);
}

/* ---- By the plain reference --------------------------------------------------------------------------------------- */

static float penalised(const smp_step *s, float x, uint32_t times) {
  const float value = (float)s->value;
  if (s->kind == SMP_STEP_REPETITION_PENALTY) return x < 0 ? x * value : x / value;
  return s->kind == SMP_STEP_PRESENCE_PENALTY ? x - value : x - value * (float)times;
}

/* One step that changes numbers. */
static void change_plainly(float *row, uint32_t n, const smp_step *s, const smp_chain *c) {
  const uint32_t first = s->count && s->count < c->n_context ? c->n_context - s->count : 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!(row[i] > -INFINITY)) continue;
    uint32_t times = 0;
    switch (s->kind) {
    case SMP_STEP_TEMPERATURE:
      row[i] /= (float)s->value;
      break;
    case SMP_STEP_LOGIT_BIAS:
    case SMP_STEP_SUPPRESS_TOKENS:
      for (uint32_t j = 0; j < s->count && row[i] > -INFINITY; j++)
        if (s->ids[j] == i) row[i] = s->kind == SMP_STEP_SUPPRESS_TOKENS ? -INFINITY : row[i] + s->values[j];
      break;
    case SMP_STEP_NO_REPEAT_NGRAM_SIZE:
      for (uint32_t at = 0; at + s->count <= c->n_context; at++) {
        int same = c->context[at + s->count - 1] == i;
        for (uint32_t j = 0; j + 1 < s->count; j++)
          same &= c->context[at + j] == c->context[c->n_context - (s->count - 1) + j];
        if (same) row[i] = -INFINITY;
      }
      break;
    default:
      for (uint32_t j = first; j < c->n_context; j++) times += c->context[j] == i;
      if (times) row[i] = penalised(s, row[i], times);
      break;
    }
  }
}

/* One step that removes entries. */
static void filter_plainly(float *row, uint32_t n, const smp_step *s) {
  reference r = {.n = n};
  r.x = area(n * sizeof *r.x, 0);
  r.p = area(n * sizeof *r.p, 0);
  r.key = area(n * sizeof *r.key, 0);
  r.order = area(n * sizeof *r.order, 0);
  for (uint32_t i = 0; i < n; i++) r.x[i] = (double)row[i];
  smpi_reference_softmax(&r);
  smpi_reference_step(&r, s);
  for (uint32_t i = 0; i < n; i++)
    if (!(r.x[i] > -INFINITY)) row[i] = -INFINITY;
  free(r.x);
  free(r.p);
  free(r.key);
  free(r.order);
}

/* Weights below the normal floats are 0 in rows (docs/numerics.md), and not in the reference: what
   decides among them is not compared. */
static int decides_among_normal(const smp_chain *c) {
  for (uint32_t i = 0; i < c->n_steps; i++) {
    const smp_step *s = &c->steps[i];
    const int by_p = s->kind == SMP_STEP_EPSILON_CUTOFF || s->kind == SMP_STEP_ETA_CUTOFF || s->kind == SMP_STEP_MIN_P;
    if (by_p && s->value > 0 && s->value < 0x1p-100) return 0;
  }
  return 1;
}

static void check_plainly(const float *logits, uint32_t n, const smp_chain *c, const uint32_t *ids, uint32_t n_kept) {
  float *row = area(smp_row_capacity(n) * sizeof *row, 0);
  memcpy(row, logits, n * sizeof *row);
  for (uint32_t s = 0; s < c->n_steps; s++) {
    if (c->steps[s].kind < SMP_STEP_TOP_K)
      change_plainly(row, n, &c->steps[s], c);
    else
      filter_plainly(row, n, &c->steps[s]);
  }
  uint32_t j = 0;
  for (uint32_t i = 0; i < n; i++) {
    const int is_kept = j < n_kept && ids[j] == i;
    must(is_kept == (row[i] > -INFINITY), "id %u is %s, the reference has %g", i, is_kept ? "kept" : "gone",
         (double)row[i]);
    j += (uint32_t)is_kept;
  }
  free(row);
}

/* ---- What must hold ----------------------------------------------------------------------------------------------- */

struct answer {
  smp_status status;
  float *row;
  uint32_t *ids;
  smp_step_info *infos;
  smp_chain_result result;
};

static struct answer run(const float *logits, uint32_t n, const smp_chain *c, int as_list, int with_infos, int fill) {
  const size_t capacity = smp_row_capacity(n) * sizeof(float), ids = n * sizeof(uint32_t);
  struct answer a = {SMP_OK,
                     area(capacity, fill),
                     as_list ? area(ids, fill) : NULL,
                     with_infos ? area(c->n_steps * sizeof *a.infos, fill) : NULL,
                     {0}};
  void *work = area(smp_chain_work_size(n), fill);
  memset(&a.result, fill, sizeof a.result);
  if (n <= SMP_ROW_MAX) memcpy(a.row, logits, n * sizeof *a.row);
  smp_where where;
  a.status = smp_chain_run(a.row, n, c, a.ids, a.infos, &a.result, work, &where);
  free(work);
  if (a.status == SMP_OK) return a;
  must(memcmp(a.row, logits, n * sizeof *a.row) == 0, "status %d, and the row was written", a.status);
  must(filled_with((char *)a.row + n * sizeof *a.row, capacity - n * sizeof *a.row, fill), "the padding was written");
  must(!as_list || filled_with(a.ids, ids, fill), "status %d, and ids were written", a.status);
  must(!with_infos || filled_with(a.infos, c->n_steps * sizeof *a.infos, fill), "infos were written");
  must(filled_with(&a.result, sizeof a.result, fill), "the result was written");
  return a;
}

static void end(struct answer *a) {
  free(a->row);
  free(a->ids);
  free(a->infos);
}

/* n_kept ids, ascending, one of them chosen, and with what `out` says. */
static void check_list(const struct answer *a, uint32_t n, smp_out out) {
  const smp_chain_result *r = &a->result;
  int chosen = 0;
  double sum = 0;
  must(r->n_kept >= 1 && r->n_kept <= n, "%u kept of %u", r->n_kept, n);
  for (uint32_t j = 0; j < r->n_kept; j++) {
    must(a->ids[j] < n && (j == 0 || a->ids[j] > a->ids[j - 1]), "ids[%u] is %u", j, a->ids[j]);
    must(a->row[j] - a->row[j] == 0 || (out == SMP_OUT_LOG_P && a->row[j] == -INFINITY), "value %g", (double)a->row[j]);
    must(out != SMP_OUT_P || (a->row[j] >= 0 && a->row[j] <= 1.000001f), "p %g", (double)a->row[j]);
    chosen |= a->ids[j] == r->id;
    sum += (double)a->row[j];
  }
  must(chosen, "the chosen id %u is gone", r->id);
  must(out != SMP_OUT_P || (sum > 0.999999 && sum < 1.000001), "the sum is %g", sum);
}

static void check_same(const struct answer *list, const struct answer *row, uint32_t n, smp_out out) {
  must(list->status == row->status, "list %d, row %d", list->status, row->status);
  must(list->result.n_kept == row->result.n_kept && list->result.id == row->result.id &&
           list->result.by_rounding == row->result.by_rounding,
       "list %u, %u; row %u, %u", list->result.n_kept, list->result.id, row->result.n_kept, row->result.id);
  const float none = out == SMP_OUT_P ? 0 : -INFINITY;
  uint32_t j = 0;
  for (uint32_t i = 0; i < smp_row_capacity(n); i++) {
    const int is_kept = j < list->result.n_kept && list->ids[j] == i;
    const float want = is_kept ? list->row[j] : none;
    must(row->row[i] == want, "row[%u] is %a, in the list %a", i, (double)row->row[i], (double)want);
    j += (uint32_t)is_kept;
  }
}

static void check_infos(const struct answer *a, uint32_t n_steps) {
  for (uint32_t i = 0; i < n_steps; i++) {
    const smp_step_info *info = &a->infos[i];
    must(info->n_kept >= 1 && info->max >= info->cut && info->max - info->max == 0, "step %u: %u, %g to %g", i,
         info->n_kept, info->cut, info->max);
    must(info->mass >= -1e-6 && info->mass <= 1.000001 && info->entropy >= -1e-6 && info->entropy < 14,
         "step %u: mass %g, entropy %g", i, info->mass, info->entropy);
  }
  if (n_steps) must(a->infos[n_steps - 1].n_kept == a->result.n_kept, "%u kept", a->infos[n_steps - 1].n_kept);
}

static void check_rows(const float *logits, uint32_t n, const struct ask *asks) {
  const size_t capacity = smp_row_capacity(n);
  float *rows = area(ROWS * capacity * sizeof *rows, 0);
  void *work = area(smp_chain_work_size(n), 0x77);
  smp_chain chains[ROWS];
  smp_chain_result results[ROWS];
  for (uint32_t r = 0; r < ROWS; r++) {
    chains[r] = asks[r % 2].chain;
    memcpy(rows + r * capacity, logits, n * sizeof *rows);
  }
  must(smp_chain_run_rows(rows, ROWS, n, chains, results, work, NULL) == SMP_OK, "a batch is refused");
  for (uint32_t r = 0; r < ROWS; r++) {
    struct answer alone = run(logits, n, &chains[r], 0, 0, 0);
    must(results[r].status == alone.status, "row %u: %d, alone %d", r, results[r].status, alone.status);
    must(memcmp(rows + r * capacity, alone.row, capacity * sizeof *rows) == 0, "row %u differs from the same alone", r);
    must(alone.status ? results[r].id == SMP_NONE : results[r].id == alone.result.id, "row %u: id %u", r,
         results[r].id);
    end(&alone);
  }
  free(rows);
  free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint32_t sizes[] = {1, 2, 3, 63, 64, 65, 129, 1023, 4096, 4999};
  struct bytes b = {data, size};
  const uint32_t kind = below(&b, 256), n = kind < 10    ? sizes[kind]
                                            : kind < 224 ? 1 + below(&b, 20)
                                                         : 1 + below(&b, 300);
  struct ask asks[2];
  for (uint32_t i = 0; i < 2; i++) take_ask(&b, &asks[i], n);
  float *logits = area(n * sizeof *logits, 0);
  take_row(&b, logits, n);
  const smp_chain *c = &asks[0].chain;

  struct answer list = run(logits, n, c, 1, 0, 0xff), row = run(logits, n, c, 0, 1, 0x3f);
  smp_chain only = *c;
  if (only.out <= SMP_OUT_LOGITS) only.out = SMP_OUT_ID;
  struct answer id = run(logits, n, &only, 1, 0, 0x81);
  must(id.status == list.status && row.status == list.status, "list %d, row %d, id %d", list.status, row.status,
       id.status);
  if (list.status == SMP_OK) {
    check_list(&list, n, c->out);
    check_same(&list, &row, n, c->out);
    check_infos(&row, c->n_steps);
    must(id.result.id == list.result.id && id.result.n_kept == list.result.n_kept, "only the id: %u", id.result.id);
    must(memcmp(id.row, logits, n * sizeof *logits) == 0 && filled_with(id.ids, n * sizeof *id.ids, 0x81), "it wrote");
    if (!list.result.by_rounding && decides_among_normal(c)) check_plainly(logits, n, c, list.ids, list.result.n_kept);
  }
  check_rows(logits, n, asks);
  end(&list);
  end(&row);
  end(&id);
  free(logits);
  return 0;
}
