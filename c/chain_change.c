/* Rules that change numbers, or remove single ids: temperature, penalties, bias, mask, repeated n-grams. */
#include "chain.h"
#include "lanes.h"

int smpi_temperature(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  const float tau = (float)step->value, max = run->max / tau;
  if (max == (float)SMP_INF || max == SMP_REMOVED) return 0;
  if (tau == 1) return 1;
  run->weighed = 0;
  if (run->listed || run->tau != 1) smpi_chain_own(run);
  run->tau = tau;
  if (run->listed) {
    smpi_chain_own(run);
    smpi_chain_settle(run);
    run->n_live = run->n;
    return 1;
  }
  const size_t blocks = blocks_of(run->n);
  for (size_t b = 0; b < blocks; b += 4)
    lanes_store(run->block_max + b, lanes_load(run->block_max + b) / lanes_all(tau));
  run->max = max;
  run->least /= tau;
  if (run->least == SMP_REMOVED) run->n_live = smpi_chain_count_live(run);
  return 1;
}

/* ---- Single entries ---------------------------------------------------------------------------------------------- */

/* A step has changed entries: `fine` if no result was +inf. */
static int finish(chain_run *run, int fine) {
  smpi_chain_settle(run);
  return fine && run->n_live > 0;
}

typedef float penalty(float x, float value, uint32_t times);

static float repetition(float x, float value, uint32_t times) {
  (void)times;
  return x < 0 ? x * value : x / value;
}

static float presence(float x, float value, uint32_t times) {
  (void)times;
  return x - value;
}

static float frequency(float x, float value, uint32_t times) {
  return x - value * (float)times;
}

/* Once for each distinct id of the window. The weights are void afterwards, so their room can hold the counts. */
static int penalise(chain_run *run, const smp_step *step, const smp_chain *chain, penalty *penalised) {
  const uint32_t *context = chain->context, n = chain->n_context;
  const uint32_t first = step->count && step->count < n ? n - step->count : 0;
  uint32_t *times = (uint32_t *)(void *)run->weight;
  size_t place;
  smpi_chain_own(run);
  run->weighed = 0;
  for (uint32_t i = first; i < n; i++)
    if ((place = smpi_chain_place_of(run, context[i])) != SIZE_MAX) times[place] = 0;
  for (uint32_t i = first; i < n; i++)
    if ((place = smpi_chain_place_of(run, context[i])) != SIZE_MAX) times[place]++;
  for (uint32_t i = first; i < n; i++) {
    place = smpi_chain_place_of(run, context[i]);
    if (place == SIZE_MAX || times[place] == 0) continue;
    const float x = penalised(run->values[place], (float)step->value, times[place]);
    if (!smpi_chain_change(run, place, x)) return finish(run, 0);
    times[place] = 0;
  }
  return finish(run, 1);
}

int smpi_repetition_penalty(chain_run *run, const smp_step *step, const smp_chain *chain) {
  return penalise(run, step, chain, repetition);
}

int smpi_presence_penalty(chain_run *run, const smp_step *step, const smp_chain *chain) {
  return penalise(run, step, chain, presence);
}

int smpi_frequency_penalty(chain_run *run, const smp_step *step, const smp_chain *chain) {
  return penalise(run, step, chain, frequency);
}

int smpi_logit_bias(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  int fine = 1;
  smpi_chain_own(run);
  for (uint32_t j = 0; fine && j < step->count; j++) {
    const size_t place = smpi_chain_place_of(run, step->ids[j]);
    if (place != SIZE_MAX) fine = smpi_chain_change(run, place, run->values[place] + step->values[j]);
  }
  return finish(run, fine);
}

int smpi_suppress_tokens(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  smpi_chain_own(run);
  for (uint32_t j = 0; j < step->count; j++) {
    const size_t place = smpi_chain_place_of(run, step->ids[j]);
    if (place != SIZE_MAX) smpi_chain_change(run, place, SMP_REMOVED);
  }
  return finish(run, 1);
}
