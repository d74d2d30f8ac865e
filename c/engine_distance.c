/* What an engine left as a distribution, and how far two of these are apart. */
#include "engine.h"

smp_status smp_engine_probabilities(const uint32_t *ids, const float *weights, size_t n_kept, uint32_t *sorted,
                                    double *p, smp_where *where) {
  if (n_kept == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  double sum = 0;
  for (size_t j = 0; j < n_kept; j++) {
    if (!(weights[j] >= 0 && weights[j] <= FLT_MAX)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_ROW, (uint32_t)j, where);
    sum += (double)weights[j];
  }
  if (sum == 0) return smpi_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);
  for (size_t j = 0; j < n_kept; j++) sorted[j] = (uint32_t)j;
  for (size_t j = 1; j < n_kept; j++)
    if (ids[j] <= ids[j - 1]) {
      smpi_sort_places(ids, sorted, p, n_kept);
      break;
    }
  sum = 0;
  for (size_t j = 0; j < n_kept; j++) sum += p[j] = (double)weights[sorted[j]];
  for (size_t j = 0; j < n_kept; j++) {
    sorted[j] = ids[sorted[j]];
    p[j] /= sum;
  }
  return SMP_OK;
}

static smp_status check_ascending(const uint32_t *ids, size_t n, smp_where *where) {
  if (n == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  for (size_t j = 1; j < n; j++)
    if (ids[j] <= ids[j - 1]) return smpi_fail(SMP_ERR_PARAM, SMP_AT_KEPT, (uint32_t)j, where);
  return SMP_OK;
}

/* |p - q| of an id; the gap notes the largest. Inline also where size counts: it is called for every entry. */
static inline __attribute__((always_inline)) double difference(smp_engine_gap *g, double p, double q, uint32_t id) {
  const double found = p > q ? p - q : q - p;
  if (found > g->max_difference) g->max_difference = found, g->max_id = id;
  return found;
}

smp_status smp_engine_distance(const uint32_t *ids_p, const double *p, size_t n_p, const uint32_t *ids_q,
                               const double *q, size_t n_q, smp_engine_gap *gap, smp_where *where) {
  smp_status status = check_ascending(ids_p, n_p, where);
  if (status == SMP_OK) status = check_ascending(ids_q, n_q, where);
  if (status) return status;
  smp_engine_gap g = {.max_difference = -1};
  double sum = 0;
  for (size_t i = 0, j = 0; i < n_p || j < n_q;) {
    for (; i < n_p && j < n_q && ids_p[i] == ids_q[j]; i++, j++) sum += difference(&g, p[i], q[j], ids_p[i]);
    if (i < n_p && (j == n_q || ids_p[i] < ids_q[j])) {
      sum += difference(&g, p[i], 0, ids_p[i]);
      g.only_p += p[i++], g.n_only_p++;
    } else if (j < n_q) {
      sum += difference(&g, 0, q[j], ids_q[j]);
      g.only_q += q[j++], g.n_only_q++;
    }
  }
  g.total_variation = sum / 2;
  *gap = g;
  return SMP_OK;
}
