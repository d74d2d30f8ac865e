/* Private: what the files of the experiment share. */
#ifndef SMP_LAB_H
#define SMP_LAB_H

#include "exact.h"

#pragma GCC visibility push(hidden)

/* A row on its way through the filters. */
typedef struct lab_row {
  const double *logits;
  uint32_t n;
  pair weight[SMP_LAB_MAX]; /* e^score 2^512 */
  pair all_sum, left_sum;   /* sums of them, in the order of ids: of all, and of what the filters have left */
} lab_row;

/* lab_filter.c: a part of a sum of weights, to the nearest double. */
double smpi_lab_share(const pair *part, const pair *sum);

/* lab_filter.c: the checks of k, tie and filters. */
smp_status smpi_lab_check_filters(uint32_t n, const smp_lab_options *options, smp_where *where);

/* All filters on a row whose logits and weights are set: its sums; kept, removed_by and n_kept of the result, which is
   zero before; and the records, if any are wanted. A row of n = 0 leaves all zero. */
void smpi_lab_filter(lab_row *row, const smp_lab_options *options, smp_lab_result *result);

#pragma GCC visibility pop

#endif
