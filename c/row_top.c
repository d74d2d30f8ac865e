/* The largest entries of a row, sorted: a heap of m ids. */
#include "row.h"
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
    lanes largest = lanes_load(row + i);
    for (size_t j = 4; j < 16; j += 4) largest = lanes_max(largest, lanes_load(row + i + j));
    if (lanes_any(lanes_less(most, largest))) break;
  }
  while (i < n && !(row[i] > bound)) i++;
  return i;
}

smp_status smp_row_top(const float *row, size_t n, uint32_t *ids, size_t m, smp_where *where) {
  smp_status status = smpi_row_check(row, n, NULL, NULL, where);
  if (status) return status;
  if (m < 1 || m > n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_N, 0, where);

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
