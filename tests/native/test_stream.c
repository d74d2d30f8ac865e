/* Streams: the ids of smp_engine_draw, however they are cut, and what no stream may do. */
#include "engine.h"
#include "test.h"

enum { MOST = 300, DRAWS = 400 };

static const smp_drawing DRAWINGS[] = {SMP_DRAWING_GREEDY,         SMP_DRAWING_RACE,        SMP_DRAWING_RACE_MKL,
                                       SMP_DRAWING_BATCH_MKL,      SMP_DRAWING_REPLACEMENT, SMP_DRAWING_REPLACEMENT_MKL,
                                       SMP_DRAWING_WEIGHTED_INDEX, SMP_DRAWING_DIST,        SMP_DRAWING_SUBTRACT,
                                       SMP_DRAWING_INVERSE};

static uint32_t ids[MOST], drawn[DRAWS], wanted[DRAWS], counts[MOST];
static float weights[MOST];
static double work[2 * MOST], us[DRAWS]; /* a sum and half a double for each */
static smp_rng rng;

/* Candidates with gaps between them, some of weight 0, some far apart in size. */
static smp_stream random_stream(uint64_t *state, smp_drawing drawing, uint32_t draws) {
  const uint32_t n = 1 + random_word(state) % (random_word(state) % 4 ? 12 : MOST), gaps = random_word(state) % 3;
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (gaps < 2 || random_word(state) % 4 == 0) ids[n_kept++] = i;
  if (n_kept == 0) ids[n_kept++] = n - 1;
  const uint32_t kind = random_word(state) % 4;
  for (uint32_t j = 0; j < n_kept; j++) {
    weights[j] = (float)(random_word(state) >> 8) * 0x1p-24f;
    if (kind == 1) weights[j] *= weights[j] * weights[j] * weights[j];
    if (kind == 2 && random_word(state) % 3 == 0) weights[j] = 0;
    if (kind == 3) weights[j] = (float)(1 + random_word(state) % 3) / 4;
  }
  weights[random_word(state) % n_kept] = 0.25f;
  smp_rng_seed(&rng, random_word(state) % 4 ? SMP_GENERATOR_MT19937 : SMP_GENERATOR_CHACHA12, random_word(state), 0,
               NULL);
  return (smp_stream){
      .ids = ids, .weights = weights, .rng = &rng, .n_kept = n_kept, .n = n, .draws = draws, .drawing = drawing};
}

static void same_ids_in_slices(uint64_t *state, smp_drawing drawing) {
  const uint32_t draws = random_word(state) % 4 ? 2 + random_word(state) % (DRAWS - 1) : 1;
  smp_stream stream = random_stream(state, drawing, draws);
  smp_rng plain = rng, again = rng;
  begin_case("drawing %d: %u draws among %u of %u", drawing, draws, stream.n_kept, stream.n);
  expect(smp_engine_draw(drawing, ids, weights, stream.n_kept, stream.n, &plain, wanted, draws, NULL) == SMP_OK,
         "refused");
  for (uint32_t done = 0, slice; done < draws; done += slice) {
    slice = random_word(state) % (draws - done + 1);
    expect(smp_stream_draw(&stream, drawn + done, us + done, slice, work, NULL) == SMP_OK, "a slice is refused");
  }
  for (uint32_t i = 0; i < draws; i++) expect(drawn[i] == wanted[i], "draw %u is %u, want %u", i, drawn[i], wanted[i]);
  for (uint32_t i = 0; i < draws; i++) expect(us[i] >= 0 && us[i] < 1, "u %u is %g", i, us[i]);
  expect(stream.done == draws && memcmp(&rng, &plain, sizeof rng) == 0,
         "it leaves another generator: %g words, want %g", rng.words, plain.words);

  rng = again;
  stream.done = stream.batch = 0;
  memset(counts, 0, sizeof counts);
  const uint32_t first = random_word(state) % (draws + 1);
  expect(smp_stream_count(&stream, counts, first, work, NULL) == SMP_OK, "the first part is refused");
  expect(smp_stream_count(&stream, counts, draws - first, work, NULL) == SMP_OK, "the second part is refused");
  for (uint32_t i = 0; i < draws; i++) counts[wanted[i]]--;
  for (uint32_t i = 0; i < stream.n; i++) expect(counts[i] == 0, "another count of %u", i);
}

