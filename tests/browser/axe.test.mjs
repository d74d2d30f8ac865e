// axe-core finds no violation: as it comes (at the last step), at the first, in a middle step, greedy, after wrong input; both
// languages, light, dark and forced colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
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

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active" },
};

for (const m of [zh, en])
  for (const [name, look] of Object.entries(LOOKS))
    for (const width of look.forcedColors ? [1200] : [1200, 360])
      test(`${m.lang}, ${name}, ${width} px`, async t => {
        const head = `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`;
        const body = `<main><h1>page</h1><smp-sampling lang="${m.lang}"></smp-sampling></main>`;
        const page = await lab(body, {
          head,
          lang: m.lang,
          ...look,
          viewport: { width, height: 900 },
          reducedMotion: "reduce",
          keep: true,
        });
        const r = reader(page, m);
        for (const [name, reach] of Object.entries(STATES))
          await t.test(name, async () => {
            await r.preset("chapter").click();
            await reach(r);
            await page.mouse.move(0, 0);
            assert.deepEqual(await violations(page), []);
          });
        release(page);
      });
