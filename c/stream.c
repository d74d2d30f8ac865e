/* One distribution, drawn again and again: the ids of smp_engine_draw, with the cumulative sums made once a slice and
   searched, and random words taken in blocks. */
#include "engine.h"

enum {
  MKL_LARGEST = 0x7ffffffe, /* its state lies from 1 to here */
  FEW = 16,                 /* so many sums are compared one by one */
};

/* A sum of each candidate, and where the search for it begins. */
size_t smp_stream_work_size(size_t n_kept) {
  return n_kept <= SMP_ROW_MAX ? n_kept * (sizeof(double) + sizeof(uint32_t)) : 0;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static smp_status check_weights(const smp_stream *s, smp_where *where) {
  float sum = 0;
  for (uint32_t j = 0; j < s->n_kept; j++) {
    if (!(s->weights[j] >= 0)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_ROW, j, where);
    sum += s->weights[j];
    if (!(sum < (float)SMP_INF)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_ROW, j, where);
  }
  return sum > 0 ? SMP_OK : smpi_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);
}

static smp_status check_edges(const smp_stream *s, smp_where *where) {
  double before = 0;
  for (uint32_t j = 0; j < s->n_kept; before = s->edges[j++])
    if (!(s->edges[j] >= before && s->edges[j] <= 1)) return smpi_fail(SMP_ERR_PARAM, SMP_AT_ROW, j, where);
  return before > 0 ? SMP_OK : smpi_fail(SMP_ERR_MASKED, SMP_AT_ROW, 0, where);
}

static smp_status check(const smp_stream *s, uint32_t draws, smp_where *where) {
  if (s->n_kept == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_ROW, 0, where);
  if (s->n > SMP_ROW_MAX || s->n_kept > SMP_ROW_MAX) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_ROW, 0, where);
  if (!smpi_draw_is_known(s->drawing) || s->batch > MKL_LARGEST || (s->edges && s->drawing != SMP_DRAWING_INVERSE))
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  if (s->draws == 0 || s->done > s->draws || draws > s->draws - s->done)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_RUN, 0, where);
  for (uint32_t j = 0; j < s->n_kept; j++)
    if (s->ids[j] >= s->n || (j > 0 && s->ids[j] <= s->ids[j - 1] && is_race(smpi_draw_kind(s->drawing, s->draws))))
      return smpi_fail(SMP_ERR_PARAM, SMP_AT_KEPT, j, where);
  return s->edges ? check_edges(s, where) : check_weights(s, where);
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

typedef struct draws {
  const smp_stream *stream;
  smp_drawing drawing;
  double *sums;    /* of the candidates before `n`; not of races */
  size_t n;        /* all those up to the last that can be drawn, which takes what is left */
  uint32_t *guide; /* of each of n equal parts of the sums the first place whose sum reaches that part; NULL for few */
  double scale;    /* parts for 1 of a sum */
  double total;    /* what u is a share of */
  double unsure;   /* SUBTRACT: so near to a sum the order of its subtractions decides */
  rng_words words;
  uint32_t mkl;
} draws;

/* The sums as the drawing compares them with u times the total. */
static void add_up(draws *d, double *sums) {
  const smp_stream *s = d->stream;
  const int in_float = d->drawing == SMP_DRAWING_REPLACEMENT || d->drawing == SMP_DRAWING_WEIGHTED_INDEX;
  float narrow = 0;
  double sum = 0;
  d->total = 1;
  for (uint32_t j = 0; j < s->n_kept; j++) {
    const double before = sum;
    if (s->edges)
      sum = s->edges[j];
    else if (in_float)
      sum = (double)(narrow += s->weights[j]);
    else
      sum += (double)s->weights[j];
    sums[j] = sum;
    if (sum > before || (!s->edges && s->weights[j] > 0)) d->n = j + 1;
  }
  if (d->drawing == SMP_DRAWING_REPLACEMENT)
    for (uint32_t j = 0; j < s->n_kept; j++) sums[j] = (double)((float)sums[j] / narrow);
  else if (!s->edges)
    d->total = sum;
  if (d->drawing == SMP_DRAWING_SUBTRACT) d->unsure = sum * (double)s->n_kept * 0x1p-50;
}

/* Which of the n parts x lies in: never falls as x rises. */
static size_t part_of(const draws *d, double x) {
  const double part = x * d->scale;
  return part < (double)d->n ? (size_t)part : d->n - 1;
}

/* A sum that reaches x lies in the part of x or a later one: the search need not begin before the first such. */
static void guide(draws *d, uint32_t *places) {
  d->guide = places;
  d->scale = (double)d->n / d->sums[d->n - 1];
  size_t part = 0;
  for (size_t j = 0; j < d->n; j++)
    for (const size_t reached = part_of(d, d->sums[j]); part <= reached; part++) places[part] = (uint32_t)j;
  for (; part < d->n; part++) places[part] = (uint32_t)(d->n - 1);
}

static draws begin(const smp_stream *s, void *work) {
  draws d = {.stream = s, .drawing = smpi_draw_kind(s->drawing, s->draws), .sums = work, .n = 1};
  if (is_race(d.drawing) || d.drawing == SMP_DRAWING_GREEDY) return d;
  add_up(&d, d.sums);
  if (d.n > FEW) guide(&d, (uint32_t *)(d.sums + s->n_kept));
  return d;
}

