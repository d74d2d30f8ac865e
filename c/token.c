/* Characters to tokens and back; what has no token is bytes. */
#include "gpt.h"

/* The ids by character, behind the characters by id. */
static uint32_t *by_character(const smp_tokens *tokens) {
  return tokens->characters + tokens->n;
}

size_t smp_tokens_size(const smp_gpt *gpt) {
  return 2 * sizeof(uint32_t) * (gpt->n_tokens - SMP_TOKEN_CHARACTER);
}

/* Heapsort: let the id at `at` sink until no child is of a greater character. */
static void sink(const uint32_t *characters, uint32_t *heap, size_t size, size_t at) {
  const uint32_t id = heap[at];
  for (size_t child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && characters[heap[child + 1]] > characters[heap[child]]) child++;
    if (characters[heap[child]] <= characters[id]) break;
    heap[at] = heap[child];
  }
  heap[at] = id;
}

void smp_tokens_make(const smp_gpt *gpt, smp_tokens *tokens) {
  const uint32_t n = gpt->n_tokens - SMP_TOKEN_CHARACTER;
  const unsigned char *at = gpt->file + gpt->characters;
  tokens->n = n;
  uint32_t *characters = tokens->characters, *heap = by_character(tokens);
  for (uint32_t i = 0; i < n; i++) {
    at += smpi_gpt_character(at, at + 12, &characters[i]); /* checked; within the header, a quotation mark behind */
    heap[i] = i;
  }
  for (size_t i = n / 2; i-- > 0;) sink(characters, heap, n, i);
  for (size_t size = n; size-- > 1;) {
    const uint32_t last = heap[0];
    heap[0] = heap[size];
    heap[size] = last;
    sink(characters, heap, size, 0);
  }
}

/* The id of a character, or SMP_NONE. */
static uint32_t id_of(const smp_tokens *tokens, uint32_t character) {
  const uint32_t *ids = by_character(tokens);
  uint32_t low = 0, high = tokens->n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (tokens->characters[ids[middle]] < character)
      low = middle + 1;
    else
      high = middle;
  }
  return low < tokens->n && tokens->characters[ids[low]] == character ? SMP_TOKEN_CHARACTER + ids[low] : SMP_NONE;
}

size_t smp_tokens_encode(const smp_tokens *tokens, const void *text, size_t n, uint32_t *ids) {
  const unsigned char *at = text, *end = at + n;
  size_t count = 0;
  while (at < end) {
    uint32_t character;
    const size_t length = smpi_utf8_character(at, end, &character);
    const uint32_t id = length ? id_of(tokens, character) : SMP_NONE;
    if (id != SMP_NONE) {
      ids[count++] = id;
      at += length;
      continue;
    }
    for (size_t i = 0; i < (length ? length : 1); i++) ids[count++] = SMP_TOKEN_BYTE + *at++;
  }
  return count;
}

size_t smp_tokens_bytes(const smp_tokens *tokens, uint32_t id, unsigned char bytes[4]) {
  if (id < SMP_TOKEN_BYTE || id >= SMP_TOKEN_CHARACTER + tokens->n) return 0;
  if (id < SMP_TOKEN_CHARACTER) {
    bytes[0] = (unsigned char)(id - SMP_TOKEN_BYTE);
    return 1;
  }
  const uint32_t c = tokens->characters[id - SMP_TOKEN_CHARACTER];
  const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  bytes[0] = (unsigned char)(first[n] | c >> 6 * (n - 1));
  for (size_t i = 1; i < n; i++) bytes[i] = (unsigned char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
  return n;
}
