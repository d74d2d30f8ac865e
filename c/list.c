/* What is left of a row, packed into a list: ids rising, values and weights beside them. */
#include "impl.h"
#include "lanes.h"

/* Turn the row into the list of `n` entries whose ids are already there, and in `key`, if the row is weighed, their
   weights. */
void smp_run_list(smp_run *run, size_t n) {
  const lanes tau = lanes_all(run->tau);
  for (size_t j = 0; j < n; j++) run->values[j] = run->x[run->ids[j]];
  if (run->weighed) {
    float *of_list = run->key;
    run->key = run->weight; /* those of the row, until `key` is used */
    run->weight = of_list;
  }
  run->x = run->values;
  run->n = run->n_live = n;
  run->listed = 1;
  for (size_t i = n; i % SMP_ROW_BLOCK; i++) {
    run->values[i] = -(float)SMP_INF;
    run->weight[i] = 0;
  }
  if (run->tau != 1)
    for (size_t i = 0; i < n; i += 4) lanes_store(run->values + i, lanes_load(run->values + i) / tau);
  run->tau = 1;
}

/* The ids of all entries x / tau > -inf with x / tau >= bound; blocks without one are passed over. */
void smp_run_list_from(smp_run *run, float bound) {
  const lanes tau = lanes_all(run->tau), least = lanes_all(bound > -FLT_MAX ? bound : -FLT_MAX);
  size_t n = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    if (!(run->block_max[at / SMP_ROW_BLOCK] >= least[0])) continue;
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      const lanes_bits found = (lanes_bits)(lanes_load(block + i) / tau >= least);
      if (lanes_any(found)) n = lanes_list(found, (uint32_t)(at + i), run->ids, n);
    }
  }
  if (run->weighed)
    for (size_t j = 0; j < n; j++) run->key[j] = run->weight[run->ids[j]];
  smp_run_list(run, n);
}

/* The ids of all entries with a weight above the bound, and the weights in `key`; returns how many there are. */
size_t smp_run_gather(smp_run *run, float bound) {
  const lanes limit = lanes_all(bound);
  size_t n = 0;
  for (size_t at = 0; at < run->n; at += 16) {
    lanes_bits found[4];
    LANES_UNROLL
    for (size_t i = 0; i < 4; i++) found[i] = lanes_less(limit, lanes_load(run->weight + at + 4 * i));
    if (!lanes_any(found[0] | found[1] | found[2] | found[3])) continue;
    LANES_UNROLL
    for (size_t i = 0; i < 4; i++) n = lanes_list(found[i], (uint32_t)(at + 4 * i), run->ids, n);
  }
  for (size_t j = 0; j < n; j++) run->key[j] = run->weight[run->ids[j]];
  return n;
}

/* Keep the entries of the list whose key is above that of the cut, and so many of its equals as the rule says. */
void smp_run_keep_above(smp_run *run, const float *key, smp_cut c, smp_tie tie) {
  const uint32_t from = tie == SMP_TIE_LAST ? c.before : 0;
  const uint32_t to = tie == SMP_TIE_STRICT ? c.equal - c.before : c.equal;
  const size_t listed = run->n;
  uint32_t *ids = run->ids, equal = 0;
  float *values = run->values, *weights = run->weight;
  size_t n = 0;
  for (size_t i = 0; i < listed; i++) {
    const float x = key[i];
    ids[n] = ids[i];
    values[n] = values[i];
    weights[n] = weights[i];
    n += (size_t)(x > c.key) | ((size_t)(x == c.key) & (equal >= from) & (equal < to));
    equal += x == c.key;
  }
  run->n = run->n_live = n;
  for (size_t i = n; i % SMP_ROW_BLOCK; i++) {
    values[i] = -(float)SMP_INF;
    weights[i] = 0;
  }
}
