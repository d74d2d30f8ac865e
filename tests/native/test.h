/* A test program in its smallest form: a case has a name, any number of expectations, and passes or fails once.
   The first broken expectation of a case is printed; the rest of the case is still run. */
#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tally {
  int passed, failed; /* cases */
  int open, broken;   /* of the case that is running */
  char name[120];
};
extern struct tally tally;

/* One in how many of the cases that differ in size or chance alone: 1, or what the environment says as EVERY, where
   each takes long. */
extern uint32_t every;

static inline void end_case(void) {
  if (tally.open) *(tally.broken ? &tally.failed : &tally.passed) += 1;
  tally.open = 0;
}

__attribute__((format(printf, 1, 2))) static inline void begin_case(const char *name, ...) {
  end_case();
  va_list list;
  va_start(list, name);
  vsnprintf(tally.name, sizeof tally.name, name, list);
  va_end(list);
  tally.open = 1;
  tally.broken = 0;
}

__attribute__((format(printf, 2, 3))) static inline void expect(int holds, const char *text, ...) {
  if (holds || tally.broken) return;
  tally.broken = 1;
  printf("FAIL %s: ", tally.name);
  va_list list;
  va_start(list, text);
  vprintf(text, list);
  va_end(list);
  printf("\n");
}

/* The same bits: tells -0 from +0 and compares NaN. */
static inline int same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* Whether all bytes still have the value that `poison` gave them. */
static inline void poison(void *at, size_t size) {
  memset(at, 0xa5, size);
}

static inline int is_poison(const void *at, size_t size) {
  const unsigned char *bytes = at;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != 0xa5) return 0;
  return 1;
}

/* The next word of a linear congruential generator (Knuth's MMIX constants). */
static inline uint32_t random_word(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 32);
}

#define EACH(i, table) (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)

/* Distance between neighbouring doubles at x. */
double ulp_of(double x);

/* The real rows have this many entries; read_row returns 0 and breaks the case if the file is not such a row. */
enum { REAL_ROW = 49152, N_REAL_ROWS = 14 };
extern const char *const REAL_ROWS[N_REAL_ROWS]; /* "a/00.f32" .. "c/05.f32" */
int read_row(const char *dir, const char *name, float row[REAL_ROW]);

/* The file of the model zh, read once; NULL breaks the case. Programs run from the root of the repository. */
const unsigned char *read_model(size_t *size);

void test_codes(void);
void test_math(void);
void test_lab_vectors(void);
void test_lab(void);
void test_lab_filters(void);
void test_plane(void);
void test_stop_vectors(void);
void test_stop(void);
void test_rows(const char *logits_dir);
void test_select(void);
void test_rules(void);
void test_chain(const char *logits_dir);
void test_torch(void);
void test_trace(void);
void test_stream(void);
void test_stats(void);
void test_edges(void);
void test_gpt(void);
void test_gpt_file(void);
void test_tokens(void);

#endif
