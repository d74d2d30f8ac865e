/* The command line: smp, and in the npm package sampling-lab, which is this program as a wasm module. Runs in the C
   locale (it never calls setlocale), so numbers are read and written with a point everywhere. Exit: 0 done, 1 the
   values or the file were refused, 2 the command was not understood. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "smp_engines.h"

/* @ stands for the name of the command. */
static const char HELP[] =
    "@: how a language model's scores become its next token\n"
    "\n"
    "  @ lab --logits \"0 1 2 3\" [--tau 1] [--top-k V] [--tie strict|threshold] [--top-p P] [--inclusive]\n"
    "        [--min-p P] [--u 0.5] [--json]\n"
    "      Scores, probabilities before and after the filters, intervals, and the id that u chooses. Filters run in\n"
    "      the order in which they are given. --inclusive: if the sum meets top-p exactly, one more is kept.\n"
    "      Up to 64 logits, separated by spaces, commas, tabs or newlines. tau 0 is greedy.\n"
    "\n"
    "  @ top FILE [--temperature 1] [--n 10]\n"
    "      The most probable ids of a row of numbers, and the row's entropy.\n"
    "\n"
    "  @ draw --logits \"0 1 2 3\" | FILE  --seed S [--draws 1000] [--tau 1] [--top-k V]\n"
    "         [--generator own|torch|torch-mkl|candle|llama.cpp|transformers.js] [--replacement]\n"
    "         [--before 0] [--minlength 0] [--json]\n"
    "      One distribution drawn again and again: counts, what was expected, and how well they fit. torch-mkl: x86\n"
    "      wheels of torch up to 2.6. --replacement: torch draws all in one call, with replacement. --before: so many\n"
    "      draws come first and are not counted.\n"
    "\n"
    "  @ compare FILE --engines transformers,candle,...\n"
    "              [--temperature T] [--top-k K] [--top-p P] [--min-p P] [--typical-p P] [--repetition-penalty R]\n"
    "              [--context \"1 2 3\"] [--settings-only] [--seed S [--draws 1]] [--json]\n"
    "      What each engine keeps, how far they are apart, and the ids that they draw for a seed. Unset options take\n"
    "      the engine's default; with --settings-only they are off. Engines:";

static const char HELP_END[] =
    "\n"
    "\n"
    "  @ generate --model zh|FILE --seed S [--prompt TEXT] [--max-new 40] [--batch 1] [--no-eos]\n"
    "             [--temperature T] [--top-k K] [--top-p P] [--min-p P] [--repetition-penalty R] [--engine NAME]\n"
    "             [--logprobs] [--stream] [--record FILE]\n"
    "  @ generate --replay FILE\n"
    "      A tiny language model writes: zh, which is inside, quatrains. Penalty and temperature come first, then the\n"
    "      filters as they are given; temperature 0 is greedy. --engine: one whose draws are replayed chooses "
    "instead.\n"
    "      --batch: so many texts, of seeds S, S + 1 ... --no-eos: the end of a text ends nothing. --record: all that\n"
    "      can change the texts, as JSON; --replay does it again and refuses what does not come out the same.\n"
    "\n"
    "  @ --help, @ --version\n"
    "\n"
    "Exit status: 0 done; 1 a value or the file was refused; 2 the command was not understood.\n";

/* What the command is called: the last part of argv[0]. */
static char command_name[SMP_CLI_LINE] = "smp";

static void print_help(const char *text) {
  for (; *text; text++)
    if (*text == '@')
      fputs(command_name, stdout);
    else
      putchar(*text);
}

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
  fprintf(stderr, "%s: ", command_name);
  vfprintf(stderr, text, list);
  if (status == SMP_CLI_USAGE) fprintf(stderr, " (see %s --help)", command_name);
  fputs("\n", stderr);
  va_end(list);
  exit(status);
}

/* Bytes that a terminal may take for commands: C0, DEL, and 0x80 to 0x9f, which are C1 alone and after 0xc2. */
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

