/* candle-transformers 0.11.1, LogitsProcessor on the CPU (generation/mod.rs), as it draws there. Two things are not
   candle's own and may differ on another machine: the order of the candidates after top-k is that in which Rust 1.95's
   select_nth_unstable_by leaves them, which Rust does not promise; and the sum of the softmax is the one candle-core makes
   with AVX2. Checked by running it. candle has no defaults: without a temperature it takes the greatest logit, and what
   is not given does not filter. (The 0.8 and 1.1 of its examples belong to the examples.) */
#include "engine.h"

/* ---- Probabilities --------------------------------------------------------------------------------------------- */

/* candle-core's sum with AVX2: four registers of 8, then what is left one by one. */
static float sum_of(const float *x, size_t n) {
  float lane[32] = {0}, four[4], sum;
  size_t i = 0;
  for (; i + 32 <= n; i += 32)
    for (size_t j = 0; j < 32; j++) lane[j] += x[i + j];
  for (size_t j = 0; j < 8; j++) lane[j] = (lane[j] + lane[8 + j]) + (lane[16 + j] + lane[24 + j]);
  for (size_t j = 0; j < 4; j++) four[j] = lane[j] + lane[4 + j];
  sum = (four[0] + four[1]) + (four[2] + four[3]);
  for (; i < n; i++) sum += x[i];
  return sum;
}

/* Into w->p. 0 if there are none: as soon as one score is infinite or NaN, all of them are NaN. */
static int softmax(engine_work *w, double temperature) {
  const float inverse = (float)(1 / temperature); /* candle multiplies */
  float max = SMP_REMOVED;
  for (size_t i = 0; i < w->n; i++) {
    w->p[i] = w->x[i] * inverse;
    if (w->p[i] > max) max = w->p[i];
  }
  for (size_t i = 0; i < w->n; i++) w->p[i] = smpi_exp_float((double)(w->p[i] - max));
  const float sum = sum_of(w->p, w->n);
  for (size_t i = 0; i < w->n; i++) w->p[i] /= sum;
  return sum == sum;
}

/* ---- Filters: which candidates, and in which order ------------------------------------------------------------------ */

static void keep_greatest(engine_work *w) {
  uint32_t id = 0;
  for (size_t i = 1; i < w->n; i++)
    if (w->x[id] < w->x[i]) id = (uint32_t)i;
  w->ids[0] = id;
  w->x[0] = 1;
  w->n_kept = 1;
  w->drawing = SMP_DRAWING_GREEDY;
}

static void keep_all(engine_work *w) {
  for (size_t i = 0; i < w->n; i++) w->ids[i] = (uint32_t)i;
  memcpy(w->x, w->p, w->n * sizeof *w->x);
  w->n_kept = w->n;
}

/* 0 < k < n. candle selects by p: where that lies within 4 ulp for different logits, rounding decides. */
static void keep_top_k(engine_work *w, size_t k) {
  const float sign = w->call->temperature < 0 ? -1 : 1;
  float kept = (float)SMP_INF, removed = SMP_REMOVED, p_kept = 0, p_removed = 0;
  for (size_t i = 0; i < w->n; i++) w->entries[i] = (sort_entry){-w->p[i], (uint32_t)i};
  smpi_rust_select_nth(w->entries, w->n, k);
  for (size_t j = 0; j < w->n; j++) {
    const uint32_t id = w->entries[j].id;
    const float x = sign * w->x[id];
    if (j < k) {
      w->ids[j] = id;
      if (x <= kept) kept = x, p_kept = w->p[id];
    } else if (x >= removed)
      removed = x, p_removed = w->p[id];
  }
  if (kept != removed && is_close(p_removed, p_kept)) w->by_rounding = 1;
  if (smpi_trace_asks(w, SMP_SET_TOP_K)) {
    smpi_trace_start(w, SMP_COMPARED_P);
    smpi_trace_limit(w, p_kept, p_kept);
    for (size_t j = 0; j < w->n; j++) {
      const uint32_t id = w->entries[j].id;
      const int equal = sign * w->x[id] == kept;
      smpi_trace_note(w, id, w->p[id], j < k, !equal && is_close(w->p[id], p_kept));
    }
  }
  for (size_t j = 0; j < k; j++) w->x[j] = w->p[w->ids[j]];
  w->n_kept = k;
}

/* Of entries in order, those equal to the one at `from` come by id; returns their end. A float holds every id. */
static size_t order_equal(sort_entry *e, size_t n, size_t from) {
  const float key = e[from].key;
  size_t to = from;
  for (; to < n && e[to].key == key; to++) e[to].key = (float)e[to].id;
  smpi_std_sort(e + from, to - from);
  for (size_t i = from; i < to; i++) e[i].key = key;
  return to;
}

/* The least of the entries from `from` on come in order: `more` >= 1 of them, and what is equal to the last. Returns
   their end. */
