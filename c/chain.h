/* Private to the files of chains (chain*.c): a row on its way through a chain, the rules, and what they are made of. */
#ifndef SMP_CHAIN_H
#define SMP_CHAIN_H

#include "row.h"

#pragma GCC visibility push(hidden)

enum { CHAIN_BUCKETS = 1024 };

/* What is handed from step to step. The caller's row is only read until the end, so that an error leaves it as it was.
   Entries are either all of the row, or a list of those that are left, packed, ids ascending; both are padded with -inf
   to whole blocks. */
typedef struct chain_run {
  const float *x;    /* the entries, still to be divided by tau: the row itself, or `values` */
  float *values;     /* room for our own copy of them */
  float *weight;     /* e^(x / tau - max), if weighed */
  float *key;        /* room for n floats: what a filter orders by */
  float *block_max;  /* the largest of each block of x / tau, if not listed */
  float *tail;       /* a copy of the last, shorter block of the row, padded */
  double *block_sum; /* sum of weight in each block, if weighed */
  double *mass;      /* CHAIN_BUCKETS */
  uint32_t *filled;  /* CHAIN_BUCKETS */
  uint32_t *ids;     /* of the entries, if listed */
  size_t n_row, n;   /* entries of the row, entries of x */
  size_t n_live;     /* entries above -inf: at least 1 after every step */
  double sum;        /* of weight, if weighed */
  double mass_kept;  /* by the step that runs, of the distribution it found */
  float tau;         /* division still to be done; 1 if there is none */
  float max, least;  /* of x / tau; least is -inf or NaN where it is not known */
  int listed, weighed, by_rounding;
} chain_run;

/* The block of entries that starts at `at`. */
static inline const float *run_block(const chain_run *run, size_t at) {
  return run->x != run->values && at + SMP_ROW_BLOCK > run->n ? run->tail : run->x + at;
}

/* ---- Rules ------------------------------------------------------------------------------------------------------- */

/* What a step of a rule takes besides its kind. */
typedef enum rule_shape {
  RULE_VALUE,  /* `value` */
  RULE_WINDOW, /* `value`, and in `count` how many ids at the end of the context are seen, 0 for all */
  RULE_COUNT,  /* `count`, at least 1 */
  RULE_IDS,    /* `count` ids */
  RULE_PAIRS,  /* `count` ids with `values` */
} rule_shape;

/* Runs one step. 0 where its result would not be finite, or nothing would be left: the chain is then refused. */
typedef int rule_apply(chain_run *run, const smp_step *step, const smp_chain *chain);

/* One row of the table in chain.c. */
typedef struct chain_rule {
  smp_param param; /* what an error points at; its text is the rule's name */
  rule_shape shape;
  double low, high;   /* of `value` */
  int includes_low;   /* else value > low */
  int includes_high;  /* else value < high */
  int removes;        /* removes entries by rank or probability; else changes numbers, or removes single ids */
  int may_remove_max; /* else the largest entry always survives */
  int has_tie;        /* takes `tie` */
  smp_tie usual_tie;  /* then the tie of transformers, for faces that have defaults */
  rule_apply *apply;  /* on a row or a list */
} chain_rule;

/* chain.c: NULL for an unknown kind. */
const chain_rule *smpi_chain_rule(smp_step_kind kind);

/* chain_change.c */
rule_apply smpi_temperature, smpi_repetition_penalty, smpi_presence_penalty, smpi_frequency_penalty, smpi_logit_bias,
    smpi_suppress_tokens;
/* chain_no_repeat.c */
rule_apply smpi_no_repeat_ngram;
/* the file of that name */
rule_apply smpi_top_k, smpi_top_p, smpi_min_p, smpi_epsilon, smpi_eta, smpi_typical, smpi_top_h, smpi_top_n_sigma;

/* chain_top_k.c: top-k with a k of its own. */
void smpi_chain_keep_top_k(chain_run *run, size_t k, smp_tie tie);

/* ---- State (chain_state.c) --------------------------------------------------------------------------------------- */

