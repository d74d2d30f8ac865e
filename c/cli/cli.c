/* The native command line, smp. Runs in the C locale (it never calls setlocale), so numbers are read and written with
   a point everywhere. Exit: 0 done, 1 the values or the file were refused, 2 the command was not understood. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "smp_engines.h"

static const char HELP[] =
    "smp: how a language model's scores become its next token\n"
    "\n"
    "  smp lab --logits \"0 1 2 3\" [--tau 1] [--top-k V] [--tie strict|threshold] [--top-p P] [--inclusive]\n"
    "          [--min-p P] [--u 0.5] [--json]\n"
    "      Scores, probabilities before and after the filters, intervals, and the id that u chooses. Filters run in\n"
    "      the order in which they are given. --inclusive: if the sum meets top-p exactly, one more is kept.\n"
    "      Up to 64 logits, separated by spaces, commas, tabs or newlines. tau 0 is greedy.\n"
    "\n"
    "  smp top FILE [--temperature 1] [--n 10]\n"
    "      The most probable ids of a row of numbers, and the row's entropy.\n"
    "\n"
    "  smp compare FILE --engines transformers,candle,...\n"
    "              [--temperature T] [--top-k K] [--top-p P] [--min-p P] [--typical-p P] [--repetition-penalty R]\n"
    "              [--context \"1 2 3\"] [--settings-only] [--seed S [--draws 1]] [--json]\n"
    "      What each engine keeps, how far they are apart, and the ids that they draw for a seed. Unset options take\n"
    "      the engine's default; with --settings-only they are off. Engines:";

static const char HELP_END[] =
    "\n"
    "\n"
    "  FILE: little-endian 32-bit floats, a .npy of 16, 32 or 64-bit floats, or a JSON array of numbers and \"-inf\".\n"
    "\n"
    "  smp --help, smp --version\n"
    "\n"
    "Exit status: 0 done; 1 a value or the file was refused; 2 the command was not understood.\n";

/* Names of the engines, in lines of at most 110 columns. */
static void print_engines(void) {
  size_t column = strlen("      the engine's default; with --settings-only they are off. Engines:");
  for (smp_engine engine = 0; *smp_engine_name(engine); engine++) {
    const char *name = smp_engine_name(engine);
    const int fits = column + 1 + strlen(name) <= 110;
    printf(fits ? " %s" : "\n      %s", name);
    column = (fits ? column + 1 : 6) + strlen(name);
  }
}

void smp_cli_fail(int status, const char *text, ...) {
  va_list list;
  va_start(list, text);
  fputs("smp: ", stderr);
  vfprintf(stderr, text, list);
  fputs(status == SMP_CLI_USAGE ? " (see smp --help)\n" : "\n", stderr);
  va_end(list);
  exit(status);
}

/* Bytes that a terminal may take for commands: those of C0, DEL, and 0x80 to 0x9f, which are C1 alone and after 0xc2.
   */
static int is_control(const char *text, size_t i, size_t n) {
  const unsigned char c = (unsigned char)text[i], before = i > 0 ? (unsigned char)text[i - 1] : 0;
  if (c == 0xc2) return i + 1 == n || ((unsigned char)text[i + 1] >= 0x80 && (unsigned char)text[i + 1] < 0xa0);
  return c < 32 || c == 127 || (c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2));
}

