/* sampling-lab: a tiny language model, and the text around it. smp.h comes first: its conventions hold here too.

   The model is GPT-2 as textbooks build it (Radford et al. 2019; Karpathy's nanoGPT; Raschka, LLMs-from-scratch ch04):
   embeddings of token and position, blocks of LayerNorm, causal attention of several heads, LayerNorm, GELU in its tanh
   form, a last LayerNorm, and logits from the embeddings again. Weights are int8 with a float32 scale a row, read where
   they lie in a safetensors file; docs/models.md says what it holds. Little-endian machines.

   Arithmetic is float32 in one order, so that logits are the same bits in every build:
   - A row of a matrix times a vector: sixteen partial sums s[j], of the columns c with c mod 16 = j in ascending order;
     of each four t = (s[4i] + s[4i+2]) + (s[4i+1] + s[4i+3]); then (t[0] + t[2]) + (t[1] + t[3]), times the scale, plus
     the bias.
   - LayerNorm sums blocks of 64 as smp_row_softmax does, with blocks and totals in double.
   - Attention: products and weighted values are added up in ascending order; the weights as smp_row_softmax makes
     them, divided by their sum at the end.
   - GELU: 0.5 x (1 + tanh v) = x / (1 + e^-2v), which has no difference of near numbers.
   Within 2e-5 of the row's spread of the exact logits (tests/vectors/gpt.json, by PyTorch in double). */
#ifndef SMP_GPT_H
#define SMP_GPT_H

#include "smp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model --------------------------------------------------------------------------------------------------- */

#define SMP_GPT_LAYERS  16u    /* blocks at most */
#define SMP_GPT_WIDTH   1024u  /* numbers of an embedding at most */
#define SMP_GPT_CONTEXT 1024u  /* positions at most */
#define SMP_GPT_ENTRIES 4096u  /* entries of a cache at most */
#define SMP_GPT_TOKENS  65536u /* tokens at most */
#define SMP_GPT_TENSORS 262u   /* 6, and 16 a block */

/* The first ids of every model; from 257 on there is a token for each of its characters. */
#define SMP_TOKEN_END       0u /* ends a text, and stands before its first token */
#define SMP_TOKEN_BYTE      1u /* the bytes 0 to 255 */
#define SMP_TOKEN_CHARACTER 257u

/* What is wrong with a file that is no model. */
typedef enum smp_gpt_wrong {
  SMP_GPT_FINE,
  SMP_GPT_SIZE,           /* shorter than its header says, or larger than 2^31 bytes; no safetensors file */
  SMP_GPT_HEADER,         /* no JSON, or not the JSON of a safetensors file; `place` is a byte of the file */
  SMP_GPT_FORMAT,         /* its metadata have no format "sampling-lab gpt 1" */
  SMP_GPT_HEADS,          /* no heads, or not a whole number from 1 that divides the width into fours */
  SMP_GPT_POSITIONS,      /* no context, or not a whole number from 1 to SMP_GPT_CONTEXT */
  SMP_GPT_CHARACTERS,     /* no characters, or no UTF-8, or one twice, or too many; `place` counts characters */
  SMP_GPT_TENSOR_UNKNOWN, /* a tensor that the format does not have; `place` is a byte of the file */
  /* Of these `place` is the tensor: see smp_gpt_tensor_name. */
  SMP_GPT_TENSOR_MISSING,
  SMP_GPT_TENSOR_TWICE,
  SMP_GPT_TENSOR_TYPE,  /* matrices are I8, all others F32 */
  SMP_GPT_TENSOR_SHAPE, /* that of docs/models.md; the width is 16 to SMP_GPT_WIDTH, a multiple of 16 */
  SMP_GPT_TENSOR_PLACE, /* its bytes do not lie in the file, or are not as many as its shape says */
  SMP_GPT_TENSOR_VALUE, /* a float32 that is NaN or of magnitude above 65536 */
} smp_gpt_wrong;

typedef struct smp_gpt_fault {
  smp_gpt_wrong wrong;
  uint32_t place;
} smp_gpt_fault;

/* What the model is, and where its parts stand in the file. */
typedef struct smp_gpt {
  const unsigned char *file;    /* has to stay where it is, unchanged, as long as the model is used */
  uint32_t n_tokens;            /* ids are 0 .. n_tokens - 1 */
  uint32_t n_context;           /* positions */
  uint32_t n_layers, n_heads;   /* blocks; heads of each */
  uint32_t width;               /* numbers of an embedding */
  uint32_t characters;          /* byte of the file where they begin, as JSON writes them */
  uint32_t at[SMP_GPT_TENSORS]; /* byte of the file where each tensor begins */
} smp_gpt;

/* Read the header of a model's file and check every size, place and float32 in it: no later call can leave the file,
   and no logit can be NaN or infinite. On error *fault says what is wrong, unless it is NULL, and *gpt is not written.
   Errors: ERR_PARAM (model, place). */
SMP_API smp_status smp_gpt_read(const void *file, size_t size, smp_gpt *gpt, smp_gpt_fault *fault, smp_where *where);

/* The text of a fault ("a tensor is missing"). Static, never NULL. */
SMP_API const char *smp_gpt_wrong_text(smp_gpt_wrong wrong);