/* The word of every draw is the same, 0 or the largest. */
static void set_words(uint32_t word) {
  smp_rng_seed(&rng, SMP_GENERATOR_CHACHA12, 1, 0, NULL);
  for (int i = 0; i < 16; i++) rng.state[10 + i] = word;
  rng.at = 0;
}

static void ends(smp_drawing drawing) {
  static const float WEIGHTS[][5] = {
      {0, 0.5f, 0, 0.5f, 0},           {0, 0, 1, 0, 0},          {1, 0, 0, 0, 0},         {0, 0, 0, 0, 1e-45f},
      {0, 0x1p-149f, 1, 0x1p-149f, 0}, {0, 3e38f, 1e-30f, 0, 0}, {0, 0.1f, 0.7f, 0.2f, 0}};
  static const uint32_t IDS[5] = {0, 1, 2, 3, 4};
  for
    EACH(i, WEIGHTS)
  for (int largest = 0; largest < 2; largest++) {
    uint32_t out[5];
    double u;
    begin_case("drawing %d: weights %zu at %s", drawing, i, largest ? "the largest u" : "u = 0");
    smp_stream s = {
        .ids = IDS, .weights = WEIGHTS[i], .rng = &rng, .n_kept = 5, .n = 5, .draws = 5, .drawing = drawing};
    set_words(largest ? UINT32_MAX : 0);
    expect(smp_stream_draw(&s, out, &u, 1, work, NULL) == SMP_OK, "refused");
    expect(drawing == SMP_DRAWING_GREEDY || WEIGHTS[i][out[0]] > 0, "id %u has no weight", out[0]);
    if (!is_race(drawing) && drawing != SMP_DRAWING_GREEDY)
      expect(largest ? u > 0.9999998 && u < 1 : u == 0, "u is %a", u);
    set_words(largest ? UINT32_MAX : 0);
    expect(smp_engine_draw(drawing, IDS, WEIGHTS[i], 5, 5, &rng, out, 2, NULL) == SMP_OK, "refused");
    expect(drawing == SMP_DRAWING_GREEDY || WEIGHTS[i][out[0]] > 0, "smp_engine_draw: id %u has no weight", out[0]);
  }
}

static void edges_of_the_experiment(void) {
  static const double Z[4] = {0, 1, 2, 3};
  static const uint32_t IDS[4] = {0, 1, 2, 3};
  smp_lab_options options = {.tau = 0.8, .k = 2};
  smp_lab_result r;
  double taus[1] = {0.8}, edges[4], back[4];
  begin_case("the experiment's parts");
  smp_rng_seed(&rng, SMP_GENERATOR_CHACHA12, 2718, 0, NULL);
  expect(smp_lab_map(Z, 4, &options, taus, 1, edges, NULL) == SMP_OK, "no edges");
  smp_stream s = {
      .ids = IDS, .edges = edges, .rng = &rng, .n_kept = 4, .n = 4, .draws = DRAWS, .drawing = SMP_DRAWING_INVERSE};
  expect(smp_stream_draw(&s, drawn, us, DRAWS, work, NULL) == SMP_OK, "refused");
  for (uint32_t i = 0; i < DRAWS; i++) {
    options.u = us[i];
    smp_lab_run(Z, 4, &options, &r, NULL);
    expect(drawn[i] == r.id, "draw %u is %u, and u = %g chooses %u", i, drawn[i], us[i], r.id);
  }
  expect(smp_stream_edges(&s, back, NULL) == SMP_OK && memcmp(back, edges, sizeof edges) == 0, "other edges");
}

/* u lies in the part of the id that it chose. */
static void own_edges(uint64_t *state, smp_drawing drawing) {
  smp_stream s = random_stream(state, drawing, DRAWS);
  double edges[MOST];
  begin_case("drawing %d: edges of %u", drawing, s.n_kept);
  expect(smp_stream_edges(&s, edges, NULL) == SMP_OK, "refused");
  expect(edges[s.n_kept - 1] == 1, "the last is %g", edges[s.n_kept - 1]);
  expect(smp_stream_draw(&s, drawn, us, DRAWS, work, NULL) == SMP_OK, "refused");
  for (uint32_t i = 0; i < DRAWS; i++) {
    uint32_t j = 0;
    while (ids[j] != drawn[i]) j++;
    expect(us[i] <= edges[j] + 1e-6 && us[i] >= (j ? edges[j - 1] : 0) - 1e-6, "u = %g chose %u", us[i], drawn[i]);
  }
}

