/* To be written. */
#include "impl.h"

smp_refusal smp_llama_run(smp_engine_work *w) {
  (void)w;
  return SMP_REFUSAL_VALUE;
}
