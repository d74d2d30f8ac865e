/* smp lab: the experiment, as a table or as eval's answer. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static void print_json(double x) {
  char text[32];
  smp_cli_shortest(text, x);
  printf(strcmp(text, "-inf") == 0 ? "\"%s\"" : "%s", text);
}

/* x, or the pairs [x, y] if there is a y; of the marked candidates, or of all. */
static void print_json_array(const char *before, const double *x, const double *y, const uint8_t *marked, uint32_t n) {
  const char *comma = "";
  printf("%s[", before);
  for (uint32_t i = 0; i < n; i++) {
    if (marked && !marked[i]) continue;
    printf(y ? "%s[" : "%s", comma);
    print_json(x[i]);
    if (y) printf(","), print_json(y[i]), printf("]");
    comma = ",";
  }
  printf("]");
}

/* The filters of a call, with what each did. */
struct filters {
  smp_step filter[SMP_LAB_FILTERS];
  smp_lab_step step[SMP_LAB_FILTERS];
  const char *name[SMP_LAB_FILTERS]; /* top-k */
  uint32_t n;
};

/* One number after the other of the ids in descending order; of the ids themselves if x is NULL. */
static void print_json_found(const char *before, const smp_lab_step *s, const double *x) {
  double found[SMP_LAB_MAX];
  uint32_t n = 0;
  for (uint32_t i = 0; i < SMP_LAB_MAX; i++)
    if (s->rank[i]) found[s->rank[i] - 1] = x ? x[i] : i, n++;
  print_json_array(before, found, NULL, NULL, n);
}

static void print_json_field(const char *before, double x) {
  fputs(before, stdout);
  print_json(x);
}

/* `info` of the eval operation. */
static void print_json_filters(const struct filters *f, const double *ids, uint32_t n) {
  printf(",\"info\":[");
  for (uint32_t i = 0; i < f->n; i++) {
    const smp_lab_step *s = &f->step[i];
    uint8_t removed[SMP_LAB_MAX];
    for (uint32_t id = 0; id < n; id++) removed[id] = s->rank[id] && !s->kept[id];
    printf("%s{\"step\":\"%.3s_%s\"", i ? "," : "", f->name[i], f->name[i] + 4);
    print_json_field(",\"threshold\":", s->threshold);
    printf(",\"meets\":%s", s->meets ? "true" : "false");
    print_json_field(",\"mass_before\":", s->mass_before);
    print_json_field(",\"mass_after\":", s->mass_after);
    print_json_field(",\"kept_mass\":", s->kept_mass);
    print_json_field(",\"removed_mass\":", s->removed_mass);
    print_json_found(",\"found\":", s, NULL);
    print_json_found(",\"p\":", s, s->p);
    print_json_found(",\"values\":", s, s->value);
    print_json_array(",\"removed\":", ids, NULL, removed, n);
    print_json_array(",\"kept\":", ids, NULL, s->kept, n);
    print_json_array(",\"q\":", s->q, NULL, s->kept, n);
    printf("}");
  }
  printf("]");
}

static void print_lab_json(const smp_lab_result *r, const struct filters *f) {
  if (r->greedy) {
    printf("{\"greedy\":true,\"id\":%u,\"scores\":null,\"p\":null,\"kept\":null,\"q\":null,\"intervals\":null%s}\n",
           r->id, f->n ? ",\"info\":null" : "");
    return;
  }
  double ids[SMP_LAB_MAX];
  for (uint32_t i = 0; i < r->n; i++) ids[i] = i;
  print_json_array("{\"scores\":", r->score, NULL, NULL, r->n);
  print_json_array(",\"p\":", r->p, NULL, NULL, r->n);
  print_json_array(",\"kept\":", ids, NULL, r->kept, r->n);
  print_json_array(",\"q\":", r->q, NULL, r->kept, r->n);
  print_json_array(",\"intervals\":", r->lo, r->hi, r->kept, r->n);
  if (f->n) print_json_filters(f, ids, r->n);
  printf(",\"id\":%u}\n", r->id);
}

