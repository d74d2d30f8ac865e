/* GPT-2, one token after the other: embeddings, blocks of attention and GELU, logits. gpt_reference.c says the same in
   the plainest C and double precision: read that first. smp_gpt.h states the order of every sum. */
#include "gpt.h"
#include "lanes.h"

/* Where the parts of a layer stand in a cache: its keys, a row of places for each number of the width, so that lanes
   are entries; then its values, a row of the width for each entry, so that lanes are numbers. */
static size_t places_of(uint32_t capacity) {
  return (capacity + 3u) / 4 * 4;
}

static float *keys_of(const smp_gpt *gpt, const smp_gpt_cache *cache, uint32_t layer) {
  return cache->memory + 2 * (size_t)layer * gpt->width * places_of(cache->capacity);
}

static float *values_of(const smp_gpt *gpt, const smp_gpt_cache *cache, uint32_t layer) {
  return keys_of(gpt, cache, layer) + gpt->width * places_of(cache->capacity);
}

static int is_capacity(uint32_t capacity) {
  return capacity >= 1 && capacity <= SMP_GPT_ENTRIES;
}

size_t smp_gpt_cache_size(const smp_gpt *gpt, uint32_t capacity) {
  return is_capacity(capacity) ? 2 * sizeof(float) * gpt->n_layers * gpt->width * places_of(capacity) : 0;
}

/* Vectors of one token on its way, and the weights of one head. */
typedef struct work_area {
  float *x;        /* what runs through the blocks */
  float *norm;     /* its LayerNorm, or what else goes into a matrix: arranged */
  float *qkv;      /* query, key, value; then the parts of a block that are added to x */
  float *heads;    /* what the heads give */
  float *hidden;   /* four widths */
  float *arranged; /* four widths: arranged */
  float *weights;  /* one per entry, in whole blocks */
} work_area;

static size_t weights_of(uint32_t capacity) {
  return smp_row_capacity(capacity);
}

size_t smp_gpt_work_size(const smp_gpt *gpt, uint32_t capacity) {
  return is_capacity(capacity) ? sizeof(float) * (14 * (size_t)gpt->width + weights_of(capacity)) : 0;
}

static work_area lay_out(const smp_gpt *gpt, void *work) {
  work_area w;
  const size_t width = gpt->width;
  w.x = work;
  w.norm = w.x + width;
  w.qkv = w.norm + width;
  w.heads = w.qkv + 3 * width;
  w.hidden = w.heads + width;
  w.arranged = w.hidden + 4 * width;
  w.weights = w.arranged + 4 * width;
  return w;
}

/* ---- A matrix times a vector ------------------------------------------------------------------------------------- */

/* Of each sixteen numbers element 4i + j to place 4j + i, where lanes_of_bytes has it. */
static void arrange(const float *x, size_t n, float *to) {
  for (size_t at = 0; at < n; at += 16)
    for (size_t j = 0; j < 4; j++)
      lanes_store(to + at + 4 * j, (lanes){x[at + j], x[at + 4 + j], x[at + 8 + j], x[at + 12 + j]});
}

/* The sixteen partial sums of a row, folded to four. */
LANES_INLINE lanes sums_of_row(const unsigned char *row, const float *x, size_t n) {
  lanes a = lanes_all(0), b = a, c = a, d = a;
  for (size_t at = 0; at < n; at += 16) {
    const lanes_bits bytes = lanes_bytes(row + at);
    a += lanes_of_bytes(bytes, 0) * lanes_load(x + at);
    b += lanes_of_bytes(bytes, 1) * lanes_load(x + at + 4);
    c += lanes_of_bytes(bytes, 2) * lanes_load(x + at + 8);
    d += lanes_of_bytes(bytes, 3) * lanes_load(x + at + 12);
  }
  return (a + c) + (b + d);
}

/* out[r] = bias[r] + scale[r] * (sum over c of weight[r][c] * x[c]); without bias if that is NULL. */
static void multiply(const unsigned char *weight, const unsigned char *scale, const unsigned char *bias, size_t rows,
                     size_t columns, const float *x, float *out) {
  size_t r = 0;
  for (; r + 4 <= rows; r += 4, weight += 4 * columns) {
    lanes s[4];
    LANES_UNROLL
    for (size_t i = 0; i < 4; i++) s[i] = sums_of_row(weight + i * columns, x, columns);
    const lanes even = (lanes){s[0][0], s[1][0], s[2][0], s[3][0]} + (lanes){s[0][2], s[1][2], s[2][2], s[3][2]};
    const lanes odd = (lanes){s[0][1], s[1][1], s[2][1], s[3][1]} + (lanes){s[0][3], s[1][3], s[2][3], s[3][3]};
    const lanes sum = (even + odd) * lanes_read(scale + 4 * r);
    lanes_store(out + r, bias ? lanes_read(bias + 4 * r) + sum : sum);
  }
  for (; r < rows; r++, weight += columns) {
    const lanes s = sums_of_row(weight, x, columns);
    const float sum = ((s[0] + s[2]) + (s[1] + s[3])) * gpt_float(scale, r);
    out[r] = bias ? gpt_float(bias, r) + sum : sum;
  }
}

