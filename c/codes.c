/* The texts of what crosses the API: of every enumeration of smp.h the names, what they mean and, of parameters, what
   is allowed. And the one place that reports a failed call. */
#include "codes.h"

/* clang-format off */
static const char STATUS[] =
    ROW(OK, "ok")
    ROW(ERR_PARAM, "outside the allowed range")
    ROW(ERR_EMPTY, "empty")
    ROW(ERR_LENGTH, "too many entries")
    ROW(ERR_NAN, "not a number")
    ROW(ERR_INF, "infinite")
    ROW(ERR_MASKED, "every entry is -inf")
    ROW(ERR_SHORT, "fewer tokens than steps")
    ROW(ERR_REFUSED, "refused by this rule: a batch of more than one, and an EOS");

static const char PARAM[] =
    ROW3(AT_NONE, "", "")
    ROW3(AT_LOGITS, "logits", "1 to 64 finite numbers of magnitude at most 2^1000")
    ROW3(AT_TAU, "tau", "a finite number, at least 0")
    ROW3(AT_K, "k", "a whole number from 1 to the number of logits")
    ROW3(AT_U, "u", "at least 0 and below 1")
    ROW3(AT_TIE, "tie", "strict or threshold")
    ROW3(AT_SHARE, "share", "renormalised or zeroed")
    ROW3(AT_DTYPE, "dtype", "float64, float32, float16 or bfloat16")
    ROW3(AT_FILTERS, "filters", "at most 8: top_k, top_p, min_p; no k")
    ROW3(AT_TIE_P, "tie", "strict or inclusive")
    ROW3(AT_TOP_P, "top_p", "a number from 0 to 1")
    ROW3(AT_MIN_P, "min_p", "a number from 0 to 1")
    ROW3(AT_CANDIDATES, "candidates", "whole numbers from 0 to 4294967294")
    ROW3(AT_ROWS, "rows", "1 to 64 lists of 1 to 1024 tokens, none shorter than max_new_tokens unless it holds an EOS (under same-step, none at all)")
    ROW3(AT_EOS, "eos", "at most 64 whole numbers from 0 to 4294967294")
    ROW3(AT_PAD, "pad", "a whole number from 0 to 4294967294")
    ROW3(AT_MAX_NEW_TOKENS, "max_new_tokens", "a whole number from 1 to 1024")
    ROW3(AT_RULE, "rule", "latch, any or same-step; also scalar or single, for a batch of one or without EOS")
    ROW3(AT_PROMPT, "prompt", "1 to 1024 whole numbers from 0 to 4294967294")
    ROW3(AT_KEEP_EOS, "keep_eos", "0 or 1")
