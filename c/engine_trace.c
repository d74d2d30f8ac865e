/* What a filter of an engine compared, id by id: asked for through smp_engine_call, filled by the file that knows the
   engine. */
#include "engine.h"

smp_status smpi_trace_check(const smp_engine_call *call, size_t n, smp_where *where) {
  const smp_trace *trace = call->trace;
  if (!trace) return SMP_OK;
  const int known =
      trace->setting == SMP_SET_TOP_K || trace->setting == SMP_SET_TOP_P || trace->setting == SMP_SET_MIN_P;
  if (!known || trace->n == 0 || trace->n > SMP_TRACE_MAX) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TRACE, 0, where);
  for (uint32_t i = 0; i < trace->n; i++)
    if (trace->rows[i].id >= n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TRACE, i, where);
  return SMP_OK;
}

int smpi_trace_asks(const engine_work *w, smp_setting setting) {
  return w->call->trace && w->call->trace->setting == setting;
}

void smpi_trace_clear(engine_work *w) {
  smp_trace *trace = w->call->trace;
  if (!trace) return;
  trace->compared = SMP_COMPARED_NOTHING;
  trace->threshold = 0;
  for (uint32_t i = 0; i < trace->n; i++) trace->rows[i] = (smp_trace_row){.id = trace->rows[i].id};
}

void smpi_trace_start(engine_work *w, smp_compared compared) {
  smpi_trace_clear(w);
  w->call->trace->compared = compared;
}

void smpi_trace_limit(engine_work *w, float threshold, float size) {
  w->call->trace->threshold = (double)threshold;
  w->size = size < 0 ? -size : size;
}

void smpi_trace_note(engine_work *w, uint32_t id, float value, int kept, int by_rounding) {
  const smp_trace *trace = w->call->trace;
  for (uint32_t i = 0; i < trace->n; i++)
    if (trace->rows[i].id == id)
      trace->rows[i] = (smp_trace_row){.value = (double)value,
                                       .id = id,
                                       .found = 1,
                                       .kept = (uint32_t)(kept != 0),
                                       .by_rounding = (uint32_t)(by_rounding != 0)};
}

void smpi_trace_finish(engine_work *w) {
  const smp_trace *trace = w->call->trace;
  if (!trace || trace->compared == SMP_COMPARED_NOTHING) return;
  const double step = (double)spacing_of(w->size);
  for (uint32_t i = 0; i < trace->n; i++)
    if (trace->rows[i].found) trace->rows[i].ulps = (trace->rows[i].value - trace->threshold) / step;
}
