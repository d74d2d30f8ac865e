/* The experiment: any logits, any options. */
#include "fuzz.h"
#include "smp.h"

static void check_result(const smp_lab_result *r, const smp_lab_options *o, uint32_t n) {
  must(r->n == n && r->top < n, "n %u, top %u", r->n, r->top);
  if (r->greedy) {
    must(o->tau == 0 && r->id == r->top, "greedy id %u", r->id);
    return;
  }
  double sum = 0, hi = 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    must(r->p[i] >= 0 && r->p[i] <= 1 && r->q[i] >= 0 && r->q[i] <= 1, "p[%u] %g, q %g", i, r->p[i], r->q[i]);
    must(r->score[i] <= 0 && r->weight[i] >= 0 && r->weight[i] <= 1, "score[%u] %g", i, r->score[i]);
    sum += r->q[i];
    kept += r->kept[i];
    if (!r->kept[i]) continue;
    must(r->lo[i] == hi && r->hi[i] >= r->lo[i], "interval %u from %a after %a", i, r->lo[i], hi);
    hi = r->hi[i];
  }
  must(hi == r->sum_q && sum - r->sum_q < 1e-14 && r->sum_q - sum < 1e-14, "sums %a %a %a", hi, sum, r->sum_q);
  must(kept >= 1 && kept == r->n_kept && r->kept[r->top], "%u kept", kept);
  must(r->id == SMP_NONE ? o->share == SMP_SHARE_ZEROED && o->u >= hi : r->kept[r->id] && r->q[r->id] > 0, "id %u",
       r->id);
  must(r->entropy >= -1e-15 && r->entropy < 5, "entropy %g", r->entropy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes b = {data, size};
  const uint32_t n = below(&b, SMP_LAB_MAX + 3);
  smp_lab_options o = {.tau = take_double(&b),
                       .u = take_double(&b) / 2,
                       .k = below(&b, 70),
                       .tie = (smp_tie)below(&b, 4),
                       .share = (smp_share)below(&b, 3)};
  double *logits = area(n * sizeof *logits, 0), taus[3] = {o.tau, take_double(&b), INFINITY};
  for (uint32_t i = 0; i < n; i++) logits[i] = below(&b, 8) ? (double)take_float(&b) : take_double(&b);
  smp_lab_result *r = area(sizeof *r, 0xa5);
  smp_where where;
  const smp_status status = smp_lab_run(logits, n, &o, r, &where);
  must(status == SMP_OK || filled_with(r, sizeof *r, 0xa5), "status %d, and something was written", status);
  if (status == SMP_OK) check_result(r, &o, n);

  double *edges = area(3 * n * sizeof *edges, 0xa5);
  const smp_status map = smp_lab_map(logits, n, &o, taus, 3, edges, &where);
  must(map == SMP_OK || filled_with(edges, 3 * n * sizeof *edges, 0xa5), "map wrote, status %d", map);
  for (uint32_t i = 0; map == SMP_OK && i < 3 * n; i++)
    must(edges[i] >= (i % n ? edges[i - 1] : 0) && edges[i] <= 1, "edge %u is %a", i, edges[i]);

  double *rounded = area(n * sizeof *rounded, 0xa5);
  const smp_status round = smp_lab_round(logits, n, (smp_dtype)below(&b, 5), rounded, &where);
  must(round == SMP_OK || filled_with(rounded, n * sizeof *rounded, 0xa5), "round wrote, status %d", round);
  free(logits);
  free(r);
  free(edges);
  free(rounded);
  return 0;
}
