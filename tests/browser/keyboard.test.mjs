// The whole experiment by keyboard only: everything is reached by Tab, shows that it has the focus, and does its work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();

/** Runs in the page: what has the focus, by role-like kind and name. */
function focused() {
  let element = document.activeElement;
  while (element?.shadowRoot) element = element.shadowRoot.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const name =
    element.getAttribute("aria-label") ?? [...(element.labels ?? [])].map(label => label.textContent).join(" ") ?? "";
  return {
    tag: element.localName,
    type: element.type ?? "",
    name: (name || element.textContent).replace(/\s+/g, " ").trim(),
    ring: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1,
  };
}

/** Tabs from the start of the page to the end of the element. */
async function tour(page) {
  const stops = [];
  for (let press = 0; press < 120; press++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(focused);
    if (!stop || stop.name === "after") return stops;
    stops.push(stop);
  }
  throw new Error("Tab does not leave the element");
}

for (const m of [zh, en])
  test(`${m.lang}: Tab reaches every control once, and Tab leaves the element`, async () => {
    const page = await lab(`<smp-sampling lang="${m.lang}"></smp-sampling><button>after</button>`);
    const stops = await tour(page);
    const names = stops.map(stop => stop.name);
    for (const field of ["logits", "tau", "k", "u"])
      assert.ok(
        stops.some(stop => stop.type === "text" && stop.name === plain(m.fields[field])),
        field,
      );
    for (const name of [
      m.sliders.tau,
      m.sliders.k(4),
      m.sliders.ruler,
      m.steps.again,
      m.steps.back,
      m.presets.names.chapter,
    ])
      assert.ok(names.includes(name), name);
    assert.equal(stops.filter(stop => stop.type === "radio").length, 1, "one stop for the group of tie rules");
    const controls = await page.locator("smp-sampling").evaluate(element => {
      const all = [...element.shadowRoot.querySelectorAll("button, input, select, textarea, summary, a[href]")];
      return all.filter(control => control.checkVisibility({ visibilityProperty: true }) && control.type !== "radio")
        .length;
    });
    assert.equal(stops.length, controls + 1);
  });

test("whatever has the focus shows it", async () => {
  const page = await lab(`<smp-sampling lang="en"></smp-sampling><button>after</button>`);
  const bare = (await tour(page)).filter(stop => !stop.ring && stop.type !== "range"); // a range input rings its thumb
  assert.deepEqual(bare, []);
});

test("a whole experiment without a pointer", async () => {
  const page = await lab(`<smp-sampling lang="en"></smp-sampling>`),
    r = reader(page, en),
    { keyboard } = page;
  const tabTo = async wanted => {
    for (let press = 0; press < 80; press++) {
      const stop = await page.evaluate(focused);
      if (stop && wanted(stop)) return;
      await keyboard.press("Tab");
    }
    throw new Error("not reached by Tab");
  };
  const typeInto = async (field, text) => {
    await tabTo(stop => stop.type === "text" && stop.name === plain(en.fields[field]));
    await keyboard.press("Control+A");
    await keyboard.type(text);
  };
  await typeInto("logits", "3 2 2 0");
  await typeInto("tau", "1");
  await tabTo(stop => stop.name === en.sliders.k(4));
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowLeft");
  assert.equal(await r.box("k").inputValue(), "2");
  await typeInto("u", "0.9");
  assert.equal(await r.sentence("u"), plain(en.chooses(1, "0.268941", "[0.731059, 1)")));

  await tabTo(stop => stop.type === "radio");
  await keyboard.press("ArrowDown");
  assert.equal(await r.sentence("u"), plain(en.chooses(2, "0.211942", "[0.788058, 1)")));

  await page.evaluate(() => document.activeElement.blur());
  await tabTo(stop => stop.name === en.steps.again);
  await keyboard.press("Enter");
  assert.equal(await r.current(), 1);
  await tabTo(stop => stop.name === en.steps.forward);
  await keyboard.press("Space");
  await keyboard.press("Enter");
  assert.equal(await r.current(), 3);
  assert.deepEqual(await r.column("before"), ["0.560053", "0.206032", "0.206032", "0.027883"]);
});

test("the point of the map: arrows move one parameter and leave the other as it was typed", async () => {
  const page = await lab(`<smp-sampling lang="en" tau="0.123456" u="0.1234567"></smp-sampling>`),
    r = reader(page, en);
  const point = r.host.getByRole("group", { name: en.map.label }).getByRole("button");
  await point.focus();
  await page.keyboard.press("ArrowUp");
  assert.equal(await r.box("u").inputValue(), "0.1234567");
  assert.ok(Number(await r.box("tau").inputValue()) > 0.123456);

  await r.enter("tau", "100"); // beyond the map
  await point.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await r.box("tau").inputValue(), "100");
  assert.ok(Number(await r.box("u").inputValue()) > 0.1234567);
});
