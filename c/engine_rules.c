/* Engines whose rules are followed, but for the last bits: the steps of engines.def, one after the other, on a row in
   which what is removed is -inf. No engine has code of its own here, but for how one of them fails. */
#include "engine.h"

typedef struct state {
  engine_work *w;
  const engine_profile *profile;
  size_t live;
  int ranked; /* the engine has its candidates in falling order */
} state;

/* ---- Settings ------------------------------------------------------------------------------------------------------- */

/* The value of a setting: what was given, else the engine's default, else what turns the rule off. */
static double setting(const smp_engine_call *call, smp_setting bit, double given, double preset, double off) {
  if (call->given >> bit & 1) return given;
  return call->settings_only ? off : preset;
}

static int has(const engine_profile *profile, char step) {
  for (const char *at = profile->order; *at; at++)
    if (*at == step) return 1;
  return 0;
}

static int refused_k(const engine_profile *profile, int64_t k, int64_t n) {
  if (k < profile->least_k || (k == 0 && !profile->zero_k)) return 1;
  return (k == n && profile->most_k == 0) || (k > n && profile->most_k < 2);
}

/* What an engine says to a value that it does not take: vllm/sampling_params.py, sglang/srt/sampling/sampling_params.py,
   mlx_lm/sample_utils.py. LLMs-from-scratch checks nothing: of no values torch cannot take the last, and of n not more
   than n. */
smp_refusal smpi_rules_refusal(const smp_engine_call *call, smp_setting setting) {
  static const struct {
    smp_engine engine;
    smp_setting setting;
    smp_refusal words;
  } all[] = {{SMP_ENGINE_VLLM, SMP_SET_TEMPERATURE, SMP_REFUSAL_GOT_TEMPERATURE},
             {SMP_ENGINE_VLLM, SMP_SET_TOP_K, SMP_REFUSAL_VLLM_TOP_K},
             {SMP_ENGINE_VLLM, SMP_SET_TOP_P, SMP_REFUSAL_GOT_TOP_P},
             {SMP_ENGINE_VLLM, SMP_SET_MIN_P, SMP_REFUSAL_GOT_MIN_P},
             {SMP_ENGINE_VLLM, SMP_SET_REPETITION_PENALTY, SMP_REFUSAL_VLLM_PENALTY},
             {SMP_ENGINE_SGLANG, SMP_SET_TEMPERATURE, SMP_REFUSAL_GOT_TEMPERATURE},
             {SMP_ENGINE_SGLANG, SMP_SET_TOP_K, SMP_REFUSAL_SGLANG_TOP_K},
             {SMP_ENGINE_SGLANG, SMP_SET_TOP_P, SMP_REFUSAL_GOT_TOP_P},
             {SMP_ENGINE_SGLANG, SMP_SET_MIN_P, SMP_REFUSAL_GOT_MIN_P},
             {SMP_ENGINE_SGLANG, SMP_SET_REPETITION_PENALTY, SMP_REFUSAL_SGLANG_PENALTY},
             {SMP_ENGINE_MLX_LM, SMP_SET_TOP_K, SMP_REFUSAL_MLX_TOP_K},
             {SMP_ENGINE_MLX_LM, SMP_SET_MIN_P, SMP_REFUSAL_MIN_P},
             {SMP_ENGINE_MLX_LM, SMP_SET_REPETITION_PENALTY, SMP_REFUSAL_MLX_PENALTY},
             {SMP_ENGINE_CHAPTER, SMP_SET_TEMPERATURE, SMP_REFUSAL_CHAPTER_TEMPERATURE},
             {SMP_ENGINE_CHAPTER, SMP_SET_TOP_K, SMP_REFUSAL_CHAPTER_TOP_K},
             {SMP_ENGINE_FLASHINFER, SMP_SET_TOP_K, SMP_REFUSAL_FLASHINFER_TOP_K},
             {SMP_ENGINE_FLASHINFER, SMP_SET_TOP_P, SMP_REFUSAL_FLASHINFER_TOP_P},
             {SMP_ENGINE_TRANSFORMERS, SMP_SET_REPETITION_PENALTY, SMP_REFUSAL_PENALTY}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].engine == call->engine && all[i].setting == setting) return all[i].words;
  if (call->engine != SMP_ENGINE_LLMS_FROM_SCRATCH) return SMP_REFUSAL_VALUE;
  return call->top_k == 0 ? SMP_REFUSAL_INDEX : SMP_REFUSAL_RUNTIME;
}

