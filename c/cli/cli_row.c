/* Rows in files, for the command line: bare floats, an array of JSON, and NumPy's .npy, of which it takes what a row
   can be and says of everything else what it is. The content tells which, not the name. Assumes a little-endian
   machine. */
#include <errno.h>
#include <math.h> /* only for INFINITY and NAN */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const char smp_cli_commands[] = "lab, top, draw, compare and generate";
const char smp_cli_files[] =
    "  FILE, or --logits FILE: little-endian 32-bit floats, a .npy of 16, 32 or 64-bit floats, or a JSON array of\n"
    "  numbers and \"-inf\".";

/* ---- The header of a .npy (numpy/lib/format.py) ------------------------------------------------------------------ */

enum { NPY_MAGIC = 6, NPY_HEADER = 65536 };
static const char magic[] = "\x93NUMPY";

struct header {
  const char *descr;
  size_t descr_length, n;
  int fortran, dimensions;
};

/* A Python dictionary of the three keys, in any order, and nothing else. */
struct reader {
  const char *at, *name;
};

__attribute__((noreturn)) static void malformed(const struct reader *r) {
  smp_cli_fail(SMP_CLI_REFUSED, "%s: not a .npy file: its header is broken at \"%s\"", r->name,
               smp_cli_shown(r->at, strlen(r->at)));
}

static void skip_space(struct reader *r) {
  r->at += strspn(r->at, " \n");
}

static int take(struct reader *r, const char *text) {
  skip_space(r);
  if (strncmp(r->at, text, strlen(text)) != 0) return 0;
  r->at += strlen(text);
  return 1;
}

static void need(struct reader *r, const char *text) {
  if (!take(r, text)) malformed(r);
}

static size_t quoted(struct reader *r, const char **start) {
  need(r, "'");
  *start = r->at;
  size_t length = strcspn(r->at, "'");
  if (r->at[length] != '\'') malformed(r);
  r->at += length + 1;
  return length;
}

static void read_shape(struct reader *r, struct header *h) {
  need(r, "(");
  h->dimensions = 0;
  while (!take(r, ")")) {
    skip_space(r);
    size_t digits = strspn(r->at, "0123456789");
    if (digits == 0 || digits > 18) malformed(r);
    h->n = (size_t)strtoull(r->at, NULL, 10);
    h->dimensions++;
    r->at += digits;
    if (!take(r, ",") && *r->at != ')') malformed(r);
  }
}

static void read_header(struct reader *r, struct header *h) {
  int seen = 0;
  need(r, "{");
  while (!take(r, "}")) {
    const char *key;
    size_t length = quoted(r, &key);
    need(r, ":");
    if (length == 5 && memcmp(key, "descr", 5) == 0) {
      skip_space(r);
      if (*r->at != '\'') smp_cli_fail(SMP_CLI_REFUSED, "%s: numbers with fields; a row is f2, f4 or f8", r->name);
      h->descr_length = quoted(r, &h->descr);
      seen |= 1;
    } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
      h->fortran = take(r, "True");
      if (!h->fortran) need(r, "False");
      seen |= 2;
    } else if (length == 5 && memcmp(key, "shape", 5) == 0) {
      read_shape(r, h);
      seen |= 4;
    } else
      malformed(r);
    if (!take(r, ",") && *r->at != '}') malformed(r);
  }
  if (seen != 7) malformed(r);
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* IEEE binary16, exactly. */
static float half_of(unsigned bits) {
  const unsigned exponent = bits >> 10 & 31, digits = bits & 1023;
  float x = (float)digits * 0x1p-24f; /* subnormal */
  if (exponent == 31) x = digits ? (float)NAN : (float)INFINITY;
  if (exponent > 0 && exponent < 31) x = (float)(1024 + digits) * (float)(1u << exponent) * 0x1p-25f;
  return bits >> 15 ? -x : x;
}

/* A number of 2, 4 or 8 bytes, the last first if the file has them so. */
static float number_of(unsigned char *bytes, size_t size, int is_big) {
  for (size_t i = 0; is_big && i < size / 2; i++) {
    const unsigned char t = bytes[i];
    bytes[i] = bytes[size - 1 - i];
    bytes[size - 1 - i] = t;
  }
  float single;
  double wide;
  if (size == 2) return half_of((unsigned)bytes[0] | (unsigned)bytes[1] << 8);
  if (size == sizeof single) {
    memcpy(&single, bytes, sizeof single);
    return single;
  }
  memcpy(&wide, bytes, sizeof wide);
  return (float)wide;
}

