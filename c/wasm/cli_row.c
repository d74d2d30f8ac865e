/* Files for the command line in the npm package, in place of cli/cli_row.c: there are none in the module, so its host
   reads the row, with the readers that the page and eval have too. */
#include "cli/cli.h"

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
