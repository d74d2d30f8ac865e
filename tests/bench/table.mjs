// Lays the lines of several builds side by side: table.mjs TITLE PATH... reads PATH.json, which may hold several runs,
// and names the build after it. The rows are those of the last build; one that did not time the pass is compared with
// the pass of the first. The last column is wasm in Node against SSE, of runs that took turns.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** kernel -> { ms: of each run, counted } */
function read(path) {
  const kernels = new Map();
  for (const line of readFileSync(`${path}.json`, "utf8").trim().split("\n")) {
    const { kernel, ms, counted } = JSON.parse(line);
    if (!kernels.has(kernel)) kernels.set(kernel, { ms: [], counted });
    kernels.get(kernel).ms.push(ms);
  }
  return kernels;
}

const [title, ...paths] = process.argv.slice(2);
const names = paths.map(path => basename(path)),
  builds = paths.map(read);
const passes = builds.map(kernels => {
  const [max, sum] = ["one pass: max", "one pass: sum"].map(kernel => kernels.get(kernel)?.ms);
  return max?.map((ms, run) => Math.min(ms, sum[run]));
});
/** Median over the runs of one divided by the other; a single run by the median of the others. */
const ratio = (ms, by) => median(ms.map((time, run) => time / (ms.length === by.length ? by[run] : median(by))));

console.log(`\n${title}: ms a row, and as a multiple of one pass; what was kept or found`);
const [sse, node] = ["sse", "node"].map(name => builds[names.indexOf(name)]);
console.log(
  "".padEnd(32) + names.map(name => name.padStart(18)).join("") + "".padStart(9) + (node && sse ? "  node/sse" : ""),
);
for (const kernel of builds.at(-1).keys()) {
  const cells = builds.map((kernels, build) => {
    const ms = kernels.get(kernel)?.ms;
    if (!ms) return "-".padStart(18);
    const middle = median(ms);
    return `${middle.toFixed(middle < 0.01 ? 6 : 4).padStart(10)} ${ratio(ms, passes[build] ?? passes[0])
      .toFixed(1)
      .padStart(6)}x`;
  });
  const against =
    node?.has(kernel) && sse?.has(kernel) ? ratio(node.get(kernel).ms, sse.get(kernel).ms).toFixed(2).padStart(10) : "";
  console.log(kernel.padEnd(32) + cells.join("") + String(builds[0].get(kernel)?.counted ?? "").padStart(9) + against);
}
