/* The table of engines: one row each, read by everything: the files that run them, the command line, JavaScript, and
   docs/engines.md, whose tables are made from it. Add a row and an enumerator; the rest follows. */
#include "engine.h"

/* ---- What engines do with values --------------------------------------------------------------------------------- */

#define BELOW(edge, ...)                                                                                               \
  { .limit = LIMIT_BELOW, .at = (edge), .action = __VA_ARGS__ }
#define UP_TO(edge, ...)                                                                                               \
  { .limit = LIMIT_UP_TO, .at = (edge), .action = __VA_ARGS__ }
#define EXACTLY(value, ...)                                                                                            \
  { .limit = LIMIT_EXACTLY, .at = (value), .action = __VA_ARGS__ }
#define BELOW_ROW(...)                                                                                                 \
  { .limit = LIMIT_BELOW_ROW, .action = __VA_ARGS__ }
#define UP_TO_ROW(...)                                                                                                 \
  { .limit = LIMIT_UP_TO_ROW, .action = __VA_ARGS__ }
#define ELSE(...)                                                                                                      \
  { .limit = LIMIT_NONE, .action = __VA_ARGS__ }
#define REFUSE(why)        DO_REFUSE, .refusal = SMP_REFUSAL_##why
#define UNLESS_GREEDY(why) DO_REFUSE_SAMPLED, .refusal = SMP_REFUSAL_##why
#define BANDS(name, ...)   static const engine_band name[] = {__VA_ARGS__}

/* The largest double that is 0 as a float: half the smallest float, which rounds to even. */
#define ROUNDS_TO_0 0x1p-150

/* Refusals are in the engines' own words: vllm/sampling_params.py, sglang/srt/sampling/sampling_params.py,
   mlx_lm/sample_utils.py. Of a temperature and a penalty, 1 is off wherever it would run: nothing is divided. */
BANDS(ANY, ELSE(DO_RUN));
BANDS(T_TRANSFORMERS, BELOW(0, UNLESS_GREEDY(TEMPERATURE)), UP_TO(0, UNLESS_GREEDY(TEMPERATURE_0)), ELSE(DO_RUN));
BANDS(T_ARGMAX, UP_TO(0, DO_ARGMAX), ELSE(DO_RUN));
BANDS(T_GREEDY, UP_TO(0, DO_GREEDY), ELSE(DO_RUN));
BANDS(T_GREEDY_OR_CLOSED, BELOW(0, DO_CLOSE), UP_TO(0, DO_GREEDY), ELSE(DO_RUN));
BANDS(T_CHAPTER, BELOW(0, REFUSE(CHAPTER_TEMPERATURE)), UP_TO(0, DO_GREEDY), ELSE(DO_RUN));
BANDS(T_CLOSED, BELOW(0, DO_CLOSE), ELSE(DO_RUN));
BANDS(T_VLLM, BELOW(0, REFUSE(GOT_TEMPERATURE)), BELOW(1e-5, DO_GREEDY), BELOW(0.01, DO_MOVE), ELSE(DO_RUN));
BANDS(T_SGLANG, BELOW(0, REFUSE(GOT_TEMPERATURE)), BELOW(1e-6, DO_GREEDY), ELSE(DO_RUN));
BANDS(T_OLLAMA, UP_TO(0, DO_GREEDY), BELOW(1e-7, DO_MOVE), ELSE(DO_RUN));
BANDS(T_EXLLAMAV2, BELOW(0.01, DO_GREEDY), ELSE(DO_RUN));

BANDS(H_UNIT, UP_TO(0, UNLESS_GREEDY(TOP_H)), UP_TO(1, DO_RUN), ELSE(UNLESS_GREEDY(TOP_H)));

BANDS(K_ANY, UP_TO(0, DO_OFF), BELOW_ROW(DO_RUN), ELSE(DO_KEEP_ALL));
BANDS(K_TRANSFORMERS, BELOW(0, UNLESS_GREEDY(TOP_K)), UP_TO(0, DO_OFF), BELOW_ROW(DO_RUN), ELSE(DO_KEEP_ALL));
/* values[:, -1] of no values is an IndexError; topk(k) of fewer entries, or below 0, a RuntimeError */
BANDS(K_UNCHECKED, BELOW(0, REFUSE(RUNTIME)), UP_TO(0, REFUSE(INDEX)), BELOW_ROW(DO_RUN), UP_TO_ROW(DO_KEEP_ALL),
      ELSE(REFUSE(RUNTIME)));
