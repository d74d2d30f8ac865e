// Prints the `heights` of every element in both languages, as messages.*.ts hold them: measured in Chromium at widths
// from 280 to 1200 px, and of those as few as tell all others within 48 px.
//   node tests/browser/heights.mjs [ELEMENT...]
import { readFileSync } from "node:fs";
import { launchShell } from "./launch.mjs";

const TOLERANCE = 48,
  WIDTHS = Array.from({ length: 116 }, (_, at) => 280 + 8 * at);
const registry = JSON.parse(readFileSync(new URL("../../web/elements/registry.json", import.meta.url)));
const asked = process.argv.slice(2),
  script = readFileSync(new URL("../../dist/sampling-lab-all.js", import.meta.url), "utf8");

/** The points of a line that are needed: what lies between two of them is near the line between these. */
function needed(points) {
  const [[x0, y0], [x1, y1]] = [points[0], points.at(-1)];
  const off = points.map(([x, y]) => Math.abs(y - y0 - ((y1 - y0) * (x - x0)) / (x1 - x0 || 1))),
    worst = off.indexOf(Math.max(...off));
  if (off[worst] <= TOLERANCE) return [points[0], points.at(-1)];
  return [...needed(points.slice(0, worst + 1)), ...needed(points.slice(worst)).slice(1)];
}

const browser = await launchShell();
const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
for (const name of Object.keys(registry))
  for (const lang of ["zh", "en"]) {
    if (asked.length && !asked.includes(name)) continue;
    await page.setContent(`<div><smp-${name} lang="${lang}"></smp-${name}></div>`);
    await page.addScriptTag({ content: script });
    const points = [];
    for (const width of WIDTHS)
      points.push([
        width,
        await page.evaluate(async px => {
          const column = document.querySelector("div");
          column.style.width = `${px}px`;
          await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
          return Math.round(column.offsetHeight);
        }, width),
      ]);
    console.log(`${name} ${lang}: ${JSON.stringify(needed(points)).replaceAll(",", ", ")}`);
  }
await browser.close();
