/* What tests/bench/run times: every kernel on rows of V entries, and the ruler, one pass over the row. The same file is
   a native program and a wasm module; whoever runs it keeps the time. No library call but for the rows themselves. */
#include <stdint.h>
#include <string.h>

#include "lanes.h"
#include "smp_engines.h"

#ifdef __wasm__
#define BENCH_API __attribute__((used, visibility("default")))
#else
#define BENCH_API
#endif

enum { SOURCE = 49152, ROOM = 64 * 128256 };

static float source[SOURCE];           /* real logits */
static float master[ROOM], rows[ROOM]; /* copies of a row, side by side */
static uint32_t ids[SMP_ROW_MAX], context[64];
static double work[(18u * SMP_ROW_MAX + 65536) / sizeof(double)];
static uint32_t entries, copies;
static volatile double sink;

BENCH_API float *bench_source(void);
BENCH_API uint32_t bench_paint(uint32_t v, uint32_t n_rows, int flat);
BENCH_API void bench_restore(void);
BENCH_API uint32_t bench_run(uint32_t kernel);
BENCH_API const char *bench_name(uint32_t kernel);

/* Where the caller puts the real row. */
float *bench_source(void) {
  return source;
}

/* n_rows rows of v entries: the real row over and over, or one that is nearly normal and as flat as top-p 0.9 at
   temperature 0.8 keeping about a sixth. 0 if there is no room. */
uint32_t bench_paint(uint32_t v, uint32_t n_rows, int flat) {
  const size_t capacity = smp_row_capacity(v);
  if (capacity * n_rows > ROOM) return 0;
  uint64_t state = 42;
  for (uint32_t r = 0; r < n_rows; r++)
    for (uint32_t i = 0; i < v; i++) {
      float sum = 0;
      for (int j = 0; flat && j < 4; j++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (float)(state >> 40) * 0x1p-24f;
      }
      master[r * capacity + i] = flat ? (sum - 2) * 3.2f : source[i % SOURCE];
    }
  for (uint32_t i = 0; i < 64; i++) context[i] = (i * 7919u) % v;
  entries = v;
  copies = n_rows;
  bench_restore();
  return 1;
}

void bench_restore(void) {
  memcpy(rows, master, smp_row_capacity(entries) * copies * sizeof *rows);
}

/* ---- The ruler -------------------------------------------------------------------------------------------------- */

static double pass_max(const float *row) {
  lanes a[4];
  for (int j = 0; j < 4; j++) a[j] = lanes_all(-1e30f);
  for (size_t i = 0; i < entries / 16 * 16; i += 16)
    for (size_t j = 0; j < 4; j++) a[j] = lanes_max(lanes_load(row + i + 4 * j), a[j]);
  return (double)lanes_largest(lanes_max(lanes_max(a[0], a[1]), lanes_max(a[2], a[3])));
}

static double pass_sum(const float *row) {
  lanes a[4];
  for (int j = 0; j < 4; j++) a[j] = lanes_all(0);
  for (size_t i = 0; i < entries / 16 * 16; i += 16)
    for (size_t j = 0; j < 4; j++) a[j] += lanes_load(row + i + 4 * j);
  return lanes_total((a[0] + a[1]) + (a[2] + a[3]));
}

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

enum kernel {
  PASS_MAX,
  PASS_SUM,
  SCAN,
  TEMPERATURE,
  SOFTMAX,
  LOG_SOFTMAX,
  TOP_50,
  DRAW,
  DISTANCE,
  DRAWS,
  RACES,
  PENALTIES,
  TOP_K,
  TOP_P,
  MIN_P,
  TYPICAL,
  EPSILON,
  ETA,
  TOP_H,
  TOP_N_SIGMA,
  PIPE_TOP_K,
  PIPE_SOFTMAX,
  PIPE_PROBABILITIES,
  PIPE_TOP_P,
  N_KERNELS
};

static const char *const NAMES[] = {"one pass: max",
                                    "one pass: sum",
                                    "scan",
                                    "temperature",
                                    "softmax",
                                    "log-softmax",
                                    "ids of the top 50",
                                    "draw",
                                    "distance",
                                    "100,000 draws",
                                    "races of 100,000 entries",
                                    "repetition penalty, 64 ids",
                                    "top-k 50",
                                    "top-p 0.9",
                                    "min-p 0.05",
                                    "typical 0.9",
                                    "epsilon 3e-4",
                                    "eta 3e-4",
                                    "top-h 0.4",
                                    "top-n-sigma 1",
                                    "top-k 50 + softmax + draw",
                                    "temperature + softmax + draw",
                                    "the same, and all probabilities",
                                    "temperature + top-p 0.9 + draw"};

/* NULL after the last. */
const char *bench_name(uint32_t kernel) {
  return kernel < N_KERNELS ? NAMES[kernel] : NULL;
}

static uint32_t run_chain(float *row, const smp_step *steps, uint32_t n_steps, smp_out out, uint32_t *list) {
  const smp_chain chain = {
      .u = 0.5, .steps = steps, .n_steps = n_steps, .context = context, .n_context = 64, .out = out};
  smp_chain_result result;
  return smp_chain_run(row, entries, &chain, list, NULL, &result, work, NULL) ? 0 : result.n_kept;
}

static uint32_t one_step(float *row, smp_step_kind kind, double value) {
  const smp_step step = {.kind = kind, .value = value, .count = 50, .tie = SMP_TIE_THRESHOLD};
  return run_chain(row, &step, 1, SMP_OUT_P, ids);
}

