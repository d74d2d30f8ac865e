/* The file of a model: the header of a safetensors file, read strictly, and what each of its tensors has to be. */
#include "gpt.h"

/* clang-format off */
/* Rows and columns in widths; 0 columns: a vector. The names of `docs/models.md`. */
typedef struct shape {
  char name[12];
  uint8_t rows, columns;
} shape;

enum { OF_TOKENS = 100, OF_CONTEXT };
static const shape TOP[GPT_BLOCKS] = {
    {"wte.weight", OF_TOKENS, 1}, {"wte.scale", OF_TOKENS, 0}, {"wpe.weight", OF_CONTEXT, 1},
    {"wpe.scale", OF_CONTEXT, 0}, {"ln_f.weight", 1, 0},       {"ln_f.bias", 1, 0},
};
static const shape BLOCK[GPT_OF_BLOCK] = {
    {"ln_1.weight", 1, 0}, {"ln_1.bias", 1, 0},  {"qkv.weight", 3, 1},  {"qkv.scale", 3, 0},
    {"qkv.bias", 3, 0},    {"proj.weight", 1, 1}, {"proj.scale", 1, 0}, {"proj.bias", 1, 0},
    {"ln_2.weight", 1, 0}, {"ln_2.bias", 1, 0},  {"up.weight", 4, 1},   {"up.scale", 4, 0},
    {"up.bias", 4, 0},     {"down.weight", 1, 4}, {"down.scale", 1, 0}, {"down.bias", 1, 0},
};
/* clang-format on */

static const shape *shape_of(uint32_t tensor) {
  return tensor < GPT_BLOCKS ? &TOP[tensor] : &BLOCK[(tensor - GPT_BLOCKS) % GPT_OF_BLOCK];
}

void smp_gpt_tensor_name(uint32_t tensor, char text[SMP_GPT_NAME]) {
  *text = 0;
  if (tensor >= SMP_GPT_TENSORS) return;
  char *at = text;
  if (tensor >= GPT_BLOCKS) {
    const uint32_t block = (tensor - GPT_BLOCKS) / GPT_OF_BLOCK;
    *at++ = 'h';
    *at++ = '.';
    if (block > 9) *at++ = '1';
    *at++ = (char)('0' + block % 10);
    *at++ = '.';
  }
  memcpy(at, shape_of(tensor)->name, sizeof TOP->name);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Within the file. */
typedef struct span {
  const unsigned char *at;
  size_t n;
} span;

typedef struct found {
  uint32_t rows, columns, begin, end; /* columns 0: a vector */
  unsigned char is_there, is_bytes, dimensions;
} found;

typedef struct reader {
  const unsigned char *file, *at, *end;
  smp_gpt_fault fault; /* the first */
  span format, heads, context, characters;
  found tensors[SMP_GPT_TENSORS];
} reader;

/* Always 0. */
static int wrong_at(reader *r, smp_gpt_wrong wrong, uint32_t place) {
  if (r->fault.wrong == SMP_GPT_FINE) r->fault = (smp_gpt_fault){wrong, place};
  return 0;
}

static int wrong_here(reader *r, smp_gpt_wrong wrong) {
  return wrong_at(r, wrong, (uint32_t)(r->at - r->file));
}

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static int take(reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != (unsigned char)c) return 0;
  r->at++;
  return 1;
}

static int need(reader *r, char c) {
  return take(r, c) || wrong_here(r, SMP_GPT_HEADER);
}

static int is(span text, const char *word) {
  return text.n == strlen(word) && memcmp(text.at, word, text.n) == 0;
}

static uint32_t hex_of(const unsigned char *at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned char c = at[i];
    const uint32_t digit = c >= '0' && c <= '9' ? c - (uint32_t)'0' : (c | 32u) - 'a' + 10u;
    if (digit > 15) return SMP_NONE;
    value = value << 4 | digit;
  }
  return value;
}

/* After \u: one unit, or two. */
static size_t escaped(const unsigned char *at, const unsigned char *end, uint32_t *character) {
  if (end - at < 6) return 0;
  *character = hex_of(at + 2);
  if (*character == SMP_NONE || *character - 0xdc00u < 0x400) return 0;
  if (*character - 0xd800u >= 0x400) return 6;
  if (end - at < 12 || at[6] != '\\' || at[7] != 'u') return 0;
  const uint32_t low = hex_of(at + 8) - 0xdc00u;
  *character = 0x10000 + ((*character - 0xd800u) << 10 | low);
  return low < 0x400 ? 12 : 0;
}

