// Parameters from the page: attributes and properties, before and after the script, any type a framework
// sets; and language.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();
const open = async (attributes = "", options) =>
  reader(await lab(`<smp-sampling ${attributes}></smp-sampling>`, options), en);
const set = (r, values) => r.host.evaluate((element, all) => void Object.assign(element, all), values);
const fields = async r =>
  Object.fromEntries(
    await Promise.all(["logits", "tau", "k", "u"].map(async name => [name, await r.box(name).inputValue()])),
  );
const CHAPTER = { logits: "0 1 2 3", tau: "0.8", k: "2", u: "0.5" };

test("without attributes it is the chapter's example", async () => {
  const r = await open();
  assert.deepEqual(await fields(r), CHAPTER);
  const { preset, tie } = await r.properties();
  assert.deepEqual([preset, tie], ["chapter", "strict"]);
});

test("each attribute", async () => {
  const r = await open(`logits="3 2 2 0" tau="1" k="2" u="0.9" tie="threshold"`);
  assert.deepEqual(await fields(r), { logits: "3 2 2 0", tau: "1", k: "2", u: "0.9" });
  assert.deepEqual(await r.column("after"), ["0.576117", "0.211942", "0.211942", "0"]);
  assert.equal(await r.sentence("u"), plain(en.chooses(2, "0.211942", "[0.788058, 1)")));
});

test("a preset, changed by other attributes whatever their order", async () => {
  for (const attributes of [`preset="tie" tau="2"`, `tau="2" preset="tie"`]) {
    const r = await open(attributes);
    assert.deepEqual(await fields(r), { logits: "3 2 2 0", tau: "2", k: "2", u: "0.5" }, attributes);
  }
});

test("attributes that change later, and that are removed", async () => {
  const r = await open(`tau="2"`);
  await r.host.evaluate(element => element.setAttribute("tau", "1.5"));
  assert.deepEqual(await fields(r), { ...CHAPTER, tau: "1.5" });
  await r.host.evaluate(element => element.setAttribute("u", "0.1"));
  assert.deepEqual(await r.column("state"), [en.table.removed, en.table.removed, en.table.chosen, en.table.kept]);
  await r.host.evaluate(element => ["tau", "u"].forEach(name => element.removeAttribute(name)));
  assert.deepEqual(await fields(r), CHAPTER);
});

test("properties as string, number, array, null and undefined", async () => {
  const r = await open();
  await set(r, { logits: [3, 2, 2, 0], tau: 1, k: 3, u: "0.25" });
  assert.deepEqual(await fields(r), { logits: "3 2 2 0", tau: "1", k: "3", u: "0.25" });
  await set(r, { logits: "5,6", k: "2" });
  assert.deepEqual(await r.column("logit"), ["5", "6"]);
  await set(r, { logits: null, tau: null, k: null, u: null });
  assert.deepEqual(await fields(r), CHAPTER);
  await r.host.evaluate(element => Object.assign(element, { tau: 3, u: 0 }));
  await r.host.evaluate(element => Object.assign(element, { tau: undefined, u: undefined }));
  assert.deepEqual(await fields(r), CHAPTER);
  await r.host.evaluate(element => Object.assign(element, { logits: [-0, 1e-3], k: 1 }));
  assert.deepEqual(await fields(r), { ...CHAPTER, logits: "-0 0.001", k: "1" });
});

test("a property reads back what the field holds", async () => {
  const r = await open();
  await set(r, { tau: 1.5, preset: "tie" });
  assert.deepEqual(await r.properties().then(({ tau, preset, logits }) => [tau, preset, logits]), [
    "1.5",
    "tie",
    "3 2 2 0",
  ]);
  await r.enter("u", "0.75");
  assert.equal((await r.properties()).u, "0.75");
});

test("properties set before the script was there", async () => {
  const page = await lab("<smp-sampling k=1></smp-sampling>", { script: false });
  await page
    .locator("smp-sampling")
    .evaluate(element => Object.assign(element, { tau: 1.5, logits: [3, 2, 2, 0], tie: "threshold", k: undefined }));
  await page.addScriptTag({ url: "/dist/sampling-lab.js" });
  const r = reader(page, en);
  assert.deepEqual(await fields(r), { logits: "3 2 2 0", tau: "1.5", k: "2", u: "0.5" });
  assert.equal((await r.properties()).tie, "threshold");
  assert.ok(await r.host.evaluate(element => !Object.hasOwn(element, "tau")));
});

