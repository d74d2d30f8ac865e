/* The filters of the experiment: against filters.json, by the plain reference, as the chain runs them, and refused. */
#include <math.h> /* only for INFINITY and NAN */

#include "reference.h"
#include "test.h"
#include "vectors.h"

static int near(double a, double b, double bound) {
  return a - b <= bound && b - a <= bound;
}

static int within_2_ulp(double a, double b) {
  return near(a, b, 2 * ulp_of(b));
}

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

static void check_step(const smp_lab_step *s, const struct filter_step *want, uint32_t n, uint32_t f) {
  const double mass[] = {s->mass_before, s->mass_after, s->kept_mass, s->removed_mass};
  uint32_t n_ranked = 0, at = 0;
  for (uint32_t i = 0; i < n; i++) n_ranked += s->rank[i] > 0;
  expect(n_ranked == want->n_found && s->n_kept == want->n_kept, "filter %u found %u, kept %u", f, n_ranked, s->n_kept);
  expect(s->meets == want->meets, "filter %u: meets %u", f, s->meets);
  expect(within_2_ulp(s->threshold, want->threshold), "filter %u: threshold %a, want %a", f, s->threshold,
         want->threshold);
  for (int j = 0; j < 4; j++)
    expect(within_2_ulp(mass[j], want->mass[j]), "filter %u: mass %d is %a, want %a", f, j, mass[j], want->mass[j]);
  for (uint32_t j = 0; j < want->n_found; j++) {
    const uint32_t id = want->found[j];
    expect(s->rank[id] == j + 1, "filter %u: rank of %u is %u", f, id, s->rank[id]);
    expect(within_2_ulp(s->p[id], want->p[j]), "filter %u: p[%u] %a, want %a", f, id, s->p[id], want->p[j]);
    expect(within_2_ulp(s->value[id], want->value[j]), "filter %u: value[%u] %a, want %a", f, id, s->value[id],
           want->value[j]);
  }
  for (uint32_t i = 0; i < n; i++) {
    const int kept = at < want->n_kept && want->kept[at] == i;
    expect(s->kept[i] == kept, "filter %u: kept[%u] is %u", f, i, s->kept[i]);
    expect(kept ? within_2_ulp(s->q[i], want->q[at]) : s->q[i] == 0, "filter %u: q[%u] is %a", f, i, s->q[i]);
    if (!s->rank[i]) expect(s->p[i] == 0 && s->value[i] == 0, "filter %u sees %u again", f, i);
    at += (uint32_t)kept;
  }
}

static void run_case(const struct filter_case *c) {
  smp_lab_step steps[SMP_LAB_FILTERS + 1];
  smp_lab_options options = {
      .tau = c->tau, .filters = c->filters, .n_filters = c->n_filters, .steps = steps, .u = c->u[0]};
  smp_lab_result r, without;
  if (!c->filters) options.filters = (const smp_step[]){{.value = NAN}}; /* none of it is read */
  poison(steps, sizeof steps);
  const smp_status status = smp_lab_run(c->logits, c->n, &options, &r, NULL);
  expect(status == SMP_OK, "status %d", status);
  if (status) return;
  expect(is_poison(&steps[c->n_filters], sizeof steps[0]), "a record too many was written");
  for (uint32_t f = 0; f < c->n_filters; f++) check_step(&steps[f], &c->steps[f], c->n, f);

  uint32_t at = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const int kept = at < c->n_kept && c->kept[at] == i;
    expect(r.kept[i] == kept && r.removed_by[i] == c->removed_by[i], "%u was removed by %u", i, r.removed_by[i]);
    if (!kept) continue;
    expect(within_2_ulp(r.q[i], c->q[at]), "q[%u] is %a, want %a", i, r.q[i], c->q[at]);
    expect(near(r.lo[i], c->lo[at], 1e-15) && near(r.hi[i], c->hi[at], 1e-15), "[%a, %a)", r.lo[i], r.hi[i]);
    at++;
  }
  expect(r.n_kept == c->n_kept && r.sum_q == 1, "%u kept, sum %a", r.n_kept, r.sum_q);
  for (uint32_t j = 0; j < c->n_picks; j++) {
    options.u = c->u[j];
    smp_lab_run(c->logits, c->n, &options, &r, NULL);
    expect(r.id == c->chosen[j], "u %a chooses %u", c->u[j], r.id);
  }
  options.steps = NULL;
  smp_lab_run(c->logits, c->n, &options, &without, NULL);
  expect(memcmp(&r, &without, sizeof r) == 0, "without records it is another result");
}

