/* The rules on a blackboard. Read this file first: how a language model's scores become its next token, each rule
   with its formula and its source, one after the other in plain C and double precision.

   A model gives every token of its vocabulary a score, the logit x. Softmax turns scores into probabilities:

       p[i] = e^x[i] / (e^x[0] + e^x[1] + ...)

   A chain is a list of rules that change the scores, or remove tokens (their score becomes -inf, their probability
   0), before one token is drawn. p is worked out anew before each rule, so a rule sees what the rules before it have
   left.

   The library applies the same rules to rows of 100,000 floats in chain*.c, without a sort and without this file. The
   tests run both and compare. "transformers" below is its generation/logits_process.py, version 5. */
#include "reference.h"

#define REMOVED (-__builtin_inf())

/* ---- Softmax and entropy ---------------------------------------------------------------------------------------- */

static double largest(const double *values, uint32_t n) {
  double max = values[0];
  for (uint32_t i = 1; i < n; i++)
    if (values[i] > max) max = values[i];
  return max;
}

/* e^(x - max) instead of e^x: the common factor e^max cancels, and nothing overflows. */
void smpi_reference_softmax(reference *r) {
  const double max = largest(r->x, r->n);
  double sum = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    r->p[i] = smp_exp(r->x[i] - max);
    sum += r->p[i];
  }
  for (uint32_t i = 0; i < r->n; i++) r->p[i] /= sum;
}

/* H = -sum of p ln p, where 0 ln 0 = 0. From 0, where one token has everything, to ln n, where all have the same.
   Shannon, A mathematical theory of communication (1948). */
double smpi_reference_entropy(const reference *r) {
  double entropy = 0;
  for (uint32_t i = 0; i < r->n; i++)
    if (r->p[i] > 0) entropy -= r->p[i] * smp_log(r->p[i]);
  return entropy;
}

/* ---- Rules that change scores ------------------------------------------------------------------------------------ */

/* x[i] = x[i] / T. T < 1 sharpens the distribution, T > 1 flattens it. Ackley, Hinton, Sejnowski, A learning algorithm
   for Boltzmann machines (1985); transformers TemperatureLogitsWarper. */
static void temperature(reference *r, double T) {
  for (uint32_t i = 0; i < r->n; i++) r->x[i] /= T;
}

/* How often an id occurs in the last `window` ids of the context; 0 means in all of it. */
static uint32_t times_seen(const reference *r, uint32_t id, uint32_t window) {
  const uint32_t first = window > 0 && window < r->n_context ? r->n_context - window : 0;
  uint32_t times = 0;
  for (uint32_t j = first; j < r->n_context; j++) times += r->context[j] == id;
  return times;
}

/* Seen tokens: x[i] = x[i] / penalty, or x[i] * penalty where x[i] < 0, since division would raise a negative score.
   Keskar et al., CTRL, arXiv:1909.05858 (which says only "divide"); transformers RepetitionPenaltyLogitsProcessor. */
static void repetition_penalty(reference *r, double penalty, uint32_t window) {
  for (uint32_t i = 0; i < r->n; i++)
    if (times_seen(r, i, window) > 0) r->x[i] = r->x[i] < 0 ? r->x[i] * penalty : r->x[i] / penalty;
}

/* Seen tokens: x[i] = x[i] - penalty.
   The OpenAI API, presence_penalty: mu[j] - (c[j] > 0) * alpha_presence, c[j] being the count. */
static void presence_penalty(reference *r, double penalty, uint32_t window) {
  for (uint32_t i = 0; i < r->n; i++)
    if (times_seen(r, i, window) > 0) r->x[i] -= penalty;
}

/* x[i] = x[i] - penalty * times seen.
   The OpenAI API, frequency_penalty: mu[j] - c[j] * alpha_frequency. */
static void frequency_penalty(reference *r, double penalty, uint32_t window) {
  for (uint32_t i = 0; i < r->n; i++) r->x[i] -= penalty * times_seen(r, i, window);
}

/* x[id] = x[id] + bias, one pair after the other; -inf removes the token.
   The OpenAI API, logit_bias. */
