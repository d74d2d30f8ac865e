/* The record of smp generate: all that can change its texts, and the texts. To replay one is to do again what it asks
   for and to compare the whole of it, line by line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_generate.h"

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

struct text {
  char *at;
  size_t n, room;
};

static char *room_for(struct text *t, size_t more) {
  if (t->n + more + 1 > t->room) {
    const size_t room = 2 * t->room + more + 1024;
    char *grown = smp_cli_room(room, 1);
    if (t->n) memcpy(grown, t->at, t->n);
    free(t->at);
    t->at = grown;
    t->room = room;
  }
  return t->at + t->n;
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...) {
  char line[256];
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  memcpy(room_for(t, (size_t)n), line, (size_t)n);
  t->n += (size_t)n;
}

/* A text of JSON: UTF-8, with what that may not hold escaped. */
static void put_quoted(struct text *t, const char *text, size_t n) {
  put(t, "\"");
  for (size_t i = 0; i < n; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      put(t, "\\%c", c);
    else if (c < 0x20)
      put(t, "\\u%04x", c);
    else
      put(t, "%c", c);
  }
  put(t, "\"");
}

static void put_ids(struct text *t, const uint32_t *ids, uint32_t n) {
  put(t, "[");
  for (uint32_t i = 0; i < n; i++) put(t, i ? ",%u" : "%u", ids[i]);
  put(t, "]");
}

static void put_text_of(struct text *t, const smp_tokens *tokens, const uint32_t *ids, uint32_t n) {
  char *out = smp_cli_room(12 * (size_t)n + 3, 1);
  smp_utf8 half = {{0}, 0, 0};
  size_t length = 0;
  for (uint32_t i = 0; i < n; i++) {
    unsigned char bytes[4];
    length += smp_utf8_feed(&half, bytes, smp_tokens_bytes(tokens, ids[i], bytes), out + length);
  }
  length += smp_utf8_flush(&half, out + length);
  put_quoted(t, out, length);
  free(out);
}

static void put_steps(struct text *t, const struct smp_cli_asked *asked) {
  put(t, " \"steps\": [");
  for (uint32_t i = 0; i < asked->n_steps; i++) {
    char number[32];
    smp_cli_shortest(number, asked->steps[i].value);
    put(t, "%s[\"%s\",%s]", i ? "," : "", asked->steps[i].name, number);
  }
  put(t, "],\n");
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const unsigned char *bytes, size_t n) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

char *smp_cli_record(const struct smp_cli_asked *a, const struct smp_cli_model *model,
                     const struct smp_cli_written *texts) {
  struct text t = {NULL, 0, 0};
  const uint64_t hash = hash_of(model->file, model->size);
  put(&t, "{\n \"format\": \"sampling-lab record 1\",\n \"core\": \"%s\",\n \"model\": ", SMP_VERSION);
  put_quoted(&t, a->model, strlen(a->model));
  put(&t, ",\n \"bytes\": %zu,\n \"fnv1a\": \"%08x%08x\",\n \"prompt\": ", model->size, (unsigned)(hash >> 32),
      (unsigned)(hash & 0xffffffff));
  put_text_of(&t, &model->tokens, a->prompt, a->n_prompt);
  put(&t, ",\n \"prompt_ids\": ");
  put_ids(&t, a->prompt, a->n_prompt);
  put(&t, ",\n \"crop\": \"the last %u tokens, fed anew from position 0\",\n \"by\": \"%s\",\n", model->gpt.n_context,
      a->by);
  put_steps(&t, a);
  if (strcmp(a->by, "own") == 0) put(&t, " \"order\": \"descending\",\n \"generator\": \"chacha12\",\n");
  if (a->draws)
    put(&t, " \"seed\": \"%llu\",\n", (unsigned long long)a->seed);
  else
    put(&t, " \"seed\": null,\n");
  put(&t, " \"max_new\": %u,\n \"eos\": %s,\n \"batch\": %u,\n \"ids\": [", a->max_new, a->ends ? "true" : "false",
      a->batch);
  for (uint32_t i = 0; i < a->batch; i++) {
    put(&t, i ? ",\n  " : "\n  ");
    put_ids(&t, texts[i].ids, texts[i].n);
  }
  put(&t, "\n ],\n \"texts\": [");
  for (uint32_t i = 0; i < a->batch; i++) {
    put(&t, i ? ",\n  " : "\n  ");
    put_text_of(&t, &model->tokens, texts[i].ids, texts[i].n);
  }
  put(&t, "\n ]\n}\n");
  *room_for(&t, 0) = 0;
  return t.at;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* What stands behind a key, which begins a line. */
static const char *value_of(const char *path, const char *text, const char *key) {
  char wanted[40];
  snprintf(wanted, sizeof wanted, "\n \"%s\": ", key);
  const char *at = strstr(text, wanted);
  if (!at)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: not a record of smp generate: it has no line \"%s\"",
                 smp_cli_shown(path, strlen(path)), key);
  return at + strlen(wanted);
}