/* ---- Other ways to the same ---------------------------------------------------------------------------------------- */

static int same_kept(const uint8_t *kept, const double *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (kept[i] != (x[i] > -INFINITY)) return 0;
  return 1;
}

/* Whether no number lies so near the threshold that sums of plain doubles could say otherwise. */
static int is_decided(const smp_lab_step *s, const smp_step *filter, uint32_t n) {
  for (uint32_t i = 0; i < n && filter->kind != SMP_STEP_TOP_K; i++)
    if (s->rank[i] > 1 && near(s->value[i], s->threshold, 1e-13)) return 0;
  return 1;
}

static void by_reference(const double *logits, uint32_t n, double tau, const smp_step *filters, uint32_t n_filters) {
  double x[SMP_LAB_MAX], p[SMP_LAB_MAX], key[SMP_LAB_MAX];
  uint32_t order[SMP_LAB_MAX];
  reference plain = {.x = x, .p = p, .key = key, .order = order, .n = n};
  smp_lab_step steps[SMP_LAB_FILTERS];
  smp_lab_result r;
  const smp_lab_options options = {.tau = tau, .filters = filters, .n_filters = n_filters, .steps = steps};
  expect(smp_lab_run(logits, n, &options, &r, NULL) == SMP_OK, "status");
  for (uint32_t i = 0; i < n; i++) x[i] = r.score[i];
  for (uint32_t f = 0; f < n_filters; f++) {
    if (!is_decided(&steps[f], &filters[f], n)) return;
    smpi_reference_softmax(&plain);
    smpi_reference_filter(&plain, &filters[f]);
    expect(same_kept(steps[f].kept, x, n), "filter %u keeps another set than the reference", f);
  }
}

static void test_random(void) {
  static const smp_tie ties[] = {SMP_TIE_STRICT, SMP_TIE_THRESHOLD, SMP_TIE_STRICT, SMP_TIE_INCLUSIVE};
  uint64_t state = 1618;
  begin_case("20000 random rows and lists of filters, by the plain reference");
  for (int run = 0; run < 20000; run++) {
    double logits[SMP_LAB_MAX];
    smp_step filters[SMP_LAB_FILTERS] = {{.value = 0}};
    const uint32_t n = 1 + random_word(&state) % SMP_LAB_MAX, n_filters = random_word(&state) % 4;
    const int coarse = random_word(&state) % 2;
    for (uint32_t i = 0; i < n; i++) {
      const double x = random_word(&state) * 0x1p-29 - 4;
      logits[i] = coarse ? (double)(int)x : x;
    }
    for (uint32_t f = 0; f < n_filters; f++) {
      const uint32_t which = random_word(&state) % 3;
      filters[f].kind = which == 0 ? SMP_STEP_TOP_K : which == 1 ? SMP_STEP_TOP_P : SMP_STEP_MIN_P;
      filters[f].count = 1 + random_word(&state) % n;
      filters[f].value = random_word(&state) * 0x1p-32;
      if (which < 2) filters[f].tie = ties[2 * which + random_word(&state) % 2];
    }
    by_reference(logits, n, 0.25 + random_word(&state) * 0x1p-31, filters, n_filters);
  }
}

