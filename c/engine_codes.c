/* The texts of every enumeration of smp_engines.h, as codes.c has those of smp.h. Of a refusal: what the engine says
   instead of drawing; {a setting} stands for its value, {n} for the length of the row. Of a sampler: its numbers, in
   order. */
#include "codes.h"
#include "engine.h"

/* clang-format off */
static const char SETTING[] =
    ROW(SET_TEMPERATURE, "temperature")
    ROW(SET_TOP_K, "top_k")
    ROW(SET_TOP_P, "top_p")
    ROW(SET_MIN_P, "min_p")
    ROW(SET_TYPICAL_P, "typical_p")
    ROW(SET_EPSILON_CUTOFF, "epsilon_cutoff")
    ROW(SET_ETA_CUTOFF, "eta_cutoff")
    ROW(SET_TOP_H, "top_h")
    ROW(SET_REPETITION_PENALTY, "repetition_penalty")
    ROW(SET_REPEAT_LAST_N, "repeat_last_n")
    ROW(SET_PROMPT_IGNORE_LENGTH, "prompt_ignore_length")
    ROW(SET_GREEDY, "greedy");

static const char GENERATOR[] =
    ROW(GENERATOR_MT19937, "mt19937")
    ROW(GENERATOR_CHACHA12, "chacha12")
    ROW(GENERATOR_MT19937_32, "mt19937-32")
    ROW(GENERATOR_MT19937_PYTHON, "mt19937-python")
    ROW(GENERATOR_NONE, "");

static const char DRAWING[] =
    ROW(DRAWING_GREEDY, "greedy")
    ROW(DRAWING_RACE, "race")
    ROW(DRAWING_RACE_MKL, "race-mkl")
    ROW(DRAWING_BATCH_MKL, "batch-mkl")
    ROW(DRAWING_REPLACEMENT, "replacement")
    ROW(DRAWING_REPLACEMENT_MKL, "replacement-mkl")
    ROW(DRAWING_WEIGHTED_INDEX, "weighted-index")
    ROW(DRAWING_DIST, "dist")
    ROW(DRAWING_SUBTRACT, "subtract")
    ROW(DRAWING_NONE, "")
    ROW(DRAWING_INVERSE, "inverse");

static const char BOUNDARY[] =
    ROW(BOUNDARY_BELOW, "below")
    ROW(BOUNDARY_ASCENDING, "ascending")
    ROW(BOUNDARY_OPEN, "ascending-open")
    ROW(BOUNDARY_AT_MOST, "at-most")
    ROW(BOUNDARY_EQUALS, "equals")
    ROW(BOUNDARY_HEAP, "heap")
    ROW(BOUNDARY_NONE, "none");

static const char COMPARED[] =
    ROW(COMPARED_NOTHING, "")
    ROW(COMPARED_LOGIT, "logit")
    ROW(COMPARED_P, "p")
    ROW(COMPARED_SUM_BEFORE, "sum-before")
    ROW(COMPARED_SUM_FROM_BELOW, "sum-from-below");

static const char VARIANT[] =
    ROW(VARIANT_TORCH_MKL, "torch-mkl")
    ROW(VARIANT_REPLACEMENT, "replacement")
    ROW(VARIANT_NEW, "new")
    ROW(VARIANT_BATCH, "batch")
    ROW(VARIANT_GUMBEL, "gumbel");

static const char WHY[] =
    ROW(WHY_GIVEN, "given")
    ROW(WHY_DEFAULT, "default")
    ROW(WHY_MOVED, "moved")
    ROW(WHY_UNSET, "unset")
    ROW(WHY_OFF, "off")
    ROW(WHY_ALL, "keeps-all")
    ROW(WHY_UNSEEN, "sees-none")
    ROW(WHY_ABSENT, "absent")
    ROW(WHY_GREEDY, "greedy")
    ROW(WHY_REFUSED, "refused")
    ROW(WHY_CLOSED, "not-followed");

