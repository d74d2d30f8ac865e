/* smp draw: one distribution drawn again and again, and how well the counts fit it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { FIRST = 100, LISTED = 400, MOST_PROBABLE = 64, MOST_DRAWS = 10000000, MOST_NUMBERS = 1000000000 };

/* Whose draws: the names are those of the JavaScript module. */
static const struct source {
  const char *name;
  smp_engine engine;
  uint32_t variant;
} SOURCES[] = {{"own", SMP_ENGINE_CHAPTER, 0},
               {"torch", SMP_ENGINE_CHAPTER, 0},
               {"torch-mkl", SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL},
               {"candle", SMP_ENGINE_CANDLE, 0},
               {"llama.cpp", SMP_ENGINE_LLAMA_CPP, 0},
               {"transformers.js", SMP_ENGINE_TRANSFORMERS_JS, 0}};

enum { TAU, K, GENERATOR, REPLACEMENT, SEED, DRAWS, BEFORE, MINLENGTH, JSON, LOGITS, TENSOR, ROW, N_OPTIONS };

/* What is drawn from, and what came of it. */
struct run {
  const struct smp_cli_option *given;
  const struct source *source;
  const char *row_name;     /* --logits, or the file's */
  struct smp_cli_file file; /* with --logits, nothing */
  double tau;
  uint32_t n, k, draws, before, minlength;
  float *row;
  double *logits, *edges; /* of at most SMP_LAB_MAX logits */
  uint32_t *ids, *sorted, *counts, *listed;
  double *p, *z;
  void *work;
  smp_stream stream;
  smp_rng rng;
  smp_fit fit;
  uint32_t first[FIRST], n_first, n_listed;
};

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static const struct source *source_of(const char *text) {
  for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++)
    if (strcmp(text, SOURCES[i].name) == 0) return &SOURCES[i];
  smp_cli_fail(SMP_CLI_USAGE,
               "--generator: \"%s\" is not one of own, torch, torch-mkl, candle, llama.cpp, transformers.js",
               smp_cli_shown(text, strlen(text)));
}

/* A refused call in one line. */
static void check(const struct run *r, smp_status status, const smp_where *where) {
  if (status == SMP_OK) return;
  const char *wrong = smp_status_text(status), *allowed = smp_param_allowed(where->param);
  const int of_row = where->param == SMP_AT_LOGITS || where->param == SMP_AT_ROW;
  if (of_row && (status == SMP_ERR_NAN || status == SMP_ERR_INF || status == SMP_ERR_PARAM))
    smp_cli_fail(SMP_CLI_REFUSED, "%s: entry %u (from 0) is %s; allowed: %s", r->row_name, where->index, wrong,
                 allowed);
  if (of_row) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s; allowed: %s", r->row_name, wrong, allowed);
  const struct smp_cli_option *option = &r->given[SEED];
  if (where->param == SMP_AT_TAU || where->param == SMP_AT_TEMPERATURE || where->param == SMP_AT_TEMPERATURE_NEGATIVE)
    option = &r->given[TAU];
  if (where->param == SMP_AT_K || where->param == SMP_AT_ENGINE_TOP_K) option = &r->given[K];
  const char *value = option->value ? option->value : "all";
  smp_cli_fail(SMP_CLI_REFUSED, "%s: %s is %s; allowed: %s", option->name, smp_cli_shown(value, strlen(value)), wrong,
               allowed);
}