/* Many draws from one row of probabilities: by its cumulative sum, or by torch's race. */
static uint32_t run_stream(const float *row, smp_drawing drawing, uint32_t draws) {
  static uint32_t all[SMP_ROW_MAX];
  static smp_rng rng;
  for (uint32_t i = 0; i < entries; i++) all[i] = i;
  smp_rng_seed(&rng, SMP_GENERATOR_MT19937, 2718, 0, NULL);
  smp_stream stream = {
      .ids = all, .weights = row, .rng = &rng, .n_kept = entries, .n = entries, .draws = draws, .drawing = drawing};
  memset(ids, 0, entries * sizeof *ids);
  return smp_stream_count(&stream, ids, draws, work, NULL) ? 0 : ids[0];
}

static uint32_t run_row(uint32_t kernel, float *row) {
  const smp_step hot = {.kind = SMP_STEP_TEMPERATURE, .value = 0.8};
  const smp_step pair[] = {hot, {.kind = SMP_STEP_TOP_P, .value = 0.9, .tie = SMP_TIE_LAST}};
  smp_distance distance;
  uint32_t id = 0;
  double entropy;
  switch (kernel) {
  case PASS_MAX:
    sink = pass_max(row);
    return 1;
  case PASS_SUM:
    sink = pass_sum(row);
    return 1;
  case SCAN:
    return (uint32_t)smp_row_scan(row, entries, NULL, &id, NULL);
  case TEMPERATURE:
    return (uint32_t)smp_row_temperature(row, entries, 0.8f, NULL);
  case SOFTMAX:
    return (uint32_t)smp_row_softmax(row, entries, &entropy, NULL);
  case LOG_SOFTMAX:
    return (uint32_t)smp_row_log_softmax(row, entries, NULL);
  case TOP_50:
    return (uint32_t)smp_row_top(row, entries, ids, entries < 50 ? entries : 50, NULL);
  case DRAW:
    smp_row_draw(row, entries, 0.5, &id, NULL);
    return id;
  case DISTANCE:
    return (uint32_t)smp_row_distance(row, row, entries, &distance, NULL);
  case DRAWS:
    return run_stream(row, SMP_DRAWING_INVERSE, 100000);
  case RACES:
    return run_stream(row, SMP_DRAWING_RACE, entries < 100000 ? 100000 / entries : 1);
  case PENALTIES:
    return one_step(row, SMP_STEP_REPETITION_PENALTY, 1.3);
  case TOP_K:
    return one_step(row, SMP_STEP_TOP_K, 0);
  case TOP_P:
    return one_step(row, SMP_STEP_TOP_P, 0.9);
  case MIN_P:
    return one_step(row, SMP_STEP_MIN_P, 0.05);
  case TYPICAL:
    return one_step(row, SMP_STEP_TYPICAL_P, 0.9);
  case EPSILON:
    return one_step(row, SMP_STEP_EPSILON_CUTOFF, 3e-4);
  case ETA:
    return one_step(row, SMP_STEP_ETA_CUTOFF, 3e-4);
  case TOP_H:
    return one_step(row, SMP_STEP_TOP_H, 0.4);
  case TOP_N_SIGMA:
    return one_step(row, SMP_STEP_TOP_N_SIGMA, 1);
  case PIPE_TOP_K:
    return one_step(row, SMP_STEP_TOP_K, 0);
  case PIPE_SOFTMAX:
    return run_chain(row, &hot, 1, SMP_OUT_ID, NULL);
  case PIPE_PROBABILITIES:
    return run_chain(row, &hot, 1, SMP_OUT_P, NULL);
  case PIPE_TOP_P:
    return run_chain(row, pair, 2, SMP_OUT_P, ids);
  default:
    return 0;
  }
}

/* Run a kernel on every row; returns what it counted on the last one. From `draw` to the races they need
   probabilities. */
uint32_t bench_run(uint32_t kernel) {
  uint32_t counted = 0;
  for (uint32_t r = 0; r < copies; r++) counted = run_row(kernel, rows + r * smp_row_capacity(entries));
  return counted;
}

/* ---- The native program: bench LOGITS.f32 V ROWS flat|real REPEATS -> one line of JSON a kernel -------------------
   With 0 repeats it writes the painted rows instead, for the peers. */

#ifndef __wasm__
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)(t.tv_sec % 100000) * 1e3 + (double)t.tv_nsec * 1e-6; /* all seconds would leave 0.2 microseconds */
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  static double ms[1000];
  if (argc != 6) {
    fprintf(stderr, "usage: bench LOGITS.f32 V ROWS flat|real REPEATS\n");
    return 2;
  }
  FILE *file = fopen(argv[1], "rb");
  if (!file || fread(source, sizeof *source, SOURCE, file) != SOURCE) {
    fprintf(stderr, "bench: cannot read %d floats from %s\n", SOURCE, argv[1]);
    return 1;
  }
  fclose(file);
  int repeats = atoi(argv[5]);
  if (!bench_paint((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), strcmp(argv[4], "flat") == 0)) return 1;
  if (repeats == 0) return fwrite(master, smp_row_capacity(entries) * sizeof *master, copies, stdout) != copies;
  for (uint32_t kernel = 0; kernel < N_KERNELS; kernel++) {
    uint32_t counted = 0;
    for (int i = -3; i < repeats; i++) {
      bench_restore();
      if (kernel >= DRAW && kernel <= RACES) bench_run(SOFTMAX);
      double start = now();
      counted = bench_run(kernel);
      if (i >= 0) ms[i] = now() - start;
    }
    qsort(ms, (size_t)repeats, sizeof *ms, ascending);
    printf("{\"kernel\":\"%s\",\"ms\":%.6f,\"counted\":%u}\n", NAMES[kernel], ms[repeats / 2] / copies, counted);
  }
  return 0;
}
#endif
