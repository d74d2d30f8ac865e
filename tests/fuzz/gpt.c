/* A model's file and its tokens: the header of a small file, changed anywhere, then the model run on any tokens; any
   bytes to ids and back, and split anywhere into text. What is read as a model never leaves its file. */
#include "fuzz.h"
#include "smp_gpt.h"

enum { WIDTH = 16, CONTEXT = 6, TOKENS = 260, HEADER = 2048, DATA = 1 << 14 };

struct maker {
  char header[HEADER];
  size_t length, bytes;
};

static void tensor(struct maker *m, const char *name, uint32_t rows, uint32_t columns) {
  char shape[40];
  const size_t end = m->bytes + (columns ? (size_t)rows * columns : 4 * (size_t)rows);
  snprintf(shape, sizeof shape, columns ? "%u,%u" : "%u", rows, columns);
  m->length += (size_t)snprintf(m->header + m->length, HEADER - m->length,
                                ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}", name,
                                columns ? "I8" : "F32", shape, m->bytes, end);
  m->bytes = end;
}

/* The header of a model of one block, and how many bytes follow it. */
static void make(struct maker *m) {
  static const struct {
    const char *name;
    uint32_t rows, columns;
  } parts[] = {{"wte.scale", TOKENS, 0},
               {"wte.weight", TOKENS, WIDTH},
               {"wpe.weight", CONTEXT, WIDTH},
               {"wpe.scale", CONTEXT, 0},
               {"ln_f.weight", WIDTH, 0},
               {"ln_f.bias", WIDTH, 0},
               {"h.0.ln_1.weight", WIDTH, 0},
               {"h.0.ln_1.bias", WIDTH, 0},
               {"h.0.qkv.weight", 3 * WIDTH, WIDTH},
               {"h.0.qkv.scale", 3 * WIDTH, 0},
               {"h.0.qkv.bias", 3 * WIDTH, 0},
               {"h.0.proj.weight", WIDTH, WIDTH},
               {"h.0.proj.scale", WIDTH, 0},
               {"h.0.proj.bias", WIDTH, 0},
               {"h.0.ln_2.weight", WIDTH, 0},
               {"h.0.ln_2.bias", WIDTH, 0},
               {"h.0.up.weight", 4 * WIDTH, WIDTH},
               {"h.0.up.scale", 4 * WIDTH, 0},
               {"h.0.up.bias", 4 * WIDTH, 0},
               {"h.0.down.weight", WIDTH, 4 * WIDTH},
               {"h.0.down.scale", WIDTH, 0},
               {"h.0.down.bias", WIDTH, 0}};
  m->length = (size_t)snprintf(m->header, HEADER,
                               "{\"__metadata__\":{\"format\":\"sampling-lab gpt 1\",\"heads\":\"2\",\"context\":\"6\","
                               "\"characters\":\"\\u6708a\xc3\xa9\"}");
  m->bytes = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) tensor(m, parts[i].name, parts[i].rows, parts[i].columns);
  m->header[m->length++] = '}';
}

/* The file, changed in a few places, in an area of its own length. */
static uint8_t *take_file(struct bytes *b, size_t *size) {
  static struct maker m;
  if (m.length == 0) make(&m);
  const size_t header = m.length;
  uint64_t length = header;
  *size = 8 + header + m.bytes;
  uint8_t *file = area(*size, 0);
  memcpy(file + 8, m.header, header);
  for (size_t i = 0; i < m.bytes; i++) file[8 + header + i] = (uint8_t)(i * 37 % 64); /* no float is large */
  for (uint32_t changes = below(b, 4); changes > 0; changes--) {
    const size_t at = 8 + below(b, (uint32_t)header);
    static const char likely[] = "0123456789\"{}[],:\\ahw.\xff";
    for (uint32_t n = 1 + below(b, 3); n > 0 && at + n < *size; n--)
      file[at + n - 1] = (uint8_t)(below(b, 4) ? likely[below(b, sizeof likely)] : (char)take(b, 1));
  }
  for (uint32_t changes = below(b, 4); changes > 0; changes--)
    file[8 + header + below(b, (uint32_t)m.bytes)] = (uint8_t)take(b, 1);
  if (below(b, 16) == 0) length = below(b, 2) ? take(b, 4) : header + below(b, 9) - 4;
  memcpy(file, &length, 8);
  if (below(b, 16) == 0) {
    const size_t less = below(b, (uint32_t)*size);
    uint8_t *cut = area(less, 0);
    memcpy(cut, file, less);
    free(file);
    *size = less;
    return cut;
  }
  return file;
}

