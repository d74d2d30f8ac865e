/* Engines reproduced rule by rule, not bit for bit: the steps of their row of the table, one after the other, on a row
   in which what is removed is -inf. No engine has code of its own here: what one does unlike others is a column. */
#include "engine.h"

typedef struct state {
  engine_work *w;
  size_t live;
  int ranked; /* the engine has its candidates in descending order */
} state;

/* ---- Probabilities ----------------------------------------------------------------------------------------------- */

/* Softmax of what is left. */
static void weigh(state *s) {
  const float *x = s->w->x;
  const double max = (double)x[argmax_of(x, s->w->n)];
  float *p = s->w->p;
  double sum = 0;
  for (size_t i = 0; i < s->w->n; i++) {
    p[i] = x[i] > SMP_REMOVED ? smpi_exp_float((double)x[i] - max) : 0;
    sum += (double)p[i];
  }
  for (size_t i = 0; i < s->w->n; i++) p[i] = (float)((double)p[i] / sum);
}

/* Ids of what is left, descending, equals by ascending id. */
static const uint32_t *rank(state *s) {
  uint32_t *keys = (uint32_t *)s->w->entries, *ids = s->w->ids; /* an entry has room for two */
  size_t n = 0;
  for (size_t i = 0; i < s->w->n; i++) {
    keys[i] = ~rank_of(s->w->x[i]);
    if (s->w->x[i] > SMP_REMOVED) ids[n++] = (uint32_t)i;
  }
  smpi_sort_places(keys, ids, keys + s->w->n, n);
  return ids;
}

static void remove_entry(state *s, size_t i) {
  s->w->x[i] = SMP_REMOVED;
  s->live--;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* 0 if the largest quotient is not finite: the engine's softmax would be NaN. */
static int temperature(state *s, double value) {
  const int in_double = s->w->profile->in_double;
  const float narrow = (float)value;
  if (!in_double && narrow == 0) return 0;
  for (size_t i = 0; i < s->w->n; i++) {
    float *x = &s->w->x[i];
    if (*x == SMP_REMOVED) continue;
    *x = in_double ? (float)((double)*x / value) : *x / narrow;
    if (*x == (float)SMP_INF) return 0;
    if (*x == SMP_REMOVED) s->live--;
  }
  return s->live > 0;
}

static void top_k(state *s, size_t k) {
  if (k >= s->live) return;
  s->ranked = 1;
  float *x = s->w->x;
  const uint32_t *ids = s->w->ids;
  smp_row_top(x, s->w->n, s->w->ids, k, NULL);
  const float least = x[ids[k - 1]];
  const int traced = smpi_trace_asks(s->w, SMP_SET_TOP_K);
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_LOGIT);
  if (traced) smpi_trace_limit(s->w, least, least);
  size_t equals = 0; /* that may stay */
  for (size_t j = 0; j < k; j++) equals += x[ids[j]] == least;
  for (size_t i = 0; i < s->w->n; i++) {
    if (x[i] == SMP_REMOVED) continue;
    const int spared = x[i] == least && (s->w->profile->tie == SMP_TIE_THRESHOLD || equals > 0);
    if (x[i] == least && equals > 0) equals--;
    const int kept = x[i] > least || spared;
    if (traced) smpi_trace_note(s->w, (uint32_t)i, x[i], kept, 0);
    if (!kept) remove_entry(s, i);
  }
}

/* Removes ascending, equals by ascending id, until the cumulative sum exceeds 1 - p; it is made in double and compared
   as float, as torch does on a CPU. */
