/* The command compare: the same row through several engines, and how far they are apart. */
#define _POSIX_C_SOURCE 200112L /* isatty: a terminal that waits is told which engine's turn it is */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_compare.h"

enum { MOST_ENGINES = 32, MESSAGE = 400 };

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int is_word(const char *text, size_t length, const char *word) {
  return strlen(word) == length && memcmp(word, text, length) == 0;
}

__attribute__((noreturn)) static void refuse_engine(const char *text, size_t length) {
  char known[MESSAGE] = "";
  for (smp_engine e = 0; *smp_engine_name(e); e++)
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", smp_engine_name(e));
  smp_cli_fail(SMP_CLI_USAGE, "--engines: \"%s\" is not an engine; there are%s", smp_cli_shown(text, length), known);
}

static size_t read_engines(const char *text, struct outcome *outcomes) {
  size_t n = 0;
  for (;;) {
    size_t length = strcspn(text, ",");
    smp_engine found = 0;
    while (*smp_engine_name(found) && !is_word(text, length, smp_engine_name(found))) found++;
    if (!*smp_engine_name(found)) refuse_engine(text, length);
    for (size_t i = 0; i < n; i++)
      if (outcomes[i].engine == found)
        smp_cli_fail(SMP_CLI_USAGE, "--engines: \"%s\" is given twice", smp_engine_name(outcomes[i].engine));
    outcomes[n++].engine = found;
    if (!text[length]) return n;
    text += length + 1;
  }
}

/* Ids separated by spaces or commas. */
static uint32_t *read_ids(const char *text, uint32_t *n) {
  uint32_t *ids = smp_cli_room(strlen(text) / 2 + 1, sizeof *ids);
  for (*n = 0; *(text += strspn(text, " ,\t\r\n"));) {
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 9 || !strchr(" ,\t\r\n", text[length]))
      smp_cli_fail(SMP_CLI_USAGE, "--context: \"%s\" is not a list of ids", smp_cli_shown(text, strlen(text)));
    ids[(*n)++] = (uint32_t)strtoul(text, NULL, 10);
    text += length;
  }
  return ids;
}

static int32_t read_k(const char *text) {
  double k = smp_cli_number(text, strlen(text), "--top-k");
  if (!(k >= -2147483648.0 && k <= 2147483647.0) || k != (double)(int32_t)k)
    smp_cli_fail(SMP_CLI_USAGE, "--top-k: \"%s\" is not a whole number", smp_cli_shown(text, strlen(text)));
  return (int32_t)k;
}

/* What is wrong with a value of the row, the context or an option, and what is allowed. */
static void describe(char *text, size_t size, smp_status status, const smp_where *where, const char *file) {
  const char *wrong = smp_status_text(status), *allowed = smp_param_allowed(where->param);
  const unsigned at = (unsigned)where->index;
  if (where->param == SMP_AT_ROW && (status == SMP_ERR_NAN || status == SMP_ERR_INF))
    snprintf(text, size, "%s: entry %u (from 0) is %s; allowed: %s", file, at, wrong, allowed);
  else if (where->param == SMP_AT_ROW)
    snprintf(text, size, "%s: %s; allowed: %s", file, wrong, allowed);
  else if (where->param == SMP_AT_CONTEXT)
    snprintf(text, size, "--context: entry %u (from 0) is %s; allowed: %s", at, wrong, allowed);
  else
    snprintf(text, size, "%s: %s; allowed: %s", smp_param_text(where->param), wrong, allowed);
}

