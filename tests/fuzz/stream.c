/* Streams, fits and curves: an error writes nothing, a run is the same however it is cut, the ids are those of
   smp_engine_draw, no id of weight 0 comes, and what is counted fits. */
#include "engine.h"
#include "fuzz.h"

enum { MOST = 40, DRAWS = 60 };

static uint32_t draw(smp_stream s, uint32_t *ids, uint32_t draws, uint32_t cut, double *work, smp_rng *rng) {
  smp_rng own = *rng;
  double us[DRAWS];
  s.rng = &own;
  const smp_status status = smp_stream_draw(&s, ids, us, cut, work, NULL);
  if (status) {
    must(memcmp(&own, rng, sizeof own) == 0 && s.done == 0, "status %d, and it moved on", status);
    return (uint32_t)-status;
  }
  must(smp_stream_draw(&s, ids + cut, us + cut, draws - cut, work, NULL) == SMP_OK, "the second part");
  for (uint32_t i = 0; i < draws; i++) must(us[i] >= 0 && us[i] < 1, "u is %g", us[i]);
  *rng = own;
  return 0;
}

static void check_draws(struct bytes *b) {
  const uint32_t n = 1 + below(b, MOST), draws = 1 + below(b, DRAWS), cut = below(b, draws + 1);
  uint32_t n_kept = 0, ids[MOST], drawn[DRAWS], again[DRAWS], plain[DRAWS], counts[MOST] = {0};
  float weights[MOST];
  double work[2 * MOST], p[MOST] = {0}, edges[MOST], total = 0;
  for (uint32_t i = 0; i < n; i++)
    if (below(b, 4)) ids[n_kept++] = i;
  for (uint32_t j = 0; j < n_kept; j++) {
    weights[j] = take_float(b);
    if (below(b, 8)) weights[j] = weights[j] < 0 ? -weights[j] : weights[j];
  }
  if (n_kept && below(b, 32) == 0) ids[below(b, n_kept)] = below(b, MOST + 2);
  smp_stream s = {.ids = ids, .weights = weights, .n_kept = n_kept, .n = n, .draws = draws};
  s.drawing = (smp_drawing)below(b, SMP_DRAWING_INVERSE + 2);
  smp_rng rng, other, third;
  if (smp_rng_seed(&rng, (smp_generator)below(b, SMP_GENERATOR_NONE), take(b, 3), 0, NULL)) return;
  if (below(b, 4) == 0) {
    memset(rng.state, (int)below(b, 256), sizeof rng.state);
    rng.at = below(b, 700);
  }
  other = third = rng;
  if (draw(s, drawn, draws, cut, work, &rng)) return;
  must(draw(s, again, draws, 0, work, &other) == 0, "refused the second time");
  must(memcmp(drawn, again, draws * sizeof *drawn) == 0 && memcmp(&rng, &other, sizeof rng) == 0, "cut at %u", cut);
  must(smp_engine_draw(s.drawing, ids, weights, n_kept, n, &third, plain, draws, NULL) == SMP_OK, "smp_engine_draw");
  for (uint32_t i = 0; i < draws; i++)
    must(drawn[i] == plain[i], "drawing %d: draw %u is %u, of smp_engine_draw %u", (int)s.drawing, i, drawn[i],
         plain[i]);
  must(rng.words == third.words, "%g words, %g of smp_engine_draw", rng.words, third.words);
  s.rng = &third;
  must(smp_stream_edges(&s, edges, NULL) == SMP_OK, "edges");
  for (uint32_t j = 0; j < n_kept; j++) {
    must(edges[j] >= (j ? edges[j - 1] : 0) && edges[j] <= 1, "edge %u is %g", j, edges[j]);
    total += (double)weights[j];
  }
  for (uint32_t j = 0; j < n_kept; j++) p[ids[j]] += (double)weights[j] / total;
  for (uint32_t i = 0; i < draws; i++) {
    must(drawn[i] < n && (p[drawn[i]] > 0 || s.drawing == SMP_DRAWING_GREEDY), "id %u has no weight", drawn[i]);
    counts[drawn[i]]++;
  }
  smp_fit fit;
  double z[MOST];
  if (smp_stats_fit(counts, p, n, z, &fit, NULL)) return; /* doubled ids, or a sum that is not 1 */
  must(fit.chi_square >= 0 && fit.p_value >= 0 && fit.p_value <= 1 && fit.draws == draws, "p-value %g", fit.p_value);
  for (uint32_t i = 0; i < n; i++) must(z[i] == z[i], "z is no number");
}

static void check_curves(struct bytes *b) {
  double logits[MOST], taus[4], p[4 * MOST];
  smp_curve curves[4];
  const uint32_t n = 1 + below(b, MOST), first = below(b, n), second = below(b, n);
  for (uint32_t i = 0; i < n; i++) logits[i] = take_double(b);
  for (int t = 0; t < 4; t++) taus[t] = below(b, 8) ? take_double(b) : INFINITY;
  memset(p, 0xa5, sizeof p);
  if (smp_curve_run(logits, n, taus, 4, first, second, p, curves, NULL)) {
    must(filled_with(p, sizeof p, 0xa5), "refused, and it wrote");
    return;
  }
  for (int t = 0; t < 4; t++) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += p[(uint32_t)t * n + i];
    must(sum > 1 - 1e-12 && sum < 1 + 1e-12, "the sum is %.17g", sum);
    must(curves[t].entropy >= 0 && curves[t].entropy <= smp_log(n) * (1 + 1e-15) + 1e-300, "entropy %.17g of %u",
         curves[t].entropy, n);
    must(curves[t].ratio >= 0, "ratio %g", curves[t].ratio);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes b = {data, size};
  if (below(&b, 4))
    check_draws(&b);
  else
    check_curves(&b);
  return 0;
}
