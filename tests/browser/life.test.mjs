// Life in a page: moved, removed, many at once, defined twice, under a strict policy, with reduced motion.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, plain, reader, skipQuestions, start } from "./support.mjs";

const { base, lab, open } = await start();
const result = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));

test("moved in the document it keeps what was typed, the step and the result", async () => {
  const page = await lab(`<div id="a"><smp-sampling></smp-sampling></div><div id="b"></div>`),
    r = reader(page, en);
  await r.enter("tau", "1.5");
  await r.enter("k", "9");
  await r.step(3).click();
  const before = await r.rows();
  await page.evaluate(() => document.querySelector("#b").append(document.querySelector("smp-sampling")));
  assert.equal(await r.box("tau").inputValue(), "1.5");
  assert.equal(await r.box("k").inputValue(), "9");
  assert.equal(await r.current(), 3);
  assert.deepEqual(await r.rows(), before);
  assert.deepEqual(page.heard.messages, []);
});

test("taken out and put back later, it is the same and still works", async () => {
  const page = await lab("<smp-sampling></smp-sampling>"),
    r = reader(page, en);
  await r.enter("u", "0.1");
  await page.evaluate(async () => {
    const element = document.querySelector("smp-sampling");
    element.remove();
    await new Promise(done => setTimeout(() => setTimeout(done)));
    document.body.append(element);
  });
  assert.equal(await r.box("u").inputValue(), "0.1");
  await r.enter("u", "0.5");
  assert.equal(await r.sentence("u"), result);
  assert.deepEqual(page.heard.messages, []);
});

test("all elements of a page share one instance of the module", async () => {
  const page = await open(`${base}/page.html?html=`);
  await page.evaluate(() => {
    window.instances = 0;
    const { Instance, instantiate } = WebAssembly;
    WebAssembly.Instance = new Proxy(Instance, { construct: (target, args) => (instances++, new target(...args)) });
    WebAssembly.instantiate = (...args) => (instances++, instantiate(...args));
    document.body.innerHTML = "<smp-sampling lang=en></smp-sampling>".repeat(2);
  });
  await page.addScriptTag({ url: "/dist/sampling-lab.js" });
  await page.evaluate(() =>
    document.body.insertAdjacentHTML("beforeend", "<smp-sampling lang=en></smp-sampling>".repeat(48)),
  );
  await page.evaluate(skipQuestions);
  assert.equal(await reader(page, en, "smp-sampling >> nth=49").sentence("u"), result);
  assert.equal(await page.evaluate(() => instances), 1);
});

test("elements do not disturb each other", async () => {
  const page = await lab(`<smp-sampling id="a"></smp-sampling><smp-sampling id="b" preset="tie"></smp-sampling>`);
  const a = reader(page, en, "#a"),
    b = reader(page, en, "#b");
  await a.enter("tau", "abc");
  await b.host.getByRole("radio").nth(1).check();
  await b.step(4).click();
  assert.equal(await a.current(), 6);
  assert.equal(await b.box("tau").inputValue(), "1");
  assert.equal(await a.host.getByRole("radio").nth(0).isChecked(), true);
  assert.deepEqual(await a.column("before"), ["0.016894", "0.058965", "0.205807", "0.718335"]);
});

test("where the policy forbids wasm: a line that names the directive, and the fallback stays", async () => {
  const page = await lab(`<smp-sampling><p slot="fallback">worked table</p></smp-sampling>`, {
    head: `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`,
  });
  await page.getByText("worked table").waitFor();
  assert.match(
    await page.locator("smp-sampling").evaluate(element => element.shadowRoot.textContent),
    /'wasm-unsafe-eval'/,
  );
});

test("with reduced motion nothing moves", async () => {
  const page = await lab("<smp-sampling></smp-sampling>", { reducedMotion: "reduce" }),
    r = reader(page, en);
  await r.step(3).click();
  const moving = await r.host.evaluate(element => {
    const times = ["transitionDuration", "animationDuration"],
      styles = [];
    for (const inner of element.shadowRoot.querySelectorAll("*"))
      for (const pseudo of [null, "::before", "::after"]) styles.push(getComputedStyle(inner, pseudo));
    return styles.filter(style => times.some(name => style[name].split(",").some(time => parseFloat(time) > 0))).length;
  });
  assert.equal(moving, 0);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

test("1,000 times put in and taken out leave no listener, no node and no heap behind", async () => {
  const page = await lab("<p>a page</p>");
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  /** Puts both elements in and takes them out, one after the other, each after its frame. */
  const cycle = times =>
    page.evaluate(async n => {
      for (let i = 0; i < n; i++) {
        const host = document.createElement(i % 2 ? "smp-stopping" : "smp-sampling");
        document.body.append(host);
        if (i % 10 === 0) await new Promise(done => requestAnimationFrame(done));
        host.remove();
      }
      await new Promise(done => setTimeout(done, 200)); // the teardown waits, in case it is only moved
    }, times);
  const measured = async () => {
    for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  await cycle(600); // until the code that runs is compiled: that is heap too
  const before = await measured();
  await cycle(1000);
  let after = await measured();
  // what was held stays; what is only let go of late is gone by and by
  for (
    let tries = 0;
    tries < 50 && (after.Nodes > before.Nodes || after.JSEventListeners > before.JSEventListeners);
    tries++
  )
    after = await measured();
  assert.equal(after.JSEventListeners, before.JSEventListeners);
  assert.equal(after.Nodes, before.Nodes);
  assert.ok(
    after.JSHeapUsedSize < 1.05 * before.JSHeapUsedSize,
    `${before.JSHeapUsedSize} bytes became ${after.JSHeapUsedSize}`,
  );
});
