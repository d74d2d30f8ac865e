/* See plain.h. Probabilities are those of smp_row_softmax, or of its exponentials in double; everything else is done
   again in the most direct way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

struct entry {
  double key;
  uint32_t id;
};

static int rising(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static int falling(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->key != y->key) return x->key > y->key ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* All entries above -inf, in order; returns how many. */
static uint32_t sorted(const float *row, uint32_t n, struct entry *order, int (*compare)(const void *, const void *)) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++)
    if (row[i] > -INFINITY) order[m++] = (struct entry){(double)row[i], i};
  qsort(order, m, sizeof *order, compare);
  return m;
}

static void softmax(const float *row, uint32_t n, float *p) {
  memcpy(p, row, n * sizeof *p);
  smp_row_softmax(p, n, NULL, NULL);
}

static void top_k(struct entry *order, uint32_t m, uint32_t k, smp_tie tie, uint8_t *kept) {
  if (k > m) k = m;
  double last = order[k - 1].key;
  uint32_t above = 0, equal = 0, seen = 0;
  for (uint32_t j = 0; j < m; j++) {
    above += order[j].key > last;
    equal += order[j].key == last;
  }
  for (uint32_t j = 0; j < m; j++) {
    int is_kept = order[j].key > last;
    if (order[j].key == last) {
      is_kept = tie == SMP_TIE_THRESHOLD || (tie == SMP_TIE_STRICT ? seen < k - above : seen >= equal - (k - above));
      seen++;
    }
    kept[order[j].id] = (uint8_t)is_kept;
  }
}

static void top_p(const float *p, struct entry *order, uint32_t m, const smp_step *step, uint8_t *kept) {
  const float limit = (float)(1 - step->value);
  double sum = 0;
  uint32_t first = 0, low, high;
  for (; first + 1 < m; first++) {
    sum += (double)p[order[first].id];
    if (step->value > 0 && (float)sum > limit) break;
  }
  for (low = first; low > 0 && order[low - 1].key == order[first].key;) low--;
  for (high = first; high + 1 < m && order[high + 1].key == order[first].key;) high++;
  for (uint32_t j = high + 1; j < m; j++) kept[order[j].id] = 1;
  for (uint32_t j = low; j <= high; j++) {
    int is_kept = step->tie == SMP_TIE_LAST ? j >= first : step->tie == SMP_TIE_STRICT ? j <= high - (first - low) : 1;
    kept[order[j].id] = (uint8_t)is_kept;
  }
}

/* p = 1: only what has no probability as a float goes, even with gradual underflow. */
static void above_zero(const float *row, const struct entry *order, uint32_t m, uint8_t *kept) {
  double sum = 0, max = order[m - 1].key;
  for (uint32_t j = 0; j < m; j++) sum += smp_exp(order[j].key - max);
  for (uint32_t j = 0; j < m; j++) kept[order[j].id] = smp_exp((double)row[order[j].id] - max) / sum > 0x1p-150;
}

static void probable(const float *row, const float *p, struct entry *order, uint32_t m, float least, uint8_t *kept) {
  for (uint32_t j = 0; j < m; j++) {
    uint32_t id = order[j].id;
    kept[id] = p[id] >= least || (double)row[id] == order[m - 1].key;
  }
}

static double entropy_of(const struct entry *order, uint32_t m, double max, double *ln_sum) {
  double sum = 0, weighted = 0;
  for (uint32_t j = 0; j < m; j++) {
    double weight = smp_exp(order[j].key - max);
    sum += weight;
    if (weight > 0) weighted += weight * (order[j].key - max);
  }
  *ln_sum = smp_log(sum);
  return *ln_sum - weighted / sum;
}

static void typical(struct entry *order, uint32_t m, double mass, uint8_t *kept) {
  double ln_sum, max = order[m - 1].key, entropy = entropy_of(order, m, max, &ln_sum), sum = 0;
  struct entry *by_key = malloc(m * sizeof *by_key);
  double *p = malloc(m * sizeof *p);
  for (uint32_t j = 0; j < m; j++) {
    double off = ln_sum - (order[j].key - max) - entropy;
    by_key[j] = (struct entry){off < 0 ? -off : off, j};
    p[j] = smp_exp(order[j].key - max - ln_sum);
  }
  qsort(by_key, m, sizeof *by_key, rising);
  uint32_t last = 0;
  for (; last + 1 < m; last++) {
    sum += p[by_key[last].id];
    if (sum >= mass) break;
  }
  for (uint32_t j = 0; j < m; j++) kept[order[by_key[j].id].id] = by_key[j].key <= by_key[last].key;
  free(by_key);
  free(p);
}

static void top_h(struct entry *order, uint32_t m, double share, uint8_t *kept) {
  if (m > 100) m = 100;
  double ln_sum, entropy = entropy_of(order, m, order[0].key, &ln_sum), sum = 0;
  for (uint32_t j = 0; j < m; j++) {
    double ln_p = order[j].key - order[0].key - ln_sum, p = smp_exp(ln_p);
    sum -= p > 0 ? p * ln_p : 0;
    if (j > 0 && (sum > share * entropy || (float)p == 0)) break;
    kept[order[j].id] = 1;
  }
}

static void top_n_sigma(struct entry *order, uint32_t m, double value, uint8_t *kept) {
  double mean = 0, squares = 0;
  for (uint32_t j = 0; j < m; j++) mean += order[j].key / m;
  for (uint32_t j = 0; j < m; j++) squares += (order[j].key - mean) * (order[j].key - mean);
  for (uint32_t j = 0; j < m; j++)
    kept[order[j].id] = j + 1 == m || order[j].key == order[m - 1].key ||
                        order[j].key >= order[m - 1].key - value * __builtin_sqrt(squares / m);
}

uint32_t plain_keep(const float *row, uint32_t n, const smp_step *step, uint8_t *kept) {
  struct entry *order = malloc(n * sizeof *order);
  float *p = malloc(smp_row_capacity(n) * sizeof *p);
  int from_top = step->kind == SMP_STEP_TOP_K || step->kind == SMP_STEP_TOP_H;
  uint32_t m = sorted(row, n, order, from_top ? falling : rising), n_kept = 0;
  double ln_sum;
  softmax(row, n, p);
  memset(kept, 0, n);
  const float epsilon = (float)step->value;
  switch (step->kind) {
  case SMP_STEP_TOP_K:
    top_k(order, m, step->count, step->tie, kept);
    break;
  case SMP_STEP_TOP_P:
    if (epsilon == 1)
      above_zero(row, order, m, kept);
    else
      top_p(p, order, m, step, kept);
    break;
  case SMP_STEP_MIN_P:
    probable(row, p, order, m, epsilon * p[order[m - 1].id], kept);
    break;
  case SMP_STEP_EPSILON_CUTOFF:
    probable(row, p, order, m, epsilon, kept);
    break;
  case SMP_STEP_ETA_CUTOFF: {
    float entropy = (float)entropy_of(order, m, order[m - 1].key, &ln_sum);
    float eta = __builtin_sqrtf(epsilon) * (float)smp_exp(-(double)entropy);
    probable(row, p, order, m, eta < epsilon ? eta : epsilon, kept);
    break;
  }
  case SMP_STEP_TYPICAL_P:
    typical(order, m, step->value, kept);
    break;
  case SMP_STEP_TOP_H:
    top_h(order, m, step->value, kept);
    break;
  default:
    top_n_sigma(order, m, step->value, kept);
    break;
  }
  for (uint32_t i = 0; i < n; i++) n_kept += kept[i];
  free(order);
  free(p);
  return n_kept;
}
