/* Where a running sum over entries in rising order crosses a limit, without sorting them: counts and sums in buckets of
   keys say in which bucket, and that one is looked at more closely. */
#include "impl.h"
#include "lanes.h"

enum { BAND = 64 }; /* entries that are few enough to be sorted by insertion */

static inline double mass_at(const smp_cut_search *s, size_t i) {
  if (s->exact) return smp_exp((double)s->exact[i] - s->max) / s->sum;
  float p = s->weight[i] * s->share;
  return (double)p;
}

/* A sum as it is compared with the limit. */
static double compared(const smp_cut_search *s, double sum) {
  return s->exact ? sum : (double)(float)sum;
}

static double nearest(const smp_cut_search *s, double before, double next) {
  double below = s->limit - compared(s, before), above = compared(s, next) - s->limit;
  if (below < 0) below = -below;
  if (above < 0) above = -above;
  return below < above ? below : above;
}

/* The bucket in which the running sum from `below` on first exceeds the limit, or the last that is not empty; `below`
   becomes the sum before it. */
static uint32_t crossing(const smp_cut_search *s, uint32_t used, double *below) {
  uint32_t found = 0;
  double before = *below, next = *below;
  for (uint32_t b = 0; b < used; b++) {
    if (s->filled[b] == 0) continue;
    found = b;
    before = next;
    next += s->mass[b];
    if (compared(s, next) > s->limit) break;
  }
  *below = before;
  return found;
}

static void clear(const smp_cut_search *s, uint32_t used) {
  memset(s->mass, 0, used * sizeof *s->mass);
  memset(s->filled, 0, used * sizeof *s->filled);
}

/* Narrow [low, high] to the bucket that holds the cut; returns how many entries it holds. */
static uint32_t narrow(const smp_cut_search *search, uint32_t *low, uint32_t *high, double *below) {
  const smp_cut_search s = *search; /* ours, so that no store can change it */
  const uint32_t first = *low, range = *high - first;
  uint32_t shift = 0;
  while (range >> shift >= (s.n < 4096 ? SMP_BUCKETS / 8 : SMP_BUCKETS))
    shift++; /* few entries, few buckets to clear */
  const uint32_t used = (range >> shift) + 1;
  clear(&s, used);
  for (size_t i = 0; i < s.n; i++) {
    uint32_t offset = rank_of(s.key[i]) - first;
    if (offset > range) continue;
    s.mass[offset >> shift] += mass_at(&s, i);
    s.filled[offset >> shift]++;
  }
  const uint32_t found = crossing(&s, used, below);
  *low += found << shift;
  if ((*high - *low) >> shift) *high = *low + ((1u << shift) - 1);
  return s.filled[found];
}

/* Of four keys, the buckets of one width: rising keys, rising buckets. Adding 2^23 rounds to a whole number. */
static inline lanes_bits buckets_of(lanes key, lanes least, lanes scale) {
  const lanes magic = lanes_all(0x1p23f);
  return (lanes_bits)((key - least) * scale + magic) - (lanes_bits)magic;
}

/* The first turn with buckets of one width in the key, where that many are worth it: whole groups of four, then the rest.
   0 if the keys are all the same or span too much; nothing was written then. */