/* Start a run on a row; find the smallest entry too if `with_least`. Errors: those of smp_row_scan. */
smp_status smpi_chain_start(chain_run *run, const float *row, size_t n, int with_least, smp_where *where);

/* Copy the entries into `values`, divided by tau. */
void smpi_chain_own(chain_run *run);

/* After entries have changed: voids the weights, finds the maximum again, and closes a list up over those gone. */
void smpi_chain_settle(chain_run *run);

/* Count the entries above -inf of a row that is no list. */
size_t smpi_chain_count_live(const chain_run *run);

/* Where an id stands, or SIZE_MAX if it has been removed. */
size_t smpi_chain_place_of(const chain_run *run, uint32_t id);

/* Give an entry of our own that is above -inf a new value. 0 if that is not below +inf. */
int smpi_chain_change(chain_run *run, size_t place, float x);

/* ---- Weights (chain_weigh.c) and the draw (chain_draw.c) --------------------------------------------------------- */

/* Weights and their sums, unless they are there. */
void smpi_chain_weigh(chain_run *run);

/* Only the sums, after which the run ends: the weights may be void. */
void smpi_chain_sum(chain_run *run);

/* The weights of the block that starts at `at`. */
void smpi_chain_weigh_block(chain_run *run, size_t at);

/* The sums again, of weights that are there. */
void smpi_chain_total(chain_run *run);

/* Of the weighed entries, in nats. */
double smpi_chain_entropy(const chain_run *run);

/* The place of the entry at u of a run that is weighed, or summed. */
size_t smpi_chain_draw(chain_run *run, double u);

/* The same with the entries laid out by descending value, equals by id. Needs weights; makes entries our own, and voids
   `key`. */
size_t smpi_chain_draw_descending(chain_run *run, double u);

/* ---- Where a cumulative sum crosses a limit (chain_cut.c) -------------------------------------------------------- */

/* Entries in ascending order of their keys, each with a mass: where the cumulative sum first exceeds a limit. */
typedef struct chain_cut {
  size_t place;    /* of an entry there */
  float key;       /* its key */
  uint32_t before; /* entries with the same key before it */
  uint32_t equal;  /* all entries with that key */
  double distance; /* from the limit to the nearer of the sums on both sides of the cut */
} chain_cut;

typedef struct chain_cut_search {
  const float *key; /* n of them, none NaN */
  size_t n;
  double base;         /* mass below all entries */
  int even;            /* keys are finite and spread evenly enough for buckets of one width */
  double limit;        /* a float, unless exact */
  const float *weight; /* mass is (float)(weight * share), and the sum is rounded to float before it is compared */
  float share;
  const float *exact; /* or, if not NULL: mass is e^(exact - max) / sum in double, compared in double */
  double max, sum;
  double *mass;     /* CHAIN_BUCKETS */
  uint32_t *filled; /* CHAIN_BUCKETS */
} chain_cut_search;

/* If no sum exceeds the limit the cut is at the last entry; of no entries it is at place 0, with none equal. */
chain_cut smpi_chain_cut_find(const chain_cut_search *s);

/* A search with room of the run, share 1, and no weights yet. */
static inline chain_cut_search search_in(chain_run *run, const float *key, size_t n, double limit) {
  return (chain_cut_search){.key = key, .n = n, .limit = limit, .share = 1, .mass = run->mass, .filled = run->filled};
}

/* ---- Lists (chain_list.c) ---------------------------------------------------------------------------------------- */

/* Turn the row into the list of the n entries whose ids are in `ids` and, if the row is weighed, whose weights are in
   `key`. */
void smpi_chain_list(chain_run *run, size_t n);

/* Turn the row into the list of all entries with x / tau >= bound. */
void smpi_chain_list_from(chain_run *run, float bound);

/* Collect the ids of all entries with a weight above the bound, and these weights in `key`; returns how many. */
size_t smpi_chain_gather(chain_run *run, float bound);

/* Keep the entries of a list with a key above that of the cut, and of its equals as many as the rule says. */
void smpi_chain_keep_above(chain_run *run, const float *key, chain_cut c, smp_tie tie);

#pragma GCC visibility pop

#endif
