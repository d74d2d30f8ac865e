/* What the fuzz targets share: numbers out of the bytes that libFuzzer makes, and what must hold whatever they are.
   Areas are allocated as long as the contract says, so that the sanitizers see a step too far. */
#ifndef FUZZ_H
#define FUZZ_H

#include <float.h>
#include <math.h> /* only for INFINITY and NAN */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(holds, ...)                                                                                               \
  do {                                                                                                                 \
    if (holds) break;                                                                                                  \
    fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #holds);                                                \
    fprintf(stderr, __VA_ARGS__);                                                                                      \
    fputc('\n', stderr);                                                                                               \
    abort();                                                                                                           \
  } while (0)

/* Zeros after the end. */
struct bytes {
  const uint8_t *at;
  size_t left;
};

static inline uint32_t take(struct bytes *b, size_t n) {
  uint32_t word = 0;
  for (size_t i = 0; i < n && b->left; i++, b->left--) word |= (uint32_t)*b->at++ << 8 * i;
  return word;
}

/* Below n. */
static inline uint32_t below(struct bytes *b, uint32_t n) {
  return take(b, n > 256 ? 4 : 1) % n;
}

/* Any float, but more often a plain one, or one at an edge. */
static inline float take_float(struct bytes *b) {
  static const float edges[] = {0,        -0.0f,   1,        -1,        0.5f,       FLT_MAX,
                                -FLT_MAX, FLT_MIN, -FLT_MIN, 0x1p-149f, -0x1p-149f, 0x1p31f,
                                -0x1p31f, 0x1p24f, 104,      -104,      30,         -INFINITY};
  const uint32_t kind = take(b, 1);
  if (kind < 96) return (float)((int)kind - 48) / 8;
  if (kind < 192) return edges[kind % (sizeof edges / sizeof *edges)];
  const uint32_t bits = take(b, 4);
  float x;
  memcpy(&x, &bits, sizeof x);
  return kind < 252 && x - x != 0 ? 3 : x;
}

/* A setting: mostly from 0 to 2, often at an edge, or any double. */
static inline double take_double(struct bytes *b) {
  static const double edges[] = {0, 1, 1e-8, 1 - 1e-7, 5e-324, 1e300, -0.0, 2};
  const uint32_t kind = take(b, 1);
  if (kind < 64) return edges[kind % (sizeof edges / sizeof *edges)];
  if (kind < 160) return (double)kind / 80;
  if (kind < 224) return (double)take_float(b);
  const uint64_t bits = (uint64_t)take(b, 4) << 32 | take(b, 4);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* n logits: each of its own, or few bytes that a long row goes through again and again. */
static inline void take_row(struct bytes *b, float *row, size_t n) {
  float some[61];
  const size_t own = n < 61 ? n : 61;
  for (size_t i = 0; i < own; i++) some[i] = take_float(b);
  const float drift = n > own ? take_float(b) : 0;
  for (size_t i = 0; i < n; i++) row[i] = i < own ? some[i] : some[i % own] + drift * (float)(i / own);
}

/* An area filled with a byte, so that what it held before cannot matter. At least one byte long. */
static inline void *area(size_t size, int fill) {
  void *at = malloc(size ? size : 1);
  must(at != NULL, "no memory for %zu bytes", size);
  memset(at, fill, size ? size : 1);
  return at;
}

static inline int filled_with(const void *at, size_t size, int fill) {
  const uint8_t *bytes = at;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != (uint8_t)fill) return 0;
  return 1;
}

#endif