static void one_race(uint64_t *state, smp_drawing drawing) {
  smp_stream s = random_stream(state, drawing, DRAWS), other = s;
  smp_rng same = rng;
  float ratios[MOST];
  uint32_t id;
  begin_case("race %d of %u", drawing, s.n_kept);
  other.rng = &same;
  for (int i = 0; i < 20; i++) {
    expect(smp_stream_race(&s, ratios, &id, NULL) == SMP_OK, "refused");
    expect(smp_stream_draw(&other, drawn, NULL, 1, work, NULL) == SMP_OK, "refused");
    uint32_t best = 0;
    for (uint32_t j = 1; j < s.n_kept; j++)
      if (ratios[j] > ratios[best]) best = j;
    expect(id == ids[best] && id == drawn[0], "%u wins, %u is drawn, the largest is %u", id, drawn[0], ids[best]);
    for (uint32_t j = 0; j < s.n_kept; j++) expect((ratios[j] > 0) == (weights[j] > 0), "ratio %u", j);
  }
  expect(memcmp(&rng, &same, sizeof rng) == 0 && s.batch == other.batch, "another generator");
}

static void refused(void) {
  static const uint32_t IDS[3] = {0, 2, 3}, TWICE[3] = {0, 2, 2}, BEYOND[3] = {0, 2, 4};
  static const float W[3] = {1, 2, 3}, MINUS[3] = {1, -2, 3}, NONE[3] = {0, 0, 0}, HUGE_[3] = {3e38f, 3e38f, 1},
                     NAN_[3] = {1, 1, __builtin_nanf("")};
  static const double EDGES[3] = {0.5, 0.25, 1}, OVER[3] = {0.5, 0.5, 1.5}, ZERO[3] = {0, 0, 0};
  const smp_stream good = {
      .ids = IDS, .weights = W, .rng = &rng, .n_kept = 3, .n = 4, .draws = 9, .drawing = SMP_DRAWING_RACE};
  smp_stream bad[18];
  for
    EACH(i, bad) bad[i] = good;
  static const struct {
    smp_status status;
    smp_where where;
  } want[18] = {{SMP_ERR_EMPTY, {SMP_AT_ROW, 0}},       {SMP_ERR_LENGTH, {SMP_AT_ROW, 0}},
                {SMP_ERR_LENGTH, {SMP_AT_ROW, 0}},      {SMP_ERR_PARAM, {SMP_AT_GENERATOR, 0}},
                {SMP_ERR_PARAM, {SMP_AT_GENERATOR, 0}}, {SMP_ERR_PARAM, {SMP_AT_GENERATOR, 0}},
                {SMP_ERR_PARAM, {SMP_AT_RUN, 0}},       {SMP_ERR_PARAM, {SMP_AT_RUN, 0}},
                {SMP_ERR_PARAM, {SMP_AT_RUN, 0}},       {SMP_ERR_PARAM, {SMP_AT_KEPT, 2}},
                {SMP_ERR_PARAM, {SMP_AT_KEPT, 2}},      {SMP_ERR_PARAM, {SMP_AT_ROW, 1}},
                {SMP_ERR_MASKED, {SMP_AT_ROW, 0}},      {SMP_ERR_PARAM, {SMP_AT_ROW, 1}},
                {SMP_ERR_PARAM, {SMP_AT_ROW, 2}},       {SMP_ERR_PARAM, {SMP_AT_ROW, 1}},
                {SMP_ERR_PARAM, {SMP_AT_ROW, 2}},       {SMP_ERR_MASKED, {SMP_AT_ROW, 0}}};
  bad[0].n_kept = 0;
  bad[1].n_kept = SMP_ROW_MAX + 1;
  bad[2].n = SMP_ROW_MAX + 1;
  bad[3].drawing = SMP_DRAWING_NONE;
  bad[4].drawing = (smp_drawing)99;
  bad[5].batch = 0x7fffffff;
  bad[6].draws = 0;
  bad[7].done = 10;
  bad[8].done = 7; /* 3 more are asked for */
  bad[9].ids = TWICE;
  bad[10].ids = BEYOND;
  bad[11].weights = MINUS;
  bad[12].weights = NONE;
  bad[13].weights = HUGE_;
  bad[14].weights = NAN_;
  for (int i = 15; i < 18; i++) bad[i].drawing = SMP_DRAWING_INVERSE;
  bad[15].edges = EDGES;
  bad[16].edges = OVER;
  bad[17].edges = ZERO;
  for
    EACH(i, bad) {
      smp_where where = {SMP_AT_NONE, 7};
      uint32_t out[9], n[4] = {0, 0, 0, 0};
      begin_case("refused stream %zu", i);
      smp_rng_seed(&rng, SMP_GENERATOR_MT19937, 1, 0, NULL);
      const smp_rng before = rng;
      const smp_stream stream = bad[i];
      poison(out, sizeof out);
      smp_status status = smp_stream_draw(&bad[i], out, NULL, 3, work, &where);
      expect(status == want[i].status && where.param == want[i].where.param && where.index == want[i].where.index,
             "status %d at %d[%u]", status, where.param, where.index);
      expect(smp_stream_count(&bad[i], n, 3, work, NULL) == status && !(n[0] | n[1] | n[2] | n[3]), "it counted");
      expect(is_poison(out, sizeof out) && memcmp(&rng, &before, sizeof rng) == 0, "it drew");
      expect(memcmp(&stream, &bad[i], sizeof stream) == 0, "it moved on");
    }
  begin_case("only races can be looked at, and only INVERSE has edges");
  smp_stream dist = good;
  smp_where where;
  float ratios[3];
  uint32_t id;
  dist.drawing = SMP_DRAWING_DIST;
  expect(smp_stream_race(&dist, ratios, &id, &where) == SMP_ERR_PARAM && where.param == SMP_AT_GENERATOR, "a race");
  dist.edges = EDGES;
  expect(smp_stream_draw(&dist, &id, NULL, 1, work, &where) == SMP_ERR_PARAM && where.param == SMP_AT_GENERATOR,
         "edges");
  expect(smp_stream_work_size(0) == 0 && smp_stream_work_size(SMP_ROW_MAX + 1) == 0 && smp_stream_work_size(3) == 36,
         "work sizes");
}