BANDS(K_CHAPTER, UP_TO(0, REFUSE(CHAPTER_TOP_K)), BELOW_ROW(DO_RUN), UP_TO_ROW(DO_KEEP_ALL),
      ELSE(REFUSE(CHAPTER_TOP_K)));
BANDS(K_MLX, UP_TO(0, DO_OFF), BELOW_ROW(DO_RUN), ELSE(REFUSE(MLX_TOP_K)));
BANDS(K_VLLM, BELOW(-1, REFUSE(VLLM_TOP_K)), UP_TO(0, DO_OFF), BELOW_ROW(DO_RUN), ELSE(DO_KEEP_ALL));
BANDS(K_SGLANG, BELOW(-1, REFUSE(SGLANG_TOP_K)), BELOW(0, DO_OFF), UP_TO(0, REFUSE(SGLANG_TOP_K)), BELOW_ROW(DO_RUN),
      ELSE(DO_KEEP_ALL));
BANDS(K_FLASHINFER, UP_TO(0, REFUSE(FLASHINFER_TOP_K)), BELOW_ROW(DO_RUN), ELSE(DO_KEEP_ALL));

BANDS(P_ANY, BELOW(1, DO_RUN), ELSE(DO_OFF)); /* 0 keeps one */
BANDS(P_TRANSFORMERS, BELOW(0, UNLESS_GREEDY(TOP_P)), BELOW(1, DO_RUN), ELSE(DO_OFF));
BANDS(P_INSIDE, UP_TO(0, DO_OFF), BELOW(1, DO_RUN), ELSE(DO_OFF));
BANDS(P_CHECKED, UP_TO(0, REFUSE(GOT_TOP_P)), BELOW(1, DO_RUN), UP_TO(1, DO_OFF), ELSE(REFUSE(GOT_TOP_P)));
BANDS(P_FLASHINFER, UP_TO(0, REFUSE(FLASHINFER_TOP_P)), BELOW(1, DO_RUN), UP_TO(1, DO_OFF),
      ELSE(REFUSE(FLASHINFER_TOP_P)));
BANDS(P_CUT, BELOW(0, DO_MOVE), BELOW(1, DO_RUN), ELSE(DO_OFF));

BANDS(M_ANY, UP_TO(0, DO_OFF), ELSE(DO_RUN)); /* above 1 it keeps one */
BANDS(M_TRANSFORMERS, BELOW(0, UNLESS_GREEDY(MIN_P)), UP_TO(0, DO_OFF), UP_TO(1, DO_RUN), ELSE(UNLESS_GREEDY(MIN_P)));
BANDS(M_INSIDE, UP_TO(0, DO_OFF), BELOW(1, DO_RUN), ELSE(DO_OFF));
BANDS(M_CHECKED, BELOW(0, REFUSE(GOT_MIN_P)), UP_TO(0, DO_OFF), UP_TO(1, DO_RUN), ELSE(REFUSE(GOT_MIN_P)));
BANDS(M_MLX, BELOW(0, REFUSE(MIN_P)), UP_TO(0, DO_OFF), UP_TO(1, DO_RUN), ELSE(REFUSE(MIN_P)));
BANDS(M_CUT, UP_TO(0, DO_OFF), UP_TO(1, DO_RUN), ELSE(DO_MOVE, .at = 1));

BANDS(TYPICAL_ANY, BELOW(1, DO_RUN), ELSE(DO_OFF));
BANDS(TYPICAL_TRANSFORMERS, UP_TO(0, UNLESS_GREEDY(TYPICAL)), BELOW(1, DO_RUN), ELSE(DO_OFF));
BANDS(CUTOFF, UP_TO(0, DO_OFF), BELOW(1, DO_RUN), ELSE(DO_OFF));

