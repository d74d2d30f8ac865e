// How an element gets along with the page that it comes into: a script that is late, values that are set again, another
// document, fingers that scroll, and keys after a press.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, en, plain, reader, ROOT, start } from "./support.mjs";

const { lab } = await start();
const result = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));
const snippet = (name, ...args) =>
  execFileSync("node", [join(ROOT, "dist/cli.js"), "snippet", `smp-${name}`, ...args], { encoding: "utf8" }).replace(
    /<script.*<\/script>/,
    "",
  );

for (const name of ["sampling", "stopping"])
  test(`<smp-${name}>: a script that comes late leaves the reader where the page was scrolled to`, async () => {
    const page = await lab(`<p>before</p>${snippet(name)}<p>after</p>`, {
      script: false,
      viewport: { width: 1200, height: 500 },
    });
    await page.evaluate(() => scrollTo(0, 700));
    await page.addScriptTag({ url: "/dist/sampling-lab.js" });
    await page.waitForFunction(tag => document.querySelector(tag).shadowRoot, `smp-${name}`);
    await drawn(page);
    assert.equal(await page.evaluate(() => scrollY), 700);
  });

// ---- Values that are set again -----------------------------------------------------------------------------------

test("a value that is set again changes nothing that the reader did", async () => {
  const r = reader(await lab("<smp-sampling lang=en></smp-sampling>", { veiled: true }), en);
  const render = () =>
    r.host.evaluate(host => {
      Object.assign(host, { logits: [0, 1, 2, 3], tau: 0.8, k: 2, preset: "chapter" });
      host.setAttribute("u", "0.5");
    });
  await render();
  await r.host.locator(".quiz").getByRole("button", { name: "ID 2", exact: true }).click();
  await render();
  assert.match(await r.host.locator(".quiz p").innerText(), /Right/);
  assert.equal(await r.host.evaluate(host => host.u), "0.1");
  await r.enter("logits", "5 1 1 0");
  await r.step(2).click();
  await render();
  assert.equal(await r.box("logits").inputValue(), "5 1 1 0");
  assert.equal(await r.current(), 2);
});

test("bound both ways: the value that the reader typed comes back from the page and changes nothing", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  await r.host.evaluate(host => {
    host.addEventListener("smp-input", ({ detail }) => Object.assign(host, detail.draft));
  });
  await r.type("tau", "0.");
  await r.type("tau", "0.30");
  assert.equal(await r.box("tau").inputValue(), "0.30");
  await r.type("logits", "1, 2,");
  assert.equal(await r.box("logits").inputValue(), "1, 2,");
});

test("another value counts, null goes back to the preset, and then the first value counts again", async () => {
  const r = reader(await lab(`<smp-sampling tau="0.5"></smp-sampling>`), en),
    set = value => r.host.evaluate((host, tau) => ((host.tau = tau), host.tau), value);
  await r.enter("tau", "2");
  assert.equal(await set("0.5"), "2");
  assert.equal(await set("0.7"), "0.7");
  assert.equal(await set(null), "0.8");
  assert.equal(await set("0.5"), "0.5");
});

test("<smp-stopping> keeps its step when its rows are set again", async () => {
  const page = await lab(`<smp-stopping rows="a EOS c / b c EOS" limit="3" step="1"></smp-stopping>`),
    host = page.locator("smp-stopping");
  await host.evaluate(element => (element.step = 2));
  assert.equal(
    await host.evaluate(
      element => (
        (element.rows = [
          ["a", "EOS", "c"],
          ["b", "c", "EOS"],
        ]),
        element.step
      ),
    ),
    "2",
  );
});

// ---- Another document ----------------------------------------------------------------------------------------------

test("moved into another document an element keeps its look and what it shows", async () => {
  const page = await lab(`<smp-sampling lang="en"></smp-sampling><iframe title="other" width="1200"></iframe>`);
  const look = await page.evaluate(() => {
    const host = document.querySelector("smp-sampling"),
      other = document.querySelector("iframe").contentDocument;
    const look = () => {
      const { display, fontSize } = getComputedStyle(host.shadowRoot.querySelector(".title"));
      return [display, fontSize, host.shadowRoot.adoptedStyleSheets.length];
    };
    const before = look();
    other.body.append(host);
    const after = look();
    host.shadowRoot.querySelector(".steps li button").click();
    host.shadowRoot.querySelectorAll(".steps li button")[5].click();
    return [before, after, host.shadowRoot.querySelector("[data-field=u] .result").textContent];
  });
  assert.deepEqual(look[1], look[0]);
  assert.equal(look[2], result);
});

// ---- Fingers -------------------------------------------------------------------------------------------------------

const PHONE = {
  hasTouch: true,
  isMobile: true,
  viewport: { width: 360, height: 740 },
  head: `<meta name="viewport" content="width=device-width">`,
};

