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

static size_t list_block(const float *block, lanes tau, lanes least, size_t at, uint32_t *ids, size_t n) {
  for (size_t i = 0; i < SMP_ROW_BLOCK; i += 16) {
    lanes_bits found[4];
    LANES_UNROLL
    for (size_t j = 0; j < 4; j++) found[j] = (lanes_bits)(lanes_load(block + i + 4 * j) / tau >= least);
    n = lanes_list_group(found, (uint32_t)(at + i), ids, n);
  }
  return n;
}

/* The ids of all entries x / tau > -inf with x / tau >= bound; blocks without one are passed over. */
void smp_run_list_from(smp_run *run, float bound) {
  const lanes tau = lanes_all(run->tau), least = lanes_all(bound > -FLT_MAX ? bound : -FLT_MAX);
  const size_t blocks = (run->n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
  size_t n = 0;
  for (size_t b = 0; b < blocks; b += 4) { /* past the last block the maxima are -inf */
    if (!lanes_any((lanes_bits)(lanes_load(run->block_max + b) >= least))) continue;
    for (size_t at = b * SMP_ROW_BLOCK; at < (b + 4) * SMP_ROW_BLOCK; at += SMP_ROW_BLOCK)
      if (run->block_max[at / SMP_ROW_BLOCK] >= least[0])
        n = list_block(run_block(run, at), tau, least, at, run->ids, n);
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
    n = lanes_list_group(found, (uint32_t)at, run->ids, n);
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