static void logit_bias(reference *r, const uint32_t *ids, const float *biases, uint32_t count) {
  for (uint32_t j = 0; j < count; j++) r->x[ids[j]] += (double)biases[j];
}

/* ---- Rules that remove single tokens ----------------------------------------------------------------------------- */

/* x[id] = -inf. transformers SuppressTokensLogitsProcessor. */
static void suppress_tokens(reference *r, const uint32_t *ids, uint32_t count) {
  for (uint32_t j = 0; j < count; j++) r->x[ids[j]] = REMOVED;
}

/* Remove every token that would complete a run of `length` ids which the context already holds: wherever the last
   length - 1 ids stand earlier, remove the id that followed them. Paulus, Xiong, Socher, arXiv:1705.04304; transformers
   NoRepeatNGramLogitsProcessor. */
static void no_repeat_ngram_size(reference *r, uint32_t length) {
  const uint32_t *context = r->context;
  const uint32_t n = r->n_context, m = length - 1;
  for (uint32_t at = 0; m < n && at < n - m; at++) {
    uint32_t same = 0;
    while (same < m && context[at + same] == context[n - m + same]) same++;
    if (same == m) r->x[context[at + m]] = REMOVED;
  }
}

/* ---- Sorting ---------------------------------------------------------------------------------------------------- */

/* Whether token a stands before token b: the larger key first; among equal keys the smaller id, or with SMP_TIE_LAST
   the larger. */
static int stands_before(const reference *r, uint32_t a, uint32_t b, smp_tie tie) {
  if (r->key[a] != r->key[b]) return r->key[a] > r->key[b];
  return tie == SMP_TIE_LAST ? a > b : a < b;
}

/* The heap below `at` is in order except for its top: exchange it with the child that comes after it, and
   so on down. */
static void sift_down(reference *r, uint32_t at, uint32_t n, smp_tie tie) {
  uint32_t *order = r->order;
  for (uint32_t child = 2 * at + 1; child < n; at = child, child = 2 * at + 1) {
    if (child + 1 < n && stands_before(r, order[child], order[child + 1], tie)) child++;
    if (!stands_before(r, order[at], order[child], tie)) return;
    const uint32_t id = order[at];
    order[at] = order[child];
    order[child] = id;
  }
}

/* order = the tokens that are left, the largest key first. Returns how many there are. Heap sort: Williams (1964). */
static uint32_t sort(reference *r, smp_tie tie) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < r->n; i++)
    if (r->x[i] > REMOVED) r->order[m++] = i;
  for (uint32_t at = m / 2; at > 0; at--) sift_down(r, at - 1, m, tie);
  for (uint32_t end = m; end > 1; end--) { /* the top of the heap stands last of all */
    const uint32_t last = r->order[0];
    r->order[0] = r->order[end - 1];
    r->order[end - 1] = last;
    sift_down(r, 0, end - 1, tie);
  }
  return m;
}

static uint32_t sort_by_score(reference *r, smp_tie tie) {
  for (uint32_t i = 0; i < r->n; i++) r->key[i] = r->x[i];
  return sort(r, tie);
}

/* Of m sorted tokens keep the first k, and with SMP_TIE_THRESHOLD all whose key equals that of the last kept. */
static void keep_first(reference *r, uint32_t m, uint32_t k, smp_tie tie) {
  const double last = r->key[r->order[k - 1]];
  for (uint32_t j = k; j < m; j++)
    if (tie != SMP_TIE_THRESHOLD || r->key[r->order[j]] < last) r->x[r->order[j]] = REMOVED;
}

/* ---- Rules that remove by rank, by probability, or by their sum -------------------------------------------------- */

/* Keep the k largest scores.
   Fan, Lewis, Dauphin, Hierarchical neural story generation, arXiv:1805.04833; transformers TopKLogitsWarper. */
static void top_k(reference *r, uint32_t k, smp_tie tie) {
  const uint32_t m = sort_by_score(r, tie);
  if (k < m) keep_first(r, m, k, tie);
}

