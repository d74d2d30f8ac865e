// The anywidget module with a model that stands in for a notebook's: each tells the other what has changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, plain, reader, skipQuestions, start } from "./support.mjs";

const { lab } = await start();

/** A page with widgets of one model, which is `model` there; what `render` returned is in `ends`. */
async function notebook(values, { views = 1 } = {}) {
  const page = await lab(Array.from({ length: views }, (_, index) => `<div id="view${index}"></div>`).join(""), {
    script: false,
  });
  await page.evaluate(
    async ([given, count]) => {
      const values = { ...given },
        listeners = [];
      window.model = {
        values,
        listeners,
        saved: 0,
        get: name => values[name],
        set(name, value) {
          if (JSON.stringify(values[name]) === JSON.stringify(value)) return;
          values[name] = value;
          for (const [event, heard] of [...listeners]) if (event === `change:${name}`) heard();
        },
        save_changes: () => model.saved++,
        on: (event, heard) => listeners.push([event, heard]),
        off(event, heard) {
          const at = listeners.findIndex(listener => listener[0] === event && listener[1] === heard);
          if (at >= 0) listeners.splice(at, 1);
        },
      };
      const { default: widget } = await import("/dist/anywidget.mjs");
      window.ends = Array.from({ length: count }, (_, index) =>
        widget.render({ model, el: document.querySelector(`#view${index}`) }),
      );
    },
    [values, views],
  );
  await page.evaluate(skipQuestions);
  return page;
}
const model = page =>
  page.evaluate(() => ({
    values: window.model.values,
    saved: window.model.saved,
    listeners: window.model.listeners.length,
  }));
const change = (page, name, value) => page.evaluate(([at, to]) => window.model.set(at, to), [name, value]);

const CHAPTER = { element: "sampling", logits: [0, 1, 2, 3], tau: 0.8, k: 2, u: 0.5, lang: "en" };
const chapter = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));

test("the element shows what the model says", async () => {
  const page = await notebook({ ...CHAPTER, theme: "dark" }),
    r = reader(page, en);
  assert.equal(await r.sentence("u"), chapter);
  assert.deepEqual(await r.host.evaluate(({ lang, logits, tau, k, u }) => [lang, logits, tau, k, u]), [
    "en",
    "0 1 2 3",
    "0.8",
    "2",
    "0.5",
  ]);
  assert.equal(
    await r.host.evaluate(element => getComputedStyle(element.shadowRoot.firstElementChild).colorScheme),
    "dark",
  );
  assert.equal((await model(page)).saved, 0);
  assert.deepEqual(page.heard.messages, []);
});

test("without a name it is the first experiment, as the preset has it", async () => {
  const page = await notebook({ lang: "en", tau: null });
  assert.equal(await reader(page, en).sentence("u"), chapter);
});

test("what the reader settles on reaches the model, each trait as the kind of value it holds", async () => {
  const page = await notebook({ ...CHAPTER, k: "2", tie: "strict" }),
    r = reader(page, en);
  await r.enter("u", "0.1");
  await r.enter("k", "3");
  await r.enter("logits", "1, 2,3 4");
  assert.deepEqual(await model(page), {
    values: { ...CHAPTER, u: 0.1, k: "3", logits: [1, 2, 3, 4], tie: "strict" }, // and no trait that it lacked
    saved: 3,
    listeners: 18,
  });
  assert.equal(await r.box("logits").inputValue(), "1, 2,3 4"); // the model's answer does not write over what is typed
});

test("what is wrong stays in the field and does not reach the model", async () => {
  const page = await notebook(CHAPTER),
    r = reader(page, en);
  await r.enter("k", "9");
  assert.deepEqual((await model(page)).values, CHAPTER);
  await r.enter("u", "0.1"); // right by itself, but the whole means nothing yet
  assert.deepEqual((await model(page)).values, CHAPTER);
  await r.enter("k", "4");
  assert.deepEqual((await model(page)).values, { ...CHAPTER, k: 4, u: 0.1 });
});

test("what the model changes is shown, and null is the preset's value", async () => {
  const page = await notebook({ ...CHAPTER, preset: "chapter" }),
    r = reader(page, en);
  await change(page, "u", 0.1);
  await change(page, "logits", [3, 2, 1, 0]);
  assert.deepEqual(await r.host.evaluate(({ u, logits }) => [u, logits]), ["0.1", "3 2 1 0"]);
  await change(page, "u", null);
  assert.equal(await r.box("u").inputValue(), "0.5");
  await change(page, "lang", "zh");
  assert.equal(await r.host.getAttribute("lang"), "zh");
  await change(page, "lang", null);
  assert.equal(await r.host.getAttribute("lang"), null);
  assert.equal((await model(page)).saved, 0);
});

test("two views of one model show the same", async () => {
  const page = await notebook(CHAPTER, { views: 2 }),
    [first, second] = [0, 1].map(index => reader(page, en, `#view${index} smp-sampling`));
  await first.enter("u", "0.1");
  await second.enter("tau", "1.5");
  for (const view of [first, second])
    assert.deepEqual([await view.box("u").inputValue(), await view.box("tau").inputValue()], ["0.1", "1.5"]);
  assert.deepEqual((await model(page)).values, { ...CHAPTER, u: 0.1, tau: 1.5 });
});

test("the other experiment, with rows as lists", async () => {
  const page = await notebook({
    element: "stopping",
    rows: [
      ["EOS", "a"],
      ["b", "EOS"],
    ],
    limit: 2,
    step: 0,
    pad: "own",
    lang: "en",
  });
  const host = page.locator("smp-stopping");
  await host.getByRole("switch").check();
  await host.getByRole("button", { name: en.steps.forward, exact: true }).click();
  const { values } = await model(page);
  assert.deepEqual(values, {
    element: "stopping",
    rows: [
      ["EOS", "a"],
      ["b", "EOS"],
    ],
    limit: 2,
    step: 1,
    pad: "shared",
    lang: "en",
  });
});

test("an unknown experiment: a line that says what is allowed", async () => {
  const page = await notebook({ element: `<img src=x onerror="throw 1">` });
  assert.match(
    await page.locator("#view0").textContent(),
    /found element = <img src=x onerror="throw 1">; allowed: sampling, stopping/,
  );
  assert.equal(await page.locator("#view0 *").count(), 0);
  await page.evaluate(() => window.ends[0]());
  assert.equal(await page.locator("#view0").textContent(), "");
  assert.deepEqual(page.heard.messages, []);
});

test("taken away, nothing of it is left", async () => {
  const page = await notebook(CHAPTER, { views: 2 });
  await page.evaluate(() => window.ends[0]());
  assert.equal(await page.locator("smp-sampling").count(), 1);
  await page.evaluate(() => window.ends[1]());
  assert.equal(await page.locator("smp-sampling").count(), 0);
  assert.equal((await model(page)).listeners, 0);
  assert.deepEqual(page.heard.messages, []);
});
