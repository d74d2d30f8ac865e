/* The file of a model: what is read from it, other shapes than those of zh, and hostile ones. */
#include <stdlib.h>

#include "gpt_reference.h"
#include "smp_gpt.h"
#include "test.h"

/* ---- A small model of any shape ------------------------------------------------------------------------------------ */

enum { ROOM = 1 << 18, HEADER = 1 << 14 };

struct maker {
  char *header; /* HEADER bytes */
  size_t length;
  unsigned char *data;
  size_t bytes;
  uint64_t state;
};

static void tensor(struct maker *m, const char *name, uint32_t rows, uint32_t columns) {
  const size_t size = columns ? (size_t)rows * columns : 4 * (size_t)rows, end = m->bytes + size;
  char shape[40];
  snprintf(shape, sizeof shape, columns ? "%u,%u" : "%u", rows, columns);
  m->length += (size_t)snprintf(m->header + m->length, HEADER - m->length,
                                ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}", name,
                                columns ? "I8" : "F32", shape, m->bytes, end);
  for (; columns && m->bytes < end; m->bytes++) m->data[m->bytes] = (unsigned char)random_word(&m->state);
  for (; m->bytes < end; m->bytes += 4) {
    const float x = (float)(int32_t)random_word(&m->state) * 0x1p-36f;
    memcpy(m->data + m->bytes, &x, sizeof x);
  }
}

/* Returns the bytes of the file; the caller frees it. */
static unsigned char *make(uint32_t width, uint32_t layers, uint32_t heads, uint32_t context, const char *characters,
                           uint32_t n_characters, size_t *size) {
  static const struct {
    const char *name;
    uint32_t rows, columns;
  } parts[] = {{"ln_1.weight", 1, 0}, {"ln_1.bias", 1, 0},   {"qkv.weight", 3, 1}, {"qkv.scale", 3, 0},
               {"qkv.bias", 3, 0},    {"proj.weight", 1, 1}, {"proj.scale", 1, 0}, {"proj.bias", 1, 0},
               {"ln_2.weight", 1, 0}, {"ln_2.bias", 1, 0},   {"up.weight", 4, 1},  {"up.scale", 4, 0},
               {"up.bias", 4, 0},     {"down.weight", 1, 4}, {"down.scale", 1, 0}, {"down.bias", 1, 0}};
  struct maker m = {.header = malloc(HEADER), .data = malloc(ROOM), .state = 7};
  m.length =
      (size_t)snprintf(m.header, HEADER,
                       "{\"__metadata__\":{\"format\":\"sampling-lab gpt 1\",\"heads\":\"%u\",\"context\":\"%u\","
                       "\"characters\":\"%s\",\"name\":\"small\"}",
                       heads, context, characters);
  tensor(&m, "wte.scale", 257 + n_characters, 0);
  tensor(&m, "wte.weight", 257 + n_characters, width);
  tensor(&m, "wpe.weight", context, width);
  tensor(&m, "wpe.scale", context, 0);
  for (uint32_t layer = 0; layer < layers; layer++)
    for
      EACH(i, parts) {
        char name[32];
        snprintf(name, sizeof name, "h.%u.%s", layer, parts[i].name);
        tensor(&m, name, parts[i].rows * width, parts[i].columns * width);
      }
  tensor(&m, "ln_f.weight", width, 0);
  tensor(&m, "ln_f.bias", width, 0);
  m.header[m.length++] = '}';
  unsigned char *file = malloc(8 + m.length + m.bytes);
  const uint64_t length = m.length;
  memcpy(file, &length, 8);
  memcpy(file + 8, m.header, m.length);
  memcpy(file + 8 + m.length, m.data, m.bytes);
  *size = 8 + m.length + m.bytes;
  free(m.header);
  free(m.data);
  return file;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

static void test_zh(void) {
  size_t size;
  smp_gpt gpt;
  begin_case("the file of zh");
  const unsigned char *file = read_model(&size);
  if (!file) return;
  expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "refused");
  expect(gpt.n_tokens == 1859 && gpt.n_context == 64 && gpt.n_layers == 4 && gpt.n_heads == 4 && gpt.width == 96,
         "%u tokens, context %u, %u layers, %u heads, width %u", gpt.n_tokens, gpt.n_context, gpt.n_layers, gpt.n_heads,
         gpt.width);
  char name[SMP_GPT_NAME];
  smp_gpt_tensor_name(0, name);
  expect(strcmp(name, "wte.weight") == 0, "%s", name);
  smp_gpt_tensor_name(6 + 16 * 15 + 13, name);
  expect(strcmp(name, "h.15.down.weight") == 0, "%s", name);
  smp_gpt_tensor_name(SMP_GPT_TENSORS, name);
  expect(*name == 0, "%s", name);
}

