/* What a filter of an engine compared, id by id: asked for through smp_engine_call, filled by the file that knows the
   engine. */
#include "impl.h"

smp_status smp_trace_check(const smp_engine_call *call, size_t n, smp_where *where) {
  const smp_trace *trace = call->trace;
  if (!trace) return SMP_OK;
  const int known =
      trace->setting == SMP_SET_TOP_K || trace->setting == SMP_SET_TOP_P || trace->setting == SMP_SET_MIN_P;
  if (!known || trace->n == 0 || trace->n > SMP_TRACE_MAX) return smp_fail(SMP_ERR_PARAM, SMP_AT_TRACE, 0, where);
  for (uint32_t i = 0; i < trace->n; i++)
    if (trace->rows[i].id >= n) return smp_fail(SMP_ERR_PARAM, SMP_AT_TRACE, i, where);
  return SMP_OK;
}

int smp_trace_asks(const smp_engine_work *w, smp_setting setting) {
  return w->call->trace && w->call->trace->setting == setting;
}

void smp_trace_clear(smp_engine_work *w) {
  smp_trace *trace = w->call->trace;
  if (!trace) return;
  trace->compared = SMP_COMPARED_NOTHING;
  trace->threshold = 0;
  for (uint32_t i = 0; i < trace->n; i++) trace->rows[i] = (smp_trace_row){.id = trace->rows[i].id};
}

void smp_trace_start(smp_engine_work *w, smp_compared compared) {
  smp_trace_clear(w);
  w->call->trace->compared = compared;
}

void smp_trace_limit(smp_engine_work *w, float threshold, float size) {
  w->call->trace->threshold = (double)threshold;
  w->size = size < 0 ? -size : size;
}

void smp_trace_note(smp_engine_work *w, uint32_t id, float value, int kept, int by_rounding) {
  const smp_trace *trace = w->call->trace;
  for (uint32_t i = 0; i < trace->n; i++)
    if (trace->rows[i].id == id)
      trace->rows[i] = (smp_trace_row){.value = (double)value,
                                       .id = id,
                                       .found = 1,
                                       .kept = (uint32_t)(kept != 0),
                                       .by_rounding = (uint32_t)(by_rounding != 0)};
}

void smp_trace_finish(smp_engine_work *w) {
  const smp_trace *trace = w->call->trace;
  if (!trace || trace->compared == SMP_COMPARED_NOTHING) return;
  const double step = (double)spacing_of(w->size);
  for (uint32_t i = 0; i < trace->n; i++)
    if (trace->rows[i].found) trace->rows[i].ulps = (trace->rows[i].value - trace->threshold) / step;
}
