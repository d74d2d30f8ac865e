/* No repeated n-grams: bans every id that would complete one that the context already holds. */
#include "chain.h"

static void ban(chain_run *run, uint32_t id) {
  const size_t place = smpi_chain_place_of(run, id);
  if (place != SIZE_MAX) smpi_chain_change(run, place, SMP_REMOVED);
}

/* Where the largest suffix of m ids starts, ids ordered by < or, if turned, by >; and its period. */
static size_t largest_suffix(const uint32_t *ids, size_t m, int turned, size_t *period) {
  size_t start = 0, other = 1, same = 0; /* how many ids of a later suffix are known to equal those of the largest */
  *period = 1;
  while (other + same < m) {
    const uint32_t a = ids[other + same], b = ids[start + same];
    if (a == b) {
      same++;
      if (same < *period) continue;
      other += *period;
    } else if ((a < b) != turned) {
      other += same + 1;
      *period = other - start;
    } else {
      start = other++;
      *period = 1;
    }
    same = 0;
  }
  return start;
}

/* Bans what followed the last `m` ids of the context, m >= 1, wherever they stand before its end. Linear and without a
   table: Crochemore and Perrin, Two-way string-matching (JACM 1991). The ids are compared from a cut on rightwards,
   then before it; a mismatch on the right moves on past it, any other end by a period, behind which `known` ids need no
   second look. */
static void ban_followers(chain_run *run, size_t m, const uint32_t *context, size_t n) {
  const uint32_t *last = context + n - m;
  size_t period, other_period;
  size_t cut = largest_suffix(last, m, 0, &period), other = largest_suffix(last, m, 1, &other_period);
  if (other > cut) cut = other, period = other_period;
  const int periodic = memcmp(last, last + period, cut * sizeof *last) == 0;
  if (!periodic) period = (cut > m - cut ? cut : m - cut) + 1;
  for (size_t at = 0, known = 0; at + m < n;) {
    size_t i = cut > known ? cut : known;
    while (i < m && last[i] == context[at + i]) i++;
    if (i < m) {
      at += i - cut + 1;
      known = 0;
      continue;
    }
    for (i = cut; i > known && last[i - 1] == context[at + i - 1];) i--;
    if (i <= known) ban(run, context[at + m]);
    at += period;
    known = periodic ? m - period : 0;
  }
}

int smpi_no_repeat_ngram(chain_run *run, const smp_step *step, const smp_chain *chain) {
  const uint32_t *context = chain->context;
  const size_t length = step->count, n = chain->n_context;
  smpi_chain_own(run);
  if (length == 1)
    for (size_t i = 0; i < n; i++) ban(run, context[i]);
  else if (n >= length)
    ban_followers(run, length - 1, context, n);
  smpi_chain_settle(run);
  return run->n_live > 0;
}
