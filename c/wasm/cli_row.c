/* Files for the command line in the npm package, in place of cli/cli_row.c and cli_file.c: there are none in the
   module, so its host reads the row, with the readers that the page and eval have too, whole files, and models. */
#include <string.h>

#include "cli/cli_generate.h"

const char smp_cli_commands[] = "lab, top, draw, compare, generate, eval and snippet";
const char smp_cli_files[] =
    "  FILE, or --logits FILE: .f32 (little-endian 32-bit floats), .npy, .safetensors or .json, known by its start.\n"
    "  Of several tensors and rows --tensor NAME and --row N choose; else it is the first.";

/* The host looks at the memory anew in each call. */
void emscripten_notify_memory_growth(size_t memory);
void emscripten_notify_memory_growth(size_t memory) {
  (void)memory;
}

/* Writes the row, or a message of one line, and returns the number of entries, or SMP_NONE with the message. What was
   not given is NULL. */
__attribute__((import_module("host"), import_name("read_row"))) uint32_t
host_read_row(const char *path, const char *tensor, const char *number, float *row, char *message, uint32_t room);

size_t smp_cli_row(const struct smp_cli_file *file, float *row) {
  static char message[1024];
  const uint32_t n = host_read_row(file->path, file->tensor, file->row, row, message, sizeof message);
  if (n == SMP_NONE) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", file->name, message);
  return n;
}

/* The bytes of a file, or of a model by its name, as many as there is room for; returns how many there are, or SMP_NONE
   with the message. */
__attribute__((import_module("host"), import_name("read_file"))) uint32_t
host_read_file(const char *path, uint32_t is_model, unsigned char *to, uint32_t room, char *message, uint32_t length);

/* 0, or SMP_NONE with the message. */
__attribute__((import_module("host"), import_name("write_file"))) uint32_t
host_write_file(const char *path, const char *text, uint32_t size, char *message, uint32_t length);

static char problem[1024];

static unsigned char *read_whole(const char *path, uint32_t is_model, size_t *size) {
  uint32_t n = host_read_file(path, is_model, NULL, 0, problem, sizeof problem);
  if (n == SMP_NONE) smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", smp_cli_shown(path, strlen(path)), problem);
  unsigned char *bytes = smp_cli_room((size_t)n + 1, 1);
  *size = host_read_file(path, is_model, bytes, n, problem, sizeof problem);
  return bytes;
}

unsigned char *smp_cli_read(const char *path, size_t *size) {
  return read_whole(path, 0, size);
}

const unsigned char *smp_cli_model_file(const char *name, size_t *size) {
  return read_whole(name, 1, size);
}

void smp_cli_write(const char *path, const char *text, size_t size) {
  if (host_write_file(path, text, (uint32_t)size, problem, sizeof problem) == SMP_NONE)
    smp_cli_fail(SMP_CLI_REFUSED, "%s: %s", smp_cli_shown(path, strlen(path)), problem);
}