BANDS(PENALTY_TRANSFORMERS, UP_TO(0, REFUSE(PENALTY)), ELSE(DO_RUN));
BANDS(PENALTY_VLLM, UP_TO(0, REFUSE(VLLM_PENALTY)), ELSE(DO_RUN));
BANDS(PENALTY_MLX, BELOW(0, REFUSE(MLX_PENALTY)), ELSE(DO_RUN));
BANDS(PENALTY_SGLANG, BELOW(0, REFUSE(SGLANG_PENALTY)), UP_TO(2, DO_RUN), ELSE(REFUSE(SGLANG_PENALTY)));

BANDS(WINDOW_0_IS_ALL, EXACTLY(0, DO_KEEP_ALL), ELSE(DO_RUN));
BANDS(WINDOW_0_IS_NONE, EXACTLY(0, DO_SEE_NONE), ELSE(DO_RUN));
BANDS(IGNORE, EXACTLY(0, DO_OFF), ELSE(DO_RUN));

/* candle's LogitsProcessor. from_sampling does not look at the temperature; new is greedy below 1e-7 and takes no
   top_k; GumbelSoftmax is greedy from 0 down, and its noise is from the device. */
BANDS(K_CANDLE, BELOW(0, REFUSE(USIZE)), UP_TO(0, UNLESS_GREEDY(EMPTY)), BELOW_ROW(DO_RUN), ELSE(DO_KEEP_ALL));
BANDS(K_CANDLE_NEW, ELSE(REFUSE(NEW)));
BANDS(T_CANDLE_NEW, BELOW(1e-7, DO_GREEDY), ELSE(DO_RUN));
BANDS(T_CANDLE_GUMBEL, UP_TO(0, DO_GREEDY), ELSE(UNLESS_GREEDY(GUMBEL)));
BANDS(T_CANDLE_NEW_GUMBEL, BELOW(1e-7, DO_GREEDY), ELSE(UNLESS_GREEDY(GUMBEL)));
/* TopP looks whether p is inside (0, 1), as a double; what is 0 as a float is left no weight. TopKThenTopP does not
   look: where k keeps all it is sample_topp, which cuts whatever p is. */
BANDS(P_CANDLE, UP_TO(0, DO_OFF), UP_TO(ROUNDS_TO_0, UNLESS_GREEDY(NO_WEIGHT)), BELOW(1, DO_RUN), ELSE(DO_OFF));
BANDS(P_CANDLE_AFTER_K, UP_TO(ROUNDS_TO_0, DO_OFF), ELSE(DO_RUN));
BANDS(P_CANDLE_AFTER_ALL, UP_TO(ROUNDS_TO_0, UNLESS_GREEDY(NO_WEIGHT)), ELSE(DO_RUN));

static const engine_choice CANDLE_CHOICES[] = {
    {SMP_VARIANT_NEW | SMP_VARIANT_GUMBEL, SMP_WHY_ABSENT, SMP_SET_TEMPERATURE, T_CANDLE_NEW_GUMBEL},
    {SMP_VARIANT_NEW, SMP_WHY_ABSENT, SMP_SET_TEMPERATURE, T_CANDLE_NEW},
    {SMP_VARIANT_GUMBEL, SMP_WHY_ABSENT, SMP_SET_TEMPERATURE, T_CANDLE_GUMBEL},
    {SMP_VARIANT_NEW, SMP_WHY_ABSENT, SMP_SET_TOP_K, K_CANDLE_NEW},
    {0, SMP_WHY_GIVEN, SMP_SET_TOP_P, P_CANDLE_AFTER_K},
    {0, SMP_WHY_ALL, SMP_SET_TOP_P, P_CANDLE_AFTER_ALL},
    {0},
};

/* ---- Engines ----------------------------------------------------------------------------------------------------- */

/* Each step in the order in which it runs: what it does with the values of its setting, and its default. SOFTMAX: here
   probabilities are made from what is left, so that the mass that comes after it is measured among the survivors. */
#define STEPS(...)                                                                                                     \
  .steps = (const engine_step[]){__VA_ARGS__},                                                                         \
  .n_steps = sizeof((const engine_step[]){__VA_ARGS__}) / sizeof(engine_step)