/* Report a refused call, with the name of its option. */
static void check(smp_status status, const smp_where *where, const char *file) {
  if (status == SMP_OK) return;
  char text[MESSAGE], name[40];
  describe(text, sizeof text, status, where, file);
  if (where->param == SMP_AT_ROW || where->param == SMP_AT_CONTEXT) smp_cli_fail(SMP_CLI_REFUSED, "%s", text);
  snprintf(name, sizeof name, "%s", smp_param_text(where->param));
  for (char *at = name; *at; at++)
    if (*at == '_') *at = '-';
  smp_cli_fail(SMP_CLI_REFUSED, "--%s is %s; allowed: %s", name, smp_status_text(status),
               smp_param_allowed(where->param));
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static double argument(smp_param param, const smp_engine_call *call) {
  return param == SMP_AT_REPETITION_PENALTY ? call->repetition_penalty : call->temperature;
}

/* An argument that one engine takes and another does not: that engine's own answer. */
static int is_own(smp_status status, const smp_where *where, const smp_engine_call *call) {
  if (status == SMP_OK) return 0;
  const double value = argument(where->param, call);
  const smp_param own[] = {SMP_AT_TEMPERATURE, SMP_AT_TEMPERATURE_NEGATIVE, SMP_AT_REPETITION_PENALTY};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (where->param == own[i]) return value - value == 0;
  return 0;
}

/* What was found of such an argument, and what is allowed. */
static char *own_error(smp_param param, const char *found) {
  char *text = smp_cli_room(MESSAGE, 1);
  snprintf(text, MESSAGE, "%s: found %s; allowed: %s", smp_param_text(param), found, smp_param_allowed(param));
  return text;
}

void smp_cli_fill_in(char *text, size_t size, smp_refusal refusal, const smp_engine_call *call, size_t n) {
  const struct {
    const char *name;
    double value;
  } values[] = {{"temperature", call->temperature},
                {"top_p", call->top_p},
                {"min_p", call->min_p},
                {"typical_p", call->typical_p},
                {"top_k", call->top_k},
                {"repetition_penalty", call->repetition_penalty},
                {"n", (double)n}};
  size_t used = 0;
  for (const char *at = smp_refusal_text(refusal); *at && used + 40 < size; at++) {
    if (*at != '{') {
      text[used++] = *at;
      continue;
    }
    const size_t length = strcspn(++at, "}");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      if (!is_word(at, length, values[i].name)) continue;
      char number[32];
      smp_cli_shortest(number, values[i].value);
      const int whole = strcmp(values[i].name, "top_k") == 0 || strcmp(values[i].name, "n") == 0;
      used += (size_t)snprintf(text + used, 40, whole || strpbrk(number, ".e") ? "%s" : "%s.0", number);
    }
    at += length;
  }
  text[used] = 0;
}

/* What a call on this row leaves, but for its draws; the weights and ids are what these are made from. */
static void run_call(struct outcome *o, float *weights, uint32_t *ids, size_t n, const smp_engine_call *call,
                     const char *file) {
  smp_where where = {SMP_AT_NONE, 0};
  void *work = smp_cli_room(smp_engine_work_size(n), 1);
  smp_status status = smp_engine_run(weights, n, call, ids, &o->result, work, &where);
  free(work);
  if (is_own(status, &where, call)) {
    char found[32];
    smp_cli_shortest(found, argument(where.param, call));
    o->error = own_error(where.param, found);
    return;
  }
  check(status, &where, file);
  check(smp_engine_settings(call, n, o->settings, &where), &where, file);
  if (o->result.refusal != SMP_REFUSAL_NONE) {
    o->error = smp_cli_room(MESSAGE, 1);
    smp_cli_fill_in(o->error, MESSAGE, o->result.refusal, call, n);
    return;
  }
  o->ids = smp_cli_room(o->result.n_kept, sizeof *o->ids);
  o->p = smp_cli_room(o->result.n_kept, sizeof *o->p);
  check(smp_engine_probabilities(ids, weights, o->result.n_kept, o->ids, o->p, &where), &where, file);
}

/* The ids that it draws for the seed. */
static void run_draws(struct outcome *o, const float *weights, const uint32_t *ids, size_t n, struct draws draws,
                      const char *file) {
  smp_where where = {SMP_AT_NONE, 0};
  smp_rng rng;
  const uint64_t seed = smp_cli_seed(draws.seed);
  smp_status status = smp_rng_seed(&rng, o->result.generator, (uint32_t)seed, (uint32_t)(seed >> 32), &where);
  if (status) {
    char found[24]; /* 20 digits and quotes */
    snprintf(found, sizeof found, "\"%llu\"", (unsigned long long)seed);
    o->draws_error = own_error(where.param, found);
    return;
  }
  o->drawn = smp_cli_room(draws.count, sizeof *o->drawn);
  check(smp_engine_draw(o->result.drawing, ids, weights, o->result.n_kept, n, &rng, o->drawn, draws.count, &where),
        &where, file);
  o->words = rng.words;
}

