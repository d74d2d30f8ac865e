/* transformers 5.22 on torch 2.15, on a CPU with AVX2: what `generate` does to a row of scores before it draws.
   Filters and their order: src/transformers/generation/utils.py (_get_logits_processor) and logits_process.py. Every sum
   and every exponential that decides which entries survive is made in torch's own order and precision
   (aten/src/ATen/native/cpu/SoftMaxKernel.cpp, cpu/vec/functional_base.h).

   Entries that are not masked are held packed, ids ascending: w->ids and w->x, w->n_kept of them. */
#include "engine.h"

/* ---- Arithmetic ------------------------------------------------------------------------------------------------- */

/* a * b + c rounded once, except in one case in 2^29, where double rounds first. Inline also where size counts: it is
   called for every entry. */
static inline __attribute__((always_inline)) float fused(float a, float b, float c) {
  return (float)((double)a * (double)b + (double)c);
}

/* e^x for x <= 0 as Sleef's expf (u10) does it with fused products (sleefsimdsp.c, xexpf), which is what torch's
   softmax calls; one in thirteen is not the nearest float. */
static float exp_of(float x) {
  if (x < -104) return 0;
  const float q = (x * 0x1.715476p0f + 0x1.8p23f) - 0x1.8p23f; /* to a whole number */
  const float s = fused(q, -0x1.7f7d1cp-20f, fused(q, -0x1.62e4p-1f, x));
  float u = fused(0.000198527617612853646278381f, s, 0.00139304355252534151077271f);
  u = fused(u, s, 0.00833336077630519866943359f);
  u = fused(u, s, 0.0416664853692054748535156f);
  u = fused(u, s, 0.166666671633720397949219f);
  u = fused(u, s, 0.5f);
  u = 1 + fused(s * s, u, s);
  return (float)((double)u * of_bits((uint64_t)((int)q + 1023) << 52));
}

/* Those of MKL, which torch calls for whole tensors; nearly always the nearest float. */
static float ln_of(float x) {
  return (float)smp_log((double)x);
}

static float nearest_exp(float x) {
  return smpi_exp_float((double)x);
}

static float max_of(const float *x, size_t n) {
  return x[argmax_of(x, n)];
}

/* Where an entry that is not masked stands in its row: at its id, or from `first` on. */
static size_t place_of(const uint32_t *ids, size_t first, size_t j) {
  return ids ? ids[j] : first + j;
}

/* vec::reduce_all: eight sums side by side, entry i of the row in the one of i mod 8, then folded; rows shorter than 8
   from left to right. Masked entries add 0 wherever they are. */
