/* What changes the numbers of a row: check and pad, divide by a temperature, penalties, biases, masks. */
#include "impl.h"
#include "lanes.h"

size_t smp_row_capacity(size_t n) {
  if (n > SMP_ROW_MAX) return 0;
  return (n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK * SMP_ROW_BLOCK;
}

/* The block that starts at `at`; a last, shorter one as a copy padded with -inf, because the row may be const. */
static const float *block_at(const float *row, size_t n, size_t at, float copy[SMP_ROW_BLOCK]) {
  if (at + SMP_ROW_BLOCK <= n) return row + at;
  for (size_t i = 0; i < SMP_ROW_BLOCK; i++) copy[i] = at + i < n ? row[at + i] : -(float)SMP_INF;
  return copy;
}

/* The first entry that is NaN or +inf; there is one. */
static smp_status fail_at_first(const float *row, smp_where *where) {
  uint32_t i = 0;
  while (row[i] < (float)SMP_INF) i++;
  return smp_fail(row[i] != row[i] ? SMP_ERR_NAN : SMP_ERR_INF, SMP_AT_ROW, i, where);
}

static uint32_t first_equal(const float *row, size_t n, float max) {
  float copy[SMP_ROW_BLOCK];
  size_t at = 0;
  for (;; at += SMP_ROW_BLOCK) {
    const float *block = block_at(row, n, at, copy);
    lanes_bits found = {0};
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) found |= lanes_equal(lanes_load(block + i), lanes_all(max));
    if (lanes_any(found)) break;
  }
  while (row[at] != max) at++;
  return (uint32_t)at;
}

smp_status smp_row_check(const float *row, size_t n, float *max, uint32_t *id, smp_where *where) {
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);

  const lanes infinite = lanes_all((float)SMP_INF);
  lanes greatest = lanes_all(-(float)SMP_INF);
  lanes_bits legal = ~(lanes_bits){0};
  float copy[SMP_ROW_BLOCK];
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    const float *block = block_at(row, n, at, copy);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      lanes x = lanes_load(block + i);
      legal &= lanes_less(x, infinite); /* false for NaN too */
      greatest = lanes_max(x, greatest);
    }
  }
  if (lanes_any(~legal)) return fail_at_first(row, where);
  float found = lanes_greatest(greatest);
  if (found == -(float)SMP_INF) return smp_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);

  uint32_t first = first_equal(row, n, found);
  if (max) *max = row[first]; /* not `found`: of -0 and +0, the one that stands there */
  if (id) *id = first;
  return SMP_OK;
}

static void pad(float *row, size_t n) {
  for (size_t i = n; i < smp_row_capacity(n); i++) row[i] = -(float)SMP_INF;
}

smp_status smp_row_scan(float *row, size_t n, float *max, uint32_t *id, smp_where *where) {
  smp_status status = smp_row_check(row, n, max, id, where);
  if (status == SMP_OK) pad(row, n);
  return status;
}

smp_status smp_row_temperature(float *row, size_t n, float tau, smp_where *where) {
  float max;
  smp_status status = smp_row_check(row, n, &max, NULL, where);
  if (status) return status;
  if (!(tau > 0 && tau < (float)SMP_INF)) return smp_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0, where);
  float greatest = max / tau;
  if (greatest == (float)SMP_INF || greatest == -(float)SMP_INF)
    return smp_fail(SMP_ERR_PARAM, SMP_AT_TEMPERATURE, 0, where);

  pad(row, n);
  for (size_t i = 0; i < smp_row_capacity(n); i += 4) lanes_store(row + i, lanes_load(row + i) / lanes_all(tau));
  return SMP_OK;
}

/* ---- The same on its way through a chain ------------------------------------------------------------------------ */

static const float NONE = -(float)SMP_INF; /* what a removed entry is */

static float block_greatest(const float *block) {
  lanes greatest = lanes_load(block);
  for (size_t i = 4; i < SMP_ROW_BLOCK; i += 4) greatest = lanes_max(lanes_load(block + i), greatest);
  return lanes_greatest(greatest);
}

static size_t count_live(const smp_run *run) {
  lanes_bits count = {0};
  const lanes tau = lanes_all(run->tau), none = lanes_all(NONE);
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4)
      count = lanes_count(count, lanes_less(none, lanes_load(block + i) / tau));
  }
  return (size_t)count[0] + count[1] + count[2] + count[3];
}

/* The greatest of each block and of all, the least of all if `with_least`, a constant, says so, and a sum that is not finite
   if an entry is not, or if it overflows. Whole blocks only; four of everything, so that no result waits for the one
   before. */
