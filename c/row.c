/* Rows: check and pad, divide by a temperature. */
#include "row.h"
#include "lanes.h"

size_t smp_row_capacity(size_t n) {
  if (n > SMP_ROW_MAX) return 0;
  return blocks_of(n) * SMP_ROW_BLOCK;
}

/* The first entry that is NaN or +inf; there is one. */
static smp_status fail_at_first(const float *row, smp_where *where) {
  uint32_t i = 0;
  while (row[i] < (float)SMP_INF) i++;
  return smpi_fail(row[i] != row[i] ? SMP_ERR_NAN : SMP_ERR_INF, SMP_AT_ROW, i, where);
}

static uint32_t first_equal(const float *row, size_t n, float max) {
  float copy[SMP_ROW_BLOCK];
  size_t at = 0;
  for (;; at += SMP_ROW_BLOCK) {
    const float *block = block_at(row, n, at, copy);
    lanes_bits found = {0};
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) found |= lanes_equal(lanes_load(block + i), lanes_all(max));
    if (lanes_any(found)) break;
  }
  while (row[at] != max) at++;
  return (uint32_t)at;
}

smp_status smpi_row_check_length(size_t n, smp_where *where) {
  if (n == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  return n > SMP_ROW_MAX ? smpi_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where) : SMP_OK;
}

smp_status smpi_row_check(const float *row, size_t n, float *max, uint32_t *id, smp_where *where) {
  smp_status status = smpi_row_check_length(n, where);
  if (status) return status;

  const lanes infinite = lanes_all((float)SMP_INF);
  lanes largest = lanes_all(SMP_REMOVED);
  lanes_bits legal = ~(lanes_bits){0};
  float copy[SMP_ROW_BLOCK];
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    const float *block = block_at(row, n, at, copy);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      lanes x = lanes_load(block + i);
      legal &= lanes_less(x, infinite); /* false for NaN too */
      largest = lanes_max(x, largest);
    }
  }
  if (lanes_any(~legal)) return fail_at_first(row, where);
  float found = lanes_largest(largest);
  if (found == SMP_REMOVED) return smpi_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);

  uint32_t first = first_equal(row, n, found);
  if (max) *max = row[first]; /* not `found`: of -0 and +0, the one in the row */
  if (id) *id = first;
  return SMP_OK;
}

static void pad(float *row, size_t n) {
  for (size_t i = n; i < smp_row_capacity(n); i++) row[i] = SMP_REMOVED;
}

smp_status smp_row_scan(float *row, size_t n, float *max, uint32_t *id, smp_where *where) {
  smp_status status = smpi_row_check(row, n, max, id, where);
  if (status == SMP_OK) pad(row, n);
  return status;
}

smp_status smp_row_temperature(float *row, size_t n, float tau, smp_where *where) {
  float max;
  smp_status status = smpi_row_check(row, n, &max, NULL, where);
  if (status) return status;
  if (!(tau > 0 && tau < (float)SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0, where);
  float largest = max / tau;
  if (largest == (float)SMP_INF || largest == SMP_REMOVED)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0, where);

  pad(row, n);
  for (size_t i = 0; i < smp_row_capacity(n); i += 4) lanes_store(row + i, lanes_load(row + i) / lanes_all(tau));
  return SMP_OK;
}
