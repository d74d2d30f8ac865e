/* The experiment: any logits, any options, any filters, and these again by the plain reference. */
#include "fuzz.h"
#include "smp.h"
#include "reference.h"

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

static smp_step take_filter(struct bytes *b) {
  static const smp_step_kind kinds[] = {SMP_STEP_TOP_K, SMP_STEP_TOP_P, SMP_STEP_MIN_P};
  smp_step s = {.kind = below(b, 64) ? kinds[below(b, 3)] : (smp_step_kind)below(b, 16),
                .count = below(b, 16) ? 1 + below(b, 8) : below(b, 70),
                .value = below(b, 16) ? (double)below(b, 65) / 64 : take_double(b)};
  if (s.kind == SMP_STEP_TOP_K) s.tie = below(b, 32) ? (smp_tie)below(b, 2) : (smp_tie)below(b, 5);
  if (s.kind == SMP_STEP_TOP_P) s.tie = below(b, 32) ? 3 * (smp_tie)below(b, 2) : (smp_tie)below(b, 5);
  return s;
}

/* Each filter sees what the one before it left, decides by the numbers of its record, and leaves the largest. */
static void check_steps(const smp_lab_result *r, const smp_lab_options *o, uint32_t n) {
  uint8_t left[SMP_LAB_MAX];
  memset(left, 1, sizeof left);
  for (uint32_t f = 0; f < o->n_filters; f++) {
    const smp_step *filter = &o->filters[f];
    const smp_lab_step *s = &o->steps[f];
    double sum_p = 0, sum_q = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
      must((s->rank[i] > 0) == left[i], "filter %u: rank of %u is %u", f, i, s->rank[i]);
      must(left[i] ? s->p[i] >= 0 && s->p[i] <= 1 : s->p[i] == 0 && s->value[i] == 0 && !s->kept[i],
           "filter %u: p[%u] %g", f, i, s->p[i]);
      if (left[i] && filter->kind == SMP_STEP_MIN_P)
        must(s->kept[i] == (s->value[i] >= s->threshold), "filter %u: min-p keeps %u: %u", f, i, s->kept[i]);
      if (left[i] && filter->kind == SMP_STEP_TOP_P && s->rank[i] > 1 && s->threshold < 1)
        must(s->kept[i] ==
                 (s->value[i] < s->threshold || (s->value[i] == s->threshold && filter->tie == SMP_TIE_INCLUSIVE)),
             "filter %u: top-p keeps %u: %u", f, i, s->kept[i]);
      if (left[i] && filter->kind == SMP_STEP_TOP_K && s->rank[i] <= filter->count)
        must(s->kept[i], "top-k lost %u", i);
      must(left[i] || r->removed_by[i] <= f, "%u was removed by %u", i, r->removed_by[i]);
      if (left[i] && !s->kept[i]) must(r->removed_by[i] == f + 1, "%u was removed by %u", i, r->removed_by[i]);
      sum_p += s->p[i];
      sum_q += s->q[i];
      kept += left[i] = s->kept[i];
    }
    must(kept == s->n_kept && kept >= 1 && s->kept[r->top], "filter %u keeps %u", f, kept);
    must(sum_p > 1 - 1e-14 && sum_p < 1 + 1e-14 && sum_q > 1 - 1e-14 && sum_q < 1 + 1e-14, "sums %a, %a", sum_p, sum_q);
    must(s->kept_mass + s->removed_mass > 1 - 1e-15 && s->mass_after <= s->mass_before, "masses of filter %u", f);
  }
  must(memcmp(left, r->kept, n) == 0, "the result keeps another set than its last filter");
}

/* The sets that the plain reference keeps, up to the first filter whose threshold lies so near a number that sums of
   plain doubles might say otherwise; of logits whose scores plain doubles tell apart. */
static void check_plainly(const double *logits, const smp_lab_result *r, const smp_lab_options *o, uint32_t n) {
  double x[SMP_LAB_MAX], p[SMP_LAB_MAX], key[SMP_LAB_MAX];
  uint32_t order[SMP_LAB_MAX];
  reference plain = {.x = x, .p = p, .key = key, .order = order, .n = n};
  memcpy(x, r->score, sizeof x);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      if (x[i] < -700 || (logits[i] > logits[j] && x[i] - x[j] < 1e-9)) return;
  for (uint32_t f = 0; f < o->n_filters; f++) {
    const smp_lab_step *s = &o->steps[f];
    for (uint32_t i = 0; i < n && o->filters[f].kind != SMP_STEP_TOP_K; i++)
      if (s->rank[i] > 1 && s->value[i] - s->threshold < 1e-12 && s->threshold - s->value[i] < 1e-12) return;
    smpi_reference_softmax(&plain);
    smpi_reference_filter(&plain, &o->filters[f]);
    for (uint32_t i = 0; i < n; i++)
      must(s->kept[i] == (x[i] > -INFINITY), "filter %u: kept[%u] is %u, not in the reference", f, i, s->kept[i]);
  }
}

static void check_filters(struct bytes *b, const double *logits, uint32_t n, smp_lab_options o) {
  smp_step filters[SMP_LAB_FILTERS + 1];
  o.k = below(b, 64) ? 0 : o.k;
  o.n_filters = below(b, 32) ? below(b, 5) : below(b, SMP_LAB_FILTERS + 2);
  for (uint32_t f = 0; f < o.n_filters; f++) filters[f] = take_filter(b);
  const size_t bytes = o.n_filters * sizeof *o.steps;
  o.filters = filters;
  o.steps = area(bytes, 0xa5);
  smp_lab_result *r = area(sizeof *r, 0xa5);
  smp_where where;
  const smp_status status = smp_lab_run(logits, n, &o, r, &where);
  must(status == SMP_OK || (filled_with(r, sizeof *r, 0xa5) && filled_with(o.steps, bytes, 0xa5)), "%d wrote", status);
  if (status == SMP_OK) check_result(r, &o, n);
  if (status == SMP_OK && !r->greedy) {
    check_steps(r, &o, n);
    check_plainly(logits, r, &o, n);
  }
  free(o.steps);
  free(r);
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
  check_filters(&b, logits, n, o);
  free(logits);
  free(r);
  free(edges);
  free(rounded);
  return 0;
}
