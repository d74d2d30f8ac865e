// One step of the temperature's slider in <smp-compare>, in Chromium: ms of scripting until the page shows the new figures,
// and until the reason and the first tokens stand too; the processor's time, so that a busy machine matters less. Then the
// longest task while the slider moves and draws run.
//   node tests/bench/slider.mjs [--profile]     --profile: where the time goes
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "../browser/launch.mjs";

const STEPS = 30, ENGINES = "transformers candle llama.cpp transformers.js";
const script = name => ({ content: readFileSync(fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)), "utf8") });
const cases = {
  "8 logits": `logits="5 4.5 4 2 1 0 -1 -3" top_k="4" top_p="0.9"`,
  "49,152 logits, top-k 40, top-p 0.9": `position="first" top_k="40" top_p="0.9"`,
  "49,152 logits, top-p 0.9": `position="first" top_p="0.9"`,
  "49,152 logits, temperature alone": `position="first" top_p="1" top_k="0" min_p="0"`,
};

/** 50 changes, each a few ms after 100,000 draws began. */
async function underDraws() {
  const root = document.querySelector("smp-compare").shadowRoot, slider = root.querySelector("[data-field=temperature] input[type=range]");
  for (let i = 0; i < 50; i++) {
    root.querySelector(".many-draws .moves button").click();
    await new Promise(resolve => setTimeout(resolve, 40 + 5 * (i % 8)));
    slider.value = String(0.3 + 0.05 * (i % 20));
    slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    await new Promise(resolve => setTimeout(resolve, 10 * (i % 5)));
  }
}

const settled = () => !document.querySelector("smp-compare").shadowRoot.querySelector("[aria-busy=true]");
const median = list => list.toSorted((a, b) => a - b)[list.length >> 1];
const browser = await launch();
try {
  for (const [name, attributes] of Object.entries(cases)) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    await page.setContent(`<!doctype html><html lang="en"><smp-compare engines="${ENGINES}" pair="transformers candle" temperature="0.7" ${attributes}></smp-compare>`);
    await page.addScriptTag(script("sampling-lab-logits.js"));
    await page.addScriptTag(script("sampling-lab-all.js"));
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async name => 1000 * (await client.send("Performance.getMetrics")).metrics.find(metric => metric.name === name).value;
    await page.waitForFunction(settled, null, { polling: 20 });
    await page.evaluate(() => {
      window.longest = 0;
      new PerformanceObserver(list => (window.longest = Math.max(window.longest, ...list.getEntries().map(({ duration }) => duration)))).observe({ type: "longtask" });
    });
    if (process.argv.includes("--profile")) {
      await client.send("Profiler.enable");
      await client.send("Profiler.setSamplingInterval", { interval: 200 });
      await client.send("Profiler.start");
    }
    const shown = [], whole = [];
    for (let i = 0; i < STEPS; i++) {
      const before = await spent("ScriptDuration"), task = await spent("TaskDuration");
      await page.evaluate(value => {
        const slider = document.querySelector("smp-compare").shadowRoot.querySelector("[data-field=temperature] input[type=range]");
        slider.value = value;
        slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      }, String(0.5 + 0.05 * (i % 10)));
      shown.push((await spent("ScriptDuration")) - before);
      await page.waitForFunction(settled, null, { polling: 20 });
      whole.push((await spent("TaskDuration")) - task);
    }
    console.log(`${name.padEnd(36)} figures ${median(shown).toFixed(1)} ms, all, with layout, ${median(whole).toFixed(1)} ms, longest task ${(await page.evaluate(() => window.longest)).toFixed(0)} ms of the clock`);
    await page.evaluate(() => (window.longest = 0));
    await page.evaluate(underDraws);
    await page.waitForFunction(settled, null, { polling: 20 });
    console.log(`    50 changes while 100,000 draws run: longest task ${(await page.evaluate(() => window.longest)).toFixed(0)} ms of the clock (told from 50 on)`);
    if (process.argv.includes("--profile")) report((await client.send("Profiler.stop")).profile);
    await page.close();
  }
} finally {
  await browser.close();
}

/** Functions by the time in themselves, a step. */
function report({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, `${callFrame.functionName || "(nameless)"} ${callFrame.url.slice(-20)}:${callFrame.lineNumber}:${callFrame.columnNumber}`])), self = new Map();
  samples.forEach((id, index) => self.set(names.get(id), (self.get(names.get(id)) ?? 0) + timeDeltas[index] / 1000 / STEPS));
  for (const [name, ms] of [...self].sort((a, b) => b[1] - a[1]).filter(([each]) => !/\((idle|program)\)/.test(each)).slice(0, 14)) console.log(`    ${ms.toFixed(2).padStart(7)}  ${name}`);
}
