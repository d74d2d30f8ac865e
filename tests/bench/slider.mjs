// One step of the temperature's slider in <smp-compare>, in Chromium: ms of scripting until the page shows the new
// figures, and until the reason and the first tokens stand too; the processor's time, so that a busy machine matters
// less. Then the longest task while the slider moves, and while draws run, there and a million of <smp-frequency>: the
// processor's time, and the clock's.
//   node tests/bench/slider.mjs [--profile]     --profile: where the time goes
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "../browser/launch.mjs";

const STEPS = 30,
  ENGINES = "transformers candle llama.cpp transformers.js";
const script = name => ({
  content: readFileSync(fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)), "utf8"),
});
const cases = {
  "8 logits": `logits="5 4.5 4 2 1 0 -1 -3" top_k="4" top_p="0.9"`,
  "49,152 logits, top-k 40, top-p 0.9": `position="first" top_k="40" top_p="0.9"`,
  "49,152 logits, top-p 0.9": `position="first" top_p="0.9"`,
  "49,152 logits, temperature alone": `position="first" top_p="1" top_k="0" min_p="0"`,
};

/** One step, in the page, which has this function too. */
function step(value) {
  const slider = document
    .querySelector("smp-compare")
    .shadowRoot.querySelector("[data-field=temperature] input[type=range]");
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
}
const place = i => String(0.5 + 0.05 * (i % 10));

/** 50 changes, each a few ms after 100,000 draws began. */
async function underDraws() {
  for (let i = 0; i < 50; i++) {
    document.querySelector("smp-compare").shadowRoot.querySelector(".many-draws .moves button").click();
    await new Promise(resolve => setTimeout(resolve, 40 + 5 * (i % 8)));
    step(String(0.3 + 0.05 * (i % 20)));
    await new Promise(resolve => setTimeout(resolve, 10 * (i % 5)));
  }
}

/** A million draws in <smp-frequency>, from the first on. */
async function million(source) {
  const host = document.querySelector("smp-frequency"),
    { shadowRoot } = host;
  Object.assign(host, { draws: 1, source });
  host.draws = 1_000_000;
  do await new Promise(requestAnimationFrame);
  while (shadowRoot.querySelector("progress"));
}

/** The page's longest task during some work, in ms of the processor and of the clock. */
async function longestTask(browser, page, work) {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await work();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === "X" && /RunTask$/.test(name) && main.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error("the trace has no tasks of the page");
  const most = key => Math.max(...tasks.map(task => task[key] ?? 0)) / 1000;
  return `longest task ${most("tdur").toFixed(0)} ms (${most("dur").toFixed(0)} of the clock)`;
}

const settled = () => !document.querySelector("smp-compare").shadowRoot.querySelector("[aria-busy=true]");
const median = list => list.toSorted((a, b) => a - b)[list.length >> 1];
const browser = await launch();
try {
  for (const [name, attributes] of Object.entries(cases)) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    await page.setContent(
      `<!doctype html><html lang="en"><smp-compare engines="${ENGINES}" pair="transformers candle" temperature="0.7" ${attributes}></smp-compare>`,
    );
    await page.addScriptTag(script("sampling-lab-logits.js"));
    await page.addScriptTag(script("sampling-lab-all.js"));
    await page.addScriptTag({ content: String(step) });
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async name =>
      1000 * (await client.send("Performance.getMetrics")).metrics.find(metric => metric.name === name).value;
    await page.waitForFunction(settled, null, { polling: 20 });
    if (process.argv.includes("--profile")) {
      await client.send("Profiler.enable");
      await client.send("Profiler.setSamplingInterval", { interval: 200 });
      await client.send("Profiler.start");
    }
    const shown = [],
      whole = [];
    for (let i = 0; i < STEPS; i++) {
      const before = await spent("ScriptDuration"),
        task = await spent("TaskDuration");
      await page.evaluate(step, place(i));
      shown.push((await spent("ScriptDuration")) - before);
      await page.waitForFunction(settled, null, { polling: 20 });
      whole.push((await spent("TaskDuration")) - task);
    }
    console.log(
      `${name.padEnd(36)} figures ${median(shown).toFixed(1)} ms, all, with layout, ${median(whole).toFixed(1)} ms`,
    );
    const moved = await longestTask(browser, page, async () => {
      for (let i = 0; i < STEPS; i++) {
        await page.evaluate(step, place(i));
        await page.waitForFunction(settled, null, { polling: 20 });
      }
    });
    const drawn = await longestTask(browser, page, async () => {
      await page.evaluate(underDraws);
      await page.waitForFunction(settled, null, { polling: 20 });
    });
    console.log(`    while the slider moves, ${moved}; 50 changes while 100,000 draws run, ${drawn}`);
    if (process.argv.includes("--profile")) report((await client.send("Profiler.stop")).profile);
    await page.close();
  }
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
  await page.setContent(`<!doctype html><html lang="en"><smp-frequency></smp-frequency>`);
  await page.addScriptTag(script("sampling-lab-all.js"));
  await page.evaluate(million, "torch-mkl"); // compiled by then
  for (const source of ["torch-mkl", "torch", "candle", "llama.cpp"]) {
    const task = await longestTask(browser, page, () => page.evaluate(million, source));
    console.log(`${`10^6 draws of ${source}`.padEnd(36)} ${task}`);
  }
} finally {
  await browser.close();
}

/** Functions by the time in themselves, a step. */
function report({ nodes, samples, timeDeltas }) {
  const names = new Map(
      nodes.map(({ id, callFrame }) => [
        id,
        `${callFrame.functionName || "(nameless)"} ${callFrame.url.slice(-20)}:${callFrame.lineNumber}:${callFrame.columnNumber}`,
      ]),
    ),
    self = new Map();
  samples.forEach((id, index) =>
    self.set(names.get(id), (self.get(names.get(id)) ?? 0) + timeDeltas[index] / 1000 / STEPS),
  );
  for (const [name, ms] of [...self]
    .sort((a, b) => b[1] - a[1])
    .filter(([each]) => !/\((idle|program)\)/.test(each))
    .slice(0, 14))
    console.log(`    ${ms.toFixed(2).padStart(7)}  ${name}`);
}
