/* The experiment against the 300 cases of softmax64.json. */
#include "smp.h"
#include "test.h"
#include "vectors.h"

static int near(double a, double b, double bound) {
  return a - b <= bound && b - a <= bound;
}

static void one_case(const struct lab_case *c) {
  smp_lab_options options = {.tau = c->tau, .u = c->u[0], .k = c->k};
  smp_lab_result r;
  smp_status status = smp_lab_run(c->logits, c->n, &options, &r, NULL);
  expect(status == SMP_OK, "status %d", status);
  if (status) return;

  double sum = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    expect(near(r.p[i], c->p[i], 2 * ulp_of(c->p[i])), "p[%u] = %a, want %a", i, r.p[i], c->p[i]);
    sum += r.p[i];
  }
  expect(near(sum, 1, 1e-15), "p sums to %.17g", sum);

  uint32_t at = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    int want = at < c->n_kept && c->kept[at] == i;
    expect(r.kept[i] == want, "kept[%u] = %d", i, r.kept[i]);
    if (!want) {
      expect(r.q[i] == 0 && r.lo[i] == 0 && r.hi[i] == 0, "removed candidate %u has a share", i);
      continue;
    }
    expect(near(r.q[i], c->q[at], 2 * ulp_of(c->q[at])), "q[%u] = %a, want %a", i, r.q[i], c->q[at]);
    expect(near(r.lo[i], c->lo[at], 1e-15), "lo[%u] = %a, want %a", i, r.lo[i], c->lo[at]);
    expect(near(r.hi[i], c->hi[at], 1e-15), "hi[%u] = %a, want %a", i, r.hi[i], c->hi[at]);
    at++;
  }
  expect(r.n_kept == c->n_kept, "n_kept = %u, want %u", r.n_kept, c->n_kept);
  expect(r.sum_q == 1 && r.hi[c->kept[c->n_kept - 1]] == 1, "the last interval ends at %.17g", r.sum_q);
  /* The file's entropy is -sum p ln p in 60 digits: where p of the top is 1 - 1e-50, ln p has lost all
     but 10 of them. */
  double entropy_bound = 1e-14 * c->entropy + 1e-60;
  expect(near(r.entropy, c->entropy, entropy_bound), "entropy %.17g, want %.17g", r.entropy, c->entropy);

  for (uint32_t j = 0; j < c->n_picks; j++) {
    options.u = c->u[j];
    smp_lab_run(c->logits, c->n, &options, &r, NULL);
    expect(r.id == c->id[j], "u %a chooses %u, want %u", c->u[j], r.id, c->id[j]);
  }
}

void test_lab_vectors(void) {
  for (size_t i = 0; i < sizeof LAB_CASES / sizeof LAB_CASES[0]; i++) {
    begin_case("softmax64.json case %zu", i);
    one_case(&LAB_CASES[i]);
  }
}
