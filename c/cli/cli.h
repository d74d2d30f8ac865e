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

/* Fill in the options; returns the one argument that is none, or NULL. */
const char *smp_cli_options(char **argv, struct smp_cli_option *options, size_t n);

/* A number as C writes it, also hexadecimal, nan and inf: the library says which of them it takes. */
double smp_cli_number(const char *text, size_t length, const char *name);

/* A whole number from 0 to 999999999. */
uint32_t smp_cli_whole(const char *text, const char *name);

/* Decimals that read back as the same double, no more than it takes. */
void smp_cli_shortest(char out[32], double x);

/* cli_row.c: a file of little-endian 32-bit floats, or a .npy of floats of 16, 32 or 64 bits in one dimension, or a
   JSON array; returns how many.
   row: room for SMP_ROW_MAX + 1. */
size_t smp_cli_row(const char *path, const char *name, float *row);

/* cli_compare.c */
void smp_cli_compare(char **argv);

#endif
