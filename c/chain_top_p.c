/* Top-p (nucleus): where the cumulative sum of the smallest probabilities exceeds 1 - p; no sort. */
#include "chain.h"
#include "lanes.h"

/* The largest float at or below x and below max, which is finite. */
static float float_below(double x, float max) {
  const float nearest = (float)x;
  const uint32_t rank = rank_of(nearest < max ? nearest : max);
  return (double)nearest > x || nearest >= max ? value_of(rank - 1) : nearest;
}

/* p = 1 removes what rounds to 0 as a float, subnormals included: e^(x - max) / sum of 2^-150 and less. That bound lies
   below the largest entry, but where floats or doubles are far apart the nearest float is that entry. */
static void keep_above_zero(chain_run *run) {
  const float bound = float_below((double)run->max + smp_log(run->sum) - 150 * 0x1.62e42fefa39efp-1, run->max);
  if (run->least > bound) return;
  if (!run->listed) smpi_chain_list_from(run, bound);
  smpi_chain_keep_above(run, run->values, (chain_cut){.key = bound}, SMP_TIE_THRESHOLD);
}

/* ---- A guess, and a bracket around it ---------------------------------------------------------------------------- */

enum { SAMPLE = 16 }; /* blocks that the guess looks at, evenly spaced */

/* The bracket reaches from the guess by this factor in both directions: on real rows it then nearly always holds the
   cut. */
static const float REACH = 1.25f;

/* Slack for a sum of weights that were each rounded in their block's sum (2^-23 at most), and again as products. */
static const double SLACK_ONE = 0x1p-21, SLACK_SUM = 0x1p-18, SLACK_BOUND = 0x1p-20;

/* A logarithm is rounded to float: this far below a bound in logits nothing reaches a bound in weights. */
static const double SLACK_LOGIT = 0x1p-10;

/* The weight at which the sum of the smaller ones reaches `removed`, in a sample of blocks: near that of the row. */
static float guess_cut(chain_run *run, double removed) {
  const size_t n = SAMPLE * SMP_ROW_BLOCK, step = run->n / n;
  for (size_t b = 0; b < SAMPLE; b++)
    memcpy(run->key + b * SMP_ROW_BLOCK, run->weight + b * step * SMP_ROW_BLOCK, SMP_ROW_BLOCK * sizeof *run->key);
  chain_cut_search s = search_in(run, run->key, n, removed * (double)n / (double)run->n);
  s.weight = run->key;
  return smpi_chain_cut_find(&s).key;
}

/* A logit whose weight lies below w: a block whose maximum is below it can be skipped. */
static float logit_below(const chain_run *run, float w) {
  return w > 0 ? (float)((double)run->max + smp_log((double)w) - SLACK_LOGIT) : SMP_REMOVED;
}

/* Part of a row: the entries of weights in (low, high], and the sum of all weights up to low. */
typedef struct bracket {
  float low, high;
  double below;  /* within 2^-23 */
  size_t listed; /* ids of weights above low, in run->ids */
  size_t n;
  float *values, *weights;
} bracket;

/* List the ids of all weights above low, and sum the others. */
static void list_weights(chain_run *run, bracket *b) {
  const lanes low = lanes_all(b->low);
  const float skip = logit_below(run, b->low);
  uint32_t *ids = run->ids;
  double below = 0;
  size_t n = 0;
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    if (run->block_max[at / SMP_ROW_BLOCK] < skip) {
      below += run->block_sum[at / SMP_ROW_BLOCK];
      continue;
    }
    float others[SMP_ROW_BLOCK];
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 16) {
      lanes_bits above[4];
      LANES_UNROLL
      for (size_t j = 0; j < 4; j++) {
        const lanes w = lanes_load(run->weight + at + i + 4 * j);
        above[j] = lanes_less(low, w);
        lanes_store(others + i + 4 * j, (lanes)((lanes_bits)w & ~above[j]));
      }
      n = lanes_list_group(above, (uint32_t)(at + i), ids, n);
    }
    below += lanes_sum_block(others);
  }
  b->below = below;
  b->listed = n;
}

/* 0 if they do not fit. */
static int fill_bracket(chain_run *run, bracket *b) {
  const size_t room = run->n / 2;
  const uint32_t *ids = run->ids;
  size_t n = 0;
  list_weights(run, b);
  b->values = run->key;
  b->weights = run->key + room;
  for (size_t j = 0; j < b->listed; j++) {
    if (n == room) return 0;
    b->values[n] = run->x[ids[j]];
    b->weights[n] = run->weight[ids[j]];
    n += b->weights[n] <= b->high;
  }
  for (size_t j = 0; j < n; j++) b->values[j] /= run->tau;
  b->n = n;
  return 1;
}

