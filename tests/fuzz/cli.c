/* The command line: arguments apart by line ends, and the content of its file. What fails says so in one
   line, and prints nothing else. */
#include "caught.h"

enum { ARGUMENTS = 24 };

static const char *const WORDS[] = {"lab",
                                    "top",
                                    "compare",
                                    "draw",
                                    "--generator",
                                    "torch-mkl",
                                    "own",
                                    "--replacement",
                                    "--before",
                                    "--logits",
                                    "--tau",
                                    "--top-k",
                                    "--u",
                                    "--tie",
                                    "strict",
                                    "threshold",
                                    "--json",
                                    "--temperature",
                                    "--n",
                                    "--engines",
                                    "transformers",
                                    "candle,llama.cpp",
                                    "--top-p",
                                    "--inclusive",
                                    "--min-p",
                                    "--typical-p",
                                    "--repetition-penalty",
                                    "--context",
                                    "--settings-only",
                                    "--seed",
                                    "--draws",
                                    "0 1 2 3",
                                    "0.5",
                                    "2",
                                    "1",
                                    "file",
                                    "none",
                                    "exllamav2,vllm,mlx-lm,sglang,flashinfer,ollama",
                                    "chapter,llms-from-scratch,llama2.c",
                                    "--logits=file",
                                    "--engines=candle,llama2.c",
                                    "--top-k=2",
                                    "--tensor",
                                    "--row",
                                    "generate",
                                    "--model",
                                    "--model=file",
                                    "zh",
                                    "--prompt",
                                    "--replay",
                                    "--replay=file",
                                    "--record",
                                    "--max-new",
                                    "--batch",
                                    "--no-eos",
                                    "--logprobs"};
enum { N_WORDS = sizeof WORDS / sizeof *WORDS };

/* A word that the command line knows, or any. */
static char *take_word(struct bytes *b) {
  const uint32_t kind = take(b, 1);
  if (kind < 224) return strdup(WORDS[kind % N_WORDS]);
  size_t length = 0;
  while (length < b->left && b->at[length] && b->at[length] != '\n') length++;
  char *word = area(length + 1, 0);
  if (length) memcpy(word, b->at, length);
  b->at += length;
  b->left -= length;
  take(b, 1);
  return word;
}

static void check_message(const char *text, size_t length) {
  must(length > 5 && memcmp(text, "smp: ", 5) == 0 && text[length - 1] == '\n', "\"%s\"", text);
  for (size_t i = 0; i + 1 < length; i++) must((unsigned char)text[i] >= 32 && text[i] != 127, "\"%s\"", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes b = {data, size};
  char name[] = "smp", *argv[ARGUMENTS + 2] = {name}, *out, *err;
  size_t out_length, err_length;
  const int n = (int)below(&b, ARGUMENTS + 1);
  for (int i = 1; i <= n; i++) argv[i] = take_word(&b);
  for (int i = 1; i < n; i++) /* a million draws take long, and say no more than a few */
    if (strcmp(argv[i], "--draws") == 0 && strlen(argv[i + 1]) > 3) argv[i + 1][3] = 0;
  content = b;
  FILE *const real_out = stdout, *const real_err = stderr;
  stdout = open_memstream(&out, &out_length);
  stderr = open_memstream(&err, &err_length);
  volatile int status = -1;
  const int jumped = setjmp(over);
  if (jumped == 0)
    status = smp_main(n + 1, argv);
  else
    status = jumped - 1;
  fclose(stdout);
  fclose(stderr);
  stdout = real_out;
  stderr = real_err;
  clean_up();
  if (status == 0) {
    must(err_length == 0 && out_length > 0, "done, and said \"%s\"", err);
  } else {
    must(status == SMP_CLI_REFUSED || status == SMP_CLI_USAGE, "status %d", status);
    must(out_length == 0, "refused, and printed \"%s\"", out);
    check_message(err, err_length);
  }
  free(out);
  free(err);
  for (int i = 1; i <= n; i++) free(argv[i]);
  return 0;
}
