/* smp generate: a tiny language model writes; a chain or an engine chooses each of its tokens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_compare.h"
#include "cli_generate.h"

enum {
  MODEL,
  PROMPT,
  ENGINE,
  TEMPERATURE,
  TOP_K,
  TOP_P,
  MIN_P,
  PENALTY,
  SEED,
  MAX_NEW,
  BATCH,
  NO_EOS,
  STREAM,
  LOGPROBS
};
enum { RECORD = LOGPROBS + 1, REPLAY, N_OPTIONS, MOST_NEW = 1024 };

/* A run: what is asked, and room for it. */
struct run {
  const struct smp_cli_option *given;
  struct smp_cli_asked asked;
  struct smp_cli_model model;
  smp_gpt_cache cache;
  float *logits, *row, *own; /* of the model; to choose from; ln p of the model's own row */
  uint32_t *ids, *kept;      /* the text from its END on; candidates */
  void *gpt_work, *work;
  smp_rng rng;
  int is_seeded;
  smp_engine engine;
  const char *end; /* what is printed after a piece of text */
};

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static void open_model(struct smp_cli_model *m, const char *name) {
  smp_gpt_fault fault;
  m->file = smp_cli_model_file(name, &m->size);
  if (smp_gpt_read(m->file, m->size, &m->gpt, &fault, NULL) != SMP_OK) {
    char tensor[SMP_GPT_NAME] = "";
    if (fault.wrong >= SMP_GPT_TENSOR_MISSING) smp_gpt_tensor_name(fault.place, tensor);
    smp_cli_fail(SMP_CLI_REFUSED, "%s: %s%s%s", smp_cli_shown(name, strlen(name)), smp_gpt_wrong_text(fault.wrong),
                 *tensor ? ": " : "", tensor);
  }
  m->tokens.characters = smp_cli_room(smp_tokens_size(&m->gpt), 1);
  smp_tokens_make(&m->gpt, &m->tokens);
}

static uint32_t whole_in(const struct smp_cli_option *option, uint32_t most) {
  const uint32_t n = smp_cli_whole(option->value, option->name);
  if (n < 1 || n > most)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: %s is outside the allowed range; allowed: a whole number from 1 to %u",
                 option->name, option->value, most);
  return n;
}

static const char *name_of_step(int option) {
  static const char *const names[] = {[TEMPERATURE] = "temperature",
                                      [TOP_K] = "top_k",
                                      [TOP_P] = "top_p",
                                      [MIN_P] = "min_p",
                                      [PENALTY] = "repetition_penalty"};
  return names[option];
}

static void add_step(struct run *r, int option) {
  const struct smp_cli_option *o = &r->given[option];
  struct smp_cli_asked *a = &r->asked;
  a->steps[a->n_steps].name = name_of_step(option);
  a->steps[a->n_steps++].value =
      option == TOP_K ? (double)smp_cli_whole(o->value, o->name) : smp_cli_number(o->value, strlen(o->value), o->name);
}

/* First the penalty and the temperature, then the filters as they were given. Temperature 0 is greedy. */
static void read_steps(struct run *r) {
  const struct smp_cli_option *given = r->given;
  const int is_own = strcmp(r->asked.by, "own") == 0;
  r->asked.draws = 1;
  if (given[PENALTY].value) add_step(r, PENALTY);
  if (given[TEMPERATURE].value) {
    add_step(r, TEMPERATURE);
    if (is_own && r->asked.steps[r->asked.n_steps - 1].value == 0) {
      r->asked.draws = 0;
      r->asked.n_steps--;
    }
  }
  for (int turn = 1; turn <= N_OPTIONS; turn++)
    for (int option = TOP_K; option <= MIN_P; option++)
      if (given[option].was_given == turn) add_step(r, option);
}

static void read_asked(struct run *r) {
  const struct smp_cli_option *given = r->given;
  struct smp_cli_asked *a = &r->asked;
  const char *prompt = given[PROMPT].value ? given[PROMPT].value : "";
  a->model = given[MODEL].value;
  if (!a->model) smp_cli_fail(SMP_CLI_USAGE, "generate needs --model, zh or a file");
  a->by = given[ENGINE].value ? given[ENGINE].value : "own";
  read_steps(r);
  a->max_new = whole_in(&given[MAX_NEW], MOST_NEW);
  a->batch = whole_in(&given[BATCH], SMP_CLI_BATCH);
  a->ends = !given[NO_EOS].value;
  if (a->draws && !given[SEED].value) smp_cli_fail(SMP_CLI_USAGE, "generate needs --seed, unless --temperature is 0");
  a->seed = a->draws ? smp_cli_seed(given[SEED].value) : 0;
  if (a->seed > UINT64_MAX - (a->batch - 1))
    smp_cli_fail(SMP_CLI_USAGE, "--seed: the seeds of the batch exceed 64 bits");
  open_model(&r->model, a->model);
  a->prompt = smp_cli_room(strlen(prompt) + 1, sizeof *a->prompt);
  a->n_prompt = (uint32_t)smp_tokens_encode(&r->model.tokens, prompt, strlen(prompt), a->prompt);
}