static float sum_of(const float *e, const uint32_t *ids, size_t first, size_t n_live, size_t n) {
  const size_t last = n < 8 ? 0 : 7;
  float a[8] = {0};
  for (size_t j = 0; j < n_live; j++) a[place_of(ids, first, j) & last] += e[j];
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

enum { WIDTH = 8, COLUMNS = 4 * WIDTH, LEVELS = 4 };

static void add(float *sum, const float *more, size_t n) {
  for (size_t i = 0; i < n; i++) sum[i] += more[i];
}

/* torch.sum of the keys (SumKernel.cpp): 32 columns side by side, in levels of 16 rows, so that a sum is added to
   others of its size; then the columns folded eight by eight, and one by one after what fills no eight. */
static float cascade(const sort_entry *row, size_t n) {
  const size_t width = n < WIDTH ? 1 : WIDTH, columns = 4 * width, rows = n / columns;
  float sum[LEVELS][COLUMNS] = {{0}}, total = 0;
  size_t i = 0;
  for (size_t r = 1; r <= rows; r++) {
    for (size_t c = 0; c < columns; c++) sum[0][c] += row[i++].key;
    for (int level = 1; level < LEVELS && r % ((size_t)1 << 4 * level) == 0; level++) {
      add(sum[level], sum[level - 1], columns);
      memset(sum[level - 1], 0, sizeof sum[0]);
    }
  }
  for (int level = 1; level < LEVELS; level++) add(sum[0], sum[level], columns);
  while (i + width <= n)
    for (size_t c = 0; c < width; c++) sum[0][c] += row[i++].key;
  for (size_t c = width; c < columns; c += width) add(sum[0], sum[0] + c, width);
  for (; i < n; i++) total += row[i].key;
  for (size_t c = 0; c < width; c++) total += sum[0][c];
  return total;
}

/* Softmax of the entries that are not masked, of a row of n: they stand at ids, or from `first` on. p may be x. */
static void softmax(const float *x, const uint32_t *ids, size_t first, size_t n_live, size_t n, float *p) {
  const float max = max_of(x, n_live);
  for (size_t j = 0; j < n_live; j++) p[j] = exp_of(x[j] - max);
  const float share = 1 / sum_of(p, ids, first, n_live, n);
  for (size_t j = 0; j < n_live; j++) p[j] *= share;
}

static void weigh(engine_work *w) {
  softmax(w->x, w->ids, 0, w->n_kept, w->n, w->p);
}

void smpi_torch_softmax(engine_work *w) {
  softmax(w->x, w->ids, 0, w->n_kept, w->n, w->x);
}

/* ---- Order and survival ----------------------------------------------------------------------------------------- */

/* The whole row to be sorted, masked entries with a key of their own; `id` is the place among those that are not. */
static void list_all(engine_work *w, const float *key, float masked) {
  for (size_t i = 0; i < w->n; i++) w->entries[i] = (sort_entry){masked, SMP_NONE};
  for (size_t j = 0; j < w->n_kept; j++) w->entries[w->ids[j]] = (sort_entry){key[j], (uint32_t)j};
}

static int has_equals(const sort_entry *entries, size_t n) {
  for (size_t j = 1; j < n; j++)
    if (entries[j].key == entries[j - 1].key) return 1;
  return 0;
}

/* The entries that are not masked in the order in which torch.sort leaves them, ascending. Where they have equals, the
   masked ones decide too, which it sorts with them. */
static void sort(engine_work *w, const float *key, float masked) {
  for (size_t j = 0; j < w->n_kept; j++) w->entries[j] = (sort_entry){key[j], (uint32_t)j};
  smpi_std_sort(w->entries, w->n_kept);
  if (w->n_kept == w->n || !has_equals(w->entries, w->n_kept)) return;
  list_all(w, key, masked);
  smpi_std_sort(w->entries, w->n);
  for (size_t i = 0, j = 0; i < w->n; i++)
    if (w->entries[i].id != SMP_NONE) w->entries[j++] = w->entries[i];
}

/* Keep the entries whose flag is not 0. */
static void keep(engine_work *w, const float *flag) {
  size_t n = 0;
  for (size_t j = 0; j < w->n_kept; j++) {
    w->ids[n] = w->ids[j];
    w->x[n] = w->x[j];
    n += flag[j] != 0;
  }
  w->n_kept = n;
}

/* ---- Filters ---------------------------------------------------------------------------------------------------- */

static void keep_top_k(engine_work *w, size_t k) {
  if (k >= w->n_kept) return;
  for (size_t j = 0; j < w->n_kept; j++) w->entries[j] = (sort_entry){-w->x[j], (uint32_t)j};
  smpi_std_nth_element(w->entries, k - 1, w->n_kept);
  const float least = -w->entries[k - 1].key;
  const int traced = smpi_trace_asks(w, SMP_SET_TOP_K);
  if (traced) smpi_trace_start(w, SMP_COMPARED_LOGIT);
  if (traced) smpi_trace_limit(w, least, least);
  for (size_t j = 0; j < w->n_kept; j++) {
    w->p[j] = w->x[j] >= least;
    if (traced) smpi_trace_note(w, w->ids[j], w->x[j], w->x[j] >= least, 0);
  }
  keep(w, w->p);
}

/* The sums of top-p, all of them: torch makes them before it compares. */
static void trace_top_p(engine_work *w, size_t gone, float limit) {
  double sum = 0;
  smpi_trace_start(w, SMP_COMPARED_SUM_FROM_BELOW);
  smpi_trace_limit(w, limit, limit);
  for (size_t j = 0; j < w->n_kept; j++) {
    sum += (double)w->p[j];
    const int spared = j + 1 == w->n_kept; /* whatever its sum */
    smpi_trace_note(w, w->ids[w->entries[j].id], (float)sum, j >= gone, !spared && is_close((float)sum, limit));
  }
}

/* Ascending, remove while the cumulative sum (in double, each rounded to float) does not exceed 1 - p. */
static void keep_top_p(engine_work *w, double top_p) {
  const size_t n = w->n_kept;
  const float limit = (float)(1 - top_p);
  sort(w, w->x, SMP_REMOVED);
  for (size_t j = 0; j < n; j++) w->p[j] = w->entries[j].key;
  softmax(w->p, NULL, w->n - n, n, w->n, w->p);
  size_t gone = 0;
  for (double sum = 0; gone + 1 < n; gone++) {
    sum += (double)w->p[gone];
    note_closeness(w, (float)sum, limit);
    if ((float)sum > limit) break;
  }
  if (smpi_trace_asks(w, SMP_SET_TOP_P)) trace_top_p(w, gone, limit);
  memset(w->p, 0, n * sizeof *w->p);
  for (size_t j = gone; j < n; j++) w->p[w->entries[j].id] = 1;
  keep(w, w->p);
}

/* Keep p >= least; with keep_max, the maximum always survives. */
static void keep_probable(engine_work *w, float least, int keep_max) {
  const float max = keep_max ? max_of(w->x, w->n_kept) : (float)SMP_INF;
  const int traced = !keep_max && smpi_trace_asks(w, SMP_SET_MIN_P);
  if (traced) smpi_trace_start(w, SMP_COMPARED_P);
  if (traced) smpi_trace_limit(w, least, least);
  for (size_t j = 0; j < w->n_kept; j++) {
    if (w->x[j] != max) note_closeness(w, w->p[j], least);
    if (traced) smpi_trace_note(w, w->ids[j], w->p[j], w->p[j] >= least, is_close(w->p[j], least));
    w->p[j] = w->p[j] >= least || w->x[j] == max;
  }
  keep(w, w->p);
}

static void keep_min_p(engine_work *w, double min_p) {
  weigh(w);
  keep_probable(w, (float)min_p * max_of(w->p, w->n_kept), 0);
}

static void keep_epsilon(engine_work *w, double epsilon) {
  weigh(w);
  keep_probable(w, (float)epsilon, 1);
}

/* torch.distributions.Categorical(logits=x): its probabilities, and their entropy in nats. Places as for softmax; row
   has room for n. */
static float categorical(const float *x, const uint32_t *ids, size_t n_live, size_t n, float *p, sort_entry *row) {
  const float max = max_of(x, n_live);
  memset(row, 0, n * sizeof *row);
  for (size_t j = 0; j < n_live; j++) row[place_of(ids, 0, j)].key = nearest_exp(x[j] - max);
  const float ln_sum = ln_of(cascade(row, n)) + max;
  for (size_t j = 0; j < n_live; j++) p[j] = x[j] - ln_sum;
  softmax(p, ids, 0, n_live, n, p);
  for (size_t j = 0; j < n_live; j++) row[place_of(ids, 0, j)].key = (x[j] - ln_sum) * p[j];
  return -cascade(row, n);
}

static void keep_eta(engine_work *w, double value) {
  const float epsilon = (float)value, entropy = categorical(w->x, w->ids, w->n_kept, w->n, w->p, w->entries);
  const float eta = (float)__builtin_sqrt((double)epsilon) * nearest_exp(-entropy);
  weigh(w);
  keep_probable(w, eta < epsilon ? eta : epsilon, 1);
}

/* Ascending by |-ln p - entropy|: up to and including the entry at which the cumulative sum reaches the mass. */
static void keep_typical(engine_work *w, double value) {
  const size_t n = w->n_kept;
  const float mass = (float)value, max = max_of(w->x, n);
  float *off = w->p;
  for (size_t j = 0; j < n; j++) off[j] = exp_of(w->x[j] - max);
  const float ln_sum = ln_of(sum_of(off, w->ids, 0, n, w->n));
  memset(w->entries, 0, w->n * sizeof *w->entries);
  for (size_t j = 0; j < n; j++) {
    off[j] = w->x[j] - max - ln_sum;
    if (off[j] > SMP_REMOVED) w->entries[w->ids[j]].key = off[j] * nearest_exp(off[j]);
  }
  const float entropy = -cascade(w->entries, w->n);
  for (size_t j = 0; j < n; j++) {
    float distance = -off[j] - entropy;
    off[j] = distance < 0 ? -distance : distance;
  }
  sort(w, off, (float)SMP_INF);
  for (size_t j = 0; j < n; j++) off[j] = w->x[w->entries[j].id];
  softmax(off, NULL, 0, n, w->n, off);
  size_t last = 0;
  double sum = 0;
  for (; last < n; last++) {
    sum += (double)off[last];
    note_closeness(w, (float)sum, mass);
    if (!((float)sum < mass)) break;
  }
  const float limit = last < n ? w->entries[last].key : (float)SMP_INF;
  for (size_t j = 0; j < n; j++) off[w->entries[j].id] = w->entries[j].key <= limit;
  keep(w, off);
}

/* Of the 100 largest: keep while the cumulative sum of -p ln p does not exceed this part of their entropy. */
static void keep_top_h(engine_work *w, double top_h) {
  float x[SMP_TOP_H_ENTRIES] = {0}, p[SMP_TOP_H_ENTRIES];
  uint32_t place[SMP_TOP_H_ENTRIES];
  const size_t m = w->n < SMP_TOP_H_ENTRIES ? w->n : SMP_TOP_H_ENTRIES, n = w->n_kept < m ? w->n_kept : m;
  for (size_t j = 0; j < w->n_kept; j++) w->p[j] = -w->x[j];
  list_all(w, w->p, (float)SMP_INF);
  smpi_torch_topk(w->entries, m, w->n);
  for (size_t j = 0; j < n; j++) {
    place[j] = w->entries[j].id;
    x[j] = w->x[place[j]];
  }
  const float limit = categorical(x, NULL, n, m, p, w->entries) * (float)top_h;
  memset(w->p, 0, w->n_kept * sizeof *w->p);
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    sum += (double)(-p[j] * ln_of(p[j])); /* NaN from the first p that is 0 on */
    if (j > 0) note_closeness(w, (float)sum, limit);
    w->p[place[j]] = j == 0 || (float)sum <= limit;
  }
  keep(w, w->p);
}

