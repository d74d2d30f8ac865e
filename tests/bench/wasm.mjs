// Times the kernels of a bench module: wasm.mjs MODULE LOGITS.f32 V ROWS flat|real REPEATS -> one line of JSON a kernel.
import { readFileSync } from "node:fs";

/** Same protocol as the native program; `module` and `logits` are bytes. Runs in Node and in a page. */
export async function measure({ module, logits, v, rows, flat, repeats }) {
  const { instance } = await WebAssembly.instantiate(module, {});
  const { memory, bench_source, bench_paint, bench_restore, bench_run, bench_name } = instance.exports;
  new Uint8Array(memory.buffer, bench_source(), logits.length).set(logits);
  if (!bench_paint(v, rows, flat ? 1 : 0)) return [];
  const text = at => {
    const bytes = new Uint8Array(memory.buffer, at);
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
  };
  const lines = [];
  for (let kernel = 0, name; (name = bench_name(kernel)); kernel++) {
    const ms = [], needs = /^(draw|distance)$/.test(text(name)) ? lines.findIndex(line => line.kernel === "softmax") : -1;
    let counted = 0;
    for (let i = -10; i < repeats; i++) {
      bench_restore();
      if (needs >= 0) bench_run(needs);
      const start = performance.now();
      counted = bench_run(kernel);
      if (i >= 0) ms.push(performance.now() - start);
    }
    ms.sort((a, b) => a - b);
    lines.push({ kernel: text(name), ms: ms[repeats >> 1] / rows, counted });
  }
  return lines;
}

if (typeof process === "object" && process.argv[1] === new URL(import.meta.url).pathname) {
  const [module, logits, v, rows, kind, repeats] = process.argv.slice(2);
  const lines = await measure({ module: readFileSync(module), logits: readFileSync(logits), v: Number(v), rows: Number(rows), flat: kind === "flat", repeats: Number(repeats) });
  for (const line of lines) console.log(JSON.stringify(line));
}
