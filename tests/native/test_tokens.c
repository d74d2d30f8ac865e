/* Tokens and text: round trips, unknown input, half characters. */
#include <stdlib.h>

#include "smp_gpt.h"
#include "test.h"

struct ready {
  smp_gpt gpt;
  smp_tokens tokens;
};

static int open_tokens(struct ready *r) {
  size_t size;
  const unsigned char *file = read_model(&size);
  if (!file || smp_gpt_read(file, size, &r->gpt, NULL, NULL)) {
    expect(0, "the model is refused");
    return 0;
  }
  r->tokens.characters = malloc(smp_tokens_size(&r->gpt));
  smp_tokens_make(&r->gpt, &r->tokens);
  return 1;
}

/* The bytes of all tokens, one after the other. */
static size_t bytes_of(const smp_tokens *tokens, const uint32_t *ids, size_t n, unsigned char *out) {
  size_t at = 0;
  for (size_t i = 0; i < n; i++) at += smp_tokens_bytes(tokens, ids[i], out + at);
  return at;
}

static void test_known(const smp_tokens *tokens) {
  static const struct {
    const char *text;
    uint32_t n, ids[8];
  } cases[] = {
      {"，。不人", 4, {257, 258, 259, 260}},     /* marks, then by frequency */
      {"邀", 1, {1858}},                         /* the last */
      {"a", 1, {1 + 'a'}},                       /* no character of its own */
      {"鹦", 3, {1 + 0xe9, 1 + 0xb9, 1 + 0xa6}}, /* a rare one */
      {"😀", 4, {1 + 0xf0, 1 + 0x9f, 1 + 0x98, 1 + 0x80}},
      {"不\xe4\xb8", 3, {259, 1 + 0xe4, 1 + 0xb8}}, /* half a character */
      {"\xff", 1, {256}},
      {"", 0, {0}},
  };
  for
    EACH(i, cases) {
      begin_case("ids of \"%s\"", cases[i].text);
      uint32_t ids[32];
      unsigned char back[64];
      const size_t n = strlen(cases[i].text), count = smp_tokens_encode(tokens, cases[i].text, n, ids);
      expect(count == cases[i].n, "%zu ids", count);
      for (size_t j = 0; j < count; j++) expect(ids[j] == cases[i].ids[j], "id %zu is %u", j, ids[j]);
      const size_t length = bytes_of(tokens, ids, count, back);
      expect(length == n && memcmp(back, cases[i].text, n) == 0, "they are not its bytes");
    }
  begin_case("a zero byte is a byte");
  uint32_t id;
  expect(smp_tokens_encode(tokens, "", 1, &id) == 1 && id == 1, "%u", id);
  begin_case("END, and what is no token, have no bytes");
  unsigned char out[4];
  expect(smp_tokens_bytes(tokens, SMP_TOKEN_END, out) == 0, "END");
  expect(smp_tokens_bytes(tokens, 1859, out) == 0 && smp_tokens_bytes(tokens, SMP_NONE, out) == 0, "no token");
}

/* Text of every token is that token again, unless it is a byte that is part of one. */
static void test_round_trips(const smp_tokens *tokens) {
  begin_case("every character is its token");
  for (uint32_t id = SMP_TOKEN_CHARACTER; id < SMP_TOKEN_CHARACTER + tokens->n; id++) {
    unsigned char bytes[4];
    uint32_t back[4];
    const size_t n = smp_tokens_bytes(tokens, id, bytes);
    expect(smp_tokens_encode(tokens, bytes, n, back) == 1 && back[0] == id, "%u", id);
  }
  begin_case("any bytes are the bytes of their ids");
  uint64_t state = 5;
  static const char parts[] = "，明月\xe6\x98\xff\xf0\x9f\x98\x80 a\xed\xa0\x80";
  for (int i = 0; i < 20000; i += (int)every) {
    unsigned char text[24], back[24];
    uint32_t ids[24];
    const size_t n = random_word(&state) % 25;
    for (size_t j = 0; j < n; j++)
      text[j] = (unsigned char)(i % 2 ? random_word(&state) : (uint32_t)parts[random_word(&state) % sizeof parts]);
    const size_t count = smp_tokens_encode(tokens, text, n, ids);
    expect(count <= n && bytes_of(tokens, ids, count, back) == n && memcmp(back, text, n) == 0, "string %d", i);
  }
}

/* ---- Half characters ----------------------------------------------------------------------------------------------- */

#define UNKNOWN "\xef\xbf\xbd"

