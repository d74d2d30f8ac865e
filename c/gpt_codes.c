/* The texts of what can be wrong with a model's file. */
#include "codes.h"
#include "smp_gpt.h"

/* clang-format off */
static const char WRONG[] =
    ROW(GPT_FINE, "")
    ROW(GPT_SIZE, "no safetensors file, or not all of it")
    ROW(GPT_HEADER, "its header is not that of a safetensors file")
    ROW(GPT_FORMAT, "its metadata have no format sampling-lab gpt 1")
    ROW(GPT_HEADS, "its metadata have no heads that divide the width into fours")
    ROW(GPT_POSITIONS, "its metadata have no context from 1 to 1024")
    ROW(GPT_CHARACTERS, "its metadata have no characters, each once, 65279 at most")
    ROW(GPT_TENSOR_UNKNOWN, "a tensor that the format does not have")
    ROW(GPT_TENSOR_MISSING, "a tensor is missing")
    ROW(GPT_TENSOR_TWICE, "a tensor is there twice")
    ROW(GPT_TENSOR_TYPE, "a tensor is of another type; matrices are I8, all else is F32")
    ROW(GPT_TENSOR_SHAPE, "a tensor is of another shape")
    ROW(GPT_TENSOR_PLACE, "the bytes of a tensor do not lie in the file, or are not as many as its shape says")
    ROW(GPT_TENSOR_VALUE, "a tensor holds NaN, or a number beyond 65536");
/* clang-format on */

const code_table smpi_gpt_codes[] = {{"gptWrong", WRONG, CODES_UP}, {NULL, NULL, CODES_UP}};

const char *smp_gpt_wrong_text(smp_gpt_wrong wrong) {
  const char *text = smpi_code_text(WRONG, (uint32_t)wrong, 1);
  return text ? text : "";
}