static const char REFUSAL[] =
    ROW(REFUSAL_NONE, "")
    ROW(REFUSAL_WEIGHT, "A weight is negative, too large or not a valid number")
    ROW(REFUSAL_NO_WEIGHT, "Not enough weights > zero")
    ROW(REFUSAL_EMPTY, "Weights sequence is empty/too long/unordered")
    ROW(REFUSAL_GUMBEL, "GumbelSoftmax takes its noise from the device's generator: no seed repeats it")
    ROW(REFUSAL_NEW, "LogitsProcessor::new takes no top_k")
    ROW(REFUSAL_USIZE, "top_k is a usize, which is never negative")
    ROW(REFUSAL_TEMPERATURE, "ValueError: `temperature` (={temperature}) has to be a strictly positive float, otherwise your next token scores will be invalid.")
    ROW(REFUSAL_TEMPERATURE_0, "ValueError: `temperature` (={temperature}) has to be a strictly positive float, otherwise your next token scores will be invalid. If you're looking for greedy decoding strategies, set `do_sample=False`.")
    ROW(REFUSAL_TOP_K, "ValueError: `top_k` has to be a strictly positive integer, but is {top_k}")
    ROW(REFUSAL_TOP_P, "ValueError: `top_p` has to be a float > 0 and < 1, but is {top_p}")
    ROW(REFUSAL_MIN_P, "ValueError: `min_p` has to be a float in the [0, 1] interval, but is {min_p}")
    ROW(REFUSAL_TYPICAL, "ValueError: `typical_p` has to be a float > 0 and < 1, but is {typical_p}")
    ROW(REFUSAL_TOP_H, "ValueError: `top_h` must be in the range (0, 1].")
    ROW(REFUSAL_PENALTY, "ValueError: `penalty` has to be a strictly positive float, but is {repetition_penalty}")
    ROW(REFUSAL_MULTINOMIAL, "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0")
    ROW(REFUSAL_NAN, "probabilities are NaN")
    ROW(REFUSAL_NOTHING_LEFT, "every candidate is removed")
    ROW(REFUSAL_INDEX, "IndexError: index -1 is out of bounds for dimension 1 with size 0")
    ROW(REFUSAL_RUNTIME, "RuntimeError: selected index k out of range")
    ROW(REFUSAL_GOT_TEMPERATURE, "ValueError: temperature must be non-negative, got {temperature}.")
    ROW(REFUSAL_GOT_TOP_P, "ValueError: top_p must be in (0, 1], got {top_p}.")
    ROW(REFUSAL_GOT_MIN_P, "ValueError: min_p must be in [0, 1], got {min_p}.")
    ROW(REFUSAL_VLLM_TOP_K, "ValueError: top_k must be 0 (disable), or at least 1, got {top_k}.")
    ROW(REFUSAL_VLLM_PENALTY, "ValueError: repetition_penalty must be greater than zero, got {repetition_penalty}.")
    ROW(REFUSAL_SGLANG_TOP_K, "ValueError: top_k must be -1 (disable) or at least 1, got {top_k}.")
    ROW(REFUSAL_SGLANG_PENALTY, "ValueError: repetition_penalty must be in [0, 2], got {repetition_penalty}.")
    ROW(REFUSAL_MLX_TOP_K, "ValueError: `top_k` has to be an integer in the (0, {n}] interval, but is {top_k}.")
    ROW(REFUSAL_MLX_PENALTY, "ValueError: penalty must be a non-negative float, got {repetition_penalty}")
    ROW(REFUSAL_CHAPTER_TEMPERATURE, "ValueError: the temperature must be at least 0, but is {temperature}")
    ROW(REFUSAL_CHAPTER_TOP_K, "ValueError: k must be a whole number from 1 to {n}, but is {top_k}")
    ROW(REFUSAL_FLASHINFER_TOP_K, "FlashInfer does not check top_k: it must be at least 1, but is {top_k}")
    ROW(REFUSAL_FLASHINFER_TOP_P, "FlashInfer does not check top_p: it must be above 0 and at most 1, but is {top_p}");

static const char SAMPLER[] =
    ROW3(SAMPLER_TOP_K, "top_k", "k")
    ROW3(SAMPLER_TOP_P, "top_p", "p min_keep")
    ROW3(SAMPLER_MIN_P, "min_p", "p min_keep")
    ROW3(SAMPLER_TYPICAL, "typical", "p min_keep")
    ROW3(SAMPLER_TEMP, "temp", "t")
    ROW3(SAMPLER_TEMP_EXT, "temp_ext", "t delta exponent")
    ROW3(SAMPLER_TOP_N_SIGMA, "top_n_sigma", "n")
    ROW3(SAMPLER_XTC, "xtc", "probability threshold min_keep seed")
    ROW3(SAMPLER_PENALTIES, "penalties", "last_n repeat freq present")
    ROW3(SAMPLER_DRY, "dry", "multiplier base allowed_length last_n breakers")
    ROW3(SAMPLER_GREEDY, "greedy", "")
    ROW3(SAMPLER_DIST, "dist", "seed");
/* clang-format on */

const code_table smpi_engine_codes[] = {
    {"setting", SETTING, CODES_UP},   {"generator", GENERATOR, CODES_UP}, {"drawing", DRAWING, CODES_UP},
    {"boundary", BOUNDARY, CODES_UP}, {"compared", COMPARED, CODES_UP},   {"variant", VARIANT, CODES_BITS},
    {"why", WHY, CODES_UP},           {"refusal", REFUSAL, CODES_UP},     {"sampler", SAMPLER, CODES_UP},
    {NULL, NULL, CODES_UP},
};

const char *smp_setting_name(smp_setting setting) {
  const char *text = smpi_code_text(SETTING, (uint32_t)setting, 1);
  return text ? text : "";
}

const char *smp_refusal_text(smp_refusal refusal) {
  const char *text = smpi_code_text(REFUSAL, (uint32_t)refusal, 1);
  return text ? text : "";
}
