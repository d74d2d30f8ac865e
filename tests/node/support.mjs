// What the tests in Node share: where things are, the two wasm modules, vectors, and a way to import TypeScript.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as api from "../../dist/sampling-lab.mjs";
import { tables } from "../../web/build/plugins.mjs";

export { api };
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const fromRoot = (...path) => join(ROOT, ...path);

// ---- The modules ----------------------------------------------------------------------------------------------

export const modules = { simd: fromRoot("build/wasm/smp.wasm"), scalar: fromRoot("build/wasm/smp-scalar.wasm") };
export const cores = {
  simd: await api.instantiate(readFileSync(modules.simd)),
  scalar: await api.instantiate(readFileSync(modules.scalar)),
};

// ---- Vectors --------------------------------------------------------------------------------------------------

/** The folder of vectors: VECTORS may name another one of the same layout. */
export const VECTORS = resolve(ROOT, process.env.VECTORS ?? "tests/vectors");
/** Rows of real logits lie among the vectors, or beside them. */
export const LOGITS = existsSync(join(VECTORS, "logits")) ? join(VECTORS, "logits") : join(VECTORS, "../logits");

/** What we call the engines whose answers engines-read.json holds. */
export const READ_NAMES = {
  HF: "transformers",
  vLLM: "vllm",
  llama_cpp: "llama.cpp",
  candle: "candle",
  mlx_lm: "mlx-lm",
  SGLang_torch: "sglang",
  flashinfer_joint: "flashinfer",
  llama2_c: "llama2.c",
  ollama_go: "ollama",
  exllamav2: "exllamav2",
  transformers_js: "transformers.js",
  LLMs_from_scratch: "llms-from-scratch",
};

export const readVectors = name => JSON.parse(readFileSync(join(VECTORS, name), "utf8"));

export function readRow(name) {
  const bytes = readFileSync(join(LOGITS, name));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The file of the model zh. */
export const readModel = () => readFileSync(fromRoot("web/models/zh.safetensors"));

/** Leaves the digest of a runner where run.sh compares them all. */
export function recordDigest(name, digest) {
  mkdirSync(fromRoot("build/tests/digests"), { recursive: true });
  writeFileSync(fromRoot("build/tests/digests", name), `${digest}\n`);
}

// ---- Sizes ----------------------------------------------------------------------------------------------------

export const recordedSizes = JSON.parse(readFileSync(fromRoot("tests/size.json"), "utf8"));

/** A ratchet on the size after gzip: the record changes only in the commit that explains why. Under it by more than a
    little, lower it. By the tool itself: the zlib of one Node differs from that of the next. */
export function checkSize(name, bytes, little = 256) {
  const size = execFileSync("gzip", ["-9nc"], { input: bytes, maxBuffer: 1 << 26 }).length,
    recorded = recordedSizes[name];
  assert.ok(size <= recorded, `${name}: ${size} bytes, recorded ${recorded}`);
  assert.ok(size > recorded - little, `${name}: ${size} bytes: lower the record of ${recorded}`);
}

/** A batch that ends in its two steps, as a line of `eval`. */
export const SMALL_BATCH = {
  op: "stop",
  candidates: [
    [1, 20],
    [22, 1],
  ],
  eos: [1],
  pad: 0,
  max_new_tokens: 2,
  rule: "latch",
};

// ---- The command line -----------------------------------------------------------------------------------------

/** Runs `sampling-lab` with these words: status, stdout, stderr. */
export const command = (...args) =>
  spawnSync(process.execPath, [fromRoot("dist/cli.js"), ...args], { encoding: "utf8" });

/** The cells of all rows of the tables in a text of HTML. */
export const cells = html =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(match => match[1]),
  );

// ---- Numbers --------------------------------------------------------------------------------------------------

/** Distance between neighbouring doubles at x. */
export function ulp(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const bits = view.getBigUint64(0);
  view.setBigUint64(0, bits + 1n);
  return view.getFloat64(0) - Math.abs(x);
}

/** The nearest double below x > 0. */
export function below(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

// ---- Sources --------------------------------------------------------------------------------------------------

/** The exports of a TypeScript file under web/ that needs no wasm and no DOM. */
export async function importSource(path) {
  const { outputFiles } = await build({
    entryPoints: [fromRoot(path)],
    bundle: true,
    format: "esm",
    write: false,
    charset: "utf8",
    plugins: [tables()],
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