/* The nucleus: from the smallest probability up, remove tokens as long as those removed sum to at most 1 - P; at least
   one stays. P = 1 removes what a float cannot tell from 0. Holtzman et al., The curious case of neural text
   degeneration, arXiv:1904.09751. Summed in this direction, and compared as floats, because transformers
   TopPLogitsWarper and torch do so: the smallest set that reaches P, except for rounding. */
static void top_p(reference *r, double P, smp_tie tie) {
  const float limit = (float)(1 - P);
  if (limit == 0) {
    for (uint32_t i = 0; i < r->n; i++)
      if (r->p[i] <= 0x1p-150) r->x[i] = REMOVED;
    return;
  }
  const uint32_t m = sort_by_score(r, tie);
  uint32_t k = m;
  double removed = 0;
  while (k > 1) {
    removed += r->p[r->order[k - 1]];
    if (P > 0 && (float)removed > limit) break;
    k--;
  }
  keep_first(r, m, k, tie);
}

/* The nucleus as the experiment has it, in doubles and from the most probable token down: the first stays, and each
   next one while the sum of those before it has not reached P. If a sum is exactly P, SMP_TIE_INCLUSIVE takes one more:
   llama2.c stops when the sum exceeds P. P = 1 removes nothing. */
static void nucleus(reference *r, double P, smp_tie tie) {
  const uint32_t m = sort_by_score(r, SMP_TIE_STRICT);
  uint32_t k = 1;
  double before = r->p[r->order[0]];
  while (k < m && (before < P || P == 1 || (before == P && tie == SMP_TIE_INCLUSIVE))) before += r->p[r->order[k++]];
  keep_first(r, m, k, SMP_TIE_STRICT);
}

/* Remove p[i] < least, except the most probable tokens. */
static void remove_improbable(reference *r, double least) {
  const double max = largest(r->x, r->n);
  for (uint32_t i = 0; i < r->n; i++)
    if (r->p[i] < least && r->x[i] < max) r->x[i] = REMOVED;
}

/* Remove p[i] < share * max p.
   Nguyen et al., Turning up the heat: min-p sampling, arXiv:2407.01082; transformers MinPLogitsWarper. */
static void min_p(reference *r, double share) {
  remove_improbable(r, share * largest(r->p, r->n));
}

/* Remove p[i] < epsilon.
   Hewitt, Manning, Liang, Truncation sampling as language model desmoothing, arXiv:2210.15191; transformers
   EpsilonLogitsWarper. */
static void epsilon_cutoff(reference *r, double epsilon) {
  remove_improbable(r, epsilon);
}

/* Remove p[i] < min(epsilon, sqrt(epsilon) e^-H): where the distribution is flat (H large) less probable tokens may
   stay. The same paper; transformers EtaLogitsWarper. */
static void eta_cutoff(reference *r, double epsilon) {
  const double eta = __builtin_sqrt(epsilon) * smp_exp(-smpi_reference_entropy(r));
  remove_improbable(r, eta < epsilon ? eta : epsilon);
}

/* Keep the tokens whose information -ln p is nearest to the entropy, from the nearest on until their probabilities sum
   to `mass`, and all that are as near as the last. The most probable token may go. Meister et al., Locally typical
   sampling, arXiv:2202.00666; transformers TypicalLogitsWarper. */
static void typical_p(reference *r, double mass) {
  const double entropy = smpi_reference_entropy(r);
  for (uint32_t i = 0; i < r->n; i++) {
    const double off = -smp_log(r->p[i]) - entropy;
    r->key[i] = off < 0 ? off : -off; /* the nearest has the largest key */
  }
  const uint32_t m = sort(r, SMP_TIE_THRESHOLD);
  uint32_t k = 1;
  double sum = r->p[r->order[0]];
  while (k < m && sum < mass) sum += r->p[r->order[k++]];
  keep_first(r, m, k, SMP_TIE_THRESHOLD);
}

/* Softmax of the 100 largest scores alone, and its entropy H. From the most probable down, keep tokens as long as the
   sum of their -p ln p does not exceed share * H; the first always stays. Potraghloo et al., Top-H decoding,
   arXiv:2509.02510; transformers TopHLogitsWarper, which chose 100. */
