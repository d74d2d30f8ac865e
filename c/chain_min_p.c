/* Min-p, epsilon and eta: remove below a threshold of probability. */
#include "chain.h"
#include "lanes.h"

/* A product of two rounded floats may be this much too large. */
static const float SLACK = 0x1p-20f;

/* Keep p >= least, and the largest entries in any case. */
static void keep_probable(chain_run *run, float least) {
  smpi_chain_weigh(run);
  const float share = (float)(1 / run->sum);
  if (least == 0) return;
  if (!run->listed) {
    float bound = least / share * (1 - SLACK);
    smpi_chain_list(run, smpi_chain_gather(run, bound < 0.5f ? bound : 0.5f));
  }
  for (size_t i = 0; i < run->n; i++) {
    float p = run->weight[i] * share, difference = p - least;
    int largest = run->values[i] == run->max;
    if (!largest && is_near((double)difference, least)) run->by_rounding = 1;
    run->key[i] = largest ? 2 : p;
  }
  smpi_chain_keep_above(run, run->key, (chain_cut){.key = least, .equal = UINT32_MAX}, SMP_TIE_THRESHOLD);
}

int smpi_min_p(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  smpi_chain_weigh(run);
  keep_probable(run, (float)step->value * (float)(1 / run->sum)); /* the largest weight is 1 */
  return 1;
}

int smpi_epsilon(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  keep_probable(run, (float)step->value);
  return 1;
}

int smpi_eta(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  smpi_chain_weigh(run);
  float epsilon = (float)step->value, entropy = (float)smpi_chain_entropy(run);
  float root = (float)__builtin_sqrt((double)epsilon), eta = root * (float)smp_exp(-(double)entropy);
  keep_probable(run, eta < epsilon ? eta : epsilon);
  return 1;
}