/* A matrix of a block, with its scales and bias behind it. */
static void multiply_by(const smp_gpt *gpt, uint32_t tensor, size_t rows, size_t columns, const float *x, float *out) {
  multiply(gpt_tensor(gpt, tensor), gpt_tensor(gpt, tensor + 1), gpt_tensor(gpt, tensor + 2), rows, columns, x, out);
}

static void add(float *x, const float *more, size_t n) {
  for (size_t i = 0; i < n; i += 4) lanes_store(x + i, lanes_load(x + i) + lanes_load(more + i));
}

/* ---- LayerNorm --------------------------------------------------------------------------------------------------- */

/* The sum of x - mean, or of its squares. */
LANES_INLINE double sum_of(const float *x, size_t n, float mean, int squared) {
  double sum = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    float block[SMP_ROW_BLOCK] = {0};
    for (size_t i = 0; i < SMP_ROW_BLOCK && at + i < n; i += 4) {
      const lanes apart = lanes_load(x + at + i) - lanes_all(mean);
      lanes_store(block + i, squared ? apart * apart : apart);
    }
    sum += lanes_sum_block(block);
  }
  return sum;
}

static void layer_norm(const smp_gpt *gpt, uint32_t tensor, const float *x, float *scratch, float *arranged) {
  const unsigned char *weight = gpt_tensor(gpt, tensor), *bias = gpt_tensor(gpt, tensor + 1);
  const size_t n = gpt->width;
  const float mean = (float)(sum_of(x, n, 0, 0) / (double)n);
  const double variance = sum_of(x, n, mean, 1) / (double)n;
  const lanes inverse = lanes_all((float)(1 / __builtin_sqrt(variance + 1e-5)));
  for (size_t i = 0; i < n; i += 4)
    lanes_store(scratch + i, (lanes_load(x + i) - lanes_all(mean)) * inverse * lanes_read(weight + 4 * i) +
                                 lanes_read(bias + 4 * i));
  arrange(scratch, n, arranged);
}

/* ---- Attention --------------------------------------------------------------------------------------------------- */

/* The products of a query with the keys of all entries, 16 entries at a time while there are so many; past the last
   entry, to a whole block, -inf. */
static void score(const float *query, const float *keys, size_t places, size_t size, float scale, size_t n,
                  float *scores) {
  size_t at = 0;
  for (; at + 16 <= places && at < n; at += 16) {
    lanes a = lanes_all(0), b = a, c = a, d = a;
    for (size_t i = 0; i < size; i++) {
      const float *key = keys + i * places + at;
      const lanes q = lanes_all(query[i]);
      a += q * lanes_load(key);
      b += q * lanes_load(key + 4);
      c += q * lanes_load(key + 8);
      d += q * lanes_load(key + 12);
    }
    lanes_store(scores + at, a * lanes_all(scale));
    lanes_store(scores + at + 4, b * lanes_all(scale));
    lanes_store(scores + at + 8, c * lanes_all(scale));
    lanes_store(scores + at + 12, d * lanes_all(scale));
  }
  for (; at < n; at += 4) {
    lanes a = lanes_all(0);
    for (size_t i = 0; i < size; i++) a += lanes_all(query[i]) * lanes_load(keys + i * places + at);
    lanes_store(scores + at, a * lanes_all(scale));
  }
  for (size_t i = n; i < smp_row_capacity(n); i++) scores[i] = SMP_REMOVED;
}

/* The scores become e^(score - max); returns 1 over their sum. */
static float weigh(float *scores, size_t n) {
  const lanes_exp_constants k = lanes_exp_ready();
  lanes largest = lanes_load(scores);
  for (size_t i = 4; i < n; i += 4) largest = lanes_max(lanes_load(scores + i), largest);
  const lanes max = lanes_all(lanes_largest(largest));
  double sum = 0;
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK)
    sum += lanes_exp_block(scores + at, 0, 1, lanes_all(1), max, &k, scores + at);
  return (float)(1 / sum);
}

