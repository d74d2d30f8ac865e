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

/* Whether rounding could have moved an entry across the cut, or made one of another value equal to it. Of four at a
   time: whether one is within 2^-21 of its size, which 4 ulp never exceed. */
static int crowded(const chain_run *run, float cut_key, float cut_value) {
  const lanes cut = lanes_all(cut_key), value = lanes_all(cut_value), max = lanes_all(run->max);
  const lanes ln_sum = lanes_all((float)smp_log(run->sum)), zero = lanes_all(0);
  for (size_t i = 0; i < run->n; i += 4) {
    const lanes x = lanes_load(run->values + i), off = lanes_load(run->key + i) - cut, size = (max - x) + ln_sum + cut;
    const lanes_bits other = ~(lanes_equal(off, zero) & lanes_equal(x, value));
    const lanes_bits within = (lanes_bits)(lanes_max(off, -off) <= size * lanes_all(0x1p-21f) + lanes_all(0x1p-126f));
    if (!lanes_any(other & within)) continue;
    for (size_t j = 0; j < 4 && i + j < run->n; j++)
      if (other[j] && is_near((double)off[j], size[j])) return 1;
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