#define STEP(name, takes, ...)                                                                                         \
  { .setting = SMP_SET_##name, .bands = (takes), __VA_ARGS__ }
#define SOFTMAX                                                                                                        \
  { .setting = ENGINE_SOFTMAX }
#define DEFAULT(value) .has_default = DEFAULT_USUAL, .standard = (value)
#define ALWAYS(value)  .has_default = DEFAULT_ALWAYS, .standard = (value)
#define NO_DEFAULT     .has_default = DEFAULT_NONE

/* Where an engine checks its settings in an order of its own. */
#define CHECKS(...)                                                                                                    \
  .checks = (const unsigned char[]) {                                                                                  \
    __VA_ARGS__, ENGINE_SOFTMAX                                                                                        \
  }

#define TORCH_VARIANTS (SMP_VARIANT_TORCH_MKL | SMP_VARIANT_REPLACEMENT | SMP_VARIANT_BATCH)

static const engine_profile ENGINES[] = {
    [SMP_ENGINE_TRANSFORMERS] =
        {.name = "transformers",
         .run = smpi_torch_run,
         STEPS(STEP(PROMPT_IGNORE_LENGTH, IGNORE, NO_DEFAULT),
               STEP(REPETITION_PENALTY, PENALTY_TRANSFORMERS, DEFAULT(1)),
               STEP(TEMPERATURE, T_TRANSFORMERS, DEFAULT(1)), SOFTMAX, STEP(TOP_H, H_UNIT, NO_DEFAULT), SOFTMAX,
               STEP(TOP_K, K_TRANSFORMERS, DEFAULT(50)), SOFTMAX, STEP(TOP_P, P_TRANSFORMERS, DEFAULT(1)), SOFTMAX,
               STEP(MIN_P, M_TRANSFORMERS, NO_DEFAULT), SOFTMAX, STEP(TYPICAL_P, TYPICAL_TRANSFORMERS, DEFAULT(1)),
               SOFTMAX, STEP(EPSILON_CUTOFF, CUTOFF, DEFAULT(0)), SOFTMAX, STEP(ETA_CUTOFF, CUTOFF, DEFAULT(0))),
         .variants = TORCH_VARIANTS,
         .tie = SMP_TIE_THRESHOLD,
         .boundary = SMP_BOUNDARY_ASCENDING,
         .drawing = SMP_DRAWING_RACE,
         .generator = SMP_GENERATOR_MT19937,
         .eos = "yes",
         .how = "ran",
         .version = "5.22.0, torch 2.15.0",
         .date = "2026-11-29",
         .source = "PyPI transformers"},
    [SMP_ENGINE_CANDLE] = {.name = "candle",
                           .run = smpi_candle_run,
                           STEPS(STEP(REPEAT_LAST_N, WINDOW_0_IS_ALL, NO_DEFAULT),
                                 STEP(REPETITION_PENALTY, ANY, NO_DEFAULT), STEP(TEMPERATURE, ANY, ALWAYS(0)), SOFTMAX,
                                 STEP(TOP_K, K_CANDLE, NO_DEFAULT), STEP(TOP_P, P_CANDLE, NO_DEFAULT)),
                           .choices = CANDLE_CHOICES,
                           .variants = SMP_VARIANT_NEW | SMP_VARIANT_GUMBEL,
                           .tie = SMP_TIE_STRICT,
                           .boundary = SMP_BOUNDARY_BELOW,
                           .drawing = SMP_DRAWING_WEIGHTED_INDEX,
                           .generator = SMP_GENERATOR_CHACHA12,
                           .eos = "caller",
                           .how = "ran",
                           .version = "0.11.1, rand 0.9.5, rustc 1.95, AVX2",
                           .date = "2026-11-29",
                           .source = "crates.io candle-transformers"},
    [SMP_ENGINE_LLAMA_CPP] = {.name = "llama.cpp",
                              .run = smpi_llama_run,
                              STEPS(STEP(REPEAT_LAST_N, WINDOW_0_IS_NONE, DEFAULT(64)),
                                    STEP(REPETITION_PENALTY, ANY, DEFAULT(1)), STEP(TOP_K, K_ANY, DEFAULT(40)), SOFTMAX,
                                    STEP(TYPICAL_P, TYPICAL_ANY, DEFAULT(1)), SOFTMAX,
                                    STEP(TOP_P, P_ANY, DEFAULT(0.95)), SOFTMAX, STEP(MIN_P, M_ANY, DEFAULT(0.05)),
                                    STEP(TEMPERATURE, T_ARGMAX, DEFAULT(0.8))),
                              .tie = SMP_TIE_STRICT,
                              .boundary = SMP_BOUNDARY_BELOW,
                              .drawing = SMP_DRAWING_DIST,
                              .generator = SMP_GENERATOR_MT19937_32,
                              .eos = "yes",
                              .how = "ran",
                              .version = "0c1e5709, llama-cpp-python 0.3.36",
                              .date = "2026-11-29",
                              .source = "PyPI llama-cpp-python"},
    [SMP_ENGINE_TRANSFORMERS_JS] = {.name = "transformers.js",
                                    .run = smpi_rules_run,
                                    STEPS(STEP(REPETITION_PENALTY, ANY, DEFAULT(1)),
                                          STEP(TEMPERATURE, T_GREEDY_OR_CLOSED, DEFAULT(1)),
                                          STEP(TOP_K, K_ANY, DEFAULT(50))),
                                    .tie = SMP_TIE_STRICT,
                                    .boundary = SMP_BOUNDARY_NONE,
                                    .drawing = SMP_DRAWING_SUBTRACT,
                                    .generator = SMP_GENERATOR_MT19937_PYTHON,
                                    .in_double = 1,
                                    .eos = "yes",
                                    .how = "ran",
                                    .version = "4.3.2",
                                    .date = "2026-11-29",
                                    .source = "npm @huggingface/transformers src/generation, src/utils"},
    [SMP_ENGINE_LLMS_FROM_SCRATCH] = {.name = "llms-from-scratch",
                                      .run = smpi_rules_run,
                                      STEPS(STEP(TOP_K, K_UNCHECKED, NO_DEFAULT),
                                            STEP(TEMPERATURE, T_GREEDY, DEFAULT(0))),
                                      .variants = TORCH_VARIANTS,
                                      .tie = SMP_TIE_THRESHOLD,
                                      .boundary = SMP_BOUNDARY_NONE,
                                      .drawing = SMP_DRAWING_RACE,
                                      .generator = SMP_GENERATOR_MT19937,
                                      .eos = "no",
                                      .how = "ran",
                                      .version = "ch05, 1.0.19, torch 2.15.0",
                                      .date = "2026-11-29",
                                      .source = "PyPI llms-from-scratch"},
    [SMP_ENGINE_CHAPTER] = {.name = "chapter",
                            .run = smpi_rules_run,
                            STEPS(STEP(TEMPERATURE, T_CHAPTER, DEFAULT(1)), STEP(TOP_K, K_CHAPTER, NO_DEFAULT)),
                            .variants = TORCH_VARIANTS,
                            .tie = SMP_TIE_STRICT,
                            .boundary = SMP_BOUNDARY_NONE,
                            .drawing = SMP_DRAWING_RACE,
                            .generator = SMP_GENERATOR_MT19937,
                            .eos = "yes",
                            .how = "ran",
                            .version = "torch 2.15.0",
                            .date = "2026-11-29",
                            .source = "the chapter's rule; draws as torch"},
    [SMP_ENGINE_MLX_LM] = {.name = "mlx-lm",
                           .run = smpi_rules_run,
                           STEPS(STEP(REPEAT_LAST_N, WINDOW_0_IS_ALL, DEFAULT(20)),
                                 STEP(REPETITION_PENALTY, PENALTY_MLX, NO_DEFAULT), SOFTMAX,
                                 STEP(TOP_P, P_INSIDE, DEFAULT(0)), STEP(MIN_P, M_MLX, DEFAULT(0)),
                                 STEP(TOP_K, K_MLX, DEFAULT(0)), STEP(TEMPERATURE, T_GREEDY_OR_CLOSED, DEFAULT(0))),
                           CHECKS(SMP_SET_REPETITION_PENALTY, SMP_SET_TOP_P, SMP_SET_MIN_P, SMP_SET_TOP_K),
                           .tie = SMP_TIE_STRICT,
                           .boundary = SMP_BOUNDARY_OPEN,
                           .drawing = SMP_DRAWING_NONE,
                           .generator = SMP_GENERATOR_NONE,
                           .eos = "no",
                           .how = "ran",
                           .version = "0.31.3, mlx 0.32.4",
                           .date = "2026-11-29",
                           .source = "PyPI mlx-lm sample_utils.py"},
    [SMP_ENGINE_VLLM] =
        {.name = "vllm",
         .run = smpi_rules_run,
         STEPS(STEP(REPETITION_PENALTY, PENALTY_VLLM, DEFAULT(1)), STEP(TEMPERATURE, T_VLLM, DEFAULT(1)), SOFTMAX,
               STEP(MIN_P, M_CHECKED, DEFAULT(0)), STEP(TOP_K, K_VLLM, DEFAULT(0)), SOFTMAX,
               STEP(TOP_P, P_CHECKED, DEFAULT(1))),
         CHECKS(SMP_SET_REPETITION_PENALTY, SMP_SET_TEMPERATURE, SMP_SET_TOP_P, SMP_SET_TOP_K, SMP_SET_MIN_P),
         .tie = SMP_TIE_THRESHOLD,
         .boundary = SMP_BOUNDARY_ASCENDING,
         .drawing = SMP_DRAWING_NONE,
         .generator = SMP_GENERATOR_NONE,
         .eos = "yes",
         .how = "read",
         .version = "V1",
         .date = "2026-11-29",
         .source = "vllm-project/vllm vllm/v1/sample/sampler.py 3e342658b2e9, ops/topk_topp_sampler.py 3babc05a035b, "
                   "logits_processor/builtin.py bf17660a2493, vllm/sampling_params.py db573835d3ef"},
    [SMP_ENGINE_SGLANG] = {.name = "sglang",
                           .run = smpi_rules_run,
                           STEPS(STEP(REPETITION_PENALTY, PENALTY_SGLANG, DEFAULT(1)),
                                 STEP(TEMPERATURE, T_SGLANG, DEFAULT(1)), SOFTMAX, STEP(TOP_K, K_SGLANG, DEFAULT(-1)),
                                 STEP(TOP_P, P_CHECKED, DEFAULT(1)), STEP(MIN_P, M_CHECKED, DEFAULT(0))),
                           CHECKS(SMP_SET_TEMPERATURE, SMP_SET_TOP_P, SMP_SET_MIN_P, SMP_SET_TOP_K,
                                  SMP_SET_REPETITION_PENALTY),
                           .tie = SMP_TIE_STRICT,
                           .boundary = SMP_BOUNDARY_AT_MOST,
                           .drawing = SMP_DRAWING_NONE,
                           .generator = SMP_GENERATOR_NONE,
                           .eos = "yes",
                           .how = "read",
                           .version = "pytorch backend",
                           .date = "2026-11-29",
                           .source = "sgl-project/sglang python/sglang/srt/layers/sampler.py 584f55d1ce76, "
                                     "srt/sampling/penaltylib/repetition_penalty.py 80c802a2b77e"},
    [SMP_ENGINE_FLASHINFER] = {.name = "flashinfer",
                               .run = smpi_rules_run,
                               STEPS(STEP(TEMPERATURE, T_CLOSED, NO_DEFAULT), SOFTMAX,
                                     STEP(TOP_K, K_FLASHINFER, NO_DEFAULT), STEP(TOP_P, P_FLASHINFER, NO_DEFAULT)),
                               .tie = SMP_TIE_THRESHOLD,
                               .boundary = SMP_BOUNDARY_EQUALS,
                               .drawing = SMP_DRAWING_NONE,
                               .generator = SMP_GENERATOR_NONE,
                               .eos = "caller",
                               .how = "read",
                               .version = "joint",
                               .date = "2026-11-29",
                               .source = "flashinfer-ai/flashinfer flashinfer/sampling.py ba1f20666a4d, "
                                         "include/flashinfer/sampling.cuh 01e00b455209"},
    [SMP_ENGINE_OLLAMA] = {.name = "ollama",
                           .run = smpi_rules_run,
                           STEPS(STEP(TOP_K, K_ANY, DEFAULT(40)), STEP(TEMPERATURE, T_OLLAMA, DEFAULT(0.8)), SOFTMAX,
                                 STEP(TOP_P, P_CUT, DEFAULT(0.9)), STEP(MIN_P, M_CUT, DEFAULT(0))),
                           .tie = SMP_TIE_STRICT,
                           .boundary = SMP_BOUNDARY_AT_MOST,
                           .drawing = SMP_DRAWING_NONE,
                           .generator = SMP_GENERATOR_NONE,
                           .eos = "yes",
                           .how = "read",
                           .version = "Go engine",
                           .date = "2026-11-29",
                           .source =
                               "ollama/ollama sample/samplers.go 0117cd8f1dae, sample/transforms.go 00a948ad363c"},
    [SMP_ENGINE_EXLLAMAV2] =
        {.name = "exllamav2",
         .run = smpi_rules_run,
         STEPS(STEP(REPEAT_LAST_N, WINDOW_0_IS_NONE, NO_DEFAULT), STEP(REPETITION_PENALTY, ANY, DEFAULT(1.025)),
               STEP(TEMPERATURE, T_EXLLAMAV2, DEFAULT(0.8)), SOFTMAX, STEP(TOP_K, K_ANY, DEFAULT(50)), SOFTMAX,
               STEP(TOP_P, P_INSIDE, DEFAULT(0.8)), SOFTMAX, STEP(MIN_P, M_INSIDE, DEFAULT(0))),
         .tie = SMP_TIE_STRICT,
         .boundary = SMP_BOUNDARY_HEAP,
         .drawing = SMP_DRAWING_NONE,
         .generator = SMP_GENERATOR_NONE,
         .eos = "no",
         .how = "read",
         .version = "0978ba5f",
         .date = "2026-11-29",
         .source = "turboderp/exllamav2 exllamav2/exllamav2_ext/ext_sampling.cpp 0978ba5f860e, cpp/sampling.cpp, "
                   "generator/sampler.py 547135cc43f4"},
    [SMP_ENGINE_LLAMA2_C] = {.name = "llama2.c",
                             .run = smpi_rules_run,
                             STEPS(STEP(TEMPERATURE, T_GREEDY_OR_CLOSED, DEFAULT(1)), SOFTMAX,
                                   STEP(TOP_P, P_INSIDE, DEFAULT(0.9))),
                             .tie = SMP_TIE_STRICT,
                             .boundary = SMP_BOUNDARY_AT_MOST,
                             .drawing = SMP_DRAWING_NONE,
                             .generator = SMP_GENERATOR_NONE,
                             .eos = "no",
                             .how = "read",
                             .version = "run.c",
                             .date = "2026-11-29",
                             .source = "karpathy/llama2.c run.c bd182289c596"},
};

_Static_assert(sizeof ENGINES / sizeof *ENGINES == SMP_ENGINE_LLAMA2_C + 1, "a row for each engine");

const engine_profile *smpi_engine_profile(smp_engine engine) {
  return (size_t)engine < sizeof ENGINES / sizeof *ENGINES ? &ENGINES[engine] : NULL;
}

const engine_step *smpi_engine_step(const engine_profile *profile, smp_setting setting) {
  for (size_t i = 0; i < profile->n_steps; i++)
    if (profile->steps[i].setting == setting) return &profile->steps[i];
  return NULL;
}

const char *smp_engine_name(smp_engine engine) {
  const engine_profile *profile = smpi_engine_profile(engine);
  return profile ? profile->name : "";
}

const char *smp_engine_checked(smp_engine engine) {
  const engine_profile *profile = smpi_engine_profile(engine);
  return profile ? profile->how : "";
}

const char *smp_engine_version(smp_engine engine) {
  const engine_profile *profile = smpi_engine_profile(engine);
  return profile ? profile->version : "";
}