static int narrow_evenly(const smp_cut_search *search, uint32_t *low, uint32_t *high, double *below, size_t *left) {
  const smp_cut_search s = *search;
  const size_t whole = s.n / 4 * 4;
  float rest[4] = {s.key[0], s.key[0], s.key[0], s.key[0]};
  memcpy(rest, s.key + whole, (s.n - whole) * sizeof *rest);
  lanes least = lanes_load(rest), greatest = least;
  for (size_t i = 0; i < whole; i += 4) {
    least = lanes_min(lanes_load(s.key + i), least);
    greatest = lanes_max(lanes_load(s.key + i), greatest);
  }
  least = lanes_all(lanes_least(least));
  const lanes scale = lanes_all(SMP_BUCKETS - 1) / (lanes_all(lanes_greatest(greatest)) - least);
  if (!(scale[0] > 0 && scale[0] < (float)SMP_INF)) return 0;

  clear(&s, SMP_BUCKETS);
  for (size_t at = 0; at < s.n; at += 4) {
    const lanes_bits bucket = buckets_of(lanes_load(at < whole ? s.key + at : rest), least, scale);
    LANES_UNROLL
    for (size_t j = 0; j < 4; j++) {
      if (at + j >= s.n) break;
      s.mass[bucket[j]] += mass_at(&s, at + j);
      s.filled[bucket[j]]++;
    }
  }
  const uint32_t found = crossing(&s, SMP_BUCKETS, below);
  const lanes_bits wanted = {found, found, found, found};
  *low = UINT32_MAX;
  *high = 0;
  for (size_t at = 0; at < s.n; at += 4) {
    const lanes key = lanes_load(at < whole ? s.key + at : rest);
    const lanes_bits here = (lanes_bits)(buckets_of(key, least, scale) == wanted);
    if (!lanes_any(here)) continue;
    for (size_t j = 0; j < 4; j++) {
      if (!here[j]) continue; /* what fills up the rest is an entry too */
      uint32_t rank = rank_of(key[j]);
      if (rank < *low) *low = rank;
      if (rank > *high) *high = rank;
    }
  }
  *left = s.filled[found];
  return 1;
}

/* The entries of [low, high] in rising order, packed as rank and place; there are at most BAND. */
static uint32_t sorted_band(const smp_cut_search *s, uint32_t low, uint32_t high, uint64_t band[BAND]) {
  uint32_t m = 0;
  for (size_t i = 0; i < s->n; i++) {
    uint32_t rank = rank_of(s->key[i]);
    if (rank - low > high - low) continue;
    uint64_t entry = (uint64_t)rank << 32 | i;
    uint32_t at = m++;
    for (; at > 0 && band[at - 1] > entry; at--) band[at] = band[at - 1];
    band[at] = entry;
  }
  return m;
}

static smp_cut walk_band(const smp_cut_search *s, const uint64_t *band, uint32_t m, double below) {
  smp_cut c = {.distance = SMP_INF};
  uint32_t at = 0, first = 0, end;
  double before = below, next = below;
  for (;; at++) {
    if (at > 0 && band[at] >> 32 != band[at - 1] >> 32) first = at;
    before = next;
    next += mass_at(s, (uint32_t)band[at]);
    if (compared(s, next) > s->limit || at + 1 == m) break;
  }
  for (end = at + 1; end < m && band[end] >> 32 == band[at] >> 32;) end++;
  c.place = (uint32_t)band[at];
  c.key = s->key[c.place];
  c.before = at - first;
  c.equal = end - first;
  c.distance = nearest(s, before, next);
  return c;
}

/* All entries left have one key. */
static smp_cut walk_equals(const smp_cut_search *s, uint32_t rank, double below) {
  smp_cut c = {.distance = SMP_INF};
  double before = below, next = below;
  int found = 0;
  for (size_t i = 0; i < s->n; i++) {
    if (rank_of(s->key[i]) != rank) continue;
    c.place = i;
    c.key = s->key[i];
    c.equal++;
    if (found) continue;
    before = next;
    next += mass_at(s, i);
    found = compared(s, next) > s->limit;
    if (!found) c.before++;
  }
  if (!found) c.before--; /* the last one is where the sum ends */
  c.distance = nearest(s, before, next);
  return c;
}

static void all_ranks(const smp_cut_search *s, uint32_t *low, uint32_t *high) {
  *low = UINT32_MAX;
  *high = 0;
  for (size_t i = 0; i < s->n; i++) {
    uint32_t rank = rank_of(s->key[i]);
    if (rank < *low) *low = rank;
    if (rank > *high) *high = rank;
  }
}

/* Linear: each turn leaves one bucket of 128 or 1024, so that after five turns all keys are equal. */
smp_cut smp_cut_find(const smp_cut_search *s) {
  uint32_t low = 0, high = UINT32_MAX;
  size_t left = s->n;
  double below = s->base;
  if (s->n == 0) return (smp_cut){.distance = SMP_INF};
  if (left > BAND && !(s->even && narrow_evenly(s, &low, &high, &below, &left))) all_ranks(s, &low, &high);
  while (left > BAND && low < high) left = narrow(s, &low, &high, &below);
  if (left > BAND) return walk_equals(s, low, below);
  uint64_t band[BAND];
  return walk_band(s, band, sorted_band(s, low, high, band), below);
}
