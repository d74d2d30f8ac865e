/* Whole engines with any settings, and llama.cpp with any samplers; then their distribution, and draws. */
#include "fuzz.h"
#include "smp_engines.h"

enum { SAMPLERS = 6, IDS = 24, TRACED = 3, DRAWS = 4 };

struct ask {
  smp_engine_call call;
  smp_sampler samplers[SAMPLERS];
  smp_rng rng[SAMPLERS];
  uint32_t context[IDS], breakers[SAMPLERS][3];
};

static void take_samplers(struct bytes *b, struct ask *a, uint32_t n) {
  a->call.samplers = a->samplers;
  a->call.n_samplers = below(b, SAMPLERS + 1);
  for (uint32_t i = 0; i < a->call.n_samplers; i++) {
    smp_sampler *s = &a->samplers[i];
    *s = (smp_sampler){
        .kind = (smp_sampler_kind)below(b, 13), .rng = &a->rng[i], .ids = a->breakers[i], .n_ids = below(b, 4)};
    for (uint32_t j = 0; j < 4; j++) s->number[j] = below(b, 3) ? (double)below(b, 12) - 1 : take_double(b);
    for (uint32_t j = 0; j < 3; j++) a->breakers[i][j] = below(b, 64) ? below(b, n) : n;
    smp_rng_seed(&a->rng[i], SMP_GENERATOR_MT19937_32, take(b, 2), 0, NULL);
  }
}

static void take_ask(struct bytes *b, struct ask *a, uint32_t n) {
  memset(a, 0, sizeof *a);
  smp_engine_call *c = &a->call;
  *c = (smp_engine_call){.engine = (smp_engine)below(b, 14),
                         .given = take(b, 2),
                         .settings_only = below(b, 2),
                         .context = a->context,
                         .n_context = below(b, IDS + 1),
                         .repeat_last_n = below(b, IDS + 2),
                         .prompt_ignore_length = below(b, IDS + 2)};
  c->given &= below(b, 16) ? 0x0fff : 0xffff;
  c->variant = below(b, 4) ? 0 : below(b, 64);
  c->top_k = below(b, 4) ? (int32_t)below(b, 12) - 1 : (int32_t)take(b, 4);
  double *const numbers[] = {&c->temperature,    &c->top_p,      &c->min_p, &c->typical_p,
                             &c->epsilon_cutoff, &c->eta_cutoff, &c->top_h, &c->repetition_penalty};
  for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = take_double(b);
  for (uint32_t i = 0; i < IDS; i++) a->context[i] = below(b, n < 5 || below(b, 8) == 0 ? n : 5);
  if (below(b, 64) == 0) a->context[0] = n;
  if (c->engine != SMP_ENGINE_LLAMA_CPP || below(b, 3) == 0) return;
  if (below(b, 16)) c->given = 0;
  take_samplers(b, a, n);
}

struct answer {
  smp_status status;
  float *row;
  uint32_t *ids;
  smp_engine_result result;
  smp_trace trace;
  smp_trace_row traced[TRACED];
  smp_llama_array array;
};

static void make_room(struct answer *a, uint32_t n, int fill) {
  a->row = area(n * sizeof *a->row, fill);
  a->ids = area(n * sizeof *a->ids, fill);
  a->array = (smp_llama_array){area(n * sizeof(uint32_t), fill), area(n * sizeof(float), fill),
                               area(n * sizeof(float), fill), SMP_NONE, SMP_NONE};
}

static struct answer run(const struct ask *ask, const float *logits, uint32_t n, uint32_t setting, int fill) {
  struct ask own = *ask;
  struct answer a = {0};
  smp_where where;
  make_room(&a, n, fill);
  memcpy(a.row, logits, n * sizeof *a.row);
  memset(&a.result, fill, sizeof a.result);
  for (uint32_t i = 0; i < TRACED; i++) a.traced[i] = (smp_trace_row){.value = 7, .id = i * (n / 3)};
  a.trace = (smp_trace){.threshold = 7, .rows = a.traced, .n = TRACED, .setting = (smp_setting)setting};
  own.call.context = own.context;
  if (setting) own.call.trace = &a.trace;
  if (own.call.engine == SMP_ENGINE_LLAMA_CPP) own.call.array = &a.array;
  if (own.call.samplers) own.call.samplers = own.samplers;
  for (uint32_t i = 0; i < SAMPLERS; i++) {
    own.samplers[i].rng = &own.rng[i];
    own.samplers[i].ids = own.breakers[i];
  }
  void *work = area(smp_engine_work_size(n), fill);
  a.status = smp_engine_run(a.row, n, &own.call, a.ids, &a.result, work, &where);
  free(work);
  if (a.status == SMP_OK) return a;
  must(memcmp(a.row, logits, n * sizeof *a.row) == 0, "status %d, and the row was written", a.status);
  must(filled_with(a.ids, n * sizeof *a.ids, fill) && filled_with(&a.result, sizeof a.result, fill), "it wrote");
  must(a.array.n == SMP_NONE && filled_with(a.array.ids, n * sizeof *a.array.ids, fill), "the array was written");
  must(a.trace.threshold == 7 && a.traced[0].value == 7, "the trace was written");
  return a;
}

