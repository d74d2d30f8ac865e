/* Private to the files of engines (engine*.c). */
#ifndef SMP_ENGINE_H
#define SMP_ENGINE_H

#include "row.h"
#include "smp_engines.h"
#include "sort.h"

#pragma GCC visibility push(hidden)

/* ---- The table of engines (engine_table.c) ----------------------------------------------------------------------- */

enum { ENGINE_SETTINGS = SMP_SET_GREEDY + 1 };

/* Among the steps of an engine: here probabilities are made from what is left, so that the mass that comes after it is
   measured among the survivors. */
enum { ENGINE_SOFTMAX = 31 };

/* Which values a band takes in. _ROW: measured against the number of entries of the row. */
typedef enum engine_limit {
  LIMIT_NONE, /* every value; ends the bands */
  LIMIT_BELOW,
  LIMIT_UP_TO,
  LIMIT_EXACTLY,
  LIMIT_BELOW_ROW,
  LIMIT_UP_TO_ROW,
} engine_limit;

/* What an engine does with a value that was given. */
typedef enum engine_action {
  DO_RUN,
  DO_OFF,            /* the rule does not run */
  DO_KEEP_ALL,       /* nothing is removed; of repeat_last_n: the whole context is seen */
  DO_SEE_NONE,       /* repeat_last_n: no id is penalised */
  DO_MOVE,           /* works with `at` instead */
  DO_GREEDY,         /* takes the argmax; no filter runs */
  DO_ARGMAX,         /* takes the argmax, but the filters run before, and the draw after */
  DO_REFUSE,         /* refuses, also where it would be greedy */
  DO_REFUSE_SAMPLED, /* refuses, unless it is greedy */
  DO_CLOSE,          /* would run: not followed here, the call is refused */
} engine_action;

/* The values of a setting, ascending: the first band that takes a value in decides. */
typedef struct engine_band {
  double at;             /* the limit, and what DO_MOVE moves to */
  unsigned char limit;   /* engine_limit */
  unsigned char action;  /* engine_action */
  unsigned char refusal; /* smp_refusal, of DO_REFUSE and DO_REFUSE_SAMPLED */
} engine_band;

typedef enum engine_default { DEFAULT_NONE, DEFAULT_USUAL, DEFAULT_ALWAYS } engine_default;

/* A step of an engine, and so a setting that it has. */
typedef struct engine_step {
  const engine_band *bands;
  unsigned char setting;     /* smp_setting, or ENGINE_SOFTMAX, which has nothing else */
  unsigned char has_default; /* engine_default; ALWAYS: also where the call says settings_only */
  double standard;           /* the default; of temperature 0 is greedy, whatever a given 0 is */
} engine_step;

/* Other bands of a setting under a variant, or beside a top_k. The first that fits decides. */
typedef struct engine_choice {
  uint32_t variant; /* all of these bits are chosen; 0 for any */
  smp_why top_k;    /* what is said of top_k: SMP_WHY_GIVEN or SMP_WHY_ALL; else it plays no part */
  smp_setting setting;
  const engine_band *bands; /* NULL ends the choices */
} engine_choice;

typedef struct engine_work engine_work;

/* An engine: one row of the table. */
typedef struct engine_profile {
  const char *name;
  smp_refusal (*run)(engine_work *w);
  const engine_step *steps;     /* n_steps of them, in the order in which they run */
  const engine_choice *choices; /* or NULL */
  const unsigned char
      *checks; /* the settings it may refuse, in the order in which it looks, ended by ENGINE_SOFTMAX; NULL for the
                  usual order */
  unsigned char n_steps;
  unsigned char variants; /* the bits that it has */
  unsigned char tie;      /* smp_tie: which of the values equal to the k-th top-k keeps */
  unsigned char boundary; /* smp_boundary: where top-p stops */
  unsigned char drawing, generator;
  unsigned char in_double; /* JavaScript: logits are penalised and divided in double, then rounded to float */
  const char *eos;         /* does the result hold the EOS: yes, no, or caller, where the caller appends */
  const char *how;         /* ran: checked against the package itself, tests/oracle; read: from its source alone */
  const char *version;     /* that was checked */
  const char *date;
  const char *source;
} engine_profile;

