/* What tests/bench/gpt times: a token of the model zh in a text of 32, a plain product of all its matrices with vectors
   by SSE2, and the same by the float loop of llama2.c. The same file is a native program and a wasm module; whoever runs
   it keeps the time. */
#include <string.h>

#include "smp_gpt.h"

#ifdef __wasm__
#define BENCH_API __attribute__((used, visibility("default")))
#else
#define BENCH_API
#endif

enum { FILE_ROOM = 1 << 20, POSITION = 31, MATRICES = 17, WIDEST = 1859, LONGEST = 384 };

static unsigned char file[FILE_ROOM];
static float memory[2 * 4 * 96 * 64], work[16 * 96 + 64], logits[WIDEST];
static smp_gpt gpt;
static smp_gpt_cache cache = {memory, 0, 64};
static volatile float sink;

BENCH_API unsigned char *bench_file(void);
BENCH_API uint32_t bench_open(uint32_t size);
BENCH_API uint32_t bench_run(uint32_t kernel);
BENCH_API const char *bench_name(uint32_t kernel);

unsigned char *bench_file(void) {
  return file;
}

static void token(void) {
  const uint32_t id = 300;
  cache.n = POSITION;
  smp_gpt_feed(&gpt, &cache, &id, 1, POSITION, logits, work, NULL);
  sink = logits[7];
}

#ifndef __wasm__

/* Every matrix of the file: where it lies, its rows and columns. */
static struct matrix {
  const signed char *weight;
  float *floats;
  int rows, columns;
} matrices[MATRICES];
static float unpacked[700000], vector[LONGEST], out[WIDEST];

static void find_matrices(void) {
  static const int parts[4][3] = {{2, 288, 96}, {5, 96, 96}, {10, 384, 96}, {13, 96, 384}}; /* qkv, proj, up, down */
  float *floats = unpacked;
  for (int i = 0; i < MATRICES; i++) {
    const int *part = i < 16 ? parts[i % 4] : NULL;
    const uint32_t tensor = part ? (uint32_t)(6 + 16 * (i / 4) + part[0]) : 0;
    struct matrix *m = &matrices[i];
    m->weight = (const signed char *)file + gpt.at[tensor];
    m->rows = part ? part[1] : WIDEST;
    m->columns = part ? part[2] : 96;
    m->floats = floats;
    for (int j = 0; j < m->rows * m->columns; j++) *floats++ = (float)m->weight[j] * 0.01f;
  }
  for (int i = 0; i < LONGEST; i++) vector[i] = (float)(i % 13) * 0.1f - 0.6f;
}

#ifdef __SSE2__
#include <emmintrin.h>

/* As one writes it: bytes to words, to whole numbers, to floats; four sums, folded at the end of a row. */
static void plain(const struct matrix *m) {
  for (int r = 0; r < m->rows; r++) {
    const signed char *row = m->weight + (size_t)r * (size_t)m->columns;
    __m128 sum[4] = {_mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps()};
    for (int c = 0; c < m->columns; c += 16) {
      const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(row + c));
      const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8),
                    high = _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8);
      const __m128i whole[4] = {
          _mm_srai_epi32(_mm_unpacklo_epi16(low, low), 16), _mm_srai_epi32(_mm_unpackhi_epi16(low, low), 16),
          _mm_srai_epi32(_mm_unpacklo_epi16(high, high), 16), _mm_srai_epi32(_mm_unpackhi_epi16(high, high), 16)};
      for (int i = 0; i < 4; i++)
        sum[i] = _mm_add_ps(sum[i], _mm_mul_ps(_mm_cvtepi32_ps(whole[i]), _mm_loadu_ps(vector + c + 4 * i)));
    }
    float four[4];
    _mm_storeu_ps(four, _mm_add_ps(_mm_add_ps(sum[0], sum[1]), _mm_add_ps(sum[2], sum[3])));
    out[r] = four[0] + four[1] + four[2] + four[3];
  }
}
#else
static void plain(const struct matrix *m) {
  (void)m;
}
#endif

/* llama2.c, matmul of run.c. */
static void loop(const struct matrix *m) {
  for (int i = 0; i < m->rows; i++) {
    float val = 0.0f;
    for (int j = 0; j < m->columns; j++) val += m->floats[i * m->columns + j] * vector[j];
    out[i] = val;
  }
}

static void all(void (*multiply)(const struct matrix *)) {
  for (int i = 0; i < MATRICES; i++) multiply(&matrices[i]);
  sink = out[5];
}

#endif

uint32_t bench_open(uint32_t size) {
  if (smp_gpt_read(file, size, &gpt, NULL, NULL) || gpt.n_tokens != WIDEST) return 0;
  for (uint32_t i = 0; i < POSITION; i++) smp_gpt_feed(&gpt, &cache, &i, 1, i, NULL, work, NULL);
#ifndef __wasm__
  find_matrices();
#endif
  return 1;
}

const char *bench_name(uint32_t kernel) {
  static const char *const names[] = {"a token", "plain int8 product, SSE2", "float loop of llama2.c"};
#ifdef __wasm__
  return kernel < 1 ? names[kernel] : NULL;
#else
  return kernel < 3 ? names[kernel] : NULL;
#endif
}

uint32_t bench_run(uint32_t kernel) {
  if (kernel == 0) token();
#ifndef __wasm__
  if (kernel == 1) all(plain);
  if (kernel == 2) all(loop);
#endif
  return 1;
}

#ifndef __wasm__
#include <stdio.h>
#include <time.h>

/* The median of 41 times, each of 20 runs, the kernels in turns; one line of JSON. */
int main(int argc, char **argv) {
  enum { TIMES = 41, RUNS = 20 };
  double times[3][TIMES];
  FILE *source = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!source || !bench_open((uint32_t)fread(file, 1, sizeof file, source))) return 1;
  fclose(source);
  for (int t = 0; t < TIMES; t++)
    for (uint32_t k = 0; k < 3; k++) {
      struct timespec from, to;
      clock_gettime(CLOCK_MONOTONIC, &from);
      for (int i = 0; i < RUNS; i++) bench_run(k);
      clock_gettime(CLOCK_MONOTONIC, &to);
      const double us = ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) * 1e-3) / RUNS;
      int at = t;
      for (; at > 0 && times[k][at - 1] > us; at--) times[k][at] = times[k][at - 1];
      times[k][at] = us;
    }
  printf("{\"token\":%.2f,\"plain\":%.2f,\"loop\":%.2f}\n", times[0][TIMES / 2], times[1][TIMES / 2],
         times[2][TIMES / 2]);
  return 0;
}
#endif