static void top_h(reference *r, double share) {
  top_k(r, 100, SMP_TIE_STRICT);
  smpi_reference_softmax(r);
  const double limit = share * smpi_reference_entropy(r);
  const uint32_t m = sort_by_score(r, SMP_TIE_STRICT);
  uint32_t k = 0;
  double sum = 0;
  while (k < m) {
    const double p = r->p[r->order[k]];
    if (p > 0) sum -= p * smp_log(p);
    if (k > 0 && (sum > limit || (float)p == 0)) break; /* in float 0 ln 0 is NaN, and ends it */
    k++;
  }
  keep_first(r, m, k, SMP_TIE_STRICT);
}

/* Remove x[i] < max x - n * sigma, where sigma is the standard deviation of the scores that are left.
   Tang et al., Top-n-sigma: not all logits are you need, arXiv:2411.07641; llama.cpp llama_sampler_top_n_sigma. */
static void top_n_sigma(reference *r, double n) {
  double count = 0, mean = 0, squares = 0;
  for (uint32_t i = 0; i < r->n; i++) count += r->x[i] > REMOVED;
  for (uint32_t i = 0; i < r->n; i++)
    if (r->x[i] > REMOVED) mean += r->x[i] / count;
  for (uint32_t i = 0; i < r->n; i++)
    if (r->x[i] > REMOVED) squares += (r->x[i] - mean) * (r->x[i] - mean);
  const double max = largest(r->x, r->n), sigma = __builtin_sqrt(squares / count);
  for (uint32_t i = 0; i < r->n; i++)
    if (r->x[i] < max - n * sigma && r->x[i] < max) r->x[i] = REMOVED;
}

/* ---- A step, a draw, a chain ------------------------------------------------------------------------------------- */

/* A rule that is missing here does not compile. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
void smpi_reference_step(reference *r, const smp_step *step) {
  const double value = step->value;
  const uint32_t count = step->count;
  switch (step->kind) {
  case SMP_STEP_TEMPERATURE:
    temperature(r, value);
    break;
  case SMP_STEP_REPETITION_PENALTY:
    repetition_penalty(r, value, count);
    break;
  case SMP_STEP_PRESENCE_PENALTY:
    presence_penalty(r, value, count);
    break;
  case SMP_STEP_FREQUENCY_PENALTY:
    frequency_penalty(r, value, count);
    break;
  case SMP_STEP_LOGIT_BIAS:
    logit_bias(r, step->ids, step->values, count);
    break;
  case SMP_STEP_SUPPRESS_TOKENS:
    suppress_tokens(r, step->ids, count);
    break;
  case SMP_STEP_NO_REPEAT_NGRAM_SIZE:
    no_repeat_ngram_size(r, count);
    break;
  case SMP_STEP_TOP_K:
    top_k(r, count, step->tie);
    break;
  case SMP_STEP_TOP_P:
    top_p(r, value, step->tie);
    break;
  case SMP_STEP_MIN_P:
    min_p(r, value);
    break;
  case SMP_STEP_TYPICAL_P:
    typical_p(r, value);
    break;
  case SMP_STEP_EPSILON_CUTOFF:
    epsilon_cutoff(r, (double)(float)value); /* below 2^-150 it is 0, and nothing is below that */
    break;
  case SMP_STEP_ETA_CUTOFF:
    eta_cutoff(r, (double)(float)value);
    break;
  case SMP_STEP_TOP_H:
    top_h(r, value);
    break;
  case SMP_STEP_TOP_N_SIGMA:
    top_n_sigma(r, value);
    break;
  }
}
#pragma GCC diagnostic pop

/* The experiment differs in top-p alone. */
void smpi_reference_filter(reference *r, const smp_step *filter) {
  if (filter->kind == SMP_STEP_TOP_P)
    nucleus(r, filter->value, filter->tie);
  else
    smpi_reference_step(r, filter);
}

/* Lay the tokens out on a line from 0 to 1, each as long as its probability, in the order of their ids: the token that
   covers u. With u uniform in [0, 1) each is drawn as often as p says. The sum may end just below 1: then the last that
   has a probability. Inverse transform sampling: Devroye, Non-uniform random variate generation (1986), ch. III.2. */
