/* Passes over a row of logits that keep the order of its entries: check and pad, divide by a temperature. */
#include "impl.h"
#include "lanes.h"

size_t smp_row_capacity(size_t n) {
  if (n > SMP_ROW_MAX) return 0;
  return (n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK * SMP_ROW_BLOCK;
}

/* The block that starts at `at`; a last, shorter one as a copy padded with -inf, because the row may be const. */
static const float *block_at(const float *row, size_t n, size_t at, float copy[SMP_ROW_BLOCK]) {
  if (at + SMP_ROW_BLOCK <= n) return row + at;
  for (size_t i = 0; i < SMP_ROW_BLOCK; i++) copy[i] = at + i < n ? row[at + i] : -(float)SMP_INF;
  return copy;
}

/* The first entry that is NaN or +inf; there is one. */
static smp_status fail_at_first(const float *row, smp_where *where) {
  uint32_t i = 0;
  while (row[i] < (float)SMP_INF) i++;
  return smp_fail(row[i] != row[i] ? SMP_ERR_NAN : SMP_ERR_INF, SMP_AT_ROW, i, where);
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

smp_status smp_row_check(const float *row, size_t n, float *max, uint32_t *id, smp_where *where) {
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);

  const lanes infinite = lanes_all((float)SMP_INF);
  lanes greatest = lanes_all(-(float)SMP_INF);
  lanes_bits legal = ~(lanes_bits){0};
  float copy[SMP_ROW_BLOCK];
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    const float *block = block_at(row, n, at, copy);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      lanes x = lanes_load(block + i);
      legal &= lanes_less(x, infinite); /* false for NaN too */
      greatest = lanes_max(x, greatest);
    }
  }
  if (lanes_any(~legal)) return fail_at_first(row, where);
  float found = lanes_greatest(greatest);
  if (found == -(float)SMP_INF) return smp_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);

  uint32_t first = first_equal(row, n, found);
  if (max) *max = row[first]; /* not `found`: of -0 and +0, the one that stands there */
  if (id) *id = first;
  return SMP_OK;
}

static void pad(float *row, size_t n) {
  for (size_t i = n; i < smp_row_capacity(n); i++) row[i] = -(float)SMP_INF;
}

smp_status smp_row_scan(float *row, size_t n, float *max, uint32_t *id, smp_where *where) {
  smp_status status = smp_row_check(row, n, max, id, where);
  if (status == SMP_OK) pad(row, n);
  return status;
}

smp_status smp_row_temperature(float *row, size_t n, float tau, smp_where *where) {
  float max;
  smp_status status = smp_row_check(row, n, &max, NULL, where);
  if (status) return status;
  if (!(tau > 0 && tau < (float)SMP_INF)) return smp_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0, where);
  float greatest = max / tau;
  if (greatest == (float)SMP_INF || greatest == -(float)SMP_INF)
    return smp_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0, where);

  pad(row, n);
  for (size_t i = 0; i < smp_row_capacity(n); i += 4) lanes_store(row + i, lanes_load(row + i) / lanes_all(tau));
  return SMP_OK;
}
