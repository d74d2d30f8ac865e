/* Texts of the codes in codes.def, and the one place that reports a failed call. */
#include "exact.h"

const char *smp_status_text(smp_status status) {
  switch (status) {
#define SMP_STATUS(name, value, text)                                                                                  \
  case SMP_##name:                                                                                                     \
    return text;
#include "codes.def"
  }
  return "unknown status";
}

const char *smp_param_text(smp_param param) {
  switch (param) {
#define SMP_PARAM(name, value, text, allowed)                                                                          \
  case SMP_##name:                                                                                                     \
    return text;
#include "codes.def"
  }
  return "";
}

const char *smp_param_allowed(smp_param param) {
  switch (param) {
#define SMP_PARAM(name, value, text, allowed)                                                                          \
  case SMP_##name:                                                                                                     \
    return allowed;
#include "codes.def"
  }
  return "";
}

smp_status smpi_fail(smp_status status, smp_param param, uint32_t index, smp_where *where) {
  if (where) *where = (smp_where){param, index};
  return status;
}
