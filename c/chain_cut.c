/* Where a cumulative sum over entries in ascending order crosses a limit, without sorting them: counts and sums in
   buckets of keys tell in which bucket, which is then divided again. */
#include "chain.h"
#include "lanes.h"

enum { BAND = 64 };       /* this many entries are sorted by insertion */
enum { FEW_KEYS = 4096 }; /* below it an eighth of the buckets: clearing them all would cost more than another turn */

static inline double mass_at(const chain_cut_search *s, size_t i) {
  if (s->exact) return smp_exp((double)s->exact[i] - s->max) / s->sum;
  float p = s->weight[i] * s->share;
  return (double)p;
}

/* A sum as it is compared with the limit. */
static double compared(const chain_cut_search *s, double sum) {
  return s->exact ? sum : (double)(float)sum;
}

static double nearest(const chain_cut_search *s, double before, double next) {
  double below = s->limit - compared(s, before), above = compared(s, next) - s->limit;
  if (below < 0) below = -below;
  if (above < 0) above = -above;
  return below < above ? below : above;
}

/* The bucket in which the cumulative sum from `below` on first exceeds the limit, or the last that is not empty;
   `below` becomes the sum before it. */
static uint32_t crossing(const chain_cut_search *s, uint32_t used, double *below) {
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

static void clear(const chain_cut_search *s, uint32_t used) {
  memset(s->mass, 0, used * sizeof *s->mass);
  memset(s->filled, 0, used * sizeof *s->filled);
}

/* Narrow [low, high] to the bucket that holds the cut; returns how many entries it holds. */
static uint32_t narrow(const chain_cut_search *search, uint32_t *low, uint32_t *high, double *below) {
  const chain_cut_search s = *search; /* ours, so that no store can change it */
  const uint32_t first = *low, range = *high - first;
  uint32_t shift = 0;
  while (range >> shift >= (s.n < FEW_KEYS ? CHAIN_BUCKETS / 8 : CHAIN_BUCKETS)) shift++;
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

/* The buckets, all of one width, of four keys: larger keys, larger buckets. Adding 2^23 rounds to a whole number. */
static inline lanes_bits buckets_of(lanes key, lanes least, lanes scale) {
  const lanes magic = lanes_all(0x1p23f);
  return (lanes_bits)((key - least) * scale + magic) - (lanes_bits)magic;
}

/* The first turn with buckets of one width in the key: whole groups of four, then the rest. 0 if the keys are all the
   same or span too much; nothing was written then. */
static int narrow_evenly(const chain_cut_search *search, uint32_t *low, uint32_t *high, double *below, size_t *left) {
  const chain_cut_search s = *search;
  const size_t whole = s.n / 4 * 4;
  float rest[4] = {s.key[0], s.key[0], s.key[0], s.key[0]};
  memcpy(rest, s.key + whole, (s.n - whole) * sizeof *rest);
  lanes least = lanes_load(rest), largest = least;
  for (size_t i = 0; i < whole; i += 4) {
    least = lanes_min(lanes_load(s.key + i), least);
    largest = lanes_max(lanes_load(s.key + i), largest);
  }
  least = lanes_all(lanes_smallest(least));
  const lanes scale = lanes_all(CHAIN_BUCKETS - 1) / (lanes_all(lanes_largest(largest)) - least);
  if (!(scale[0] > 0 && scale[0] < (float)SMP_INF)) return 0;

  clear(&s, CHAIN_BUCKETS);
  for (size_t at = 0; at < s.n; at += 4) {
    const lanes_bits bucket = buckets_of(lanes_load(at < whole ? s.key + at : rest), least, scale);
    LANES_UNROLL
    for (size_t j = 0; j < 4; j++) {
      if (at + j >= s.n) break;
      s.mass[bucket[j]] += mass_at(&s, at + j);
      s.filled[bucket[j]]++;
    }
  }
  const uint32_t found = crossing(&s, CHAIN_BUCKETS, below);
  const lanes_bits wanted = {found, found, found, found};
  *low = UINT32_MAX;
  *high = 0;
  for (size_t at = 0; at < s.n; at += 4) {
    const lanes key = lanes_load(at < whole ? s.key + at : rest);
    const lanes_bits here = (lanes_bits)(buckets_of(key, least, scale) == wanted);
    if (!lanes_any(here)) continue;
    for (size_t j = 0; j < 4; j++) {
      if (!here[j]) continue; /* the padding of the rest repeats an entry */
      uint32_t rank = rank_of(key[j]);
      if (rank < *low) *low = rank;
      if (rank > *high) *high = rank;
    }
  }
  *left = s.filled[found];
  return 1;
}

/* The entries of [low, high] in ascending order, packed as rank and place; there are at most BAND. */
static uint32_t sorted_band(const chain_cut_search *s, uint32_t low, uint32_t high, uint64_t band[BAND]) {
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

static chain_cut walk_band(const chain_cut_search *s, const uint64_t *band, uint32_t m, double below) {
  chain_cut c = {.distance = SMP_INF};
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
static chain_cut walk_equals(const chain_cut_search *s, uint32_t rank, double below) {
  chain_cut c = {.distance = SMP_INF};
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
  if (!found) c.before--; /* the cut is at the last one */
  c.distance = nearest(s, before, next);
  return c;
}

static void all_ranks(const chain_cut_search *s, uint32_t *low, uint32_t *high) {
  *low = UINT32_MAX;
  *high = 0;
  for (size_t i = 0; i < s->n; i++) {
    uint32_t rank = rank_of(s->key[i]);
    if (rank < *low) *low = rank;
    if (rank > *high) *high = rank;
  }
}

/* Linear: each turn leaves one bucket of 128 or 1024, so that after five turns all keys are equal. */
chain_cut smpi_chain_cut_find(const chain_cut_search *s) {
  uint32_t low = 0, high = UINT32_MAX;
  size_t left = s->n;
  double below = s->base;
  if (s->n == 0) return (chain_cut){.distance = SMP_INF};
  if (left > BAND && !(s->even && narrow_evenly(s, &low, &high, &below, &left))) all_ranks(s, &low, &high);
  while (left > BAND && low < high) left = narrow(s, &low, &high, &below);
  if (left > BAND) return walk_equals(s, low, below);
  uint64_t band[BAND];
  return walk_band(s, band, sorted_band(s, low, high, band), below);
}