/* Unicode 15, tables 3-8 to 3-11, and what WHATWG's decoder does with them. */
static void test_subparts(void) {
  static const struct {
    const char *bytes, *text;
  } cases[] = {
      {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN "A"},
      {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN "A"},
      {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", UNKNOWN UNKNOWN UNKNOWN UNKNOWN UNKNOWN "A" UNKNOWN UNKNOWN "B"},
      {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", UNKNOWN UNKNOWN UNKNOWN UNKNOWN "A"},
      {"\xe6\x98\x8e\xe6\x9c", "明" UNKNOWN},
      {"\xe6\x98\xe6\x9c\x88", UNKNOWN "月"},
      {"\xf0\x9f\x98\x80\xf0\x9f\x98", "\xf0\x9f\x98\x80" UNKNOWN},
      {"\xf4\x8f\xbf\xbf\xf5\x80", "\xf4\x8f\xbf\xbf" UNKNOWN UNKNOWN},
  };
  for
    EACH(i, cases) {
      begin_case("half characters, text %zu", i);
      const size_t n = strlen(cases[i].bytes);
      for (size_t cut = 0; cut <= n; cut++) { /* in two parts */
        smp_utf8 half = {0};
        char text[64];
        size_t length = smp_utf8_feed(&half, cases[i].bytes, cut, text);
        length += smp_utf8_feed(&half, cases[i].bytes + cut, n - cut, text + length);
        length += smp_utf8_flush(&half, text + length);
        expect(length == strlen(cases[i].text) && memcmp(text, cases[i].text, length) == 0, "cut at %zu: %.*s", cut,
               (int)length, text);
        expect(smp_utf8_flush(&half, text) == 0, "flushed twice");
      }
    }
}

/* By the definition: at each place the longest start of a character, or one byte. */
static size_t plainly(const unsigned char *bytes, size_t n, char *text) {
  size_t out = 0;
  for (size_t at = 0; at < n;) {
    const unsigned char b = bytes[at];
    const size_t want = b < 0x80                ? 1
                        : b >= 0xc2 && b < 0xe0 ? 2
                        : b >= 0xe0 && b < 0xf0 ? 3
                        : b >= 0xf0 && b < 0xf5 ? 4
                                                : 0;
    size_t have = want ? 1 : 0;
    for (; have && have < want && at + have < n; have++) {
      const unsigned char c = bytes[at + have];
      int fine = c >= 0x80 && c < 0xc0;
      if (have == 1 &&
          ((b == 0xe0 && c < 0xa0) || (b == 0xed && c > 0x9f) || (b == 0xf0 && c < 0x90) || (b == 0xf4 && c > 0x8f)))
        fine = 0;
      if (!fine) break;
    }
    if (want && have == want) {
      memcpy(text + out, bytes + at, want);
      out += want;
      at += want;
    } else {
      memcpy(text + out, UNKNOWN, 3);
      out += 3;
      at += have ? have : 1;
    }
  }
  return out;
}

static void test_splits(void) {
  static const unsigned char likely[] = {0xe6, 0x98, 0x8e, 0xf0, 0x9f, 0x80, 0xed, 0xa0, 0xf4, 0x8f,
                                         0x90, 0xc3, 0xa9, 0x41, 0xe0, 0xff, 0xbf, 0xc0, 0xf1, 0xf5};
  uint64_t state = 11;
  begin_case("10^6 strings of bytes, split anywhere: the text of the definition, in no more room than promised");
  for (int i = 0; i < 1000000; i += (int)every) {
    unsigned char bytes[12];
    char text[48], want[48];
    const size_t n = random_word(&state) % 13;
    for (size_t j = 0; j < n; j++) bytes[j] = likely[random_word(&state) % sizeof likely];
    smp_utf8 half = {0};
    size_t length = 0;
    for (size_t at = 0; at < n;) {
      const size_t part = 1 + random_word(&state) % (n - at),
                   more = smp_utf8_feed(&half, bytes + at, part, text + length);
      expect(more <= 3 * part + 3, "%zu bytes gave %zu", part, more);
      length += more;
      at += part;
    }
    length += smp_utf8_flush(&half, text + length);
    expect(length == plainly(bytes, n, want) && memcmp(text, want, length) == 0, "string %d", i);
  }
}

void test_tokens(void) {
  struct ready r;
  begin_case("the tokens of zh");
  if (open_tokens(&r)) {
    test_known(&r.tokens);
    test_round_trips(&r.tokens);
    free(r.tokens.characters);
  }
  test_subparts();
  test_splits();
}
