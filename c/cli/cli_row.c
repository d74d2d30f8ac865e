/* Rows in files, for the command line: bare floats, and NumPy's .npy, of which it takes what a row can be and says of
   everything else what it is. Assumes a little-endian machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- The header of a .npy (numpy/lib/format.py) -------------------------------------------------------------------- */

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
      if (*r->at != '\'') smp_cli_fail(SMP_CLI_REFUSED, "%s: numbers with fields; a row is <f4 or <f8", r->name);
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

/* ---- Reading --------------------------------------------------------------------------------------------------------- */

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
  const int wide = h.descr_length == 3 && memcmp(h.descr, "<f8", 3) == 0;
  if (!wide && !(h.descr_length == 3 && memcmp(h.descr, "<f4", 3) == 0))
    smp_cli_fail(SMP_CLI_REFUSED, "%s: numbers of type %s; a row is <f4 or <f8", name,
                 smp_cli_shown(h.descr, h.descr_length));
  if (h.dimensions != 1) smp_cli_fail(SMP_CLI_REFUSED, "%s: %d dimensions; a row has one", name, h.dimensions);
  if (h.n > SMP_ROW_MAX) smp_cli_fail(SMP_CLI_REFUSED, "%s: more than the %u entries allowed", name, SMP_ROW_MAX);
  for (size_t i = 0; i < h.n; i++) {
    double x = 0;
    size_t size = wide ? sizeof x : sizeof *row;
    if (read_bytes(file, name, wide ? (void *)&x : (void *)&row[i], size) < size)
      smp_cli_fail(SMP_CLI_REFUSED, "%s: the file ends after %zu of its %zu numbers", name, i, h.n);
    if (wide) row[i] = (float)x;
  }
  if (fgetc(file) != EOF) smp_cli_fail(SMP_CLI_REFUSED, "%s: bytes after its %zu numbers", name, h.n);
  return h.n;
}

size_t smp_cli_row(const char *path, const char *name, float *row) {
  FILE *file = fopen(path, "rb");
  if (!file) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", name, strerror(errno));
  char *bytes = (char *)row;
  size_t size = read_bytes(file, name, bytes, NPY_MAGIC), n;
  if (size == NPY_MAGIC && memcmp(bytes, magic, NPY_MAGIC) == 0)
    n = read_npy(file, name, row);
  else {
    /* one more shows that the file is longer */
    size += read_bytes(file, name, bytes + size, (SMP_ROW_MAX + 1) * sizeof *row - size);
    if (size > SMP_ROW_MAX * sizeof *row)
      smp_cli_fail(SMP_CLI_REFUSED, "%s: more than the %u entries allowed", name, SMP_ROW_MAX);
    if (size % sizeof *row)
      smp_cli_fail(SMP_CLI_REFUSED, "%s: %zu bytes is not a multiple of 4; a row is 32-bit floats", name, size);
    n = size / sizeof *row;
  }
  fclose(file);
  return n;
}
