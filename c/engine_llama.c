/* llama.cpp's samplers on the CPU (src/llama-sampler.cpp, commit 0c1e5709, built with g++): float arithmetic in its
   order, and its sorts, which decide where equal logits stand and so which of them is drawn. Checked by running it.
   The correctly rounded functions stand in for its expf and logf. */
#include "engine_llama.h"

enum { SMALL_SORT = 128, SMALL_TOP_P = 1024, FIRST_TOP_P = 256 };

/* llama_token_data_array_partial_sort: nbuckets, bucket_low, bucket_high, bucket_scale and bucket_inter */
enum { BUCKETS = 128, BUCKET_LOW = -10, BUCKET_HIGH = 10 };
#define BUCKET_SCALE ((float)BUCKETS / (float)(BUCKET_HIGH - BUCKET_LOW))
#define BUCKET_INTER (-(float)BUCKET_LOW * BUCKET_SCALE)

/* llama_sampler_dry_apply: FLOAT_MAX_LOG, about ln of the largest float, and the base from which on powers may exceed
   it */
#define FLOAT_MAX_LOG 88.7228391f
#define GROWING_BASE  1.000001f

static float exp_of(float x) {
  return smpi_exp_float((double)x);
}

static float log_of(float x) {
  return (float)smp_log((double)x);
}

static float size_of(float x) {
  return x < 0 ? -x : x;
}

/* Within 4 ulp of a number of that size. */
static int is_close_at(float x, float threshold, float size) {
  return is_near((double)x - (double)threshold, size);
}

/* ---- Sorting: by descending logit, entries[i].id being a place in the array -------------------------------------- */

static size_t bucket_of(float logit) {
  const float place = BUCKET_SCALE * logit + BUCKET_INTER;
  return !(place > 0) ? 0 : place < BUCKETS ? (size_t)place : BUCKETS - 1;
}

/* The highest buckets, as many as hold k, each sorted; the last only as far as it must be. */
static void order_by_buckets(const array *a, size_t k) {
  size_t count[BUCKETS] = {0}, at[BUCKETS], last = BUCKETS, have = 0;
  for (size_t i = 0; i < a->size; i++) count[bucket_of(a->logit[i])]++;
  while (have < k) {
    at[--last] = have;
    have += count[last];
  }
  for (size_t i = 0; i < a->size; i++) {
    const size_t bucket = bucket_of(a->logit[i]);
    if (bucket >= last) a->entries[at[bucket]++] = (sort_entry){-a->logit[i], (uint32_t)i};
  }
  sort_entry *from = a->entries;
  for (size_t bucket = BUCKETS - 1; bucket > last; bucket--) {
    smpi_std_sort(from, count[bucket]);
    from += count[bucket];
  }
  smpi_std_partial_sort(from, k - (size_t)(from - a->entries), count[last]);
}

/* The k largest in front of the entries. 1 <= k <= size. */
static void order(const array *a, size_t k) {
  if (k > SMALL_SORT) {
    order_by_buckets(a, k);
    return;
  }
  for (size_t i = 0; i < a->size; i++) a->entries[i] = (sort_entry){-a->logit[i], (uint32_t)i};
  smpi_std_partial_sort(a->entries, k, a->size);
}

/* The array becomes what the first k entries name. */
static void take(array *a, size_t k, int sorted) {
  sort_entry *e = a->entries;
  for (size_t i = 0; i < k; i++) e[i].key = a->logit[e[i].id];
  for (size_t i = 0; i < k; i++) {
    a->logit[i] = e[i].key;
    e[i] = (sort_entry){a->p[e[i].id], a->id[e[i].id]};
  }
  for (size_t i = 0; i < k; i++) {
    a->p[i] = e[i].key;
    a->id[i] = e[i].id;
  }
  a->size = k;
  a->sorted = sorted;
}

static void sort(array *a, size_t k) {
  if (!a->sorted) {
    order(a, k);
    take(a, k, 1);
  }
  a->size = k;
}

/* ---- Probabilities ----------------------------------------------------------------------------------------------- */

static float max_of(const array *a) {
  return a->logit[argmax_of(a->logit, a->size)];
}

static void softmax(array *a) {
  const float max = max_of(a);
  float sum = 0;
  for (size_t i = 0; i < a->size; i++) {
    a->p[i] = exp_of(a->logit[i] - max);
    sum += a->p[i];
  }
  for (size_t i = 0; i < a->size; i++) a->p[i] /= sum;
}

