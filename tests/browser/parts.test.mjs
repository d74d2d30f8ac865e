// What an author leaves out, the level of headings, and the question that veils its answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();
const open = async (attributes = "", options, m = en) =>
  reader(await lab(`<smp-sampling lang="${m.lang}" ${attributes}></smp-sampling>`, options), m);

/** A sign of each part of <smp-sampling>. */
const SIGNS = {
  title: ".opening",
  presets: ".presets",
  inputs: ".inputs",
  question: ".quiz",
  figure: ".plot",
  steps: ".steps",
  table: ".calc",
  notes: ".notes.across",
  closing: ".closing",
};
const shown = r =>
  r.host.evaluate(
    (host, signs) => Object.keys(signs).filter(part => host.shadowRoot.querySelector(signs[part])),
    SIGNS,
  );
const all = Object.keys(SIGNS);
const tell = (r, selector) => r.host.evaluate((host, at) => host.shadowRoot.querySelector(at)?.textContent, selector);
const has = (r, selector) => r.host.evaluate((host, at) => host.shadowRoot.querySelector(at) !== null, selector);

// ---- Parts and headings ------------------------------------------------------------------------------------------

test("every part alone, each left out, and all: what is named is shown, in any order", async () => {
  const r = await open("", { veiled: true });
  assert.deepEqual(await shown(r), all);
  for (const part of all) {
    await r.host.evaluate((host, value) => (host.parts = value), part);
    assert.deepEqual(await shown(r), [part]);
    const others = all.filter(other => other !== part);
    await r.host.evaluate((host, value) => (host.parts = value), others.toReversed());
    assert.deepEqual(await shown(r), others, `without ${part}`);
  }
  await r.host.evaluate(host => (host.parts = null));
  assert.deepEqual(await shown(r), all);
});

test("all combinations are shown as named, on the screen and printed, and leave the fallback alone", async () => {
  const r = reader(await lab(`<smp-sampling lang="en"><p slot="fallback">worked table</p></smp-sampling>`), en);
  const wrong = await r.host.evaluate((host, signs) => {
    const names = Object.keys(signs),
      found = [];
    for (let bits = 1; bits < 1 << names.length; bits++) {
      const wanted = names.filter((_, at) => bits & (1 << at));
      host.parts = wanted;
      for (const type of ["beforeprint", "afterprint"]) {
        const shown = names.filter(part => host.shadowRoot.querySelector(signs[part]));
        // the question was skipped, and is not printed
        if (String(shown) !== String(wanted.filter(part => part !== "question")))
          found.push(`${type} ${wanted}: ${shown}`);
        dispatchEvent(new Event(type));
      }
    }
    return [found, host.innerHTML, host.firstElementChild.checkVisibility()];
  }, SIGNS);
  assert.deepEqual(wrong, [[], `<p slot="fallback">worked table</p>`, false]);
});

test("a mistyped part shows all, and the author is told; no link holds parts or heading", async () => {
  const r = await open(`parts="figur" heading="7"`, { veiled: true });
  assert.deepEqual(await shown(r), all);
  assert.equal(await has(r, "h2.title"), true);
  assert.deepEqual(r.page.heard.messages, [
    'warning: <smp-sampling> parts="figur" is ignored; allowed: title, presets, inputs, question, figure, steps, table, notes, closing',
    'warning: <smp-sampling> heading="7" is ignored; allowed: 2, 1, 3, 4, 5, 6, none',
  ]);
});

for (const [width, rules] of [
  [320, "top_k"],
  [360, "top_k"],
  [360, "top_k top_p min_p"],
  [559, "top_k"],
  [560, "top_k top_p min_p"],
  [720, "top_k"],
  [1184, "top_k"],
])
  test(`a figure alone fits in 420 px at ${width} px with ${rules}, with its settings`, async () => {
    const r = await open(`parts="figure" rules="${rules}" lang="zh"`, { viewport: { width, height: 420 } });
    await r.page.addStyleTag({ content: "body { margin: 0 }" });
    await drawn(r.page);
    const { height } = await r.host.boundingBox();
    assert.ok(height <= 420, `${height}`);
    const caption = await tell(r, "figcaption");
    for (const text of ["τ = 0.8", "k = 2", "u = 0.5"]) assert.ok(caption.includes(text), caption);
    const map = await r.host.locator(".field-of-u").boundingBox();
    assert.ok(map.height >= 36, `the map keeps ${map.height}`);
  });

test("headings: the level that is asked for and the next, none below 6, or none at all; the look stays", async () => {
  const r = await open();
  const levels = () =>
    r.host.evaluate(host => [
      ...new Set([...host.shadowRoot.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ localName }) => localName)),
    ]);
  const size = () =>
    r.host.evaluate(host =>
      ["title", "sub"].map(name => {
        const { fontSize, fontWeight, margin } = getComputedStyle(host.shadowRoot.querySelector(`.${name}`));
        return [fontSize, fontWeight, margin];
      }),
    );
  const before = await size();
  assert.deepEqual(await levels(), ["h2", "h3"]);
  for (const [level, found] of [
    ["1", ["h1", "h2"]],
    ["4", ["h4", "h5"]],
    ["6", ["h6"]],
    ["none", []],
    ["2", ["h2", "h3"]],
  ]) {
    await r.host.evaluate((host, value) => host.setAttribute("heading", value), level);
    assert.deepEqual(await levels(), found);
    assert.deepEqual(await size(), before, level);
  }
});

