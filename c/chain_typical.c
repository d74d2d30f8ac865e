/* Locally typical: by how far the information of an entry is from the entropy. */
#include "chain.h"
#include "lanes.h"

/* Keys: |-ln p - entropy|. sum is that of all weights. */
static void typical_keys(chain_run *run, double sum, double entropy) {
  const double ln = smp_log(sum), largest = (double)run->max;
  const lanes_wide ln_sum = {ln, ln}, max = {largest, largest}, middle = {entropy, entropy};
  for (size_t i = 0; i < run->n; i += 4) {
    const lanes x = lanes_load(run->values + i);
    const lanes_wide low = (ln_sum - (lanes_low(x) - max)) - middle, high = (ln_sum - (lanes_high(x) - max)) - middle;
    const lanes off = lanes_narrow(low, high);
    lanes_store(run->key + i, lanes_max(off, -off));
  }
}

/* The same in double throughout, masses too: about 20 times the work. */
static void exact_typical_keys(chain_run *run, chain_cut_search *s) {
  double weighted = 0;
  s->exact = run->values;
  s->max = (double)run->max;
  s->sum = 0;
  for (size_t i = 0; i < run->n; i++) {
    double score = (double)run->values[i] - s->max, weight = smp_exp(score);
    s->sum += weight;
    if (weight > 0) weighted += weight * score;
  }
  typical_keys(run, s->sum, smp_log(s->sum) - weighted / s->sum);
}

/* Whether rounding could have moved an entry across the cut, or made an entry of another value equal to it. */
static int crowded(const chain_run *run, float cut_key, float cut_value) {
  const float ln_sum = (float)smp_log(run->sum);
  for (size_t i = 0; i < run->n; i++) {
    float off = run->key[i] - cut_key, size = (run->max - run->values[i]) + ln_sum + cut_key;
    if ((off != 0 || run->values[i] != cut_value) && is_near((double)off, size)) return 1;
  }
  return 0;
}

int smpi_typical(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  const double mass = step->value;
  smpi_chain_weigh(run);
  if (!run->listed) smpi_chain_list_from(run, -FLT_MAX);
  typical_keys(run, run->sum, smpi_chain_entropy(run));
  const float limit = (float)mass;
  /* half an ulp lower, because "reaches" is >=, not > */
  chain_cut_search s = search_in(run, run->key, run->n, (double)limit - (double)spacing_of(limit) / 2);
  s.weight = run->weight;
  s.share = (float)(1 / run->sum);
  s.even = 1;
  chain_cut c = smpi_chain_cut_find(&s);
  if (is_near(c.distance, limit) || crowded(run, c.key, run->values[c.place])) { /* float rounding would decide */
    run->by_rounding = 1;
    exact_typical_keys(run, &s);
    s.limit = mass - 0x1p-54; /* half an ulp of a double in [1/2, 1) */
    c = smpi_chain_cut_find(&s);
  }
  for (size_t i = 0; i < run->n; i++) run->key[i] = -run->key[i];
  c.key = -c.key;
  smpi_chain_keep_above(run, run->key, c, SMP_TIE_THRESHOLD);
  return 1;
}
