// Lays the lines of several builds side by side: table.mjs TITLE PATH... reads PATH.json and names the build after it.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const [title, ...paths] = process.argv.slice(2);
const builds = paths.map(path => readFileSync(`${path}.json`, "utf8").trim().split("\n").map(line => JSON.parse(line)));
const pass = builds.map(lines => Math.min(...lines.filter(({ kernel }) => kernel.startsWith("one pass")).map(({ ms }) => ms)));

console.log(`\n${title}: ms a row, and as a multiple of one pass; what was kept or found`);
console.log("".padEnd(32) + paths.map(path => basename(path).padStart(18)).join(""));
builds[0].forEach(({ kernel, counted }, row) => {
  const cells = builds.map((lines, build) => `${lines[row].ms.toFixed(4).padStart(10)} ${(lines[row].ms / pass[build]).toFixed(1).padStart(6)}x`);
  console.log(kernel.padEnd(32) + cells.join("") + String(counted).padStart(9));
});
