/* sampling-lab: how a language model's scores become its next token. C11, no dependencies.

   This header is the reference manual, in reading order: status, functions, the experiment (double, at most 64 logits,
   every intermediate kept), stop protocols, rows (float, up to 2^20 logits), chains of rules on rows. smp_engines.h
   continues with the samplers of real libraries. Conventions that hold everywhere:

   - The library allocates nothing, prints nothing and keeps no state. Every function is safe to call from any thread.
   - Results are the same bits in every build: gcc, clang, any optimisation, SSE, AVX, NEON, WebAssembly. Compile with
     -std=c11 -ffp-contract=off -fno-math-errno; -ffast-math is refused, and so is contraction where it can be seen.
   - A call that does not return SMP_OK wrote nothing but *where.
   - `where` may be NULL. On error it says which argument was wrong and, for arrays, at which index.
   - Candidates are in descending order of their logits, equal ones in ascending order of their ids. -0 equals +0. */
#ifndef SMP_H
#define SMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_VERSION "0.1.0"

/* Put before every declaration: define it to export the functions from a shared object or a wasm module. */
#ifndef SMP_API
#define SMP_API
#endif

/* ---- Status ------------------------------------------------------------------------------------------------- */

typedef enum smp_status {
  SMP_OK = 0,
  SMP_ERR_PARAM = -1,   /* outside the allowed range */
  SMP_ERR_EMPTY = -2,   /* no entries */
  SMP_ERR_LENGTH = -3,  /* too many entries */
  SMP_ERR_NAN = -4,     /* not a number */
  SMP_ERR_INF = -5,     /* infinite */
  SMP_ERR_MASKED = -6,  /* every entry is -inf */
  SMP_ERR_SHORT = -7,   /* fewer tokens than steps */
  SMP_ERR_REFUSED = -8, /* a stop rule that refuses more than one row with an EOS */
} smp_status;

/* The argument that a failed call points at. smp_param_text and smp_param_allowed say what it is called and may be. */
/* clang-format off */
typedef enum smp_param {
  SMP_AT_NONE,
  SMP_AT_LOGITS, SMP_AT_TAU, SMP_AT_K, SMP_AT_U, SMP_AT_TIE, SMP_AT_SHARE, SMP_AT_DTYPE, SMP_AT_FILTERS,
  SMP_AT_TIE_P, SMP_AT_TOP_P, SMP_AT_MIN_P, /* of the experiment's filters and of chains */
  SMP_AT_CANDIDATES, SMP_AT_ROWS, SMP_AT_EOS, SMP_AT_PAD, SMP_AT_MAX_NEW_TOKENS, SMP_AT_RULE, SMP_AT_PROMPT,
  SMP_AT_KEEP_EOS,
  SMP_AT_ROW, SMP_AT_N,
  /* Chains. The index is that of the step, or of the entry in `context`. */
  SMP_AT_STEP, SMP_AT_TEMPERATURE, SMP_AT_REPETITION_PENALTY, SMP_AT_PRESENCE_PENALTY, SMP_AT_FREQUENCY_PENALTY,
  SMP_AT_LOGIT_BIAS, SMP_AT_SUPPRESS_TOKENS, SMP_AT_NO_REPEAT_NGRAM_SIZE, SMP_AT_TOP_K,
  SMP_AT_TYPICAL_P, SMP_AT_EPSILON_CUTOFF, SMP_AT_ETA_CUTOFF, SMP_AT_TOP_H, SMP_AT_TOP_N_SIGMA, SMP_AT_CONTEXT,
  SMP_AT_OUT,
  /* Engines. Their settings have the parameters of the chain where there are such. */
  SMP_AT_ENGINE, SMP_AT_SETTING, SMP_AT_TEMPERATURE_NEGATIVE, SMP_AT_ENGINE_TOP_K, SMP_AT_REPEAT_LAST_N,
  SMP_AT_PROMPT_IGNORE_LENGTH, SMP_AT_GENERATOR,
  SMP_AT_SEED, SMP_AT_SEED_32, SMP_AT_SEED_53, SMP_AT_SEED_NONE, SMP_AT_DRAWS, SMP_AT_KEPT, SMP_AT_TRACE,
  /* llama.cpp. The index is that of the sampler. */
  SMP_AT_SAMPLERS, SMP_AT_SAMPLER_TOP_K, SMP_AT_SAMPLER_TOP_P, SMP_AT_SAMPLER_MIN_P, SMP_AT_SAMPLER_TYPICAL,
  SMP_AT_SAMPLER_TEMP, SMP_AT_SAMPLER_TEMP_EXT, SMP_AT_SAMPLER_TOP_N_SIGMA, SMP_AT_SAMPLER_XTC,
  SMP_AT_SAMPLER_PENALTIES, SMP_AT_SAMPLER_DRY,
  /* Frequencies. */
  SMP_AT_RUN, SMP_AT_COUNTS, SMP_AT_P, SMP_AT_PAIR,
  /* Chains once more, and the model. */
  SMP_AT_ORDER, SMP_AT_MODEL, SMP_AT_POSITION, SMP_AT_CACHE,
} smp_param;
/* clang-format on */

