// Changes c/gpt.c in one place at a time and runs the model's tests on each mutant: one must fail.
//   ./build.sh test mutants
//   node tests/native/mutate_gpt.mjs    the same on what is built
// What is changed: attention, LayerNorm, positions, GELU, the sums of a matrix, the cache.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

/** [what, text, another text]: the text stands once. */
const MUTANTS = [
  ["attention does not divide by the root", "(float)(1 / __builtin_sqrt((double)size))", "1.0f"],
  ["attention divides by the size", "(float)(1 / __builtin_sqrt((double)size))", "(float)(1 / (double)size)"],
  [
    "attention does not see the token itself",
    "score(w->qkv + from, keys + from * places, places, size, scale, entry + 1",
    "score(w->qkv + from, keys + from * places, places, size, scale, entry ? entry : 1",
  ],
  [
    "attention sees an entry too many",
    "for (size_t i = n; i < smp_row_capacity(n); i++)",
    "for (size_t i = n + 1; i < smp_row_capacity(n); i++)",
  ],
  ["every head has the keys of the first", "keys + from * places, places", "keys, places"],
  ["every head has the values of the first", "gather(w->weights, values + from,", "gather(w->weights, values,"],
  [
    "keys are values",
    "keys[i * places + entry] = w->qkv[width + i]",
    "keys[i * places + entry] = w->qkv[2 * width + i]",
  ],
  ["values are keys", "w->qkv + 2 * width, width * sizeof *values", "w->qkv + width, width * sizeof *values"],
  ["a key goes to the next entry", "keys[i * places + entry] =", "keys[i * places + (entry + 1) % places] ="],
  ["weights are not shared out", "return (float)(1 / sum);", "return 1;"],
  [
    "softmax is without its maximum",
    "const lanes max = lanes_all(lanes_largest(largest));",
    "const lanes max = lanes_all(lanes_largest(largest) + 100);",
  ],
  [
    "the last entry is not gathered",
    "for (size_t entry = 0; entry < n; entry++)",
    "for (size_t entry = 0; entry + 1 < n; entry++)",
  ],
  [
    "LayerNorm does not subtract the mean",
    "(lanes_load(x + i) - lanes_all(mean)) * inverse",
    "lanes_load(x + i) * inverse",
  ],
  ["the variance is about 0", "sum_of(x, n, mean, 1)", "sum_of(x, n, 0, 1)"],
  ["the variance divides by one less", "sum_of(x, n, mean, 1) / (double)n", "sum_of(x, n, mean, 1) / (double)(n - 1)"],
  ["LayerNorm adds less to the variance", "variance + 1e-5", "variance + 1e-12"],
  ["LayerNorm has no root", "__builtin_sqrt(variance + 1e-5)", "(variance + 1e-5)"],
  ["LayerNorm is without its weight", "* inverse * lanes_read(weight + 4 * i)", "* inverse"],
  ["LayerNorm is without its bias", "lanes_read(bias + 4 * i));\n  arrange", "lanes_all(0));\n  arrange"],
  ["the blocks share one LayerNorm", "layer_norm(gpt, block + GPT_NORM_2,", "layer_norm(gpt, block + GPT_NORM_1,"],
  [
    "the last LayerNorm is left out",
    "layer_norm(gpt, GPT_LAST_NORM, w.x, w.heads, w.norm);",
    "arrange(w.x, gpt->width, w.norm);",
  ],
  [
    "a position is one too far",
    "embed(gpt, id, position, w->x);",
    "embed(gpt, id, (position + 1) % gpt->n_context, w->x);",
  ],
  ["every token stands at position 0", "embed(gpt, id, position, w->x);", "embed(gpt, id, 0, w->x);"],
  [
    "all tokens of a call stand at one position",
    "run_token(gpt, cache, ids[i], position + i, logits",
    "run_token(gpt, cache, ids[i], position, logits",
  ],
  [
    "the scale of a position is that of the token",
    "gpt_float(gpt_tensor(gpt, GPT_PLACES_SCALE), position)",
    "gpt_float(gpt_tensor(gpt, GPT_TOKENS_SCALE), id)",
  ],
  ["weights have no sign", "(float)(int8_t)token[i]", "(float)token[i]"],
  ["GELU is without its cube", "z + cubic * (z * z * z)", "z + cubic * z"],
  ["GELU is the sigmoid form", "0x1.988454p+0f", "1.702f"],
  ["GELU's halves are swapped", "lanes_select(falls, e, one)", "lanes_select(falls, one, e)"],
  [
    "attention is not added",
    "    add(w->x, w->qkv, width);\n    layer_norm(gpt, block + GPT_NORM_2",
    "    memcpy(w->x, w->qkv, width * sizeof *w->x);\n    layer_norm(gpt, block + GPT_NORM_2",
  ],
  ["a matrix is without its bias", "lanes_read(bias + 4 * r) + sum : sum", "sum : sum"],
  ["the last rows of a matrix are without their scale", "* gpt_float(scale, r);", "* gpt_float(scale, 0);"],
  ["an odd sum is lost", "(even + odd)", "(even + even)"],
  ["a column is taken twice", "d += lanes_of_bytes(bytes, 3)", "d += lanes_of_bytes(bytes, 2)"],
  ["a window that slides begins at the start", "ids + skipped, n_ids - skipped", "ids + known, n_ids - skipped"],
  [
    "a window that slides keeps its cache",
    "first > 0 || cache->n >= n_ids ? 0 : cache->n",
    "cache->n >= n_ids ? 0 : cache->n",
  ],
  [
    "a cut leaves the values",
    "memmove(values + from * width, values + to * width,",
    "memmove(values + from * width, values + from * width,",
  ],
  ["a cut leaves the keys", "keys + i * places + to, behind", "keys + i * places + from, behind"],
];

