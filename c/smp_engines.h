/* sampling-lab: the same logits through the rules of real libraries, and the ids that they draw for a seed.

   The conventions are those of smp.h. Reading order: generators, engines and their settings, how they draw and what
   their filters compare, llama.cpp's samplers; then running an engine, drawing, and how far two engines are apart. */
#ifndef SMP_ENGINES_H
#define SMP_ENGINES_H

#include "smp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Generators: the random words that engines draw with --------------------------------------------------------- */

typedef enum smp_generator {
  SMP_GENERATOR_MT19937,  /* Matsumoto and Nishimura 1998, seeded as C++ std::mt19937 (torch): takes the low 32 bits */
  SMP_GENERATOR_CHACHA12, /* ChaCha with 12 rounds, seeded as StdRng::seed_from_u64 of Rust's rand 0.9 (candle) */
  SMP_GENERATOR_MT19937_32,     /* mt19937; refuses a seed of 2^32 - 1, with which llama.cpp asks for a random one, and
                                   above */
  SMP_GENERATOR_MT19937_PYTHON, /* mt19937 seeded by its array of 32-bit words, as Python's random (transformers.js):
                                   refuses seeds that a JavaScript number cannot hold */
  SMP_GENERATOR_NONE,           /* what the engine draws with is not replayed; it takes no seed */
} smp_generator;

typedef struct smp_rng {
  double words;        /* taken since it was seeded */
  uint32_t state[624]; /* MT19937: the state. CHACHA12: key, then counter, then the block at hand */
  uint32_t at;         /* next word of the state or block */
  smp_generator generator;
} smp_rng;

/* Seed a generator with 64 bits, low half first. Errors: ERR_PARAM (generator, seed). */
SMP_API smp_status smp_rng_seed(smp_rng *rng, smp_generator generator, uint32_t low, uint32_t high, smp_where *where);

/* The next 32 random bits. */
SMP_API uint32_t smp_rng_next(smp_rng *rng);

/* The next u, 53 random bits in [0, 1): of two words, high first, as SMP_DRAWING_INVERSE takes it. */
SMP_API double smp_rng_uniform(smp_rng *rng);

/* ---- Engines: the same logits through the rules of real libraries ------------------------------------------------ */

/* The libraries. What each of them does is a row of engine_table.c, in this order; docs/engines.md says which version
   was run or read. */
typedef enum smp_engine {
  SMP_ENGINE_TRANSFORMERS,
  SMP_ENGINE_CANDLE,
  SMP_ENGINE_LLAMA_CPP,
  SMP_ENGINE_TRANSFORMERS_JS,
  SMP_ENGINE_LLMS_FROM_SCRATCH,
  SMP_ENGINE_CHAPTER,
  SMP_ENGINE_MLX_LM,
  SMP_ENGINE_VLLM,
  SMP_ENGINE_SGLANG,
  SMP_ENGINE_FLASHINFER,
  SMP_ENGINE_OLLAMA,
  SMP_ENGINE_EXLLAMAV2,
  SMP_ENGINE_LLAMA2_C,
} smp_engine;

/* As in "llama.cpp". "" if unknown. */
SMP_API const char *smp_engine_name(smp_engine engine);

/* How far an engine's results are checked: "ran", against the library itself, or "read", from its source alone; and of
   which versions. "" if unknown. */
SMP_API const char *smp_engine_checked(smp_engine engine);
SMP_API const char *smp_engine_version(smp_engine engine);

/* Settings of engines, in transformers' names. */
typedef enum smp_setting {
  SMP_SET_TEMPERATURE,
  SMP_SET_TOP_K,
  SMP_SET_TOP_P,
  SMP_SET_MIN_P,
  SMP_SET_TYPICAL_P,
  SMP_SET_EPSILON_CUTOFF,
  SMP_SET_ETA_CUTOFF,
  SMP_SET_TOP_H,
  SMP_SET_REPETITION_PENALTY,
  SMP_SET_REPEAT_LAST_N,
  SMP_SET_PROMPT_IGNORE_LENGTH,
  SMP_SET_GREEDY,
} smp_setting;

/* As in transformers: "top_k". "" if unknown. */
SMP_API const char *smp_setting_name(smp_setting setting);