void *smp_cli_room(size_t count, size_t size) {
  void *block = calloc(count ? count : 1, size);
  if (!block) smp_cli_fail(SMP_CLI_REFUSED, "no memory for %zu entries", count);
  return block;
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* The length of an option's name, as in --name or --name=VALUE. */
static size_t name_length(const char *argument) {
  return strcspn(argument, "=");
}

static struct smp_cli_option *option_of(const char *argument, struct smp_cli_option *options, size_t n) {
  const size_t length = name_length(argument);
  for (size_t i = 0; i < n; i++)
    if (strlen(options[i].name) == length && memcmp(options[i].name, argument, length) == 0) return &options[i];
  return NULL;
}

const char *smp_cli_options(char **argv, struct smp_cli_option *options, size_t n) {
  const char *operand = NULL;
  for (int given = 0; *argv; argv++) {
    struct smp_cli_option *option = option_of(*argv, options, n);
    if (!option) {
      if (strncmp(*argv, "--", 2) == 0)
        smp_cli_fail(SMP_CLI_USAGE, "unknown option \"%s\"", smp_cli_shown(*argv, name_length(*argv)));
      if (operand) smp_cli_fail(SMP_CLI_USAGE, "one argument too many: \"%s\"", smp_cli_shown(*argv, strlen(*argv)));
      operand = *argv;
      continue;
    }
    const char *value = *argv + name_length(*argv);
    value = *value ? value + 1 : NULL;
    if (option->is_flag && value) smp_cli_fail(SMP_CLI_USAGE, "%s takes no value", option->name);
    if (!option->is_flag && !value && !argv[1]) smp_cli_fail(SMP_CLI_USAGE, "%s needs a value", option->name);
    if (option->was_given) smp_cli_fail(SMP_CLI_USAGE, "%s: given twice", option->name);
    option->was_given = ++given;
    option->value = option->is_flag ? "" : value ? value : *++argv;
  }
  return operand;
}

struct smp_cli_file smp_cli_file_of(const char *command, const char *operand, const struct smp_cli_option *options) {
  const char *named = options[0].value;
  if (operand && named)
    smp_cli_fail(SMP_CLI_USAGE, "one argument too many: \"%s\", and --logits names a file",
                 smp_cli_shown(operand, strlen(operand)));
  struct smp_cli_file file = {.path = operand ? operand : named, .tensor = options[1].value, .row = options[2].value};
  if (!file.path || !*file.path) smp_cli_fail(SMP_CLI_USAGE, "%s needs a file: FILE or --logits FILE", command);
  smp_cli_show(file.name, file.path, strlen(file.path));
  return file;
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

uint64_t smp_cli_seed(const char *text) {
  uint64_t seed = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; at++) {
    const uint64_t digit = (uint64_t)(*at - '0');
    if (seed > (UINT64_MAX - digit) / 10) break;
    seed = seed * 10 + digit;
  }
  if (*at || at == text)
    smp_cli_fail(SMP_CLI_USAGE, "--seed: \"%s\" is not a whole number from 0 to 18446744073709551615",
                 smp_cli_shown(text, strlen(text)));
  return seed;
}

void smp_cli_check(smp_status status, const smp_where *where, const char *source, const struct smp_cli_option *option) {
  if (status == SMP_OK) return;
  const char *wrong = smp_status_text(status), *allowed = smp_param_allowed(where->param);
  int is_list = where->param == SMP_AT_LOGITS || where->param == SMP_AT_ROW;
  if (is_list && (status == SMP_ERR_NAN || status == SMP_ERR_INF || status == SMP_ERR_PARAM))
    smp_cli_fail(SMP_CLI_REFUSED, "%s: entry %u (from 0) is %s; allowed: %s", source, where->index, wrong, allowed);
  if (is_list) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s; allowed: %s", source, wrong, allowed);
  smp_cli_fail(SMP_CLI_REFUSED, "%s: %s is %s; allowed: %s", option->name, option->value, wrong, allowed);
}

uint32_t smp_cli_logits(const char *text, double *logits) {
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

void smp_cli_six_decimals(char out[32], double x) {
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

/* ---- smp top ---------------------------------------------------------------------------------------------------- */

static void top(char **argv) {
  static float row[SMP_ROW_MAX + 1];
  static uint32_t ids[SMP_ROW_MAX];
  enum { TEMPERATURE, N, N_OPTIONS };
  struct smp_cli_option given[] = {{"--temperature", "1", 0, 0}, {"--n", NULL, 0, 0}, SMP_CLI_FILE};
  const char *operand = smp_cli_options(argv, given, N_OPTIONS + SMP_CLI_FILE_OPTIONS);
  const struct smp_cli_file file = smp_cli_file_of("top", operand, given + N_OPTIONS);
  const char *temperature = given[TEMPERATURE].value, *count = given[N].value;
  const double t = smp_cli_number(temperature, strlen(temperature), "--temperature");
  const uint32_t wanted = count ? smp_cli_whole(count, "--n") : 10;
  const size_t n = smp_cli_row(&file, row), m = !count && n < wanted ? n : wanted;
  smp_where where;
  double entropy;
  smp_cli_check(smp_row_top(row, n, ids, m, &where), &where, file.name, &given[N]);
  smp_cli_check(smp_row_temperature(row, n, (float)t, &where), &where, file.name, &given[TEMPERATURE]);
  smp_cli_check(smp_row_softmax(row, n, &entropy, &where), &where, file.name, NULL);

  printf("%8s  probability\n", "id");
  for (size_t i = 0; i < m; i++) {
    char text[32];
    smp_cli_six_decimals(text, row[ids[i]]);
    printf("%8u  %11s\n", ids[i], text);
  }
  printf("\n%zu entries, entropy %.6f nats = %.6f bits\n", n, entropy, entropy / smp_log(2));
}

static void take_name(const char *called) {
  const char *base = called ? strrchr(called, '/') : NULL;
  base = base ? base + 1 : called;
  if (base && *base) smp_cli_show(command_name, base, strlen(base));
}

static int help(void) {
  print_help(HELP);
  print_engines();
  printf("\n\n%s", smp_cli_files);
  print_help(HELP_END);
  return fflush(stdout) != 0 || ferror(stdout);
}

int main(int argc, char **argv) {
  take_name(argv[0]);
  if (argc > 1 && strcmp(argv[1], "help") == 0) return help();
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0) return help();
  if (argc < 2) smp_cli_fail(SMP_CLI_USAGE, "no command");
  if (strcmp(argv[1], "--version") == 0) return printf("%s %s\n", command_name, SMP_VERSION) < 0;
  static const struct {
    const char *name;
    void (*run)(char **);
  } commands[] = {{"lab", smp_cli_lab},
                  {"top", top},
                  {"draw", smp_cli_draw},
                  {"compare", smp_cli_compare},
                  {"generate", smp_cli_generate}};
  const size_t n = sizeof commands / sizeof *commands;
  size_t i = 0;
  while (i < n && strcmp(argv[1], commands[i].name) != 0) i++;
  if (i == n)
    smp_cli_fail(SMP_CLI_USAGE, "unknown command \"%s\"; there are %s", smp_cli_shown(argv[1], strlen(argv[1])),
                 smp_cli_commands);
  commands[i].run(argv + 2);
  if (fflush(stdout) || ferror(stdout)) smp_cli_fail(SMP_CLI_REFUSED, "cannot write the result: %s", strerror(errno));
  return 0;
}