static void test_short(void) {
  const double logits[] = {3, 2, 2, 0};
  begin_case("k is short for a list of one top-k, to the last bit");
  for (uint32_t k = 1; k <= 4; k++)
    for (int tie = SMP_TIE_STRICT; tie <= SMP_TIE_THRESHOLD; tie++) {
      smp_lab_step step, of_list;
      smp_lab_result r, listed;
      const smp_step filter = {.kind = SMP_STEP_TOP_K, .count = k, .tie = (smp_tie)tie};
      smp_lab_options options = {.tau = 0.7, .u = 0.6, .k = k, .tie = (smp_tie)tie, .steps = &step};
      poison(&step, sizeof step);
      expect(smp_lab_run(logits, 4, &options, &r, NULL) == SMP_OK, "status");
      options.k = 0;
      options.filters = &filter;
      options.n_filters = 1;
      options.steps = &of_list;
      poison(&of_list, sizeof of_list);
      expect(smp_lab_run(logits, 4, &options, &listed, NULL) == SMP_OK, "status");
      expect(memcmp(&r, &listed, sizeof r) == 0 && memcmp(&step, &of_list, sizeof step) == 0, "k %u, tie %d", k, tie);
    }
}

/* ---- Limits -------------------------------------------------------------------------------------------------------- */

static void test_greedy(void) {
  const double logits[] = {1, 1, 0};
  const smp_step filters[] = {{.kind = SMP_STEP_TOP_P, .value = 0.5}, {.kind = SMP_STEP_MIN_P, .value = 0.1}};
  const smp_lab_step zero = {.n_kept = 0};
  smp_lab_step steps[2];
  smp_lab_result r;
  const smp_lab_options options = {.tau = 0, .filters = filters, .n_filters = 2, .steps = steps};
  begin_case("tau 0 leaves the records zero");
  poison(steps, sizeof steps);
  expect(smp_lab_run(logits, 3, &options, &r, NULL) == SMP_OK && r.greedy && r.id == 0 && r.n_kept == 0, "id %u", r.id);
  for (int f = 0; f < 2; f++) expect(memcmp(&steps[f], &zero, sizeof zero) == 0, "record %d is not zero", f);
}

static void test_filtered_plane(void) {
  const double logits[] = {0, 1, 2, 3}, taus[] = {0, 0.8, INFINITY};
  const smp_step filter = {.kind = SMP_STEP_TOP_P, .value = 0.6};
  smp_lab_step step;
  const smp_lab_options options = {.filters = &filter, .n_filters = 1, .steps = &step};
  double edges[12];
  begin_case("the plane with top-p: one candidate at tau 0.8, three of four in the limit");
  poison(&step, sizeof step);
  expect(smp_lab_map(logits, 4, &options, taus, 3, edges, NULL) == SMP_OK, "status");
  const double want[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1.0 / 3, 2.0 / 3, 1};
  for (int i = 0; i < 12; i++) expect(near(edges[i], want[i], 1e-15), "edge %d is %.17g", i, edges[i]);
  expect(is_poison(&step, sizeof step), "the plane wrote a record");
}

