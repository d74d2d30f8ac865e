/* What is left of a row, packed into a list: ids ascending, values and weights beside them. */
#include "chain.h"
#include "lanes.h"

void smpi_chain_list(chain_run *run, size_t n) {
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
    run->values[i] = SMP_REMOVED;
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

void smpi_chain_list_from(chain_run *run, float bound) {
  const lanes tau = lanes_all(run->tau), least = lanes_all(bound > -FLT_MAX ? bound : -FLT_MAX);
  const size_t blocks = blocks_of(run->n); /* ours: no store of ids can change it */
  size_t n = 0;
  for (size_t b = 0; b < blocks; b += 4) { /* past the last block the maxima are -inf */
    if (!lanes_any((lanes_bits)(lanes_load(run->block_max + b) >= least))) continue;
    for (size_t at = b * SMP_ROW_BLOCK; at < (b + 4) * SMP_ROW_BLOCK; at += SMP_ROW_BLOCK)
      if (run->block_max[at / SMP_ROW_BLOCK] >= least[0])
        n = list_block(run_block(run, at), tau, least, at, run->ids, n);
  }
  if (run->weighed)
    for (size_t j = 0; j < n; j++) run->key[j] = run->weight[run->ids[j]];
  smpi_chain_list(run, n);
}

size_t smpi_chain_gather(chain_run *run, float bound) {
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

void smpi_chain_keep_above(chain_run *run, const float *key, chain_cut c, smp_tie tie) {
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
    values[i] = SMP_REMOVED;
    weights[i] = 0;
  }
}
