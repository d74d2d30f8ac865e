/* The experiment on a small row: logits, temperature, top-k and u, with every intermediate kept.
   Scores, weights and sums are pairs of doubles (exact.h), so a result is rounded about once. Weights are carried
   scaled up by 2^512: the smallest that counts, 2^-1076, then has room for a low part, and no step is subnormal. */
#include "exact.h"

static smp_status check_logits(const double *logits, uint32_t n, smp_where *where) {
  if (n == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_LOGITS, 0, where);
  if (n > SMP_LAB_MAX) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_LOGITS, 0, where);
  for (uint32_t i = 0; i < n; i++) {
    double z = logits[i];
    if (z != z) return smpi_fail(SMP_ERR_NAN, SMP_AT_LOGITS, i, where);
    if (z == SMP_INF || z == -SMP_INF) return smpi_fail(SMP_ERR_INF, SMP_AT_LOGITS, i, where);
    if (z > 0x1p1000 || z < -0x1p1000) return smpi_fail(SMP_ERR_PARAM, SMP_AT_LOGITS, i, where);
  }
  return SMP_OK;
}

static smp_status check_filter(uint32_t n, uint32_t k, smp_tie tie, smp_where *where) {
  if (k < 1 || k > n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_K, 0, where);
  if (tie != SMP_TIE_STRICT && tie != SMP_TIE_THRESHOLD) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TIE, 0, where);
  return SMP_OK;
}

/* Written so that NaN fails. */
static smp_status check_options(uint32_t n, const smp_lab_options *options, smp_where *where) {
  if (!(options->tau >= 0 && options->tau < SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TAU, 0, where);
  if (!(options->u >= 0 && options->u < 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  if (options->share != SMP_SHARE_RENORMALISED && options->share != SMP_SHARE_ZEROED)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_SHARE, 0, where);
  return check_filter(n, options->k, options->tie, where);
}

/* Top-k by rank: at most 64 logits, so counting is enough and needs no work area. */
static uint32_t keep(const double *logits, uint32_t n, uint32_t k, smp_tie tie, uint8_t *kept) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t before = 0;
    for (uint32_t j = 0; j < n; j++) {
      int equal_and_first = tie == SMP_TIE_STRICT && logits[j] == logits[i] && j < i;
      if (logits[j] > logits[i] || equal_and_first) before++;
    }
    kept[i] = before < k;
    n_kept += kept[i];
  }
  return n_kept;
}

static uint32_t top_of(const double *logits, uint32_t n) {
  uint32_t top = 0;
  for (uint32_t i = 1; i < n; i++)
    if (logits[i] > logits[top]) top = i;
  return top;
}

/* Score (z - max) / tau to its nearest double; returns e^score 2^512, from the score before that rounding. */
static pair weigh(double z, double max, double tau, double *score) {
  pair difference = two_sum(z, -max);
  *score = 0;
  if (difference.hi == 0) return (pair){0x1p512, 0};

  /* Mantissas in [1, 2), so the quotient of any two is in (1/2, 2); the exponents go separately. */
  int e_difference = exponent_of(difference.hi), e_tau = exponent_of(tau), e = e_difference - e_tau;
  pair numerator = {scale(difference.hi, -e_difference), scale(difference.lo, -e_difference)};
  pair quotient = pair_divide(numerator, (pair){scale(tau, -e_tau), 0});
  if (e > -1020)
    *score = scale(quotient.hi, e);
  else
    *score = shrink_512((pair){scale(quotient.hi, e + 512), scale(quotient.lo, e + 512)}) + 0.0;

  if (e > 10 || *score < -750) return (pair){0, 0}; /* e^-750 is below a quarter of the smallest double */
  int e_weight;
  pair m = smpi_exp_pair((pair){scale(quotient.hi, e), scale(quotient.lo, e)}, &e_weight);
  return (pair){scale(m.hi, e_weight + 512), scale(m.lo, e_weight + 512)};
}

/* Entropy in nats: ln(sum) + (sum of w |score|) / sum, where no term is negative. */
static double entropy_of(const smp_lab_result *r, const pair *weight, pair sum) {
  pair others = {0, 0}, expected = {0, 0}; /* scaled by 2^512 like the weights */
  for (uint32_t i = 0; i < r->n; i++) {
    if (i != r->top) others = pair_add(others, weight[i]);
    if (weight[i].hi > 0) expected = pair_add(expected, two_product(weight[i].hi, -r->score[i]));
  }
  pair mean = pair_divide(expected, sum);
  /* The largest weight is 1. Taking ln(1 + others) keeps what a sum near 1 would lose. */
  double ln_sum = smp_log1p(others.hi * 0x1p-512);
  return ln_sum + mean.hi * 0x1p-512;
}

/* The first candidate whose interval u is in; where rounding leaves u beyond all of them and they share 1, the last. */
static uint32_t choose(const smp_lab_result *r, double u, smp_share share) {
  uint32_t last = SMP_NONE;
  for (uint32_t i = 0; i < r->n; i++) {
    if (!(r->q[i] > 0)) continue;
    if (u < r->hi[i]) return i;
    last = i;
  }
  return share == SMP_SHARE_ZEROED ? SMP_NONE : last;
}

