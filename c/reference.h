/* Private: the rules of a chain in their plainest form, see reference.c. Only tests call it; a program that does not is
   linked without it. */
#ifndef SMP_REFERENCE_H
#define SMP_REFERENCE_H

#include "smp.h"

#pragma GCC visibility push(hidden)

/* A row and its context. The caller gives the arrays and fills x; everything else is worked out from it. */
typedef struct reference {
  double *x;       /* n logits; -inf where a token has been removed */
  double *p;       /* n: their probabilities */
  double *key;     /* n: what a filter sorts by */
  uint32_t *order; /* n: ids, sorted */
  uint32_t n;
  const uint32_t *context; /* ids so far, oldest first */
  uint32_t n_context;
} reference;

/* p = softmax of x. Not all of x may be -inf. */
void smpi_reference_softmax(reference *r);

/* -sum of p ln p, in nats. */
double smpi_reference_entropy(const reference *r);

/* One step on x, where p is softmax of x. Afterwards p is void. Parameters are as smp_chain_run takes them, and not
   checked. */
void smpi_reference_step(reference *r, const smp_step *step);

/* One filter of the experiment (smp_lab_run), likewise. */
void smpi_reference_filter(reference *r, const smp_step *filter);

/* All steps of a chain; at the end p is softmax of what is left. Returns the id at u. */
uint32_t smpi_reference_chain(reference *r, const smp_chain *chain);

/* The id at u of the distribution p. */
uint32_t smpi_reference_draw(const reference *r, double u);

/* The same with the most probable token first; x orders. */
uint32_t smpi_reference_draw_descending(const reference *r, double u);

/* How far a count is from what is expected of `draws` draws, in standard errors. */
double smpi_reference_z(double count, double draws, double p);

/* Pearson's sum over the n ids that can be drawn. */
double smpi_reference_chi_square(const uint32_t *counts, const double *p, uint32_t n);

/* How often chance alone gives a chi-square of at least x. degrees >= 1. */
double smpi_reference_p_value(uint32_t degrees, double x);

#pragma GCC visibility pop

#endif