/* What the engine says to what was given. */
static smp_refusal refusal_of(const engine_profile *profile, const smp_engine_call *call, size_t n) {
  const uint32_t given = call->given;
  const int p_is_legal = call->top_p > 0 && call->top_p <= 1, m_is_legal = call->min_p >= 0 && call->min_p <= 1;
  if (given >> SMP_SET_TEMPERATURE & 1 && call->temperature < 0 && profile->negative == 'r')
    return smpi_rules_refusal(call, SMP_SET_TEMPERATURE);
  if (given >> SMP_SET_TOP_K & 1 && has(profile, 'k') && refused_k(profile, call->top_k, (int64_t)n))
    return smpi_rules_refusal(call, SMP_SET_TOP_K);
  if (given >> SMP_SET_TOP_P & 1 && has(profile, 'p') && profile->outside_p == 'r' && !p_is_legal)
    return smpi_rules_refusal(call, SMP_SET_TOP_P);
  if (given >> SMP_SET_MIN_P & 1 && has(profile, 'm') && profile->outside_min_p == 'r' && !m_is_legal)
    return smpi_rules_refusal(call, SMP_SET_MIN_P);
  return SMP_REFUSAL_NONE;
}

/* ---- Probabilities -------------------------------------------------------------------------------------------------- */

static float greatest(const state *s, size_t *id) {
  float max = SMP_REMOVED;
  for (size_t i = 0; i < s->w->n; i++)
    if (s->w->x[i] > max) max = s->w->x[ *id = i];
  return max;
}

/* Softmax of what is left. */
static void weigh(state *s) {
  size_t id = 0;
  const double max = (double)greatest(s, &id);
  const float *x = s->w->x;
  float *p = s->w->p;
  double sum = 0;
  for (size_t i = 0; i < s->w->n; i++) {
    p[i] = x[i] > SMP_REMOVED ? smpi_exp_float((double)x[i] - max) : 0;
    sum += (double)p[i];
  }
  for (size_t i = 0; i < s->w->n; i++) p[i] = (float)((double)p[i] / sum);
}

/* A whole number that rises as x falls; the same for 0 and -0. */
static uint32_t falling(float x) {
  const float positive = x + 0;
  uint32_t bits;
  memcpy(&bits, &positive, sizeof bits);
  return bits >> 31 ? bits : ~bits & 0x7fffffff;
}

/* Ids of what is left, falling, equals by rising id. */
static const uint32_t *rank(state *s) {
  uint32_t *keys = (uint32_t *)s->w->entries, *ids = s->w->ids; /* an entry has room for two */
  size_t n = 0;
  for (size_t i = 0; i < s->w->n; i++) {
    keys[i] = falling(s->w->x[i]);
    if (s->w->x[i] > SMP_REMOVED) ids[n++] = (uint32_t)i;
  }
  smpi_sort_places(keys, ids, keys + s->w->n, n);
  return ids;
}

static void remove_entry(state *s, size_t i) {
  s->w->x[i] = SMP_REMOVED;
  s->live--;
}

