/* The WebAssembly face: the whole API of smp.h is exported as it is (SMP_API), and this file adds what JavaScript needs
   to call it without a line of glue: an arena for arguments and results, and a description of codes and structs. */
#include "engine.h"

/* With SMP_ELEMENTS the module of the elements: no rows and no engines. */
#ifdef SMP_ELEMENTS
#define ARENA_BYTES (1u << 20)
#else
#define ARENA_BYTES (38u << 20) /* a chain on 2^20 entries, or on 64 rows of 128,256, and room */
#endif
#define ALIGNMENT 16u

static _Alignas(ALIGNMENT) char arena[ARENA_BYTES];
static uint32_t arena_used;

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
  if (bytes > ARENA_BYTES - arena_used) return NULL;
  char *block = arena + arena_used;
  uint32_t end = arena_used + bytes;
  arena_used = end + (ALIGNMENT - end % ALIGNMENT) % ALIGNMENT;
  return block;
}

/* ---- Description --------------------------------------------------------------------------------------------- */

/* The arena ends a description: nothing is written past it, and one that meets it is none. */
#define ARENA_END (arena + ARENA_BYTES)

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
           uint32_t * : "u32", const uint32_t * : "u32", float * : "u32", const float * : "u32", smp_rng * : "u32",        \
           const smp_step * : "u32", const smp_sampler * : "u32", smp_llama_array * : "u32",  \
           smp_trace * : "u32", smp_trace_row * : "u32")