static void sorted_softmax(array *a) {
  sort(a, a->size);
  softmax(a);
}

/* ---- Filters ----------------------------------------------------------------------------------------------------- */

/* A limit on logits: records each candidate twice, as removed before the filter, as kept after it. */
static void trace_logits(const array *a, float limit, float size, int kept) {
  for (size_t i = 0; i < a->size; i++)
    smpi_trace_note(a->w, a->id[i], a->logit[i], kept, size > 0 && is_close_at(a->logit[i], limit, size));
}

void smpi_llama_top_k(array *a, const smp_sampler *s) {
  const int32_t k = (int32_t)s->number[0];
  if (k <= 0) return;
  const int traced = smpi_trace_asks(a->w, SMP_SET_TOP_K) && (size_t)k < a->size;
  if (traced) smpi_trace_start(a->w, SMP_COMPARED_LOGIT);
  if (traced) trace_logits(a, 0, 0, 0);
  sort(a, (size_t)k < a->size ? (size_t)k : a->size);
  if (!traced) return;
  const float least = a->logit[a->size - 1];
  smpi_trace_limit(a->w, least, least);
  trace_logits(a, 0, 0, 1);
}

/* The first `kept` candidates in order, with the sum before each; it ended at `sum`. */
static void trace_top_p(const array *a, size_t kept, float p, float sum) {
  smpi_trace_start(a->w, SMP_COMPARED_SUM_BEFORE);
  smpi_trace_limit(a->w, p, p);
  for (size_t i = 0; i < a->size; i++) smpi_trace_note(a->w, a->id[i], sum, 0, p > 0 && is_close(sum, p));
  sum = 0;
  for (size_t place = 0; place < kept; place++) {
    const size_t i = a->sorted ? place : a->entries[place].id;
    smpi_trace_note(a->w, a->id[i], sum, 1, place > 0 && p > 0 && is_close(sum, p));
    sum += a->p[i];
  }
}

/* Of many unsorted candidates sort only the top 256 first; all of them if these do not suffice. */
void smpi_llama_top_p(array *a, const smp_sampler *s) {
  const float p = (float)s->number[0];
  const size_t min_keep = (size_t)s->number[1];
  if (p >= 1) return;
  softmax(a);
  if (a->size <= SMALL_TOP_P) sort(a, a->size);
  size_t ordered = a->sorted ? a->size : FIRST_TOP_P, kept = 0;
  float sum = 0, before;
  if (!a->sorted) order(a, ordered);
  do {
    if (kept == ordered) order(a, ordered = a->size);
    before = sum;
    sum += a->p[a->sorted ? kept : a->entries[kept].id];
    kept++;
  } while (kept < a->size && !(sum >= p && kept >= min_keep));
  a->w->by_rounding |= p > 0 && (is_close(sum, p) || is_close(before, p));
  if (smpi_trace_asks(a->w, SMP_SET_TOP_P)) trace_top_p(a, kept, p, sum);
  if (a->sorted)
    a->size = kept;
  else
    take(a, kept, 1);
}

/* At or above the limit; at least min_keep, and one. */
static void keep_from(array *a, float least, size_t kept, size_t min_keep) {
  if (a->sorted || kept == 0 || kept < min_keep) {
    sort(a, a->size);
    const size_t wanted = min_keep < a->size ? min_keep : a->size;
    if (kept < wanted) kept = wanted;
    a->size = kept ? kept : 1;
    return;
  }
  for (size_t i = 0, j = 0; i < a->size; i++)
    if (a->logit[i] >= least) a->entries[j++].id = (uint32_t)i;
  take(a, kept, 0);
}

void smpi_llama_min_p(array *a, const smp_sampler *s) {
  const float p = (float)s->number[0];
  const size_t min_keep = (size_t)s->number[1];
  if (p <= 0) return;
  const float max = max_of(a), least = max + log_of(p);
  const float size = size_of(max) > size_of(least) ? size_of(max) : size_of(least);
  size_t kept = 0;
  for (size_t i = 0; i < a->size; i++) {
    kept += a->logit[i] >= least;
    a->w->by_rounding |= a->logit[i] < max && is_close_at(a->logit[i], least, size);
  }
  const int traced = smpi_trace_asks(a->w, SMP_SET_MIN_P);
  if (traced) smpi_trace_start(a->w, SMP_COMPARED_LOGIT);
  if (traced) smpi_trace_limit(a->w, least, size);
  if (traced) trace_logits(a, least, size, 0);
  keep_from(a, least, kept, min_keep);
  if (traced) trace_logits(a, least, size, 1);
}

