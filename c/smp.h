/* sampling-lab: how a language model's scores become its next token. C11, no dependencies.

   This header is the reference manual, in reading order: status, functions, the experiment (double, at most 64
   logits, every intermediate kept), stop protocols, rows (float, up to 2^20 logits). Conventions that hold everywhere:

   - The library allocates nothing, prints nothing and keeps no state. Every function is safe to call from any thread.
   - Results are the same bits in every build: gcc, clang, any optimisation, SSE, AVX, NEON, WebAssembly. Compile with
     -std=c11 -ffp-contract=off; -ffast-math is refused, and so is contraction where the compiler lets us see it.
   - A call that does not return SMP_OK wrote nothing but *where.
   - `where` may be NULL. On error it says which argument was wrong and, for logits, at which index.
   - Candidates are ordered by logit, falling; equal logits by id, rising. -0 equals +0. */
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
#define SMP_STATUS(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_status;

typedef enum smp_param {
#define SMP_PARAM(name, value, text, allowed) SMP_##name = (value),
#include "codes.def"
} smp_param;

/* Which argument a failed call complains of. `index` counts from 0 within the array that `param` names. */
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

/* e^x, ln x and ln(1 + x), each within 0.51 ulp of the exact value, subnormal results included. Edges follow C99
   Annex F: smp_exp(-inf) = 0, smp_log(0) = -inf, smp_log of a negative = NaN, smp_log1p(-1) = -inf. */
SMP_API double smp_exp(double x);
SMP_API double smp_log(double x);
SMP_API double smp_log1p(double x);

/* ---- The experiment: temperature, top-k and u ----------------------------------------------------------------- */

#define SMP_LAB_MAX 64          /* logits at most */
#define SMP_NONE    0xffffffffu /* no id */