/* Bits for choices that an engine has besides its settings. */
typedef enum smp_variant {
  SMP_VARIANT_TORCH_MKL = 1,   /* transformers on an x86 wheel of torch up to 2.6 */
  SMP_VARIANT_REPLACEMENT = 2, /* transformers: all draws by one multinomial(p, n, replacement=True) */
  SMP_VARIANT_NEW = 4,         /* candle: LogitsProcessor::new instead of from_sampling */
  SMP_VARIANT_BATCH = 8, /* transformers: all draws by one multinomial of as many equal rows, which differs only under
                            TORCH_MKL */
  SMP_VARIANT_GUMBEL =
      16, /* candle: Sampling::GumbelSoftmax, refused above temperature 0: its noise ignores the seed */
} smp_variant;

/* How an engine turns weights and random words into an id. */
typedef enum smp_drawing {
  SMP_DRAWING_GREEDY,    /* the first candidate, no words */
  SMP_DRAWING_RACE,      /* torch.multinomial(p, 1): per entry of the row, in id order and also where p is 0, two words
                            give a 53-bit u; q = (float)-ln(1 - u); the first largest p / q */
  SMP_DRAWING_RACE_MKL,  /* the same in x86 wheels of torch up to 2.6: one word for each draw seeds MCG31m1 */
  SMP_DRAWING_BATCH_MKL, /* as many rows in one call there: one word for all draws */
  SMP_DRAWING_REPLACEMENT, /* torch.multinomial(p, n, replacement=True): cumulative sum in float, divided by its last;
                              one 53-bit u for each draw. With n = 1 torch makes it a race, and so does this: RACE */
  SMP_DRAWING_REPLACEMENT_MKL, /* the same in those wheels: with n = 1 RACE_MKL */
  SMP_DRAWING_WEIGHTED_INDEX,  /* rand's WeightedIndex<f32> in candidate order, one word */
  SMP_DRAWING_DIST,            /* llama.cpp's dist: cumulative sum in double in candidate order, two words */
  SMP_DRAWING_SUBTRACT, /* transformers.js: a 53-bit u times the sum in double, minus one weight after the other, in
                           descending order, until it is negative */
  SMP_DRAWING_NONE,     /* not replayed; smp_engine_draw refuses it */
  SMP_DRAWING_INVERSE,  /* of no library: the first candidate whose cumulative sum in double exceeds a 53-bit u times
                           the total, two words, high first */
} smp_drawing;

/* What top-p keeps. */
typedef enum smp_boundary {
  SMP_BOUNDARY_BELOW,     /* in descending order, while the mass before a candidate is below p */
  SMP_BOUNDARY_ASCENDING, /* in ascending order, removes while the cumulative sum does not exceed 1 - p, and keeps the
                           last: the same except for rounding */
  SMP_BOUNDARY_OPEN,      /* as ASCENDING, but a p so small that 1 - p rounds to 1 removes all */
  SMP_BOUNDARY_AT_MOST,   /* in descending order, while the mass before a candidate is at most p: one more where a sum
                           meets p exactly */
  SMP_BOUNDARY_EQUALS, /* every candidate for which the mass of all larger ones is below p; equals share their fate */
  SMP_BOUNDARY_HEAP,   /* candidates come one after the other; while the sum exceeds p the smallest of those held goes.
                           May leave gaps */
  SMP_BOUNDARY_NONE,   /* there is no top-p */
} smp_boundary;

/* What a filter compares with its threshold, in the engine's own arithmetic. */
typedef enum smp_compared {
  SMP_COMPARED_NOTHING, /* the engine has no such filter, the filter was off, or it compares no one number: the heap of
                           SMP_BOUNDARY_HEAP */
  SMP_COMPARED_LOGIT,   /* the logit as the filter finds it; removed below the threshold */
  SMP_COMPARED_P,       /* the probability; removed below the threshold */
  SMP_COMPARED_SUM_BEFORE,     /* the cumulative sum of those before it, from the largest on. The sum ends at the first
                                  candidate that is removed, and stands for all after it */
  SMP_COMPARED_SUM_FROM_BELOW, /* the cumulative sum from the smallest on, itself included; removed unless it exceeds
                                  the threshold */
} smp_compared;