/* Widths, heads, rows and contexts that zh does not have; data at any byte. */
static void test_shapes(void) {
  static const struct {
    uint32_t width, layers, heads, context, n_characters;
    const char *characters;
  } shapes[] = {{16, 1, 1, 1, 0, ""},     {16, 1, 4, 5, 1, "a"},     {32, 2, 1, 17, 2, "ab"},
                {48, 3, 4, 20, 3, "abc"}, {64, 1, 2, 70, 4, "abcd"}, {80, 1, 5, 130, 2, "\\\"\\u00e9"}};
  for
    EACH(s, shapes) {
      begin_case("a model of width %u, %u layers, %u heads: the plain reference", shapes[s].width, shapes[s].layers,
                 shapes[s].heads);
      size_t size;
      smp_gpt gpt;
      const uint32_t n = shapes[s].context;
      unsigned char *file = make(shapes[s].width, shapes[s].layers, shapes[s].heads, n, shapes[s].characters,
                                 shapes[s].n_characters, &size);
      expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "refused");
      if (tally.broken) return;
      uint32_t ids[130];
      for (uint32_t i = 0; i < n; i++) ids[i] = i * 31 % gpt.n_tokens;
      double *rows = malloc(n * gpt.n_tokens * sizeof *rows), *plain = malloc(smpi_gpt_reference_size(&gpt, n) * 8);
      float *logits = malloc(gpt.n_tokens * sizeof *logits), *memory = malloc(smp_gpt_cache_size(&gpt, n)),
            *work = malloc(smp_gpt_work_size(&gpt, n));
      poison(memory, smp_gpt_cache_size(&gpt, n));
      poison(work, smp_gpt_work_size(&gpt, n));
      smp_gpt_cache cache = {memory, 0, n};
      smpi_gpt_reference(&gpt, ids, n, rows, plain);
      for (uint32_t t = 0; t < n; t++) {
        expect(smp_gpt_feed(&gpt, &cache, ids + t, 1, t, logits, work, NULL) == SMP_OK, "token %u", t);
        double least = 0, largest = 0;
        const double *row = rows + t * gpt.n_tokens;
        for (uint32_t i = 0; i < gpt.n_tokens; i++) {
          if (row[i] < least) least = row[i];
          if (row[i] > largest) largest = row[i];
        }
        for (uint32_t i = 0; i < gpt.n_tokens; i++) {
          const double off = (double)logits[i] - row[i], bound = 2e-5 * (largest - least);
          expect(off <= bound && off >= -bound, "token %u: logit %u is %.9g, want %.9g", t, i, (double)logits[i],
                 row[i]);
        }
      }
      free(file);
      free(rows);
      free(plain);
      free(logits);
      free(memory);
      free(work);
    }
}

/* ---- Hostile files ------------------------------------------------------------------------------------------------- */