size_t smpi_gpt_character(const unsigned char *at, const unsigned char *end, uint32_t *character) {
  static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  if (at < end && *at < 0x20) return 0;
  if (at == end || *at != '\\') return smpi_utf8_character(at, end, character);
  if (end - at < 2) return 0;
  if (at[1] == 'u') return escaped(at, end, character);
  for (size_t i = 0; plain[i]; i++)
    if (at[1] == (unsigned char)plain[i]) {
      *character = (unsigned char)meant[i];
      return 2;
    }
  return 0;
}

static int read_string(reader *r, span *text) {
  if (!need(r, '"')) return 0;
  text->at = r->at;
  while (r->at < r->end && *r->at != '"') {
    uint32_t character;
    const size_t n = smpi_gpt_character(r->at, r->end, &character);
    if (n == 0) return wrong_here(r, SMP_GPT_HEADER);
    r->at += n;
  }
  text->n = (size_t)(r->at - text->at);
  return need(r, '"');
}

/* Digits without a zero before them, up to 2^31. */
static int whole_of(span text, uint32_t *value) {
  uint64_t sum = 0;
  if (text.n == 0 || text.n > 10 || (text.n > 1 && *text.at == '0')) return 0;
  for (size_t i = 0; i < text.n; i++) {
    if (text.at[i] < '0' || text.at[i] > '9') return 0;
    sum = 10 * sum + (uint64_t)(text.at[i] - '0');
  }
  *value = (uint32_t)sum;
  return sum <= UINT32_C(1) << 31;
}

/* A list of at most two whole numbers; returns how many, or -1. */
static int read_list(reader *r, uint32_t values[2]) {
  int n = 0;
  if (!need(r, '[')) return -1;
  if (take(r, ']')) return 0;
  do {
    skip_space(r);
    span digits = {r->at, 0};
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    digits.n = (size_t)(r->at - digits.at);
    uint32_t value;
    if (!whole_of(digits, &value)) return wrong_here(r, SMP_GPT_HEADER) - 1;
    if (n < 2) values[n] = value;
    n = n < 3 ? n + 1 : 3;
  } while (take(r, ','));
  return need(r, ']') ? n : -1;
}

/* {"dtype":"F32","shape":[96],"data_offsets":[0,384]}, keys in any order. */
static int read_tensor(reader *r, found *f, uint32_t tensor) {
  enum { TYPE = 1, SHAPE = 2, PLACE = 4 };
  unsigned seen = 0;
  if (!need(r, '{')) return 0;
  do {
    span key, type;
    uint32_t values[2] = {0};
    if (!read_string(r, &key) || !need(r, ':')) return 0;
    const unsigned which = is(key, "dtype") ? TYPE : is(key, "shape") ? SHAPE : is(key, "data_offsets") ? PLACE : 0;
    if (which == 0 || seen & which) return wrong_here(r, SMP_GPT_HEADER);
    seen |= which;
    if (which == TYPE) {
      if (!read_string(r, &type)) return 0;
      f->is_bytes = (unsigned char)is(type, "I8");
      if (!f->is_bytes && !is(type, "F32")) return wrong_at(r, SMP_GPT_TENSOR_TYPE, tensor);
      continue;
    }
    const int n = read_list(r, values);
    if (n < 0) return 0;
    if (which == PLACE && n != 2) return wrong_here(r, SMP_GPT_HEADER);
    if (which == PLACE) {
      f->begin = values[0];
      f->end = values[1];
      continue;
    }
    f->dimensions = (unsigned char)n;
    f->rows = values[0];
    f->columns = values[1];
  } while (take(r, ','));
  f->is_there = 1;
  return seen == (TYPE | SHAPE | PLACE) ? need(r, '}') : wrong_here(r, SMP_GPT_HEADER);
}

