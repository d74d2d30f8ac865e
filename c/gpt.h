/* Private to the files of the model (gpt*.c) and of its tokens (token.c, utf8.c). */
#ifndef SMP_GPT_PRIVATE_H
#define SMP_GPT_PRIVATE_H

#include "exact.h"
#include "smp_gpt.h"

#pragma GCC visibility push(hidden)

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "weights are read where they lie, as little-endian numbers: leave gpt*.c and token.c out on this machine"
#endif

/* The tensors in the order of smp_gpt.at: these, then those of one block after the other. */
enum { GPT_TOKENS, GPT_TOKENS_SCALE, GPT_PLACES, GPT_PLACES_SCALE, GPT_LAST_NORM, GPT_LAST_NORM_BIAS, GPT_BLOCKS };

/* Of a block. Behind a norm stands its bias, behind a matrix its scales and its bias. */
enum { GPT_NORM_1 = 0, GPT_QKV = 2, GPT_PROJ = 5, GPT_NORM_2 = 8, GPT_UP = 10, GPT_DOWN = 13, GPT_OF_BLOCK = 16 };

static inline const unsigned char *gpt_tensor(const smp_gpt *gpt, uint32_t tensor) {
  return gpt->file + gpt->at[tensor];
}

/* The float at `index` of what need not be aligned. */
static inline float gpt_float(const unsigned char *tensor, size_t index) {
  float x;
  memcpy(&x, tensor + 4 * index, sizeof x);
  return x;
}

/* utf8.c: the character that begins at `at`; returns its bytes, 0 if none is whole there. */
size_t smpi_utf8_character(const unsigned char *at, const unsigned char *end, uint32_t *character);

/* gpt_file.c: the next character of a JSON string, before its quotation mark; returns its bytes, 0 if it is none. */
size_t smpi_gpt_character(const unsigned char *at, const unsigned char *end, uint32_t *character);

#pragma GCC visibility pop

#endif