const FLAGS = [
  "-std=c11",
  "-O1",
  "-ffp-contract=off",
  "-fno-math-errno",
  "-w",
  "-Ic",
  "-Ibuild/native",
  "-Itests/native",
];
/** The first broken expectation ends the program. */
const QUICK = "#include <stdio.h>\n#include <stdlib.h>\n#define printf(...) _Exit(1)\n";
const MAIN = `
#include "test.h"
struct tally tally;
${/const unsigned char \*read_model[^]*?\n}\n/.exec(readFileSync("tests/native/test_core.c", "utf8"))[0]}
int main(void) {
  test_gpt();
  test_gpt_file();
  end_case();
  return tally.failed != 0;
}
`;

const source = readFileSync("c/gpt.c", "utf8"),
  dir = mkdtempSync(join(tmpdir(), "mutants-"));
const gcc = (...args) => spawnSync("gcc", [...FLAGS, ...args], { encoding: "utf8" });

try {
  writeFileSync(join(dir, "quick.h"), QUICK);
  writeFileSync(join(dir, "main.c"), MAIN);
  const objects = [join(dir, "main.c"), "tests/native/test_gpt.c", "tests/native/test_gpt_file.c"].map(
    (file, index) => {
      const object = join(dir, `${index}.o`),
        { status, stderr } = gcc("-include", join(dir, "quick.h"), "-c", file, "-o", object);
      if (status) throw new Error(stderr);
      return object;
    },
  );
  /** Whether the tests notice. */
  const dies = text => {
    writeFileSync(join(dir, "gpt.c"), text);
    const { status, stderr } = gcc(
      "-O2",
      join(dir, "gpt.c"),
      ...objects,
      "build/native/libsmp.a",
      "-o",
      join(dir, "out"),
    );
    if (status) throw new Error(stderr);
    return spawnSync("sh", ["-c", `ulimit -t 20; exec ${join(dir, "out")}`]).status !== 0;
  };
  if (dies(source)) throw new Error("the tests fail on c/gpt.c itself");
  const survivors = [];
  for (const [what, from, to] of MUTANTS) {
    if (source.split(from).length !== 2)
      throw new Error(`${what}: the text stands ${source.split(from).length - 1} times`);
    if (!dies(source.replace(from, () => to))) survivors.push(what);
  }
  console.log(`${MUTANTS.length - survivors.length} mutants dead, ${survivors.length} alive`);
  for (const what of survivors) console.log(`  c/gpt.c: ${what}`);
  process.exitCode = survivors.length ? 1 : 0;
} finally {
  rmSync(dir, { recursive: true });
}