/* The small file with one text of its header replaced by another, and spaces where that is shorter. */
static unsigned char *changed(const unsigned char *file, size_t size, const char *from, const char *to) {
  unsigned char *copy = malloc(size);
  memcpy(copy, file, size);
  for (size_t i = 8; i + strlen(from) < size; i++)
    if (memcmp(copy + i, from, strlen(from)) == 0) {
      memset(copy + i, ' ', strlen(from));
      memcpy(copy + i, to, strlen(to));
      return copy;
    }
  expect(0, "\"%s\" is not in the header", from);
  return copy;
}

static void expect_fault(const unsigned char *file, size_t size, smp_gpt_wrong wrong, const char *what) {
  smp_gpt gpt;
  smp_gpt_fault fault;
  smp_where where = {0};
  poison(&gpt, sizeof gpt);
  poison(&fault, sizeof fault);
  unsigned char *exact = malloc(size ? size : 1); /* a step too far is seen by the sanitizers */
  memcpy(exact, file, size);
  const smp_status status = smp_gpt_read(exact, size, &gpt, &fault, &where);
  expect(status == SMP_ERR_PARAM && where.param == SMP_AT_MODEL && fault.wrong == wrong, "%s: status %d, \"%s\" at %u",
         what, status, status ? smp_gpt_wrong_text(fault.wrong) : "", status ? fault.place : 0);
  expect(is_poison(&gpt, sizeof gpt), "%s: the model was written", what);
  expect(*smp_gpt_wrong_text(wrong) != 0, "%s: no text", what);
  free(exact);
}

