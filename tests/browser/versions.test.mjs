// The script more than once on a page, beside the module, and beside another version of itself: who comes first defines
// the elements, the others leave them be, and nobody complains.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { en, plain, reader, ROOT, skipQuestions, start } from "./support.mjs";

const { base, lab, open } = await start();
const chapter = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));
const ELEMENTS = "<smp-sampling></smp-sampling><smp-stopping></smp-stopping>";

/** Both experiments answer to their readers. */
async function works(page) {
  const r = reader(page, en);
  await r.enter("u", "0.1");
  await r.enter("u", "0.5");
  assert.equal(await r.sentence("u"), chapter);
  const stopping = page.locator("smp-stopping"),
    step = () => stopping.evaluate(element => element.step);
  await stopping.getByRole("button", { name: en.steps.forward, exact: true }).click();
  assert.equal(await step(), "1");
  assert.deepEqual(page.heard.messages, []);
}

const module = path => `<script type="module">import { register } from "${path}"; register();</script>`;
const orders = {
  "the script twice, then the module": `<script src="/dist/sampling-lab.js"></script><script src="/dist/sampling-lab.js?second"></script>${module("/dist/sampling-lab.mjs")}${module("/dist/register.mjs")}`,
  "the module, then the script twice": `${module("/dist/register.mjs")}<script defer src="/dist/sampling-lab.js"></script><script defer src="/dist/sampling-lab.js?second"></script>`,
  "the script in the head and after the elements": "",
};
for (const [name, scripts] of Object.entries(orders))
  test(name, async () => {
    const page = await lab(ELEMENTS + scripts, {
      script: !scripts,
      head: scripts ? "" : `<script src="/dist/sampling-lab.js"></script>`,
    });
    await works(page);
  });

/** Another version of the script: one word of it differs. */
const title = "waits for the others";
const other = readFileSync(join(ROOT, "dist/sampling-lab.js"), "utf8").replaceAll(title, "Another version");

for (const order of ["ours, another", "another, ours"])
  test(`two versions: ${order}`, async () => {
    const page = await open(
      `${base}/page.html?${new URLSearchParams({ html: `<!doctype html><html lang="en"><title>versions</title>${ELEMENTS}` })}`,
    );
    for (const which of order.split(", "))
      await page.addScriptTag(which === "ours" ? { url: "/dist/sampling-lab.js" } : { content: other });
    await works(page);
    const first = order.startsWith("ours") ? title : "Another version";
    assert.match(
      await page.locator("smp-stopping").evaluate(element => element.shadowRoot.querySelector("h2").textContent),
      new RegExp(first),
    );
    // one that comes later, too
    await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", "<smp-stopping></smp-stopping>"));
    assert.match(
      await page
        .locator("smp-stopping")
        .last()
        .evaluate(element => element.shadowRoot.querySelector("h2").textContent),
      new RegExp(first),
    );
    assert.deepEqual(page.heard.messages, []);
  });

test("a version that has fewer elements came first: the others are added", async () => {
  const page = await open(
    `${base}/page.html?${new URLSearchParams({ html: `<!doctype html><html lang="en"><title>versions</title>${ELEMENTS}` })}`,
  );
  await page.evaluate(() => customElements.define("smp-stopping", class extends HTMLElement {}));
  await page.addScriptTag({ url: "/dist/sampling-lab.js" });
  await reader(page, en).enter("u", "0.1");
  assert.equal(await page.locator("smp-stopping").evaluate(element => element.shadowRoot), null);
  assert.deepEqual(page.heard.messages, []);
});

test("with a name of its own, the module works beside a script of another version", async () => {
  const page = await lab(`${ELEMENTS}<lab-sampling></lab-sampling>`, { script: false });
  await page.addScriptTag({ content: other });
  await page.evaluate(async () => (await import("/dist/sampling-lab.mjs")).register({ prefix: "lab" }));
  await works(page);
  await page.evaluate(skipQuestions);
  assert.equal(await reader(page, en, "lab-sampling").sentence("u"), chapter);
});

test("a prefix that names of elements cannot have is refused", async () => {
  const page = await lab("", { script: false });
  const said = await page.evaluate(async () => {
    const { register } = await import("/dist/sampling-lab.mjs");
    return ["", "Lab", "a b", "<b>"].map(prefix => {
      try {
        register({ prefix });
        return "it is taken";
      } catch (error) {
        return error.message;
      }
    });
  });
  for (const message of said) assert.match(message, /not a valid custom element name/);
});