/* A record says it all. */
static char *read_replayed(struct run *r) {
  const char *path = r->given[REPLAY].value;
  for (int i = 0; i < N_OPTIONS; i++)
    if (r->given[i].was_given && i != REPLAY && i != STREAM && i != LOGPROBS && i != RECORD)
      smp_cli_fail(SMP_CLI_USAGE, "%s: the record of --replay says that", r->given[i].name);
  size_t size;
  char *text = (char *)smp_cli_read(path, &size);
  r->asked.model = smp_cli_record_model(path, text);
  open_model(&r->model, r->asked.model);
  smp_cli_record_read(path, text, &r->asked);
  return text;
}

static void make_room(struct run *r) {
  const smp_gpt *gpt = &r->model.gpt;
  const uint32_t n = gpt->n_tokens, context = gpt->n_context;
  for (uint32_t i = 0; i < r->asked.n_prompt; i++)
    if (r->asked.prompt[i] >= n)
      smp_cli_fail(SMP_CLI_REFUSED, "--replay: %u is not a token of the model", r->asked.prompt[i]);
  r->cache = (smp_gpt_cache){smp_cli_room(smp_gpt_cache_size(gpt, context), 1), 0, context};
  r->gpt_work = smp_cli_room(smp_gpt_work_size(gpt, context), 1);
  r->logits = smp_cli_room(n, sizeof *r->logits);
  r->row = smp_cli_room(smp_row_capacity(n), sizeof *r->row);
  r->own = smp_cli_room(smp_row_capacity(n), sizeof *r->own);
  r->kept = smp_cli_room(n, sizeof *r->kept);
  r->ids = smp_cli_room((size_t)r->asked.n_prompt + r->asked.max_new + 1, sizeof *r->ids);
  const size_t chain = smp_chain_work_size(n), engine = smp_engine_work_size(n);
  r->work = smp_cli_room(chain > engine ? chain : engine, 1);
  while (*smp_engine_name(r->engine) && strcmp(smp_engine_name(r->engine), r->asked.by) != 0) r->engine++;
  if (!*smp_engine_name(r->engine) && strcmp(r->asked.by, "own") != 0)
    smp_cli_fail(SMP_CLI_USAGE, "--engine: \"%s\" is not an engine; see --engines of compare",
                 smp_cli_shown(r->asked.by, strlen(r->asked.by)));
}

/* ---- A token ----------------------------------------------------------------------------------------------------- */

/* An option by the name of the step that the library points at. */
__attribute__((noreturn)) static void refuse(smp_status status, const smp_where *where) {
  char name[40];
  snprintf(name, sizeof name, "%s", smp_param_text(where->param));
  for (char *at = name; *at; at++)
    if (*at == '_') *at = '-';
  smp_cli_fail(SMP_CLI_REFUSED, "--%s is %s; allowed: %s", name, smp_status_text(status),
               smp_param_allowed(where->param));
}

static void seed(struct run *r, smp_generator generator, uint64_t value) {
  smp_where where;
  const smp_status status = smp_rng_seed(&r->rng, generator, (uint32_t)value, (uint32_t)(value >> 32), &where);
  if (status) refuse(status, &where);
  r->is_seeded = 1;
}

static smp_step step_of(const char *name, double value) {
  static const struct {
    const char *name;
    smp_step_kind kind;
  } kinds[] = {{"temperature", SMP_STEP_TEMPERATURE},
               {"top_k", SMP_STEP_TOP_K},
               {"top_p", SMP_STEP_TOP_P},
               {"min_p", SMP_STEP_MIN_P},
               {"repetition_penalty", SMP_STEP_REPETITION_PENALTY}};
  size_t i = 0;
  while (strcmp(name, kinds[i].name) != 0) i++;
  smp_step step = {.kind = kinds[i].kind, .value = value};
  if (step.kind == SMP_STEP_REPETITION_PENALTY) return step;
  if (step.kind == SMP_STEP_TOP_K) step.count = (uint32_t)value;
  step.tie = step.kind == SMP_STEP_TOP_K ? SMP_TIE_THRESHOLD : SMP_TIE_LAST;
  return step;
}