/* Where a call failed. `index` counts from 0 within the array that `param` names. */
typedef struct smp_where {
  smp_param param;
  uint32_t index;
} smp_where;

/* The text of a status ("outside the allowed range"), or "unknown status". Static, never NULL. */
SMP_API const char *smp_status_text(smp_status status);

/* The name of a parameter ("tau") and the values it may have ("a finite number, at least 0"), or "". Static, never
   NULL. */
SMP_API const char *smp_param_text(smp_param param);
SMP_API const char *smp_param_allowed(smp_param param);

/* ---- Functions ---------------------------------------------------------------------------------------------- */

/* e^x, ln x and ln(1 + x), each within 0.51 ulp of the exact value, subnormal results included. Edges follow C99 Annex
   F: smp_exp(-inf) = 0, smp_log(0) = -inf, smp_log of a negative = NaN, smp_log1p(-1) = -inf. */
SMP_API double smp_exp(double x);
SMP_API double smp_log(double x);
SMP_API double smp_log1p(double x);

/* ---- The experiment: temperature, filters and u ---------------------------------------------------------------- */

#define SMP_LAB_MAX     64          /* logits at most */
#define SMP_LAB_FILTERS 8u          /* filters at most */
#define SMP_NONE        0xffffffffu /* no id */

/* Which of the entries that stand exactly at its threshold a filter keeps. */
typedef enum smp_tie {
  SMP_TIE_STRICT,    /* exactly k, the smallest ids first: torch.topk's indices, scattered */
  SMP_TIE_THRESHOLD, /* all of them, so perhaps more than k: `logits < topk(k)[-1]` removed, as in LLMs-from-scratch
                        ch05 and transformers' TopKLogitsWarper */
  SMP_TIE_LAST,      /* only in chains: exactly k, the largest ids first, as a stable ascending sort leaves them */
  SMP_TIE_INCLUSIVE, /* only in top-p of the experiment: if the sum meets p exactly, the next candidate too, as in
                        llama2.c, which ends once the sum exceeds p. STRICT ends once it reaches p */
} smp_tie;

/* What the kept candidates share. */
typedef enum smp_share {
  SMP_SHARE_RENORMALISED, /* 1: the rule */
  SMP_SHARE_ZEROED, /* what they had: the others are set to zero and nothing else is done. A common mistake, here to be
                       seen: the sum stays below 1, and a u beyond it chooses nothing */
} smp_share;

typedef struct smp_lab_options {
  double tau;  /* temperature, finite, >= 0; 0 is greedy */
  double u;    /* where to cut the cumulative distribution, 0 <= u < 1 */
  uint32_t k;  /* candidates to keep, 1..n: short for filters that hold one TOP_K with this `tie`; else 0 */
  smp_tie tie; /* STRICT or THRESHOLD */
  smp_share share;
  uint32_t n_filters;             /* 0..SMP_LAB_FILTERS */
  const struct smp_step *filters; /* NULL, or instead of k the filters, run from first to last: steps of a chain that
                                     are TOP_K (1..n; STRICT or THRESHOLD), TOP_P (STRICT or INCLUSIVE) or MIN_P */
  struct smp_lab_step *steps;     /* NULL, or room for a record of each filter, k included */
} smp_lab_options;

