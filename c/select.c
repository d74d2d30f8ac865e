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

/* The first entry from i on that is above the bound, or n. */
static size_t next_above(const float *row, size_t n, size_t i, float bound) {
  const lanes most = lanes_all(bound);
  for (; i + 16 <= n; i += 16) {
    lanes greatest = lanes_load(row + i);
    for (size_t j = 4; j < 16; j += 4) greatest = lanes_max(greatest, lanes_load(row + i + j));
    if (lanes_any(lanes_less(most, greatest))) break;
  }
  while (i < n && !(row[i] > bound)) i++;
  return i;
}

smp_status smp_row_top(const float *row, size_t n, uint32_t *ids, size_t m, smp_where *where) {
  smp_status status = smp_row_check(row, n, NULL, NULL, where);
  if (status) return status;
  if (m < 1 || m > n) return smp_fail(SMP_ERR_PARAM, SMP_AT_N, 0, where);

  /* The output is the heap. An entry equal to the root has the greater id, so it does not replace it. */
  for (size_t i = 0; i < m; i++) ids[i] = (uint32_t)i;
  for (size_t i = m / 2; i-- > 0;) sink(row, ids, m, i);
  for (size_t i = m; i < n; i++) {
    i = next_above(row, n, i, row[ids[0]]);
    if (i == n) break;
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

static smp_cut_search search_in(smp_run *run, const float *key, size_t n, double limit) {
  return (smp_cut_search){.key = key, .n = n, .limit = limit, .share = 1, .mass = run->mass, .filled = run->filled};
}

/* ---- By rank ---------------------------------------------------------------------------------------------------- */

/* How many of the keys, whole groups of four, are at or above the bound. */
static size_t count_from(const float *keys, size_t n, float bound) {
  const lanes least = lanes_all(bound);
  lanes_bits count = {0};
  for (size_t i = 0; i < n; i += 4) count = lanes_count(count, (lanes_bits)(lanes_load(keys + i) >= least));
  return (size_t)count[0] + count[1] + count[2] + count[3];
}

/* A value that at least k of the keys reach, and no more than `most` do unless they are equal: the rank is halved between
   what k reach and what fewer do. At least k keys are above -inf, and none is above max. */
static float reached_by(const float *keys, size_t n, size_t k, size_t most, float max) {
  uint32_t low = rank_of(-FLT_MAX), high = rank_of(max) + 1;
  size_t reached = SIZE_MAX;
  while (high - low > 1 && reached > most) {
    const uint32_t middle = low + (high - low) / 2;
    const size_t count = count_from(keys, n, value_of(middle));
    if (count < k) {
      high = middle;
      continue;
    }
    low = middle;
    reached = count;
  }
  return value_of(low);
}

/* A value that at least k entries of a row reach, and seldom many more: k of the maxima of any parts do. Few are looked for
   among the maxima of four blocks each. */
static float bound_of(smp_run *run, size_t k) {
  const size_t blocks = (run->n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
  const float *maxima = run->block_max;
  size_t n = smp_row_capacity(blocks);
  if (k <= n / 16) {
    n /= 4;
    for (size_t i = 0; i < n; i += 4) {
      const lanes a = lanes_max(lanes_load(maxima + i), lanes_load(maxima + n + i));
      const lanes b = lanes_max(lanes_load(maxima + 2 * n + i), lanes_load(maxima + 3 * n + i));
      lanes_store(run->key + i, lanes_max(a, b));
    }
    maxima = run->key;
  }
  return count_from(maxima, n, -FLT_MAX) < k ? -FLT_MAX : reached_by(maxima, n, k, k + k / 8, run->max);
}

static void keep_top_k(smp_run *run, size_t k, smp_tie tie) {
  if (k >= run->n_live) return;
  if (!run->listed) smp_run_list_from(run, bound_of(run, k));
  if (k >= run->n) return;
  const size_t n = (run->n + 3) / 4 * 4; /* the rest is -inf */
  const float cut = reached_by(run->values, n, k, 0, run->max);
  const size_t reach = count_from(run->values, n, cut), above = count_from(run->values, n, value_of(rank_of(cut) + 1));
  const smp_cut c = {.key = cut, .before = (uint32_t)(reach - k), .equal = (uint32_t)(reach - above)};
  smp_run_keep_above(run, run->values, c, tie);
}

/* ---- By probability --------------------------------------------------------------------------------------------- */

/* The greatest float at or below x and below max, which is finite. */
static float float_below(double x, float max) {
  const float nearest = (float)x;
  const uint32_t rank = rank_of(nearest < max ? nearest : max);
  return (double)nearest > x || nearest >= max ? value_of(rank - 1) : nearest;
}

/* p = 1 removes what float cannot tell from 0, even with gradual underflow: e^(x - max) / sum of 2^-150 and less. That
   bound is below the greatest entry, but where floats or doubles lie far apart its nearest is that entry. */
static void keep_above_zero(smp_run *run) {
  const float bound = float_below((double)run->max + smp_log(run->sum) - 150 * 0x1.62e42fefa39efp-1, run->max);
  if (run->least > bound) return;
  if (!run->listed) smp_run_list_from(run, bound);
  smp_run_keep_above(run, run->values, (smp_cut){.key = bound}, SMP_TIE_THRESHOLD);
}

enum { SAMPLE = 16 }; /* blocks */

/* Most likely not far from the weight at which the sum of the smaller ones reaches `goes`: it is, in some blocks. */
static float guess_cut(smp_run *run, double goes) {
  const size_t n = SAMPLE * SMP_ROW_BLOCK, step = run->n / n;
  for (size_t b = 0; b < SAMPLE; b++)
    memcpy(run->key + b * SMP_ROW_BLOCK, run->weight + b * step * SMP_ROW_BLOCK, SMP_ROW_BLOCK * sizeof *run->key);
  smp_cut_search s = search_in(run, run->key, n, goes * (double)n / (double)run->n);
  s.weight = run->key;
  return smp_cut_find(&s).key;
}

/* A logit whose weight is surely below w; for blocks that can be passed over. */
static float below_weight(const smp_run *run, float w) {
  return w > 0 ? (float)((double)run->max + smp_log((double)w) - 0x1p-10) : -(float)SMP_INF;
}

/* Part of a row: the entries of weights above low, up to high, and the weight of all that are not above low. */
typedef struct bracket {
  float low, high;
  double below;  /* within 2^-23 */
  size_t listed; /* ids of weights above low, in run->ids */
  size_t n;
  float *values, *weights;
} bracket;

/* The ids of all weights above low, and the sum of the others. */
static void list_weights(smp_run *run, bracket *b) {
  const lanes low = lanes_all(b->low);
  const float quiet = below_weight(run, b->low);
  uint32_t *ids = run->ids;
  double below = 0;
  size_t n = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    if (run->block_max[at / SMP_ROW_BLOCK] < quiet) {
      below += run->block_sum[at / SMP_ROW_BLOCK];
      continue;
    }
    float less[SMP_ROW_BLOCK];
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 16) {
      lanes_bits above[4];
      LANES_UNROLL
      for (size_t j = 0; j < 4; j++) {
        const lanes w = lanes_load(run->weight + at + i + 4 * j);
        above[j] = lanes_less(low, w);
        lanes_store(less + i + 4 * j, (lanes)((lanes_bits)w & ~above[j]));
      }
      n = lanes_list_group(above, (uint32_t)(at + i), ids, n);
    }
    below += lanes_sum_block(less);
  }
  b->below = below;
  b->listed = n;
}

/* 0 if there is no room for so many. */
static int fill_bracket(smp_run *run, bracket *b) {
  const size_t room = run->n / 2;
  const uint32_t *ids = run->ids;
  size_t n = 0;
  list_weights(run, b);
  b->values = run->key;
  b->weights = run->key + room;
  for (size_t j = 0; j < b->listed; j++) {
    if (n == room) return 0;
    b->values[n] = run->x[ids[j]];
    b->weights[n] = run->weight[ids[j]];
    n += b->weights[n] <= b->high;
  }
  for (size_t j = 0; j < n; j++) b->values[j] /= run->tau;
  b->n = n;
  return 1;
}

/* The mass of all weights of the row up to the bound, rounded one by one as the rule says. */
static double mass_up_to(const smp_run *run, float share, float bound) {
  double sum[4] = {0};
  for (size_t i = 0; i < run->n; i++) {
    float p = run->weight[i] <= bound ? run->weight[i] * share : 0;
    sum[i % 4] += (double)p;
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

typedef enum side { HERE, LOWER, HIGHER, NOWHERE } side;

/* Look for the cut of top-p in a bracket. `weight` becomes that of the entry at the cut, if it is here. NOWHERE: there is no
   room for the bracket, or a sum that is not exact decides nothing. */
static side find_in_bracket(smp_run *run, smp_cut_search *s, bracket *b, smp_cut *c, float *weight) {
  if (!fill_bracket(run, b)) return NOWHERE;
  double inside = 0;
  for (size_t i = 0; i < b->n; i++) inside += (double)b->weights[i];
  s->key = b->values;
  s->weight = b->weights;
  s->n = b->n;
  s->base = b->below * (double)s->share;
  const double least = s->limit * (1 - 0x1p-18), most = s->limit * (1 + 0x1p-18),
               end = s->base + inside * (double)s->share;
  if (s->base > least) return s->base > most ? LOWER : NOWHERE;
  if (b->high < 1 && end < most) return end < least ? HIGHER : NOWHERE;
  *c = smp_cut_find(s);
  /* Each weight below was rounded twice in its block's sum, and is to be rounded once as a product: 2^-22 in all. */
  if (c->distance <= s->limit * 0x1p-21) {
    s->base = mass_up_to(run, s->share, b->low);
    *c = smp_cut_find(s);
  }
  *weight = b->weights[c->place];
  return HERE;
}

/* The cut of top-p in a row: near a guess, else on the side of it where it must be, else in all of the row. `weight` becomes
   that of the cut; the row's ids of all weights that reach it are listed, among `listed`. */
static smp_cut find_in_row(smp_run *run, smp_cut_search *s, float *weight, size_t *listed) {
  const double goes = s->limit * run->sum;
  smp_cut c;
  if (run->n >= 4 * SAMPLE * SMP_ROW_BLOCK) {
    /* n weights of at most goes / n have less than what goes. */
    const float guess = guess_cut(run, goes), surely = (float)(goes / (double)run->n * (1 - 0x1p-20));
    bracket b = {.low = guess / 1.25f > surely ? guess / 1.25f : surely, .high = guess * 1.25f};
    side found = find_in_bracket(run, s, &b, &c, weight);
    if (found == LOWER || found == HIGHER) {
      b = found == LOWER ? (bracket){.low = surely, .high = b.low} : (bracket){.low = b.high, .high = 1};
      found = find_in_bracket(run, s, &b, &c, weight);
    }
    *listed = b.listed;
    if (found == HERE) return c;
  }
  smp_run_own(run);
  s->key = run->values;
  s->weight = run->weight;
  s->n = run->n;
  s->base = 0;
  c = smp_cut_find(s);
  *weight = run->weight[c.place];
  bracket all = {.low = *weight * (1 - 0x1p-23f)}; /* the next below, or the one below that */
  list_weights(run, &all);
  *listed = all.listed;
  return c;
}

/* Of the listed entries of a row, list those above the cut, and so many of its equals as the rule says. `weight` is that of
   the cut: an entry with more is above it, one with less below. */
static void list_above(smp_run *run, size_t listed, smp_cut c, float weight, smp_tie tie) {
  const uint32_t from = tie == SMP_TIE_LAST ? c.before : 0;
  const uint32_t to = tie == SMP_TIE_STRICT ? c.equal - c.before : c.equal;
  uint32_t *ids = run->ids, equal = 0;
  float *weights = run->key;
  size_t n = 0;
  for (size_t j = 0; j < listed; j++) {
    const uint32_t id = ids[j];
    const float w = run->weight[id];
    ids[n] = id;
    weights[n] = w;
    if (w != weight) {
      n += w > weight;
      continue;
    }
    const float x = run->x[id] / run->tau;
    n += x > c.key || (x == c.key && equal >= from && equal < to);
    equal += x == c.key;
  }
  smp_run_list(run, n);
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
  smp_cut_search s = search_in(run, run->values, run->n, (double)limit);
  s.weight = run->weight;
  s.share = (float)(1 / run->sum);
  s.even = 1;
  float weight = 0;
  size_t listed = 0;
  smp_cut c = run->listed ? smp_cut_find(&s) : find_in_row(run, &s, &weight, &listed);
  if (is_near(c.distance, limit)) run->by_rounding = 1;
  if (run->listed)
    smp_run_keep_above(run, run->values, c, tie);
  else
    list_above(run, listed, c, weight, tie);
}

/* Keep p >= least, and the greatest entries in any case. */
static void keep_probable(smp_run *run, float least) {
  smp_run_weigh(run);
  const float share = (float)(1 / run->sum);
  if (least == 0) return;
  if (!run->listed) {
    float bound = least / share * (1 - 0x1p-20f);
    smp_run_list(run, smp_run_gather(run, bound < 0.5f ? bound : 0.5f));
  }
  for (size_t i = 0; i < run->n; i++) {
    float p = run->weight[i] * share, difference = p - least;
    int greatest = run->values[i] == run->max;
    if (!greatest && is_near((double)difference, least)) run->by_rounding = 1;
    run->key[i] = greatest ? 2 : p;
  }
  smp_run_keep_above(run, run->key, (smp_cut){.key = least, .equal = UINT32_MAX}, SMP_TIE_THRESHOLD);
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
  const double ln = smp_log(sum), greatest = (double)run->max;
  const lanes_wide ln_sum = {ln, ln}, max = {greatest, greatest}, middle = {entropy, entropy};
  for (size_t i = 0; i < run->n; i += 4) {
    const lanes x = lanes_load(run->values + i);
    const lanes_wide low = (ln_sum - (lanes_low(x) - max)) - middle, high = (ln_sum - (lanes_high(x) - max)) - middle;
    const lanes off = lanes_narrow(low, high);
    lanes_store(run->key + i, lanes_max(off, -off));
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

/* Whether an entry that is no equal of the cut lies so near it that the roundings of its key could have moved it over, or made
   it an equal. */
static int crowded(const smp_run *run, float cut_key, float cut_value) {
  const float ln_sum = (float)smp_log(run->sum);
  for (size_t i = 0; i < run->n; i++) {
    float off = run->key[i] - cut_key, size = (run->max - run->values[i]) + ln_sum + cut_key;
    if ((off != 0 || run->values[i] != cut_value) && is_near((double)off, size)) return 1;
  }
  return 0;
}

static void keep_typical(smp_run *run, double mass) {
  smp_run_weigh(run);
  if (!run->listed) smp_run_list_from(run, -FLT_MAX);
  typical_keys(run, run->sum, smp_run_entropy(run));
  const float limit = (float)mass;
  smp_cut_search s =
      search_in(run, run->key, run->n, (double)limit - (double)spacing_of(limit) / 2); /* reached: enough */
  s.weight = run->weight;
  s.share = (float)(1 / run->sum);
  s.even = 1;
  smp_cut c = smp_cut_find(&s);
  if (is_near(c.distance, limit) ||
      crowded(run, c.key, run->values[c.place])) { /* by float or by torch's float would be chance */
    run->by_rounding = 1;
    exact_typical_keys(run, &s);
    s.limit = mass - 0x1p-54;
    c = smp_cut_find(&s);
  }
  for (size_t i = 0; i < run->n; i++) run->key[i] = -run->key[i];
  c.key = -c.key;
  smp_run_keep_above(run, run->key, c, SMP_TIE_THRESHOLD);
}

/* ---- By entropy and spread -------------------------------------------------------------------------------------- */

enum { TOP_H_ENTRIES = 100 };

static void keep_top_h(smp_run *run, double top_h) {
  uint32_t order[TOP_H_ENTRIES];
  keep_top_k(run, TOP_H_ENTRIES, SMP_TIE_STRICT);
  if (!run->listed) smp_run_list_from(run, -FLT_MAX);
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
    if (j > 0 && is_near((double)(float)sum - (double)limit, limit)) run->by_rounding = 1;
    if (j > 0 && (p == 0 || (float)sum > limit)) left = 0; /* p = 0: 0 times ln 0 is NaN there */
    run->key[order[j]] = left ? 1.0f : 0.0f;
  }
  smp_run_keep_above(run, run->key, (smp_cut){.key = 0}, SMP_TIE_STRICT);
}

/* The sum of x - mean over the entries above -inf, or of its square, a constant: four sums, element i in sum i mod 4. */
LANES_INLINE double sum_apart(const smp_run *run, double mean, int squared) {
  const lanes_wide middle = {mean, mean}, none = {-SMP_INF, -SMP_INF}, zero = {0, 0};
  lanes_wide sum[2] = {zero, zero};
  for (size_t i = 0; i < run->n; i += 4) {
    const lanes x = lanes_load(run->values + i);
    const lanes_wide half[2] = {lanes_low(x), lanes_high(x)};
    LANES_UNROLL
    for (int j = 0; j < 2; j++) {
      const lanes_wide off = half[j] - middle, live = lanes_wide_select((lanes_wide_bits)(off > none), off, zero);
      sum[j] += squared ? live * live : live;
    }
  }
  return (sum[0][0] + sum[1][0]) + (sum[0][1] + sum[1][1]);
}

static void keep_top_n_sigma(smp_run *run, double value) {
  smp_run_own(run);
  const double n = (double)run->n_live, mean = sum_apart(run, 0, 0) / n;
  const double sigma = __builtin_sqrt(sum_apart(run, mean, 1) / n);
  const double least = (double)run->max - value * sigma;
  const float from = (float)least, slack = 4 * spacing_of(from < 0 ? -from : from);
  if (!run->listed) smp_run_list_from(run, from - slack);
  for (size_t i = 0; i < run->n; i++) {
    double off = (double)run->values[i] - least;
    if (run->values[i] < run->max && off <= (double)slack && off >= -(double)slack) run->by_rounding = 1;
    run->key[i] = off >= 0 || run->values[i] == run->max ? 1.0f : 0.0f;
  }
  smp_run_keep_above(run, run->key, (smp_cut){.key = 0}, SMP_TIE_STRICT);
}

int smp_run_select(smp_run *run, const smp_step *step) {
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
  if (run->n_live == 0 || run->n == 0) return 0;
  if (run->n_live == n_live && run->listed == 0) return 1;
  if (run->weighed) smp_run_total(run);
  if (weighed) run->mass_kept = run->sum / sum;
  run->least = -(float)SMP_INF; /* not known any more */
  if (step->kind != SMP_STEP_TYPICAL) return 1;

  float max = -(float)SMP_INF;
  for (size_t i = 0; i < run->n; i++) max = run->values[i] > max ? run->values[i] : max;
  if (max < run->max) run->weighed = 0; /* the weights are those of a greater maximum */
  run->max = max;
  return 1;
}
