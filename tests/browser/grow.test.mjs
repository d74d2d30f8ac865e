// Scripts of single elements, several on one page; and an element and a language that there are not,
// built from a copy of web/ with a folder and a line more.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { elementNames } from "../../web/build/plugins.mjs";
import { grown } from "../grown.mjs";
import { en, start } from "./support.mjs";

const { lab } = await start();
const at = grown("browser");
execFileSync(process.execPath, ["web/build/build.mjs"], { cwd: at, stdio: "pipe" });

const ready = (page, tag) => page.locator(tag).getByRole("heading").first().waitFor();
const scripts = (...paths) => paths.map(path => `<script src="${path}"></script>`).join("");
const own = name => `/dist/elements/smp-${name}.js`;

for (const name of elementNames)
  test(`the script of smp-${name} alone defines it and no other`, async () => {
    const page = await lab(elementNames.map(each => `<smp-${each}></smp-${each}>`).join("") + scripts(own(name)), {
      script: false,
    });
    await ready(page, `smp-${name}`);
    assert.deepEqual(
      await page.evaluate(names => names.filter(each => customElements.get(`smp-${each}`)), elementNames),
      [name],
    );
    assert.deepEqual(page.heard.messages, []);
  });

test("scripts of several elements, one of them twice, and that of the first go together", async () => {
  const body = elementNames.map(name => `<smp-${name}></smp-${name}>`).join("");
  const page = await lab(body + scripts(...elementNames.map(own), own(elementNames[0]), "/dist/sampling-lab.js"), {
    script: false,
  });
  for (const name of elementNames) await ready(page, `smp-${name}`);
  await page.locator("smp-sampling").getByRole("button", { name: en.presets.names.tie, exact: true }).click();
  assert.equal(await page.evaluate(() => document.querySelector("smp-sampling").preset), "tie");
  assert.deepEqual(page.heard.messages, []);
});

test("the made-up element counts, in each language", async () => {
  const page = await lab(
    `<smp-counter start="3"></smp-counter>${scripts("/build/grown/browser/dist/elements/smp-counter.js")}`,
    { script: false, lang: "en" },
  );
  const host = page.locator("smp-counter");
  await host.getByRole("button", { name: "One more" }).click();
  assert.equal(await host.getByRole("paragraph").first().textContent(), "4");
  await page.evaluate(() => document.documentElement.setAttribute("lang", "xx-YY"));
  await host.getByRole("heading", { name: "Made-up words" }).waitFor();
  assert.equal(
    await page.evaluate(() => document.querySelector("smp-counter").shadowRoot.querySelector(".lab").lang),
    "xx",
  );
  assert.deepEqual(page.heard.messages, []);
});

test("the made-up language is that of every element", async () => {
  const page = await lab(
    elementNames.map(name => `<smp-${name} lang="xx"></smp-${name}>`).join("") +
      scripts("/build/grown/browser/dist/sampling-lab-all.js"),
    { script: false },
  );
  for (const name of elementNames) {
    await ready(page, `smp-${name}`);
    assert.equal(await page.locator(`smp-${name}`).getByRole("group", { name: "Presets xx" }).count(), 1, name);
  }
  assert.deepEqual(page.heard.messages, []);
});