static void run(struct outcome *o, const float *row, size_t n, smp_engine_call call, struct draws draws,
                const char *file) {
  float *weights = smp_cli_room(n, sizeof *weights);
  uint32_t *ids = smp_cli_room(n, sizeof *ids);
  memcpy(weights, row, n * sizeof *row);
  call.engine = o->engine;
  run_call(o, weights, ids, n, &call, file);
  if (!o->error && draws.seed && o->result.generator != SMP_GENERATOR_NONE) run_draws(o, weights, ids, n, draws, file);
  free(weights);
  free(ids);
}

/* A seed that no engine takes that draws at all is an error; else a word about those that do not take it. */
static void check_seed(const struct outcome *outcomes, size_t n) {
  const char *error = NULL;
  for (size_t i = 0; i < n; i++) {
    if (outcomes[i].drawn) return;
    if (!error) error = outcomes[i].draws_error;
  }
  if (error) smp_cli_fail(SMP_CLI_REFUSED, "--%s", error);
}

/* ---- Printing ---------------------------------------------------------------------------------------------------- */

/* The settings that were given and of which the engine makes this, after what is said of them. */
static void print_settings(const struct outcome *o, uint32_t given, smp_why why, const char *said) {
  for (smp_setting i = 0; i < SMP_SETTINGS; i++) {
    if (!smp_cli_is(o, given, i, why)) continue;
    printf("%s%s", said, smp_setting_name(i));
    if (why == SMP_WHY_MOVED) {
      char text[32];
      smp_cli_shortest(text, o->settings[i].value);
      printf(" %s", text);
    }
    said = ", ";
  }
}

static void print_outcome(const struct outcome *o, const smp_engine_call *call, struct draws draws) {
  printf("%-18s", smp_engine_name(o->engine));
  if (o->error)
    printf(" refused: %s", o->error);
  else
    printf(" %7u kept%s", o->result.n_kept, o->result.by_rounding ? ", the cut decided by rounding" : "");
  print_settings(o, call->given, SMP_WHY_ABSENT, "; it has no ");
  print_settings(o, call->given, SMP_WHY_GREEDY, "; greedy, it does not look at ");
  print_settings(o, call->given, SMP_WHY_MOVED, "; it works with ");
  printf("\n");
  if (!draws.seed || o->error) return;
  printf("  ");
  if (o->draws_error)
    printf("it draws nothing: %s", o->draws_error);
  else if (!o->drawn)
    printf("its draws are not replayed");
  for (uint32_t i = 0; o->drawn && i < draws.count; i++) printf(i ? " %u" : "drawn: %u", o->drawn[i]);
  if (o->drawn) printf(" (%.0f words of its generator)", o->words);
  printf("\n");
}

