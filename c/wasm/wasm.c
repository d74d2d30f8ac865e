/* The WebAssembly face: the whole API of smp.h is exported as it is (SMP_API), and this file adds what JavaScript needs
   to call it without a line of glue: an arena for arguments and results, and a description of codes and structs. */
#include "chain.h"
#include "codes.h"
#include "engine.h"
#include "smp_gpt.h"

/* With SMP_ELEMENTS the module of the elements: no rows and no engines. */
#ifdef SMP_ELEMENTS
#define ARENA_BYTES (1u << 20)
#else
#define ARENA_BYTES (38u << 20) /* a chain on 2^20 entries, or on 64 rows of 128,256, and room */
#endif
#define ALIGNMENT 16u

static _Alignas(ALIGNMENT) char arena[ARENA_BYTES];
static uint32_t arena_used, arena_bytes = ARENA_BYTES;

SMP_API uint32_t smp_arena_mark(void);
SMP_API void smp_arena_release(uint32_t mark);
SMP_API void *smp_arena_take(uint32_t bytes);
SMP_API const char *smp_abi_json(void);

/* The arena is a stack: mark it, take blocks, release to the mark. */
uint32_t smp_arena_mark(void) {
  return arena_used;
}

void smp_arena_release(uint32_t mark) {
  if (mark <= arena_used) arena_used = mark;
}

/* A block of the given size, aligned to 16 bytes and not cleared; NULL if the arena has no room for it. */
void *smp_arena_take(uint32_t bytes) {
  if (bytes > arena_bytes - arena_used) return NULL;
  char *block = arena + arena_used;
  uint32_t end = arena_used + bytes;
  arena_used = end + (ALIGNMENT - end % ALIGNMENT) % ALIGNMENT;
  return block;
}

#ifndef SMP_ELEMENTS

/* A block off the end of the arena, which stays as long as the instance does: weights and caches live there between
   calls. NULL if the arena has no room for it. */