static void interval_text(char out[32], double lo, double hi) {
  char from[32], to[32];
  smp_cli_six_decimals(from, lo);
  smp_cli_six_decimals(to, hi);
  snprintf(out, 32, "[%.12s, %.12s)", from, to);
}

enum { ID, LOGIT, SCORE, BEFORE, AFTER, INTERVAL, STATE, COLUMNS };

static void print_lab_table(const smp_lab_result *r, const struct filters *f, const double *logits) {
  static char cells[SMP_LAB_MAX + 1][COLUMNS][32] = {{"id", "logit", "score", "before", "after", "interval", "state"}};
  for (uint32_t i = 0; i < r->n; i++) {
    char(*row)[32] = cells[i + 1];
    snprintf(row[ID], 32, "%u", i);
    smp_cli_shortest(row[LOGIT], logits[i]);
    for (int column = SCORE; column <= INTERVAL; column++) strcpy(row[column], "-");
    strcpy(row[STATE], i == r->id ? "chosen" : r->greedy ? "-" : r->kept[i] ? "kept" : "removed");
    if (f->n && r->removed_by[i]) snprintf(row[STATE], 32, "removed by %s", f->name[r->removed_by[i] - 1]);
    if (r->greedy) continue;
    smp_cli_six_decimals(row[SCORE], r->score[i]);
    smp_cli_six_decimals(row[BEFORE], r->p[i]);
    if (!r->kept[i]) continue;
    smp_cli_six_decimals(row[AFTER], r->q[i]);
    interval_text(row[INTERVAL], r->lo[i], r->hi[i]);
  }
  int width[COLUMNS] = {0};
  for (uint32_t i = 0; i <= r->n; i++)
    for (int column = 0; column < STATE; column++)
      if ((int)strlen(cells[i][column]) > width[column]) width[column] = (int)strlen(cells[i][column]);
  for (uint32_t i = 0; i <= r->n; i++) {
    for (int column = 0; column < INTERVAL; column++) printf("%*s  ", width[column], cells[i][column]);
    printf("%-*s  %s\n", width[INTERVAL], cells[i][INTERVAL], cells[i][STATE]);
  }
}

/* A line for each filter: its number, what it kept of what it found, and whether its other tie keeps another set. */
static void print_filters(const struct filters *f, uint32_t n) {
  for (uint32_t i = 0; i < f->n; i++) {
    const smp_step *filter = &f->filter[i];
    const smp_lab_step *s = &f->step[i];
    char number[32], mass[32], threshold[32];
    smp_cli_shortest(number, filter->kind == SMP_STEP_TOP_K ? filter->count : filter->value);
    smp_cli_six_decimals(mass, s->kept_mass);
    smp_cli_six_decimals(threshold, s->threshold);
    printf("%s %s: kept %u of %u, probability %s of what was left", f->name[i], number, s->n_kept, n, mass);
    if (filter->kind == SMP_STEP_MIN_P) printf("; threshold %s", threshold);
    if (s->meets)
      printf(filter->kind == SMP_STEP_TOP_P ? "; the sum meets p exactly: %s" : "; a tie at the threshold: %s",
             filter->tie == SMP_TIE_STRICT      ? "strict"
             : filter->tie == SMP_TIE_INCLUSIVE ? "inclusive"
                                                : "threshold");
    printf("\n");
    n = s->n_kept;
  }
}

static void print_lab(const smp_lab_result *r, const struct filters *f, const double *logits, double u) {
  print_lab_table(r, f, logits);
  if (r->greedy) {
    printf("\ntau = 0: the argmax, the smallest id among equals; no probabilities, and u and %s are ignored\n",
           f->n ? "filters" : "top-k");
    printf("chosen: id %u\n", r->id);
    return;
  }
  char mass[32], q[32], interval[32], place[32];
  smp_cli_six_decimals(mass, r->kept_mass);
  smp_cli_six_decimals(q, r->q[r->id]);
  interval_text(interval, r->lo[r->id], r->hi[r->id]);
  smp_cli_shortest(place, u);
  printf("\n");
  print_filters(f, r->n);
  printf("kept: %u of %u, their probability before: %s\n", r->n_kept, r->n, mass);
  printf("chosen: id %u, probability %s, u = %s in %s\n", r->id, q, place, interval);
}