static void print_pair(const struct outcome *a, const struct outcome *b) {
  printf("%s, %s: ", smp_engine_name(a->engine), smp_engine_name(b->engine));
  smp_distance g;
  if (!a->ids || !b->ids) {
    printf("no distance: one of them refuses\n");
    return;
  }
  smp_engine_distance(a->ids, a->p, a->result.n_kept, b->ids, b->p, b->result.n_kept, &g, NULL);
  printf("total variation %.3e, largest difference %.3e at id %u\n", g.total_variation, g.max_difference, g.max_id);
  if (g.n_only_p) printf("  only %s: %u ids with mass %.6f\n", smp_engine_name(a->engine), g.n_only_p, g.only_p);
  if (g.n_only_q) printf("  only %s: %u ids with mass %.6f\n", smp_engine_name(b->engine), g.n_only_q, g.only_q);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

void smp_cli_compare(char **argv) {
  enum { ENGINES, TEMPERATURE, TOP_K, TOP_P, MIN_P, TYPICAL, PENALTY, CONTEXT, ONLY, SEED, DRAWS, JSON, N_OPTIONS };
  struct smp_cli_option given[] = {{"--engines", NULL, 0, 0},
                                   {"--temperature", NULL, 0, 0},
                                   {"--top-k", NULL, 0, 0},
                                   {"--top-p", NULL, 0, 0},
                                   {"--min-p", NULL, 0, 0},
                                   {"--typical-p", NULL, 0, 0},
                                   {"--repetition-penalty", NULL, 0, 0},
                                   {"--context", NULL, 0, 0},
                                   {"--settings-only", NULL, 1, 0},
                                   {"--seed", NULL, 0, 0},
                                   {"--draws", NULL, 0, 0},
                                   {"--json", NULL, 1, 0},
                                   SMP_CLI_FILE};
  static float row[SMP_ROW_MAX + 1];
  struct outcome outcomes[MOST_ENGINES] = {{0}};
  const char *operand = smp_cli_options(argv, given, N_OPTIONS + SMP_CLI_FILE_OPTIONS);
  const struct smp_cli_file file = smp_cli_file_of("compare", operand, given + N_OPTIONS);
  if (!given[ENGINES].value) smp_cli_fail(SMP_CLI_USAGE, "compare needs --engines");
  if (given[DRAWS].value && !given[SEED].value) smp_cli_fail(SMP_CLI_USAGE, "--draws needs --seed");

  smp_engine_call call = {.settings_only = given[ONLY].value != NULL};
  const struct {
    int option;
    smp_setting setting;
    double *value;
  } numbers[] = {{TEMPERATURE, SMP_SET_TEMPERATURE, &call.temperature},
                 {TOP_P, SMP_SET_TOP_P, &call.top_p},
                 {MIN_P, SMP_SET_MIN_P, &call.min_p},
                 {TYPICAL, SMP_SET_TYPICAL_P, &call.typical_p},
                 {PENALTY, SMP_SET_REPETITION_PENALTY, &call.repetition_penalty}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const struct smp_cli_option *option = &given[numbers[i].option];
    if (!option->value) continue;
    *numbers[i].value = smp_cli_number(option->value, strlen(option->value), option->name);
    call.given |= 1u << numbers[i].setting;
  }
  if (given[TOP_K].value) {
    call.top_k = read_k(given[TOP_K].value);
    call.given |= 1u << SMP_SET_TOP_K;
  }
  if (given[CONTEXT].value) call.context = read_ids(given[CONTEXT].value, &call.n_context);
  struct draws draws = {given[SEED].value, given[DRAWS].value ? smp_cli_whole(given[DRAWS].value, "--draws") : 1};
  if (draws.seed) smp_cli_seed(draws.seed);
  if (draws.count < 1 || draws.count > SMP_ROW_MAX)
    smp_cli_fail(SMP_CLI_REFUSED, "--draws: %u is not in the range 1 to %u", draws.count, SMP_ROW_MAX);

  const size_t n_engines = read_engines(given[ENGINES].value, outcomes);
  const size_t n = smp_cli_row(&file, row);
  for (size_t i = 0; i < n_engines; i++) {
    if (isatty(STDERR_FILENO))
      fprintf(stderr, "\r\033[K%s, %zu of %zu", smp_engine_name(outcomes[i].engine), i + 1, n_engines);
    run(&outcomes[i], row, n, call, draws, file.name);
  }
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
  check_seed(outcomes, n_engines);
  if (given[JSON].value) {
    smp_cli_compare_json(outcomes, n_engines, &call, draws);
    return;
  }
  for (size_t i = 0; i < n_engines; i++) print_outcome(&outcomes[i], &call, draws);
  if (n_engines > 1) printf("\n");
  for (size_t i = 0; i < n_engines; i++)
    for (size_t j = i + 1; j < n_engines; j++) print_pair(&outcomes[i], &outcomes[j]);
}