/* NULL for an unknown engine. */
const engine_profile *smpi_engine_profile(smp_engine engine);

/* ---- What of it holds for a call (engine_settings.c) ------------------------------------------------------------- */

typedef struct engine_settings {
  smp_setting_state of[ENGINE_SETTINGS];
  smp_refusal refusal; /* the first, in the order in which engines check */
} engine_settings;

/* For a known engine, on a row of n entries. */
void smpi_engine_settings(const smp_engine_call *call, size_t n, engine_settings *settings);

/* The step of a setting, or NULL if the engine does not have it. */
const engine_step *smpi_engine_step(const engine_profile *profile, smp_setting setting);

static inline int is_given(const smp_engine_call *call, smp_setting setting) {
  return (int)(call->given >> setting & 1);
}

/* Whether a call can be run on a row of n entries, and with what settings. */
smp_status smpi_engine_check(const smp_engine_call *call, size_t n, engine_settings *settings, smp_where *where);

/* ---- A row on its way through an engine -------------------------------------------------------------------------- */

struct engine_work {
  const smp_engine_call *call;
  const engine_profile *profile;
  const engine_settings *settings;
  size_t n;            /* entries of the row */
  float *x;            /* the row, penalties done; on return the weights of the candidates */
  float *p;            /* room for n, rounded up to blocks of 64 */
  sort_entry *entries; /* room for n */
  uint32_t *ids;       /* on return the candidates */
  size_t n_kept;       /* on return; at least 1 unless refused */
  smp_drawing drawing; /* at first the profile's, for the variant */
  int by_rounding;
  float size; /* the number whose ulp a trace counts in */
};

/* Whether a filter runs. */
static inline int is_on(const engine_work *w, smp_setting setting) {
  return w->settings->of[setting].on != 0;
}

static inline double value_for(const engine_work *w, smp_setting setting) {
  return w->settings->of[setting].value;
}

/* The first of the largest. n >= 1. */
static inline size_t argmax_of(const float *x, size_t n) {
  size_t first = 0;
  for (size_t i = 1; i < n; i++)
    if (x[i] > x[first]) first = i;
  return first;
}

/* engine.c: the argmax of the row is the only candidate. */
static inline void keep_argmax(engine_work *w) {
  w->ids[0] = (uint32_t)argmax_of(w->x, w->n);
  w->x[0] = 1;
  w->n_kept = 1;
  w->drawing = SMP_DRAWING_GREEDY;
}

/* Whether other arithmetic might put x on the other side of the threshold; the result says so. */
static inline void note_closeness(engine_work *w, float x, float threshold) {
  if (is_close(x, threshold)) w->by_rounding = 1;
}

/* engine_torch.c, engine_candle.c, engine_llama.c: the engines that are replayed exactly. */
smp_refusal smpi_torch_run(engine_work *w);
smp_refusal smpi_candle_run(engine_work *w);
smp_refusal smpi_llama_run(engine_work *w);

/* engine_rules.c: the engines reproduced rule by rule, not bit for bit. */
smp_refusal smpi_rules_run(engine_work *w);

/* engine_torch.c, for engines on torch: the weights w->x of the n_kept packed entries w->ids, w->x become
   probabilities. */
void smpi_torch_softmax(engine_work *w);

/* engine_llama_chain.c: whether the samplers of a call can be run on a row of n entries. */
smp_status smpi_llama_check(const smp_engine_call *call, size_t n, smp_where *where);

/* ---- Traces (engine_trace.c) ------------------------------------------------------------------------------------- */

/* Whether a call's trace, if any, can be made on a row of n entries. */
smp_status smpi_trace_check(const smp_engine_call *call, size_t n, smp_where *where);