/* Bytes of a number of this type, 0 if it is no float. */
static size_t size_of_type(const struct header *h) {
  const char *d = h->descr;
  if (h->descr_length != 3 || (d[0] != '<' && d[0] != '>') || d[1] != 'f') return 0;
  return d[2] == '2' || d[2] == '4' || d[2] == '8' ? (size_t)(d[2] - '0') : 0;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static size_t read_bytes(FILE *file, const char *name, void *bytes, size_t size) {
  size_t n = fread(bytes, 1, size, file);
  if (ferror(file)) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", name, strerror(errno));
  return n;
}

static size_t read_npy(FILE *file, const char *name, float *row) {
  static char text[NPY_HEADER + 1];
  unsigned char start[6] = {0};
  const char *cut = "the file ends inside its header";
  if (read_bytes(file, name, start, 4) < 4) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", name, cut);
  size_t length = (size_t)start[2] | (size_t)start[3] << 8;
  if (start[0] < 1 || start[0] > 3)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: .npy of version %d; versions 1 to 3 are read", name, start[0]);
  if (start[0] > 1) {
    if (read_bytes(file, name, start + 4, 2) < 2) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", name, cut);
    length |= (size_t)start[4] << 16 | (size_t)start[5] << 24;
  }
  if (length > NPY_HEADER) smp_cli_fail(SMP_CLI_REFUSED, "%s: a header of %zu bytes; no row needs that", name, length);
  if (read_bytes(file, name, text, length) < length) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", name, cut);
  text[length] = 0;

  struct header h = {0};
  struct reader r = {text, name};
  read_header(&r, &h);
  const size_t size = size_of_type(&h);
  if (size == 0)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: numbers of type %s; a row is f2, f4 or f8", name,
                 smp_cli_shown(h.descr, h.descr_length));
  if (h.dimensions != 1) smp_cli_fail(SMP_CLI_REFUSED, "%s: %d dimensions; a row has one", name, h.dimensions);
  if (h.n > SMP_ROW_MAX) smp_cli_fail(SMP_CLI_REFUSED, "%s: more than the %u entries allowed", name, SMP_ROW_MAX);
  for (size_t i = 0; i < h.n; i++) {
    unsigned char bytes[8];
    if (read_bytes(file, name, bytes, size) < size)
      smp_cli_fail(SMP_CLI_REFUSED, "%s: the file ends after %zu of its %zu numbers", name, i, h.n);
    row[i] = number_of(bytes, size, h.descr[0] == '>');
  }
  if (fgetc(file) != EOF) smp_cli_fail(SMP_CLI_REFUSED, "%s: bytes after its %zu numbers", name, h.n);
  return h.n;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* A file of which the first bytes have been read. */
struct stream {
  FILE *file;
  const char *name, *start;
  size_t left; /* of the start */
};

static int next_byte(struct stream *s) {
  if (s->left == 0) return fgetc(s->file);
  s->left--;
  return (unsigned char)*s->start++;
}

static int next_token(struct stream *s) {
  int c = next_byte(s);
  while (c == ' ' || c == '\t' || c == '\n' || c == '\r') c = next_byte(s);
  return c;
}

/* The number that starts with c; "-inf" in quotes is one. *after: the byte behind it. */
static float read_json_number(struct stream *s, int c, size_t at, int *after) {
  char text[400];
  size_t length = 0;
  if (c == '"') {
    while (length < 5 && (c = next_byte(s)) != EOF && c != '"') text[length++] = (char)c;
    if (c == '"' && length == 4 && memcmp(text, "-inf", 4) == 0) {
      *after = next_token(s);
      return -(float)INFINITY;
    }
    smp_cli_fail(SMP_CLI_REFUSED, "%s: entry %zu (from 0) is text; the only text allowed is \"-inf\"", s->name, at);
  }
  for (; c != EOF && strchr("+-.0123456789eE", c) && length + 1 < sizeof text; c = next_byte(s))
    text[length++] = (char)c;
  text[length] = 0;
  char *end;
  const char *digits = text + (*text == '-');
  const double x = strtod(text, &end);
  if (length == 0 || length + 1 == sizeof text || end != text + length || *digits < '0' || *digits > '9')
    smp_cli_fail(SMP_CLI_REFUSED, "%s: entry %zu (from 0) is not a number; a row of JSON is [1, -2.5, \"-inf\"]",
                 s->name, at);
  if (x < 0 && (float)x == -(float)INFINITY)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: entry %zu (from 0) is below every float; write \"-inf\"", s->name, at);
  *after = c == ' ' || c == '\t' || c == '\n' || c == '\r' ? next_token(s) : c;
  return (float)x;
}