static size_t order_next(sort_entry *e, size_t n, size_t from, size_t more) {
  size_t to = n;
  if (more < n - from) {
    smpi_std_nth_element(e + from, more - 1, n - from);
    to = from + more;
    const float last = e[to - 1].key;
    for (size_t i = to; i < n; i++)
      if (e[i].key == last) sort_swap(&e[i], &e[to++]);
  }
  smpi_std_sort(e + from, to - from);
  while (from < to) from = order_equal(e, to, from);
  return to;
}

/* The sums of top-p: `summed` candidates were added before it stopped, and stand in order. */
static void trace_top_p(engine_work *w, size_t kept, size_t summed, float p, float sum) {
  const sort_entry *e = w->entries;
  smpi_trace_start(w, SMP_COMPARED_SUM_BEFORE);
  smpi_trace_limit(w, p, p);
  for (size_t j = summed; j < w->n_kept; j++) smpi_trace_note(w, w->ids[e[j].id], sum, j < kept, is_close(sum, p));
  sum = 0;
  for (size_t j = 0; j < summed; j++) {
    smpi_trace_note(w, w->ids[e[j].id], sum, 1, j > 0 && is_close(sum, p));
    sum += -e[j].key;
  }
}

/* Keep the most probable candidates, the earlier among equals, until their sum is at least p > 0: it is compared before
   each is added, so the one that crosses stays. After a top-k nothing is done if p is not below the sum of all. */
static void keep_top_p(engine_work *w, float p) {
  const size_t n = w->n_kept;
  sort_entry *e = w->entries;
  float sum = 0, total = 0;
  size_t kept = 0;
  for (size_t j = 0; j < n; j++) {
    e[j] = (sort_entry){-w->x[j], (uint32_t)j};
    total += w->x[j];
  }
  for (size_t ordered = 0; kept < n && !(sum >= p); kept++) {
    if (kept == ordered) ordered = order_next(e, n, ordered, ordered ? 3 * ordered : 64);
    sum += -e[kept].key;
    if (kept + 1 < n && is_close(sum, p)) w->by_rounding = 1;
  }
  const int nothing = n < w->n && p >= total;
  if (smpi_trace_asks(w, SMP_SET_TOP_P)) trace_top_p(w, nothing ? n : kept, kept, p, sum);
  if (nothing) return;
  const sort_entry last = e[kept - 1];
  w->n_kept = 0;
  for (size_t j = 0; j < n; j++) {
    const float key = -w->x[j];
    if (key > last.key || (key == last.key && j > last.id)) continue;
    w->ids[w->n_kept] = w->ids[j];
    w->x[w->n_kept++] = w->x[j];
  }
}

/* ---- LogitsProcessor ----------------------------------------------------------------------------------------------- */

static int is_argmax(const smp_engine_call *call) {
  if (is_given(call, SMP_SET_GREEDY) || !is_given(call, SMP_SET_TEMPERATURE)) return 1;
  if (call->variant & SMP_VARIANT_NEW) return call->temperature < 1e-7;
  return (call->variant & SMP_VARIANT_GUMBEL) && call->temperature <= 0;
}

/* from_sampling does not look at the temperature: 0 makes every weight NaN, below 0 the least logit is the likeliest.
   The refusals come in the order in which WeightedIndex finds them. */
smp_refusal smpi_candle_run(engine_work *w) {
  const smp_engine_call *call = w->call;
  const int by_k = is_given(call, SMP_SET_TOP_K), by_p = is_given(call, SMP_SET_TOP_P);
  const float p = (float)call->top_p;
  if (by_k && (call->variant & SMP_VARIANT_NEW)) return SMP_REFUSAL_NEW;
  if (by_k && call->top_k < 0) return SMP_REFUSAL_USIZE;
  w->generator = SMP_GENERATOR_CHACHA12;
  w->drawing = SMP_DRAWING_WEIGHTED_INDEX;
  if (is_argmax(call)) {
    keep_greatest(w);
    return SMP_REFUSAL_NONE;
  }
  if (call->variant & SMP_VARIANT_GUMBEL) return SMP_REFUSAL_GUMBEL;
  if (by_k && call->top_k == 0) return SMP_REFUSAL_EMPTY;
  const int cuts_k = by_k && (size_t)call->top_k < w->n;
  const int cuts_p = by_p && (cuts_k ? p > 0 : by_k || (call->top_p > 0 && call->top_p < 1)); /* TopP alone looks */
  if (cuts_p && p <= 0) return SMP_REFUSAL_NO_WEIGHT;
  if (!softmax(w, call->temperature)) return SMP_REFUSAL_WEIGHT;
  if (cuts_k)
    keep_top_k(w, (size_t)call->top_k);
  else
    keep_all(w);
  if (cuts_p) keep_top_p(w, p);
  return SMP_REFUSAL_NONE;
}
