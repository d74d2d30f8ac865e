/* Which entries of a row come first, and which of them a filter keeps. No filter sorts the row: each finds the value at
   its cut from counts and sums in buckets of values, within the few entries that a bound from the first pass leaves. */
#include "impl.h"
#include "lanes.h"

/* Whether entry a comes after entry b: smaller, or equal with the greater id. */
static int comes_after(const float *row, uint32_t a, uint32_t b) {
  return row[a] < row[b] || (row[a] == row[b] && a > b);
}

/* Let the id at `at` sink until neither child comes after it: the root of the heap is the last of its ids. */
static void sink(const float *row, uint32_t *heap, size_t size, size_t at) {
  uint32_t id = heap[at];
  for (size_t child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && comes_after(row, heap[child + 1], heap[child])) child++;
    if (!comes_after(row, heap[child], id)) break;
    heap[at] = heap[child];
  }
  heap[at] = id;
}

smp_status smp_row_top(const float *row, size_t n, uint32_t *ids, size_t m, smp_where *where) {
  smp_status status = smp_row_check(row, n, NULL, NULL, where);
  if (status) return status;
  if (m < 1 || m > n) return smp_fail(SMP_ERR_PARAM, SMP_AT_N, 0, where);

  /* The output is the heap. An entry equal to the root has the greater id, so it does not replace it. */
  for (size_t i = 0; i < m; i++) ids[i] = (uint32_t)i;
  for (size_t i = m / 2; i-- > 0;) sink(row, ids, m, i);
  for (size_t i = m; i < n; i++) {
    if (!(row[i] > row[ids[0]])) continue;
    ids[0] = (uint32_t)i;
    sink(row, ids, m, 0);
  }
  for (size_t size = m; size-- > 1;) {
    uint32_t last = ids[0];
    ids[0] = ids[size];
    ids[size] = last;
    sink(row, ids, size, 0);
  }
  return SMP_OK;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

static smp_cut_search search_in(smp_run *run, const float *key, size_t n, double limit) {
  return (smp_cut_search){.key = key, .n = n, .limit = limit, .share = 1, .mass = run->mass, .filled = run->filled};
}

/* Turn the row into the list of `n` entries whose ids are already there. */
static void list(smp_run *run, size_t n) {
  const lanes tau = lanes_all(run->tau);
  for (size_t j = 0; j < n; j++) run->values[j] = run->x[run->ids[j]];
  if (run->weighed) {
    float *of_list = run->key; /* those of the row stay where they are until `key` is used */
    for (size_t j = 0; j < n; j++) of_list[j] = run->weight[run->ids[j]];
    run->key = run->weight;
    run->weight = of_list;
  }
  run->x = run->values;
  run->n = run->n_live = n;
  run->listed = 1;
  for (size_t i = n; i % SMP_ROW_BLOCK; i++) {
    run->values[i] = -(float)SMP_INF;
    run->weight[i] = 0;
  }
  if (run->tau != 1)
    for (size_t i = 0; i < n; i += 4) lanes_store(run->values + i, lanes_load(run->values + i) / tau);
  run->tau = 1;
}

/* The ids of all entries x / tau > -inf with x / tau >= bound; blocks without one are passed over. */
static void list_from(smp_run *run, float bound) {
  const lanes tau = lanes_all(run->tau), least = lanes_all(bound > -FLT_MAX ? bound : -FLT_MAX);
  size_t n = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    if (!(run->block_max[at / SMP_ROW_BLOCK] >= least[0])) continue;
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      lanes_bits found = (lanes_bits)(lanes_load(block + i) / tau >= least);
      if (!lanes_any(found)) continue;
      for (size_t j = 0; j < 4; j++) {
        run->ids[n] = (uint32_t)(at + i + j);
        n += found[j] & 1;
      }
    }
  }
  list(run, n);
}

/* The ids of all entries with a weight above the bound; returns how many there are. */
static size_t gather(smp_run *run, float bound) {
  const lanes limit = lanes_all(bound);
  size_t n = 0;
  for (size_t at = 0; at < run->n; at += 16) {
    const float *w = run->weight + at;
    lanes_bits found[4];
    LANES_UNROLL
    for (size_t i = 0; i < 4; i++) found[i] = lanes_less(limit, lanes_load(w + 4 * i));
    if (!lanes_any(found[0] | found[1] | found[2] | found[3])) continue;
    LANES_UNROLL
    for (size_t i = 0; i < 16; i++) {
      run->ids[n] = (uint32_t)(at + i);
      n += w[i] > bound;
    }
  }
  return n;
}

