/* UTF-8: bytes to text, with a buffer for half a character. */
#include "gpt.h"

/* What may follow the first byte of a character (Unicode 15, table 3-7): so many bytes, the first of them from `low` to
   `high`, the others from 0x80 to 0xbf. 0: no character begins so. */
typedef struct utf8_start {
  uint32_t more;
  unsigned char low, high;
} utf8_start;

static utf8_start start_of(unsigned char first) {
  if (first < 0xc2 || first > 0xf4) return (utf8_start){0, 0, 0};
  if (first < 0xe0) return (utf8_start){1, 0x80, 0xbf};
  if (first < 0xf0) return (utf8_start){2, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf};
  return (utf8_start){3, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf};
}

/* Whether a byte may stand at place `n` of a character that begins with `first`. */
static int goes_on(unsigned char first, uint32_t n, unsigned char byte) {
  const utf8_start start = start_of(first);
  return n == 1 ? byte >= start.low && byte <= start.high : byte >= 0x80 && byte <= 0xbf;
}

size_t smpi_utf8_character(const unsigned char *at, const unsigned char *end, uint32_t *character) {
  if (at == end) return 0;
  *character = *at;
  if (*at < 0x80) return 1;
  const uint32_t more = start_of(*at).more;
  if (more == 0 || (size_t)(end - at) <= more) return 0;
  *character = *at & (0x3fu >> more);
  for (uint32_t i = 1; i <= more; i++) {
    if (!goes_on(*at, i, at[i])) return 0;
    *character = *character << 6 | (at[i] & 0x3fu);
  }
  return more + 1;
}

static size_t put_unknown(char *text) {
  memcpy(text, "\xef\xbf\xbd", 3);
  return 3;
}

size_t smp_utf8_feed(smp_utf8 *half, const void *bytes, size_t n, char *text) {
  const unsigned char *from = bytes;
  size_t out = 0;
  for (size_t i = 0; i < n; i++) {
    if (half->n > 0 && !goes_on(half->bytes[0], half->n, from[i])) {
      out += put_unknown(text + out);
      half->n = 0;
    }
    if (half->n == 0) {
      half->want = start_of(from[i]).more + 1;
      if (from[i] < 0x80)
        text[out++] = (char)from[i];
      else if (half->want == 1)
        out += put_unknown(text + out);
      if (half->want == 1) continue;
    }
    half->bytes[half->n++] = from[i];
    if (half->n < half->want) continue;
    memcpy(text + out, half->bytes, half->n);
    out += half->n;
    half->n = 0;
  }
  return out;
}

size_t smp_utf8_flush(smp_utf8 *half, char *text) {
  const size_t out = half->n > 0 ? put_unknown(text) : 0;
  half->n = 0;
  return out;
}