#ifndef SMP_ELEMENTS /* whose module has no rows, chains and engines */
    ROW3(AT_ROW, "row", "1 to 1048576 numbers, none of them NaN or +inf, not all -inf")
    ROW3(AT_N, "n", "a whole number from 1 to the number of entries")
    ROW3(AT_STEP, "step", "a known kind of step")
    ROW3(AT_TEMPERATURE, "temperature", "a finite number above 0 that leaves the largest logit finite")
    ROW3(AT_REPETITION_PENALTY, "repetition_penalty", "a finite number above 0 that makes no logit +inf")
    ROW3(AT_PRESENCE_PENALTY, "presence_penalty", "a finite number that makes no logit +inf")
    ROW3(AT_FREQUENCY_PENALTY, "frequency_penalty", "a finite number that makes no logit +inf")
    ROW3(AT_LOGIT_BIAS, "logit_bias", "ids of the logits, each with a number or -inf; some logit stays finite, none becomes +inf")
    ROW3(AT_SUPPRESS_TOKENS, "suppress_tokens", "ids of the logits, not all of them")
    ROW3(AT_NO_REPEAT_NGRAM_SIZE, "no_repeat_ngram_size", "a whole number, at least 1, that leaves an entry")
    ROW3(AT_TOP_K, "top_k", "a whole number, at least 1")
    ROW3(AT_TYPICAL_P, "typical_p", "a number above 0 and below 1")
    ROW3(AT_EPSILON_CUTOFF, "epsilon_cutoff", "a number above 0 and below 1")
    ROW3(AT_ETA_CUTOFF, "eta_cutoff", "a number above 0 and below 1")
    ROW3(AT_TOP_H, "top_h", "a number above 0 and at most 1")
    ROW3(AT_TOP_N_SIGMA, "top_n_sigma", "a finite number, at least 0")
    ROW3(AT_CONTEXT, "context", "ids of the logits")
    ROW3(AT_OUT, "out", "p, log_p, logits or id")
    ROW3(AT_ENGINE, "engine", "a known engine")
    ROW3(AT_SETTING, "setting", "one that the engine has")
    ROW3(AT_TEMPERATURE_NEGATIVE, "temperature", "not below 0, where this engine turns the order of the candidates round, which is not followed here")
    ROW3(AT_ENGINE_TOP_K, "top_k", "a whole number from -2147483648 to 2147483647")
    ROW3(AT_REPEAT_LAST_N, "repeat_last_n", "a whole number from 0 to 4294967295; 0 for all, for none in llama.cpp and exllamav2")
    ROW3(AT_PROMPT_IGNORE_LENGTH, "prompt_ignore_length", "a whole number from 0 to 4294967295")
    ROW3(AT_GENERATOR, "generator", "one that the engine has")
    ROW3(AT_SEED, "seed", "a whole number from 0 to 18446744073709551615; for llama.cpp to 4294967294")
    ROW3(AT_SEED_32, "seed", "a whole number from 0 to 4294967294: llama.cpp takes 32 bits, and 4294967295 asks it for a random seed")
    ROW3(AT_SEED_53, "seed", "a whole number from 0 to 9007199254740991: transformers.js takes a JavaScript number")
    ROW3(AT_SEED_NONE, "seed", "none: the draws of this engine are not replayed")
    ROW3(AT_DRAWS, "draws", "a whole number from 1 to 1048576")
    ROW3(AT_KEPT, "kept", "ids of the logits, ascending")
    ROW3(AT_TRACE, "trace", "top_k, top_p or min_p, and 1 to 64 ids of the logits")
    ROW3(AT_SAMPLERS, "samplers", "for llama.cpp alone: at most 64, in place of settings; greedy or dist only as the last")
    ROW3(AT_SAMPLER_TOP_K, "top_k", "k, a whole number below 2^31; 0 or below keeps all")
    ROW3(AT_SAMPLER_TOP_P, "top_p", "p, and min_keep, a whole number from 0 to 2147483647")
    ROW3(AT_SAMPLER_MIN_P, "min_p", "p, and min_keep, a whole number from 0 to 2147483647")
    ROW3(AT_SAMPLER_TYPICAL, "typical", "p, and min_keep, a whole number from 0 to 2147483647")
    ROW3(AT_SAMPLER_TEMP, "temp", "t; 0 or below keeps only the argmax")
    ROW3(AT_SAMPLER_TEMP_EXT, "temp_ext", "t, delta and exponent")
    ROW3(AT_SAMPLER_TOP_N_SIGMA, "top_n_sigma", "n; 0 or below keeps all")
#endif
    "";

/* The rows that follow, because C99 promises no longer literals. */
static const char PARAM_MORE[] =
#ifndef SMP_ELEMENTS
    ROW3(AT_SAMPLER_XTC, "xtc", "probability; threshold; min_keep, a whole number from 0 to 2147483647; a seeded mt19937-32")
    ROW3(AT_SAMPLER_PENALTIES, "penalties", "last_n, a whole number; repeat, above 0; freq; present")
    ROW3(AT_SAMPLER_DRY, "dry", "multiplier; base; allowed_length, a whole number from 0; last_n, a whole number that reaches at most 16384 ids; breakers, ids of the logits")
    ROW3(AT_RUN, "draws", "a whole number from 1 to 4294967295")
    ROW3(AT_COUNTS, "counts", "whole numbers, not all 0, and 0 where p is 0")
    ROW3(AT_P, "p", "numbers from 0 to 1 that sum to 1")
    ROW3(AT_PAIR, "pair", "two ids of the logits")
    ROW3(AT_ORDER, "order", "id or descending")
    ROW3(AT_MODEL, "model", "a file of the format that docs/models.md describes")
    ROW3(AT_POSITION, "position", "one that leaves the tokens within the context of the model")
    ROW3(AT_CACHE, "cache", "one with room for the tokens, of at most 4096 entries; to cut, some of those it has")