/* Keep the entries of the list whose key is above that of the cut, and so many of its equals as the rule says. */
static void keep_above(smp_run *run, const float *key, smp_cut c, smp_tie tie) {
  const uint32_t from = tie == SMP_TIE_LAST ? c.before : 0;
  const uint32_t to = tie == SMP_TIE_STRICT ? c.equal - c.before : c.equal;
  uint32_t equal = 0;
  size_t n = 0;
  for (size_t i = 0; i < run->n; i++) {
    int kept = key[i] > c.key;
    if (key[i] == c.key) {
      kept = equal >= from && equal < to;
      equal++;
    }
    run->ids[n] = run->ids[i];
    run->values[n] = run->values[i];
    run->weight[n] = run->weight[i];
    n += (size_t)kept;
  }
  run->n = run->n_live = n;
  for (size_t i = n; i % SMP_ROW_BLOCK; i++) {
    run->values[i] = -(float)SMP_INF;
    run->weight[i] = 0;
  }
}

/* ---- By rank ---------------------------------------------------------------------------------------------------- */

static void list_top(smp_run *run, size_t k) {
  const size_t blocks = (run->n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
  float bound = -FLT_MAX;
  if (k <= blocks) { /* at least k entries reach the k-th of the blocks' maxima */
    smp_cut_search s = search_in(run, run->block_max, blocks, (double)(blocks - k));
    bound = smp_cut_find(&s).key;
  }
  list_from(run, bound);
}

static void keep_top_k(smp_run *run, size_t k, smp_tie tie) {
  if (k >= run->n_live) return;
  if (!run->listed) list_top(run, k);
  if (k >= run->n) return;
  smp_cut_search s = search_in(run, run->values, run->n, (double)(run->n - k));
  keep_above(run, run->values, smp_cut_find(&s), tie);
}

/* ---- By probability --------------------------------------------------------------------------------------------- */

static double apart(double sum, float limit) {
  double difference = (double)(float)sum - (double)limit;
  return difference < 0 ? -difference : difference;
}

/* p = 1 removes what float cannot tell from 0, even with gradual underflow: e^(x - max) / sum of 2^-150 and less. */
static void keep_above_zero(smp_run *run) {
  float bound = (float)((double)run->max + smp_log(run->sum) - 150 * 0x1.62e42fefa39efp-1);
  if (run->least > bound) return;
  if (!run->listed) list_from(run, bound);
  keep_above(run, run->values, (smp_cut){.key = bound}, SMP_TIE_THRESHOLD);
}

enum { SAMPLE = 32 }; /* blocks */

/* A weight that may well be such that those up to it have most of the mass that goes: from a sample of the blocks. */
static float guess_bound(smp_run *run, double goes) {
  const size_t blocks = run->n / SMP_ROW_BLOCK, step = blocks / SAMPLE;
  for (size_t b = 0; b < SAMPLE; b++)
    memcpy(run->key + b * SMP_ROW_BLOCK, run->weight + b * step * SMP_ROW_BLOCK, SMP_ROW_BLOCK * sizeof *run->key);
  const size_t n = SAMPLE * SMP_ROW_BLOCK;
  smp_cut_search s = search_in(run, run->key, n, 0.8 * goes * (double)n / (double)run->n);
  s.weight = run->key;
  return smp_cut_find(&s).key;
}

/* List the entries that may survive top-p; returns the mass of the others, within 2^-22, and sets *bound to the greatest
   weight that they may have. All of these go: their mass stays below the limit. */
static double list_head(smp_run *run, float share, float limit, float *bound) {
  const double goes = (double)limit * run->sum;
  for (int guesses = run->n >= 4 * SAMPLE * SMP_ROW_BLOCK; guesses >= 0; guesses--) {
    /* Without a guess: n weights of at most goes / n have less than what goes. */
    *bound = guesses ? guess_bound(run, goes) : (float)(goes / (double)run->n * (1 - 0x1p-20));
    size_t n = gather(run, *bound);
    double kept = 0, others;
    for (size_t j = 0; j < n; j++) kept += (double)run->weight[run->ids[j]];
    others = (run->sum - kept) * (double)share;
    if (guesses && (n == 0 || others > (double)limit * (1 - 0x1p-18))) continue;
    list(run, n);
    return others > 0 ? others : 0;
  }
  return 0; /* not reached */
}

/* The mass of all weights of the row up to the bound, rounded one by one as the rule says. */
static double mass_up_to(const float *weight, size_t n, float share, float bound) {
  double sum[4] = {0};
  for (size_t i = 0; i < n; i++) {
    float p = weight[i] <= bound ? weight[i] * share : 0;
    sum[i % 4] += (double)p;
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void keep_top_p(smp_run *run, double top_p, smp_tie tie) {
  const float limit = (float)(1 - top_p);
  if (top_p == 0) {
    keep_top_k(run, 1, tie);
    return;
  }
  smp_run_weigh(run);
  if (limit == 0) {
    keep_above_zero(run);
    return;
  }
  const float share = (float)(1 / run->sum);
  const size_t n = run->n;
  const int was_listed = run->listed;
  float bound = 0;
  double base = was_listed ? 0 : list_head(run, share, limit, &bound);
  smp_cut_search s = search_in(run, run->values, run->n, (double)limit);
  s.weight = run->weight;
  s.share = share;
  s.base = base;
  smp_cut c = smp_cut_find(&s);
  if (!was_listed && c.distance <= 0x1p-20) { /* too near for a base that is not exact; it is rarely */
    s.base = mass_up_to(run->key, n, share, bound);
    c = smp_cut_find(&s);
  }
  if (is_near(c.distance, limit)) run->by_rounding = 1;
  keep_above(run, run->values, c, tie);
}

/* Keep p >= least, and the greatest entries in any case. */
static void keep_probable(smp_run *run, float least) {
  smp_run_weigh(run);
  const float share = (float)(1 / run->sum);
  if (least == 0) return;
  if (!run->listed) {
    float bound = least / share * (1 - 0x1p-20f);
    list(run, gather(run, bound < 0.5f ? bound : 0.5f));
  }
  for (size_t i = 0; i < run->n; i++) {
    float p = run->weight[i] * share, difference = p - least;
    int greatest = run->values[i] == run->max;
    if (!greatest && is_near((double)(difference < 0 ? -difference : difference), least)) run->by_rounding = 1;
    run->key[i] = greatest ? 2 : p;
  }
  keep_above(run, run->key, (smp_cut){.key = least, .equal = UINT32_MAX}, SMP_TIE_THRESHOLD);
}

static void keep_min_p(smp_run *run, double min_p) {
  smp_run_weigh(run);
  keep_probable(run, (float)min_p * (float)(1 / run->sum)); /* the greatest weight is 1 */
}

static void keep_eta(smp_run *run, double value) {
  smp_run_weigh(run);
  float epsilon = (float)value, entropy = (float)smp_run_entropy(run);
  float root = (float)__builtin_sqrt((double)epsilon), eta = root * (float)smp_exp(-(double)entropy);
  keep_probable(run, eta < epsilon ? eta : epsilon);
}

/* How far the information of each entry is from the entropy; sum is that of all weights. */
static void typical_keys(smp_run *run, double sum, double entropy) {
  const double ln_sum = smp_log(sum);
  for (size_t i = 0; i < run->n; i++) {
    double off = (ln_sum - ((double)run->values[i] - (double)run->max)) - entropy;
    run->key[i] = (float)(off < 0 ? -off : off);
  }
}

/* The same in double from the start, masses too: about 20 times the work. */
static void exact_typical_keys(smp_run *run, smp_cut_search *s) {
  double weighted = 0;
  s->exact = run->values;
  s->max = (double)run->max;
  s->sum = 0;
  for (size_t i = 0; i < run->n; i++) {
    double score = (double)run->values[i] - s->max, weight = smp_exp(score);
    s->sum += weight;
    if (weight > 0) weighted += weight * score;
  }
  typical_keys(run, s->sum, smp_log(s->sum) - weighted / s->sum);
}

/* Whether an entry that is no equal of the cut lies so near it that the roundings of its key could have moved it over. */
static int crowded(const smp_run *run, float cut_key) {
  const float ln_sum = (float)smp_log(run->sum);
  for (size_t i = 0; i < run->n; i++) {
    float off = run->key[i] - cut_key, size = (run->max - run->values[i]) + ln_sum + cut_key;
    if (off != 0 && is_near((double)(off < 0 ? -off : off), size)) return 1;
  }
  return 0;
}

static void keep_typical(smp_run *run, double mass) {
  smp_run_weigh(run);
  if (!run->listed) list_from(run, -FLT_MAX);
  typical_keys(run, run->sum, smp_run_entropy(run));
  const float limit = (float)mass;
  smp_cut_search s =
      search_in(run, run->key, run->n, (double)limit - (double)spacing_of(limit) / 2); /* reached: enough */
  s.weight = run->weight;
  s.share = (float)(1 / run->sum);
  smp_cut c = smp_cut_find(&s);
  if (is_near(c.distance, limit) || crowded(run, c.key)) { /* by float or by torch's float would be chance */
    run->by_rounding = 1;
    exact_typical_keys(run, &s);
    s.limit = mass - 0x1p-54;
    c = smp_cut_find(&s);
  }
  for (size_t i = 0; i < run->n; i++) run->key[i] = -run->key[i];
  c.key = -c.key;
  keep_above(run, run->key, c, SMP_TIE_THRESHOLD);
}

/* ---- By entropy and spread -------------------------------------------------------------------------------------- */

enum { TOP_H_ENTRIES = 100 };

static void keep_top_h(smp_run *run, double top_h) {
  uint32_t order[TOP_H_ENTRIES];
  keep_top_k(run, TOP_H_ENTRIES, SMP_TIE_STRICT);
  if (!run->listed) list_from(run, -FLT_MAX);
  const size_t n = run->n;
  if (run->weighed)
    smp_run_total(run);
  else
    smp_run_weigh(run);
  smp_row_top(run->values, n, order, n, NULL); /* n is 1 to 100, all of them finite */

  double all = 0, entropy = 0, sum = 0;
  for (size_t i = 0; i < n; i++) all += smp_exp((double)run->values[i] - (double)run->max);
  const double ln_all = smp_log(all);
  for (size_t i = 0; i < n; i++) {
    double ln_p = ((double)run->values[i] - (double)run->max) - ln_all, p = smp_exp(ln_p);
    entropy -= (double)((float)p * (p > 0 ? (float)ln_p : 0));
  }
  const float limit = (float)entropy * (float)top_h;
  int left = 1;
  for (size_t j = 0; j < n; j++) {
    double ln_p = ((double)run->values[order[j]] - (double)run->max) - ln_all;
    float p = (float)smp_exp(ln_p);
    sum += p > 0 ? -(double)(p * (float)ln_p) : 0;
    if (j > 0 && is_near(apart(sum, limit), limit)) run->by_rounding = 1;
    if (j > 0 && (p == 0 || (float)sum > limit)) left = 0; /* p = 0: 0 times ln 0 is NaN there */
    run->key[order[j]] = left ? 1.0f : 0.0f;
  }
  keep_above(run, run->key, (smp_cut){.key = 0}, SMP_TIE_STRICT);
}

static void keep_top_n_sigma(smp_run *run, double value) {
  smp_run_own(run);
  double sum[4] = {0}, squares[4] = {0}, n = (double)run->n_live;
  for (size_t i = 0; i < run->n; i++)
    if (run->values[i] > -(float)SMP_INF) sum[i % 4] += (double)run->values[i];
  const double mean = ((sum[0] + sum[2]) + (sum[1] + sum[3])) / n;
  for (size_t i = 0; i < run->n; i++) {
    double off = (double)run->values[i] - mean;
    if (run->values[i] > -(float)SMP_INF) squares[i % 4] += off * off;
  }
  const double sigma = __builtin_sqrt(((squares[0] + squares[2]) + (squares[1] + squares[3])) / n);
  const double least = (double)run->max - value * sigma;
  const float from = (float)least, slack = 4 * spacing_of(from < 0 ? -from : from);
  if (!run->listed) list_from(run, from - slack);
  for (size_t i = 0; i < run->n; i++) {
    double off = (double)run->values[i] - least;
    if (run->values[i] < run->max && off <= (double)slack && off >= -(double)slack) run->by_rounding = 1;
    run->key[i] = off >= 0 || run->values[i] == run->max ? 1.0f : 0.0f;
  }
  keep_above(run, run->key, (smp_cut){.key = 0}, SMP_TIE_STRICT);
}

void smp_run_select(smp_run *run, const smp_step *step) {
  const int weighed = run->weighed;
  const double sum = run->sum;
  const size_t n_live = run->n_live;
  switch (step->kind) {
  case SMP_STEP_TOP_K:
    keep_top_k(run, step->count, step->tie);
    break;
  case SMP_STEP_TOP_P:
    keep_top_p(run, step->value, step->tie);
    break;
  case SMP_STEP_MIN_P:
    keep_min_p(run, step->value);
    break;
  case SMP_STEP_TYPICAL:
    keep_typical(run, step->value);
    break;
  case SMP_STEP_EPSILON:
    keep_probable(run, (float)step->value);
    break;
  case SMP_STEP_ETA:
    keep_eta(run, step->value);
    break;
  case SMP_STEP_TOP_H:
    keep_top_h(run, step->value);
    break;
  default:
    keep_top_n_sigma(run, step->value);
    break;
  }
  if (run->n_live == n_live && run->listed == 0) return;
  if (run->weighed) smp_run_total(run);
  if (weighed) run->mass_kept = run->sum / sum;
  run->least = -(float)SMP_INF; /* not known any more */
  if (step->kind != SMP_STEP_TYPICAL) return;

  float max = -(float)SMP_INF;
  for (size_t i = 0; i < run->n; i++) max = run->values[i] > max ? run->values[i] : max;
  if (max < run->max) run->weighed = 0; /* the weights are those of a greater maximum */
  run->max = max;
}