static void test_hostile(void) {
  static const struct {
    const char *from, *to;
    smp_gpt_wrong wrong;
  } cases[] = {
      {"{\"__m", "[\"__m", SMP_GPT_HEADER},
      {"\"format\":", "\"format\" ", SMP_GPT_HEADER},
      {"\"heads\":\"2\"", "\"heads\":2", SMP_GPT_HEADER},
      {"\"name\":\"small\"", "\"heads\":\"2\"", SMP_GPT_HEADER}, /* twice */
      {"sampling-lab gpt 1", "sampling-lab gpt 2", SMP_GPT_FORMAT},
      {"\"format\"", "\"fromat\"", SMP_GPT_FORMAT},
      {"\"heads\":\"2\"", "\"heads\":\"0\"", SMP_GPT_HEADS},
      {"\"heads\":\"2\"", "\"heads\":\"3\"", SMP_GPT_HEADS},
      {"\"heads\":\"2\"", "\"heads\":\"8\"", SMP_GPT_HEADS}, /* heads of two */
      {"\"heads\":\"2\"", "\"heads\":\"-\"", SMP_GPT_HEADS},
      {"\"heads\":\"2\"", "\"haeds\":\"2\"", SMP_GPT_HEADS},
      {"\"context\":\"12\"", "\"context\":\"0\"", SMP_GPT_POSITIONS},
      {"\"context\":\"12\"", "\"context\":\"02\"", SMP_GPT_POSITIONS},
      {"\"context\":\"12\",\"characters\":\"xyz\"", "\"context\":\"9999999999\"", SMP_GPT_POSITIONS},
      {"\"context\":\"12\"", "\"context\":\"13\"", SMP_GPT_TENSOR_SHAPE},
      {"\"characters\":\"xyz\"", "\"cahracters\":\"xyz\"", SMP_GPT_CHARACTERS},
      {"xyz", "xyx", SMP_GPT_CHARACTERS},
      {"xyz", "\xff\xfe\xfd", SMP_GPT_HEADER},
      {"xyz", "x\\u", SMP_GPT_HEADER},
      {"xyz", "xy\n", SMP_GPT_HEADER},
      {"xyz", "\xe6\x9c\x88", SMP_GPT_TENSOR_SHAPE}, /* one, where three have tokens */
      {"\"wte.scale\"", "\"wte.scala\"", SMP_GPT_TENSOR_UNKNOWN},
      {"\"h.0.ln_1.bias\"", "\"h.00.ln_1.bia\"", SMP_GPT_TENSOR_UNKNOWN},
      {"\"h.0.qkv.bias\"", "\"h.16.up.bias\"", SMP_GPT_TENSOR_UNKNOWN},
      {"\"h.0.down.bias\"", "\"h.0.up.scale\"", SMP_GPT_TENSOR_TWICE},
      {"\"h.0.up.bias\"", "\"h.1.up.bias\"", SMP_GPT_TENSOR_MISSING},
      {"\"dtype\":\"F32\"", "\"dtype\":\"F16\"", SMP_GPT_TENSOR_TYPE},
      {"\"dtype\":\"F32\"", "\"dtype\":\"I8\"", SMP_GPT_TENSOR_TYPE},
      {"\"dtype\":\"F32\"", "\"shape\":[1]", SMP_GPT_HEADER}, /* twice */
      {"\"shape\":[12,16]", "\"shape\":[16,12]", SMP_GPT_TENSOR_SHAPE},
      {"\"shape\":[12,16]", "\"shape\":[192]", SMP_GPT_TENSOR_SHAPE},
      {"\"shape\":[12,16]", "\"shape\":[]", SMP_GPT_TENSOR_SHAPE},
      {"\"shape\":[260,16]", "\"shape\":[260,8]", SMP_GPT_TENSOR_SHAPE},
      {"\"shape\":[260,16]", "\"shape\":[-1,16]", SMP_GPT_HEADER},
      {"\"data_offsets\":[0,1040]", "\"data_offsets\":[0,1044]", SMP_GPT_TENSOR_PLACE},
      {"\"data_offsets\":[0,1040]", "\"data_offsets\":[1040,0]", SMP_GPT_TENSOR_PLACE},
      {"\"data_offsets\":[0,1040]", "\"data_offsets\":[1]", SMP_GPT_HEADER},
      {"\"data_offsets\":[0,1040]", "\"data_offsets\":[0,4294968336", SMP_GPT_HEADER},
  };
  size_t size;
  unsigned char *file = make(16, 1, 2, 12, "xyz", 3, &size);
  smp_gpt gpt;
  begin_case("the small file itself is a model");
  expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "refused");
  for
    EACH(i, cases) {
      begin_case("a file with %s in place of %s", cases[i].to, cases[i].from);
      unsigned char *other = changed(file, size, cases[i].from, cases[i].to);
      expect_fault(other, size, cases[i].wrong, cases[i].to);
      free(other);
    }

  begin_case("a file that ends early, at any byte");
  uint64_t length;
  memcpy(&length, file, 8);
  for (size_t n = 0; n < size; n += n < 8 + length ? 1 : 97)
    expect_fault(file, n, n < 8 + length ? SMP_GPT_SIZE : SMP_GPT_TENSOR_PLACE, "cut");
  begin_case("a header whose length is not that of the file");
  for (int i = 0; i < 2; i++) {
    const uint64_t wrong = i ? UINT64_MAX : length - 1;
    memcpy(file, &wrong, 8);
    expect_fault(file, size, i ? SMP_GPT_SIZE : SMP_GPT_HEADER, "length");
  }
  memcpy(file, &length, 8);

  begin_case("floats that are none, or beyond the bound: of every tensor");
  static const float values[] = {__builtin_nanf(""), __builtin_inff(), -65537.0f};
  for (uint32_t i = 0; i < 6 + 16; i++) {
    char name[SMP_GPT_NAME];
    smp_gpt_tensor_name(i, name);
    const size_t n = strlen(name);
    if (strcmp(name + n - 6, "weight") == 0 && strncmp(name, "ln_f", 4) != 0 && !strstr(name, "ln_")) continue;
    float kept;
    memcpy(&kept, file + gpt.at[i] + 4, 4);
    memcpy(file + gpt.at[i] + 4, &values[i % 3], 4);
    smp_gpt_fault fault = {0};
    smp_gpt other;
    expect(smp_gpt_read(file, size, &other, &fault, NULL) == SMP_ERR_PARAM && fault.wrong == SMP_GPT_TENSOR_VALUE &&
               fault.place == i,
           "%s: %d at %u", name, fault.wrong, fault.place);
    memcpy(file + gpt.at[i] + 4, &kept, 4);
  }
  expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "it is not as it was");
  free(file);
}

