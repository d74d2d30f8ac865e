// The printed snippet tells what the experiment shows, in both languages, and its reserved heights are right.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { en, reader, ROOT, start, zh } from "./support.mjs";

const { lab } = await start();
const snippet = (...args) =>
  execFileSync("node", [join(ROOT, "dist/cli.js"), "snippet", "smp-sampling", ...args], { encoding: "utf8" });
const here = html => html.replace('src="sampling-lab.js"', 'src="/dist/sampling-lab.js"');
const CHAPTER = ["--logits", "0 1 2 3", "--tau", "0.8", "--top-k", "2", "--u", "0.5"];

for (const m of [zh, en]) {
  test(`${m.lang}: with scripts off every row is there, as the experiment shows it`, async () => {
    const html = snippet(
      "--logits",
      "3 2 2 0 -1",
      "--tau",
      "0.7",
      "--top-k",
      "2",
      "--u",
      "0.9",
      "--tie",
      "threshold",
      "--lang",
      m.lang,
    );
    const page = await lab(html, { script: false, javaScriptEnabled: false });
    const table = page.getByRole("table");
    assert.ok(await table.isVisible());
    const rows = await table
      .getByRole("row")
      .evaluateAll(all => all.slice(1).map(row => [...row.cells].map(cell => cell.textContent)));
    const r = reader(await lab(here(html), { script: false }), m);
    assert.deepEqual(rows, (await r.rows()).map(Object.values));
    assert.ok((await table.locator("caption").textContent()).includes(await r.sentence("u")));
  });

  // a screen, or a column of a book on a wide one
  for (const [width, column] of [
    [360],
    [768],
    [1200],
    [1280, 288],
    [1280, 343],
    [1280, 652],
    [1280, 703],
    [1280, 1100],
  ])
    test(`${m.lang}: nothing on the page moves when the script arrives, ${column ?? width} px${column ? " of a wide screen" : ""}`, async () => {
      const made = snippet(...CHAPTER, "--lang", m.lang).replace(/<script.*<\/script>/, ""),
        html = `<div style="width: ${column ? `${column}px` : "auto"}"><p>before</p>${made}<p>after</p></div>`;
      const page = await lab(html, {
        script: false,
        lang: m.lang,
        viewport: { width, height: 900 },
        head: '<meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>',
      });
      await page.evaluate(() => {
        window.shifts = [];
        new PerformanceObserver(list => shifts.push(...list.getEntries().map(entry => entry.value))).observe({
          type: "layout-shift",
          buffered: true,
        });
      });
      const before = await page.getByText("after", { exact: true }).boundingBox();
      await page.addScriptTag({ url: "/dist/sampling-lab.js" });
      await page.getByText(m.steps.forward, { exact: true }).waitFor();
      await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.deepEqual(await page.evaluate(() => shifts), []);
      const after = await page.getByText("after", { exact: true }).boundingBox();
      assert.ok(
        Math.abs(after.y - before.y) <= 60,
        `the end moves by ${after.y - before.y} px: measure HEIGHTS in snippet.ts again`,
      );
      assert.equal(await reader(page, m).sentence("u"), m.quiz.veiled);
    });
}
