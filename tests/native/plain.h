/* The plain reference of every step that removes: a full sort and sums from one end to the other. Only for tests. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stdint.h>

#include "smp.h"

/* kept[i] = 1 for the entries of the row (n logits, -inf where removed before) that the step keeps; returns how many. */
uint32_t plain_keep(const float *row, uint32_t n, const smp_step *step, uint8_t *kept);

#endif