static void compare(state *s, float value, float threshold) {
  if (is_close(value, threshold)) s->w->by_rounding = 1;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------------- */

/* 0 if the greatest quotient is not finite: the engine's softmax would be NaN. */
static int temperature(state *s, double tau) {
  const int wide = s->profile->generator == SMP_GENERATOR_MT19937_PYTHON; /* JavaScript divides in double */
  const float narrow = (float)tau;
  if (tau == 1) return 1;
  if (!wide && narrow == 0) return 0;
  for (size_t i = 0; i < s->w->n; i++) {
    float *x = &s->w->x[i];
    if (*x == SMP_REMOVED) continue;
    *x = wide ? (float)((double)*x / tau) : *x / narrow;
    if (*x == (float)SMP_INF) return 0;
    if (*x == SMP_REMOVED) s->live--;
  }
  return s->live > 0;
}

static void top_k(state *s, int64_t k) {
  if (k <= 0 || k >= (int64_t)s->live) return;
  s->ranked = 1;
  float *x = s->w->x;
  const uint32_t *ids = s->w->ids;
  smp_row_top(x, s->w->n, s->w->ids, (size_t)k, NULL);
  const float least = x[ids[k - 1]];
  const int traced = smpi_trace_asks(s->w, SMP_SET_TOP_K);
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_LOGIT);
  if (traced) smpi_trace_limit(s->w, least, least);
  size_t equals = 0; /* that may stay */
  for (int64_t j = 0; j < k; j++) equals += x[ids[j]] == least;
  for (size_t i = 0; i < s->w->n; i++) {
    if (x[i] == SMP_REMOVED) continue;
    const int spared = x[i] == least && (s->profile->tie == SMP_TIE_THRESHOLD || equals > 0);
    if (x[i] == least && equals > 0) equals--;
    const int kept = x[i] > least || spared;
    if (traced) smpi_trace_note(s->w, (uint32_t)i, x[i], kept, 0);
    if (!kept) remove_entry(s, i);
  }
}

/* From the least on, equals by rising id, until the running sum exceeds 1 - p; it is made in double and compared as
   float, which is torch's on a CPU. */
static void cut_rising(state *s, double p) {
  const float limit = (float)(1 - p);
  const int open = s->profile->boundary == SMP_BOUNDARY_OPEN, traced = smpi_trace_asks(s->w, SMP_SET_TOP_P);
  const uint32_t *ids = rank(s);
  double sum = 0;
  int kept = 0; /* this one and all greater */
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_SUM_FROM_BELOW);
  if (traced) smpi_trace_limit(s->w, limit, limit);
  for (size_t end = s->live, start; end > 0; end = start) {
    for (start = end - 1; start > 0 && s->w->x[ids[start - 1]] == s->w->x[ids[end - 1]];) start--;
    for (size_t j = start; j < end; j++) {
      const int last = !open && start == 0 && j + 1 == end; /* stays, whatever its sum */
      sum += (double)s->w->p[ids[j]];
      if (!kept && !last) compare(s, (float)sum, limit);
      kept |= last || (float)sum > limit;
      if (traced) smpi_trace_note(s->w, ids[j], (float)sum, kept, !last && is_close((float)sum, limit));
      if (!kept) remove_entry(s, ids[j]);
      if (kept && !traced) return;
    }
  }
}

/* Falling: the first that finds more than p before it, and all after it, go. Under EQUALS what counts is the mass of the
   strictly greater, and it has to stay below p. */
static void cut_falling(state *s, double p) {
  const float limit = (float)p;
  const int equals = s->profile->boundary == SMP_BOUNDARY_EQUALS;
  const uint32_t *ids = rank(s);
  const size_t n = s->live;
  const int traced = smpi_trace_asks(s->w, SMP_SET_TOP_P);
  size_t kept = 1;
  float sum = 0, before = 0; /* of the strictly greater, under EQUALS */
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_SUM_BEFORE);
  if (traced) smpi_trace_limit(s->w, limit, limit);
  if (traced) smpi_trace_note(s->w, ids[0], 0, 1, 0);
  for (; kept < n; kept++) {
    sum += s->w->p[ids[kept - 1]];
    if (!equals || s->w->x[ids[kept]] < s->w->x[ids[kept - 1]]) {
      before = sum;
      compare(s, before, limit);
      if (equals ? before >= limit : before > limit) break;
    }
    if (traced) smpi_trace_note(s->w, ids[kept], before, 1, is_close(before, limit));
  }
  for (size_t j = kept; j < n; j++) {
    if (traced) smpi_trace_note(s->w, ids[j], before, 0, is_close(before, limit));
    remove_entry(s, ids[j]);
  }
}

