/* Rust 1.95, core::slice::sort: select_nth_unstable_by, move by move: candle's top-k selects with it, and the order in
   which it leaves the candidates is the order in which they are drawn. */
#include "sort.h"

enum { SMALL = 16, ROUNDS = 16 }; /* parts that are sorted; partitions before the pivot is chosen with care */

/* The places are eighths of parts of 8 `eighth` entries: from 64 entries on, each is first replaced by the median of
   its own three. */
static size_t pseudo_median(const sort_entry *e, size_t a, size_t b, size_t c, size_t eighth) {
  if (eighth >= 8) {
    const size_t part = eighth / 8;
    a = pseudo_median(e, a, a + 4 * part, a + 7 * part, part);
    b = pseudo_median(e, b, b + 4 * part, b + 7 * part, part);
    c = pseudo_median(e, c, c + 4 * part, c + 7 * part, part);
  }
  const int below_b = e[a].key < e[b].key;
  if (below_b != (e[a].key < e[c].key)) return a;
  return (e[b].key < e[c].key) == below_b ? b : c;
}

static size_t pivot_of(const sort_entry *e, size_t n) {
  const size_t eighth = n / 8;
  return pseudo_median(e, 0, 4 * eighth, 7 * eighth, eighth);
}

/* Lomuto's partition without branches, moving in cycles: the first entry is held aside and comes last. What goes below
   the pivot is less than it, or not greater than it. Returns the pivot's new place. */
static size_t partition(sort_entry *e, size_t n, size_t pivot, int not_greater) {
  sort_swap(&e[0], &e[pivot]);
  const sort_entry held = e[1];
  size_t below = 1, gap = 1;
  for (size_t i = 2; i <= n; i++) {
    sort_entry x = i < n ? e[i] : held;
    e[gap] = e[below];
    e[below] = x;
    gap = i;
    below += not_greater ? !(e[0].key < x.key) : x.key < e[0].key;
  }
  sort_swap(&e[0], &e[below - 1]);
  return below - 1;
}

static void largest_to_end(sort_entry *e, size_t n) {
  size_t at = 0;
  for (size_t i = 1; i < n; i++)
    if (e[at].key < e[i].key) at = i;
  sort_swap(&e[at], &e[n - 1]);
}

static void smallest_to_front(sort_entry *e, size_t n) {
  size_t at = 0;
  for (size_t i = 1; i < n; i++)
    if (e[i].key < e[at].key) at = i;
  sort_swap(&e[at], &e[0]);
}

/* The median of three places as the last resort takes it: among equals another than above. */
static size_t median_of(const sort_entry *e, size_t a, size_t b, size_t c) {
  const int turned = e[c].key < e[a].key;
  const size_t low = turned ? c : a, high = turned ? a : c;
  if (e[high].key < e[b].key) return high;
  return e[b].key < e[low].key ? low : b;
}

/* Brings the median of three medians of three to `at`: those around left, left + 1, left + 2. */
static void ninther(sort_entry *e, size_t left, size_t at, size_t right, size_t apart) {
  size_t low = median_of(e, left, at - apart, right), high = median_of(e, left + 2, at + apart, right + 2);
  if (e[high].key < e[low].key) {
    size_t t = low;
    low = high;
    high = t;
  }
  const int turned = e[right + 1].key < e[left + 1].key;
  const size_t smallest = turned ? right + 1 : left + 1, largest = turned ? left + 1 : right + 1;
  size_t middle = e[at].key < e[smallest].key ? smallest : e[largest].key < e[at].key ? largest : at;
  if (e[middle].key < e[low].key)
    middle = low;
  else if (e[high].key < e[middle].key)
    middle = high;
  sort_swap(&e[middle], &e[at]);
}

static void select_with_care(sort_entry *e, size_t n, size_t nth);

/* Alexandrescu, Fast Deterministic Selection (SEA 2017): partition by the median of ninthers from across the part. */
static size_t partition_with_care(sort_entry *e, size_t n) {
  const size_t ninthers = n / (n <= 1024 ? 12 : n <= 128 * 1024 ? 64 : 1024), half = ninthers / 2;
  const size_t from = n / 2 - half, to = from + ninthers, gap = (n - 9 * ninthers) / 4;
  size_t left = from - 4 * ninthers - gap, right = to + gap;
  for (size_t at = from; at < to; at++, left += 3, right += 3) ninther(e, left, at, right, ninthers);
  select_with_care(e + from, ninthers, half);
  return partition(e, n, from + half, 0);
}

static void select_with_care(sort_entry *e, size_t n, size_t nth) {
  while (n > SMALL) {
    if (nth == n - 1) {
      largest_to_end(e, n);
      return;
    }
    if (nth == 0) {
      smallest_to_front(e, n);
      return;
    }
    size_t mid = partition_with_care(e, n);
    if (mid == nth) return;
    if (mid > nth) {
      n = mid;
      continue;
    }
    e += mid + 1;
    n -= mid + 1;
    nth -= mid + 1;
  }
  smpi_std_sort(e, n); /* an insertion sort, as Rust's: there is one result */
}

void smpi_rust_select_nth(sort_entry *e, size_t n, size_t nth) {
  if (nth == n - 1) {
    largest_to_end(e, n);
    return;
  }
  sort_entry bound = {0};
  for (int round = 0, bounded = 0; n > SMALL && round < ROUNDS; round++) {
    const size_t pivot = pivot_of(e, n);
    const int is_bound = bounded && !(bound.key < e[pivot].key); /* an earlier pivot, and nothing here is less */
    size_t mid = partition(e, n, pivot, is_bound);
    if (mid == nth || (is_bound && mid > nth)) return;
    if (mid > nth) {
      n = mid;
      continue;
    }
    bound = e[mid];
    bounded = !is_bound;
    e += mid + 1;
    n -= mid + 1;
    nth -= mid + 1;
  }
  select_with_care(e, n, nth);
}