__attribute__((noreturn)) static void refuse_value(const char *path, const char *key, const char *value) {
  smp_cli_fail(SMP_CLI_REFUSED, "%s: \"%s\" is %s", smp_cli_shown(path, strlen(path)), key,
               smp_cli_shown(value, strcspn(value, "\n")));
}

/* The text in quotes; one with an escape is none that this command wrote. Never freed: a command ends soon. */
static char *quoted(const char *path, const char *text, const char *key) {
  const char *value = value_of(path, text, key);
  const size_t n = *value == '"' ? strcspn(value + 1, "\"\\\n") : 0;
  if (*value != '"' || value[1 + n] != '"') refuse_value(path, key, value);
  char *copy = smp_cli_room(n + 1, 1);
  memcpy(copy, value + 1, n);
  return copy;
}

static uint32_t whole(const char *path, const char *text, const char *key, uint32_t most) {
  const char *value = value_of(path, text, key);
  const size_t n = strspn(value, "0123456789");
  const unsigned long found = n > 0 && n < 10 ? strtoul(value, NULL, 10) : 0;
  if (found < 1 || found > most) refuse_value(path, key, value);
  return (uint32_t)found;
}

static void read_prompt(const char *path, const char *text, struct smp_cli_asked *a) {
  const char *value = value_of(path, text, "prompt_ids"), *at = value;
  a->prompt = smp_cli_room(strcspn(value, "\n") + 1, sizeof *a->prompt);
  a->n_prompt = 0;
  if (*at++ != '[') refuse_value(path, "prompt_ids", value);
  while (*at != ']') {
    const size_t n = strspn(at, "0123456789");
    if (n == 0 || n > 9 || !strchr(",]", at[n]) || !at[n]) refuse_value(path, "prompt_ids", value);
    a->prompt[a->n_prompt++] = (uint32_t)strtoul(at, NULL, 10);
    at += n + (at[n] == ',');
  }
}

/* [["temperature",0.8],["top_k",40]] */
static void read_steps(const char *path, const char *text, struct smp_cli_asked *a) {
  static const char *const names[] = {"repetition_penalty", "temperature", "top_k", "top_p", "min_p"};
  const char *value = value_of(path, text, "steps"), *at = value;
  if (*at++ != '[') refuse_value(path, "steps", value);
  for (a->n_steps = 0; *at != ']'; a->n_steps++) {
    at += a->n_steps > 0 && *at == ',';
    const size_t n = strncmp(at, "[\"", 2) == 0 ? strcspn(at + 2, "\"\n") : 0;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (strlen(names[i]) == n && memcmp(at + 2, names[i], n) == 0) name = names[i];
    if (!name || a->n_steps == SMP_CLI_STEPS || strncmp(at + 2 + n, "\",", 2) != 0) refuse_value(path, "steps", value);
    at += n + 4;
    const size_t digits = strcspn(at, "]\n");
    char number[40] = "";
    if (digits == 0 || digits >= sizeof number || at[digits] != ']') refuse_value(path, "steps", value);
    memcpy(number, at, digits);
    a->steps[a->n_steps].name = name;
    a->steps[a->n_steps].value = smp_cli_number(number, digits, "--replay");
    if (strcmp(name, "top_k") == 0) smp_cli_whole(number, "--replay");
    at += digits + 1;
  }
}

const char *smp_cli_record_model(const char *path, const char *text) {
  return quoted(path, text, "model");
}

void smp_cli_record_read(const char *path, const char *text, struct smp_cli_asked *a) {
  const char *seed = value_of(path, text, "seed"), *ends = value_of(path, text, "eos");
  a->by = quoted(path, text, "by");
  read_prompt(path, text, a);
  read_steps(path, text, a);
  a->draws = *seed == '"';
  a->seed = a->draws ? smp_cli_seed(quoted(path, text, "seed")) : 0;
  a->max_new = whole(path, text, "max_new", 1024);
  a->batch = whole(path, text, "batch", SMP_CLI_BATCH);
  a->ends = strncmp(ends, "true", 4) == 0;
}

/* A line without the spaces before it and the comma behind it. */
static const char *bare(char shown[SMP_CLI_LINE], const char *line, size_t n) {
  for (; n > 0 && *line == ' '; n--) line++;
  return smp_cli_show(shown, line, n > 0 && line[n - 1] == ',' ? n - 1 : n);
}

void smp_cli_record_compare(const char *path, const char *recorded, const char *now) {
  char first[SMP_CLI_LINE], second[SMP_CLI_LINE];
  const char *line = recorded, *other = now;
  for (unsigned number = 1;; number++) {
    const size_t n = strcspn(line, "\n"), m = strcspn(other, "\n");
    if (n != m || memcmp(line, other, n) != 0 || line[n] != other[m])
      smp_cli_fail(SMP_CLI_REFUSED, "%s: line %u does not come out the same: recorded %s, now %s",
                   smp_cli_shown(path, strlen(path)), number, bare(first, line, n), bare(second, other, m));
    if (!line[n]) return;
    line += n + 1;
    other += m + 1;
  }
}