/* ---- Search ------------------------------------------------------------------------------------------------------ */

/* The first of the ascending sums that is at least x, the last if there is none before it. */
static size_t first_reaching(const draws *d, double x) {
  size_t place = 0;
  if (d->guide) {
    for (place = d->guide[part_of(d, x)]; place + 1 < d->n && d->sums[place] < x;) place++;
    return place;
  }
  for (size_t j = 0; j + 1 < d->n; j++) place += d->sums[j] < x;
  return place;
}

/* The next double of a number that is not negative. */
static double above(double x) {
  return of_bits(bits_of(x) + 1);
}

/* transformers.js subtracts one weight after the other, and rounds each time: by no more than `unsure` in all. */
static size_t subtracted(const draws *d, double u) {
  const double x = u * d->total;
  const size_t place = first_reaching(d, above(x));
  const int sure_before = place == 0 || x - d->sums[place - 1] > d->unsure;
  if (sure_before && (place + 1 == d->n || d->sums[place] - x > d->unsure)) return place;
  return smpi_draw_subtract(d->stream->weights, d->stream->n_kept, d->total, u);
}

static size_t place_at(const draws *d, double u) {
  switch (d->drawing) {
  case SMP_DRAWING_REPLACEMENT:
  case SMP_DRAWING_DIST: { /* the first that reaches it, but none of weight 0 */
    const double x = u * d->total;
    return first_reaching(d, x > 0 ? x : above(0));
  }
  case SMP_DRAWING_WEIGHTED_INDEX:
    return first_reaching(d, above((double)((float)u * (float)d->total)));
  case SMP_DRAWING_INVERSE:
    return first_reaching(d, above(u * d->total));
  case SMP_DRAWING_SUBTRACT:
    return subtracted(d, u);
  default:
    return 0;
  }
}

/* ---- Draws ------------------------------------------------------------------------------------------------------- */

static size_t next_place(draws *d, double *u) {
  const smp_stream *s = d->stream;
  *u = 0;
  if (d->drawing == SMP_DRAWING_GREEDY) return 0;
  if (d->drawing == SMP_DRAWING_RACE_MKL) d->mkl = smpi_rng_seed_mkl(next_word(&d->words));
  if (is_race(d->drawing))
    return smpi_draw_race(s->ids, s->weights, s->n_kept, s->n, &d->words, d->mkl ? &d->mkl : NULL, NULL);
  *u = smpi_draw_uniform(d->drawing, &d->words);
  return place_at(d, *u);
}

static void take_words(draws *d, smp_stream *s, uint32_t count) {
  d->words = (rng_words){.rng = s->rng, .left = count * smpi_draw_words(d->drawing, s->n)};
  if (d->drawing == SMP_DRAWING_BATCH_MKL && count > 0)
    d->mkl = s->batch ? s->batch : smpi_rng_seed_mkl(smp_rng_next(s->rng));
}

static void end(const draws *d, smp_stream *s, uint32_t count) {
  s->done += count;
  if (d->drawing == SMP_DRAWING_BATCH_MKL && count > 0) s->batch = d->mkl;
}

smp_status smp_stream_count(smp_stream *stream, uint32_t *counts, uint32_t count, void *work, smp_where *where) {
  const smp_status status = check(stream, count, where);
  if (status) return status;
  double u;
  draws d = begin(stream, work);
  take_words(&d, stream, count);
  for (uint32_t i = 0; i < count; i++) counts[stream->ids[next_place(&d, &u)]]++;
  end(&d, stream, count);
  return SMP_OK;
}

smp_status smp_stream_draw(smp_stream *stream, uint32_t *ids, double *us, uint32_t count, void *work,
                           smp_where *where) {
  const smp_status status = check(stream, count, where);
  if (status) return status;
  double u;
  draws d = begin(stream, work);
  take_words(&d, stream, count);
  for (uint32_t i = 0; i < count; i++) {
    ids[i] = stream->ids[next_place(&d, &u)];
    if (us) us[i] = u;
  }
  end(&d, stream, count);
  return SMP_OK;
}

smp_status smp_stream_race(smp_stream *stream, float *ratios, uint32_t *id, smp_where *where) {
  const smp_status status = check(stream, 1, where);
  if (status) return status;
  if (!is_race(smpi_draw_kind(stream->drawing, stream->draws)))
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  draws d = begin(stream, NULL);
  take_words(&d, stream, 1);
  if (d.drawing == SMP_DRAWING_RACE_MKL) d.mkl = smpi_rng_seed_mkl(next_word(&d.words));
  *id = stream->ids[smpi_draw_race(stream->ids, stream->weights, stream->n_kept, stream->n, &d.words,
                                   d.mkl ? &d.mkl : NULL, ratios)];
  end(&d, stream, 1);
  return SMP_OK;
}

smp_status smp_stream_edges(const smp_stream *stream, double *edges, smp_where *where) {
  const smp_status status = check(stream, 0, where);
  if (status) return status;
  draws d = {.stream = stream, .drawing = smpi_draw_kind(stream->drawing, stream->draws), .n = 1};
  if (d.drawing != SMP_DRAWING_GREEDY) add_up(&d, edges);
  for (uint32_t j = 0; j < stream->n_kept; j++) edges[j] = j + 1 < d.n ? edges[j] / d.total : 1;
  return SMP_OK;
}