/* The number of a tensor by its name, or SMP_NONE. */
static uint32_t tensor_of(span name) {
  for (uint32_t i = 0; i < GPT_BLOCKS; i++)
    if (is(name, TOP[i].name)) return i;
  if (name.n < 5 || name.at[0] != 'h' || name.at[1] != '.') return SMP_NONE;
  span number = {name.at + 2, 0};
  while (number.n < name.n - 2 && number.at[number.n] != '.') number.n++;
  uint32_t block;
  if (number.n + 3 > name.n || !whole_of(number, &block) || block >= SMP_GPT_LAYERS) return SMP_NONE;
  const span part = {number.at + number.n + 1, name.n - number.n - 3};
  for (uint32_t i = 0; i < GPT_OF_BLOCK; i++)
    if (is(part, BLOCK[i].name)) return GPT_BLOCKS + block * GPT_OF_BLOCK + i;
  return SMP_NONE;
}

/* An object of texts. Other ones than those of the format may stand there. */
static int read_metadata(reader *r) {
  if (!need(r, '{')) return 0;
  if (take(r, '}')) return 1;
  do {
    span key, text;
    if (!read_string(r, &key) || !need(r, ':') || !read_string(r, &text)) return 0;
    span *kept = is(key, "format")       ? &r->format
                 : is(key, "heads")      ? &r->heads
                 : is(key, "context")    ? &r->context
                 : is(key, "characters") ? &r->characters
                                         : NULL;
    if (kept && kept->at) return wrong_here(r, SMP_GPT_HEADER);
    if (kept) *kept = text;
  } while (take(r, ','));
  return need(r, '}');
}

static int read_header(reader *r) {
  if (!need(r, '{')) return 0;
  do {
    span name;
    if (!read_string(r, &name)) return 0;
    const unsigned char *behind = r->at;
    if (!need(r, ':')) return 0;
    if (is(name, "__metadata__")) {
      if (!read_metadata(r)) return 0;
      continue;
    }
    const uint32_t tensor = tensor_of(name);
    r->at = tensor == SMP_NONE ? behind : r->at;
    if (tensor == SMP_NONE) return wrong_here(r, SMP_GPT_TENSOR_UNKNOWN);
    if (r->tensors[tensor].is_there) return wrong_at(r, SMP_GPT_TENSOR_TWICE, tensor);
    if (!read_tensor(r, &r->tensors[tensor], tensor)) return 0;
  } while (take(r, ','));
  if (!need(r, '}')) return 0;
  skip_space(r); /* the padding; nothing else may follow */
  return r->at == r->end || wrong_here(r, SMP_GPT_HEADER);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* How many characters there are, each once: counted by the 17 planes of Unicode, so that a bit for each fits. */
static int count_characters(reader *r, uint32_t *count) {
  if (!r->characters.at) return wrong_at(r, SMP_GPT_CHARACTERS, 0);
  const unsigned char *end = r->characters.at + r->characters.n;
  *count = 0;
  for (uint32_t plane = 0; plane <= 16; plane++) {
    uint8_t seen[8192] = {0};
    uint32_t place = 0, character;
    for (const unsigned char *at = r->characters.at; at < end; place++) {
      at += smpi_gpt_character(at, end, &character); /* never 0: the string has been read */
      if (place >= SMP_GPT_TOKENS - SMP_TOKEN_CHARACTER) return wrong_at(r, SMP_GPT_CHARACTERS, place);
      if (character >> 16 != plane) continue;
      const uint8_t bit = (uint8_t)(1u << (character & 7u));
      uint8_t *byte = &seen[(character & 0xffffu) >> 3];
      if (*byte & bit) return wrong_at(r, SMP_GPT_CHARACTERS, place);
      *byte |= bit;
    }
    *count = place;
  }
  return 1;
}

static int check_facts(reader *r, smp_gpt *gpt) {
  const found *tokens = &r->tensors[GPT_TOKENS];
  uint32_t characters;
  if (!r->format.at || !is(r->format, "sampling-lab gpt 1")) return wrong_at(r, SMP_GPT_FORMAT, 0);
  if (!whole_of(r->context, &gpt->n_context) || gpt->n_context < 1 || gpt->n_context > SMP_GPT_CONTEXT)
    return wrong_at(r, SMP_GPT_POSITIONS, 0);
  if (!count_characters(r, &characters)) return 0;
  gpt->n_tokens = SMP_TOKEN_CHARACTER + characters;
  if (!tokens->is_there) return wrong_at(r, SMP_GPT_TENSOR_MISSING, GPT_TOKENS);
  gpt->width = tokens->columns;
  if (gpt->width < 16 || gpt->width > SMP_GPT_WIDTH || gpt->width % 16)
    return wrong_at(r, SMP_GPT_TENSOR_SHAPE, GPT_TOKENS);
  if (!whole_of(r->heads, &gpt->n_heads) || gpt->n_heads < 1 || gpt->n_heads > gpt->width / 4 ||
      gpt->width % (4 * gpt->n_heads))
    return wrong_at(r, SMP_GPT_HEADS, 0);
  gpt->n_layers = 0;
  for (uint32_t i = GPT_BLOCKS; i < SMP_GPT_TENSORS; i++)
    if (r->tensors[i].is_there) gpt->n_layers = (i - GPT_BLOCKS) / GPT_OF_BLOCK + 1;
  if (gpt->n_layers == 0) return wrong_at(r, SMP_GPT_TENSOR_MISSING, GPT_BLOCKS);
  return 1;
}

static uint32_t rows_of(const shape *s, const smp_gpt *gpt) {
  return s->rows == OF_TOKENS ? gpt->n_tokens : s->rows == OF_CONTEXT ? gpt->n_context : s->rows * gpt->width;
}

static int floats_are_sane(const unsigned char *tensor, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const float x = gpt_float(tensor, i);
    if (!(x >= -65536 && x <= 65536)) return 0;
  }
  return 1;
}