/* Against the slow one, also where a float's neighbour is near. */
static void quick_logarithms(void) {
  uint64_t state = 5;
  begin_case("the quick logarithm is the nearest float of the slow one");
  for (int i = 0; i < 300000; i++) {
    const uint64_t bits = ((uint64_t)random_word(&state) << 32 | random_word(&state)) >> 11;
    const double u = (double)(bits | 1) * 0x1p-53,
                 tiny = u * of_bits((uint64_t)(1023 - random_word(&state) % 60) << 52);
    expect(smpi_rng_exponential(u) == (float)-smp_log1p(-u), "u = %a", u);
    expect(smpi_minus_log_float(tiny) == (float)-smp_log(tiny), "x = %a", tiny);
    expect(smpi_minus_log_float((double)(float)tiny) == (float)-smp_log((double)(float)tiny), "x = %a", tiny);
  }
  const double edges[] = {1, 0x1.fffffffffffffp-1, 0x1p-53, 0x1p-1022, 0x1p-1074, 0x1.68p-1, 0x1.67fffffffffffp-1, 0.5};
  for
    EACH(i, edges)
  expect(smpi_minus_log_float(edges[i]) == (float)-smp_log(edges[i]), "x = %a", edges[i]);
  expect(same_bits((double)smpi_rng_exponential(0), 0), "u = 0");
}

static void products_of_mkl(void) {
  begin_case("MKL's numbers without a division");
  uint32_t state = 1, plain = 1;
  for (int i = 0; i < 100000; i++) {
    smpi_rng_uniform_mkl(&state);
    plain = (uint32_t)((uint64_t)plain * 1132489760u % 0x7fffffff);
    expect(state == plain, "number %d", i);
  }
  for (uint32_t n = 0; n < 3000; n = n * 5 / 4 + 1) {
    uint32_t far = 12345, near = 12345;
    smpi_rng_skip_mkl(&far, n);
    for (uint32_t i = 0; i < n; i++) smpi_rng_uniform_mkl(&near);
    expect(far == near, "after %u", n);
  }
}