#define SMP_TRACE_MAX 64u /* ids that one trace looks at */

/* What a filter compared for one id. */
typedef struct smp_trace_row {
  double value;   /* a float; like what follows, 0 unless the filter found the id */
  double ulps;    /* (value - threshold) in ulps of the threshold; for llama.cpp's min_p in ulps of max(|threshold|,
                     |max logit|), whose rounding it carries */
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

/* What an engine says instead of drawing. The names say to which setting, or of what. */
/* clang-format off */
typedef enum smp_refusal {
  SMP_REFUSAL_NONE, SMP_REFUSAL_WEIGHT, SMP_REFUSAL_NO_WEIGHT, SMP_REFUSAL_EMPTY,
  SMP_REFUSAL_GUMBEL, SMP_REFUSAL_NEW, SMP_REFUSAL_USIZE, SMP_REFUSAL_TEMPERATURE, SMP_REFUSAL_TEMPERATURE_0,
  SMP_REFUSAL_TOP_K, SMP_REFUSAL_TOP_P, SMP_REFUSAL_MIN_P, SMP_REFUSAL_TYPICAL, SMP_REFUSAL_TOP_H,
  SMP_REFUSAL_PENALTY, SMP_REFUSAL_MULTINOMIAL, SMP_REFUSAL_NAN, SMP_REFUSAL_NOTHING_LEFT, SMP_REFUSAL_INDEX,
  SMP_REFUSAL_RUNTIME, SMP_REFUSAL_GOT_TEMPERATURE, SMP_REFUSAL_GOT_TOP_P, SMP_REFUSAL_GOT_MIN_P,
  SMP_REFUSAL_VLLM_TOP_K, SMP_REFUSAL_VLLM_PENALTY, SMP_REFUSAL_SGLANG_TOP_K, SMP_REFUSAL_SGLANG_PENALTY,
  SMP_REFUSAL_MLX_TOP_K, SMP_REFUSAL_MLX_PENALTY, SMP_REFUSAL_CHAPTER_TEMPERATURE, SMP_REFUSAL_CHAPTER_TOP_K,
  SMP_REFUSAL_FLASHINFER_TOP_K, SMP_REFUSAL_FLASHINFER_TOP_P,
} smp_refusal;
/* clang-format on */

/* Its words; {a setting} stands for the value of that setting, {n} for the length of the row. "" if unknown. */
SMP_API const char *smp_refusal_text(smp_refusal refusal);

/* llama.cpp's samplers (src/llama-sampler.cpp, commit 0c1e5709), on its array of candidates: at first all of the row,
   in id order. Their numbers are floats or whole numbers, in the order given. min_keep: keep at least this many in any
   case. */
typedef enum smp_sampler_kind {
  SMP_SAMPLER_TOP_K,    /* k: sorts, keeps the first k. k <= 0 does nothing */
  SMP_SAMPLER_TOP_P,    /* p, min_keep: sorts, keeps up to the first at which the cumulative float sum is at least p. p
                           >= 1 does nothing */
  SMP_SAMPLER_MIN_P,    /* p, min_keep: keeps logits of at least max + ln p, in their order. p <= 0 does nothing */
  SMP_SAMPLER_TYPICAL,  /* p, min_keep: orders by |-ln p - entropy|, keeps up to the first at which the sum exceeds p. p
                           >= 1 does nothing */
  SMP_SAMPLER_TEMP,     /* t: divides. t <= 0 sets all to -inf except the first largest */
  SMP_SAMPLER_TEMP_EXT, /* t, delta, exponent: divides by t - delta + 2 delta * h^exponent, h being the entropy over its
                           largest possible value; t - delta is at least 0. delta <= 0: as TEMP */
  SMP_SAMPLER_TOP_N_SIGMA, /* n: sets to -inf what lies more than n standard deviations below the largest. n <= 0 does
                              nothing */
  SMP_SAMPLER_XTC,         /* probability, threshold, min_keep: with that probability removes all entries that reach the
                              threshold, except the smallest of them. It draws with a generator of its own */
  SMP_SAMPLER_PENALTIES,   /* last_n, repeat, freq, present: the logit of an id among the last last_n of the context is
                              multiplied by repeat where it is not above 0, else divided by it; then count * freq +
                              present is subtracted. last_n <= 0 does nothing */
  SMP_SAMPLER_DRY,         /* multiplier, base, allowed_length, last_n: from the logit of an id that would carry on a
                              repetition of r >= allowed_length ids among the last last_n, multiplier * base^(r -
                              allowed_length) is subtracted. `ids` end repetitions. last_n <= 0 does nothing; where
                              llama.cpp's programs take -1, they put the length of the context there */
  SMP_SAMPLER_GREEDY,      /* the first largest alone. Only as the last */
  SMP_SAMPLER_DIST,        /* drawing, which follows in any case. Only as the last */
} smp_sampler_kind;

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
  uint32_t sorted; /* 1 if it knows them to be in descending order */
} smp_llama_array;