/* Name of a tensor ("h.3.qkv.weight"), written to text; empty if there is none of this number. */
#define SMP_GPT_NAME 24u
SMP_API void smp_gpt_tensor_name(uint32_t tensor, char text[SMP_GPT_NAME]);

/* What the model keeps of the tokens before: for each a key and a value of each layer, in order. Copy a cache with all
   of its memory to fork a text; set n to 0 to begin anew, or to less to go back. */
typedef struct smp_gpt_cache {
  float *memory;     /* smp_gpt_cache_size bytes; what they hold at first does not matter */
  uint32_t n;        /* entries it holds */
  uint32_t capacity; /* entries it has room for, 1 to SMP_GPT_ENTRIES */
} smp_gpt_cache;

/* Bytes for a cache of so many entries, 0 if that is not 1 to SMP_GPT_ENTRIES. */
SMP_API size_t smp_gpt_cache_size(const smp_gpt *gpt, uint32_t capacity);

/* Bytes of work area for a call with a cache of that capacity; 0 as above. Aligned as for float. */
SMP_API size_t smp_gpt_work_size(const smp_gpt *gpt, uint32_t capacity);

/* Run the model over n_ids tokens: the first stands at `position`, the next ones follow; each sees all entries of the
   cache and itself, and becomes an entry. Their positions are those of the embedding: usually position is cache->n;
   other ones are what a program does that crops its cache. logits: n_tokens floats, after the last of the tokens, or
   NULL. One by one or in one call: the same bits. Errors: ERR_EMPTY (context) of no tokens; ERR_PARAM (context, index)
   of an id that is no token; ERR_PARAM (position) if a position is beyond n_context; ERR_LENGTH (cache) if the entries
   have no room, ERR_PARAM (cache) if it is none. */
SMP_API smp_status smp_gpt_feed(const smp_gpt *gpt, smp_gpt_cache *cache, const uint32_t *ids, uint32_t n_ids,
                                uint32_t position, float *logits, void *work, smp_where *where);

/* Remove the entries from `from` to before `to`, 0 <= from <= to <= n. What is left has been computed in the sight of
   the ones removed, and with the positions it had: to cut the front of a cache is not to feed the rest anew.
   Errors: ERR_PARAM (cache). */
SMP_API smp_status smp_gpt_cache_cut(const smp_gpt *gpt, smp_gpt_cache *cache, uint32_t from, uint32_t to,
                                     smp_where *where);

/* The logits after a text of n_ids tokens of any length, its END at the start included, by the rule for texts that
   outgrow the context: the last n_context tokens are fed anew, from position 0 on. Before that the cache, whose entries
   must be those of the first tokens of this text, is fed with the rest. Needs cache->capacity >= n_context.
   Errors: those of smp_gpt_feed; ERR_PARAM (cache). */
SMP_API smp_status smp_gpt_next(const smp_gpt *gpt, smp_gpt_cache *cache, const uint32_t *ids, uint32_t n_ids,
                                float *logits, void *work, smp_where *where);

/* ---- Tokens ------------------------------------------------------------------------------------------------------ */

/* The characters of a model, ready to be looked up. */
typedef struct smp_tokens {
  uint32_t *characters; /* smp_tokens_size bytes: the character of each id from 257 on, then these ids by character */
  uint32_t n;           /* characters */
} smp_tokens;

/* Bytes for a model's characters. */
SMP_API size_t smp_tokens_size(const smp_gpt *gpt);

/* Fill tokens->characters, which the caller has set, and n, from the file. */
SMP_API void smp_tokens_make(const smp_gpt *gpt, smp_tokens *tokens);

/* The ids of a text of n bytes: of each character its token, else those of its bytes; what is no UTF-8 is bytes too, so
   every text has ids. ids: room for n of them. Returns how many there are. END is not added. */
SMP_API size_t smp_tokens_encode(const smp_tokens *tokens, const void *text, size_t n, uint32_t *ids);

/* The bytes of a token, at most 4; returns how many: none of END, or of an id that is no token. */
SMP_API size_t smp_tokens_bytes(const smp_tokens *tokens, uint32_t id, unsigned char bytes[4]);

/* ---- Bytes to text ----------------------------------------------------------------------------------------------- */

/* Half a character that waits for its other bytes. Begins as {0}. */
typedef struct smp_utf8 {
  uint8_t bytes[4];
  uint32_t n;    /* bytes that wait, 0 to 3 */
  uint32_t want; /* of so many */
} smp_utf8;

/* The text of n more bytes, as WHATWG's decoder has it: U+FFFD once per maximal subpart of what is no character
   (Unicode 15, 3.9, D93b), and the start of a character waits. text: room for 3 n + 3 bytes; returns how many were
   written. Any way to split the bytes gives the same text. */
SMP_API size_t smp_utf8_feed(smp_utf8 *half, const void *bytes, size_t n, char *text);

/* The end: U+FFFD if something still waits. text: room for 3 bytes; returns how many were written. */
SMP_API size_t smp_utf8_flush(smp_utf8 *half, char *text);

#ifdef __cplusplus
}
#endif

#endif
