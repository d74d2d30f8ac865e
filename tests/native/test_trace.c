/* What filters compare, on four equal logits: each p is exactly 1/4, so every sum can be told without a computer. */
#include "engine.h"
#include "test.h"

enum { N = 4 };

static const float QUARTER[N] = {1, 1, 1, 1};

static smp_status run(smp_engine_call call, smp_trace *trace, smp_engine_result *result, smp_where *where) {
  static float row[SMP_ROW_BLOCK];
  static uint32_t ids[N];
  static double work[SMP_ROW_BLOCK * 2];
  memcpy(row, QUARTER, sizeof QUARTER);
  call.trace = trace;
  expect(smp_engine_work_size(N) <= sizeof work, "work area of %zu bytes", smp_engine_work_size(N));
  return smp_engine_run(row, N, &call, ids, result, work, where);
}

/* top_p 1/2: the values by id, and who stays. */
static void half(smp_engine engine, smp_compared compared, const double *value, const uint32_t *kept) {
  smp_trace_row rows[N];
  for (uint32_t i = 0; i < N; i++) rows[i] = (smp_trace_row){.id = i};
  smp_trace trace = {.rows = rows, .n = N, .setting = SMP_SET_TOP_P};
  const uint32_t given = 1u << SMP_SET_TEMPERATURE | 1u << SMP_SET_TOP_P;
  smp_engine_result result;
  const smp_engine_call call = {.temperature = 1, .top_p = 0.5, .given = given, .settings_only = 1, .engine = engine};
  expect(run(call, &trace, &result, NULL) == SMP_OK && result.refusal == SMP_REFUSAL_NONE, "it does not run");
  expect(trace.compared == compared, "compared %d", (int)trace.compared);
  expect(same_bits(trace.threshold, 0.5), "threshold %a", trace.threshold);
  for (uint32_t i = 0; i < N; i++) {
    expect(rows[i].found == 1 && same_bits(rows[i].value, value[i]), "value of %u is %a", i, rows[i].value);
    expect(rows[i].kept == kept[i], "kept of %u is %u", i, rows[i].kept);
    expect(same_bits(rows[i].ulps, (value[i] - 0.5) * 0x1p24), "ulps of %u are %a", i, rows[i].ulps);
    expect(rows[i].by_rounding == (value[i] == 0.5), "by_rounding of %u is %u", i, rows[i].by_rounding);
  }
  expect(result.by_rounding == 1, "by_rounding of the result");
}

/* On an error no output is written; a row that is refused has no trace. */
static void refusals(void) {
  smp_trace_row row = {.id = N};
  smp_trace trace = {.threshold = 7, .rows = &row, .n = 1, .setting = SMP_SET_TOP_P};
  smp_engine_result result;
  smp_where where;
  const smp_engine_call call = {.given = 1u << SMP_SET_TEMPERATURE, .engine = SMP_ENGINE_TRANSFORMERS};
  poison(&result, sizeof result);
  expect(run(call, &trace, &result, &where) == SMP_ERR_PARAM && where.param == SMP_AT_TRACE, "an id of no entry");
  row.id = 0;
  trace.setting = SMP_SET_TYPICAL_P;
  expect(run(call, &trace, &result, &where) == SMP_ERR_PARAM && where.param == SMP_AT_TRACE, "another setting");
  trace.setting = SMP_SET_TOP_P;
  for (uint32_t n = 0; n <= SMP_TRACE_MAX + 1; n += SMP_TRACE_MAX + 1) {
    trace.n = n;
    expect(run(call, &trace, &result, &where) == SMP_ERR_PARAM && where.param == SMP_AT_TRACE, "%u ids", n);
  }
  expect(is_poison(&result, sizeof result) && same_bits(trace.threshold, 7), "an error has written");
  trace.n = 1;
  expect(run(call, &trace, &result, &where) == SMP_OK && result.refusal == SMP_REFUSAL_TEMPERATURE_0, "temperature 0");
  expect(trace.compared == SMP_COMPARED_NOTHING && same_bits(trace.threshold, 0) && !row.found, "a refusal's trace");
}

void test_trace(void) {
  static const double ascending[N] = {0.25, 0.5, 0.75, 1}, descending[N] = {0, 0.25, 0.5, 0.5},
                      more[N] = {0, 0.25, 0.5, 0.75};
  begin_case("trace: transformers");
  half(SMP_ENGINE_TRANSFORMERS, SMP_COMPARED_SUM_FROM_BELOW, ascending, (const uint32_t[]){0, 0, 1, 1});
  begin_case("trace: candle");
  half(SMP_ENGINE_CANDLE, SMP_COMPARED_SUM_BEFORE, descending, (const uint32_t[]){1, 1, 0, 0});
  begin_case("trace: sglang");
  half(SMP_ENGINE_SGLANG, SMP_COMPARED_SUM_BEFORE, more, (const uint32_t[]){1, 1, 1, 0});
  begin_case("trace: refusals");
  refusals();
}
