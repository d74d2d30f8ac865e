/* The experiment on a small row: logits, temperature, filters (lab_filter.c) and u, with every intermediate kept.
   Scores, weights and sums are pairs of doubles (exact.h), so a result is rounded about once. Weights are carried
   scaled up by 2^512: the smallest that counts, 2^-1076, then has room for a low part, and no step is subnormal. */
#include "lab.h"

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

/* Written so that NaN fails. */
static smp_status check_options(uint32_t n, const smp_lab_options *options, smp_where *where) {
  if (!(options->tau >= 0 && options->tau < SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TAU, 0, where);
  if (!(options->u >= 0 && options->u < 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_U, 0, where);
  if (options->share != SMP_SHARE_RENORMALISED && options->share != SMP_SHARE_ZEROED)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_SHARE, 0, where);
  return smpi_lab_check_filters(n, options, where);
}

static uint32_t top_of(const double *logits, uint32_t n) {
  uint32_t top = 0;
  for (uint32_t i = 1; i < n; i++)
    if (logits[i] > logits[top]) top = i;
  return top;
}

/* Score (z - max) / tau to its nearest double; returns e^score 2^512, from the score before that rounding. tau may be
   infinite. */
static pair weigh(double z, double max, double tau, double *score) {
  pair difference = two_sum(z, -max);
  *score = 0;
  if (difference.hi == 0 || tau == SMP_INF) return (pair){0x1p512, 0};

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
  pair mean = pair_divide(expected, (pair){sum.hi * 0x1p-512, sum.lo * 0x1p-512});
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

/* The experiment on checked arguments; tau may be infinite. */
static void run(const double *logits, uint32_t n, const smp_lab_options *options, smp_lab_result *r) {
  lab_row row;
  row.logits = logits;
  row.n = options->tau > 0 ? n : 0;
  *r = (smp_lab_result){.n = n, .top = top_of(logits, n)};
  if (options->tau == 0) {
    r->greedy = 1;
    r->id = r->top;
    smpi_lab_filter(&row, options, r);
    return;
  }

  for (uint32_t i = 0; i < n; i++) row.weight[i] = weigh(logits[i], logits[r->top], options->tau, &r->score[i]);
  smpi_lab_filter(&row, options, r);

  pair removed_sum = {0, 0};
  for (uint32_t i = 0; i < n; i++)
    if (!r->kept[i]) removed_sum = pair_add(removed_sum, row.weight[i]);
  const pair sum = row.all_sum, kept_sum = row.left_sum, whole = options->share == SMP_SHARE_ZEROED ? sum : kept_sum;

  pair before = {0, 0}, before_kept = {0, 0};
  double end = 0;
  for (uint32_t i = 0; i < n; i++) {
    r->weight[i] = shrink_512(row.weight[i]);
    r->p[i] = smpi_lab_share(&row.weight[i], &sum);
    r->start[i] = smpi_lab_share(&before, &sum);
    before = pair_add(before, row.weight[i]);
    if (!r->kept[i]) continue;

    r->q[i] = smpi_lab_share(&row.weight[i], &whole);
    r->lo[i] = end;
    before_kept = pair_add(before_kept, row.weight[i]);
    if (r->q[i] > 0) end = smpi_lab_share(&before_kept, &whole); /* q = 0 leaves the interval empty */
    r->hi[i] = end;
  }
  r->weight_sum = sum.hi * 0x1p-512;
  r->kept_mass = smpi_lab_share(&kept_sum, &sum);
  r->removed_mass = smpi_lab_share(&removed_sum, &sum);
  r->sum_q = end;
  r->entropy = entropy_of(r, row.weight, sum);
  r->id = choose(r, options->u, options->share);
}

smp_status smp_lab_run(const double *logits, uint32_t n, const smp_lab_options *options, smp_lab_result *result,
                       smp_where *where) {
  smp_status status = check_logits(logits, n, where);
  if (status == SMP_OK) status = check_options(n, options, where);
  if (status == SMP_OK) run(logits, n, options, result);
  return status;
}

smp_status smp_lab_map(const double *logits, uint32_t n, const smp_lab_options *options, const double *taus,
                       uint32_t n_taus, double *edges, smp_where *where) {
  smp_lab_options row = *options;
  smp_lab_result r;
  row.u = 0;
  row.tau = 1;
  row.steps = NULL;
  smp_status status = smp_lab_run(logits, n, &row, &r, where);
  if (status) return status;
  for (uint32_t t = 0; t < n_taus; t++)
    if (!(taus[t] >= 0)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TAU, t, where);

  for (uint32_t t = 0; t < n_taus; t++, edges += n) {
    row.tau = taus[t];
    run(logits, n, &row, &r);
    for (uint32_t i = 0; i < n; i++) {
      if (r.greedy)
        edges[i] = i >= r.top;
      else
        edges[i] = r.kept[i] ? r.hi[i] : i ? edges[i - 1] : 0;
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