/* What a filter did. It sees p, the softmax of what the filters before it left, under either `share`, and goes through
   its candidates in descending order. TOP_K keeps the first `count`, or all with at least the count-th logit. TOP_P
   keeps the first, and each next one while the sum of p over those before it is below `value`, or at most that if
   INCLUSIVE; 1 keeps all. MIN_P keeps where p is at least value times the largest. The numbers compared are the doubles
   recorded here. Arrays are indexed by id, and zero where the filter found no candidate. */
typedef struct smp_lab_step {
  double p[SMP_LAB_MAX];          /* as the filter finds it */
  double value[SMP_LAB_MAX];      /* what is compared: the logit; the sum of p over the candidates before; p */
  double q[SMP_LAB_MAX];          /* softmax of what it leaves */
  double threshold;               /* compared with: the count-th logit; `value`; `value` times the largest p */
  double mass_before, mass_after; /* sums of the result's p over what it found and over what it left */
  double kept_mass, removed_mass; /* sums of its own p over what it left and over what it removed */
  uint32_t n_kept;
  uint32_t meets;            /* 1 if a value is exactly the threshold and the other tie keeps another set */
  uint8_t rank[SMP_LAB_MAX]; /* place in descending order, from 1 */
  uint8_t kept[SMP_LAB_MAX]; /* 1 if it leaves the candidate */
} smp_lab_step;

/* Everything on the way from logits to an id; arrays are indexed by id and zero from n on. A greedy result (tau = 0)
   has only `n`, `top`, `id` and `greedy`: scores and probabilities are not defined there, and are left zero. */
typedef struct smp_lab_result {
  double score[SMP_LAB_MAX];       /* (z - max z) / tau, the nearest double, never -0; -inf if it overflows */
  double weight[SMP_LAB_MAX];      /* e^score, from the score before its rounding */
  double p[SMP_LAB_MAX];           /* softmax(z / tau): before the filters; sums to 1 within 1e-15 */
  double start[SMP_LAB_MAX];       /* sum of p over the smaller ids: where the candidate's share of [0, 1) starts */
  double q[SMP_LAB_MAX];           /* after the filters; 0 for removed candidates */
  double lo[SMP_LAB_MAX];          /* [lo, hi): the u that choose this candidate, in id order over the kept ones; */
  double hi[SMP_LAB_MAX];          /*   both 0 for removed candidates; hi of the last kept one is exactly sum_q */
  double weight_sum;               /* sum of weight */
  double kept_mass;                /* sum of p over the kept candidates */
  double removed_mass;             /* sum of p over the removed ones */
  double sum_q;                    /* sum of q: 1, or kept_mass under SMP_SHARE_ZEROED */
  double entropy;                  /* of p, in nats */
  uint32_t n;                      /* number of logits */
  uint32_t n_kept;                 /* number of kept candidates */
  uint32_t top;                    /* argmax of the logits, the smallest id among equals */
  uint32_t id;                     /* the chosen id; SMP_NONE only under SMP_SHARE_ZEROED with u >= sum_q */
  uint32_t greedy;                 /* 1 if tau = 0 */
  uint8_t kept[SMP_LAB_MAX];       /* 1 if all filters keep the candidate */
  uint8_t removed_by[SMP_LAB_MAX]; /* else the filter that removed it, counted from 1 */
} smp_lab_result;

/* Run the whole experiment on n logits. logits: n doubles, 1 <= n <= 64, each finite with magnitude at most 2^1000.
   Accuracy: p and q within 2 ulp of the exact softmax of the given doubles (the score is carried as an unevaluated sum
   of two doubles), lo and hi within 1e-15. Any tau from 5e-324 to the largest double works; nothing overflows or
   becomes NaN. The chosen id is the first kept one with lo <= u < hi; if rounding leaves u at or above the last hi, the
   last kept one with q > 0. A candidate with q = 0 is never chosen. tau = 0: id is the argmax; u and the filters are
   ignored, but still checked, and steps are zero. Errors: ERR_EMPTY, ERR_LENGTH (logits); ERR_NAN, ERR_INF, ERR_PARAM
   (a logit, with its index); ERR_PARAM (tau, u, share; k, tie); of filters ERR_LENGTH, ERR_PARAM (filters: no filter
   of the experiment, or k beside them; k, tie, top_p, min_p), with the index of the filter. */