LANES_INLINE float survey(smp_run *run, size_t blocks, int with_least) {
  lanes greatest = lanes_all(NONE), low[4], sum[4];
  for (size_t j = 0; j < 4; j++) {
    low[j] = lanes_all(with_least ? (float)SMP_INF : NONE);
    sum[j] = lanes_all(0);
  }
  for (size_t b = 0; b < blocks; b++) {
    const float *block = run->x + b * SMP_ROW_BLOCK;
    lanes top[4];
    LANES_UNROLL
    for (size_t j = 0; j < 4; j++) {
      top[j] = lanes_load(block + 4 * j);
      if (with_least) low[j] = lanes_min(top[j], low[j]);
      sum[j] += top[j];
    }
    LANES_UNROLL
    for (size_t i = 16; i < SMP_ROW_BLOCK; i += 16) LANES_UNROLL
    for (size_t j = 0; j < 4; j++) {
      lanes x = lanes_load(block + i + 4 * j);
      top[j] = lanes_max(x, top[j]);
      if (with_least) low[j] = lanes_min(x, low[j]);
      sum[j] += x;
    }
    lanes all = lanes_max(lanes_max(top[0], top[1]), lanes_max(top[2], top[3]));
    greatest = lanes_max(all, greatest);
    run->block_max[b] = lanes_greatest(all);
  }
  run->max = lanes_greatest(greatest);
  run->least = lanes_least(lanes_min(lanes_min(low[0], low[1]), lanes_min(low[2], low[3])));
  lanes total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return (total[0] + total[1]) + (total[2] + total[3]);
}

smp_status smp_run_start(smp_run *run, const float *row, size_t n, int with_least, smp_where *where) {
  if (n == 0) return smp_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (n > SMP_ROW_MAX) return smp_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  const size_t whole = n / SMP_ROW_BLOCK, blocks = (n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
  run->x = row;
  run->n_row = run->n = n;
  run->tau = 1;
  run->mass_kept = 1;
  block_at(row, n, whole * SMP_ROW_BLOCK, run->tail);

  float sum = with_least ? survey(run, whole, 1) : survey(run, whole, 0);
  for (size_t i = whole * SMP_ROW_BLOCK; i < n; i++) {
    sum += row[i];
    if (row[i] < run->least) run->least = row[i];
  }
  for (size_t b = whole; b < blocks || b % SMP_ROW_BLOCK; b++) {
    run->block_max[b] = b < blocks ? block_greatest(run->tail) : NONE;
    if (run->block_max[b] > run->max) run->max = run->block_max[b];
  }
  run->n_live = n;
  if (sum - sum == 0) return SMP_OK;
  smp_status status = smp_row_check(row, n, NULL, NULL, where); /* masked, or illegal, or large */
  if (status == SMP_OK && run->least == NONE) run->n_live = count_live(run);
  return status;
}

void smp_run_own(smp_run *run) {
  if (run->x == run->values && run->tau == 1) return;
  const lanes tau = lanes_all(run->tau);
  for (size_t at = 0; at < run->n; at += SMP_ROW_BLOCK) {
    const float *block = run_block(run, at);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) lanes_store(run->values + at + i, lanes_load(block + i) / tau);
  }
  run->x = run->values;
  run->tau = 1;
}

