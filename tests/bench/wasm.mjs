// Times the kernels of a bench module: wasm.mjs MODULE LOGITS.f32 V ROWS flat|real REPEATS -> one line of
// JSON a kernel.
import { readFileSync } from "node:fs";

/** Same protocol as the native program; `module` and `logits` are bytes. Runs in Node and in a page, which sees nothing
    of this file but the function. Where the clock is coarse a median of its steps says little: then the mean of more
    runs, up to 0.2 s, without those that took more than twice the median. */
export async function measure({ module, logits, v, rows, flat, repeats, coarse }) {
  const { instance } = await WebAssembly.instantiate(Uint8Array.from(module), {});
  const { memory, bench_source, bench_paint, bench_restore, bench_run, bench_name } = instance.exports;
  new Uint8Array(memory.buffer, bench_source(), logits.length).set(logits);
  if (!bench_paint(v, rows, flat ? 1 : 0)) return [];
  const text = at => {
    const bytes = new Uint8Array(memory.buffer, at);
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
  };
  const lines = [];
  for (let kernel = 0, name; (name = bench_name(kernel)); kernel++) {
    const ms = [],
      needs = /^(draw|distance|100,000 draws|races of .*)$/.test(text(name))
        ? lines.findIndex(line => line.kernel === "softmax")
        : -1;
    let counted = 0,
      spent = 0;
    for (let i = -10; i < repeats || (coarse && spent < 200 && i < 10 * repeats); i++) {
      bench_restore();
      if (needs >= 0) bench_run(needs);
      const start = performance.now();
      counted = bench_run(kernel);
      if (i >= 0) spent += ms[ms.push(performance.now() - start) - 1];
    }
    const median = ms.sort((a, b) => a - b)[ms.length >> 1],
      usual = ms.filter(time => time <= 2 * median);
    lines.push({
      kernel: text(name),
      ms: (coarse ? usual.reduce((sum, time) => sum + time) / usual.length : median) / rows,
      counted,
    });
  }
  return lines;
}

if (typeof process === "object" && process.argv[1] === new URL(import.meta.url).pathname) {
  const [module, logits, v, rows, kind, repeats] = process.argv.slice(2);
  const lines = await measure({
    module: readFileSync(module),
    logits: readFileSync(logits),
    v: Number(v),
    rows: Number(rows),
    flat: kind === "flat",
    repeats: Number(repeats),
  });
  for (const line of lines) console.log(JSON.stringify(line));
}