static void read_options(struct run *r, struct smp_cli_option *given, char **argv) {
  const char *path = smp_cli_options(argv, given, N_OPTIONS), *numbers = given[LOGITS].value;
  r->given = given;
  if (!path == !numbers)
    smp_cli_fail(SMP_CLI_USAGE, path ? "draw takes --logits or a file, not both" : "draw needs --logits or a file");
  for (int i = TENSOR; numbers && i <= ROW; i++)
    if (given[i].value) smp_cli_fail(SMP_CLI_USAGE, "%s: only with a file", given[i].name);
  if (!given[SEED].value) smp_cli_fail(SMP_CLI_USAGE, "draw needs --seed");
  r->source = source_of(given[GENERATOR].value);
  if (given[REPLACEMENT].value && strncmp(r->source->name, "torch", 5) != 0)
    smp_cli_fail(SMP_CLI_USAGE, "--replacement: only with --generator torch or torch-mkl");
  r->tau = smp_cli_number(given[TAU].value, strlen(given[TAU].value), "--tau");
  r->draws = smp_cli_whole(given[DRAWS].value, "--draws");
  r->before = smp_cli_whole(given[BEFORE].value, "--before");
  r->minlength = smp_cli_whole(given[MINLENGTH].value, "--minlength");
  r->row = smp_cli_room(SMP_ROW_MAX + 1, sizeof *r->row);
  r->logits = smp_cli_room(SMP_LAB_MAX, sizeof *r->logits);
  if (path) {
    r->file = smp_cli_file_of("draw", path, given + LOGITS);
    r->row_name = r->file.name;
    r->n = (uint32_t)smp_cli_row(&r->file, r->row);
    for (uint32_t i = 0; i < r->n && i < SMP_LAB_MAX; i++) r->logits[i] = (double)r->row[i];
  } else {
    r->row_name = "--logits";
    r->n = smp_cli_logits(numbers, r->logits);
    for (uint32_t i = 0; i < r->n && i < SMP_LAB_MAX; i++) r->row[i] = (float)r->logits[i];
  }
  r->k = given[K].value ? smp_cli_whole(given[K].value, "--top-k") : r->n;
}

static void check_numbers(const struct run *r) {
  const struct smp_cli_option *given = r->given;
  const int in_race = r->stream.drawing == SMP_DRAWING_RACE || r->stream.drawing == SMP_DRAWING_RACE_MKL;
  const uint32_t most = in_race && MOST_NUMBERS / r->n < MOST_DRAWS ? MOST_NUMBERS / r->n : MOST_DRAWS;
  if (r->draws < 1 || r->draws > most)
    smp_cli_fail(SMP_CLI_REFUSED, "--draws: %s is outside the allowed range; allowed: a whole number from 1 to %u",
                 given[DRAWS].value, most);
  if (r->before > most)
    smp_cli_fail(SMP_CLI_REFUSED, "--before: %s is outside the allowed range; allowed: a whole number from 0 to %u",
                 given[BEFORE].value, most);
  if (r->minlength > SMP_ROW_MAX)
    smp_cli_fail(SMP_CLI_REFUSED, "--minlength: %s is outside the allowed range; allowed: a whole number from 0 to %u",
                 given[MINLENGTH].value, SMP_ROW_MAX);
}

/* ---- The distribution -------------------------------------------------------------------------------------------- */

/* The experiment's own numbers in double. */
static void of_experiment(struct run *r, const smp_lab_result *lab) {
  r->edges = smp_cli_room(SMP_LAB_MAX, sizeof *r->edges);
  for (uint32_t i = 0; i < lab->n; i++) {
    r->p[i] = lab->q[i];
    if (!lab->kept[i]) continue;
    r->ids[r->stream.n_kept] = i;
    r->edges[r->stream.n_kept++] = lab->hi[i];
  }
  memcpy(r->sorted, r->ids, r->stream.n_kept * sizeof *r->sorted);
  r->stream.edges = r->edges;
}

static void of_engine(struct run *r, smp_generator *generator) {
  smp_engine_call call = {.temperature = r->tau,
                          .top_k = (int32_t)r->k,
                          .given = 1u << SMP_SET_TEMPERATURE | 1u << SMP_SET_TOP_K,
                          .settings_only = 1,
                          .engine = r->source->engine,
                          .variant = r->source->variant};
  if (r->tau == 0) call.given = 1u << SMP_SET_GREEDY; /* candle has no temperature 0 */
  if (r->given[REPLACEMENT].value) call.variant |= SMP_VARIANT_REPLACEMENT;
  smp_engine_result result;
  smp_where where;
  void *work = smp_cli_room(smp_engine_work_size(r->n), 1);
  double *p = smp_cli_room(r->n, sizeof *p);
  check(r, smp_engine_run(r->row, r->n, &call, r->ids, &result, work, &where), &where);
  if (result.refusal)
    smp_cli_fail(SMP_CLI_REFUSED, "--generator: %s: %s", r->source->name, smp_refusal_text(result.refusal));
  check(r, smp_engine_probabilities(r->ids, r->row, result.n_kept, r->sorted, p, &where), &where);
  for (uint32_t j = 0; j < result.n_kept; j++) r->p[r->sorted[j]] = p[j];
  r->stream.weights = r->row;
  r->stream.n_kept = result.n_kept;
  *generator = result.generator;
  if (r->source != SOURCES || result.drawing == SMP_DRAWING_GREEDY) r->stream.drawing = result.drawing;
  free(work);
  free(p);
}