enum { LOGITS, TAU, K, U, TIE, JSON, TOP_P, INCLUSIVE, MIN_P, LAB_OPTIONS };

/* The filters in the order in which they were given. */
static void read_filters(const struct smp_cli_option *given, smp_tie tie, struct filters *f) {
  f->n = 0;
  for (int place = 1; place <= LAB_OPTIONS; place++)
    for (int i = K; i <= MIN_P; i++) {
      const char *value = given[i].value;
      if (given[i].was_given != place || (i != K && i != TOP_P && i != MIN_P)) continue;
      smp_step *filter = &f->filter[f->n];
      f->name[f->n++] = given[i].name + strlen("--");
      filter->kind = i == K ? SMP_STEP_TOP_K : i == TOP_P ? SMP_STEP_TOP_P : SMP_STEP_MIN_P;
      if (i == K)
        filter->count = smp_cli_whole(value, given[i].name), filter->tie = tie;
      else
        filter->value = smp_cli_number(value, strlen(value), given[i].name);
      if (i == TOP_P && given[INCLUSIVE].value) filter->tie = SMP_TIE_INCLUSIVE;
    }
}

/* The option that a refused call points at. */
static int refused_option(smp_param param) {
  return param == SMP_AT_TAU     ? TAU
         : param == SMP_AT_K     ? K
         : param == SMP_AT_TOP_P ? TOP_P
         : param == SMP_AT_MIN_P ? MIN_P
                                 : U;
}

void smp_cli_lab(char **argv) {
  struct smp_cli_option given[LAB_OPTIONS] = {
      {"--logits", NULL, 0, 0}, {"--tau", "1", 0, 0},        {"--top-k", NULL, 0, 0},
      {"--u", "0.5", 0, 0},     {"--tie", "strict", 0, 0},   {"--json", NULL, 1, 0},
      {"--top-p", NULL, 0, 0},  {"--inclusive", NULL, 1, 0}, {"--min-p", NULL, 0, 0}};
  const char *operand = smp_cli_options(argv, given, LAB_OPTIONS);
  if (operand) smp_cli_fail(SMP_CLI_USAGE, "one argument too many: \"%s\"", smp_cli_shown(operand, strlen(operand)));
  if (!given[LOGITS].value) smp_cli_fail(SMP_CLI_USAGE, "lab needs --logits");
  if (given[INCLUSIVE].value && !given[TOP_P].value) smp_cli_fail(SMP_CLI_USAGE, "--inclusive needs --top-p");

  double logits[SMP_LAB_MAX];
  uint32_t n = smp_cli_logits(given[LOGITS].value, logits);
  const char *tau = given[TAU].value, *u = given[U].value, *k = given[K].value, *tie = given[TIE].value;
  static struct filters filters;
  smp_lab_options options = {.tau = smp_cli_number(tau, strlen(tau), "--tau"),
                             .u = smp_cli_number(u, strlen(u), "--u")};
  options.k = k ? smp_cli_whole(k, "--top-k") : n;
  options.tie = strcmp(tie, "threshold") == 0 ? SMP_TIE_THRESHOLD : SMP_TIE_STRICT;
  if (options.tie == SMP_TIE_STRICT && strcmp(tie, "strict") != 0)
    smp_cli_fail(SMP_CLI_USAGE, "--tie: \"%s\" is not one of strict, threshold", smp_cli_shown(tie, strlen(tie)));
  if (given[TOP_P].value || given[MIN_P].value) {
    read_filters(given, options.tie, &filters);
    options.k = 0;
    options.filters = filters.filter;
    options.n_filters = filters.n;
    options.steps = filters.step;
  }

  smp_lab_result result;
  smp_where where = {SMP_AT_NONE, 0};
  smp_status status = smp_lab_run(logits, n, &options, &result, &where);
  smp_cli_check(status, &where, "--logits", &given[refused_option(where.param)]);
  if (given[JSON].value)
    print_lab_json(&result, &filters);
  else
    print_lab(&result, &filters, logits, options.u);
}