SMP_API smp_status smp_lab_run(const double *logits, uint32_t n, const smp_lab_options *options, smp_lab_result *result,
                               smp_where *where);

/* The plane of tau and u: which id each of its points chooses, a row of the plane for each tau. taus: n_taus values,
   each as options->tau, or +inf for the limit in which all candidates, then the kept ones, share evenly. edges: n_taus
   rows of n doubles, ascending: in row t, id i is chosen by edges[t][i - 1] <= u < edges[t][i] (0 before the first), so
   a candidate that no u chooses repeats the edge before it, and under SMP_SHARE_ZEROED the last edge is below 1. With
   tau = 0 the argmax has all of [0, 1). options->tau, u and steps are not used. Errors: those of smp_lab_run; ERR_PARAM
   (tau, with the index in taus). */
SMP_API smp_status smp_lab_map(const double *logits, uint32_t n, const smp_lab_options *options, const double *taus,
                               uint32_t n_taus, double *edges, smp_where *where);

/* Formats that numbers are rounded to. */
typedef enum smp_dtype { SMP_DTYPE_F64, SMP_DTYPE_F32, SMP_DTYPE_F16, SMP_DTYPE_BF16 } smp_dtype;

/* Round n doubles to the nearest number of a format, ties to even, as IEEE 754 converts: subnormals and overflow to
   infinity included. out may be in. Errors: ERR_NAN (logits, index), ERR_PARAM (dtype). */
SMP_API smp_status smp_lab_round(const double *in, uint32_t n, smp_dtype dtype, double *out, smp_where *where);

/* ---- Stop protocols: when does each row end, and when the batch? ------------------------------------------------- */

#define SMP_STOP_ROWS   64u   /* rows of a batch at most */
#define SMP_STOP_TOKENS 1024u /* tokens of a row, of a prompt, and new tokens at most */
#define SMP_STOP_EOS    64u   /* ids in an EOS set at most */

/* When the batch stops; under every rule also at the limit. LATCH is right, the others are what people meet instead.
   SCALAR and SINGLE refuse only where an EOS is given; without one, and with one row, they equal LATCH. */
typedef enum smp_rule {
  SMP_RULE_LATCH,     /* a row that has finished before the step gets PAD; the new column is appended to every row; then
                         the rows that met an EOS or the limit are finished, for good; the batch stops when all are. As
                         transformers' `generate` (5.22; 4.57.1 has the same rule) */
  SMP_RULE_ANY,       /* after a column in which any row shows an EOS */
  SMP_RULE_SAME_STEP, /* only after a column in which every row shows an EOS; a row goes on after its own EOS, without
                         PAD, and counts as finished from then on */
  SMP_RULE_SCALAR,    /* `if token == eos` on a tensor: several rows have no single truth value: refused at step 1 */
  SMP_RULE_SINGLE,    /* as LLMs-from-scratch: several rows are refused before the first step */
} smp_rule;

/* Why a row generates no more. */
typedef enum smp_finish {
  SMP_FINISH_NONE,   /* it still does: the run was asked to pause */
  SMP_FINISH_EOS,    /* met an EOS, also if the limit came in the same step */
  SMP_FINISH_LENGTH, /* met the limit */
  SMP_FINISH_CUT,    /* a wrong rule ended the batch before either */
} smp_finish;

/* What a cell is, whatever its id: PAD may share the id of an EOS. */
typedef enum smp_role {
  SMP_ROLE_NONE,     /* nothing */
  SMP_ROLE_TOKEN,    /* part of the answer, also if it has the id of PAD */
  SMP_ROLE_EOS,      /* the row's first EOS */
  SMP_ROLE_PAD,      /* appended because the row had finished */
  SMP_ROLE_JUNK,     /* chosen by the model after the row's EOS */
  SMP_ROLE_LOST,     /* not appended: an answer token that LATCH has, and a batch that stopped early lacks */
  SMP_ROLE_LOST_EOS, /* not appended: the same for the EOS that ends the answer */
} smp_role;

