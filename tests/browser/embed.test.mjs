// The page for frames: the element and its parameters from the address, its height told to the page around it, theme
// and language by address and by message, and nothing that an address or a message can do beyond that.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importSource } from "../node/support.mjs";
import { drawn, en, plain, reader, ROOT, start, zh } from "./support.mjs";

const { base, lab, open } = await start();
const { names } = await importSource("web/entry/names.ts");
const address = query => `/dist/embed.html?${new URLSearchParams(query)}`;
const CHAPTER = { element: "smp-sampling", logits: "0 1 2 3", tau: "0.8", k: "2", u: "0.1", lang: "en" };
const chosen = plain(en.chooses(2, "0.222700", "[0, 0.222700)"));

/** The recipe of docs/embedding.md: a page with frames that are as high as they say. */
const [, SCRIPT] = readFileSync(join(ROOT, "docs/embedding.md"), "utf8").match(
  /## In a frame[^]*?(<script>[^]*?<\/script>)/,
);
const iframe = (query, attributes = "") =>
  `<iframe title="experiment" style="width: 100%; border: 0; display: block" ${attributes} src="${address(query).replaceAll("&", "&amp;")}"></iframe>`;
const host = body => lab(body, { script: false, head: SCRIPT });

/** The frame of the page once it is exactly as high as what it holds. */
async function settled(page, index = 0) {
  const element = page.locator("iframe").nth(index),
    frame = await (await element.elementHandle()).contentFrame();
  await frame.locator("[class=lab]").waitFor();
  const fits = () => frame.evaluate(() => innerHeight === Math.ceil(document.body.getBoundingClientRect().height));
  for (let tries = 0; !(await fits()); tries++) {
    assert.ok(tries < 100, "the frame never gets the height of what it holds");
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  return frame;
}
const scrolls = frame =>
  frame.evaluate(() => [
    document.documentElement.scrollHeight > innerHeight,
    document.documentElement.scrollWidth > innerWidth,
  ]);

for (const sandbox of ["", `sandbox="allow-scripts"`])
  test(`the element, and no second scroll bar ${sandbox}`, async () => {
    const page = await host(iframe(CHAPTER, sandbox)),
      frame = await settled(page),
      r = reader(frame, en);
    await r.press(en.quiz.skip);
    await settled(page);
    assert.equal(await r.sentence("u"), chosen);
    assert.deepEqual(await r.host.evaluate(({ logits, tau, k, u }) => [logits, tau, k, u]), [
      "0 1 2 3",
      "0.8",
      "2",
      "0.1",
    ]);
    assert.deepEqual(await scrolls(frame), [false, false]);
    for (const width of [360, 700, 1200]) {
      await page.setViewportSize({ width, height: 700 });
      assert.deepEqual(await scrolls(await settled(page)), [false, false], `${width}`);
    }
    await r.press(en.presets.names.greedy); // another height
    await settled(page);
    assert.deepEqual(page.heard.messages, []);
  });

test("every element of the script beside it can be embedded", async () => {
  const page = await host(names.map(name => iframe({ element: `smp-${name}` })).join(""));
  for (const [index, name] of names.entries())
    assert.equal(await (await settled(page, index)).locator(`smp-${name}`).count(), 1);
  assert.deepEqual(page.heard.messages, []);
});

/** Sends a message to the frame, and waits for the height that it answers with. */
const ask = (page, message = { type: "smp-set" }) =>
  page.evaluate(
    data =>
      new Promise(
        done => (
          addEventListener("message", event => done(event.data.height), { once: true }),
          frames[0].postMessage(data, "*")
        ),
      ),
    message,
  );

test("a page that listens late asks for the height", async () => {
  const page = await lab(iframe(CHAPTER), { script: false });
  await page.frames()[1].locator("[class=lab]").waitFor();
  assert.equal(
    await ask(page),
    await page.frames()[1].evaluate(() => Math.ceil(document.body.getBoundingClientRect().height)),
  );
});

// ---- Theme and language ------------------------------------------------------------------------------------------

const look = async frame => {
  await drawn(frame);
  return frame
    .locator("smp-sampling")
    .evaluate(({ shadowRoot: { firstElementChild: inner } }) => [inner.lang, getComputedStyle(inner).backgroundColor]);
};
const LIGHT = "rgb(255, 255, 255)",
  DARK = "rgb(22, 24, 27)";

test("theme and language from the address", async () => {
  for (const [query, colorScheme, expected] of [
    [{}, "light", ["zh", LIGHT]],
    [{}, "dark", ["zh", DARK]],
    [{ lang: "en", theme: "dark" }, "light", ["en", DARK]],
    [{ lang: "zh", theme: "light" }, "dark", ["zh", LIGHT]],
    [{ theme: "auto" }, "dark", ["zh", DARK]],
  ]) {
    const page = await open(`${base}${address({ element: "smp-sampling", ...query })}`, { colorScheme });
    assert.deepEqual(await look(page), expected, JSON.stringify(query));
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), expected[1]);
    assert.deepEqual(page.heard.messages, []);
  }
});

test("theme and language by message, from the page around it only", async () => {
  const page = await host(iframe({ element: "smp-sampling" })),
    frame = await settled(page);
  await ask(page, { type: "smp-set", theme: "dark", lang: "en" });
  assert.deepEqual(await look(frame), ["en", DARK]);
  await ask(page, { type: "smp-set", theme: "auto" });
  assert.deepEqual(await look(frame), ["en", LIGHT]);

  await page.evaluate(() => {
    const hostile = [
      null,
      "smp-set",
      7,
      [],
      { type: "other", theme: "dark" },
      { type: "smp-set", theme: "url(x)", lang: "<b>" },
      { type: "smp-set", theme: ["dark"], lang: ["zh"] },
      { type: "smp-set", tau: "5", element: "smp-stopping" },
    ];
    for (const data of hostile) frames[0].postMessage(data, "*");
  });
  await frame.evaluate(() => postMessage({ type: "smp-set", theme: "dark", lang: "zh" }, "*")); // from itself
  await ask(page); // messages arrive in order
  assert.deepEqual(await look(frame), ["en", LIGHT]);
  assert.equal(await frame.locator("smp-sampling").evaluate(element => element.tau), "0.8");
  assert.deepEqual(page.heard.messages, []);
});