test("no landmarks: nothing that axe would want to be unique on a page", async () => {
  const page = await lab("<smp-sampling></smp-sampling><smp-sampling></smp-sampling>", { veiled: true });
  const landmarks = await page
    .locator("smp-sampling")
    .first()
    .evaluate(
      host => host.shadowRoot.querySelectorAll("section, aside, nav, main, header, footer, [role=region]").length,
    );
  assert.equal(landmarks, 0);
});

// ---- The guess -----------------------------------------------------------------------------------------------------

for (const m of [zh, en])
  test(`${m.lang}: until it is answered nothing tells the answer: sentences, intervals, map, the point, the line below`, async () => {
    const r = await open("", { veiled: true, viewport: { width: 360, height: 740 } }, m);
    const text = await r.host.evaluate(host => host.shadowRoot.textContent);
    for (const told of ["0.222700", "0.777300"]) assert.ok(!text.includes(told), told);
    assert.equal(await r.sentence("u"), m.quiz.veiled);
    assert.equal(await r.current(), 4);
    for (const selector of [
      ".map .region.chosen[data-id='3']",
      ".map [data-id].name",
      ".seg.chosen",
      "tr.chosen",
      ".small",
    ])
      assert.equal(await has(r, `${selector}`), false, selector);
    assert.ok((await r.host.locator(".point").getAttribute("aria-label")).includes(m.quiz.veiled));
    assert.match(await tell(r, ".sticky p"), /\?$/);

    await r.press(m.quiz.skip);
    assert.equal(await r.sentence("u"), plain(m.chooses(3, "0.777300", "[0.222700, 1)")));
    assert.equal(await r.current(), 6);
    assert.equal(await has(r, ".map .name[data-id='3'], .map .name [data-id='3']"), true);
  });

test("the answer says why: where u lies", async () => {
  for (const [attributes, guess, u, chosen, why] of [
    ["", "ID 2", "0.1", 2, "0.1 < 0.222700"],
    [`u="0.1"`, "ID 2", "0.9", 3, "0.222700 ≤ 0.9"],
    [`logits="1 1 1" tau="1" k="3" u="0.1"`, "ID 2", "0.9", 2, "0.666667 ≤ 0.9"],
    [`logits="1 1 1" tau="1" k="3" u="0.05"`, "ID 0", "0.9", 2, "0.666667 ≤ 0.9"],
    [`logits="0 1 2 3" tau="1" k="4" u="0.1"`, "ID 0", "0.9", 3, "0.356086 ≤ 0.9"],
  ]) {
    const r = await open(attributes, { veiled: true });
    await r.host.locator(".quiz").getByRole("button", { name: guess, exact: true }).click();
    const answer = plain(en.quiz.answer(guess === `ID ${chosen}`, u, chosen, why));
    assert.ok((await r.host.locator(".quiz p").innerText()).replace(/\s+/g, " ").includes(answer), answer);
  }
});

test("who goes on without a guess is not held up: a change, a press in the map and a later step lift the veil", async () => {
  for (const go of [
    r => r.enter("tau", "0.9"),
    r => r.host.locator(".field-of-u").click({ position: { x: 200, y: 60 } }),
    r => r.step(6).click(),
    r => r.host.locator(".point").press("ArrowLeft"),
  ]) {
    const r = await open("", { veiled: true });
    await go(r);
    assert.equal(await has(r, ".quiz"), false);
    assert.equal(await r.current(), 6);
    assert.equal(await has(r, "tr.chosen"), true);
    await r.preset("tie").click();
    assert.equal(await has(r, ".quiz"), true, "another setting has a question of its own");
  }
});

test("steps up to the fourth keep the veil; nothing is veiled where the author leaves the question out", async () => {
  const r = await open("", { veiled: true });
  for (const step of [1, 2, 3, 4]) {
    await r.step(step).click();
    assert.equal(await has(r, ".quiz"), true);
  }
  const bare = await open(`parts="inputs figure"`, { veiled: true });
  assert.equal(await bare.sentence("u"), plain(en.chooses(3, "0.777300", "[0.222700, 1)")));
});

test("printed, nothing is veiled; on the screen again, it is", async () => {
  const r = await open("", { veiled: true });
  await r.page.emulateMedia({ media: "print" });
  await drawn(r.page);
  assert.equal(await has(r, "tr.chosen"), true);
  assert.equal(await has(r, ".quiz"), false);
  await r.page.emulateMedia({ media: "screen" });
  await drawn(r.page);
  assert.equal(await has(r, "tr.chosen"), false);
  assert.equal(await has(r, ".quiz"), true);
});

test("narrow: title, question and figure, all of it on the first screen of 360 x 740, then presets and what is typed", async () => {
  for (const m of [zh, en]) {
    const r = await open("", { viewport: { width: 360, height: 740 } }, m);
    await r.page.addStyleTag({ content: "body { margin: 0 }" });
    await drawn(r.page);
    const top = async selector => (await r.host.locator(selector).boundingBox()).y;
    const order = [];
    for (const selector of [".opening", ".plot", ".presets", ".inputs", ".steps", ".calc"])
      order.push(await top(selector));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    const map = await r.host.locator(".field-of-u").boundingBox(),
      line = await r.host.locator(".sticky").boundingBox();
    assert.ok(
      map.y + map.height <= line.y,
      `${m.lang}: the map ends at ${map.y + map.height}, the line begins at ${line.y}`,
    );
    assert.equal(await r.host.locator(".sticky .small .seg").count(), 2, "the ruler stands in the line");
  }
});