/* After entries have changed: the greatest one; a list closes up over those that are gone. */
static void settle(smp_run *run) {
  run->weighed = 0;
  run->least = NONE; /* not known any more */
  if (run->listed) {
    size_t left = 0;
    for (size_t i = 0; i < run->n; i++) {
      run->values[left] = run->values[i];
      run->ids[left] = run->ids[i];
      left += run->values[i] > NONE;
    }
    run->n = left;
    for (size_t i = left; i % SMP_ROW_BLOCK; i++) run->values[i] = NONE;
  }
  const float *from = run->listed ? run->values : run->block_max;
  const size_t blocks = (run->n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK, n = run->listed ? run->n : blocks;
  run->max = NONE;
  for (size_t i = 0; i < n; i++)
    if (from[i] > run->max) run->max = from[i];
}

int smp_run_temperature(smp_run *run, float tau) {
  float greatest = run->max / tau;
  if (greatest == (float)SMP_INF || greatest == NONE) return 0;
  if (tau == 1) return 1;
  run->weighed = 0;
  if (run->listed || run->tau != 1) smp_run_own(run);
  run->tau = tau;
  if (run->listed) {
    smp_run_own(run);
    settle(run);
    run->n_live = run->n;
    return 1;
  }
  const size_t blocks = (run->n + SMP_ROW_BLOCK - 1) / SMP_ROW_BLOCK;
  for (size_t b = 0; b < blocks; b += 4)
    lanes_store(run->block_max + b, lanes_load(run->block_max + b) / lanes_all(tau));
  run->max = greatest;
  run->least /= tau;
  if (run->least == NONE) run->n_live = count_live(run);
  return 1;
}

/* ---- Single entries ---------------------------------------------------------------------------------------------- */

/* Where an id stands, or SIZE_MAX if it has been removed. */
static size_t place_of(const smp_run *run, uint32_t id) {
  size_t low = 0, high = run->n;
  if (!run->listed) return run->x[id] > NONE ? id : SIZE_MAX;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (run->ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < run->n && run->ids[low] == id && run->values[low] > NONE ? low : SIZE_MAX;
}

/* Give an entry above -inf a new value. 0 if that is not below +inf. */
static int change(smp_run *run, size_t place, float x) {
  if (!(x < (float)SMP_INF)) return 0;
  if (x == NONE) {
    run->n_live--;
    if (run->weighed) run->mass_kept -= (double)run->weight[place] / run->sum;
  }
  run->values[place] = x;
  if (run->listed) return 1;
  size_t block = place / SMP_ROW_BLOCK;
  run->block_max[block] = block_greatest(run->values + block * SMP_ROW_BLOCK);
  return 1;
}

static float penalised(const smp_step *step, float x, uint32_t times) {
  const float value = (float)step->value;
  if (step->kind == SMP_STEP_PRESENCE) return x - value;
  if (step->kind == SMP_STEP_FREQUENCY) return x - value * (float)times;
  return x < 0 ? x * value : x / value;
}

/* Once for each distinct id of the context. The weights have to be made again, so their room can hold the counts. */
static int penalise(smp_run *run, const smp_step *step, const uint32_t *context, size_t n) {
  uint32_t *times = (uint32_t *)(void *)run->weight;
  size_t first = step->count && step->count < n ? n - step->count : 0, place;
  run->weighed = 0;
  for (size_t i = first; i < n; i++)
    if ((place = place_of(run, context[i])) != SIZE_MAX) times[place] = 0;
  for (size_t i = first; i < n; i++)
    if ((place = place_of(run, context[i])) != SIZE_MAX) times[place]++;
  for (size_t i = first; i < n; i++) {
    place = place_of(run, context[i]);
    if (place == SIZE_MAX || times[place] == 0) continue;
    if (!change(run, place, penalised(step, run->values[place], times[place]))) return 0;
    times[place] = 0;
  }
  return 1;
}

static void ban(smp_run *run, uint32_t id) {
  const size_t place = place_of(run, id);
  if (place != SIZE_MAX) change(run, place, NONE);
}

/* Where the greatest suffix of m ids starts, ids ordered by < or, if turned, by >; and its period. */
static size_t greatest_suffix(const uint32_t *ids, size_t m, int turned, size_t *period) {
  size_t start = 0, other = 1, same = 0; /* how many ids of a later suffix are known to equal those of the greatest */
  *period = 1;
  while (other + same < m) {
    const uint32_t a = ids[other + same], b = ids[start + same];
    if (a == b) {
      same++;
      if (same < *period) continue;
      other += *period;
    } else if ((a < b) != turned) {
      other += same + 1;
      *period = other - start;
    } else {
      start = other++;
      *period = 1;
    }
    same = 0;
  }
  return start;
}

/* Bans what followed the last `m` ids of the context, m >= 1, wherever they stand before its end. Linear and without a table:
   Crochemore and Perrin, Two-way string-matching (JACM 1991). The ids are compared from a cut on rightwards, then before it;
   a mismatch on the right moves on past it, any other end by a period, behind which `known` ids need no second look. */
static void ban_followers(smp_run *run, size_t m, const uint32_t *context, size_t n) {
  const uint32_t *last = context + n - m;
  size_t period, other_period;
  size_t cut = greatest_suffix(last, m, 0, &period), other = greatest_suffix(last, m, 1, &other_period);
  if (other > cut) cut = other, period = other_period;
  const int periodic = memcmp(last, last + period, cut * sizeof *last) == 0;
  if (!periodic) period = (cut > m - cut ? cut : m - cut) + 1;
  for (size_t at = 0, known = 0; at + m < n;) {
    size_t i = cut > known ? cut : known;
    while (i < m && last[i] == context[at + i]) i++;
    if (i < m) {
      at += i - cut + 1;
      known = 0;
      continue;
    }
    for (i = cut; i > known && last[i - 1] == context[at + i - 1];) i--;
    if (i <= known) ban(run, context[at + m]);
    at += period;
    known = periodic ? m - period : 0;
  }
}

static void ban_repeats(smp_run *run, size_t length, const uint32_t *context, size_t n) {
  if (n < length) return;
  if (length > 1) {
    ban_followers(run, length - 1, context, n);
    return;
  }
  for (size_t i = 0; i < n; i++) ban(run, context[i]);
}

/* 0 if a result is not below +inf, or nothing is left. */
int smp_run_step(smp_run *run, const smp_step *step, const uint32_t *context, size_t n_context) {
  int fine = 1;
  smp_run_own(run);
  if (step->kind == SMP_STEP_NO_REPEAT)
    ban_repeats(run, step->count, context, n_context);
  else if (step->kind == SMP_STEP_BIAS || step->kind == SMP_STEP_MASK) {
    for (size_t j = 0; fine && j < step->count; j++) {
      size_t place = place_of(run, step->ids[j]);
      if (place == SIZE_MAX) continue;
      fine = change(run, place, step->kind == SMP_STEP_MASK ? NONE : run->values[place] + step->values[j]);
    }
  } else
    fine = penalise(run, step, context, n_context);
  settle(run);
  return fine && run->n_live > 0;
}