// ---- Wrong addresses ---------------------------------------------------------------------------------------------

const alerts = page => page.getByRole("alert").allTextContents();

test("an element that is not there: what is allowed, in the language of the address", async () => {
  for (const element of ["", "smp-nothing", "script", "constructor", "__proto__", `<img src=x onerror="throw 1">`]) {
    const page = await open(`${base}${address({ element, tau: "1", lang: "en" })}`);
    assert.deepEqual(await alerts(page), [
      `The address says element=“${element}”; allowed: smp-sampling, smp-stopping.`,
    ]);
    assert.equal(await page.locator("body > :not(p, script, noscript)").count(), 0);
    assert.deepEqual(page.heard.messages, []);
  }
  const none = await open(`${base}/dist/embed.html`);
  assert.deepEqual(await alerts(none), ["网址的 element 写的是“”，只能是 smp-sampling, smp-stopping。"]);
});

test("a parameter that is not there is named, and the rest is shown", async () => {
  const unknown = ["onclick", "style", "class", "slot", "id", "innerHTML", "toString", "__proto__", "<b>"];
  const query = [
    ...Object.entries({ ...CHAPTER, share: "zeroed" }),
    ...unknown.map(name => [name, "throw 1"]),
    ["x".repeat(3000), ""],
  ];
  const page = await open(`${base}${address(query)}`),
    said = await alerts(page);
  const allowed =
    "allowed: logits, tau, k, top_p, min_p, u, tie, tie_p, share, dtype, labels, max, rules, preset, parts, heading, lang, theme.";
  assert.deepEqual(
    said,
    [...unknown, `${"x".repeat(40)}…`].map(name => `The address has “${name}”, which is ignored; ${allowed}`),
  );
  assert.deepEqual(await page.locator("smp-sampling").evaluate(element => element.getAttributeNames().sort()), [
    "k",
    "logits",
    "share",
    "tau",
    "u",
  ]);
  assert.deepEqual(page.heard.messages, []);
});

test("wrong theme and language", async () => {
  const page = await open(
    `${base}${address({ ...CHAPTER, lang: "javascript:alert(1)", theme: "dark; background: red" })}`,
  );
  assert.deepEqual(await alerts(page), [
    "网址的 lang 写的是“javascript:alert(1)”，不起作用，只能是 zh, en。",
    "网址的 theme 写的是“dark; background: red”，不起作用，只能是 light, dark, auto。",
  ]);
  assert.deepEqual(await look(page), ["zh", LIGHT]);
});

test("the messages follow the language", async () => {
  const page = await host(iframe({ ...CHAPTER, lang: "zh", x: "1" })),
    frame = await settled(page);
  assert.match((await alerts(frame))[0], /^网址里的“x”/);
  await ask(page, { type: "smp-set", lang: "en" });
  assert.match((await alerts(frame))[0], /^The address has “x”/);
});

test("values are text: wrong ones are told by the element, and none becomes markup", async () => {
  const bad = `"><img src=x onerror="throw 1"><script>throw 1</script>`;
  const page = await open(`${base}${address({ ...CHAPTER, logits: bad, tau: "9".repeat(5000), lang: "zh" })}`),
    r = reader(page, zh);
  assert.equal(await r.box("logits").inputValue(), bad);
  assert.match(await r.sentence("logits"), /img/);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(await alerts(page), []);
  assert.deepEqual(page.heard.messages, []);
});

test("without the script beside it, or without scripts, it says so", async () => {
  const alone = await open(`${base}/page.html?html=`);
  await alone.route("**/sampling-lab.js", route =>
    route.fulfill({ status: 200, contentType: "text/javascript", body: "" }),
  );
  await alone.goto(`${base}${address(CHAPTER)}`);
  assert.deepEqual(await alerts(alone), ["sampling-lab.js is missing beside this page: the experiment is not loaded."]);
  await alone.unroute("**/sampling-lab.js");
  await alone.route("**/embed.js", route => route.abort());
  await alone.goto(`${base}${address(CHAPTER)}`);
  assert.match(await alone.locator("body").innerText(), /not loaded: it needs JavaScript/);
  await alone.unroute("**/embed.js");
  await alone.goto(`${base}${address(CHAPTER)}`);
  assert.equal(await alone.getByText("not loaded").count(), 0, "nothing of it once it runs");
  const off = await open(`${base}${address(CHAPTER)}`, { javaScriptEnabled: false });
  assert.match(await off.locator("body").innerText(), /needs JavaScript/);
});

test("it runs under the strict policy and asks for nothing but its two scripts", async () => {
  const page = await open(`${base}/page.html?html=`),
    place = `${base}${address({ ...CHAPTER, theme: "dark" })}`;
  const policy =
    "default-src 'none'; img-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
  await page.route("**/embed.html?*", async route => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-security-policy": policy } });
  });
  page.heard.requests.length = 0;
  await page.goto(place);
  const r = reader(page, en);
  await r.press(en.quiz.skip);
  assert.equal(await r.sentence("u"), chosen);
  assert.deepEqual(page.heard.requests, [place, `${base}/dist/sampling-lab.js`, `${base}/dist/embed.js`]);
  assert.deepEqual(page.heard.messages, []);
});
