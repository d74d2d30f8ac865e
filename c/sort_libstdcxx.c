/* Sorting as GNU libstdc++ does it (bits/stl_algo.h, bits/stl_heap.h): torch and llama.cpp sort with it, it is not
   stable, and what it does with equal keys decides which of them survive a cut and in which order they are drawn. So
   every comparison and every move is made in its order. */
#include "sort.h"

enum { SMALL = 16 }; /* parts up to this size are left to the insertion sort (stl_algo.h, _S_threshold) */

static int less(sort_entry a, sort_entry b) {
  return a.key < b.key;
}

/* Rounds of partitioning before it falls back on a heap. */
static int depth_of(size_t n) {
  int depth = 0;
  while (n >>= 1) depth += 2;
  return depth;
}

/* ---- Heaps: the largest entry on top ---------------------------------------------------------------------------- */

/* Put a value into the hole: down to a leaf along the larger children, then up again, not above where it began. */
static void adjust(sort_entry *heap, size_t hole, size_t n, sort_entry value) {
  const size_t top = hole;
  size_t child = hole;
  while (child < (n - 1) / 2) {
    child = 2 * (child + 1);
    if (less(heap[child], heap[child - 1])) child--;
    heap[hole] = heap[child];
    hole = child;
  }
  if (n % 2 == 0 && child == (n - 2) / 2) {
    child = 2 * child + 1;
    heap[hole] = heap[child];
    hole = child;
  }
  for (size_t parent; hole > top && less(heap[parent = (hole - 1) / 2], value); hole = parent)
    heap[hole] = heap[parent];
  heap[hole] = value;
}

/* The top changes places with an entry outside the heap. */
static void pop(sort_entry *heap, size_t n, sort_entry *out) {
  sort_entry value = *out;
  *out = heap[0];
  adjust(heap, 0, n, value);
}

/* The `middle` smallest of n as a heap in front. */
static void heap_select(sort_entry *entries, size_t middle, size_t n) {
  for (size_t parent = middle / 2; parent-- > 0;) adjust(entries, parent, middle, entries[parent]);
  for (size_t i = middle; i < n; i++)
    if (less(entries[i], entries[0])) pop(entries, middle, &entries[i]);
}

void smpi_std_partial_sort(sort_entry *entries, size_t middle, size_t n) {
  if (middle == 0) return;
  heap_select(entries, middle, n);
  while (middle > 1) {
    middle--;
    pop(entries, middle, &entries[middle]);
  }
}

/* ---- Partitions -------------------------------------------------------------------------------------------------- */

/* The median of the second, the middle and the last goes to the front and is the pivot; returns where the upper part
   starts. */
static size_t partition(sort_entry *e, size_t n) {
  sort_entry *a = e + 1, *b = e + n / 2, *c = e + n - 1;
  if (less(*a, *b))
    sort_swap(e, less(*b, *c) ? b : less(*a, *c) ? c : a);
  else
    sort_swap(e, less(*a, *c) ? a : less(*b, *c) ? c : b);
  size_t low = 1, high = n;
  for (;; low++) {
    while (less(e[low], e[0])) low++;
    do high--;
    while (less(e[0], e[high]));
    if (low >= high) return low;
    sort_swap(&e[low], &e[high]);
  }
}

/* Move the entry at `at` down to its place; `guarded` if there may be none that stops it. */
static void insert(sort_entry *e, size_t at, int guarded) {
  sort_entry value = e[at];
  if (guarded && less(value, e[0])) {
    memmove(e + 1, e, at * sizeof *e);
    e[0] = value;
    return;
  }
  for (; less(value, e[at - 1]); at--) e[at] = e[at - 1];
  e[at] = value;
}

static void insertion_sort(sort_entry *e, size_t n) {
  for (size_t i = 1; i < n; i++) insert(e, i, 1);
}

/* Parts larger than SMALL, the upper one first. */
static void sort_parts(sort_entry *e, size_t n, int depth) {
  while (n > SMALL) {
    if (depth-- == 0) {
      smpi_std_partial_sort(e, n, n);
      return;
    }
    size_t cut = partition(e, n);
    sort_parts(e + cut, n - cut, depth);
    n = cut;
  }
}

void smpi_std_sort(sort_entry *entries, size_t n) {
  sort_parts(entries, n, depth_of(n));
  insertion_sort(entries, n < SMALL ? n : SMALL);
  for (size_t i = SMALL; i < n; i++) insert(entries, i, 0);
}

void smpi_std_nth_element(sort_entry *entries, size_t nth, size_t n) {
  size_t from = 0;
  for (int depth = depth_of(n); n - from > 3;) {
    if (depth-- == 0) {
      heap_select(entries + from, nth + 1 - from, n - from);
      sort_swap(&entries[from], &entries[nth]);
      return;
    }
    size_t cut = from + partition(entries + from, n - from);
    if (cut <= nth)
      from = cut;
    else
      n = cut;
  }
  insertion_sort(entries + from, n - from);
}

void smpi_torch_topk(sort_entry *entries, size_t k, size_t n) {
  if (64 * k <= n) { /* TopKImpl.h: partial_sort where k * 64 <= n */
    smpi_std_partial_sort(entries, k, n);
    return;
  }
  smpi_std_nth_element(entries, k - 1, n);
  smpi_std_sort(entries, k - 1);
}