static void end(struct answer *a) {
  free(a->row);
  free(a->ids);
  free(a->array.ids);
  free(a->array.logits);
  free(a->array.p);
}

static void check_candidates(const struct answer *a, uint32_t n) {
  const uint32_t kept = a->result.n_kept;
  uint8_t *seen = area(n, 0);
  double sum = 0;
  must(kept >= 1 && kept <= n, "%u kept of %u", kept, n);
  for (uint32_t j = 0; j < kept; j++) {
    must(a->ids[j] < n && !seen[a->ids[j]], "ids[%u] is %u", j, a->ids[j]);
    must(a->row[j] >= 0 && a->row[j] <= FLT_MAX, "weight %u is %g", j, (double)a->row[j]);
    seen[a->ids[j]] = 1;
    sum += (double)a->row[j];
  }
  must(sum > 0, "no weight at all");
  uint32_t *sorted = area(kept * sizeof *sorted, 0);
  double *p = area(kept * sizeof *p, 0), total = 0;
  must(smp_engine_probabilities(a->ids, a->row, kept, sorted, p, NULL) == SMP_OK, "no distribution");
  for (uint32_t j = 0; j < kept; j++) {
    must(seen[sorted[j]] && (j == 0 || sorted[j] > sorted[j - 1]), "sorted[%u] is %u", j, sorted[j]);
    total += p[j];
  }
  must(total > 1 - 1e-9 && total < 1 + 1e-9, "the sum is %g", total);
  smp_distance gap;
  must(smp_engine_distance(sorted, p, kept, sorted, p, kept, &gap, NULL) == SMP_OK && gap.total_variation == 0,
       "a gap");
  free(seen);
  free(sorted);
  free(p);
}

static void check_draws(const struct answer *a, uint32_t n, uint32_t seed, uint32_t draws) {
  smp_rng rng;
  uint32_t drawn[DRAWS];
  memset(drawn, 0xa5, sizeof drawn);
  if (a->result.generator == SMP_GENERATOR_NONE) return;
  must(smp_rng_seed(&rng, a->result.generator, seed, 0, NULL) == SMP_OK, "the seed %u", seed);
  const smp_status status =
      smp_engine_draw(a->result.drawing, a->ids, a->row, a->result.n_kept, n, &rng, drawn, draws, NULL);
  must(status == (draws ? SMP_OK : SMP_ERR_PARAM), "%u draws: status %d", draws, status);
  must(filled_with(drawn + draws, (DRAWS - draws) * sizeof *drawn, 0xa5), "more than %u draws", draws);
  for (uint32_t i = 0; i < draws; i++) {
    uint32_t j = 0;
    while (j < a->result.n_kept && a->ids[j] != drawn[i]) j++;
    must(j < a->result.n_kept, "draw %u is %u, which is no candidate", i, drawn[i]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint32_t sizes[] = {1, 2, 64, 65, 129, 200, 1025, 1100, 2000};
  static const uint32_t settings[] = {0, SMP_SET_TOP_K, SMP_SET_TOP_P, SMP_SET_MIN_P, SMP_SET_TYPICAL_P};
  struct bytes b = {data, size};
  const uint32_t kind = below(&b, 256), n = kind < 9     ? sizes[kind]
                                            : kind < 224 ? 1 + below(&b, 20)
                                                         : 1 + below(&b, 300);
  struct ask ask;
  take_ask(&b, &ask, n);
  const uint32_t setting = settings[below(&b, 5)], seed = take(&b, 2), draws = below(&b, DRAWS + 1);
  float *logits = area(n * sizeof *logits, 0);
  take_row(&b, logits, n);

  struct answer first = run(&ask, logits, n, setting, 0x3f), second = run(&ask, logits, n, 0, 0xff);
  must(first.status == second.status || setting == SMP_SET_TYPICAL_P, "with a trace %d, without %d", first.status,
       second.status);
  if (second.status == SMP_OK && first.status == SMP_OK) {
    must(memcmp(&first.result, &second.result, sizeof first.result) == 0,
         "a trace or the work area changes the result");
    if (first.result.refusal == SMP_REFUSAL_NONE) {
      const uint32_t kept = first.result.n_kept;
      must(memcmp(first.ids, second.ids, kept * sizeof *first.ids) == 0 &&
               memcmp(first.row, second.row, kept * sizeof *first.row) == 0,
           "a trace or the work area changes candidates");
      check_candidates(&first, n);
      check_draws(&first, n, seed, draws);
    }
  }
  end(&first);
  end(&second);
  free(logits);
  return 0;
}