#endif
    "";

static const char TIE[] =
    ROW(TIE_STRICT, "strict")
    ROW(TIE_THRESHOLD, "threshold")
    ROW(TIE_LAST, "last")
    ROW(TIE_INCLUSIVE, "inclusive");

static const char SHARE[] =
    ROW(SHARE_RENORMALISED, "renormalised")
    ROW(SHARE_ZEROED, "zeroed");

static const char DTYPE[] =
    ROW(DTYPE_F64, "float64")
    ROW(DTYPE_F32, "float32")
    ROW(DTYPE_F16, "float16")
    ROW(DTYPE_BF16, "bfloat16");

static const char OUT[] =
    ROW(OUT_P, "p")
    ROW(OUT_LOG_P, "log_p")
    ROW(OUT_LOGITS, "logits")
    ROW(OUT_ID, "id");

#ifndef SMP_ELEMENTS
static const char ORDER[] =
    ROW(ORDER_ID, "id")
    ROW(ORDER_DESCENDING, "descending");
#endif

static const char RULE[] =
    ROW(RULE_LATCH, "latch")
    ROW(RULE_ANY, "any")
    ROW(RULE_SAME_STEP, "same-step")
    ROW(RULE_SCALAR, "scalar")
    ROW(RULE_SINGLE, "single");

static const char FINISH[] =
    ROW(FINISH_NONE, "none")
    ROW(FINISH_EOS, "eos")
    ROW(FINISH_LENGTH, "length")
    ROW(FINISH_CUT, "cut");

static const char ROLE[] =
    ROW(ROLE_NONE, "none")
    ROW(ROLE_TOKEN, "token")
    ROW(ROLE_EOS, "eos")
    ROW(ROLE_PAD, "pad")
    ROW(ROLE_JUNK, "junk")
    ROW(ROLE_LOST, "lost")
    ROW(ROLE_LOST_EOS, "lost-eos");
/* clang-format on */

const code_table smpi_codes[] = {
    {"status", STATUS, CODES_DOWN}, {"param", PARAM, CODES_UP},   {"tie", TIE, CODES_UP},
    {"share", SHARE, CODES_UP},     {"dtype", DTYPE, CODES_UP},   {"out", OUT, CODES_UP},
    {"rule", RULE, CODES_UP},       {"finish", FINISH, CODES_UP}, {"role", ROLE, CODES_UP},
#ifndef SMP_ELEMENTS
    {"order", ORDER, CODES_UP},
#endif
    {NULL, NULL, CODES_UP},
};

static const char *skip(const char *rows, uint32_t texts) {
  for (; texts > 0; texts--)
    while (*rows++) continue;
  return rows;
}

const char *smpi_code_text(const char *rows, uint32_t row, uint32_t column) {
  for (;; row--) {
    if (rows == PARAM + sizeof PARAM - 1) rows = PARAM_MORE;
    if (row == 0 || !*rows) break;
    rows = skip(rows, 3);
  }
  return *rows ? skip(rows, column) : NULL; /* a name is never empty: an empty one is the end */
}

static const char *text_or(const char *text, const char *otherwise) {
  return text ? text : otherwise;
}

const char *smp_status_text(smp_status status) {
  return text_or(smpi_code_text(STATUS, 0u - (uint32_t)status, 1), "unknown status");
}

const char *smp_param_text(smp_param param) {
  return text_or(smpi_code_text(PARAM, (uint32_t)param, 1), "");
}

const char *smp_param_allowed(smp_param param) {
  return text_or(smpi_code_text(PARAM, (uint32_t)param, 2), "");
}

smp_status smpi_fail(smp_status status, smp_param param, uint32_t index, smp_where *where) {
  if (where) *where = (smp_where){param, index};
  return status;
}