/* What the experiment says of a short row. */
static void check_long(const struct run *r) {
  smp_where where = {SMP_AT_TAU, 0};
  if (!(r->tau >= 0 && r->tau <= 1.7976931348623157e308)) check(r, SMP_ERR_PARAM, &where);
  where.param = SMP_AT_K;
  if (r->n > 0 && (r->k < 1 || r->k > r->n)) check(r, SMP_ERR_PARAM, &where);
}

static void make_ready(struct run *r) {
  smp_where where = {SMP_AT_NONE, 0};
  smp_lab_result lab = {.greedy = 1};
  const smp_lab_options options = {.tau = r->tau, .k = r->k};
  if (r->n <= SMP_LAB_MAX || r->given[LOGITS].value)
    check(r, smp_lab_run(r->logits, r->n, &options, &lab, &where), &where);
  else
    check_long(r);
  const uint32_t n = r->n;
  r->ids = smp_cli_room(n, sizeof *r->ids);
  r->sorted = smp_cli_room(n, sizeof *r->sorted);
  r->p = smp_cli_room(n, sizeof *r->p);
  r->stream = (smp_stream){.ids = r->ids, .rng = &r->rng, .n = n, .drawing = SMP_DRAWING_INVERSE};
  smp_generator generator = SMP_GENERATOR_CHACHA12;
  if (r->source == SOURCES && !lab.greedy)
    of_experiment(r, &lab);
  else
    of_engine(r, &generator);
  if (r->source == SOURCES) generator = SMP_GENERATOR_CHACHA12;
  check_numbers(r);
  const uint64_t seed = smp_cli_seed(r->given[SEED].value);
  check(r, smp_rng_seed(&r->rng, generator, (uint32_t)seed, (uint32_t)(seed >> 32), &where), &where);
}

/* ---- Draws ------------------------------------------------------------------------------------------------------- */

static void draw(struct run *r) {
  smp_where where = {SMP_AT_NONE, 0};
  smp_stream *s = &r->stream;
  r->counts = smp_cli_room(r->n, sizeof *r->counts);
  r->z = smp_cli_room(r->n, sizeof *r->z);
  r->work = smp_cli_room(smp_stream_work_size(s->n_kept), 1);
  s->draws = r->before + r->draws;
  check(r, smp_stream_count(s, r->counts, r->before, r->work, &where), &where);
  memset(r->counts, 0, r->n * sizeof *r->counts);
  r->n_first = r->draws < FIRST ? r->draws : FIRST;
  check(r, smp_stream_draw(s, r->first, NULL, r->n_first, r->work, &where), &where);
  for (uint32_t i = 0; i < r->n_first; i++) r->counts[r->first[i]]++;
  check(r, smp_stream_count(s, r->counts, r->draws - r->n_first, r->work, &where), &where);
  check(r, smp_stats_fit(r->counts, r->p, r->n, r->z, &r->fit, &where), &where);
}

