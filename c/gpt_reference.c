/* The model on a blackboard: GPT-2 in plain C and double precision, the whole text at once and without a cache. Read
   this before gpt.c, which does the same in float32, one token after the other.

   Radford et al., Language Models are Unsupervised Multitask Learners (2019), whose code is `openai/gpt-2`,
   src/model.py; Vaswani et al., Attention Is All You Need, arXiv:1706.03762. The same in PyTorch: web/models/model.py.

       x[t]   = token[ids[t]] + place[t]
       x[t]  += proj(attention(qkv(norm(x[0])), ..., qkv(norm(x[t]))))     in each block
       x[t]  += down(gelu(up(norm(x[t]))))                                 in each block
       logits = token * norm(x[t])                                         the embeddings once more */
#include "gpt.h"
#include "gpt_reference.h"

/* A weight: scale of its row times int8. */
static double weight_of(const smp_gpt *gpt, uint32_t tensor, size_t row, size_t column, size_t columns) {
  const int8_t number = (int8_t)gpt_tensor(gpt, tensor)[row * columns + column];
  return (double)gpt_float(gpt_tensor(gpt, tensor + 1), row) * number;
}

/* out = W x + b. */
static void linear(const smp_gpt *gpt, uint32_t tensor, size_t rows, size_t columns, const double *x, double *out) {
  for (size_t r = 0; r < rows; r++) {
    out[r] = (double)gpt_float(gpt_tensor(gpt, tensor + 2), r);
    for (size_t c = 0; c < columns; c++) out[r] += weight_of(gpt, tensor, r, c, columns) * x[c];
  }
}

/* (x - mean) / sqrt(variance + 1e-5), times a weight, plus a bias: the variance over all numbers, divided by how many
   there are. Ba, Kiros, Hinton, Layer Normalization, arXiv:1607.06450. */
static void norm(const smp_gpt *gpt, uint32_t tensor, const double *x, double *out) {
  const size_t n = gpt->width;
  double mean = 0, variance = 0;
  for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
  for (size_t i = 0; i < n; i++) variance += (x[i] - mean) * (x[i] - mean) / (double)n;
  for (size_t i = 0; i < n; i++)
    out[i] = (x[i] - mean) / __builtin_sqrt(variance + 1e-5) * (double)gpt_float(gpt_tensor(gpt, tensor), i) +
             (double)gpt_float(gpt_tensor(gpt, tensor + 1), i);
}

/* Each head h has its part of query, key and value. Token t looks at tokens 0 to t, never ahead:

       weight[s] = softmax over s <= t of query[t] . key[s] / sqrt(size of a head)
       out[t]    = sum of weight[s] value[s] */
static void attention(const smp_gpt *gpt, const double *qkv, size_t t, double *weights, double *out) {
  const size_t width = gpt->width, size = width / gpt->n_heads;
  const double *query = qkv + t * 3 * width;
  for (size_t from = 0; from < width; from += size) {
    double max = -SMP_INF, sum = 0;
    for (size_t s = 0; s <= t; s++) {
      const double *key = qkv + s * 3 * width + width;
      weights[s] = 0;
      for (size_t i = from; i < from + size; i++) weights[s] += query[i] * key[i];
      weights[s] /= __builtin_sqrt((double)size);
      if (weights[s] > max) max = weights[s];
    }
    for (size_t s = 0; s <= t; s++) sum += weights[s] = smp_exp(weights[s] - max);
    for (size_t i = from; i < from + size; i++) {
      out[i] = 0;
      for (size_t s = 0; s <= t; s++) out[i] += weights[s] / sum * qkv[s * 3 * width + 2 * width + i];
    }
  }
}

/* tanh v = (e^2v - 1) / (e^2v + 1). */
static double tanh_of(double v) {
  return v > 20 ? 1 : v < -20 ? -1 : (smp_exp(2 * v) - 1) / (smp_exp(2 * v) + 1);
}

/* Hendrycks, Gimpel, Gaussian Error Linear Units, arXiv:1606.08415: the form with tanh, which GPT-2 has. */
static double gelu(double x) {
  return 0.5 * x * (1 + tanh_of(__builtin_sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

size_t smpi_gpt_reference_size(const smp_gpt *gpt, uint32_t n) {
  return (size_t)n * gpt->width * 4 + 6 * (size_t)gpt->width + n;
}

void smpi_gpt_reference(const smp_gpt *gpt, const uint32_t *ids, uint32_t n, double *logits, double *work) {
  const size_t width = gpt->width;
  double *x = work, *qkv = x + n * width, *y = qkv + n * 3 * width, *z = y + width, *hidden = z + width,
         *weights = hidden + 4 * width;
  for (size_t t = 0; t < n; t++)
    for (size_t i = 0; i < width; i++)
      x[t * width + i] = weight_of(gpt, GPT_TOKENS, ids[t], i, width) + weight_of(gpt, GPT_PLACES, t, i, width);
  for (uint32_t layer = 0; layer < gpt->n_layers; layer++) {
    const uint32_t block = GPT_BLOCKS + layer * GPT_OF_BLOCK;
    for (size_t t = 0; t < n; t++) {
      norm(gpt, block + GPT_NORM_1, x + t * width, y);
      linear(gpt, block + GPT_QKV, 3 * width, width, y, qkv + t * 3 * width);
    }
    for (size_t t = 0; t < n; t++) {
      attention(gpt, qkv, t, weights, y);
      linear(gpt, block + GPT_PROJ, width, width, y, z);
      for (size_t i = 0; i < width; i++) x[t * width + i] += z[i];
      norm(gpt, block + GPT_NORM_2, x + t * width, y);
      linear(gpt, block + GPT_UP, 4 * width, width, y, hidden);
      for (size_t i = 0; i < 4 * width; i++) hidden[i] = gelu(hidden[i]);
      linear(gpt, block + GPT_DOWN, width, 4 * width, hidden, z);
      for (size_t i = 0; i < width; i++) x[t * width + i] += z[i];
    }
  }
  for (size_t t = 0; t < n; t++) {
    norm(gpt, GPT_LAST_NORM, x + t * width, y);
    for (size_t id = 0; id < gpt->n_tokens; id++) {
      double sum = 0;
      for (size_t i = 0; i < width; i++) sum += weight_of(gpt, GPT_TOKENS, id, i, width) * y[i];
      logits[t * gpt->n_tokens + id] = sum;
    }
  }
}