const char *smp_cli_show(char line[SMP_CLI_LINE], const char *text, size_t length) {
  size_t n = length < 80 ? length : 80;
  for (size_t i = 0; i < n; i++) line[i] = is_control(text, i, n) ? '?' : text[i];
  strcpy(line + n, n < length ? "..." : "");
  return line;
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

const char *smp_cli_options(char **argv, struct smp_cli_option *options, size_t n) {
  const char *operand = NULL;
  for (int given = 0; *argv; argv++) {
    struct smp_cli_option *option = NULL;
    for (size_t i = 0; i < n; i++)
      if (strcmp(*argv, options[i].name) == 0) option = &options[i];
    if (!option) {
      if (strncmp(*argv, "--", 2) == 0)
        smp_cli_fail(SMP_CLI_USAGE, "unknown option \"%s\"", smp_cli_shown(*argv, strlen(*argv)));
      if (operand) smp_cli_fail(SMP_CLI_USAGE, "one argument too many: \"%s\"", smp_cli_shown(*argv, strlen(*argv)));
      operand = *argv;
      continue;
    }
    if (!option->is_flag && !argv[1]) smp_cli_fail(SMP_CLI_USAGE, "%s needs a value", option->name);
    if (option->was_given) smp_cli_fail(SMP_CLI_USAGE, "%s: given twice", option->name);
    option->was_given = ++given;
    option->value = option->is_flag ? "" : *++argv;
  }
  return operand;
}

double smp_cli_number(const char *text, size_t length, const char *name) {
  char *end;
  double x = strtod(text, &end);
  if (length == 0 || strchr(" \t\n\v\f\r", *text) || end != text + length)
    smp_cli_fail(SMP_CLI_USAGE, "%s: \"%s\" is not a number", name, smp_cli_shown(text, length));
  return x;
}

uint32_t smp_cli_whole(const char *text, const char *name) {
  size_t length = strlen(text);
  if (length == 0 || length > 9 || strspn(text, "0123456789") != length)
    smp_cli_fail(SMP_CLI_USAGE, "%s: \"%s\" is not a whole number from 0 to 999999999", name,
                 smp_cli_shown(text, length));
  return (uint32_t)strtoul(text, NULL, 10);
}

/* Report a refused call in one line: what is wrong, at which entry or option, and what is allowed. */
static void check(smp_status status, const smp_where *where, const char *source, const struct smp_cli_option *option) {
  if (status == SMP_OK) return;
  const char *wrong = smp_status_text(status), *allowed = smp_param_allowed(where->param);
  int is_list = where->param == SMP_AT_LOGITS || where->param == SMP_AT_ROW;
  if (is_list && (status == SMP_ERR_NAN || status == SMP_ERR_INF || status == SMP_ERR_PARAM))
    smp_cli_fail(SMP_CLI_REFUSED, "%s: entry %u (from 0) is %s; allowed: %s", source, where->index, wrong, allowed);
  if (is_list) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s; allowed: %s", source, wrong, allowed);
  smp_cli_fail(SMP_CLI_REFUSED, "%s: %s is %s; allowed: %s", option->name, option->value, wrong, allowed);
}

/* Numbers in a list; stores at most SMP_LAB_MAX of them, returns how many there are. */
static uint32_t read_logits(const char *text, double *logits) {
  static const char separators[] = " ,\t\n\r";
  uint32_t n = 0;
  while (*(text += strspn(text, separators))) {
    size_t length = strcspn(text, separators);
    double z = smp_cli_number(text, length, "--logits");
    if (n < SMP_LAB_MAX) logits[n] = z;
    n++;
    text += length;
  }
  return n;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* Six decimals; what these would show as 0 or 1 without being it is shown as below or above. 0 and 1 are exact. */
static void six_decimals(char out[32], double x) {
  double size = x < 0 ? -x : x;
  const char *special = x == 0 ? "0" : x == 1 ? "1" : NULL;
  if (x != 0 && size < 5e-7) special = x < 0 ? "> -0.000001" : "< 0.000001";
  snprintf(out, 32, size < 1e9 ? "%.6f" : "%.6e", x);
  if (x < 1 && strcmp(out, "1.000000") == 0) special = "> 0.999999";
  if (special) strcpy(out, special);
}

void smp_cli_shortest(char out[32], double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, 32, "%.*g", digits, x);
    if (strtod(out, NULL) == x) return;
  }
}

/* ---- smp lab ---------------------------------------------------------------------------------------------------- */

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
  six_decimals(from, lo);
  six_decimals(to, hi);
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
    six_decimals(row[SCORE], r->score[i]);
    six_decimals(row[BEFORE], r->p[i]);
    if (!r->kept[i]) continue;
    six_decimals(row[AFTER], r->q[i]);
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
    six_decimals(mass, s->kept_mass);
    six_decimals(threshold, s->threshold);
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
  six_decimals(mass, r->kept_mass);
  six_decimals(q, r->q[r->id]);
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
static int option_of(smp_param param) {
  return param == SMP_AT_TAU     ? TAU
         : param == SMP_AT_K     ? K
         : param == SMP_AT_TOP_P ? TOP_P
         : param == SMP_AT_MIN_P ? MIN_P
                                 : U;
}