SMP_API void *smp_arena_keep(uint32_t bytes);
void *smp_arena_keep(uint32_t bytes) {
  const uint32_t whole = bytes + (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;
  if (whole < bytes || whole > arena_bytes - arena_used) return NULL;
  arena_bytes -= whole;
  return arena + arena_bytes;
}

#endif

/* ---- Description --------------------------------------------------------------------------------------------- */

/* The arena ends a description: nothing is written past it, and one that meets it is none. */
#define ARENA_END (arena + arena_bytes)

static char *put(char *at, const char *text) {
  while (*text && at < ARENA_END) *at++ = *text++;
  return at;
}

static char *put_number(char *at, int64_t value) {
  char digits[21];
  uint32_t n = sizeof digits - 1;
  uint64_t rest = (uint64_t)(value < 0 ? -value : value);
  digits[n] = 0;
  do digits[--n] = (char)('0' + rest % 10u);
  while (rest /= 10u);
  return put(put(at, value < 0 ? "-" : ""), digits + n);
}

/* What `start` to `at` holds, ended; NULL if it has no room. */
static const char *ended(const char *start, char *at) {
  if (at == ARENA_END) return NULL;
  *at = 0;
  return start;
}

/* `"name":[offset,"type",bytes]`: an array where bytes exceed the size of the type */
static char *put_field(char *at, const char *name, size_t offset, const char *type, size_t bytes) {
  at = put(at, at[-1] == '{' ? "\"" : ",\"");
  at = put_number(put(put(at, name), "\":["), (int64_t)offset);
  at = put_number(put(put(put(at, ",\""), type), "\","), (int64_t)bytes);
  return put(at, "]");
}

#define TYPE_OF(value)                                                                                                 \
  _Generic((value), double : "f64", double * : "f64", uint8_t * : "u8", uint32_t : "u32", int32_t : "i32",              \
           uint32_t * : "u32", const uint32_t * : "u32", float * : "u32", const float * : "u32", const double * : "u32", smp_rng * : "u32",        \
           const smp_step * : "u32", smp_lab_step * : "u32", const smp_sampler * : "u32", smp_llama_array * : "u32",                             \
           smp_trace * : "u32", smp_trace_row * : "u32", const unsigned char * : "u32")

/* `"type":{"fields":{...},"size":bytes}` */
#define STRUCT(type, ...)                                                                                              \
  do {                                                                                                                 \
    typedef type object;                                                                                               \
    at = put(put(put(at, at[-1] == '{' ? "\"" : ",\""), #type), "\":{\"fields\":{");                                   \
    __VA_ARGS__;                                                                                                       \
    at = put(put_number(put(at, "},\"size\":"), (int64_t)sizeof(object)), "}");                                        \
  } while (0)
#define FIELD(name, path)                                                                                              \
  at = put_field(at, name, offsetof(object, path), TYPE_OF(((object *)0)->path), sizeof((object *)0)->path)
#define F(name)            FIELD(#name, name)
#define INNER(outer, name) FIELD(#name, outer.name)

/* `"kind":[["NAME",value,"text","third"],...],` of each table. */
static char *put_tables(char *at, const code_table *table) {
  for (; table->kind; table++) {
    at = put(put(put(at, "\""), table->kind), "\":[");
    const char *name;
    for (uint32_t row = 0; (name = smpi_code_text(table->rows, row, 0)); row++) {
      const int64_t up = (int64_t)row;
      at = put(put(put(at, row ? ",[\"" : "[\""), name), "\",");
      at = put_number(at, table->values == CODES_DOWN ? -up : table->values == CODES_BITS ? 1 << up : up);
      at = put(put(put(at, ",\""), smpi_code_text(table->rows, row, 1)), "\",\"");
      at = put(put(at, smpi_code_text(table->rows, row, 2)), "\"]");
    }
    at = put(at, "],");
  }
  return at;
}

/* Codes, limits and the layout of structs as JSON, so that JavaScript repeats no number of this library. Written into
   the free part of the arena: read it before the next block is taken. NULL if that has no room. */
const char *smp_abi_json(void) {
  char *start = arena + arena_used, *at = put(start, "{\"version\":\"" SMP_VERSION "\",");
  at = put_number(put(put_tables(at, smpi_codes), "\"limits\":{\"labMax\":"), SMP_LAB_MAX);
  at = put_number(put(at, ",\"labFilters\":"), SMP_LAB_FILTERS);
  at = put_number(put(at, ",\"rowMax\":"), SMP_ROW_MAX);
  at = put_number(put(at, ",\"none\":"), SMP_NONE);
  at = put_number(put(at, ",\"stopRows\":"), SMP_STOP_ROWS);
  at = put_number(put(at, ",\"stopTokens\":"), SMP_STOP_TOKENS);
  at = put_number(put(at, ",\"stopEos\":"), SMP_STOP_EOS);
  at = put_number(put(at, "},\"filter\":{\"top_k\":"), SMP_STEP_TOP_K);
  at = put_number(put(at, ",\"top_p\":"), SMP_STEP_TOP_P);
  at = put_number(put(at, ",\"min_p\":"), SMP_STEP_MIN_P);
  at = put(at, "},\"structs\":{");
  STRUCT(smp_where, F(param), F(index));
  STRUCT(smp_step, F(value), F(ids), F(values), F(count), F(kind), F(tie));
  STRUCT(smp_lab_options, F(tau), F(u), F(k), F(tie), F(share), F(n_filters), F(filters), F(steps));
  STRUCT(smp_lab_step, F(p), F(value), F(q), F(threshold), F(mass_before), F(mass_after), F(kept_mass), F(removed_mass),
         F(n_kept), F(meets), F(rank), F(kept));
  STRUCT(smp_lab_result, F(score), F(weight), F(p), F(start), F(q), F(lo), F(hi), F(weight_sum), F(kept_mass),
         F(removed_mass), F(sum_q), F(entropy), F(n), F(n_kept), F(top), F(id), F(greedy), F(kept), F(removed_by));
  STRUCT(smp_stop_options, F(max_new_tokens), F(pad), F(rule), F(steps));
  STRUCT(smp_stop_cell, F(candidate), F(before), F(appended), F(after), F(batch), F(role));
  STRUCT(smp_stop_row, F(answer), F(finish), F(step));
  STRUCT(smp_stop_result, F(columns), F(finished), F(stopped), F(pad), F(lost), F(lost_eos), F(junk), F(idle));
  return ended(start, put(at, "}}"));
}

/* ---- A slider's axis ------------------------------------------------------------------------------------------ */

/* A logarithmic axis from low to high, 0 < low < high: the value at a place from 0 to 1, and the place of a value, cut
   to the ends of the axis. Finite arguments. */
SMP_API double smp_axis_value(double low, double high, double place);
SMP_API double smp_axis_place(double low, double high, double value);

double smp_axis_value(double low, double high, double place) {
  if (place <= 0) return low;
  if (place >= 1) return high;
  return low * smp_exp(place * smp_log(high / low));
}

double smp_axis_place(double low, double high, double value) {
  if (value <= low) return 0;
  if (value >= high) return 1;
  return smp_log(value / low) / smp_log(high / low);
}

/* ---- Description of rows and engines ---------------------------------------------------------------------------- */

#ifndef SMP_ELEMENTS

/* Shortest: a number of the table is a few digits over a power of ten. */
static char *put_decimal(char *at, double x) {
  double power = 1;
  int digits = 0;
  while ((double)(int64_t)(x * power + 0.5) / power != x && digits < 20) {
    power *= 10;
    digits++;
  }
  at = put_number(at, (int64_t)(x * power + 0.5));
  return digits ? put_number(put(at, "e"), -digits) : at;
}

static char *put_text(char *at, const char *key, const char *text) {
  return put(put(put(put(put(at, ",\""), key), "\":\""), text), "\"");
}

/* A column that is a code, as its value. */
static char *put_code(char *at, const char *key, int value) {
  return put_number(put(put(put(at, ",\""), key), "\":"), value);
}

/* The limit of the band of the temperature in which an engine does so, or 0. */
static double limit_of(const engine_profile *profile, engine_action action) {
  for (const engine_band *band = smpi_engine_step(profile, SMP_SET_TEMPERATURE)->bands;; band++) {
    if (band->action == action) return band->at;
    if (band->limit == LIMIT_NONE) return 0;
  }
}

/* A row of the table: `"name":{"steps":[bits of settings, -1 for the softmax],...}`. */
static char *put_profile(char *at, const engine_profile *profile) {
  at = put(put(put(put(at, at[-1] == '{' ? "\"" : ",\""), profile->name), "\":{"), "\"steps\":");
  for (size_t i = 0; i < profile->n_steps; i++)
    at = put_number(put(at, i ? "," : "["),
                    profile->steps[i].setting == ENGINE_SOFTMAX ? -1 : profile->steps[i].setting);
  at = put(at, "]");
  at = put_code(at, "tie", profile->tie);
  at = put_code(at, "boundary", profile->boundary);
  at = put_code(at, "drawing", profile->drawing);
  at = put_code(at, "generator", profile->generator);
  at = put_decimal(put(at, ",\"greedy_below\":"), limit_of(profile, DO_GREEDY));
  at = put_decimal(put(at, ",\"least\":"), limit_of(profile, DO_MOVE));
  at = put_text(at, "eos", profile->eos);
  at = put_text(at, "how", profile->how);
  at = put_text(at, "version", profile->version);
  at = put_text(at, "date", profile->date);
  at = put_text(at, "source", profile->source);
  return put(at, "}");
}

/* The rules of chains, `"step":{"top_k":{"kind":7,"shape":"count","tie":1},...}` (tie: the usual one, or -1), where
   they are linked in: not in the module that travels with the engines in a page. */
#pragma weak smpi_chain_rule
static char *put_rules(char *at) {
  static const char *const shapes[] = {[RULE_VALUE] = "value",
                                       [RULE_WINDOW] = "window",
                                       [RULE_COUNT] = "count",
                                       [RULE_IDS] = "ids",
                                       [RULE_PAIRS] = "pairs"};
  const chain_rule *rule;
  at = put(at, "\"step\":{");
  for (smp_step_kind kind = 0; smpi_chain_rule && (rule = smpi_chain_rule(kind)); kind++) {
    at = put(put(put(at, kind ? ",\"" : "\""), smp_param_text(rule->param)), "\":{\"kind\":");
    at = put(put(put(put_number(at, (int64_t)kind), ",\"shape\":\""), shapes[rule->shape]), "\",\"tie\":");
    at = put(put_number(at, rule->has_tie ? (int64_t)rule->usual_tie : -1), "}");
  }
  return put(at, "},");
}

/* The same of rows, chains and engines. NULL as above. */
SMP_API const char *smp_abi_engines_json(void);
const char *smp_abi_engines_json(void) {
  char *start = arena + arena_used, *at = put_tables(put_rules(put(start, "{")), smpi_engine_codes);
  at = put(at, "\"profile\":{");
  for (smp_engine engine = 0; smpi_engine_profile(engine); engine++) at = put_profile(at, smpi_engine_profile(engine));
  at = put(at, "},\"structs\":{");
  STRUCT(smp_chain, F(u), F(steps), F(context), F(n_steps), F(n_context), F(out), F(order));
  STRUCT(smp_step_info, F(max), F(cut), F(mass), F(entropy), F(n_kept), F(by_rounding));
  STRUCT(smp_chain_result, F(n_kept), F(id), F(by_rounding), F(status), INNER(where, param), INNER(where, index));
  STRUCT(smp_distance, F(total_variation), F(max_difference), F(only_p), F(only_q), F(max_id), F(n_only_p),
         F(n_only_q));
  STRUCT(smp_divergence, F(kl), F(entropy_p), F(entropy_q));
  STRUCT(smp_rng, F(words), F(state), F(at), F(generator));
  STRUCT(smp_sampler, F(number), F(ids), F(rng), F(n_ids), F(kind));
  STRUCT(smp_llama_array, F(ids), F(logits), F(p), F(n), F(sorted));
  STRUCT(smp_engine_call, F(temperature), F(top_p), F(min_p), F(typical_p), F(epsilon_cutoff), F(eta_cutoff), F(top_h),
         F(repetition_penalty), F(context), F(n_context), F(top_k), F(repeat_last_n), F(prompt_ignore_length), F(given),
         F(settings_only), F(engine), F(variant), F(n_samplers), F(samplers), F(array), F(trace));
  STRUCT(smp_setting_state, F(value), F(on), F(why), F(refusal));
  STRUCT(smp_trace_row, F(value), F(ulps), F(id), F(found), F(kept), F(by_rounding));
  STRUCT(smp_trace, F(threshold), F(rows), F(n), F(setting), F(compared));
  STRUCT(smp_engine_result, F(n_kept), F(by_rounding), F(refusal), F(drawing), F(generator), F(ignored));
  return ended(start, put(at, "}}"));
}

/* The same of frequencies: a function of its own, so that a module without them does not describe them.
   NULL as above. */
SMP_API const char *smp_abi_frequencies_json(void);
const char *smp_abi_frequencies_json(void) {
  char *start = arena + arena_used, *at = put(start, "{");
  STRUCT(smp_stream, F(ids), F(weights), F(edges), F(rng), F(n_kept), F(n), F(draws), F(done), F(batch), F(drawing));
  STRUCT(smp_fit, F(chi_square), F(p_value), F(draws), F(least), F(degrees));
  STRUCT(smp_band, F(expected), F(count_error), F(error), F(low), F(high));
  STRUCT(smp_curve, F(entropy), F(bits), F(ratio));
  return ended(start, put(at, "}"));
}

/* The same of the model, where it is linked in. NULL as above. */
#pragma weak smpi_gpt_codes
SMP_API const char *smp_abi_gpt_json(void);
const char *smp_abi_gpt_json(void) {
  char *start = arena + arena_used, *at = put_tables(put(start, "{"), smpi_gpt_codes);
  at = put_number(put(at, "\"limits\":{\"tokenEnd\":"), SMP_TOKEN_END);
  at = put_number(put(at, ",\"tokenByte\":"), SMP_TOKEN_BYTE);
  at = put_number(put(at, ",\"tokenCharacter\":"), SMP_TOKEN_CHARACTER);
  at = put(at, "},\"structs\":{");
  STRUCT(smp_gpt, F(file), F(n_tokens), F(n_context), F(n_layers), F(n_heads), F(width), F(characters), F(at));
  STRUCT(smp_gpt_fault, F(wrong), F(place));
  STRUCT(smp_gpt_cache, F(memory), F(n), F(capacity));
  STRUCT(smp_tokens, F(characters), F(n));
  STRUCT(smp_utf8, F(bytes), F(n), F(want));
  return ended(start, put(at, "}}"));
}

#endif