typedef enum smp_tie {
#define SMP_TIE(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_tie;
/* SMP_TIE_STRICT keeps exactly k, the smaller id first among equals: torch.topk's indices, scattered.
   SMP_TIE_THRESHOLD keeps all that equal the k-th value, so perhaps more than k: `logits < topk(k)[-1]` removed, as in
   LLMs-from-scratch ch05 and transformers' TopKLogitsWarper.
   SMP_TIE_LAST, only in chains: as many as strict, the greater id first among equals, as a stable rising sort leaves
   them. */

typedef enum smp_share {
#define SMP_SHARE(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_share;
/* SMP_SHARE_RENORMALISED: the kept candidates share 1. This is the rule.
   SMP_SHARE_ZEROED: the removed ones are set to zero and nothing else is done. This is a common mistake, here to be
   seen: the sum stays below 1 and a u beyond it chooses nothing. */

typedef struct smp_lab_options {
  double tau;      /* temperature, finite, >= 0; 0 is the greedy branch */
  double u;        /* where to cut the cumulative distribution, 0 <= u < 1 */
  uint32_t k;      /* candidates to keep, 1..n */
  smp_tie tie;     /* what happens to values equal to the k-th */
  smp_share share; /* what the kept candidates share */
} smp_lab_options;

/* Everything on the way from logits to an id; arrays are indexed by id and zero from n on. A greedy result
   (tau = 0) has only `n`, `top`, `id` and `greedy`: scores and probabilities are not defined there, and are left zero.
 */
typedef struct smp_lab_result {
  double score[SMP_LAB_MAX];  /* (z - max z) / tau, the nearest double, never -0; -inf if it overflows */
  double weight[SMP_LAB_MAX]; /* e^score, from the score before its rounding */
  double p[SMP_LAB_MAX];      /* softmax(z / tau): before the filter; sums to 1 within 1e-15 */
  double start[SMP_LAB_MAX];  /* sum of p over the smaller ids: where the candidate's share of [0, 1) starts */
  double q[SMP_LAB_MAX];      /* after the filter; 0 for removed candidates */
  double lo[SMP_LAB_MAX];     /* [lo, hi): the u that choose this candidate, in id order over the kept ones; */
  double hi[SMP_LAB_MAX];     /*   both 0 for removed candidates; hi of the last kept one is exactly sum_q */
  double weight_sum;          /* sum of weight */
  double kept_mass;           /* sum of p over the kept candidates */
  double removed_mass;        /* sum of p over the removed ones */
  double sum_q;               /* sum of q: 1, or kept_mass under SMP_SHARE_ZEROED */
  double entropy;             /* of p, in nats */
  uint32_t n;                 /* number of logits */
  uint32_t n_kept;            /* number of kept candidates */
  uint32_t top;               /* id of the greatest logit, the smallest among equals */
  uint32_t id;                /* the chosen id; SMP_NONE only under SMP_SHARE_ZEROED with u >= sum_q */
  uint32_t greedy;            /* 1 if tau = 0 */
  uint8_t kept[SMP_LAB_MAX];  /* 1 if the filter keeps the candidate */
} smp_lab_result;

/* Run the whole experiment on n logits.
   logits: n doubles, 1 <= n <= 64, each finite with magnitude at most 2^1000.
   Accuracy: p and q within 2 ulp of the exact softmax of the given doubles (the score is carried as an unevaluated sum
   of two doubles), lo and hi within 1e-15. Any tau from 5e-324 to 1e308 works; nothing overflows or becomes NaN.
   The chosen id is the first kept one with lo <= u < hi; if rounding leaves u at or above the last hi, the last kept
   one with q > 0. A candidate with q = 0 is never chosen.
   tau = 0: id is the smallest among the maxima; u and the filter play no part, but k and u must be legal.
   Errors: ERR_EMPTY, ERR_LENGTH (logits); ERR_NAN, ERR_INF, ERR_PARAM (a logit, with its index); ERR_PARAM (tau, k, u,
   tie, share). */
SMP_API smp_status smp_lab_run(const double *logits, uint32_t n, const smp_lab_options *options, smp_lab_result *result,
                               smp_where *where);

/* Only the filter: kept[i] = 1 for candidates that top-k keeps, else 0; returns how many through *n_kept.
   kept: n bytes. Same ranges and errors as smp_lab_run. */
SMP_API smp_status smp_lab_keep(const double *logits, uint32_t n, uint32_t k, smp_tie tie, uint8_t *kept,
                                uint32_t *n_kept, smp_where *where);

/* The plane of tau and u: which id every point of it chooses, a row of the plane for each tau.
   taus: n_taus values, each as options->tau, or +inf for the limit in which the kept candidates share evenly.
   edges: n_taus rows of n doubles, rising: in row t, id i is chosen by edges[t][i - 1] <= u < edges[t][i] (0 before the
   first), so a candidate that no u chooses repeats the edge before it, and under SMP_SHARE_ZEROED the last edge is below
   1. With tau = 0 the greedy id has all of [0, 1). options->tau and options->u are not read.
   Errors: those of smp_lab_run; ERR_PARAM (tau, with the index in taus). */
SMP_API smp_status smp_lab_map(const double *logits, uint32_t n, const smp_lab_options *options, const double *taus,
                               uint32_t n_taus, double *edges, smp_where *where);

/* A logarithmic axis from low to high, 0 < low < high: the value at a place from 0 to 1, and the place of a value,
   cut to the ends of the axis. Finite arguments. */
SMP_API double smp_axis_value(double low, double high, double place);
SMP_API double smp_axis_place(double low, double high, double value);

typedef enum smp_dtype {
#define SMP_DTYPE(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_dtype;

/* Round n doubles to the nearest number of a format, ties to even, as IEEE 754 converts: subnormals and overflow to
   infinity included. out may be in. Errors: ERR_NAN (logits, index), ERR_PARAM (dtype). */
SMP_API smp_status smp_lab_round(const double *in, uint32_t n, smp_dtype dtype, double *out, smp_where *where);

/* ---- Stop protocols: when does each row end, and when the batch? -------------------------------------------------- */

#define SMP_STOP_ROWS   64u   /* rows of a batch at most */
#define SMP_STOP_TOKENS 1024u /* tokens of a row, of a prompt, and new tokens at most */
#define SMP_STOP_EOS    64u   /* ids in an EOS set at most */

typedef enum smp_rule {
#define SMP_RULE(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_rule;
/* SMP_RULE_LATCH is right, the others are what people meet instead.
   SMP_RULE_LATCH: a row that has finished before the step gets PAD; every row gets the column; then the rows that met an
   EOS or the limit are finished, for good; the batch stops when all are. As transformers' `generate` (5.22; 4.57.1 has the
   same rule).
   SMP_RULE_ANY: the batch stops after a column in which any row shows an EOS.
   SMP_RULE_SAME_STEP: the batch stops only after a column in which every row shows an EOS; a row goes on after its own,
   without PAD, and counts as finished from then on.
   SMP_RULE_SCALAR: `if token == eos` on a tensor: with several rows it has no single truth value and is refused at step 1.
   SMP_RULE_SINGLE: as LLMs-from-scratch: several rows are refused at the door.
   The last two refuse only where an EOS is given; else, and with one row, they equal SMP_RULE_LATCH. Under every rule
   the batch stops at the limit. */

typedef enum smp_finish {
#define SMP_FINISH(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_finish;
/* SMP_FINISH_NONE: still generating, where a run was asked to pause. SMP_FINISH_EOS: met an EOS, also if the limit came in
   the same step. SMP_FINISH_LENGTH: met the limit. SMP_FINISH_CUT: a wrong rule ended the batch before either. */

typedef enum smp_role {
#define SMP_ROLE(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_role;
/* What a cell is, whatever its id: PAD may share the id of an EOS. SMP_ROLE_TOKEN: part of the answer, also if it has the
   id of PAD. SMP_ROLE_EOS: the row's first EOS. SMP_ROLE_PAD: appended because the row had finished. SMP_ROLE_JUNK: chosen
   by the model after the row's EOS. Where nothing was appended: SMP_ROLE_LOST, an answer token that SMP_RULE_LATCH has and
   a batch that stopped early lacks; SMP_ROLE_LOST_EOS, the same for the EOS that ends the answer; else SMP_ROLE_NONE. */

typedef struct smp_stop_options {
  uint32_t max_new_tokens; /* the limit, 1..SMP_STOP_TOKENS */
  uint32_t pad;            /* id of PAD; may be in the EOS set */
  smp_rule rule;
  uint32_t steps; /* pause after so many steps; max_new_tokens or more for the whole run */
} smp_stop_options;

/* One row in one step. `before`, `after` and `batch` are 0 or 1, and 0 where nothing was appended. */
typedef struct smp_stop_cell {
  uint32_t candidate; /* what the model would append; SMP_NONE behind the end of a row shorter than the run */
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

/* Counts over the columns appended, except `lost` and `lost_eos`: those compare with the whole run of SMP_RULE_LATCH, and
   count from the moment in which the batch stopped. */
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

/* Generate a batch whose candidates are known beforehand, under a rule.
   candidates: the rows one after the other, row i of lengths[i] ids, 1 <= rows <= SMP_STOP_ROWS; every row has
   1 to SMP_STOP_TOKENS ids, each below SMP_NONE, and max_new_tokens at least unless one of them is an EOS: then the row is
   complete, but under SMP_RULE_SAME_STEP, where it goes on.
   eos: the n_eos ids that end a row, 0 <= n_eos <= SMP_STOP_EOS; none may be given.
   cells: max_new_tokens columns of `rows` cells, column after column. ends: one per row.
   Errors, checked in this order: ERR_EMPTY, ERR_LENGTH (rows); ERR_PARAM (max_new_tokens, rule, pad); ERR_LENGTH (eos),
   ERR_PARAM (eos, with its index); ERR_EMPTY, ERR_LENGTH, then ERR_SHORT (rows, with the row); ERR_PARAM (candidates, with the
   index among all); ERR_REFUSED (rule; the index is the step of the refusal, 0 at the door). */
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
   tau: finite, > 0. Errors: those of smp_row_scan; ERR_PARAM (temperature), also where the greatest quotient overflows.
 */
SMP_API smp_status smp_row_temperature(float *row, size_t n, float tau, smp_where *where);

/* Softmax in place: row[i] = e^(row[i] - max) / sum. Padding becomes 0. *entropy (nats) may be NULL.
   Accuracy: relative error of a probability of at least 2^-126 at most (2 + |row[i] - max|) 2^-23; the sum within 1e-6
   of 1. Exponentials below 2^-126, before the division by the sum, are 0.
   Errors: those of smp_row_scan. */
SMP_API smp_status smp_row_softmax(float *row, size_t n, double *entropy, smp_where *where);

/* Ids of the m greatest entries, falling, equal ones by rising id. ids: m entries, 1 <= m <= n.
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
  double max_difference;  /* the greatest |p - q| */
  double kl;              /* sum of p ln(p / q) in nats, never negative; +inf where q is 0 and p is not */
  double entropy_p;       /* -sum of p ln p in nats; divided by ln 2, bits */
  double entropy_q;
  uint32_t max_id; /* where the greatest difference is, the smallest id among equals */
} smp_distance;

/* Compare two rows of n probabilities, each 0 to 1 and summing to 1 within 1e-5. 1 <= n <= SMP_ROW_MAX.
   Errors: ERR_EMPTY, ERR_LENGTH; ERR_NAN, ERR_PARAM (row, the index of an entry of p or q outside [0, 1]). */
SMP_API smp_status smp_row_distance(const float *p, const float *q, size_t n, smp_distance *distance, smp_where *where);

/* The id at u of a row of n probabilities, or of weights from 0 to 1 with any sum above 0: the first at which the
   running sum exceeds u times the whole sum; never one of weight 0. 0 <= u < 1. The whole sum is that of smp_row_softmax:
   blocks of 64, each within 2^-23 of its exact sum; inside the block the sum runs in double.
   Errors: ERR_EMPTY, ERR_LENGTH; ERR_NAN, ERR_PARAM (row, index of an entry outside [0, 1]), ERR_MASKED if all are 0;
   ERR_PARAM (u). */
SMP_API smp_status smp_row_draw(const float *weights, size_t n, double u, uint32_t *id, smp_where *where);

/* ---- Chains: steps in order on a row --------------------------------------------------------------------------- */

typedef enum smp_step_kind {
#define SMP_STEP(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_step_kind;
/* What each does to an entry x of the row; p is its probability, softmax of the row as the step finds it. A step
   either changes numbers (rounded to float once per operation) or removes entries. The greatest entry survives all steps
   but MASK, NO_REPEAT, TYPICAL and a BIAS of -inf. Rules as in transformers 5 (generation/logits_process.py)
   unless said otherwise.

   TEMPERATURE  x / value. value > 0.
   REPETITION   x < 0: x * value, else x / value; once for each distinct id of the context. value > 0. Dividing a
                negative logit instead would raise it (Keskar et al. 2019, CTRL, says only "divide").
   PRESENCE     x - value for each distinct id of the context (the OpenAI API's rule).
   FREQUENCY    x - value * times for each distinct id, `times` its occurrences (the OpenAI API's rule).
   BIAS         x + values[j] for ids[j], j < count, in order; -inf removes.
   MASK         removes ids[j], j < count.
   NO_REPEAT    removes every id that would complete a run of `count` ids that the context already holds. count >= 1.
   TOP_K        keeps the count greatest; `tie` says what happens to equals of the last (transformers: THRESHOLD).
                count >= 1; above the number of entries it keeps all.
   TOP_P        walks up from the least entry, equals by rising id, and removes while the running sum of p does not
                exceed 1 - value; sum in double, rounded to float before it is compared with (float)(1 - value), which
                is torch's cumsum on a CPU. 0 keeps one entry, 1 all that float can tell from 0. `tie` says which of the
                equals at the cut survive (transformers: LAST up to 16 entries; beyond, as std::sort leaves them).
   MIN_P        removes where p < value * max p, both sides float.
   TYPICAL      sorts by |-ln p - entropy|, keeps from the least on until the sum of p reaches value, and all equals.
   EPSILON      removes where p < value.
   ETA          removes where p < min(value, sqrt(value) e^-entropy).
   TOP_H        softmax of the 100 greatest alone; keeps them, falling, while the running sum of -p ln p does not exceed
                value times their entropy; all others go.
   TOP_N_SIGMA  removes where x < max - value * sigma, the standard deviation of all entries above -inf (Tang et al.
                2024; llama.cpp). value >= 0. */

typedef struct smp_step {
  double value;        /* the number that the kind's rule names */
  const uint32_t *ids; /* BIAS, MASK: `count` of them, each below n */
  const float *values; /* BIAS: as many, each below +inf */
  uint32_t count;      /* TOP_K: k; NO_REPEAT: length; BIAS, MASK: length of ids;
                           penalties: how many ids at the end of the context count, 0 for all */
  smp_step_kind kind;
  smp_tie tie; /* TOP_K, TOP_P */
} smp_step;

typedef enum smp_out {
#define SMP_OUT(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_out;

typedef struct smp_chain {
  double u;                /* where to cut the final distribution, 0 <= u < 1: chooses the id, in id order */
  const smp_step *steps;   /* run from first to last */
  const uint32_t *context; /* ids so far, oldest first, each below n; for the penalties and NO_REPEAT */
  uint32_t n_steps;        /* may be 0: then steps may be NULL */
  uint32_t n_context;      /* may be 0: then context may be NULL */
  smp_out out; /* what is left in the row: probabilities, their natural logarithms, or logits; or only the id
                              is wanted, and neither row nor ids are written */
} smp_chain;

/* What a step left. */
typedef struct smp_step_info {
  double max;           /* the greatest logit left */
  double cut;           /* the least logit left */
  double mass;          /* the share of the distribution before the step that survived it */
  double entropy;       /* of what is left, in nats */
  uint32_t n_kept;      /* entries above -inf */
  uint32_t by_rounding; /* 1 if the cut lies within 4 ulp of the threshold: other arithmetic may keep another set */
} smp_step_info;

typedef struct smp_chain_result {
  uint32_t n_kept;      /* entries above -inf after all steps */
  uint32_t id;          /* chosen by u */
  uint32_t by_rounding; /* 1 if any step's cut was decided by rounding */
  smp_status status;    /* SMP_OK; in a batch, how this row ended */
  smp_param param;      /* in a batch: smp_where of a row that was refused */
  uint32_t index;
} smp_chain_result;

/* Bytes of work area for a row of n entries, 0 if n is 0 or above SMP_ROW_MAX; about 17 n. Aligned as for double. */
SMP_API size_t smp_chain_work_size(size_t n);

/* Run a chain on a row of n logits, as smp_row_scan takes them.
   ids not NULL: room for n. The result is a list: ids[j], j < n_kept, rising, and in row[j] what `out` says of ids[j];
   the rest of the row is left as it was. ids NULL: the result is the whole row, row[i] is that of entry i, removed
   entries and padding are 0 (p) or -inf.
   infos: NULL, or one record for each step, which costs an exponential of every entry after each step.
   work: smp_chain_work_size(n) bytes; what they hold does not matter. Memory areas must not overlap.
   Probabilities have the accuracy of smp_row_softmax. The order of equal logits follows `tie`.
   Errors: those of smp_row_scan; ERR_PARAM at the parameter of a step, with the index of the step, also where the result
   of a step is not finite or no entry is left; ERR_PARAM (context, index), (u), (tie, step), (out). */
SMP_API smp_status smp_chain_run(float *row, size_t n, const smp_chain *chain, uint32_t *ids, smp_step_info *infos,
                                 smp_chain_result *result, void *work, smp_where *where);

/* Run a chain of its own on each of n_rows rows of n logits in place, as with ids NULL, one after the other. Row r
   starts at rows + r * smp_row_capacity(n). A row that is refused stays as it was; results[r] says so and why, and the
   others are done. work: as for one row. Errors: ERR_EMPTY, ERR_LENGTH (of n). */
SMP_API smp_status smp_chain_run_rows(float *rows, size_t n_rows, size_t n, const smp_chain *chains,
                                      smp_chain_result *results, void *work, smp_where *where);

/* ---- Generators: the words that engines draw with --------------------------------------------------------------- */

typedef enum smp_generator {
#define SMP_GENERATOR(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_generator;
/* SMP_GENERATOR_MT19937: Matsumoto and Nishimura 1998, seeded as C++ std::mt19937 (torch).
   SMP_GENERATOR_MT19937_32: the same, but it refuses a seed of 2^32 - 1, with which llama.cpp asks for a random one, and
   above.
   SMP_GENERATOR_MT19937_PYTHON: mt19937 seeded by its array of 32-bit words, as Python's random; of transformers.js, so it
   refuses seeds that JavaScript cannot hold.
   SMP_GENERATOR_CHACHA12: ChaCha with 12 rounds, seeded as StdRng::seed_from_u64 of Rust's rand 0.9 (candle).
   SMP_GENERATOR_NONE: what the engine draws with is not replayed; it takes no seed. */

typedef struct smp_rng {
  double words;        /* taken since it was seeded */
  uint32_t state[624]; /* MT19937: the state. CHACHA12: key, then counter, then the block at hand */
  uint32_t at;         /* next word of the state or block */
  smp_generator generator;
} smp_rng;

/* Seed a generator with 64 bits, low half first. MT19937 takes the low 32 only, as torch.manual_seed does.
   Errors: ERR_PARAM (generator, seed). */
SMP_API smp_status smp_rng_seed(smp_rng *rng, smp_generator generator, uint32_t low, uint32_t high, smp_where *where);

/* The next 32 random bits. */
SMP_API uint32_t smp_rng_next(smp_rng *rng);

/* ---- Engines: the same logits through the rules of real libraries ------------------------------------------------ */

typedef enum smp_engine {
#define SMP_ENGINE(name, value, text, ...) SMP_##name = (value),
#include "engines.def"
} smp_engine;

typedef enum smp_setting {
#define SMP_SETTING(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_setting;

typedef enum smp_variant {
#define SMP_VARIANT(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_variant;
/* SMP_VARIANT_TORCH_MKL: transformers on an x86 wheel of torch up to 2.6. SMP_VARIANT_REPLACEMENT: transformers, all
   draws by one multinomial(p, n, replacement=True). SMP_VARIANT_BATCH: transformers, all draws by one multinomial of as
   many equal rows, which differs only under SMP_VARIANT_TORCH_MKL. SMP_VARIANT_NEW: candle's LogitsProcessor::new
   instead of from_sampling. SMP_VARIANT_GUMBEL: candle's Sampling::GumbelSoftmax, which is refused above temperature 0:
   its noise ignores the seed. */

typedef enum smp_drawing {
#define SMP_DRAWING(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_drawing;
/* SMP_DRAWING_GREEDY: the first candidate, no words.
   SMP_DRAWING_RACE: torch.multinomial(p, 1): per entry of the row, in id order and also where p is 0, two words give a
   53-bit u; q = (float)-ln(1 - u); the first greatest p / q.
   SMP_DRAWING_RACE_MKL: the same in x86 wheels of torch up to 2.6: one word for each draw seeds MCG31m1.
   SMP_DRAWING_BATCH_MKL: as many rows in one call there: one word for all draws.
   SMP_DRAWING_REPLACEMENT: torch.multinomial(p, n, replacement=True): cumulative sum in float, divided by its last; one
   53-bit u for each draw. With n = 1 torch makes it a race, and so does this (RACE; for the other, ask for it).
   SMP_DRAWING_WEIGHTED_INDEX: rand's WeightedIndex<f32> in candidate order, one word.
   SMP_DRAWING_DIST: llama.cpp's dist: running sum in double in candidate order, two words.
   SMP_DRAWING_SUBTRACT: transformers.js: a 53-bit u times the sum in double, less one weight after the other, falling,
   until it is negative.
   SMP_DRAWING_NONE: not replayed; smp_engine_draw refuses it. */

typedef enum smp_boundary {
#define SMP_BOUNDARY(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_boundary;
/* What top-p keeps.
   SMP_BOUNDARY_BELOW: falling, while the mass before a candidate is below p.
   SMP_BOUNDARY_RISING: from the least on, removes while the running sum does not exceed 1 - p, and keeps the last: the
   same but for rounding. SMP_BOUNDARY_OPEN: the same, but a p that 1 - p does not feel removes all.
   SMP_BOUNDARY_AT_MOST: falling, while the mass before a candidate is at most p: one more where a sum meets p exactly.
   SMP_BOUNDARY_EQUALS: every candidate for which the mass of all greater ones is below p; equals share their fate.
   SMP_BOUNDARY_HEAP: candidates come one after the other; while the sum exceeds p the least of those held goes. May
   leave gaps.
   SMP_BOUNDARY_NONE: there is no top-p. */

typedef enum smp_compared {
#define SMP_COMPARED(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_compared;
/* What a filter compares with its threshold, in the engine's own arithmetic.
   SMP_COMPARED_LOGIT: the logit as the filter finds it; below the threshold it goes.
   SMP_COMPARED_P: the probability; below the threshold it goes.
   SMP_COMPARED_SUM_BEFORE: the running sum of those before it, from the greatest on. The sum ends at the first candidate
   that goes, and stands for all after it.
   SMP_COMPARED_SUM_FROM_BELOW: the running sum from the least on, itself included; it goes unless the threshold is
   exceeded.
   SMP_COMPARED_NOTHING: the engine has no such filter, the filter was off, or it compares no one number: the heap of
   SMP_BOUNDARY_HEAP. */

#define SMP_TRACE_MAX 64u /* ids that one trace looks at */

/* What a filter compared for one id. */
typedef struct smp_trace_row {
  double value;   /* a float; like what follows, 0 unless the filter found the id */
  double ulps;    /* value less threshold, in steps of floats at the threshold; llama.cpp's min_p: at the greater of
                           threshold and greatest logit, whose rounding it carries */
  uint32_t id;    /* in: the id that is asked for */
  uint32_t found; /* 1 if the filter still had it among its candidates */
  uint32_t kept;  /* 1 if the filter kept it */
  uint32_t
      by_rounding; /* 1 if the value lies within 4 ulp of the threshold: other arithmetic may decide otherwise. Values
                           that are logits as they were given are exact: 0 */
} smp_trace_row;

/* What one filter of an engine compared: the step at which two engines part, number by number. */
typedef struct smp_trace {
  double threshold;      /* a float; 0 under SMP_COMPARED_NOTHING */
  smp_trace_row *rows;   /* n of them */
  uint32_t n;            /* 1..SMP_TRACE_MAX */
  smp_setting setting;   /* in: SMP_SET_TOP_K, SMP_SET_TOP_P or SMP_SET_MIN_P */
  smp_compared compared; /* of the last filter of that setting */
} smp_trace;

typedef enum smp_refusal {
#define SMP_REFUSAL(name, value, text) SMP_##name = (value),
#include "codes.def"
} smp_refusal;

typedef enum smp_sampler_kind {
#define SMP_SAMPLER(name, value, text, numbers) SMP_##name = (value),
#include "codes.def"
} smp_sampler_kind;
/* llama.cpp's samplers (src/llama-sampler.cpp, commit 0c1e5709), on its array of candidates: at first all of the row, in
   id order. Their numbers are floats or whole numbers, in this order. min_keep: keep so many in any case.

   TOP_K        k: sorts, keeps the first k. k <= 0 does nothing.
   TOP_P        p, min_keep: sorts, keeps up to the first at which the running float sum is at least p. p >= 1: nothing.
   MIN_P        p, min_keep: keeps logits of at least the greatest + ln p, in their order. p <= 0: nothing.
   TYPICAL      p, min_keep: orders by |-ln p - entropy|, keeps up to the first at which the sum exceeds p. p >= 1:
                nothing.
   TEMP         t: divides. t <= 0 sets all to -inf but the first of the greatest.
   TEMP_EXT     t, delta, exponent: divides by t - delta + 2 delta * h^exponent, h being the entropy over its greatest
                possible value; t - delta is at least 0. delta <= 0: as TEMP.
   TOP_N_SIGMA  n: sets to -inf what lies more than n standard deviations below the greatest. n <= 0: nothing.
   XTC          probability, threshold, min_keep: with that probability removes all entries of at least the threshold
                but the least of them. It draws with a generator of its own.
   PENALTIES    last_n, repeat, freq, present: an id among the last last_n of the context is multiplied by repeat where
                its logit is not above 0, else divided; then it loses its count * freq + present. last_n <= 0: nothing.
   DRY          multiplier, base, allowed_length, last_n: an id that would carry on a repetition of r >= allowed_length
                ids among the last last_n loses multiplier * base^(r - allowed_length). `ids` end repetitions.
                last_n <= 0: nothing; where llama.cpp's programs take -1, they put the length of the context there.
   GREEDY       the first of the greatest alone. Only as the last.
   DIST         drawing, which follows in any case. Only as the last. */

typedef struct smp_sampler {
  double number[4];
  const uint32_t *ids; /* DRY: n_ids of them, each below n */
  smp_rng *rng;        /* XTC: of kind MT19937_32; each run moves it on */
  uint32_t n_ids;
  smp_sampler_kind kind;
} smp_sampler;

/* llama.cpp's array as the samplers left it: also the entries at -inf, which are no candidates. */
typedef struct smp_llama_array {
  uint32_t *ids; /* room for the row, like the others */
  float *logits;
  float *p;        /* what the last sampler that made probabilities stored, 0 if there was none */
  uint32_t n;      /* entries */
  uint32_t sorted; /* 1 if it knows them to be falling */
} smp_llama_array;

/* Settings in transformers' names; what is not in `given` takes the engine's default. */
typedef struct smp_engine_call {
  double temperature, top_p, min_p, typical_p, epsilon_cutoff, eta_cutoff, top_h, repetition_penalty;
  const uint32_t *context; /* ids so far, oldest first, each below n */
  uint32_t n_context;      /* may be 0: then context may be NULL */
  int32_t top_k;
  uint32_t repeat_last_n;        /* penalties see so many ids at the end of the context; 0 for all */
  uint32_t prompt_ignore_length; /* transformers: the first so many ids of the context are not penalised */
  uint32_t given;                /* bits 1 << SMP_SET_... */
  uint32_t settings_only;        /* 1: no default of the engine but what turns a rule off */
  smp_engine engine;
  uint32_t variant;            /* bits SMP_VARIANT_... */
  uint32_t n_samplers;         /* at most 64 */
  const smp_sampler *samplers; /* NULL, or only for llama.cpp: what it runs instead of its chain for settings */
  smp_llama_array *array;      /* NULL, or only for llama.cpp: gets its array */
  smp_trace *trace;            /* NULL, or gets what a filter compared; it changes no other result */
} smp_engine_call;

typedef struct smp_engine_result {
  uint32_t n_kept;
  uint32_t by_rounding; /* 1 if the cut lies within 4 ulp of the threshold */
  smp_refusal refusal;  /* what the engine says instead; nothing else is set then */
  smp_drawing drawing;  /* how it draws */
  smp_generator generator;
  uint32_t ignored; /* bits 1 << SMP_SET_... of settings that were given and that the engine does not have */
} smp_engine_result;

/* Bytes of work area for a row of n entries, 0 if n is 0 or above SMP_ROW_MAX. Aligned as for double. */
SMP_API size_t smp_engine_work_size(size_t n);

/* Change a row of n logits in place as the engine's repetition penalty does: x < 0 times the penalty, else divided by it,
   once for each distinct id of the context that the engine looks at. Zeros keep their sign.
   Errors: those of smp_row_scan; ERR_PARAM (engine; context, index; a setting that is not finite; variant, as
   generator; trace, index of an id; repetition_penalty where a result is not finite). */
SMP_API smp_status smp_engine_penalise(float *row, size_t n, const smp_engine_call *call, void *work, smp_where *where);

/* Run an engine on a row of n logits, as smp_row_scan takes them: penalties, temperature, filters. ids: room for n.
   ids[j], j < n_kept, are the candidates in the order in which the engine draws among them, and row[j] the weights that
   it draws with; the rest of the row is not defined. Errors: those of smp_engine_penalise. */
SMP_API smp_status smp_engine_run(float *row, size_t n, const smp_engine_call *call, uint32_t *ids,
                                  smp_engine_result *result, void *work, smp_where *where);

/* Draw `draws` ids, one after the other, among n_kept candidates of a row of n entries, as smp_engine_run left them.
   weights: not negative, with a sum above 0. Races: ids rising. out: room for `draws`.
   Errors: ERR_EMPTY (row); ERR_PARAM (generator, draws; kept, with the index in ids). */
SMP_API smp_status smp_engine_draw(smp_drawing drawing, const uint32_t *ids, const float *weights, size_t n_kept,
                                   size_t n, smp_rng *rng, uint32_t *out, size_t draws, smp_where *where);

/* What smp_engine_run left as a distribution: ids rising, and the weights as doubles that sum to 1. sorted, p: room for
   n_kept each. Errors: ERR_EMPTY (row); ERR_PARAM (row, index of a weight that is negative or not finite); ERR_MASKED. */
SMP_API smp_status smp_engine_probabilities(const uint32_t *ids, const float *weights, size_t n_kept, uint32_t *sorted,
                                            double *p, smp_where *where);

/* How far apart two engines are. */
typedef struct smp_engine_gap {
  double total_variation; /* half the sum of |p - q|, 0 to 1 */
  double max_difference;  /* the greatest |p - q| */
  double only_p;          /* mass of the candidates that only p has */
  double only_q;
  uint32_t max_id; /* where the greatest difference is, the smallest id among equals */
  uint32_t n_only_p, n_only_q;
} smp_engine_gap;

/* Compare two distributions, as smp_engine_probabilities makes them, in double.
   Errors: ERR_EMPTY (row); ERR_PARAM (kept, index of the first id that does not rise). */
SMP_API smp_status smp_engine_distance(const uint32_t *ids_p, const double *p, size_t n_p, const uint32_t *ids_q,
                                       const double *q, size_t n_q, smp_engine_gap *gap, smp_where *where);

#ifdef __cplusplus
}
#endif

#endif