/* An entry whose probability underflowed makes the entropy NaN, and all scores with it: then no score is less than
   another, and the sort does with them what it does with equal ones. */
void smpi_llama_typical(array *a, const smp_sampler *s) {
  const float p = (float)s->number[0];
  const size_t min_keep = (size_t)s->number[1];
  if (p >= 1) return;
  sorted_softmax(a);
  float entropy = 0, sum = 0;
  for (size_t i = 0; i < a->size; i++) entropy += -a->p[i] * log_of(a->p[i]);
  for (size_t i = 0; i < a->size; i++) a->entries[i] = (sort_entry){size_of(-log_of(a->p[i]) - entropy), (uint32_t)i};
  smpi_std_sort(a->entries, a->size);
  size_t kept = 0;
  while (kept < a->size) {
    sum += a->p[a->entries[kept++].id];
    if (sum > p && kept >= min_keep) break;
  }
  take(a, kept, 0);
}

void smpi_llama_top_n_sigma(array *a, const smp_sampler *s) {
  const float n = (float)s->number[0];
  if (n <= 0) return;
  const float max = max_of(a);
  float sum = 0, squares = 0;
  size_t live = 0;
  for (size_t i = 0; i < a->size; i++) {
    if (a->logit[i] == SMP_REMOVED) continue;
    sum += a->logit[i];
    live++;
  }
  const float mean = sum / (float)live;
  for (size_t i = 0; i < a->size; i++) {
    const double off = (double)(a->logit[i] - mean);
    if (a->logit[i] != SMP_REMOVED) squares = (float)((double)squares + off * off);
  }
  const float least = max - n * (float)__builtin_sqrt((double)(squares / (float)live));
  for (size_t i = 0; i < a->size; i++)
    if (a->logit[i] < least) a->logit[i] = SMP_REMOVED;
}

/* libstdc++'s std::uniform_real_distribution<float>: one word. */
static float uniform_24(smp_rng *rng) {
  const float u = (float)smp_rng_next(rng) * 0x1p-32f;
  return u < 1 ? u : 0x1.fffffep-1f;
}

void smpi_llama_xtc(array *a, const smp_sampler *s) {
  const float probability = (float)s->number[0], threshold = (float)s->number[1];
  const size_t min_keep = (size_t)s->number[2];
  if (probability <= 0 || threshold > 0.5f || a->size < 2) return;
  if (uniform_24(s->rng) > probability) return;
  sorted_softmax(a);
  size_t top = 0;
  while (top < a->size && a->p[top] >= threshold) top++;
  if (top < 2 || a->size - (top - 1) < min_keep) return;
  a->size -= top - 1;
  memmove(a->id, a->id + top - 1, a->size * sizeof *a->id);
  memmove(a->p, a->p + top - 1, a->size * sizeof *a->p);
  memmove(a->logit, a->logit + top - 1, a->size * sizeof *a->logit);
}

void smpi_llama_greedy(array *a, const smp_sampler *s) {
  (void)s;
  a->entries[0].id = (uint32_t)argmax_of(a->logit, a->size);
  take(a, 1, a->sorted);
}

/* Drawing follows in any case. */
void smpi_llama_dist(array *a, const smp_sampler *s) {
  (void)a;
  (void)s;
}

/* ---- Changes of logits ------------------------------------------------------------------------------------------- */

static void divide(array *a, float t) {
  const size_t first = argmax_of(a->logit, a->size);
  for (size_t i = 0; i < a->size; i++) {
    if (!(t <= 0))
      a->logit[i] /= t;
    else if (i != first)
      a->logit[i] = SMP_REMOVED;
  }
}

void smpi_llama_temp(array *a, const smp_sampler *s) {
  divide(a, (float)s->number[0]);
}

/* powf: one rounding of a product that is a hundred times more exact. */
static float power(float x, float y) {
  return y == 0 ? 1 : (float)smp_exp((double)y * smp_log((double)x));
}