test("an element made by code, with properties set before it is connected", async () => {
  const page = await lab("");
  await page.evaluate(() => {
    const element = Object.assign(document.createElement("smp-sampling"), { logits: [1, 1, 0], tau: 0, k: 3 });
    document.body.append(element);
  });
  assert.equal(await reader(page, en).sentence("u"), plain(en.choosesGreedy(0)));
});

test("wrong values from the page are told in the field", async () => {
  const r = await open(`tau="-1"`);
  assert.ok((await r.sentence("tau")).startsWith(en.problem("tau", { kind: "negative" }, 4)));
  assert.deepEqual(await r.column("before"), ["0.016894", "0.058965", "0.205807", "0.718335"]);
  await set(r, { tau: NaN });
  assert.ok((await r.sentence("tau")).startsWith(en.problem("tau", { kind: "notNumber", text: "NaN" }, 4)));
});

test("a mistyped word gives the default, and the author one warning", async () => {
  const page = await lab(`<smp-sampling tie="loose"></smp-sampling>`),
    r = reader(page, en);
  assert.equal((await r.properties()).tie, "strict");
  assert.equal(page.heard.messages.length, 1);
  assert.match(page.heard.messages[0], /^warning: .*tie.*loose.*strict.*threshold/);
});

test("the language of the element, else of its ancestors, else Chinese", async () => {
  const cases = [
    [`<smp-sampling lang="en"></smp-sampling>`, "zh", en],
    [`<smp-sampling lang="zh-TW"></smp-sampling>`, "en", zh],
    [`<div lang="en-GB"><smp-sampling></smp-sampling></div>`, "zh-CN", en],
    [`<smp-sampling></smp-sampling>`, "zh-Hans", zh],
    [`<smp-sampling></smp-sampling>`, "en", en],
    [`<smp-sampling></smp-sampling>`, "fr", en],
  ];
  for (const [body, lang, m] of cases) {
    const r = reader(await lab(body, { lang }), m);
    assert.equal(await r.sentence("k"), plain(m.keeps([2, 3], "0.924142")), `${body} in ${lang}`);
  }
  const page = await lab("<smp-sampling></smp-sampling>", { lang: "" });
  await page.evaluate(() => document.documentElement.removeAttribute("lang"));
  assert.equal(await reader(page, zh).sentence("k"), plain(zh.keeps([2, 3], "0.924142")));
});

test("the language changes with the page and with the attribute", async () => {
  const page = await lab("<smp-sampling></smp-sampling>");
  await page.evaluate(() => (document.documentElement.lang = "zh"));
  assert.equal(await reader(page, zh).sentence("k"), plain(zh.keeps([2, 3], "0.924142")));
  await page.locator("smp-sampling").evaluate(element => element.setAttribute("lang", "en"));
  assert.equal(await reader(page, en).sentence("k"), plain(en.keeps([2, 3], "0.924142")));
});

test("the theme: attribute first, else the page", async () => {
  const dark = async (attributes, options) => {
    const page = await lab(`<smp-sampling lang="en" ${attributes}></smp-sampling>`, options);
    const color = await page
      .locator("smp-sampling")
      .getByRole("heading", { level: 2 })
      .evaluate(heading => getComputedStyle(heading).color);
    return Number(/\d+/.exec(color)[0]) > 128;
  };
  const schemes = `<meta name="color-scheme" content="light dark">`;
  assert.equal(await dark(`theme="dark"`), true);
  assert.equal(await dark(`theme="light"`, { head: schemes, colorScheme: "dark" }), false);
  assert.equal(await dark("", { head: schemes, colorScheme: "dark" }), true);
  assert.equal(await dark("", { head: schemes, colorScheme: "light" }), false);
  assert.equal(await dark("", { head: "<style>body { background: #111; color: #eee }</style>" }), true);
});