/* ---- The engine ------------------------------------------------------------------------------------------------- */

/* Divide by the temperature and list what is not masked; returns 0 if torch.multinomial would find NaN among the
   probabilities. */
static int list_live(engine_work *w, float tau) {
  size_t n = 0;
  for (size_t i = 0; i < w->n; i++) {
    float x = w->x[i] / tau;
    if (!(x < (float)SMP_INF)) return 0;
    w->ids[n] = (uint32_t)i;
    w->x[n] = x;
    n += x > SMP_REMOVED;
  }
  w->n_kept = n;
  return n > 0;
}

static void filter(engine_work *w) {
  if (is_on(w, SMP_SET_TOP_H)) keep_top_h(w, value_for(w, SMP_SET_TOP_H));
  if (is_on(w, SMP_SET_TOP_K)) keep_top_k(w, (size_t)value_for(w, SMP_SET_TOP_K));
  if (is_on(w, SMP_SET_TOP_P)) keep_top_p(w, value_for(w, SMP_SET_TOP_P));
  if (is_on(w, SMP_SET_MIN_P)) keep_min_p(w, value_for(w, SMP_SET_MIN_P));
  if (is_on(w, SMP_SET_TYPICAL_P)) keep_typical(w, value_for(w, SMP_SET_TYPICAL_P));
  if (is_on(w, SMP_SET_EPSILON_CUTOFF)) keep_epsilon(w, value_for(w, SMP_SET_EPSILON_CUTOFF));
  if (is_on(w, SMP_SET_ETA_CUTOFF)) keep_eta(w, value_for(w, SMP_SET_ETA_CUTOFF));
}

smp_refusal smpi_torch_run(engine_work *w) {
  if (is_on(w, SMP_SET_GREEDY)) {
    keep_argmax(w);
    return SMP_REFUSAL_NONE;
  }
  if (!list_live(w, (float)value_for(w, SMP_SET_TEMPERATURE))) return SMP_REFUSAL_MULTINOMIAL;
  filter(w);
  smpi_torch_softmax(w);
  return SMP_REFUSAL_NONE;
}
