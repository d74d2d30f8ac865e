// The look, against reference pictures: LOOKS=renew writes them anew. A picture that differs is left in build/looks.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pixelmatch from "pixelmatch";
import UPNG from "upng-js";
import { drawn, en, reader, ROOT, start, zh } from "./support.mjs";

const { lab } = await start();
const REFERENCES = join(ROOT, "tests/browser/looks"),
  ACTUAL = join(ROOT, "build/looks");
const renew = process.env.LOOKS === "renew";
/** Share of the pixels that may differ: rounding of glyph edges, nothing one would notice. */
const TOLERANCE = 0.0005;

/** A picture with few levels a channel: it fits a palette, so the files are small, and what the eye sees
    still counts. */
function decode(bytes) {
  const picture = UPNG.decode(bytes),
    pixels = new Uint8Array(UPNG.toRGBA8(picture)[0]);
  for (let i = 0; i < pixels.length; i++)
    pixels[i] = i % 4 === 3 ? 255 : Math.min(255, Math.round(pixels[i] / 24) * 24);
  return { width: picture.width, height: picture.height, pixels };
}

const encode = ({ pixels, width, height }) => Buffer.from(UPNG.encode([pixels.buffer], width, height, 0));

async function look(name, page, selector) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  const picture = decode(await page.locator(selector).screenshot({ animations: "disabled", caret: "hide" }));
  const file = join(REFERENCES, `${name}.png`);
  if (renew) return writeFileSync(file, encode(picture));
  assert.ok(existsSync(file), `${name}.png is missing: LOOKS=renew makes it`);
  const reference = decode(readFileSync(file)),
    { width, height } = picture;
  const save = (kind, what) => {
    mkdirSync(ACTUAL, { recursive: true });
    writeFileSync(join(ACTUAL, `${name}${kind}.png`), encode(what));
  };
  if (reference.width !== width || reference.height !== height) {
    save("", picture);
    assert.fail(
      `${name}: ${width} x ${height}, the reference has ${reference.width} x ${reference.height}; see build/looks`,
    );
  }
  const difference = { width, height, pixels: new Uint8Array(picture.pixels.length) };
  const count = pixelmatch(reference.pixels, picture.pixels, difference.pixels, width, height, { threshold: 0.1 });
  if (count <= TOLERANCE * width * height) return;
  save("", picture);
  save(".difference", difference);
  assert.fail(`${name}: ${count} pixels differ; see build/looks`);
}

if (renew) mkdirSync(REFERENCES, { recursive: true });
else rmSync(ACTUAL, { recursive: true, force: true });

const head = `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><style>body { margin: 0 }</style>`;
const show = (tag, m, width, colorScheme, script) =>
  lab(`<${tag} lang="${m.lang}"></${tag}>`, {
    head,
    script,
    colorScheme,
    reducedMotion: "reduce",
    viewport: { width, height: 900 },
  });

for (const tag of ["smp-sampling", "smp-stopping"])
  for (const width of [360, 768, 1200])
    for (const scheme of ["light", "dark"])
      for (const m of [zh, en]) {
        const name = `${tag.slice(4)}-${width}-${scheme}-${m.lang}`;
        test(name, async () => look(name, await show(tag, m, width, scheme), tag));
      }

for (const [width, scheme, m] of [
  [360, "light", zh],
  [768, "dark", en],
  [1200, "light", zh],
]) {
  const name = `compare-${width}-${scheme}-${m.lang}`;
  test(name, async () => look(name, await show("smp-compare", m, width, scheme, "sampling-lab-all.js"), "smp-compare"));
}

const STATES = {
  error: r => r.enter("logits", "1 2 abc"),
  mistake: r => r.host.getByRole("switch").check(),
  step3: r => r.step(3).click(),
  greedy: r => r.preset("greedy").click(),
  real: r => r.preset("real").click(),
};
for (const [state, reach] of Object.entries(STATES))
  test(`sampling-${state}`, async () => {
    const page = await show("smp-sampling", zh, 768, "light");
    await reach(reader(page, zh));
    await look(`sampling-${state}`, page, "smp-sampling");
  });

for (const tag of ["smp-sampling", "smp-stopping"])
  for (const [kind, media] of Object.entries({
    print: { media: "print", colorScheme: "dark" },
    forced: { forcedColors: "active" },
  })) {
    const name = `${tag.slice(4)}-${kind}`;
    test(name, async () => {
      const page = await show(tag, zh, 768, "light");
      await page.emulateMedia(media);
      await drawn(page);
      await look(name, page, tag);
    });
  }