void smpi_llama_temp_ext(array *a, const smp_sampler *s) {
  const float t = (float)s->number[0], delta = (float)s->number[1], exponent = (float)s->number[2];
  if (delta <= 0) {
    divide(a, t);
    return;
  }
  if (a->size <= 1) return;
  const float low = t - delta > 0 ? t - delta : 0, high = t + delta;
  const float max_entropy = -log_of(1 / (float)a->size);
  float entropy = 0;
  sorted_softmax(a);
  for (size_t i = 0; i < a->size; i++)
    if (a->p[i] > 0) entropy -= a->p[i] * log_of(a->p[i]);
  divide(a, low + (high - low) * power(entropy / max_entropy, exponent));

  double sum = 0;
  for (size_t i = 0; i < a->size; i++) {
    const double e = smp_exp((double)a->logit[i] - (double)a->logit[0]);
    a->p[i] = (float)e;
    sum += e;
  }
  for (size_t i = 0; i < a->size; i++) a->p[i] = (float)((double)a->p[i] / sum);
}

size_t smpi_llama_window(const smp_engine_call *call, double last_n) {
  if (last_n <= 0) return 0;
  return last_n > (double)call->n_context ? call->n_context : (size_t)last_n;
}

void smpi_llama_penalties(array *a, const smp_sampler *s) {
  const smp_engine_call *call = a->w->call;
  const float repeat = (float)s->number[1], freq = (float)s->number[2], present = (float)s->number[3];
  if (s->number[0] <= 0 || (repeat == 1 && freq == 0 && present == 0)) return;
  const size_t window = smpi_llama_window(call, s->number[0]);
  for (size_t i = 0; i < a->w->n; i++) a->entries[i].id = 0;
  for (size_t j = 1; j <= window; j++) a->entries[call->context[call->n_context - j]].id++;
  for (size_t i = 0; i < a->size; i++) {
    const uint32_t count = a->entries[a->id[i]].id;
    if (count == 0) continue;
    const float x = a->logit[i] <= 0 ? a->logit[i] * repeat : a->logit[i] / repeat;
    a->logit[i] = x - ((float)count * freq + present);
  }
  a->sorted = 0;
}

/* std::pow of a float and an int is that of doubles; where the power is a double, this is it. */
static double whole_power(double base, uint32_t exponent) {
  double result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

/* From the end of the window backwards, last[-1 - j] is the j-th id. How many of the ids before the k-th equal those at
   the end, `limit` at most. */
static size_t repeated(const uint32_t *last, size_t window, size_t k, size_t limit) {
  size_t length = 0;
  while (length < limit && k + length < window && *(last - 1 - length) == *(last - 1 - k - length)) length++;
  return length;
}

/* entries[id].id: the longest repetition that the id would carry on, plus 1; entries[id].key: 1 for breakers. */
void smpi_llama_dry(array *a, const smp_sampler *s) {
  const smp_engine_call *call = a->w->call;
  const float multiplier = (float)s->number[0], base = (float)s->number[1];
  const size_t allowed = (size_t)s->number[2], window = smpi_llama_window(call, s->number[3]);
  if (multiplier == 0 || base < 1 || window <= allowed) return;
  for (size_t i = 0; i < a->w->n; i++) a->entries[i] = (sort_entry){0, 0};
  for (size_t i = 0; i < s->n_ids; i++) a->entries[s->ids[i]].key = 1;

  const uint32_t *last = call->context + call->n_context;
  size_t limit = 0;
  while (limit < window && a->entries[*(last - 1 - limit)].key == 0) limit++;
  if (limit < allowed) return;
  for (size_t k = 1; k < window; k++) {
    const size_t length = repeated(last, window, k, limit);
    sort_entry *next = &a->entries[*(last - k)];
    if (length >= allowed && next->id <= length) next->id = (uint32_t)length + 1;
  }

  const size_t most = base > GROWING_BASE ? (size_t)(FLOAT_MAX_LOG / log_of(base)) : 0;
  for (size_t i = 0; i < a->size; i++) {
    const sort_entry next = a->entries[a->id[i]];
    if (next.id == 0 || next.key != 0) continue;
    size_t exponent = next.id - 1 - allowed;
    if (most > 0 && exponent > most) exponent = most;
    a->logit[i] -= (float)((double)multiplier * whole_power((double)base, (uint32_t)exponent));
  }
  a->sorted = 0;
}