/* `bytes` of data begin at `data`. */
static int check_tensor(reader *r, smp_gpt *gpt, uint32_t tensor, uint32_t data, uint32_t bytes) {
  const found *f = &r->tensors[tensor];
  const shape *s = shape_of(tensor);
  const uint32_t rows = rows_of(s, gpt), columns = s->columns * gpt->width;
  if (!f->is_there) return wrong_at(r, SMP_GPT_TENSOR_MISSING, tensor);
  if (f->is_bytes != (s->columns > 0)) return wrong_at(r, SMP_GPT_TENSOR_TYPE, tensor);
  if (f->dimensions != (s->columns ? 2 : 1) || f->rows != rows || f->columns != columns)
    return wrong_at(r, SMP_GPT_TENSOR_SHAPE, tensor);
  const uint32_t size = s->columns ? rows * columns : 4 * rows;
  if (f->begin > f->end || f->end > bytes || f->end - f->begin != size)
    return wrong_at(r, SMP_GPT_TENSOR_PLACE, tensor);
  gpt->at[tensor] = data + f->begin;
  if (s->columns == 0 && !floats_are_sane(gpt_tensor(gpt, tensor), rows))
    return wrong_at(r, SMP_GPT_TENSOR_VALUE, tensor);
  return 1;
}

static int read_file(reader *r, size_t size, smp_gpt *gpt) {
  uint64_t length;
  if (size < 8 || size > UINT32_C(1) << 31) return wrong_at(r, SMP_GPT_SIZE, 0);
  memcpy(&length, r->file, sizeof length);
  if (length > size - 8) return wrong_at(r, SMP_GPT_SIZE, 0);
  r->at = r->file + 8;
  r->end = r->at + length;
  if (!read_header(r) || !check_facts(r, gpt)) return 0;
  gpt->characters = (uint32_t)(r->characters.at - r->file);
  const uint32_t data = (uint32_t)length + 8;
  for (uint32_t i = 0; i < GPT_BLOCKS + gpt->n_layers * GPT_OF_BLOCK; i++)
    if (!check_tensor(r, gpt, i, data, (uint32_t)size - data)) return 0;
  return 1;
}

smp_status smp_gpt_read(const void *file, size_t size, smp_gpt *gpt, smp_gpt_fault *fault, smp_where *where) {
  reader r;
  memset(&r, 0, sizeof r);
  r.file = file;
  smp_gpt read = {.file = file};
  if (!read_file(&r, size, &read)) {
    if (fault) *fault = r.fault;
    return smpi_fail(SMP_ERR_PARAM, SMP_AT_MODEL, r.fault.place, where);
  }
  *gpt = read;
  return SMP_OK;
}