static void test_zeroed(void) {
  const double logits[] = {0, 1, 2, 3};
  const smp_step filters[] = {{.kind = SMP_STEP_TOP_K, .count = 3}, {.kind = SMP_STEP_TOP_P, .value = 0.9}};
  smp_lab_step right[2], wrong[2];
  smp_lab_result r;
  smp_lab_options options = {.tau = 0.8, .u = 0.93, .filters = filters, .n_filters = 2, .steps = right};
  begin_case("the mistake leaves out the last step only: filters see the same");
  smp_lab_run(logits, 4, &options, &r, NULL);
  options.share = SMP_SHARE_ZEROED;
  options.steps = wrong;
  smp_lab_run(logits, 4, &options, &r, NULL);
  expect(memcmp(right, wrong, sizeof right) == 0, "the records differ");
  expect(r.id == SMP_NONE && r.q[3] == r.p[3] && r.sum_q == right[1].mass_after, "id %u, sum %a", r.id, r.sum_q);
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------- */

static void refuse(const char *name, uint32_t k, const smp_step *filters, uint32_t n, smp_status want, smp_param param,
                   uint32_t index) {
  const double logits[] = {0, 1, 2, 3};
  for (int greedy = 0; greedy < 2; greedy++) {
    smp_lab_step steps[SMP_LAB_FILTERS + 1];
    smp_lab_result r;
    smp_where where;
    const smp_lab_options options = {
        .tau = greedy ? 0 : 0.8, .u = 0.5, .k = k, .filters = filters, .n_filters = n, .steps = steps};
    begin_case("refused: %s%s", name, greedy ? ", greedy" : "");
    poison(&r, sizeof r);
    poison(steps, sizeof steps);
    poison(&where, sizeof where);
    const smp_status status = smp_lab_run(logits, 4, &options, &r, &where);
    expect(status == want, "status %d, want %d", status, want);
    expect(where.param == param && where.index == index, "at %d, %u", where.param, where.index);
    expect(is_poison(&r, sizeof r) && is_poison(steps, sizeof steps), "something was written");
  }
}

static void test_refusals(void) {
  const smp_step good = {.kind = SMP_STEP_TOP_P, .value = 0.5};
  smp_step many[SMP_LAB_FILTERS + 1];
  for (uint32_t i = 0; i <= SMP_LAB_FILTERS; i++) many[i] = good;
  refuse("k beside filters", 2, &good, 1, SMP_ERR_PARAM, SMP_AT_FILTERS, 0);
  refuse("nine filters", 0, many, SMP_LAB_FILTERS + 1, SMP_ERR_LENGTH, SMP_AT_FILTERS, 0);
  static const struct {
    const char *name;
    smp_step filter;
    smp_param at;
  } bad[] = {
      {"a temperature", {.kind = SMP_STEP_TEMPERATURE, .value = 1}, SMP_AT_FILTERS},
      {"an unknown kind", {.kind = (smp_step_kind)99}, SMP_AT_FILTERS},
      {"top-k 0", {.kind = SMP_STEP_TOP_K, .count = 0}, SMP_AT_K},
      {"top-k 5 of 4", {.kind = SMP_STEP_TOP_K, .count = 5}, SMP_AT_K},
      {"top-k, inclusive", {.kind = SMP_STEP_TOP_K, .count = 1, .tie = SMP_TIE_INCLUSIVE}, SMP_AT_TIE},
      {"top-p -0.1", {.kind = SMP_STEP_TOP_P, .value = -0.1}, SMP_AT_TOP_P},
      {"top-p 1.1", {.kind = SMP_STEP_TOP_P, .value = 1.1}, SMP_AT_TOP_P},
      {"top-p NaN", {.kind = SMP_STEP_TOP_P, .value = NAN}, SMP_AT_TOP_P},
      {"top-p, threshold", {.kind = SMP_STEP_TOP_P, .value = 0.5, .tie = SMP_TIE_THRESHOLD}, SMP_AT_TIE_P},
      {"min-p -0.1", {.kind = SMP_STEP_MIN_P, .value = -0.1}, SMP_AT_MIN_P},
      {"min-p 1.1", {.kind = SMP_STEP_MIN_P, .value = 1.1}, SMP_AT_MIN_P},
      {"min-p NaN", {.kind = SMP_STEP_MIN_P, .value = NAN}, SMP_AT_MIN_P},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const smp_step filters[] = {good, bad[i].filter};
    refuse(bad[i].name, 0, filters, 2, SMP_ERR_PARAM, bad[i].at, 1);
  }
}

void test_lab_filters(void) {
  for (size_t i = 0; i < sizeof FILTER_CASES / sizeof FILTER_CASES[0]; i++) {
    begin_case("filters.json, %s", FILTER_CASES[i].id);
    run_case(&FILTER_CASES[i]);
  }
  test_random();
  test_short();
  test_greedy();
  test_filtered_plane();
  test_zeroed();
  test_refusals();
}
