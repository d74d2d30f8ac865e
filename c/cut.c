/* Where a running sum over entries in rising order crosses a limit, without sorting them: counts and sums in buckets of
   keys say in which bucket, and that one is looked at more closely. */
#include "impl.h"

enum { BAND = 64 }; /* entries that are few enough to be sorted by insertion */

/* Floats in rising order as whole numbers; -0 and +0 are the same. */
static uint32_t rank_of(float x) {
  uint32_t bits;
  x += 0.0f;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static double mass_at(const smp_cut_search *s, size_t i) {
  if (s->exact) return smp_exp((double)s->exact[i] - s->max) / s->sum;
  if (!s->weight) return 1;
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

/* Narrow [low, high] to the bucket that holds the cut; returns how many entries it holds. */
static uint32_t narrow(const smp_cut_search *s, uint32_t *low, uint32_t *high, double *below) {
  const uint32_t range = *high - *low;
  uint32_t shift = 0;
  while (range >> shift >= (s->n < 4096 ? SMP_BUCKETS / 8 : SMP_BUCKETS))
    shift++; /* few entries, few buckets to clear */
  const uint32_t used = (range >> shift) + 1;
  memset(s->mass, 0, used * sizeof *s->mass);
  memset(s->filled, 0, used * sizeof *s->filled);
  for (size_t i = 0; i < s->n; i++) {
    uint32_t offset = rank_of(s->key[i]) - *low;
    if (offset > range) continue;
    s->mass[offset >> shift] += mass_at(s, i);
    s->filled[offset >> shift]++;
  }
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
  *low += found << shift;
  if ((*high - *low) >> shift) *high = *low + ((1u << shift) - 1);
  return s->filled[found];
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
  c.key = s->key[(uint32_t)band[at]];
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

/* Linear: each turn leaves one bucket of 128 or 1024, so that after five turns all keys are equal. */
smp_cut smp_cut_find(const smp_cut_search *s) {
  uint32_t low = UINT32_MAX, high = 0;
  for (size_t i = 0; i < s->n; i++) {
    uint32_t rank = rank_of(s->key[i]);
    if (rank < low) low = rank;
    if (rank > high) high = rank;
  }
  size_t left = s->n;
  double below = s->base;
  while (left > BAND && low < high) left = narrow(s, &low, &high, &below);
  if (left > BAND) return walk_equals(s, low, below);
  uint64_t band[BAND];
  return walk_band(s, band, sorted_band(s, low, high, band), below);
}