static void run_model(struct bytes *b, const smp_gpt *gpt) {
  const uint32_t capacity = 1 + below(b, 9), n = gpt->n_tokens;
  float *memory = area(smp_gpt_cache_size(gpt, capacity), take(b, 1) & 255);
  void *work = area(smp_gpt_work_size(gpt, capacity), take(b, 1) & 255);
  float *logits = area(n * sizeof *logits, 0xa5), *again = area(n * sizeof *logits, 0);
  smp_gpt_cache cache = {memory, 0, capacity};
  uint32_t ids[12];
  for (uint32_t turn = below(b, 6); turn > 0; turn--) {
    const uint32_t count = below(b, 5), position = below(b, 8), before = cache.n;
    for (uint32_t i = 0; i < count; i++) ids[i] = below(b, n + (below(b, 16) == 0));
    smp_where where;
    const smp_status status = smp_gpt_feed(gpt, &cache, ids, count, position, logits, work, &where);
    must(cache.n == before + (status == SMP_OK ? count : 0), "%u entries after %u", cache.n, before);
    for (uint32_t i = 0; status == SMP_OK && i < n; i++)
      must(logits[i] - logits[i] == 0, "logit %u is %g", i, (double)logits[i]);
    if (status == SMP_OK && before == 0) { /* one by one, on other memory */
      smp_gpt_cache other = {area(smp_gpt_cache_size(gpt, capacity), 0xff), 0, capacity};
      void *work_2 = area(smp_gpt_work_size(gpt, capacity), 0xff);
      for (uint32_t i = 0; i < count; i++)
        must(smp_gpt_feed(gpt, &other, ids + i, 1, position + i, again, work_2, NULL) == SMP_OK, "token %u", i);
      must(memcmp(logits, again, n * sizeof *logits) == 0, "other bits one by one");
      free(other.memory);
      free(work_2);
    }
    const uint32_t from = below(b, 10), to = below(b, 10);
    if (below(b, 3) == 0) smp_gpt_cache_cut(gpt, &cache, from, to, NULL);
    must(cache.n <= capacity, "%u entries", cache.n);
  }
  free(memory);
  free(work);
  free(logits);
  free(again);
}

static void check_tokens(struct bytes *b, const smp_gpt *gpt) {
  smp_tokens tokens = {.characters = area(smp_tokens_size(gpt), 0xa5)};
  smp_tokens_make(gpt, &tokens);
  const size_t n = below(b, 40);
  uint8_t *text = area(n, 0), *back = area(4 * n, 0);
  uint32_t *ids = area(n * sizeof *ids, 0xa5);
  for (size_t i = 0; i < n; i++) text[i] = (uint8_t)take(b, 1);
  const size_t count = smp_tokens_encode(&tokens, text, n, ids);
  size_t length = 0;
  must(count <= n, "%zu ids of %zu bytes", count, n);
  for (size_t i = 0; i < count; i++) {
    must(ids[i] >= SMP_TOKEN_BYTE && ids[i] < gpt->n_tokens, "id %u", ids[i]);
    length += smp_tokens_bytes(&tokens, ids[i], back + length);
  }
  must(length == n && memcmp(text, back, n) == 0, "%zu bytes back of %zu", length, n);
  free(tokens.characters);
  free(back);
  free(ids);

  /* the same text however it is split */
  char *whole = area(3 * n + 3, 0), *parts = area(6 * n + 9, 0);
  smp_utf8 half = {{0}, 0, 0}, other = {{0}, 0, 0};
  size_t one = smp_utf8_feed(&half, text, n, whole), many = 0;
  for (size_t at = 0; at < n;) {
    const size_t part = 1 + below(b, (uint32_t)(n - at)), more = smp_utf8_feed(&other, text + at, part, parts + many);
    must(more <= 3 * part + 3, "%zu bytes of text of %zu", more, part);
    many += more;
    at += part;
  }
  must(one == many && memcmp(whole, parts, one) == 0, "%zu bytes of text, split %zu", one, many);
  must(smp_utf8_flush(&half, whole) == smp_utf8_flush(&other, parts), "the end differs");
  free(text);
  free(whole);
  free(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes b = {data, size};
  size_t length;
  uint8_t *file = take_file(&b, &length);
  smp_gpt gpt;
  smp_gpt_fault fault;
  memset(&gpt, 0xa5, sizeof gpt);
  const smp_status status = smp_gpt_read(file, length, &gpt, &fault, NULL);
  must(status == SMP_OK || (filled_with(&gpt, sizeof gpt, 0xa5) && *smp_gpt_wrong_text(fault.wrong)), "status %d wrote",
       status);
  if (status == SMP_OK) {
    run_model(&b, &gpt);
    check_tokens(&b, &gpt);
  }
  free(file);
  return 0;
}
