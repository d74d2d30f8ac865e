/* The filters of the experiment: top-k, top-p and min-p in the order in which they are listed, each on the
   softmax of what those before it left. What they compare are the doubles that they record, so a reader can
   check every decision. */
#include "lab.h"

/* ---- What may be asked ------------------------------------------------------------------------------------------- */

static smp_status check_top_k(uint32_t n, uint32_t k, smp_tie tie, uint32_t index, smp_where *where) {
  if (k < 1 || k > n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_K, index, where);
  if (tie != SMP_TIE_STRICT && tie != SMP_TIE_THRESHOLD) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TIE, index, where);
  return SMP_OK;
}

/* Written so that NaN fails. */
static int is_share(double x) {
  return x >= 0 && x <= 1;
}

static smp_status check_filter(uint32_t n, const smp_step *filter, uint32_t index, smp_where *where) {
  switch ((int)filter->kind) {
  case SMP_STEP_TOP_K:
    return check_top_k(n, filter->count, filter->tie, index, where);
  case SMP_STEP_TOP_P:
    if (!is_share(filter->value)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_TOP_P, index, where);
    if (filter->tie == SMP_TIE_STRICT || filter->tie == SMP_TIE_INCLUSIVE) return SMP_OK;
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_TIE_P, index, where);
  case SMP_STEP_MIN_P:
    return is_share(filter->value) ? SMP_OK : smpi_fail(SMP_ERR_PARAM, SMP_AT_MIN_P, index, where);
  }
  return smpi_fail(SMP_ERR_PARAM, SMP_AT_FILTERS, index, where);
}

smp_status smpi_lab_check_filters(uint32_t n, const smp_lab_options *options, smp_where *where) {
  if (!options->filters) return check_top_k(n, options->k, options->tie, 0, where);
  if (options->k) return smpi_fail(SMP_ERR_PARAM, SMP_AT_FILTERS, 0, where);
  if (options->n_filters > SMP_LAB_FILTERS) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_FILTERS, 0, where);
  smp_status status = SMP_OK;
  for (uint32_t i = 0; i < options->n_filters && status == SMP_OK; i++)
    status = check_filter(n, &options->filters[i], i, where);
  return status;
}

/* ---- Filters ----------------------------------------------------------------------------------------------------- */

/* The sum is not scaled up, so the share still is. Not inlined: half of the code would be copies of it. */
__attribute__((noinline)) double smpi_lab_share(const pair *part, const pair *sum) {
  return shrink_512(pair_divide(*part, (pair){sum->hi * 0x1p-512, sum->lo * 0x1p-512}));
}

/* Candidates in descending order. */
typedef struct lab_order {
  uint32_t n, id[SMP_LAB_MAX];
} lab_order;

/* At most 64 candidates: counting is enough. */
static void sort(const lab_row *row, const uint8_t *left, uint8_t *rank, lab_order *order) {
  order->n = 0;
  for (uint32_t i = 0; i < row->n; i++) {
    if (!left[i]) continue;
    uint32_t before = 0;
    for (uint32_t j = 0; j < row->n; j++)
      before += left[j] && (row->logits[j] > row->logits[i] || (row->logits[j] == row->logits[i] && j < i));
    rank[i] = (uint8_t)(before + 1);
    order->id[before] = i;
    order->n++;
  }
}

/* What a filter compares its candidates with. The largest weight is 1: no filter removes the first. */
static double threshold_of(const lab_row *row, const lab_order *order, const smp_step *filter) {
  if (filter->kind == SMP_STEP_TOP_P) return filter->value;
  if (filter->kind == SMP_STEP_MIN_P) return smpi_lab_share(&(pair){filter->value * 0x1p512, 0}, &row->left_sum);
  return row->logits[order->id[(filter->count < order->n ? filter->count : order->n) - 1]];
}

static void decide(const lab_row *row, const lab_order *order, const smp_step *filter, smp_lab_step *step) {
  const double threshold = step->threshold = threshold_of(row, order, filter);
  pair before = {0, 0};
  for (uint32_t j = 0; j < order->n; j++) {
    const uint32_t id = order->id[j];
    double value = row->logits[id];
    int stays = j < filter->count;
    if (filter->kind == SMP_STEP_TOP_P) {
      /* 1 keeps all: no sum but that of all reaches it, though one may be rounded to it */
      value = smpi_lab_share(&before, &row->left_sum);
      stays = j == 0 || value < threshold || threshold == 1;
    } else if (filter->kind == SMP_STEP_MIN_P) {
      value = step->p[id];
      stays = value >= threshold;
    }
    const int is_tie = !stays && value == threshold; /* never of min-p */
    step->value[id] = value;
    step->kept[id] = stays || (is_tie && filter->tie != SMP_TIE_STRICT);
    step->meets |= (uint32_t)is_tie;
    before = pair_add(before, row->weight[id]);
  }
}

/* Softmax of what is marked. */
static void share_out(const lab_row *row, const uint8_t *marked, const pair *sum, double *p) {
  for (uint32_t i = 0; i < row->n; i++)
    if (marked[i]) p[i] = smpi_lab_share(&row->weight[i], sum);
}

/* Of the candidates in result->kept. */
static void run_filter(lab_row *row, const smp_step *filter, uint8_t number, smp_lab_step *step,
                       smp_lab_result *result) {
  const pair found_sum = row->left_sum;
  lab_order order;
  *step = (smp_lab_step){.n_kept = 0};
  if (row->n == 0) return;
  sort(row, result->kept, step->rank, &order);
  share_out(row, result->kept, &found_sum, step->p);
  decide(row, &order, filter, step);

  pair sums[2] = {{0, 0}, {0, 0}}; /* removed, kept */
  for (uint32_t i = 0; i < row->n; i++) {
    if (!result->kept[i]) continue;
    pair *sum = &sums[step->kept[i]];
    *sum = pair_add(*sum, row->weight[i]);
    if (!step->kept[i]) result->removed_by[i] = number;
    result->kept[i] = step->kept[i];
    step->n_kept += step->kept[i];
  }
  row->left_sum = sums[1];
  share_out(row, step->kept, &row->left_sum, step->q);
  step->mass_before = smpi_lab_share(&found_sum, &row->all_sum);
  step->mass_after = smpi_lab_share(&row->left_sum, &row->all_sum);
  step->kept_mass = smpi_lab_share(&row->left_sum, &found_sum);
  step->removed_mass = smpi_lab_share(&sums[0], &found_sum);
  result->n_kept = step->n_kept;
}

void smpi_lab_filter(lab_row *row, const smp_lab_options *options, smp_lab_result *result) {
  const smp_step short_one = {.kind = SMP_STEP_TOP_K, .count = options->k, .tie = options->tie};
  const smp_step *filters = options->filters ? options->filters : &short_one;
  const uint32_t n_filters = options->filters ? options->n_filters : 1;
  smp_lab_step unwanted;
  row->all_sum = (pair){0, 0};
  for (uint32_t i = 0; i < row->n; i++) {
    row->all_sum = pair_add(row->all_sum, row->weight[i]);
    result->kept[i] = 1;
  }
  row->left_sum = row->all_sum;
  result->n_kept = row->n;
  for (uint32_t f = 0; f < n_filters; f++)
    run_filter(row, &filters[f], (uint8_t)(f + 1), options->steps ? &options->steps[f] : &unwanted, result);
}
