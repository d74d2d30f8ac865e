// The times of tests/bench/gpt: native and in Node by turns, then a quatrain in Chromium.
//   node gpt.mjs NATIVE MODULE MODEL
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const [native, module, model] = process.argv.slice(2);
const ROUNDS = 5;

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(module)), {}),
  file = readFileSync(model);
new Uint8Array(exports.memory.buffer, exports.bench_file(), file.length).set(file);
if (!exports.bench_open(file.length)) throw new Error(`${model}: no model`);
/** Microseconds of a token, the median of 41 times 20. */
function inNode() {
  const times = Array.from({ length: 41 }, () => {
    const from = performance.now();
    for (let i = 0; i < 20; i++) exports.bench_run(0);
    return (performance.now() - from) * 50;
  });
  return times.sort((a, b) => a - b)[20];
}

for (let i = 0; i < 2000; i++) exports.bench_run(0); // until the optimising compiler has it
const rounds = Array.from({ length: ROUNDS }, () => ({
  ...JSON.parse(execFileSync(native, [model], { encoding: "utf8" })),
  node: inNode(),
}));
const median = of => rounds.map(of).sort((a, b) => a - b)[ROUNDS >> 1],
  ratio = of => median(of).toFixed(2);
console.log(`a token: ${ratio(r => r.token)} us native, ${ratio(r => r.node)} us in wasm (Node)`);
console.log(`wasm to native: ${ratio(r => r.node / r.token)} (budget 1.3)`);
console.log(`to a plain int8 product by SSE2: ${ratio(r => r.token / r.plain)} (budget 2)`);
console.log(`llama2.c's float loop to it: ${ratio(r => r.loop / r.token)} (at least 2)`);

if (existsSync("/usr/bin/chromium") && existsSync("dist/sampling-lab-model-zh.js")) {
  const { launch } = await import("../browser/launch.mjs");
  const browser = await launch();
  const page = await browser.newPage();
  await page.route("http://bench.invalid/**", route => {
    const path = new URL(route.request().url()).pathname;
    return path === "/"
      ? route.fulfill({ contentType: "text/html", body: '<script src="/sampling-lab-model-zh.js"></script>' })
      : route.fulfill({ contentType: "text/javascript", body: readFileSync(`dist${path}`, "utf8") });
  });
  await page.goto("http://bench.invalid/");
  const times = await page.evaluate(async () => {
    const api = await import("/core.mjs"),
      core = await api.load(),
      model = api.modelNamed(core, "zh");
    const steps = [
      ["temperature", 0.8],
      ["top_k", 40],
    ];
    return Array.from({ length: 60 }, (_, seed) => {
      const from = performance.now();
      const tokens = [...api.generate(core, model, { steps, seed: String(seed), maxNewTokens: 63 })].length;
      return ((performance.now() - from) / tokens) * 25;
    });
  });
  await browser.close();
  const [first] = times,
    middle = times.sort((a, b) => a - b)[30];
  console.log(`a quatrain in Chromium: ${middle.toFixed(1)} ms, the first ${first.toFixed(1)} ms (budget 20)`);
}
