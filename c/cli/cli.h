/* What the files of the command line share. */
#ifndef SMP_CLI_H
#define SMP_CLI_H

#include <stddef.h>
#include <stdint.h>

#include "smp_engines.h"

enum { SMP_CLI_REFUSED = 1, SMP_CLI_USAGE = 2 };

struct smp_cli_option {
  const char *name;
  const char *value; /* before reading: its default, or NULL */
  int is_flag;
  int was_given; /* set by reading: as which of the options, from 1; 0 if it was not */
};

/* Say what is wrong in one line, and end with a status. */
__attribute__((noreturn, format(printf, 2, 3))) void smp_cli_fail(int status, const char *text, ...);

/* The first bytes of someone's text, fit for a message of one line: in a line that is the caller's own, so that no
   other text overwrites it, until the block that asks for it ends. */
enum { SMP_CLI_LINE = 84 };
#define smp_cli_shown(text, length) smp_cli_show((char[SMP_CLI_LINE]){0}, text, length)
const char *smp_cli_show(char line[SMP_CLI_LINE], const char *text, size_t length);

/* Memory of zeros; ends the command where there is none. */
void *smp_cli_room(size_t count, size_t size);

/* Fill in the options, each as --name VALUE or --name=VALUE; returns the one argument that is none, or NULL. */
const char *smp_cli_options(char **argv, struct smp_cli_option *options, size_t n);

/* A number as C writes it, also hexadecimal, nan and inf: the library says which of them it takes. */
double smp_cli_number(const char *text, size_t length, const char *name);

/* A whole number from 0 to 999999999. */
uint32_t smp_cli_whole(const char *text, const char *name);

/* Decimals that read back as the same double, no more than it takes. */
void smp_cli_shortest(char out[32], double x);

/* Numbers in a list, as --logits of lab and draw has them: stores at most SMP_LAB_MAX, returns how many there are. */
uint32_t smp_cli_logits(const char *text, double *logits);

/* The seed of --seed: a whole number below 2^64. */
uint64_t smp_cli_seed(const char *text);

/* Report a refused call in one line: what is wrong, at which entry or option, and what is allowed. */
void smp_cli_check(smp_status status, const smp_where *where, const char *source, const struct smp_cli_option *option);

/* Six decimals; what these would show as 0 or 1 without being it is shown as below or above. 0 and 1 are exact. */
void smp_cli_six_decimals(char out[32], double x);

/* cli_lab.c */
void smp_cli_lab(char **argv);

/* cli_compare.c */
void smp_cli_compare(char **argv);

/* cli_draw.c */
void smp_cli_draw(char **argv);

/* cli_generate.c */
void smp_cli_generate(char **argv);

/* ---- Files: cli_row.c, or ../wasm/cli_row.c where the npm package reads them -------------------------------------- */

/* What says which row is meant. The name is of the path, fit for messages. */
struct smp_cli_file {
  const char *path, *tensor, *row; /* NULL where not given; the path is always there */
  char name[SMP_CLI_LINE];
};

/* The options among which it is, for the end of a table of options. */
enum { SMP_CLI_FILE_OPTIONS = 3 };
/* clang-format off */
#define SMP_CLI_FILE {"--logits", NULL, 0, 0}, {"--tensor", NULL, 0, 0}, {"--row", NULL, 0, 0}
/* clang-format on */

/* The file that an operand or --logits names. */
struct smp_cli_file smp_cli_file_of(const char *command, const char *operand, const struct smp_cli_option *options);

/* Its row; returns how many entries. row: room for SMP_ROW_MAX + 1. */
size_t smp_cli_row(const struct smp_cli_file *file, float *row);

/* What the help says of FILE, and the commands that there are. */
extern const char smp_cli_files[], smp_cli_commands[];

#endif