static void lab(char **argv) {
  struct smp_cli_option given[LAB_OPTIONS] = {
      {"--logits", NULL, 0, 0}, {"--tau", "1", 0, 0},        {"--top-k", NULL, 0, 0},
      {"--u", "0.5", 0, 0},     {"--tie", "strict", 0, 0},   {"--json", NULL, 1, 0},
      {"--top-p", NULL, 0, 0},  {"--inclusive", NULL, 1, 0}, {"--min-p", NULL, 0, 0}};
  const char *operand = smp_cli_options(argv, given, LAB_OPTIONS);
  if (operand) smp_cli_fail(SMP_CLI_USAGE, "one argument too many: \"%s\"", smp_cli_shown(operand, strlen(operand)));
  if (!given[LOGITS].value) smp_cli_fail(SMP_CLI_USAGE, "lab needs --logits");
  if (given[INCLUSIVE].value && !given[TOP_P].value) smp_cli_fail(SMP_CLI_USAGE, "--inclusive needs --top-p");

  double logits[SMP_LAB_MAX];
  uint32_t n = read_logits(given[LOGITS].value, logits);
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
  check(status, &where, "--logits", &given[option_of(where.param)]);
  if (given[JSON].value)
    print_lab_json(&result, &filters);
  else
    print_lab(&result, &filters, logits, options.u);
}

/* ---- smp top ---------------------------------------------------------------------------------------------------- */

static void top(char **argv) {
  static float row[SMP_ROW_MAX + 1];
  static uint32_t ids[SMP_ROW_MAX];
  struct smp_cli_option given[] = {{"--temperature", "1", 0, 0}, {"--n", NULL, 0, 0}};
  const char *path = smp_cli_options(argv, given, 2);
  if (!path) smp_cli_fail(SMP_CLI_USAGE, "top needs a file: 32-bit floats, .npy or JSON");
  double temperature = smp_cli_number(given[0].value, strlen(given[0].value), "--temperature");
  uint32_t wanted = given[1].value ? smp_cli_whole(given[1].value, "--n") : 10;
  const char *name = smp_cli_shown(path, strlen(path));
  size_t n = smp_cli_row(path, name, row), m = !given[1].value && n < wanted ? n : wanted;
  smp_where where;
  double entropy;
  check(smp_row_top(row, n, ids, m, &where), &where, name, &given[1]);
  check(smp_row_temperature(row, n, (float)temperature, &where), &where, name, &given[0]);
  check(smp_row_softmax(row, n, &entropy, &where), &where, name, NULL);

  printf("%8s  probability\n", "id");
  for (size_t i = 0; i < m; i++) {
    char text[32];
    six_decimals(text, row[ids[i]]);
    printf("%8u  %11s\n", ids[i], text);
  }
  printf("\n%zu entries, entropy %.6f nats = %.6f bits\n", n, entropy, entropy / smp_log(2));
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0) {
      fputs(HELP, stdout);
      print_engines();
      return fputs(HELP_END, stdout) < 0 || fflush(stdout) != 0;
    }
  if (argc < 2) smp_cli_fail(SMP_CLI_USAGE, "no command");
  if (strcmp(argv[1], "--version") == 0) return printf("smp %s\n", SMP_VERSION) < 0;
  static const struct {
    const char *name;
    void (*run)(char **);
  } commands[] = {{"lab", lab}, {"top", top}, {"compare", smp_cli_compare}};
  const size_t n = sizeof commands / sizeof *commands;
  size_t i = 0;
  while (i < n && strcmp(argv[1], commands[i].name) != 0) i++;
  if (i == n)
    smp_cli_fail(SMP_CLI_USAGE, "unknown command \"%s\"; there are lab, top and compare",
                 smp_cli_shown(argv[1], strlen(argv[1])));
  commands[i].run(argv + 2);
  if (fflush(stdout) || ferror(stdout)) smp_cli_fail(SMP_CLI_REFUSED, "cannot write the result: %s", strerror(errno));
  return 0;
}
