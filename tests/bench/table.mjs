// Lays the lines of several builds side by side: table.mjs TITLE PATH... reads PATH.json and names the build after it. The
// rows are those of the last build; one that did not time the pass is compared with the pass of the first.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const [title, ...paths] = process.argv.slice(2);
const builds = paths.map(path => readFileSync(`${path}.json`, "utf8").trim().split("\n").map(line => JSON.parse(line)));
const passes = builds.map(lines => lines.filter(({ kernel }) => kernel.startsWith("one pass")).map(({ ms }) => ms));
const pass = passes.map(ms => Math.min(...(ms.length ? ms : passes[0])));

console.log(`\n${title}: ms a row, and as a multiple of one pass; what was kept or found`);
console.log("".padEnd(32) + paths.map(path => basename(path).padStart(18)).join(""));
for (const { kernel } of builds.at(-1)) {
  const lines = builds.map(lines => lines.find(line => line.kernel === kernel));
  const cells = lines.map((line, build) => (line ? `${line.ms.toFixed(line.ms < 0.01 ? 6 : 4).padStart(10)} ${(line.ms / pass[build]).toFixed(1).padStart(6)}x` : "-".padStart(18)));
  console.log(kernel.padEnd(32) + cells.join("") + String(lines[0]?.counted ?? "").padStart(9));
}