typedef struct smp_stop_options {
  uint32_t max_new_tokens; /* the limit, 1..SMP_STOP_TOKENS */
  uint32_t pad;            /* id of PAD; may be in the EOS set */
  smp_rule rule;
  uint32_t steps; /* pause after this many steps; max_new_tokens or more for the whole run */
} smp_stop_options;

/* One row in one step. `before`, `after` and `batch` are 0 or 1, and 0 where nothing was appended. */
typedef struct smp_stop_cell {
  uint32_t candidate; /* what the model would append; SMP_NONE beyond the end of a row shorter than the run */
  uint32_t before;    /* the row had finished before the step */
  uint32_t appended;  /* the candidate or PAD; SMP_NONE where nothing was appended */
  uint32_t after;     /* the row is finished after the step */
  uint32_t batch;     /* the batch is stopped after the step */
  smp_role role;
} smp_stop_cell;

typedef struct smp_stop_row {
  uint32_t answer; /* tokens before the first EOS: the row starts with the answer */
  smp_finish finish;
  uint32_t step; /* the step, from 1, in which the row ended; 0 under SMP_FINISH_NONE */
} smp_stop_row;

/* Counts over the columns appended, except `lost` and `lost_eos`: those compare with the whole run of SMP_RULE_LATCH,
   and count from the moment in which the batch stopped. */
typedef struct smp_stop_result {
  uint32_t columns;  /* columns appended */
  uint32_t finished; /* rows finished; cut rows are not */
  uint32_t stopped;  /* 1 if the batch is stopped */
  uint32_t pad;      /* cells with SMP_ROLE_PAD */
  uint32_t lost;     /* cells with SMP_ROLE_LOST */
  uint32_t lost_eos; /* cells with SMP_ROLE_LOST_EOS */
  uint32_t junk;     /* cells with SMP_ROLE_JUNK */
  uint32_t idle;     /* cells computed for a row that had finished */
} smp_stop_result;

/* Generate a batch whose candidates are known beforehand, under a rule. candidates: the rows one after the other, row i
   of lengths[i] ids, 1 <= rows <= SMP_STOP_ROWS; every row has 1 to SMP_STOP_TOKENS ids, each below SMP_NONE, and at
   least max_new_tokens unless one of them is an EOS: then the row is complete, except under SMP_RULE_SAME_STEP, where
   it goes on. eos: the n_eos ids that end a row, 0 <= n_eos <= SMP_STOP_EOS; none may be given. cells: max_new_tokens
   columns of `rows` cells, column after column. ends: one per row. Errors, checked in this order: ERR_EMPTY, ERR_LENGTH
   (rows); ERR_PARAM (max_new_tokens, rule, pad); ERR_LENGTH (eos), ERR_PARAM (eos, with its index); ERR_EMPTY,
   ERR_LENGTH, then ERR_SHORT (rows, with the row); ERR_PARAM (candidates, with the index among all); ERR_REFUSED (rule;
   the index is the step of the refusal, 0 before the first). */
SMP_API smp_status smp_stop_run(const uint32_t *candidates, const uint32_t *lengths, uint32_t rows, const uint32_t *eos,
                                uint32_t n_eos, const smp_stop_options *options, smp_stop_cell *cells,
                                smp_stop_row *ends, smp_stop_result *result, smp_where *where);

/* The protocol for one prompt: append candidates to it until an EOS or the limit.
   prompt: 1 to SMP_STOP_TOKENS ids; an EOS in it stops nothing. candidates: n ids as in a row of smp_stop_run.
   keep_eos: 1 to return the EOS as well; 0 to leave it out, as LLMs-from-scratch does, which tests before it appends.
   out: room for n_prompt + max_new_tokens ids, of which *n_out are written: the prompt, then what was generated.
   Errors: ERR_EMPTY, ERR_LENGTH, ERR_PARAM (prompt, the last with its index); ERR_PARAM (max_new_tokens); ERR_LENGTH,
   ERR_PARAM (eos); ERR_EMPTY, ERR_LENGTH, ERR_SHORT (rows); ERR_PARAM (candidates, with the index; keep_eos). */
SMP_API smp_status smp_stop_one(const uint32_t *prompt, uint32_t n_prompt, const uint32_t *candidates, uint32_t n,
                                const uint32_t *eos, uint32_t n_eos, uint32_t max_new_tokens, uint32_t keep_eos,
                                uint32_t *out, uint32_t *n_out, smp_finish *finish, smp_where *where);