/* The candidates by id, of many the most probable, the smaller id first among equals. */
static void list(struct run *r) {
  const uint32_t n = r->stream.n_kept;
  r->n_listed = n <= LISTED ? n : MOST_PROBABLE;
  r->listed = smp_cli_room(r->n_listed, sizeof *r->listed);
  if (n <= LISTED) {
    memcpy(r->listed, r->sorted, n * sizeof *r->listed);
    return;
  }
  uint32_t filled = 0;
  for (uint32_t j = 0; j < n; j++) {
    uint32_t at = filled;
    while (at > 0 && r->p[r->listed[at - 1]] < r->p[r->sorted[j]]) at--;
    if (at == r->n_listed) continue;
    if (filled < r->n_listed) filled++;
    memmove(r->listed + at + 1, r->listed + at, (filled - 1 - at) * sizeof *r->listed);
    r->listed[at] = r->sorted[j];
  }
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static void print_double(double x) {
  char text[32];
  smp_cli_shortest(text, x);
  printf(strchr(text, 'n') ? "\"%s\"" : "%s", text); /* inf */
}

/* The entries of `ids` in an array of doubles or of counts, or the ids themselves. */
static void print_list(const char *name, const uint32_t *ids, uint32_t n, const double *x, const uint32_t *counts) {
  printf(",\"%s\":[", name);
  for (uint32_t i = 0; i < n; i++) {
    if (i) putchar(',');
    if (x)
      print_double(x[ids[i]]);
    else
      printf("%u", counts ? counts[ids[i]] : ids[i]);
  }
  putchar(']');
}

static void print_json(const struct run *r) {
  const int all = r->stream.n_kept <= LISTED;
  const size_t length = smp_stats_bincount(r->counts, r->n, r->minlength);
  printf("{\"n_kept\":%u", r->stream.n_kept);
  print_list(all ? "kept" : "top_ids", r->listed, r->n_listed, NULL, NULL);
  print_list(all ? "probs" : "top_probs", r->listed, r->n_listed, r->p, NULL);
  print_list("counts", r->listed, r->n_listed, NULL, r->counts);
  print_list("z", r->listed, r->n_listed, r->z, NULL);
  printf(",\"chi_square\":");
  print_double(r->fit.chi_square);
  printf(",\"degrees\":%u,\"p_value\":", r->fit.degrees);
  print_double(r->fit.p_value);
  printf(",\"least\":");
  print_double(r->fit.least);
  printf(",\"bincount_length\":%zu", length);
  if (length <= LISTED) {
    printf(",\"bincount\":[");
    for (size_t i = 0; i < length; i++) printf(i ? ",%u" : "%u", i < r->n ? r->counts[i] : 0);
    putchar(']');
  }
  print_list("ids", r->first, r->n_first, NULL, NULL);
  printf(",\"words\":%.0f}\n", r->rng.words);
}

static void print_table(const struct run *r) {
  printf("%8s  %10s  %14s  %9s\n", "id", "count", "expected", "z");
  for (uint32_t i = 0; i < r->n_listed; i++) {
    const uint32_t id = r->listed[i];
    printf("%8u  %10u  %14.3f  %+9.3f\n", id, r->counts[id], (double)r->draws * r->p[id], r->z[id]);
  }
  if (r->n_listed < r->stream.n_kept) printf("the %u most probable of %u candidates\n", r->n_listed, r->stream.n_kept);
  printf("\n%u draws, %.0f words of the generator; bincount has %zu places of %u\n", r->draws, r->rng.words,
         smp_stats_bincount(r->counts, r->n, r->minlength), r->n);
  if (r->fit.degrees == 0) {
    printf("one id: every draw gives it\n");
    return;
  }
  printf("chi-square %.6g, %u degree%s of freedom, p-value %.6g", r->fit.chi_square, r->fit.degrees,
         r->fit.degrees == 1 ? "" : "s", r->fit.p_value);
  if (r->fit.least < 5) printf(" (reliable where every expected count is 5 or more; here one is %.3g)", r->fit.least);
  putchar('\n');
}

void smp_cli_draw(char **argv) {
  struct smp_cli_option given[N_OPTIONS] = {{"--tau", "1", 0, 0},         {"--top-k", NULL, 0, 0},
                                            {"--generator", "own", 0, 0}, {"--replacement", NULL, 1, 0},
                                            {"--seed", NULL, 0, 0},       {"--draws", "1000", 0, 0},
                                            {"--before", "0", 0, 0},      {"--minlength", "0", 0, 0},
                                            {"--json", NULL, 1, 0},       SMP_CLI_FILE};
  struct run *r = smp_cli_room(1, sizeof *r);
  read_options(r, given, argv);
  make_ready(r);
  draw(r);
  list(r);
  if (given[JSON].value)
    print_json(r);
  else
    print_table(r);
  void *blocks[] = {r->row, r->logits, r->edges, r->ids, r->sorted, r->counts, r->listed, r->p, r->z, r->work, r};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}
