/* candle-transformers 0.11.1, LogitsProcessor on the CPU (generation/mod.rs), as it draws there. Two things are not
   candle's own and may differ on another machine: the order of the candidates after top-k is that in which Rust 1.95's
   select_nth_unstable_by leaves them, which Rust does not promise; and the sum of the softmax is the one candle-core
   makes with AVX2. Checked by running it. candle has no defaults: without a temperature it takes the argmax, and what
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

/* ---- Filters: which candidates, and in which order --------------------------------------------------------------- */

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

/* Of entries in order, sort those equal to the one at `from` by id; returns their end. A float holds every id. */
static size_t order_equal(sort_entry *e, size_t n, size_t from) {
  const float key = e[from].key;
  size_t to = from;
  for (; to < n && e[to].key == key; to++) e[to].key = (float)e[to].id;
  smpi_std_sort(e + from, to - from);
  for (size_t i = from; i < to; i++) e[i].key = key;
  return to;
}

/* Puts the smallest `more` >= 1 of the entries from `from` on in order, and what is equal to the last. Returns their
   end. */
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
    if (kept + 1 < n) note_closeness(w, sum, p);
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

/* ---- LogitsProcessor --------------------------------------------------------------------------------------------- */

/* from_sampling does not look at the temperature: 0 makes every weight NaN, below 0 the smallest logit is the
   likeliest. */
smp_refusal smpi_candle_run(engine_work *w) {
  if (is_on(w, SMP_SET_GREEDY)) {
    keep_argmax(w);
    return SMP_REFUSAL_NONE;
  }
  if (!softmax(w, value_for(w, SMP_SET_TEMPERATURE))) return SMP_REFUSAL_WEIGHT;
  if (is_on(w, SMP_SET_TOP_K))
    keep_top_k(w, (size_t)value_for(w, SMP_SET_TOP_K));
  else
    keep_all(w);
  if (is_on(w, SMP_SET_TOP_P)) keep_top_p(w, (float)value_for(w, SMP_SET_TOP_P));
  return SMP_REFUSAL_NONE;
}
