/* Private: other people's sorts, emulated move by move where equal keys end up in an order of their own. */
#ifndef SMP_SORT_H
#define SMP_SORT_H

#include "exact.h"

#pragma GCC visibility push(hidden)

/* Sorted by ascending key. For descending order give negated values. */
typedef struct sort_entry {
  float key;
  uint32_t id;
} sort_entry;

static inline void sort_swap(sort_entry *a, sort_entry *b) {
  sort_entry t = *a;
  *a = *b;
  *b = t;
}

/* sort_libstdcxx.c: std::sort. */
void smpi_std_sort(sort_entry *entries, size_t n);

/* sort_libstdcxx.c: std::partial_sort: the smallest `middle` in front, sorted. 0 <= middle <= n. */
void smpi_std_partial_sort(sort_entry *entries, size_t middle, size_t n);

/* sort_libstdcxx.c: std::nth_element: the nth in its place, nothing larger before it. nth < n. */
void smpi_std_nth_element(sort_entry *entries, size_t nth, size_t n);

/* sort_libstdcxx.c: torch.topk on a CPU (aten/src/ATen/native/TopKImpl.h): the first k are sorted, the others in no
   order. 1 <= k <= n. */
void smpi_torch_topk(sort_entry *entries, size_t k, size_t n);

/* sort_rust.c: select_nth_unstable_by: the nth in its place, what is smaller before it. 0 < nth < n. */
void smpi_rust_select_nth(sort_entry *entries, size_t n, size_t nth);

/* sort_radix.c: a stable radix sort. On entry `places` holds n places of keys; on return they are in ascending order of
   their keys, equal ones in the order in which they came. spare: room for n places, of any alignment. */
void smpi_sort_places(const uint32_t *keys, uint32_t *places, void *spare, size_t n);

#pragma GCC visibility pop

#endif
