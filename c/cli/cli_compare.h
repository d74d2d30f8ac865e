/* What the files of the command compare share. */
#ifndef SMP_CLI_COMPARE_H
#define SMP_CLI_COMPARE_H

#include "cli.h"

/* What an engine left. */
struct outcome {
  smp_engine engine;
  smp_engine_result result;
  smp_setting_state settings[SMP_SETTINGS];
  uint32_t *ids; /* ascending; NULL if it cannot be run, or refuses */
  double *p;
  uint32_t *drawn; /* NULL if there is no seed, it takes none, or its draws are not replayed */
  double words;
  char *error, *draws_error; /* why it leaves nothing, or draws nothing; NULL if it does */
};

struct draws {
  const char *seed; /* NULL for none */
  uint32_t count;
};

/* Whether a setting was given, and this is what the engine makes of it. Where it cannot be run, none is. */
static inline int smp_cli_is(const struct outcome *o, uint32_t given, smp_setting setting, smp_why why) {
  const int was_run = o->ids || o->result.refusal != SMP_REFUSAL_NONE;
  return was_run && given >> setting & 1 && o->settings[setting].why == why;
}

/* A refusal; {a setting} in it stands for the value of that setting, floats as Python prints them. */
void smp_cli_fill_in(char *text, size_t size, smp_refusal refusal, const smp_engine_call *call, size_t n);

/* cli_compare_json.c: the answer as one line, of the fields that eval's compare has. */
void smp_cli_compare_json(const struct outcome *outcomes, size_t n, const smp_engine_call *call, struct draws draws);

#endif