static size_t read_json(struct stream s, float *row) {
  size_t n = 0;
  next_token(&s); /* the bracket */
  int c = next_token(&s), more = c != ']';
  while (more) {
    if (n == SMP_ROW_MAX) smp_cli_fail(SMP_CLI_REFUSED, "%s: more than the %u entries allowed", s.name, SMP_ROW_MAX);
    row[n] = read_json_number(&s, c, n, &c);
    more = c == ',';
    if (!more && c != ']')
      smp_cli_fail(SMP_CLI_REFUSED, "%s: neither a comma nor ] after entry %zu (from 0)", s.name, n);
    if (more) c = next_token(&s);
    n++;
  }
  if (next_token(&s) != EOF) smp_cli_fail(SMP_CLI_REFUSED, "%s: something after its %zu numbers", s.name, n);
  if (ferror(s.file)) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", s.name, strerror(errno));
  return n;
}

/* ---- By content -------------------------------------------------------------------------------------------------- */

/* A bracket and what may follow it: as the start of floats it would be one in 2^30. */
static int is_json(const char *start, size_t size) {
  size_t space = 0;
  while (space < size && strchr(" \t\n\r", start[space]) && start[space]) space++;
  if (space == size || start[space] != '[') return 0;
  for (size_t i = space + 1; i < size; i++)
    if (!start[i] || !strchr(" \t\n\r\"-.,[]0123456789eE", start[i])) return 0;
  return 1;
}

/* The length of a header, in 8 bytes, then an object. */
static int is_safetensors(const char *bytes, size_t size) {
  static const char zero[4] = {0};
  uint32_t length;
  memcpy(&length, bytes, sizeof length);
  return size > 10 && memcmp(bytes + 4, zero, 4) == 0 && bytes[8] == '{' && bytes[9] == '"' && length <= size - 8;
}

size_t smp_cli_row(const struct smp_cli_file *chosen, float *row) {
  const char *name = chosen->name;
  if (chosen->tensor || chosen->row)
    smp_cli_fail(SMP_CLI_USAGE, "%s: a file holds one row here; the command of the npm package chooses among several",
                 chosen->tensor ? "--tensor" : "--row");
  char start[NPY_MAGIC];
  FILE *file = fopen(chosen->path, "rb");
  if (!file) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", name, strerror(errno));
  size_t size = read_bytes(file, name, start, sizeof start), n;
  if (size == NPY_MAGIC && memcmp(start, magic, NPY_MAGIC) == 0)
    n = read_npy(file, name, row);
  else if (is_json(start, size))
    n = read_json((struct stream){file, name, start, size}, row);
  else {
    char *bytes = (char *)row;
    memcpy(bytes, start, size);
    /* one more shows that the file is longer */
    size += read_bytes(file, name, bytes + size, (SMP_ROW_MAX + 1) * sizeof *row - size);
    if (is_safetensors(bytes, size))
      smp_cli_fail(SMP_CLI_REFUSED, "%s: safetensors; a row is 32-bit floats, .npy or JSON here", name);
    if (size > SMP_ROW_MAX * sizeof *row)
      smp_cli_fail(SMP_CLI_REFUSED, "%s: more than the %u entries allowed", name, SMP_ROW_MAX);
    if (size % sizeof *row)
      smp_cli_fail(SMP_CLI_REFUSED, "%s: %zu bytes is not a multiple of 4; a row is 32-bit floats, .npy or JSON", name,
                   size);
    n = size / sizeof *row;
  }
  fclose(file);
  return n;
}
