// The page opened from disk and over http: nothing beyond its own files is asked for, nothing is said in the console.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { reader, ROOT, start, zh } from "./support.mjs";

const { base, open } = await start();
const parent = mkdtempSync(join(tmpdir(), "smp-"));
after(() => rmSync(parent, { recursive: true }));

/** The page and its script, copied to a folder that only they are in. */
const folder = join(parent, "采样 实验室 (copy) #1 100%");
mkdirSync(join(folder, "dist"), { recursive: true });
for (const file of ["index.html", "dist/sampling-lab.js"]) cpSync(join(ROOT, file), join(folder, file));
const fromDisk = pathToFileURL(join(folder, "index.html")).href;

/** The page that holds its script, alone in a folder. */
const alone = join(parent, "alone");
mkdirSync(alone);
cpSync(join(ROOT, "dist/sampling-lab.html"), join(alone, "sampling-lab.html"));

const pages = {
  "from disk": [fromDisk, "dist/sampling-lab.js"],
  "over http": [`${base}/index.html`, "dist/sampling-lab.js"],
  "all in one file, from disk": [pathToFileURL(join(alone, "sampling-lab.html")).href],
};
for (const [name, [address, ...files]] of Object.entries(pages))
  test(`${name}: its own files only, no message, and it works`, async () => {
    const page = await open(address),
      r = reader(page, zh);
    await r.enter("u", "0.1");
    for (const step of [1, 2, 3, 4, 5, 6]) await r.step(step).click();
    await r.preset("greedy").click();
    await r.slider("tau").fill("1");
    await page.waitForLoadState("networkidle");
    assert.deepEqual(page.heard.messages, []);
    assert.deepEqual(page.heard.requests, [address, ...files.map(file => new URL(file, address).href)]);
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
  });

test("the page all in one file has both experiments, and every result of the script beside a page", async () => {
  const [one, two] = [await open(pages["all in one file, from disk"][0]), await open(fromDisk)];
  const texts = page =>
    page
      .locator("smp-sampling, smp-stopping")
      .evaluateAll(elements => elements.map(element => element.shadowRoot.querySelector(".lab").innerText));
  assert.equal((await texts(one)).length, 2);
  assert.deepEqual(await texts(one), await texts(two));
});

test("a page of any charset: the two lines of an author say what they say in UTF-8", async () => {
  const scripts = pathToFileURL(join(ROOT, "dist/sampling-lab-all.js")).href;
  const textOf = async (name, charset) => {
    const file = join(alone, `${name}.html`);
    writeFileSync(
      file,
      `<!doctype html>\n<html lang="zh">${charset && `<meta charset="${charset}">`}<title>-</title>
<smp-sampling></smp-sampling><smp-stopping></smp-stopping><smp-compare></smp-compare>
<script src="${scripts}"></script>`,
    );
    const page = await open(pathToFileURL(file).href);
    assert.equal(await page.evaluate(() => document.characterSet), (charset || "windows-1252").replace("gbk", "GBK"));
    assert.deepEqual(page.heard.messages, []);
    return page
      .locator("smp-sampling, smp-stopping, smp-compare")
      .evaluateAll(elements => elements.map(element => element.shadowRoot.querySelector(".lab").innerText));
  };
  const right = await textOf("utf8", "UTF-8");
  assert.match(right[0], /过滤前/);
  for (const [name, charset] of [
    ["none", ""],
    ["gbk", "gbk"],
    ["shift-jis", "Shift_JIS"],
  ])
    assert.deepEqual(await textOf(name, charset), right, name);
});

test("with scripts off the reader has a complete worked table", async () => {
  const page = await open(fromDisk, { javaScriptEnabled: false });
  const text = await page.locator("smp-sampling").innerText();
  for (const number of [
    "0.016894",
    "0.058965",
    "0.205807",
    "0.718335",
    "0.222700",
    "0.777300",
    "[0, 0.222700)",
    "[0.222700, 1)",
    "0.8",
    "0.5",
  ])
    assert.ok(text.includes(number), `${number} is missing in ${text}`);
  for (const word of [zh.table.kept, zh.table.removed, zh.table.chosen]) assert.ok(text.includes(word), word);
  assert.deepEqual(page.heard.messages, []);
});

test("with scripts on the fallback is hidden and untouched", async () => {
  const still = await open(fromDisk, { javaScriptEnabled: false }),
    live = await open(fromDisk);
  const markup = page => page.locator("smp-sampling").evaluate(element => element.innerHTML);
  assert.equal(await markup(live), await markup(still));
  assert.equal(await live.locator("smp-sampling > [slot] table").isVisible(), false);
});