/* The values of all entries, weighted. */
static void gather(const float *weights, const float *values, size_t width, size_t size, float share, size_t n,
                   float *out) {
  for (size_t i = 0; i < size; i += 4) {
    lanes sum = lanes_all(0);
    for (size_t entry = 0; entry < n; entry++)
      sum += lanes_all(weights[entry]) * lanes_load(values + entry * width + i);
    lanes_store(out + i, sum * lanes_all(share));
  }
}

static void write_entry(const smp_gpt *gpt, const smp_gpt_cache *cache, uint32_t layer, const work_area *w) {
  const size_t width = gpt->width, places = places_of(cache->capacity), entry = cache->n;
  float *keys = keys_of(gpt, cache, layer), *values = values_of(gpt, cache, layer);
  for (size_t i = 0; i < width; i++) keys[i * places + entry] = w->qkv[width + i];
  memcpy(values + entry * width, w->qkv + 2 * width, width * sizeof *values);
}

/* The token looks at all entries, its own the last. */
static void attend(const smp_gpt *gpt, const smp_gpt_cache *cache, uint32_t layer, const work_area *w) {
  const size_t width = gpt->width, size = width / gpt->n_heads, places = places_of(cache->capacity);
  const float scale = (float)(1 / __builtin_sqrt((double)size));
  const float *keys = keys_of(gpt, cache, layer), *values = values_of(gpt, cache, layer);
  const size_t entry = cache->n;
  for (size_t from = 0; from < width; from += size) {
    score(w->qkv + from, keys + from * places, places, size, scale, entry + 1, w->weights);
    const float share = weigh(w->weights, entry + 1);
    gather(w->weights, values + from, width, size, share, entry + 1, w->heads + from);
  }
}

/* ---- GELU -------------------------------------------------------------------------------------------------------- */

/* 0.5 x (1 + tanh v) with v = sqrt(2 / pi) (x + 0.044715 x^3), in place: x / (1 + e^-2v), by e^-|2v| alone. */
static void gelu(float *x, size_t n) {
  const lanes_exp_constants k = lanes_exp_ready();
  const lanes twice = lanes_all(0x1.988454p+0f), cubic = lanes_all(0.044715f), one = lanes_all(1);
  for (size_t at = 0; at < n; at += SMP_ROW_BLOCK) {
    float v[SMP_ROW_BLOCK], less[SMP_ROW_BLOCK];
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      const lanes z = lanes_load(x + at + i), up = twice * (z + cubic * (z * z * z));
      lanes_store(v + i, up);
      lanes_store(less + i, lanes_min(up, -up));
    }
    lanes_exp_block(less, 0, 1, one, lanes_all(0), &k, less);
    for (size_t i = 0; i < SMP_ROW_BLOCK; i += 4) {
      const lanes e = lanes_load(less + i);
      const lanes_bits falls = lanes_less(lanes_load(v + i), lanes_all(0));
      lanes_store(x + at + i, lanes_load(x + at + i) * (lanes_select(falls, e, one) / (one + e)));
    }
  }
}

/* ---- The model --------------------------------------------------------------------------------------------------- */

static void embed(const smp_gpt *gpt, uint32_t id, uint32_t position, float *x) {
  const size_t width = gpt->width;
  const unsigned char *token = gpt_tensor(gpt, GPT_TOKENS) + id * width,
                      *place = gpt_tensor(gpt, GPT_PLACES) + position * width;
  const float of_token = gpt_float(gpt_tensor(gpt, GPT_TOKENS_SCALE), id),
              of_place = gpt_float(gpt_tensor(gpt, GPT_PLACES_SCALE), position);
  for (size_t i = 0; i < width; i++) x[i] = of_token * (float)(int8_t)token[i] + of_place * (float)(int8_t)place[i];
}

/* One token becomes an entry. x is then what the last LayerNorm takes, if it is wanted: else the last block has only an
   entry to give. */