/* exllamav2, cpp/sampling.cpp, top_p_cpu: candidates are held in a heap with the least on top, of equals the smaller id. */
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
  const float limit = (float)p, tiny = 1e-6f;
  sort_entry *heap = s->w->entries;
  const uint32_t *ids = s->ranked ? rank(s) : NULL;
  const size_t n = ids ? s->live : s->w->n;
  size_t held = 0;
  float sum = 0;
  for (size_t j = 0; j < n; j++) {
    const uint32_t id = ids ? ids[j] : (uint32_t)j;
    const float mass = s->w->p[id];
    if (s->w->x[id] == SMP_REMOVED || mass < tiny || (sum > limit && mass < heap[0].key)) continue;
    push(heap, held++, (sort_entry){mass, id});
    sum += mass;
    compare(s, sum, limit);
    while (sum > limit && held > 1) {
      sum -= heap[0].key;
      pop(heap, held--);
      compare(s, sum, limit);
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
  if (s->profile->outside_p == 'c' && p < 0) p = 0;
  if (p >= 1 || (p <= 0 && s->profile->outside_p != 'c') || s->live < 2) return;
  switch (s->profile->boundary) {
  case SMP_BOUNDARY_RISING:
  case SMP_BOUNDARY_OPEN:
    cut_rising(s, p);
    break;
  case SMP_BOUNDARY_HEAP:
    cut_heap(s, p);
    break;
  default:
    cut_falling(s, p);
  }
}

static void min_p(state *s, double m) {
  if (s->profile->outside_min_p == 'c' && m > 1) m = 1;
  if (!(m > 0) || m > 1 || (m == 1 && s->profile->outside_min_p == 'o') || s->live < 2) return;
  size_t id = 0;
  greatest(s, &id);
  const float limit = (float)m * s->w->p[id];
  const int traced = smpi_trace_asks(s->w, SMP_SET_MIN_P);
  if (traced) smpi_trace_start(s->w, SMP_COMPARED_P);
  if (traced) smpi_trace_limit(s->w, limit, limit);
  for (size_t i = 0; i < s->w->n; i++) {
    if (s->w->x[i] == SMP_REMOVED) continue;
    compare(s, s->w->p[i], limit);
    if (traced) smpi_trace_note(s->w, (uint32_t)i, s->w->p[i], s->w->p[i] >= limit, is_close(s->w->p[i], limit));
    if (s->w->p[i] < limit) remove_entry(s, i);
  }
}

/* ---- The whole ------------------------------------------------------------------------------------------------------ */

/* Candidates in the engine's order, with their weights in front of the row. */
static void finish(state *s) {
  engine_work *w = s->w;
  w->drawing = s->profile->drawing;
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
  memcpy(w->x, w->p, w->n_kept * sizeof *w->x);
  if (w->drawing == SMP_DRAWING_RACE) w->drawing = smpi_torch_drawing(w->call->variant);
}

static void greedy(state *s) {
  size_t id = 0;
  greatest(s, &id);
  s->w->ids[0] = (uint32_t)id;
  s->w->x[0] = 1;
  s->w->n_kept = 1;
  s->w->drawing = SMP_DRAWING_GREEDY;
}

smp_refusal smpi_rules_run(engine_work *w) {
  const smp_engine_call *call = w->call;
  const engine_profile *profile = smpi_engine_profile(call->engine);
  state s = {.w = w, .profile = profile};
  w->generator = profile->generator;
  const smp_refusal refusal = refusal_of(profile, call, w->n);
  if (refusal) return refusal;
  double tau = setting(call, SMP_SET_TEMPERATURE, call->temperature, profile->temperature, 1);
  const double k = setting(call, SMP_SET_TOP_K, call->top_k, profile->top_k, 0);
  if (call->given >> SMP_SET_GREEDY & 1 || tau < profile->greedy_below) {
    greedy(&s);
    return SMP_REFUSAL_NONE;
  }
  if (tau < profile->least) tau = profile->least;
  for (size_t i = 0; i < w->n; i++) s.live += w->x[i] > SMP_REMOVED;
  for (const char *step = profile->order; *step && s.live > 0; step++) {
    if (*step == '/') weigh(&s);
    if (*step == 't' && !temperature(&s, tau)) return SMP_REFUSAL_NAN;
    if (*step == 'k') top_k(&s, (int64_t)k);
    if (*step == 'p') top_p(&s, setting(call, SMP_SET_TOP_P, call->top_p, profile->top_p, 1));
    if (*step == 'm') min_p(&s, setting(call, SMP_SET_MIN_P, call->min_p, profile->min_p, 0));
  }
  if (s.live == 0) return SMP_REFUSAL_NOTHING_LEFT;
  finish(&s);
  return SMP_REFUSAL_NONE;
}