/* The mass of all weights of the row up to the bound, each rounded as the rule says. */
static double mass_up_to(const chain_run *run, float share, float bound) {
  double sum[4] = {0};
  for (size_t i = 0; i < run->n; i++) {
    float p = run->weight[i] <= bound ? run->weight[i] * share : 0;
    sum[i % 4] += (double)p;
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

typedef enum side { HERE, LOWER, HIGHER, NOWHERE } side;

/* Look for the cut of top-p in a bracket. `weight` becomes that of the entry at the cut, if it is here. NOWHERE: the
   bracket does not fit, or its sum is too inexact to tell on which side the cut lies. */
static side find_in_bracket(chain_run *run, chain_cut_search *s, bracket *b, chain_cut *c, float *weight) {
  if (!fill_bracket(run, b)) return NOWHERE;
  double inside = 0;
  for (size_t i = 0; i < b->n; i++) inside += (double)b->weights[i];
  s->key = b->values;
  s->weight = b->weights;
  s->n = b->n;
  s->base = b->below * (double)s->share;
  const double least = s->limit * (1 - SLACK_SUM), most = s->limit * (1 + SLACK_SUM),
               end = s->base + inside * (double)s->share;
  if (s->base > least) return s->base > most ? LOWER : NOWHERE;
  if (b->high < 1 && end < most) return end < least ? HIGHER : NOWHERE;
  *c = smpi_chain_cut_find(s);
  if (c->distance <= s->limit * SLACK_ONE) { /* the sum below has to be exact */
    s->base = mass_up_to(run, s->share, b->low);
    *c = smpi_chain_cut_find(s);
  }
  *weight = b->weights[c->place];
  return HERE;
}

/* The cut of top-p in a row: near a guess, else on the side of the guess where it must be, else in the whole row.
   `weight` becomes that of the cut; the first `listed` of run->ids then hold all ids whose weights reach it, and
   perhaps more. */
static chain_cut find_in_row(chain_run *run, chain_cut_search *s, float *weight, size_t *listed) {
  const double removed = s->limit * run->sum;
  chain_cut c;
  if (run->n >= 4 * SAMPLE * SMP_ROW_BLOCK) {
    /* Weights <= removed / n sum to at most `removed`, so the cut lies above them. */
    const float guess = guess_cut(run, removed);
    const float lower_bound = (float)(removed / (double)run->n * (1 - SLACK_BOUND));
    bracket b = {.low = guess / REACH > lower_bound ? guess / REACH : lower_bound, .high = guess * REACH};
    side found = find_in_bracket(run, s, &b, &c, weight);
    if (found == LOWER || found == HIGHER) {
      b = found == LOWER ? (bracket){.low = lower_bound, .high = b.low} : (bracket){.low = b.high, .high = 1};
      found = find_in_bracket(run, s, &b, &c, weight);
    }
    *listed = b.listed;
    if (found == HERE) return c;
  }
  smpi_chain_own(run);
  s->key = run->values;
  s->weight = run->weight;
  s->n = run->n;
  s->base = 0;
  c = smpi_chain_cut_find(s);
  *weight = run->weight[c.place];
  bracket all = {.low = *weight * (1 - 0x1p-23f)}; /* one or two floats below it */
  list_weights(run, &all);
  *listed = all.listed;
  return c;
}

/* Of the listed entries of a row keep those above the cut, and of those that equal it as many as the rule says.
   `weight` is that of the cut: an entry with more is above it, one with less below. */
static void list_above(chain_run *run, size_t listed, chain_cut c, float weight, smp_tie tie) {
  const uint32_t from = tie == SMP_TIE_LAST ? c.before : 0;
  const uint32_t to = tie == SMP_TIE_STRICT ? c.equal - c.before : c.equal;
  uint32_t *ids = run->ids, equal = 0;
  float *weights = run->key;
  size_t n = 0;
  for (size_t j = 0; j < listed; j++) {
    const uint32_t id = ids[j];
    const float w = run->weight[id];
    ids[n] = id;
    weights[n] = w;
    if (w != weight) {
      n += w > weight;
      continue;
    }
    const float x = run->x[id] / run->tau;
    n += x > c.key || (x == c.key && equal >= from && equal < to);
    equal += x == c.key;
  }
  smpi_chain_list(run, n);
}

/* ---- The rule ---------------------------------------------------------------------------------------------------- */

int smpi_top_p(chain_run *run, const smp_step *step, const smp_chain *chain) {
  (void)chain;
  const float limit = (float)(1 - step->value);
  if (step->value == 0) {
    smpi_chain_keep_top_k(run, 1, step->tie);
    return 1;
  }
  smpi_chain_weigh(run);
  if (limit == 0) {
    keep_above_zero(run);
    return 1;
  }
  chain_cut_search s = search_in(run, run->values, run->n, (double)limit);
  s.weight = run->weight;
  s.share = (float)(1 / run->sum);
  s.even = 1;
  float weight = 0;
  size_t listed = 0;
  chain_cut c = run->listed ? smpi_chain_cut_find(&s) : find_in_row(run, &s, &weight, &listed);
  if (is_near(c.distance, limit)) run->by_rounding = 1;
  if (run->listed)
    smpi_chain_keep_above(run, run->values, c, step->tie);
  else
    list_above(run, listed, c, weight, step->tie);
  return 1;
}
