/* Whole files, for the command line, and the model that is linked into it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_generate.h"

/* web/models/zh.safetensors as `ld -b binary` puts it into an object, where that is linked in. */
extern const unsigned char _binary_zh_safetensors_start[] __attribute__((weak));
extern const unsigned char _binary_zh_safetensors_end[] __attribute__((weak));

enum { MOST_BYTES = 1 << 26 };

unsigned char *smp_cli_read(const char *path, size_t *size) {
  const char *wrong = NULL;
  unsigned char *bytes = NULL;
  size_t room = 1 << 16;
  FILE *file = fopen(path, "rb");
  if (!file) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", smp_cli_shown(path, strlen(path)), strerror(errno));
  *size = 0;
  do { /* its size is not asked for: it may be a pipe */
    unsigned char *grown = smp_cli_room(2 * room + 1, 1);
    if (bytes) memcpy(grown, bytes, *size);
    free(bytes);
    bytes = grown;
    room *= 2;
    *size += fread(bytes + *size, 1, room - *size, file);
  } while (*size == room && room < MOST_BYTES);
  if (ferror(file)) wrong = strerror(errno);
  if (*size == MOST_BYTES) wrong = "more than 64 MB";
  fclose(file);
  if (wrong) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", smp_cli_shown(path, strlen(path)), wrong);
  return bytes;
}

const unsigned char *smp_cli_model_file(const char *name, size_t *size) {
  const unsigned char *start = _binary_zh_safetensors_start, *end = _binary_zh_safetensors_end;
  if (strcmp(name, "zh") != 0 || !start) return smp_cli_read(name, size);
  *size = (size_t)((uintptr_t)end - (uintptr_t)start);
  return start;
}

void smp_cli_write(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  const int fine = file && fwrite(text, 1, size, file) == size;
  if (!file || fclose(file) != 0 || !fine)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", smp_cli_shown(path, strlen(path)), strerror(errno));
}