smp_status smp_lab_run(const double *logits, uint32_t n, const smp_lab_options *options, smp_lab_result *result,
                       smp_where *where) {
  smp_status status = check_logits(logits, n, where);
  if (status == SMP_OK) status = check_options(n, options, where);
  if (status) return status;

  smp_lab_result *r = result;
  *r = (smp_lab_result){.n = n, .top = top_of(logits, n)};
  if (options->tau == 0) {
    r->greedy = 1;
    r->id = r->top;
    return SMP_OK;
  }
  r->n_kept = keep(logits, n, options->k, options->tie, r->kept);

  /* Sums are not scaled up, so weight / sum is a share scaled up by 2^512. */
  pair weight[SMP_LAB_MAX], sum = {0, 0}, kept_sum = {0, 0}, removed_sum = {0, 0};
  for (uint32_t i = 0; i < n; i++) {
    weight[i] = weigh(logits[i], logits[r->top], options->tau, &r->score[i]);
    sum = pair_add(sum, weight[i]);
    if (r->kept[i])
      kept_sum = pair_add(kept_sum, weight[i]);
    else
      removed_sum = pair_add(removed_sum, weight[i]);
  }
  pair one_all = {sum.hi * 0x1p-512, sum.lo * 0x1p-512};
  pair one_kept = {kept_sum.hi * 0x1p-512, kept_sum.lo * 0x1p-512};
  pair whole = options->share == SMP_SHARE_ZEROED ? one_all : one_kept;

  pair before = {0, 0}, before_kept = {0, 0};
  double end = 0;
  for (uint32_t i = 0; i < n; i++) {
    r->weight[i] = shrink_512(weight[i]);
    r->p[i] = shrink_512(pair_divide(weight[i], one_all));
    r->start[i] = shrink_512(pair_divide(before, one_all));
    before = pair_add(before, weight[i]);
    if (!r->kept[i]) continue;

    r->q[i] = shrink_512(pair_divide(weight[i], whole));
    r->lo[i] = end;
    before_kept = pair_add(before_kept, weight[i]);
    if (r->q[i] > 0) end = shrink_512(pair_divide(before_kept, whole)); /* q = 0 leaves the interval empty */
    r->hi[i] = end;
  }
  r->weight_sum = one_all.hi;
  r->kept_mass = shrink_512(pair_divide(kept_sum, one_all));
  r->removed_mass = shrink_512(pair_divide(removed_sum, one_all));
  r->sum_q = end;
  r->entropy = entropy_of(r, weight, one_all);
  r->id = choose(r, options->u, options->share);
  return SMP_OK;
}

/* One row of the plane where scores are irrelevant: each kept candidate has 1 of `parts` equal shares of [0, 1). */
static void share_evenly(const uint8_t *kept, uint32_t n, double parts, double *edges) {
  double count = 0;
  for (uint32_t i = 0; i < n; i++) {
    count += kept[i];
    edges[i] = count / parts;
  }
}

smp_status smp_lab_map(const double *logits, uint32_t n, const smp_lab_options *options, const double *taus,
                       uint32_t n_taus, double *edges, smp_where *where) {
  smp_lab_options row = *options;
  smp_lab_result r;
  row.u = 0;
  row.tau = 1;
  smp_status status = smp_lab_run(logits, n, &row, &r, where);
  if (status) return status;
  for (uint32_t t = 0; t < n_taus; t++)
    if (!(taus[t] >= 0)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TAU, t, where);

  uint8_t greedy[SMP_LAB_MAX] = {0};
  greedy[r.top] = 1;
  double whole = options->share == SMP_SHARE_ZEROED ? n : r.n_kept;
  for (uint32_t t = 0; t < n_taus; t++, edges += n) {
    row.tau = taus[t];
    if (row.tau == 0)
      share_evenly(greedy, n, 1, edges);
    else if (row.tau == SMP_INF)
      share_evenly(r.kept, n, whole, edges);
    else {
      smp_lab_run(logits, n, &row, &r, NULL); /* every argument was checked above */
      for (uint32_t i = 0; i < n; i++) edges[i] = r.kept[i] ? r.hi[i] : i ? edges[i - 1] : 0;
    }
  }
  return SMP_OK;
}

/* |x| to the nearest multiple of the format's spacing there: adding 1.5 2^52 spacings leaves no bit below one. */
static double round_to(double x, int digits, int min_exponent, double largest) {
  if (x == 0 || x == SMP_INF || x == -SMP_INF) return x;
  double size = x < 0 ? -x : x;
  int e = exponent_of(x);
  double magic = scale(0x1.8p52, (e > min_exponent ? e : min_exponent) - (digits - 1));
  double rounded = e > 127 ? SMP_INF : (size + magic) - magic; /* no format reaches 2^128, and magic must be finite */
  if (rounded > largest) rounded = SMP_INF;
  return x < 0 ? -rounded : rounded;
}

smp_status smp_lab_round(const double *in, uint32_t n, smp_dtype dtype, double *out, smp_where *where) {
  for (uint32_t i = 0; i < n; i++)
    if (in[i] != in[i]) return smpi_fail(SMP_ERR_NAN, SMP_AT_LOGITS, i, where);
  switch (dtype) {
  case SMP_DTYPE_F64:
    for (uint32_t i = 0; i < n; i++) out[i] = in[i];
    return SMP_OK;
  case SMP_DTYPE_F32:
    for (uint32_t i = 0; i < n; i++) out[i] = round_to(in[i], 24, -126, 0x1.fffffep127);
    return SMP_OK;
  case SMP_DTYPE_F16:
    for (uint32_t i = 0; i < n; i++) out[i] = round_to(in[i], 11, -14, 0x1.ffcp15);
    return SMP_OK;
  case SMP_DTYPE_BF16:
    for (uint32_t i = 0; i < n; i++) out[i] = round_to(in[i], 8, -126, 0x1.fep127);
    return SMP_OK;
  }
  return smpi_fail(SMP_ERR_PARAM, SMP_AT_DTYPE, 0, where);
}