/* ---- Rows: one float per vocabulary entry --------------------------------------------------------------------- */

#define SMP_ROW_MAX   1048576u /* entries at most, 2^20 */
#define SMP_ROW_BLOCK 64u      /* rows are processed in blocks of this many entries */

/* Floats to reserve for a row of n entries: n rounded up to a whole block. Row functions read and write the padding.
   0 if n is 0 or above SMP_ROW_MAX. Rows need only the alignment of float. */
SMP_API size_t smp_row_capacity(size_t n);

/* Check a row of n logits and pad it with -inf up to its capacity. Entries may be -inf (masked).
   Writes the maximum and its id (the smallest among equals) through max and id, which may be NULL.
   Errors: ERR_EMPTY, ERR_LENGTH; ERR_NAN and ERR_INF (+inf) with the index of the first one; ERR_MASKED. */
SMP_API smp_status smp_row_scan(float *row, size_t n, float *max, uint32_t *id, smp_where *where);

/* Divide a row by a temperature, in place: row[i] = row[i] / tau, rounded once; an overflow to -inf masks the entry.
   tau: finite, > 0. Errors: those of smp_row_scan; ERR_PARAM (temperature), also if the largest quotient overflows. */
SMP_API smp_status smp_row_temperature(float *row, size_t n, float tau, smp_where *where);

/* Softmax in place: row[i] = e^(row[i] - max) / sum. Padding becomes 0. *entropy (nats) may be NULL.
   Accuracy: relative error of a probability of at least 2^-126 at most (2 + |row[i] - max|) 2^-23; the sum within 1e-6
   of 1. Exponentials below 2^-126, before the division by the sum, are 0.
   Errors: those of smp_row_scan. */
SMP_API smp_status smp_row_softmax(float *row, size_t n, double *entropy, smp_where *where);

/* Ids of the m largest entries, in descending order, equal ones by ascending id. ids: m entries, 1 <= m <= n.
   Errors: those of smp_row_scan; ERR_PARAM (n) if m is 0 or above n. */
SMP_API smp_status smp_row_top(const float *row, size_t n, uint32_t *ids, size_t m, smp_where *where);

/* Natural logarithms of the probabilities, in place: row[i] = row[i] - max - ln sum, rounded to float once after that.
   Masked entries and padding stay -inf. Accuracy: absolute error at most (2 + |row[i] - max|) 2^-23.
   Errors: those of smp_row_scan. */
SMP_API smp_status smp_row_log_softmax(float *row, size_t n, smp_where *where);

/* The m most probable entries of a row of logits, as smp_row_top, with the natural logarithms of their probabilities.
   ids, log_p: m entries each. A row of log-probabilities is a row of logits with the same probabilities.
   Errors: those of smp_row_top. */
SMP_API smp_status smp_row_top_log_p(const float *row, size_t n, uint32_t *ids, double *log_p, size_t m,
                                     smp_where *where);

/* How far apart two distributions are. */
typedef struct smp_distance {
  double total_variation; /* half the sum of |p - q|, 0 to 1 */
  double max_difference;  /* the largest |p - q| */
  double only_p;          /* mass of the candidates that only p has */
  double only_q;
  uint32_t max_id; /* where the largest difference is, the smallest id among equals */
  uint32_t n_only_p, n_only_q;
} smp_distance;

/* Compare two rows of n probabilities, each 0 to 1 and summing to 1 within 1e-5. 1 <= n <= SMP_ROW_MAX.
   Errors: ERR_EMPTY, ERR_LENGTH; ERR_NAN, ERR_PARAM (row, the index of an entry of p or q outside [0, 1]). */
SMP_API smp_status smp_row_distance(const float *p, const float *q, size_t n, smp_distance *distance, smp_where *where);

/* What one distribution says of another, in nats; divided by ln 2, in bits. */
typedef struct smp_divergence {
  double kl;        /* sum of p ln(p / q), never negative; +inf where q is 0 and p is not */
  double entropy_p; /* -sum of p ln p */
  double entropy_q;
} smp_divergence;