/* Settings in transformers' names; what is not in `given` takes the engine's default. */
typedef struct smp_engine_call {
  double temperature, top_p, min_p, typical_p, epsilon_cutoff, eta_cutoff, top_h, repetition_penalty;
  const uint32_t *context; /* ids so far, oldest first, each below n */
  uint32_t n_context;      /* may be 0: then context may be NULL */
  int32_t top_k;
  uint32_t repeat_last_n;        /* penalties see this many ids at the end of the context; 0 for all, in llama.cpp and
                                    exllamav2 for none */
  uint32_t prompt_ignore_length; /* transformers: this many ids at the start of the context are not penalised */
  uint32_t given;                /* bits 1 << SMP_SET_... */
  uint32_t settings_only;        /* 1: a rule that is not given is off, whatever the engine's default */
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

/* Why a setting is in force, or off. */
typedef enum smp_why {
  SMP_WHY_GIVEN,   /* in force: as it was given */
  SMP_WHY_DEFAULT, /* in force: the engine's default */
  SMP_WHY_MOVED, /* in force: given, but raised to the smallest value that the engine works with, or cut to its range */
  SMP_WHY_UNSET, /* off: neither given nor a default */
  SMP_WHY_OFF,   /* off: this value turns the rule off */
  SMP_WHY_ALL,   /* off: this value keeps everything */
  SMP_WHY_UNSEEN,  /* off: a repetition penalty, but repeat_last_n shows it no id */
  SMP_WHY_ABSENT,  /* off: the engine does not have it */
  SMP_WHY_GREEDY,  /* off: the engine takes the argmax and does not look */
  SMP_WHY_REFUSED, /* off: the engine refuses the value */
  SMP_WHY_CLOSED,  /* off: the engine would run, which is not followed here: smp_engine_run refuses the call */
} smp_why;

/* One setting of a call. */
typedef struct smp_setting_state {
  double value; /* what the engine works with; where the rule is off, what was given, or what turns it off */
  uint32_t on;  /* 1 if it is in force */
  smp_why why;
  smp_refusal refusal; /* under SMP_WHY_REFUSED */
} smp_setting_state;

#define SMP_SETTINGS 12u

/* What each setting of a call comes to on a row of n entries: settings[SMP_SET_...], SMP_SETTINGS of them.
   SMP_SET_GREEDY is in force, with value 1, where the engine takes the argmax, also where that is because of its
   temperature. What a row itself may turn off, such as a top_k above the number of unmasked entries, is not covered.
   `samplers` are not looked at. Errors: ERR_EMPTY, ERR_LENGTH (row); those of smp_engine_penalise that come from the
   call, except for a setting that is not followed. */
SMP_API smp_status smp_engine_settings(const smp_engine_call *call, size_t n, smp_setting_state *settings,
                                       smp_where *where);

/* Bytes of work area for a row of n entries, 0 if n is 0 or above SMP_ROW_MAX. Aligned as for double. */
SMP_API size_t smp_engine_work_size(size_t n);

/* Change a row of n logits in place as the engine's repetition penalty does: x < 0 times the penalty, else divided by
   it, once for each distinct id of the context that the engine looks at. Zeros keep their sign. Errors: those of
   smp_row_scan; ERR_PARAM (engine; context, index; a setting that is not finite; variant, as generator; trace, index of
   an id; repetition_penalty where a result is not finite). */
SMP_API smp_status smp_engine_penalise(float *row, size_t n, const smp_engine_call *call, void *work, smp_where *where);

/* Run an engine on a row of n logits, as smp_row_scan takes them: penalties, temperature, filters. ids: room for n.
   ids[j], j < n_kept, are the candidates in the order in which the engine draws among them, and row[j] the weights that
   it draws with; the rest of the row is not defined. Errors: those of smp_engine_penalise. */
SMP_API smp_status smp_engine_run(float *row, size_t n, const smp_engine_call *call, uint32_t *ids,
                                  smp_engine_result *result, void *work, smp_where *where);

/* Draw `draws` ids, one after the other, among n_kept candidates of a row of n entries, as smp_engine_run left them.
   weights: not negative, with a sum above 0. Races: ids ascending. out: room for `draws`. An id of weight 0 is never
   drawn; torch with replacement and llama.cpp draw a first one at u = 0.
   Errors: ERR_EMPTY (row); ERR_PARAM (generator, draws; kept, with the index in ids). */
SMP_API smp_status smp_engine_draw(smp_drawing drawing, const uint32_t *ids, const float *weights, size_t n_kept,
                                   size_t n, smp_rng *rng, uint32_t *out, size_t draws, smp_where *where);

/* What smp_engine_run left as a distribution: ids ascending, and the weights as doubles that sum to 1. sorted, p: room
   for n_kept each. Errors: ERR_EMPTY (row); ERR_PARAM (row, index of a weight that is negative or not finite);
   ERR_MASKED. */
SMP_API smp_status smp_engine_probabilities(const uint32_t *ids, const float *weights, size_t n_kept, uint32_t *sorted,
                                            double *p, smp_where *where);

/* Compare two distributions, as smp_engine_probabilities makes them, in double.
   Errors: ERR_EMPTY (row); ERR_PARAM (kept, index of the first id that is not above the one before). */
SMP_API smp_status smp_engine_distance(const uint32_t *ids_p, const double *p, size_t n_p, const uint32_t *ids_q,
                                       const double *q, size_t n_q, smp_distance *distance, smp_where *where);

/* ---- Frequencies: one distribution, drawn again and again -------------------------------------------------------- */

/* Candidates and a generator: a list of ids without an end, made as far as it is asked for, in slices of any length.
   The ids are those of smp_engine_draw for as many draws; each longer run begins with the shorter ones, except that
   torch makes a race of one draw with replacement. */
typedef struct smp_stream {
  const uint32_t *ids;  /* n_kept candidates, as smp_engine_run left them */
  const float *weights; /* each at least 0 and finite, not all 0 */
  const double *edges;  /* NULL, or for INVERSE instead of weights: upper ends of the candidates' parts of [0, 1), not
                           descending: smp_lab_result's hi, or a row of smp_lab_map */
  smp_rng *rng;         /* seeded before the run, or going on */
  uint32_t n_kept;
  uint32_t n;     /* entries of the row */
  uint32_t draws; /* of the whole run, at least 1 */
  uint32_t done;  /* of it; 0 at first, then moved on, like `batch` and *rng */
  uint32_t batch; /* BATCH_MKL: MKL's generator; 0 at first */
  smp_drawing drawing;
} smp_stream;

/* Bytes of work area for n_kept candidates: their cumulative sums, and where the search among them begins. 0 if n_kept
   is 0 or above SMP_ROW_MAX. Aligned as for double. */
SMP_API size_t smp_stream_work_size(size_t n_kept);

/* Draw the next `draws` ids and add 1 to counts[id] for each; counts: n of them, by id. Errors: ERR_EMPTY, ERR_LENGTH
   (row); ERR_PARAM (generator; run, where the slice goes beyond it; kept, with the index in ids; row, index of a weight
   or an edge); ERR_MASKED (row) if all weights are 0. */
SMP_API smp_status smp_stream_count(smp_stream *stream, uint32_t *counts, uint32_t draws, void *work, smp_where *where);

/* Draw the next `draws` ids into ids; u: NULL, or room for the number in [0, 1) that each of them took, 0 for races and
   the argmax. Errors: those of smp_stream_count. */
SMP_API smp_status smp_stream_draw(smp_stream *stream, uint32_t *ids, double *u, uint32_t draws, void *work,
                                   smp_where *where);

/* The next draw of a race, looked at: what each candidate has, p / q; the first largest wins. ratios: n_kept of them,
   0 where the weight is 0, +inf where q is 0. Errors: those of smp_stream_count; ERR_PARAM (generator) where the run
   is no race. */
SMP_API smp_status smp_stream_race(smp_stream *stream, float *ratios, uint32_t *id, smp_where *where);

/* The upper end of each candidate's part of [0, 1), in the order in which the generator adds them up and in its own
   arithmetic: u chooses the first at or above it or, where the rule says so, the first above. edges: n_kept, the last
   with weight is 1. Races have parts of the same length. Errors: those of smp_stream_count. */
SMP_API smp_status smp_stream_edges(const smp_stream *stream, double *edges, smp_where *where);

/* How well counts fit probabilities. */
typedef struct smp_fit {
  double chi_square; /* sum of (count - N p)^2 / (N p) over the ids that can be drawn */
  double p_value;    /* how often N draws deviate at least so much: Q(degrees / 2, chi_square / 2); 1 for 0 degrees.
                        Good where `least` is 5 or more */
  double draws;      /* N, the sum of the counts */
  double least;      /* the smallest N p above 0 */
  uint32_t degrees;  /* ids that can be drawn, less 1 */
} smp_fit;

/* Compare counts of n ids with their probabilities, which sum to 1 within 1e-9. z: NULL, or n deviations in standard
   errors, (count - N p) / sqrt(N p (1 - p)), 0 where p is 0 or 1. Accuracy: relative error below 1e-14 of z and
   chi-square; of the p-value, for its chi-square, below 1e-12 down to 1e-280.
   Errors: ERR_EMPTY, ERR_LENGTH (row); ERR_NAN, ERR_PARAM (p, index; the index is n for the sum); ERR_PARAM
   (counts, index of one above 0 where p is 0; the index is n where all are 0). */
SMP_API smp_status smp_stats_fit(const uint32_t *counts, const double *p, size_t n, double *z, smp_fit *fit,
                                 smp_where *where);

/* Where an id of probability p stands after so many draws: of its count and of its share. */
typedef struct smp_band {
  double expected;    /* N p */
  double count_error; /* sqrt(N p (1 - p)): the standard error of the count */
  double error;       /* sqrt(p (1 - p) / N): of the share */
  double low, high;   /* p - 2 error and p + 2 error, within [0, 1] */
} smp_band;

/* The bands of a probability after each of n numbers of draws. Errors: ERR_PARAM (p) unless 0 <= p <= 1; ERR_PARAM
   (run, index) of a number of draws that is not 1 or more and finite. */
SMP_API smp_status smp_stats_bands(double p, const double *draws, uint32_t n, smp_band *bands, smp_where *where);

/* Q(a, x), the upper incomplete gamma function over the whole, for a = degrees / 2 > 0: the p-value of a chi-square of
   2x. 1 for x <= 0, NaN for NaN. */
SMP_API double smp_stats_q(uint32_t degrees, double x);

/* The length of torch.bincount(ids, minlength), where counts[id] of n ids says how often each came: one more than the
   largest id that came, or minlength if that is more. */
SMP_API size_t smp_stats_bincount(const uint32_t *counts, size_t n, size_t minlength);

/* A distribution at one temperature. */
typedef struct smp_curve {
  double entropy; /* in nats: from 0 for one id to ln n for n equal ones */
  double bits;    /* the same in bits */
  double ratio;   /* p[a] / p[b] = e^((z[a] - z[b]) / tau); +inf if it overflows */
} smp_curve;

/* Softmax of n logits, as smp_lab_run takes them, at n_taus temperatures, as smp_lab_map takes them: 0 is the argmax,
   +inf the even distribution, both exact. p: n_taus rows of n; curves: n_taus; a, b: ids of the ratio. p, entropies and
   ratios are within 2 ulp. Errors: those of smp_lab_map; ERR_PARAM (pair; index 0 for a, 1 for b). */
SMP_API smp_status smp_curve_run(const double *logits, uint32_t n, const double *taus, uint32_t n_taus, uint32_t a,
                                 uint32_t b, double *p, smp_curve *curves, smp_where *where);

#ifdef __cplusplus
}
#endif

#endif