/* ---- The record and its like ------------------------------------------------------------------------------------- */

static const double *row_of(int which) {
  static const double RECORD[4] = {0, 1, 2, 3}, CANDLE[4] = {3, 2, 2, 1}, DOWN[4] = {3, 2, 1, 0};
  return which == 0 ? RECORD : which == 1 ? CANDLE : DOWN;
}

static void records(void) {
  static const struct {
    int row;
    double tau;
    int32_t k;
    smp_engine engine;
    uint32_t variant, seed, draws, counts[4];
  } cases[] = {
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 1000, {0, 0, 230, 770}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, 0, 2718, 1000, {0, 0, 227, 773}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_REPLACEMENT, 2718, 1000, {0, 0, 239, 761}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL | SMP_VARIANT_REPLACEMENT, 2718, 1000, {0, 0, 239, 761}},
      {0, 0.8, 2, SMP_ENGINE_CANDLE, 0, 2718, 1000, {0, 0, 218, 782}},
      {0, 0.8, 2, SMP_ENGINE_LLAMA_CPP, 0, 2718, 1000, {0, 0, 216, 784}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 10, {0, 0, 1, 9}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 100, {0, 0, 22, 78}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 10000, {0, 0, 2256, 7744}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 100000, {0, 0, 22237, 77763}},
      {0, 0.8, 2, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 1000000, {0, 0, 222234, 777766}},
      {1, 1, 2, SMP_ENGINE_CANDLE, 0, 42, 10000, {7349, 2651, 0, 0}},
      {2, 1, 4, SMP_ENGINE_CHAPTER, SMP_VARIANT_TORCH_MKL, 2718, 10, {5, 3, 2, 0}},
  };
  for
    EACH(i, cases) {
      static _Alignas(double) char room[4096];
      float row[SMP_ROW_BLOCK];
      uint32_t kept[4], got[4] = {0, 0, 0, 0};
      const smp_engine_call call = {.temperature = cases[i].tau,
                                    .top_k = cases[i].k,
                                    .given = 1 << SMP_SET_TEMPERATURE | 1 << SMP_SET_TOP_K,
                                    .settings_only = 1,
                                    .engine = cases[i].engine,
                                    .variant = cases[i].variant};
      smp_engine_result r;
      begin_case("record %zu", i);
      for (int j = 0; j < 4; j++) row[j] = (float)row_of(cases[i].row)[j];
      expect(smp_engine_work_size(4) <= sizeof room, "room");
      expect(smp_engine_run(row, 4, &call, kept, &r, room, NULL) == SMP_OK && !r.refusal, "refused");
      smp_rng_seed(&rng, r.generator, cases[i].seed, 0, NULL);
      smp_stream s = {.ids = kept,
                      .weights = row,
                      .rng = &rng,
                      .n_kept = r.n_kept,
                      .n = 4,
                      .draws = cases[i].draws,
                      .drawing = r.drawing};
      expect(smp_stream_count(&s, got, cases[i].draws, work, NULL) == SMP_OK, "refused");
      for (int j = 0; j < 4; j++)
        expect(got[j] == cases[i].counts[j], "id %d: %u, want %u", j, got[j], cases[i].counts[j]);
    }
}

void test_stream(void) {
  uint64_t state = 2718;
  for
    EACH(i, DRAWINGS) {
      for (int again = 0; again < 150; again++) same_ids_in_slices(&state, DRAWINGS[i]);
      ends(DRAWINGS[i]);
      if (DRAWINGS[i] == SMP_DRAWING_GREEDY) continue;
      for (int again = 0; again < 20; again++) {
        if (is_race(DRAWINGS[i]))
          one_race(&state, DRAWINGS[i]);
        else
          own_edges(&state, DRAWINGS[i]);
      }
    }
  edges_of_the_experiment();
  refused();
  quick_logarithms();
  products_of_mkl();
  records();
}