/* The Kullback-Leibler divergence of two rows, as smp_row_distance takes them, and their entropies. */
SMP_API smp_status smp_row_divergence(const float *p, const float *q, size_t n, smp_divergence *divergence,
                                      smp_where *where);

/* The id at u of a row of n probabilities, or of weights from 0 to 1 with any sum above 0: the first at which the
   cumulative sum exceeds u times the whole sum; never one of weight 0. 0 <= u < 1. The whole sum is that of
   smp_row_softmax: blocks of 64, each within 2^-23 of its exact sum; inside the block the sum runs in double.
   Errors: ERR_EMPTY, ERR_LENGTH; ERR_NAN, ERR_PARAM (row, index of an entry outside [0, 1]), ERR_MASKED if all are 0;
   ERR_PARAM (u). */
SMP_API smp_status smp_row_draw(const float *weights, size_t n, double u, uint32_t *id, smp_where *where);

/* ---- Chains: steps in order on a row --------------------------------------------------------------------------- */

/* What a step does to an entry x of the row; p is its probability, softmax of the row as the step finds it. A step
   either changes numbers (rounded to float once per operation) or removes entries; the largest entry survives all steps
   except SUPPRESS_TOKENS, NO_REPEAT_NGRAM_SIZE, TYPICAL_P and a LOGIT_BIAS of -inf, and at least one entry survives
   every step. Rules as in transformers 5 (generation/logits_process.py) unless said otherwise; reference.c has each of
   them in its plainest form. */
typedef enum smp_step_kind {
  SMP_STEP_TEMPERATURE,          /* x / value. value > 0 */
  SMP_STEP_REPETITION_PENALTY,   /* x < 0: x * value, else x / value; once for each distinct id of the context.
                                    value > 0. Dividing a negative logit would raise it (Keskar et al. 2019, CTRL, says only
                                    "divide") */
  SMP_STEP_PRESENCE_PENALTY,     /* x - value for each distinct id of the context (the OpenAI API's rule) */
  SMP_STEP_FREQUENCY_PENALTY,    /* x - value * times for each distinct id, `times` its occurrences (the OpenAI API's
                                    rule) */
  SMP_STEP_LOGIT_BIAS,           /* x + values[j] for ids[j], j < count, in order; -inf removes */
  SMP_STEP_SUPPRESS_TOKENS,      /* removes ids[j], j < count */
  SMP_STEP_NO_REPEAT_NGRAM_SIZE, /* removes every id that would complete an n-gram of `count` ids that the context
                                    already holds. count >= 1 */
  SMP_STEP_TOP_K,     /* keeps the count largest; `tie` says which of the equals (transformers: THRESHOLD). count >= 1;
                         above the number of entries it keeps all */
  SMP_STEP_TOP_P,     /* nucleus: from the smallest entry upwards, equals by ascending id, removes while the cumulative
                         sum of p does not exceed 1 - value. The sum is in double, rounded to float before it is
                         compared with (float)(1 - value), which is torch's cumsum on a CPU. 0 keeps one entry, 1 all
                         that float can tell from 0. `tie` says which of the equals at the cut survive (transformers:
                         LAST up to 16 entries; beyond, as std::sort leaves them) */
  SMP_STEP_MIN_P,     /* removes where p < value * max p, both sides float */
  SMP_STEP_TYPICAL_P, /* in ascending order of |-ln p - entropy|, keeps until the sum of p reaches value; equals too */
  SMP_STEP_EPSILON_CUTOFF, /* removes where p < value */
  SMP_STEP_ETA_CUTOFF,     /* removes where p < min(value, sqrt(value) e^-entropy) */
  SMP_STEP_TOP_H, /* softmax of the 100 largest alone; keeps them, in descending order, while the cumulative sum of
                     -p ln p does not exceed value times their entropy; all others go */
  SMP_STEP_TOP_N_SIGMA, /* removes where x < max - value * sigma, the standard deviation of all entries above -inf (Tang
                           et al. 2024; llama.cpp). value >= 0 */
} smp_step_kind;

