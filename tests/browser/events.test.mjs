// Events: smp-input while a value is typed or dragged, smp-change when it is settled, none for changes by
// code; and keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, reader, start } from "./support.mjs";

const { lab } = await start();

/** Opens the element; `take()` gives the events since the last call, as the page outside it sees them. */
async function open(attributes = "") {
  const page = await lab(`<smp-sampling ${attributes}></smp-sampling>`);
  await page.evaluate(() => {
    window.seen = [];
    for (const type of ["smp-input", "smp-change"])
      document.addEventListener(type, event =>
        seen.push({ type, target: event.target.localName, detail: structuredClone(event.detail) }),
      );
  });
  return Object.assign(reader(page, en), { take: () => page.evaluate(() => seen.splice(0)) });
}
const types = events => events.map(event => event.type);

test("typing gives smp-input, leaving the field smp-change, each with the whole configuration", async () => {
  const r = await open();
  await r.type("tau", "1.5");
  const [input, ...others] = await r.take();
  assert.deepEqual(others, []);
  assert.equal(input.type, "smp-input");
  assert.equal(input.target, "smp-sampling");
  const { draft, config } = input.detail;
  for (const [name, text] of Object.entries({
    logits: "0 1 2 3",
    tau: "1.5",
    k: "2",
    u: "0.5",
    tie: "strict",
    share: "renormalised",
  }))
    assert.equal(draft[name], text, name);
  for (const [name, value] of Object.entries({
    logits: [0, 1, 2, 3],
    tau: 1.5,
    k: 2,
    u: 0.5,
    tie: "strict",
    share: "renormalised",
  }))
    assert.deepEqual(config[name], value, name);

  await r.box("tau").blur();
  const changes = await r.take();
  assert.deepEqual(types(changes), ["smp-change"]);
  assert.deepEqual(changes[0].detail, input.detail);
});

test("Enter settles a value", async () => {
  const r = await open();
  await r.type("u", "0.1");
  await r.take();
  await r.page.keyboard.press("Enter");
  assert.deepEqual(types(await r.take()), ["smp-change"]);
});

test("wrong input: what is typed, and no configuration", async () => {
  const r = await open();
  await r.enter("k", "9");
  const events = await r.take();
  assert.deepEqual(types(events), ["smp-input", "smp-change"]);
  for (const { detail } of events) {
    assert.equal(detail.draft.k, "9");
    assert.equal(detail.config, null);
  }
});

test("a drag gives smp-input on the way and one smp-change at its end", async () => {
  const r = await open(),
    ruler = r.slider("ruler");
  await ruler.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await ruler.boundingBox();
  await r.page.mouse.move(x + width / 2, y + height / 2);
  await r.page.mouse.down();
  for (const share of [0.4, 0.3, 0.2]) await r.page.mouse.move(x + share * width, y + height / 2);
  const before = types(await r.take());
  assert.ok(before.length >= 1);
  assert.deepEqual(new Set(before), new Set(["smp-input"]));
  await r.page.mouse.up();
  assert.equal(types(await r.take()).filter(type => type === "smp-change").length, 1);
});

test("presets, tie rule and switch are settled at once", async () => {
  const r = await open();
  await r.preset("tie").click();
  assert.deepEqual(
    (await r.take()).map(({ type, detail }) => [type, detail.config.logits.join()]),
    [["smp-change", "3,2,2,0"]],
  );
  await r.host.getByRole("radio").nth(1).check();
  assert.deepEqual(
    (await r.take()).map(({ type, detail }) => [type, detail.config.tie]),
    [["smp-change", "threshold"]],
  );
  await r.host.getByRole("switch").check();
  assert.deepEqual(
    (await r.take()).map(({ type, detail }) => [type, detail.config.share]),
    [["smp-change", "zeroed"]],
  );
});

test("changes by code give none, nor do steps", async () => {
  const r = await open();
  await r.host.evaluate(element => {
    Object.assign(element, { tau: 2, logits: [1, 2], k: 1, u: 0, preset: "tie" });
    element.setAttribute("tau", "1");
    element.removeAttribute("tau");
  });
  await r.step(2).click();
  assert.deepEqual(await r.take(), []);
});

test("keydown stays inside, except Tab, Escape and chords", async () => {
  const r = await open();
  await r.page.evaluate(() => {
    window.keys = [];
    document.addEventListener("keydown", event => keys.push(event.key));
  });
  const heard = () => r.page.evaluate(() => keys.splice(0).filter(key => key !== "Control" && key !== "Alt"));
  const targets = [r.box("u"), r.slider("ruler"), r.move("back"), r.preset("tie")];
  for (const target of targets) {
    await target.focus();
    for (const key of ["a", "/", "ArrowRight", "ArrowLeft", "PageDown", "Home", "s"]) await r.page.keyboard.press(key);
    assert.deepEqual(await heard(), []);
    for (const key of ["Escape", "Control+b", "Alt+q"]) await r.page.keyboard.press(key);
    assert.deepEqual(await heard(), ["Escape", "b", "q"]);
  }
  await r.box("tau").focus();
  await r.page.keyboard.press("Tab");
  assert.deepEqual(await heard(), ["Tab"]);
});
