/* The command line in a process that goes on: the files of c/cli are compiled with their exit, files and memory turned
   to these (run.sh), so that its files are bytes in memory and exit returns to the caller. */
#include <setjmp.h>

#include "../../c/cli/cli.h"
#include "fuzz.h"

int smp_main(int argc, char **argv);
_Noreturn void fuzz_exit(int status);
FILE *fuzz_open(const char *path, const char *mode);
int fuzz_close(FILE *file);
void *fuzz_calloc(size_t count, size_t size);
void fuzz_free(void *block);

static jmp_buf over;
static struct bytes content; /* of every file but "none" */
static FILE *opened;
static void *blocks[4096];
static size_t n_blocks;

void fuzz_exit(int status) {
  longjmp(over, status + 1);
}

FILE *fuzz_open(const char *path, const char *mode) {
  static uint8_t nothing[1];
  if (strcmp(path, "none") == 0) return NULL;
  opened = fmemopen(content.left ? (void *)(uintptr_t)content.at : nothing, content.left ? content.left : 1, mode);
  if (opened && content.left == 0) fgetc(opened);
  return opened;
}

int fuzz_close(FILE *file) {
  opened = NULL;
  return fclose(file);
}

void *fuzz_calloc(size_t count, size_t size) {
  if (n_blocks == sizeof blocks / sizeof *blocks) return NULL;
  return blocks[n_blocks++] = calloc(count, size);
}

/* All is freed at the end. */
void fuzz_free(void *block) {
  (void)block;
}

static void clean_up(void) {
  if (opened) fclose(opened);
  opened = NULL;
  while (n_blocks) free(blocks[--n_blocks]);
}