static void cut_ascending(state *s, double p) {
  const float limit = (float)(1 - p);
  const int open = s->w->profile->boundary == SMP_BOUNDARY_OPEN, traced = smpi_trace_asks(s->w, SMP_SET_TOP_P);
  const uint32_t *ids = rank(s);
  double sum = 0;
  int kept = 0; /* this one and all larger */
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_SUM_FROM_BELOW);
  if (traced) smpi_trace_limit(s->w, limit, limit);
  for (size_t end = s->live, start; end > 0; end = start) {
    for (start = end - 1; start > 0 && s->w->x[ids[start - 1]] == s->w->x[ids[end - 1]];) start--;
    for (size_t j = start; j < end; j++) {
      const int last = !open && start == 0 && j + 1 == end; /* stays, whatever its sum */
      sum += (double)s->w->p[ids[j]];
      if (!kept && !last) note_closeness(s->w, (float)sum, limit);
      kept |= last || (float)sum > limit;
      if (traced) smpi_trace_note(s->w, ids[j], (float)sum, kept, !last && is_close((float)sum, limit));
      if (!kept) remove_entry(s, ids[j]);
      if (kept && !traced) return;
    }
  }
}

/* Descending: the first with more than p before it, and all after it, are removed. Under EQUALS what counts is the mass
   of the strictly larger, and it has to stay below p. */
static void cut_descending(state *s, double p) {
  const float limit = (float)p;
  const int equals = s->w->profile->boundary == SMP_BOUNDARY_EQUALS;
  const uint32_t *ids = rank(s);
  const size_t n = s->live;
  const int traced = smpi_trace_asks(s->w, SMP_SET_TOP_P);
  size_t kept = 1;
  float sum = 0, before = 0; /* of the strictly larger, under EQUALS */
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_SUM_BEFORE);
  if (traced) smpi_trace_limit(s->w, limit, limit);
  if (traced) smpi_trace_note(s->w, ids[0], 0, 1, 0);
  for (; kept < n; kept++) {
    sum += s->w->p[ids[kept - 1]];
    if (!equals || s->w->x[ids[kept]] < s->w->x[ids[kept - 1]]) {
      before = sum;
      note_closeness(s->w, before, limit);
      if (equals ? before >= limit : before > limit) break;
    }
    if (traced) smpi_trace_note(s->w, ids[kept], before, 1, is_close(before, limit));
  }
  for (size_t j = kept; j < n; j++) {
    if (traced) smpi_trace_note(s->w, ids[j], before, 0, is_close(before, limit));
    remove_entry(s, ids[j]);
  }
}

/* exllamav2, cpp/sampling.cpp, top_p_cpu: candidates are held in a heap with the smallest on top, of equals the smaller
   id; those below its `min_p`, a constant, never enter. */
#define HEAP_MIN_P 1e-6f

static int above(sort_entry a, sort_entry b) {
  return a.key < b.key || (a.key == b.key && a.id < b.id);
}