static uint32_t by_chain(struct run *r, uint32_t n_ids, uint64_t value, double *final_log_p) {
  smp_step steps[SMP_CLI_STEPS];
  smp_where where;
  smp_chain_result result;
  const struct smp_cli_asked *a = &r->asked;
  for (uint32_t i = 0; i < a->n_steps; i++) steps[i] = step_of(a->steps[i].name, a->steps[i].value);
  if (a->draws && !r->is_seeded) seed(r, SMP_GENERATOR_CHACHA12, value);
  const smp_chain chain = {.u = a->draws ? smp_rng_uniform(&r->rng) : 0,
                           .steps = steps,
                           .n_steps = a->n_steps,
                           .context = r->ids,
                           .n_context = n_ids,
                           .out = SMP_OUT_LOG_P,
                           .order = SMP_ORDER_DESCENDING};
  const smp_status status = smp_chain_run(r->row, r->model.gpt.n_tokens, &chain, NULL, NULL, &result, r->work, &where);
  if (status) refuse(status, &where);
  *final_log_p = (double)r->row[result.id];
  return result.id;
}

static smp_engine_call call_of(const struct run *r, uint32_t n_ids) {
  smp_engine_call call = {.engine = r->engine, .context = r->ids, .n_context = n_ids};
  for (uint32_t i = 0; i < r->asked.n_steps; i++) {
    const char *name = r->asked.steps[i].name;
    const double value = r->asked.steps[i].value;
    smp_setting setting = 0;
    while (strcmp(smp_setting_name(setting), name) != 0) setting++;
    call.given |= 1u << setting;
    if (setting == SMP_SET_TEMPERATURE) call.temperature = value;
    if (setting == SMP_SET_TOP_K) call.top_k = (int32_t)value;
    if (setting == SMP_SET_TOP_P) call.top_p = value;
    if (setting == SMP_SET_MIN_P) call.min_p = value;
    if (setting == SMP_SET_REPETITION_PENALTY) call.repetition_penalty = value;
  }
  return call;
}

static uint32_t by_engine(struct run *r, uint32_t n_ids, uint64_t value) {
  const uint32_t n = r->model.gpt.n_tokens;
  const smp_engine_call call = call_of(r, n_ids);
  smp_engine_result result;
  smp_where where;
  uint32_t id;
  smp_status status = smp_engine_run(r->row, n, &call, r->kept, &result, r->work, &where);
  if (status) refuse(status, &where);
  if (result.refusal) {
    char text[400];
    smp_cli_fill_in(text, sizeof text, result.refusal, &call, n);
    smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", r->asked.by, text);
  }
  if (result.drawing == SMP_DRAWING_GREEDY) return r->kept[0];
  if (result.generator == SMP_GENERATOR_NONE)
    smp_cli_fail(SMP_CLI_REFUSED, "--engine: the draws of %s are not replayed", r->asked.by);
  if (!r->is_seeded) seed(r, result.generator, value);
  status = smp_engine_draw(result.drawing, r->kept, r->row, result.n_kept, n, &r->rng, &id, 1, &where);
  if (status) refuse(status, &where);
  return id;
}

/* ---- A text ------------------------------------------------------------------------------------------------------ */

static void print_token(const struct run *r, smp_utf8 *half, uint32_t id) {
  unsigned char bytes[4];
  char text[16];
  const size_t n = smp_tokens_bytes(&r->model.tokens, id, bytes);
  fwrite(text, 1, smp_utf8_feed(half, bytes, n, text), stdout);
}

static void print_log_p(const struct run *r, const struct smp_cli_written *t) {
  printf("%8s  %10s  %10s  %s\n", "id", "ln p", "drawn from", "bytes");
  for (uint32_t i = 0; i < t->n; i++) {
    unsigned char bytes[4];
    const size_t n = smp_tokens_bytes(&r->model.tokens, t->ids[i], bytes);
    printf("%8u  %10.6f  ", t->ids[i], t->log_p[i]);
    if (t->final_log_p[i] > 0)
      printf("%10s ", "");
    else
      printf("%10.6f ", t->final_log_p[i]);
    for (size_t j = 0; j < n; j++) printf(" %02x", bytes[j]);
    putchar('\n');
  }
}

