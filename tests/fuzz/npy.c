/* Rows in files: the bytes are those of a file, or of a .npy behind a header that is nearly one. */
#include "caught.h"

static float row[SMP_ROW_MAX + 1];

/* How many numbers; SMP_NONE where the file is refused. */
static size_t read_row(struct bytes file) {
  content = file;
  if (setjmp(over) == 0) {
    const size_t n = smp_cli_row(&(struct smp_cli_file){.path = "file", .name = "file"}, row);
    clean_up();
    return n;
  }
  clean_up();
  return SMP_NONE;
}

static void check_floats(struct bytes file) {
  const size_t n = read_row(file);
  must(n == SMP_NONE || n <= SMP_ROW_MAX, "%zu numbers", n);
  must(n == SMP_NONE || n * 2 <= file.left || n * 4 == file.left, "%zu numbers of %zu bytes", n, file.left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const types[] = {"<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<i4"};
  struct bytes b = {data, size};
  if (take(&b, 1) % 2) {
    check_floats(b);
    return 0;
  }
  const char *type = types[below(&b, 7)];
  const size_t wide = (size_t)(type[2] - '0'), n = b.left / wide;
  char header[128];
  const int length =
      snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }\n", type, n);
  uint8_t *file = area(10 + (size_t)length + b.left, 0);
  memcpy(file, "\x93NUMPY\1\0", 8);
  file[8] = (uint8_t)length;
  memcpy(file + 10, header, (size_t)length);
  if (b.left) memcpy(file + 10 + length, b.at, b.left);
  const size_t found = read_row((struct bytes){file, 10 + (size_t)length + n * wide});
  must(found == (type[1] == 'f' ? n : SMP_NONE), "%zu numbers of %zu", found, n);
  free(file);
  return 0;
}
