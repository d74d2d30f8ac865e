// axe-core finds no violation: as it comes (at the last step), at the first, in a middle step, greedy,
// after wrong input.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOKS, violations } from "./axe.mjs";
import { en, reader, start, zh } from "./support.mjs";

const { lab, release } = await start();

const STATES = {
  start: () => {},
  "step 1": r => r.step(1).click(),
  "step 3": r => r.step(3).click(),
  greedy: r => r.preset("greedy").click(),
  "a tie under threshold": async r => {
    await r.preset("tie").click();
    await r.host.getByRole("radio").nth(1).check();
  },
  "the mistake": r => r.host.getByRole("switch").check(),
  "wrong input": async r => {
    await r.enter("tau", "abc");
    await r.enter("k", "9");
  },
};

test("two of each on a page", async () => {
  const tags = ["sampling", "stopping", "frequency", "compare"].map(name => `<smp-${name}></smp-${name}>`.repeat(2)),
    page = await lab(`<main><h1>page</h1>${tags.join("")}</main>`, { script: "sampling-lab-all.js", veiled: true });
  assert.deepEqual(await violations(page), []);
});

for (const { name, lang, options } of LOOKS)
  test(name, async t => {
    const m = lang === "zh" ? zh : en;
    const body = `<main><h1>page</h1><smp-sampling lang="${lang}"></smp-sampling></main>`;
    const page = await lab(body, { lang, keep: true, ...options });
    const r = reader(page, m);
    for (const [name, reach] of Object.entries(STATES))
      await t.test(name, async () => {
        await r.preset("chapter").click();
        await reach(r);
        assert.deepEqual(await violations(page), []);
      });
    release(page);
  });