static void write_text(struct run *r, uint32_t index, struct smp_cli_written *t) {
  const struct smp_cli_asked *a = &r->asked;
  const uint32_t n = r->model.gpt.n_tokens;
  uint32_t length = 1 + a->n_prompt;
  smp_utf8 half = {{0}, 0, 0};
  smp_where where;
  t->ids = smp_cli_room(a->max_new, sizeof *t->ids);
  t->log_p = smp_cli_room(a->max_new, sizeof *t->log_p);
  t->final_log_p = smp_cli_room(a->max_new, sizeof *t->final_log_p);
  r->ids[0] = SMP_TOKEN_END;
  memcpy(r->ids + 1, a->prompt, a->n_prompt * sizeof *r->ids);
  r->cache.n = 0;
  r->is_seeded = 0;
  while (t->n < a->max_new && !(a->ends && t->n > 0 && t->ids[t->n - 1] == SMP_TOKEN_END)) {
    smp_status status = smp_gpt_next(&r->model.gpt, &r->cache, r->ids, length, r->logits, r->gpt_work, &where);
    if (status) refuse(status, &where);
    memcpy(r->row, r->logits, n * sizeof *r->row);
    memcpy(r->own, r->logits, n * sizeof *r->own);
    double final = 1;
    const uint32_t id = *smp_engine_name(r->engine) ? by_engine(r, length, a->seed + index)
                                                    : by_chain(r, length, a->seed + index, &final);
    smp_row_log_softmax(r->own, n, NULL);
    t->log_p[t->n] = (double)r->own[id];
    t->final_log_p[t->n] = final;
    t->ids[t->n++] = r->ids[length++] = id;
    for (uint32_t i = 0; t->n == 1 && i < a->n_prompt; i++) print_token(r, &half, a->prompt[i]); /* nothing refused */
    print_token(r, &half, id);
    if (r->given[STREAM].value) fflush(stdout);
  }
  char end[3];
  fwrite(end, 1, smp_utf8_flush(&half, end), stdout);
  putchar('\n');
  if (r->given[LOGPROBS].value) print_log_p(r, t);
}

static void close_run(struct run *r, struct smp_cli_written *texts) {
  for (uint32_t i = 0; i < r->asked.batch; i++) {
    free(texts[i].ids);
    free(texts[i].log_p);
    free(texts[i].final_log_p);
  }
  void *blocks[] = {texts,           r->asked.prompt, r->model.tokens.characters,
                    r->cache.memory, r->gpt_work,     r->logits,
                    r->row,          r->own,          r->kept,
                    r->ids,          r->work,         r};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

void smp_cli_generate(char **argv) {
  struct smp_cli_option given[N_OPTIONS] = {{"--model", NULL, 0, 0},  {"--prompt", NULL, 0, 0},
                                            {"--engine", NULL, 0, 0}, {"--temperature", NULL, 0, 0},
                                            {"--top-k", NULL, 0, 0},  {"--top-p", NULL, 0, 0},
                                            {"--min-p", NULL, 0, 0},  {"--repetition-penalty", NULL, 0, 0},
                                            {"--seed", NULL, 0, 0},   {"--max-new", "40", 0, 0},
                                            {"--batch", "1", 0, 0},   {"--no-eos", NULL, 1, 0},
                                            {"--stream", NULL, 1, 0}, {"--logprobs", NULL, 1, 0},
                                            {"--record", NULL, 0, 0}, {"--replay", NULL, 0, 0}};
  const char *operand = smp_cli_options(argv, given, N_OPTIONS);
  if (operand)
    smp_cli_fail(SMP_CLI_USAGE, "one argument too many: \"%s\"; a text is --prompt",
                 smp_cli_shown(operand, strlen(operand)));
  struct run *r = smp_cli_room(1, sizeof *r);
  r->given = given;
  char *recorded = NULL;
  if (given[REPLAY].value)
    recorded = read_replayed(r);
  else
    read_asked(r);
  make_room(r);
  struct smp_cli_written *texts = smp_cli_room(r->asked.batch, sizeof *texts);
  for (uint32_t i = 0; i < r->asked.batch; i++) write_text(r, i, &texts[i]);
  char *now = recorded || given[RECORD].value ? smp_cli_record(&r->asked, &r->model, texts) : NULL;
  if (recorded) smp_cli_record_compare(given[REPLAY].value, recorded, now);
  if (given[RECORD].value) smp_cli_write(given[RECORD].value, now, strlen(now));
  free(now);
  free(recorded);
  close_run(r, texts);
}