/* The largest weights that are allowed leave every logit finite. */
static void test_extreme(void) {
  size_t size;
  smp_gpt gpt;
  begin_case("weights at their bounds: logits are finite");
  unsigned char *file = make(16, 2, 2, 12, "xyz", 3, &size);
  expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "refused");
  const float most = 65536;
  for (uint32_t i = 0; i < 6 + 32; i++) {
    char name[SMP_GPT_NAME];
    smp_gpt_tensor_name(i, name);
    if (!strstr(name, "scale") && !strstr(name, "bias") && !strstr(name, "ln_")) continue;
    for (uint32_t j = 0; j < 12; j++) memcpy(file + gpt.at[i] + 4 * j, &most, 4); /* all have as many */
  }
  expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "refused at the bounds");
  float logits[260], *memory = malloc(smp_gpt_cache_size(&gpt, 12)), *work = malloc(smp_gpt_work_size(&gpt, 12));
  smp_gpt_cache cache = {memory, 0, 12};
  for (uint32_t t = 0; t < 12; t++) {
    expect(smp_gpt_feed(&gpt, &cache, &t, 1, t, logits, work, NULL) == SMP_OK, "token %u", t);
    for (uint32_t i = 0; i < 260; i++)
      expect(logits[i] - logits[i] == 0, "token %u: logit %u is %g", t, i, (double)logits[i]);
  }
  free(file);
  free(memory);
  free(work);
}

/* In a model of one block an entry depends on its own token and position alone: what is left of a cut cache is what its
   tokens would be without the others, bit for bit. */
static void test_cuts(void) {
  enum { N = 12, TOKENS = 260 };
  size_t size;
  smp_gpt gpt;
  begin_case("a cut cache holds the entries that are left, in order");
  unsigned char *file = make(16, 1, 2, N, "xyz", 3, &size);
  expect(smp_gpt_read(file, size, &gpt, NULL, NULL) == SMP_OK, "refused");
  float *memory = malloc(smp_gpt_cache_size(&gpt, N)), *other = malloc(smp_gpt_cache_size(&gpt, N)),
        *work = malloc(smp_gpt_work_size(&gpt, N)), logits[TOKENS], want[TOKENS];
  for (uint32_t from = 0; from < N - 1; from++)
    for (uint32_t to = from; to < N; to++) {
      smp_gpt_cache cut = {memory, 0, N}, plain = {other, 0, N};
      for (uint32_t t = 0; t < N - 1; t++) {
        const uint32_t id = 7 * t + 3;
        smp_gpt_feed(&gpt, &cut, &id, 1, t, NULL, work, NULL);
        if (t < from || t >= to) smp_gpt_feed(&gpt, &plain, &id, 1, t, NULL, work, NULL);
      }
      const uint32_t last = 99;
      expect(smp_gpt_cache_cut(&gpt, &cut, from, to, NULL) == SMP_OK && cut.n == plain.n, "%u to %u: %u", from, to,
             cut.n);
      smp_gpt_feed(&gpt, &cut, &last, 1, N - 1, logits, work, NULL);
      smp_gpt_feed(&gpt, &plain, &last, 1, N - 1, want, work, NULL);
      expect(cut.n <= N && memcmp(logits, want, sizeof want) == 0, "%u to %u: other bits", from, to);
    }
  free(file);
  free(memory);
  free(other);
  free(work);
}

void test_gpt_file(void) {
  test_zh();
  test_shapes();
  test_cuts();
  test_hostile();
  test_extreme();
}