static void push(sort_entry *heap, size_t at, sort_entry entry) {
  for (; at > 0 && above(entry, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = entry;
}

/* Take the top out of a heap of n. */
static void pop(sort_entry *heap, size_t n) {
  const sort_entry entry = heap[n - 1];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < n - 1; at = child) {
    if (child + 1 < n - 1 && above(heap[child + 1], heap[child])) child++;
    if (!above(heap[child], entry)) break;
    heap[at] = heap[child];
  }
  heap[at] = entry;
}

static void cut_heap(state *s, double p) {
  const float limit = (float)p;
  sort_entry *heap = s->w->entries;
  const uint32_t *ids = s->ranked ? rank(s) : NULL;
  const size_t n = ids ? s->live : s->w->n;
  size_t held = 0;
  float sum = 0;
  for (size_t j = 0; j < n; j++) {
    const uint32_t id = ids ? ids[j] : (uint32_t)j;
    const float mass = s->w->p[id];
    if (s->w->x[id] == SMP_REMOVED || mass < HEAP_MIN_P || (sum > limit && mass < heap[0].key)) continue;
    push(heap, held++, (sort_entry){mass, id});
    sum += mass;
    note_closeness(s->w, sum, limit);
    while (sum > limit && held > 1) {
      sum -= heap[0].key;
      pop(heap, held--);
      note_closeness(s->w, sum, limit);
    }
  }
  if (held == 0) return; /* a flat row: the engine would have no candidate */
  for (size_t i = 0; i < s->w->n; i++) s->w->p[i] = 0;
  for (size_t j = 0; j < held; j++) s->w->p[heap[j].id] = 1;
  for (size_t i = 0; i < s->w->n; i++)
    if (s->w->x[i] > SMP_REMOVED && s->w->p[i] == 0) remove_entry(s, i);
  s->ranked = 1;
}

static void top_p(state *s, double p) {
  if (s->live < 2) return;
  switch ((smp_boundary)s->w->profile->boundary) {
  case SMP_BOUNDARY_ASCENDING:
  case SMP_BOUNDARY_OPEN:
    cut_ascending(s, p);
    return;
  case SMP_BOUNDARY_HEAP:
    cut_heap(s, p);
    return;
  case SMP_BOUNDARY_AT_MOST:
  case SMP_BOUNDARY_EQUALS:
    cut_descending(s, p);
    return;
  case SMP_BOUNDARY_BELOW: /* of engines that have files of their own */
  case SMP_BOUNDARY_NONE:
    return;
  }
}

static void min_p(state *s, double m) {
  if (s->live < 2) return;
  const float limit = (float)m * s->w->p[argmax_of(s->w->x, s->w->n)];
  const int traced = smpi_trace_asks(s->w, SMP_SET_MIN_P);
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_P);
  if (traced) smpi_trace_limit(s->w, limit, limit);
  for (size_t i = 0; i < s->w->n; i++) {
    if (s->w->x[i] == SMP_REMOVED) continue;
    note_closeness(s->w, s->w->p[i], limit);
    if (traced) smpi_trace_note(s->w, (uint32_t)i, s->w->p[i], s->w->p[i] >= limit, is_close(s->w->p[i], limit));
    if (s->w->p[i] < limit) remove_entry(s, i);
  }
}

/* One step; 0 if the engine's softmax would be NaN. */
static int run_step(state *s, unsigned char step) {
  if (step == ENGINE_SOFTMAX) {
    weigh(s);
    return 1;
  }
  if (!is_on(s->w, (smp_setting)step)) return 1;
  const double value = value_for(s->w, (smp_setting)step);
  if (step == SMP_SET_TEMPERATURE) return temperature(s, value);
  if (step == SMP_SET_TOP_K) top_k(s, (size_t)value);
  if (step == SMP_SET_TOP_P) top_p(s, value);
  if (step == SMP_SET_MIN_P) min_p(s, value);
  return 1; /* penalties are done */
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

/* Candidates in the engine's order, with their weights in front of the row. */
static void finish(state *s) {
  engine_work *w = s->w;
  w->n_kept = s->live;
  if (w->drawing == SMP_DRAWING_SUBTRACT) {
    weigh(s);
    rank(s);
    for (size_t j = 0; j < w->n_kept; j++) w->x[j] = w->p[w->ids[j]];
    return;
  }
  for (size_t i = 0, j = 0; i < w->n; i++) {
    if (w->x[i] == SMP_REMOVED) continue;
    w->ids[j] = (uint32_t)i;
    w->x[j++] = w->x[i];
  }
  smpi_torch_softmax(w);
}

smp_refusal smpi_rules_run(engine_work *w) {
  state s = {.w = w};
  if (is_on(w, SMP_SET_GREEDY)) {
    keep_argmax(w);
    return SMP_REFUSAL_NONE;
  }
  for (size_t i = 0; i < w->n; i++) s.live += w->x[i] > SMP_REMOVED;
  for (size_t i = 0; i < w->profile->n_steps && s.live > 0; i++)
    if (!run_step(&s, w->profile->steps[i].setting)) return SMP_REFUSAL_NAN;
  if (s.live == 0) return SMP_REFUSAL_NOTHING_LEFT;
  finish(&s);
  return SMP_REFUSAL_NONE;
}