#define FIELD(name)                                                                                                    \
  at = put_field(at, #name, offsetof(OBJECT, name), TYPE_OF(((OBJECT *)0)->name), sizeof((OBJECT *)0)->name)
#define BEGIN at = put(at, at[-1] == '{' ? "\"" : ",\""), at = put(at, NAME "\":{\"fields\":{")
#define END   at = put_number(put(at, "},\"size\":"), (int64_t)sizeof(OBJECT)), at = put(at, "}")

static char *put_structs(char *at) {
#define OBJECT smp_where
#define NAME   "smp_where"
  BEGIN, FIELD(param), FIELD(index), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_lab_options
#define NAME   "smp_lab_options"
  BEGIN, FIELD(tau), FIELD(u), FIELD(k), FIELD(tie), FIELD(share), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_lab_result
#define NAME   "smp_lab_result"
  BEGIN, FIELD(score), FIELD(weight), FIELD(p), FIELD(start), FIELD(q), FIELD(lo), FIELD(hi), FIELD(weight_sum);
  FIELD(kept_mass), FIELD(removed_mass), FIELD(sum_q), FIELD(entropy), FIELD(n), FIELD(n_kept), FIELD(top), FIELD(id);
  FIELD(greedy), FIELD(kept), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_step
#define NAME   "smp_step"
  BEGIN, FIELD(value), FIELD(ids), FIELD(values), FIELD(count), FIELD(kind), FIELD(tie), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_chain
#define NAME   "smp_chain"
  BEGIN, FIELD(u), FIELD(steps), FIELD(context), FIELD(n_steps), FIELD(n_context), FIELD(out), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_step_info
#define NAME   "smp_step_info"
  BEGIN, FIELD(max), FIELD(cut), FIELD(mass), FIELD(entropy), FIELD(n_kept), FIELD(by_rounding), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_chain_result
#define NAME   "smp_chain_result"
  BEGIN, FIELD(n_kept), FIELD(id), FIELD(by_rounding), FIELD(status), FIELD(param), FIELD(index), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_distance
#define NAME   "smp_distance"
  BEGIN, FIELD(total_variation), FIELD(max_difference), FIELD(kl), FIELD(entropy_p), FIELD(entropy_q), FIELD(max_id),
      END;
#undef OBJECT
#undef NAME
#define OBJECT smp_stop_options
#define NAME   "smp_stop_options"
  BEGIN, FIELD(max_new_tokens), FIELD(pad), FIELD(rule), FIELD(steps), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_stop_cell
#define NAME   "smp_stop_cell"
  BEGIN, FIELD(candidate), FIELD(before), FIELD(appended), FIELD(after), FIELD(batch), FIELD(role), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_stop_row
#define NAME   "smp_stop_row"
  BEGIN, FIELD(answer), FIELD(finish), FIELD(step), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_stop_result
#define NAME   "smp_stop_result"
  BEGIN, FIELD(columns), FIELD(finished), FIELD(stopped), FIELD(pad), FIELD(lost), FIELD(lost_eos), FIELD(junk);
  FIELD(idle), END;
#undef OBJECT
#undef NAME
  return at;
}

/* Tables of codes.def: `"kind":[["NAME",value,"text","allowed"],...,[]],`. */
#define CODE(name, value, text, allowed) "[\"" #name "\"," #value ",\"" text "\",\"" allowed "\"],"

/* clang-format off */
static const char CODES[] =
    "\"status\":["
#define SMP_STATUS(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"param\":["
#define SMP_PARAM(name, value, text, allowed) CODE(name, value, text, allowed)
#include "codes.def"
    "[]],"
    "\"tie\":["
#define SMP_TIE(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"share\":["
#define SMP_SHARE(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"dtype\":["
#define SMP_DTYPE(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"step\":["
#define SMP_STEP(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"out\":["
#define SMP_OUT(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"rule\":["
#define SMP_RULE(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"finish\":["
#define SMP_FINISH(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"role\":["
#define SMP_ROLE(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "";

/* clang-format on */

/* Codes, limits and the layout of structs as JSON, so that JavaScript repeats no number of this library. Written into
   the free part of the arena: read it before the next block is taken. NULL if that has no room. */
const char *smp_abi_json(void) {
  char *start = arena + arena_used, *at = put(start, "{\"version\":\"" SMP_VERSION "\",");
  at = put_number(put(put(at, CODES), "\"limits\":{\"labMax\":"), SMP_LAB_MAX);
  at = put_number(put(at, ",\"rowMax\":"), SMP_ROW_MAX);
  at = put_number(put(at, ",\"none\":"), SMP_NONE);
  at = put_number(put(at, ",\"stopRows\":"), SMP_STOP_ROWS);
  at = put_number(put(at, ",\"stopTokens\":"), SMP_STOP_TOKENS);
  at = put_number(put(at, ",\"stopEos\":"), SMP_STOP_EOS);
  at = put(put_structs(put(at, "},\"structs\":{")), "}}");
  return ended(start, at);
}

/* ---- Description of the engines ------------------------------------------------------------------------------- */

#ifndef SMP_ELEMENTS

/* clang-format off */
static const char ENGINE_CODES[] =
    "\"setting\":["
#define SMP_SETTING(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"generator\":["
#define SMP_GENERATOR(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"boundary\":["
#define SMP_BOUNDARY(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"compared\":["
#define SMP_COMPARED(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"variant\":["
#define SMP_VARIANT(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"drawing\":["
#define SMP_DRAWING(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"refusal\":["
#define SMP_REFUSAL(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],"
    "\"sampler\":["
#define SMP_SAMPLER(name, value, text, numbers) CODE(name, value, text, numbers)
#include "codes.def"
    "[]],"
    "\"why\":["
#define SMP_WHY(name, value, text) CODE(name, value, text, "")
#include "codes.def"
    "[]],";
/* clang-format on */

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
    at = put_number(put(at, i ? "," : "["), profile->steps[i].setting == ENGINE_SOFTMAX ? -1 : profile->steps[i].setting);
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

static char *put_engine_structs(char *at) {
#define OBJECT smp_rng
#define NAME   "smp_rng"
  BEGIN, FIELD(words), FIELD(state), FIELD(at), FIELD(generator), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_sampler
#define NAME   "smp_sampler"
  BEGIN, FIELD(number), FIELD(ids), FIELD(rng), FIELD(n_ids), FIELD(kind), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_llama_array
#define NAME   "smp_llama_array"
  BEGIN, FIELD(ids), FIELD(logits), FIELD(p), FIELD(n), FIELD(sorted), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_engine_call
#define NAME   "smp_engine_call"
  BEGIN, FIELD(temperature), FIELD(top_p), FIELD(min_p), FIELD(typical_p), FIELD(epsilon_cutoff), FIELD(eta_cutoff);
  FIELD(top_h), FIELD(repetition_penalty), FIELD(context), FIELD(n_context), FIELD(top_k), FIELD(repeat_last_n);
  FIELD(prompt_ignore_length), FIELD(given), FIELD(settings_only), FIELD(engine), FIELD(variant);
  FIELD(n_samplers), FIELD(samplers), FIELD(array), FIELD(trace), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_setting_state
#define NAME   "smp_setting_state"
  BEGIN, FIELD(value), FIELD(on), FIELD(why), FIELD(refusal), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_trace_row
#define NAME   "smp_trace_row"
  BEGIN, FIELD(value), FIELD(ulps), FIELD(id), FIELD(found), FIELD(kept), FIELD(by_rounding), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_trace
#define NAME   "smp_trace"
  BEGIN, FIELD(threshold), FIELD(rows), FIELD(n), FIELD(setting), FIELD(compared), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_engine_result
#define NAME   "smp_engine_result"
  BEGIN, FIELD(n_kept), FIELD(by_rounding), FIELD(refusal), FIELD(drawing), FIELD(generator), FIELD(ignored), END;
#undef OBJECT
#undef NAME
#define OBJECT smp_engine_gap
#define NAME   "smp_engine_gap"
  BEGIN, FIELD(total_variation), FIELD(max_difference), FIELD(only_p), FIELD(only_q), FIELD(max_id), FIELD(n_only_p);
  FIELD(n_only_q), END;
#undef OBJECT
#undef NAME
  return at;
}

/* The same of the engines. NULL as above. */
SMP_API const char *smp_abi_engines_json(void);
const char *smp_abi_engines_json(void) {
  char *start = arena + arena_used, *at = put(put(start, "{"), ENGINE_CODES);
  at = put(at, "\"profile\":{");
  for (int engine = 0; smpi_engine_profile((smp_engine)engine); engine++)
    at = put_profile(at, smpi_engine_profile((smp_engine)engine));
  at = put(at, "},\"structs\":{");
  at = put(put_engine_structs(at), "}}");
  return ended(start, at);
}

#endif
