/* Tests of the C core against the vectors and on its own terms:  test_core LOGITS_DIR
   LOGITS_DIR holds a/00.f32 .. a/07.f32 and c/00.f32 .. c/05.f32. Prints one line per failed case, the digest of all
   results, and `N passed, M failed`; exits 1 if a case failed. */
#include <stdlib.h>

#include "smp_gpt.h"
#include "test.h"
#include "digest.h"

struct tally tally;
uint32_t every = 1;

const char *const REAL_ROWS[N_REAL_ROWS] = {"a/00.f32", "a/01.f32", "a/02.f32", "a/03.f32", "a/04.f32",
                                            "a/05.f32", "a/06.f32", "a/07.f32", "c/00.f32", "c/01.f32",
                                            "c/02.f32", "c/03.f32", "c/04.f32", "c/05.f32"};

double ulp_of(double x) {
  uint64_t bits, next;
  double above;
  memcpy(&bits, &x, sizeof bits);
  bits &= INT64_MAX;
  next = bits + 1;
  memcpy(&x, &bits, sizeof x);
  memcpy(&above, &next, sizeof above);
  return above - x;
}

int read_row(const char *dir, const char *name, float row[REAL_ROW]) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *file = fopen(path, "rb");
  expect(file != NULL, "cannot open %s", path);
  if (!file) return 0;
  size_t n = fread(row, sizeof *row, REAL_ROW, file);
  expect(n == REAL_ROW, "%s has only %zu entries", path, n);
  fclose(file);
  return n == REAL_ROW;
}

const unsigned char *read_model(size_t *size) {
  static unsigned char bytes[1 << 20];
  static size_t n;
  FILE *file = n ? NULL : fopen("web/models/zh.safetensors", "rb");
  if (file) {
    n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
  }
  expect(n > 0, "cannot read web/models/zh.safetensors");
  *size = n;
  return n ? bytes : NULL;
}

/* The numbers are part of the ABI. */
void test_codes(void) {
  static const struct {
    int code, value;
  } frozen[] = {
      {SMP_OK, 0},
      {SMP_ERR_PARAM, -1},
      {SMP_ERR_EMPTY, -2},
      {SMP_ERR_LENGTH, -3},
      {SMP_ERR_NAN, -4},
      {SMP_ERR_INF, -5},
      {SMP_ERR_MASKED, -6},
      {SMP_TIE_STRICT, 0},
      {SMP_TIE_THRESHOLD, 1},
      {SMP_SHARE_RENORMALISED, 0},
      {SMP_SHARE_ZEROED, 1},
      {SMP_DTYPE_F64, 0},
      {SMP_DTYPE_F32, 1},
      {SMP_DTYPE_F16, 2},
      {SMP_DTYPE_BF16, 3},
      {SMP_TIE_LAST, 2},
      {SMP_STEP_TEMPERATURE, 0},
      {SMP_STEP_REPETITION_PENALTY, 1},
      {SMP_STEP_PRESENCE_PENALTY, 2},
      {SMP_STEP_FREQUENCY_PENALTY, 3},
      {SMP_STEP_LOGIT_BIAS, 4},
      {SMP_STEP_SUPPRESS_TOKENS, 5},
      {SMP_STEP_NO_REPEAT_NGRAM_SIZE, 6},
      {SMP_STEP_TOP_K, 7},
      {SMP_STEP_TOP_P, 8},
      {SMP_STEP_MIN_P, 9},
      {SMP_STEP_TYPICAL_P, 10},
      {SMP_STEP_EPSILON_CUTOFF, 11},
      {SMP_STEP_ETA_CUTOFF, 12},
      {SMP_STEP_TOP_H, 13},
      {SMP_STEP_TOP_N_SIGMA, 14},
      {SMP_OUT_P, 0},
      {SMP_OUT_LOG_P, 1},
      {SMP_OUT_LOGITS, 2},
      {SMP_ERR_SHORT, -7},
      {SMP_ERR_REFUSED, -8},
      {SMP_RULE_LATCH, 0},
      {SMP_RULE_ANY, 1},
      {SMP_RULE_SAME_STEP, 2},
      {SMP_RULE_SCALAR, 3},
      {SMP_RULE_SINGLE, 4},
      {SMP_FINISH_NONE, 0},
      {SMP_FINISH_EOS, 1},
      {SMP_FINISH_LENGTH, 2},
      {SMP_FINISH_CUT, 3},
      {SMP_ROLE_NONE, 0},
      {SMP_ROLE_TOKEN, 1},
      {SMP_ROLE_EOS, 2},
      {SMP_ROLE_PAD, 3},
      {SMP_ROLE_JUNK, 4},
      {SMP_ROLE_LOST, 5},
      {SMP_ROLE_LOST_EOS, 6},
      {SMP_ORDER_ID, 0},
      {SMP_ORDER_DESCENDING, 1},
      {SMP_GPT_FINE, 0},
      {SMP_GPT_TENSOR_MISSING, 8},
      {SMP_GPT_TENSOR_VALUE, 13},
  };
  begin_case("codes keep their values");
  for
    EACH(i, frozen) expect(frozen[i].code == frozen[i].value, "row %zu is %d", i, frozen[i].code);

  begin_case("every code has a text, others a default");
  for (int status = SMP_ERR_REFUSED; status <= SMP_OK; status++)
    expect(strcmp(smp_status_text((smp_status)status), "unknown status") != 0, "status %d", status);
  for (int param = SMP_AT_LOGITS; param <= SMP_AT_CACHE; param++)
    expect(*smp_param_text((smp_param)param) && *smp_param_allowed((smp_param)param), "parameter %d", param);
  expect(strcmp(smp_status_text((smp_status)1), "unknown status") == 0, "status 1");
  expect(strcmp(smp_status_text((smp_status)INT32_MIN), "unknown status") == 0, "the smallest status");
  expect(strcmp(smp_param_text((smp_param)INT32_MAX), "") == 0, "the largest parameter");
  expect(strcmp(smp_param_text((smp_param)99), "") == 0, "parameter 99");
  expect(strcmp(smp_param_allowed((smp_param)99), "") == 0, "parameter 99");
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: test_core LOGITS_DIR\n");
    return 2;
  }
  if (getenv("EVERY")) every = (uint32_t)atoi(getenv("EVERY"));
  if (every < 1) {
    fprintf(stderr, "test_core: EVERY is a whole number from 1\n");
    return 2;
  }
  test_codes();
  test_math();
  test_lab_vectors();
  test_lab();
  test_lab_filters();
  test_plane();
  test_stop_vectors();
  test_stop();
  test_rows(argv[1]);
  test_select();
  test_rules();
  test_chain(argv[1]);
  test_torch();
  test_trace();
  test_stream();
  test_stats();
  test_edges();
  test_gpt();
  test_gpt_file();
  test_tokens();
  begin_case("digest");
  uint64_t digest = digest_of_everything(argv[1]);
  end_case();
  printf("digest %08x%08x\n", (unsigned)(digest >> 32), (unsigned)(digest & 0xffffffff));
  printf("%d passed, %d failed\n", tally.passed, tally.failed);
  return tally.failed != 0;
}