typedef struct smp_step {
  double value;        /* the number that the kind's rule names */
  const uint32_t *ids; /* LOGIT_BIAS, SUPPRESS_TOKENS: `count` of them, each below n */
  const float *values; /* LOGIT_BIAS: as many, each below +inf */
  uint32_t count;      /* TOP_K: k; NO_REPEAT_NGRAM_SIZE: length; LOGIT_BIAS, SUPPRESS_TOKENS: length of ids; penalties:
                          how many ids at the end of the context count, 0 for all */
  smp_step_kind kind;
  smp_tie tie; /* TOP_K, TOP_P */
} smp_step;

/* What a chain leaves in the row. */
typedef enum smp_out {
  SMP_OUT_P,      /* probabilities */
  SMP_OUT_LOG_P,  /* their natural logarithms */
  SMP_OUT_LOGITS, /* logits */
  SMP_OUT_ID,     /* nothing: only the id is wanted, and neither row nor ids are written */
} smp_out;

/* How the candidates are laid out on the line from 0 to 1 that u points into. With u drawn at random all orders choose
   each as often. */
typedef enum smp_order {
  SMP_ORDER_ID,         /* by ascending id */
  SMP_ORDER_DESCENDING, /* by descending probability, equals by ascending id: the likely ones first */
} smp_order;

typedef struct smp_chain {
  double u;                /* where to cut the final distribution, 0 <= u < 1: chooses the id, in `order` */
  const smp_step *steps;   /* run from first to last */
  const uint32_t *context; /* ids so far, oldest first, each below n; for the penalties and NO_REPEAT_NGRAM_SIZE */
  uint32_t n_steps;        /* may be 0: then steps may be NULL */
  uint32_t n_context;      /* may be 0: then context may be NULL */
  smp_out out;
  smp_order order;
} smp_chain;

/* What a step left. */
typedef struct smp_step_info {
  double max;           /* the largest logit left */
  double cut;           /* the smallest logit left */
  double mass;          /* the share of the distribution before the step that survived it */
  double entropy;       /* of what is left, in nats */
  uint32_t n_kept;      /* entries above -inf */
  uint32_t by_rounding; /* 1 if the cut lies within 4 ulp of the threshold: other arithmetic may keep another set */
} smp_step_info;

typedef struct smp_chain_result {
  uint32_t n_kept;      /* entries above -inf after all steps */
  uint32_t id;          /* chosen by u */
  uint32_t by_rounding; /* 1 if any step's cut was decided by rounding */
  smp_status status;    /* SMP_OK; in a batch, how this row ended, */
  smp_where where;      /*   and where */
} smp_chain_result;

/* Bytes of work area for a row of n entries, 0 if n is 0 or above SMP_ROW_MAX; about 17 n. Aligned as for double. */
SMP_API size_t smp_chain_work_size(size_t n);

/* Run a chain on a row of n logits, as smp_row_scan takes them. ids not NULL: room for n. The result is a list: ids[j],
   j < n_kept, ascending, and in row[j] what `out` says of ids[j]; the rest of the row is left as it was. ids NULL: the
   result is the whole row, row[i] is that of entry i, removed entries and padding are 0 (p) or -inf. infos: NULL, or
   one record for each step, which costs an exponential of every entry after each step. work: smp_chain_work_size(n)
   bytes; what they hold does not matter. Memory areas must not overlap. Probabilities have the accuracy of
   smp_row_softmax. Errors: those of smp_row_scan; ERR_PARAM at the parameter of a step, with the index of the step,
   also where the result of a step is not finite or no entry is left; ERR_PARAM (context, index), (u), (tie, step),
   (out), (order). */
SMP_API smp_status smp_chain_run(float *row, size_t n, const smp_chain *chain, uint32_t *ids, smp_step_info *infos,
                                 smp_chain_result *result, void *work, smp_where *where);

/* Run a chain of its own on each of n_rows rows of n logits in place, as with ids NULL, one after the other. Row r
   starts at rows + r * smp_row_capacity(n). A row that is refused stays as it was; results[r] says so and why, and the
   others are done. work: as for one row. Errors: ERR_EMPTY, ERR_LENGTH (of n). */
SMP_API smp_status smp_chain_run_rows(float *rows, size_t n_rows, size_t n, const smp_chain *chains,
                                      smp_chain_result *results, void *work, smp_where *where);

#ifdef __cplusplus
}
#endif

#endif
