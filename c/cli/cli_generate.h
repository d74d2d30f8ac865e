/* What the files of the command generate share. */
#ifndef SMP_CLI_GENERATE_H
#define SMP_CLI_GENERATE_H

#include "cli.h"
#include "smp_gpt.h"

enum { SMP_CLI_STEPS = 5, SMP_CLI_BATCH = 1000 };

/* All that can change what is written. */
struct smp_cli_asked {
  const char *model; /* a name, or the path of a file */
  const char *by;    /* "own", or the name of an engine */
  struct {
    const char *name; /* transformers' name of it */
    double value;
  } steps[SMP_CLI_STEPS]; /* in the order in which they run; of an engine, its settings */
  uint32_t n_steps, n_prompt, max_new, batch;
  uint32_t *prompt; /* ids, after the END at the start */
  uint64_t seed;    /* of the first text; the next ones count up */
  int draws;        /* 0: greedy, and there is no seed */
  int ends;         /* END ends a text */
};

/* A text that was written: new ids, and ln of the probability of each in the model's own row, and in the distribution
   that it was drawn from, which is positive where that is not known. */
struct smp_cli_written {
  uint32_t *ids;
  double *log_p, *final_log_p;
  uint32_t n;
};

/* A model that is open. */
struct smp_cli_model {
  const unsigned char *file;
  size_t size;
  smp_gpt gpt;
  smp_tokens tokens;
};

/* cli_record.c: the record of a run as JSON; the caller frees it. */
char *smp_cli_record(const struct smp_cli_asked *asked, const struct smp_cli_model *model,
                     const struct smp_cli_written *texts);

/* The model that a record names. */
const char *smp_cli_record_model(const char *path, const char *text);

/* What it asks for; all else is compared once it has been done again. */
void smp_cli_record_read(const char *path, const char *text, struct smp_cli_asked *asked);

/* Ends the command with the first line in which two records differ, if one does. */
void smp_cli_record_compare(const char *path, const char *recorded, const char *now);

/* ---- Files: cli_file.c, or ../wasm/cli_row.c in the npm package ------------------------------------------------ */

/* The bytes of a file, a zero behind them; the caller frees them. */
unsigned char *smp_cli_read(const char *path, size_t *size);

/* The model of a name, or of a file. */
const unsigned char *smp_cli_model_file(const char *name, size_t *size);

void smp_cli_write(const char *path, const char *text, size_t size);

#endif