/* Whether the call asks for what this filter compares. */
int smpi_trace_asks(const engine_work *w, smp_setting setting);

/* Nothing was compared. */
void smpi_trace_clear(engine_work *w);

/* A filter that is asked for begins. */
void smpi_trace_start(engine_work *w, smp_compared compared);

/* What it compares with, and the number whose ulp is counted. */
void smpi_trace_limit(engine_work *w, float threshold, float size);

/* One comparison; it replaces an earlier one of the same id. */
void smpi_trace_note(engine_work *w, uint32_t id, float value, int kept, int by_rounding);

/* Distances in ulps, at the end. */
void smpi_trace_finish(engine_work *w);

/* ---- Generators (rng.c) ------------------------------------------------------------------------------------------ */

/* Take that many words of MT19937 and do nothing with them. */
void smpi_rng_skip(smp_rng *rng, size_t words);

/* A known number of words, taken from a generator in blocks: `left` of them are still to come after the
   block. Drawing more than that is an error of the caller. */
typedef struct rng_words {
  smp_rng *rng;
  uint64_t left;
  uint32_t at, end;
  uint32_t block[256];
} rng_words;

/* The next block. */
void smpi_rng_fill(rng_words *words);

/* Leave out so many of them. */
void smpi_rng_leave(rng_words *words, uint64_t n);

static inline uint32_t next_word(rng_words *words) {
  if (words->at == words->end) smpi_rng_fill(words);
  return words->block[words->at++];
}

/* In [0, 1), from two words, high first, as torch does. */
static inline double uniform_53_of(uint32_t high, uint32_t low) {
  return (double)(((uint64_t)high << 32 | low) & 0x1fffffffffffff) * 0x1p-53;
}

static inline double uniform_53(rng_words *words) {
  const uint32_t high = next_word(words);
  return uniform_53_of(high, next_word(words));
}

/* MKL's MCG31m1, from which x86 wheels of torch up to 2.6 draw: its first state is seeded by one word. */
uint32_t smpi_rng_seed_mkl(uint32_t word);

/* In (0, 1]. */
float smpi_rng_uniform_mkl(uint32_t *state);

/* Leave out n of its numbers. */
void smpi_rng_skip_mkl(uint32_t *state, uint64_t n);

/* torch's exponential_(1) in float, from a 53-bit uniform number; from one of MKL's. */
float smpi_rng_exponential(double u);
float smpi_rng_exponential_mkl(float u);

/* ---- Draws (engine_draw.c) --------------------------------------------------------------------------------------- */

static inline int is_race(smp_drawing drawing) {
  return drawing == SMP_DRAWING_RACE || drawing == SMP_DRAWING_RACE_MKL || drawing == SMP_DRAWING_BATCH_MKL;
}

/* Which drawing torch.multinomial makes of a call for `draws` ids. */
smp_drawing smpi_draw_kind(smp_drawing drawing, size_t draws);

/* Words of the generator that a draw takes among n entries; of BATCH_MKL none, after the one that begins the batch. */
uint64_t smpi_draw_words(smp_drawing drawing, size_t n);

/* The number in [0, 1) that a draw takes, as its library makes it; 0 for races and the argmax, which take none. */
double smpi_draw_uniform(smp_drawing drawing, rng_words *words);

/* The place of the candidate that wins a race. mkl: the state of that generator, or NULL. ratios: NULL, or room for
   n_kept quotients p / q. */
size_t smpi_draw_race(const uint32_t *ids, const float *weights, size_t n_kept, size_t n, rng_words *words,
                      uint32_t *mkl, float *ratios);

/* SUBTRACT: the place at which the subtraction falls below 0, the last that has weight where it never does. */
size_t smpi_draw_subtract(const float *weights, size_t n, double total, double u);

/* Whether a drawing is replayed. */
int smpi_draw_is_known(smp_drawing drawing);

#pragma GCC visibility pop

#endif