uint32_t smpi_reference_draw(const reference *r, double u) {
  double sum = 0;
  uint32_t id = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    if (!(r->p[i] > 0)) continue;
    id = i;
    sum += r->p[i];
    if (u < sum) break;
  }
  return id;
}

/* The same line with the most probable token first, equals by id: another token for the same u, each as often as
   before. */
uint32_t smpi_reference_draw_descending(const reference *r, double u) {
  double sum = 0;
  uint32_t last = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    uint32_t j = i;
    for (; j > 0 && r->x[r->order[j - 1]] < r->x[i]; j--) r->order[j] = r->order[j - 1];
    r->order[j] = i;
  }
  for (uint32_t j = 0; j < r->n; j++) {
    const uint32_t id = r->order[j];
    if (!(r->p[id] > 0)) continue;
    last = id;
    sum += r->p[id];
    if (u < sum) break;
  }
  return last;
}

uint32_t smpi_reference_chain(reference *r, const smp_chain *chain) {
  r->context = chain->context;
  r->n_context = chain->n_context;
  smpi_reference_softmax(r);
  for (uint32_t i = 0; i < chain->n_steps; i++) {
    smpi_reference_step(r, &chain->steps[i]);
    smpi_reference_softmax(r);
  }
  return chain->order == SMP_ORDER_ID ? smpi_reference_draw(r, chain->u) : smpi_reference_draw_descending(r, chain->u);
}

/* ---- Counts and what they come near to ---------------------------------------------------------------------------- */

/* Of N draws a token of probability p has N p on average, and its count scatters about that by the standard error
   sqrt(N p (1 - p)): the binomial distribution. z says how many of these it is off. The count grows with N and its
   standard error with sqrt(N) only, so 100 times as many draws come 10 times as near to p. */
double smpi_reference_z(double count, double draws, double p) {
  return p > 0 && p < 1 ? (count - draws * p) / __builtin_sqrt(draws * p * (1 - p)) : 0;
}

/* All tokens at once: sum of (count - N p)^2 / (N p).
   Pearson, On the criterion that a given system of deviations ... (1900). */
double smpi_reference_chi_square(const uint32_t *counts, const double *p, uint32_t n) {
  double draws = 0, sum = 0;
  for (uint32_t i = 0; i < n; i++) draws += counts[i];
  for (uint32_t i = 0; i < n; i++) {
    const double off = counts[i] - draws * p[i];
    if (p[i] > 0) sum += off * off / (draws * p[i]);
  }
  return sum;
}

/* 1 - erf(x) with erf(x) = 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), Abramowitz and Stegun 7.1.6. */
static double erfc_of(double x) {
  double term = x, sum = x;
  for (double k = 3; term > 1e-18 * sum; k += 2) sum += term *= 2 * x * x / k;
  return 1 - 2 / 1.7724538509055160273 * smp_exp(-x * x) * sum;
}

/* Chi-square has the distribution of a sum of squares of standard normal numbers, as many as there are tokens less one,
   because the counts must add up to N. The tail beyond x is erfc(sqrt(x / 2)) for one degree of freedom and e^(-x / 2)
   for two; each further two add (x / 2)^a e^(-x / 2) / Gamma(a + 1) with a = degrees / 2 - 1. Abramowitz and Stegun
   26.4.4, 26.4.5. */
double smpi_reference_p_value(uint32_t degrees, double x) {
  const double half = x / 2;
  if (!(x > 0)) return 1;
  double a = degrees % 2 ? 0.5 : 1;
  double sum = degrees % 2 ? erfc_of(__builtin_sqrt(half)) : smp_exp(-half);
  double term = degrees % 2 ? __builtin_sqrt(half) * 2 / 1.7724538509055160273 * smp_exp(-half) : half * smp_exp(-half);
  for (; a + 0.25 < (double)degrees / 2; a += 1) {
    sum += term;
    term *= half / (a + 1);
  }
  return sum < 1 ? sum : 1;
}