/** A finger on an element, from one place to others; from 0 to 1 in its box, or px beside that. */
async function swipe(slider, places) {
  const page = slider.page();
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await slider.boundingBox(),
    cdp = await page.context().newCDPSession(page);
  const touch = (type, ...at) =>
    cdp.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: at.map(([right, down]) => ({ x: x + right * width, y: y + height / 2 + down })),
    });
  for (const [index, at] of places.entries()) {
    await touch(index ? "touchMove" : "touchStart", at);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await touch("touchEnd");
  await drawn(page);
}

for (const name of ["tau", "ruler"])
  test(`a swipe up that begins on the slider of ${name} scrolls the page and moves nothing`, async () => {
    const r = reader(await lab("<smp-sampling></smp-sampling>", PHONE), en),
      slider = r.slider(name);
    await r.host.evaluate(host => {
      host.heard = [];
      for (const type of ["smp-input", "smp-change"])
        host.addEventListener(type, ({ detail }) => host.heard.push([type, detail.draft.tau, detail.draft.u]));
    });
    await slider.scrollIntoViewIfNeeded();
    const from = await r.page.evaluate(() => scrollY);
    await swipe(
      slider,
      Array.from({ length: 15 }, (_, at) => [0.9, -10 * at]),
    );
    assert.ok((await r.page.evaluate(() => scrollY)) > from, "the page is scrolled");
    assert.deepEqual(await r.host.evaluate(({ tau, u }) => [tau, u]), ["0.8", "0.5"]);
    const heard = await r.host.evaluate(host => host.heard);
    assert.deepEqual(
      heard.filter(([type]) => type === "smp-change"),
      [],
    );
    assert.deepEqual(heard.length ? heard.at(-1).slice(1) : ["0.8", "0.5"], ["0.8", "0.5"], "told of what it is again");
    await slider.press("ArrowRight");
    assert.notDeepEqual(await r.host.evaluate(({ tau, u }) => [tau, u]), ["0.8", "0.5"], "keys move it as ever");
  });

test("a swipe along a slider moves it", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>", PHONE), en);
  await swipe(
    r.slider("tau"),
    [0.4, 0.5, 0.6, 0.7, 0.8].map(at => [at, 0]),
  );
  assert.ok(Number(await r.host.evaluate(host => host.tau)) > 1.4);
});

// ---- Keys after a press ----------------------------------------------------------------------------------------------

test("after a press in the picture the keys stay in the element: no page is turned", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  await r.page.evaluate(() => {
    window.turned = [];
    document.addEventListener("keydown", ({ key }) => turned.push(key));
  });
  for (const place of [
    ".field-of-u",
    ".seg[data-id='3']",
    ".before .seg[data-id='1']",
    "tr[data-id='2'] .c5",
    ".say",
    ".plot .cuts",
  ]) {
    await r.page.evaluate(() => document.activeElement.blur());
    await r.host.locator(place).first().click();
    assert.equal(await r.page.evaluate(() => document.activeElement.localName), "smp-sampling", place);
    await r.page.keyboard.press("ArrowRight");
  }
  assert.deepEqual(await r.page.evaluate(() => turned), []);
});

test("a press in the map puts the point there, and the arrows go on from it", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  await r.host.locator(".field-of-u").click({ position: { x: 60, y: 60 } });
  const [u, tau] = await r.host.evaluate(host => [Number(host.u), host.tau]);
  await r.page.keyboard.press("ArrowRight");
  assert.deepEqual(await r.host.evaluate(host => [Number(host.u), host.tau]), [
    Math.round(1000 * (u + 0.01)) / 1000,
    tau,
  ]);
});

// ---- What is said ------------------------------------------------------------------------------------------------------

test("each commit is said: what is chosen, that it stays, what is wrong", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  const said = () => r.host.getByRole("status").textContent();
  await r.enter("u", "0.6");
  assert.equal(await said(), result);
  await r.enter("u", "0.7");
  assert.equal(await said(), en.unchanged("ID 3"));
  await r.host.evaluate(host => {
    host.changes = 0;
    new MutationObserver(all => (host.changes += all.length)).observe(host.shadowRoot.querySelector("[role=status]"), {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  await r.enter("u", "0.8");
  assert.equal((await said()).trim(), en.unchanged("ID 3"));
  assert.equal(
    await r.host.evaluate(host => new Promise(done => setTimeout(() => done(host.changes)))),
    1,
    "and again",
  );
  await r.enter("tau", "-1");
  assert.equal(await said(), `${plain(en.fields.tau)}: ${en.problem("tau", { kind: "negative" }, 4)}`);
  await r.enter("tau", "0.8");
  await r.host.getByRole("combobox").selectOption("float16");
  assert.equal((await said()).trim(), en.unchanged("ID 3"), "the format");
  await r.host.getByRole("radio").nth(1).check();
  assert.equal((await said()).trim(), en.unchanged("ID 3"), "the tie rule");
});