static void run_token(const smp_gpt *gpt, smp_gpt_cache *cache, uint32_t id, uint32_t position, int is_wanted,
                      const work_area *w) {
  const size_t width = gpt->width;
  embed(gpt, id, position, w->x);
  for (uint32_t layer = 0; layer < gpt->n_layers; layer++) {
    const uint32_t block = GPT_BLOCKS + layer * GPT_OF_BLOCK;
    layer_norm(gpt, block + GPT_NORM_1, w->x, w->heads, w->norm);
    multiply_by(gpt, block + GPT_QKV, 3 * width, width, w->norm, w->qkv);
    write_entry(gpt, cache, layer, w);
    if (!is_wanted && layer + 1 == gpt->n_layers) break;
    attend(gpt, cache, layer, w);
    arrange(w->heads, width, w->norm);
    multiply_by(gpt, block + GPT_PROJ, width, width, w->norm, w->qkv);
    add(w->x, w->qkv, width);
    layer_norm(gpt, block + GPT_NORM_2, w->x, w->heads, w->norm);
    multiply_by(gpt, block + GPT_UP, 4 * width, width, w->norm, w->hidden);
    gelu(w->hidden, 4 * width);
    arrange(w->hidden, 4 * width, w->arranged);
    multiply_by(gpt, block + GPT_DOWN, width, 4 * width, w->arranged, w->qkv);
    add(w->x, w->qkv, width);
  }
  cache->n++;
}

static smp_status check_feed(const smp_gpt *gpt, const smp_gpt_cache *cache, const uint32_t *ids, uint32_t n_ids,
                             uint32_t position, smp_where *where) {
  if (!is_capacity(cache->capacity) || cache->n > cache->capacity)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_CACHE, 0, where);
  if (n_ids == 0) return smpi_fail(SMP_ERR_EMPTY, SMP_AT_CONTEXT, 0, where);
  for (uint32_t i = 0; i < n_ids; i++)
    if (ids[i] >= gpt->n_tokens) return smpi_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  if (position >= gpt->n_context || n_ids > gpt->n_context - position)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_POSITION, 0, where);
  if (n_ids > cache->capacity - cache->n) return smpi_fail(SMP_ERR_LENGTH, SMP_AT_CACHE, 0, where);
  return SMP_OK;
}

smp_status smp_gpt_feed(const smp_gpt *gpt, smp_gpt_cache *cache, const uint32_t *ids, uint32_t n_ids,
                        uint32_t position, float *logits, void *work, smp_where *where) {
  const smp_status status = check_feed(gpt, cache, ids, n_ids, position, where);
  if (status) return status;
  const work_area w = lay_out(gpt, work);
  for (uint32_t i = 0; i < n_ids; i++) run_token(gpt, cache, ids[i], position + i, logits && i + 1 == n_ids, &w);
  if (!logits) return SMP_OK;
  layer_norm(gpt, GPT_LAST_NORM, w.x, w.heads, w.norm);
  multiply(gpt_tensor(gpt, GPT_TOKENS), gpt_tensor(gpt, GPT_TOKENS_SCALE), NULL, gpt->n_tokens, gpt->width, w.norm,
           logits);
  return SMP_OK;
}

smp_status smp_gpt_cache_cut(const smp_gpt *gpt, smp_gpt_cache *cache, uint32_t from, uint32_t to, smp_where *where) {
  if (!is_capacity(cache->capacity) || cache->n > cache->capacity || from > to || to > cache->n)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_CACHE, 0, where);
  const size_t width = gpt->width, places = places_of(cache->capacity), behind = cache->n - to;
  for (uint32_t layer = 0; layer < gpt->n_layers && behind > 0; layer++) {
    float *keys = keys_of(gpt, cache, layer), *values = values_of(gpt, cache, layer);
    for (size_t i = 0; i < width; i++) memmove(keys + i * places + from, keys + i * places + to, behind * sizeof *keys);
    memmove(values + from * width, values + to * width, behind * width * sizeof *values);
  }
  cache->n -= to - from;
  return SMP_OK;
}

smp_status smp_gpt_next(const smp_gpt *gpt, smp_gpt_cache *cache, const uint32_t *ids, uint32_t n_ids, float *logits,
                        void *work, smp_where *where) {
  if (!is_capacity(cache->capacity) || cache->capacity < gpt->n_context)
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_CACHE, 0, where);
  const uint32_t first = n_ids > gpt->n_context ? n_ids - gpt->n_context : 0;
  const uint32_t known = first > 0 || cache->n >= n_ids ? 0 : cache->n;
  smp_gpt_cache grown = {cache->memory, known, cache->capacity};
  const uint32_t skipped = first + known;
  const smp_status status = smp_gpt_feed(gpt, &grown, ids + skipped, n_ids - skipped, known, logits, work, where);
  if (status == SMP_OK) cache->n = grown.n;
  if (status && where && where->param == SMP_AT_CONTEXT) where->index += skipped;
  return status;
}
