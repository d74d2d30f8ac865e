/* Private to the files of rows (row*.c) and to what works on rows. */
#ifndef SMP_ROW_H
#define SMP_ROW_H

#include "exact.h"

#pragma GCC visibility push(hidden)

static inline size_t blocks_of(size_t n) {
  return (n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
}

/* The block that starts at `at`; a last, shorter one as a copy padded with -inf, because the row may be const. */
static inline const float *block_at(const float *row, size_t n, size_t at, float copy[SMP_ROW_BLOCK]) {
  if (at + SMP_ROW_BLOCK <= n) return row + at;
  for (size_t i = 0; i < SMP_ROW_BLOCK; i++) copy[i] = at + i < n ? row[at + i] : SMP_REMOVED;
  return copy;
}

/* Entries of the block that starts at `at`. */
static inline size_t block_length(size_t n, size_t at) {
  return n - at < SMP_ROW_BLOCK ? n - at : SMP_ROW_BLOCK;
}

/* row.c: ERR_EMPTY or ERR_LENGTH for a row of n entries that is too short or too long. */
smp_status smpi_row_check_length(size_t n, smp_where *where);

/* row.c: smp_row_scan without the padding. max and id may be NULL. */
smp_status smpi_row_check(const float *row, size_t n, float *max, uint32_t *id, smp_where *where);

/* row_softmax.c: weight[i] = e^(block[i] / tau - max) for one block, 0 below LANES_EXP_FLOOR; returns their sum. Out of
   line: shared by callers that weigh single blocks. */
double smpi_row_weigh_block(const float *block, float tau, float max, float *weight);

/* row_distance.c: whether all of a block are in [0, 1]; false for NaN. */
int smpi_row_block_is_probable(const float *block);

/* row_distance.c: ERR_NAN or ERR_PARAM at the first of n entries outside [0, 1]. */
smp_status smpi_row_check_probabilities(const float *p, size_t n, smp_where *where);

/* row_draw.c: the first of n <= 64 weights at which the cumulative sum, which is `before` at the first, exceeds the
   target. Rounding may leave the target beyond all of them, because the sum of a block is not added up in this order:
   then the last that has weight. */
size_t smpi_row_place_in_block(const float *weight, size_t n, double before, double target);

#pragma GCC visibility pop

#endif
