// What a link, an attribute, a paste or the page around may hold at worst: an answer each time, kept short, and never a
// result of values that nobody gave. Counts, not times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../node/support.mjs";
import { en, plain, reader, start, zh } from "./support.mjs";

const { base, lab, open } = await start();
const { messages: compare } = await importSource("web/elements/compare/messages.en.ts");
const ALL = { script: "sampling-lab-all.js" };
const result = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));

// ---- The last valid state ----------------------------------------------------------------------------------------

const TIE = ["3", "2", "2", "0"];

test("a preset with a wrong value: the result is the preset's, in whatever order they are given", async () => {
  for (const [attributes, logits, tau] of [
    [`preset="tie" k="9"`, TIE, "1"],
    [`k="9" preset="tie"`, TIE, "1"],
    [`k="9" tau="2" preset="tie"`, TIE, "2"],
    [`preset="tie" tau="2" u="7" k="9"`, TIE, "2"],
    [`preset="tie" logits="5 x"`, TIE, "1"],
    [`preset="greedy" k="9"`, ["1", "1", "0"], "0"],
    [`logits="5 4 3" k="9"`, ["5", "4", "3"], "0.8"],
  ]) {
    const r = reader(await lab(`<smp-sampling ${attributes}></smp-sampling>`), en);
    assert.deepEqual(await r.column("logit"), logits, attributes);
    const right = attributes.includes("logits") ? "" : en.logitsHint;
    if (right) assert.equal(await r.sentence("logits"), right, attributes);
    for (const field of ["tau", "k", "u"])
      if (!(await r.box(field).getAttribute("aria-invalid")))
        assert.equal(await r.sentence(field), "", `${attributes} ${field}`);
    assert.equal(await r.host.getByText(en.stale).count(), 1);
    assert.match(await r.host.locator(".sticky").textContent(), new RegExp(`τ = ${tau}`), attributes);
  }
});

test("set by code or by a link: the last valid state, and after another preset that preset's", async () => {
  const page = await lab("<smp-sampling></smp-sampling>"),
    r = reader(page, en),
    set = values => r.host.evaluate((host, all) => void Object.assign(host, all), values);
  await set({ logits: "7 6 5 4" });
  await set({ k: 9 });
  assert.deepEqual(await r.column("logit"), ["7", "6", "5", "4"]);
  await set({ tau: "x", preset: "tie" });
  assert.deepEqual(await r.column("logit"), ["7", "6", "5", "4"], "the logits are right and stay");
  await set({ logits: null, k: null, tau: null });
  assert.equal(await r.host.getByText(en.stale).count(), 0);
  await page.evaluate(() => (location.hash = "#smp=smp-sampling-1&preset=real&u=x&logits=1+x"));
  await r.host.getByText(en.stale).waitFor();
  assert.equal((await r.column("logit")).length, 8);
});

test("the same for a batch and for engines", async () => {
  const page = await lab(
    `<smp-stopping preset="eight" limit="99"></smp-stopping><smp-compare preset="tie" top_p="x" temperature="1"></smp-compare>`,
    ALL,
  );
  assert.equal(await page.locator("smp-stopping .latch tbody tr").count(), 3);
  assert.equal(await page.locator("smp-stopping .steps li").count(), 9);
  assert.equal(await page.locator("smp-stopping").getByText(en.stale).count(), 1);
  assert.equal(
    await page
      .locator("smp-stopping [data-field^=row] .result")
      .evaluateAll(all => all.map(each => each.textContent).join("")),
    "",
  );
  assert.equal(await page.locator("smp-compare .tokens tbody tr").count(), 4);
  assert.equal(await page.locator("smp-compare").getByText(en.stale).count(), 1);
  const said = await page
    .locator("smp-compare .ask .result")
    .evaluateAll(all => all.map(each => each.textContent).filter(Boolean));
  assert.deepEqual(said, [compare.logitsHint, compare.problem("top_p", { kind: "notNumber", text: "x" })]);
});

// ---- Long texts --------------------------------------------------------------------------------------------------

test("a paste of ten million characters is cut where it is told to be too long", async () => {
  const page = await lab("<smp-sampling></smp-sampling><smp-stopping></smp-stopping><smp-compare></smp-compare>", ALL);
  for (const [tag, ids, most, say] of [
    ["smp-sampling", ["logits", "tau", "k", "u"], 2000, en.problem("tau", { kind: "tooLong", most: 2000 }, 4)],
    ["smp-stopping", ["row1"], 2000, en.stopping.rowProblem({ kind: "textTooLong", most: 2000 })],
    ["smp-compare", ["logits", "context"], 4000, compare.problem("context", { kind: "tooLong", most: 4000 })],
    ["smp-compare", ["temperature", "top_k"], 2000, compare.problem("temperature", { kind: "tooLong", most: 2000 })],
  ])
    for (const id of ids) {
      const box = page.locator(`${tag} #${id}`);
      const length = await box.evaluate(input => {
        input.select();
        document.execCommand("insertText", false, "1 ".repeat(5_000_000));
        return input.value.length;
      });
      assert.equal(length, most + 1, id);
      assert.ok((await page.locator(`${tag} #${id}-out`).textContent()).startsWith(say.split(/[.;]/)[0]), id);
    }
});

test("an attribute of a million characters is cut, and refused as too long", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  await r.host.evaluate(host => host.setAttribute("logits", " ".repeat(1_000_000)));
  assert.ok((await r.sentence("logits")).startsWith(en.problem("logits", { kind: "tooLong", most: 2000 }, 4)));
  assert.ok((await r.properties()).logits.length < 20_000);
});

test("links with spaces, slashes and unknown engines without end", async () => {
  const page = await lab("<smp-stopping></smp-stopping><smp-compare></smp-compare>", ALL),
    go = hash =>
      page.evaluate(
        text =>
          new Promise(
            done => (
              addEventListener("hashchange", () => requestAnimationFrame(() => done()), { once: true }),
              (location.hash = text)
            ),
          ),
        hash,
      );
  await go(`#smp=smp-stopping-1&rows=${"+".repeat(120_000)}`);
  assert.equal(await page.locator("smp-stopping #row1-out").textContent(), en.stopping.rowProblem({ kind: "empty" }));
  await go(`#smp=smp-stopping-1&rows=${"/".repeat(120_000)}`);
  assert.equal(await page.locator("smp-stopping [data-field^=row]").count(), 3);
  page.heard.messages.length = 0;
  await go(`#smp=smp-compare-1&engines=${Array.from({ length: 200_000 }, (_, index) => `x${index}`).join("+")}`);
  assert.equal(await page.locator("smp-compare").getByText(compare.fewEngines).count(), 1);
  assert.equal(page.heard.messages.length, 1);
  assert.match(page.heard.messages[0], /^warning: <smp-compare> engines="x0 x1 x2 x3" is ignored; allowed: /);
});

test("two thousand wrong words: twenty are told, none is kept whole", async () => {
  const page = await lab("<smp-sampling></smp-sampling>");
  await page.locator("smp-sampling").evaluate(host => {
    for (let i = 0; i < 2000; i++) host.preset = `${i}${"x".repeat(20_000)}`;
  });
  assert.equal(page.heard.messages.length, 20);
  for (const message of page.heard.messages) assert.ok(message.length < 300, message);
});

test("a fragment of a megabyte is read once for 30 elements", async () => {
  const page = await open(`${base}/page.html?html=`);
  await page.evaluate(() => {
    window.parsed = 0;
    window.URLSearchParams = class extends URLSearchParams {
      constructor(...args) {
        super(...args);
        window.parsed++;
      }
    };
    location.hash = `#smp=smp-sampling-30&tau=2&${"x=1&".repeat(250_000)}`;
    document.body.innerHTML = "<smp-sampling lang=en></smp-sampling>".repeat(30);
  });
  await page.addScriptTag({ url: "/dist/sampling-lab.js" });
  assert.deepEqual(
    await page
      .locator("smp-sampling")
      .evaluateAll(all => all.flatMap((host, index) => (host.tau === "2" ? index : []))),
    [29],
  );
  assert.equal(await page.evaluate(() => parsed), 1);
});

// ---- Whose link it is --------------------------------------------------------------------------------------------

/** Gives a page `elements()`: ours in it, those in shadow trees of others included. */
const findable = page =>
  page.evaluate(() => {
    window.elements = (root = document) =>
      [...root.querySelectorAll("*")].flatMap(element =>
        /^smp-/.test(element.localName) ? [element] : element.shadowRoot ? elements(element.shadowRoot) : [],
      );
  });

/** The key of each in its link. */
const keys = page =>
  page.evaluate(() =>
    Promise.all(
      elements().map(async host => {
        [...host.shadowRoot.querySelectorAll("button")].find(button => button.textContent === "Copy link").click();
        for (let tries = 0; tries < 1000 && !host.shadowRoot.querySelector("textarea"); tries++)
          await new Promise(done => setTimeout(done, 20));
        return new URLSearchParams(new URL(host.shadowRoot.querySelector("textarea").value).hash.slice(1)).get("smp");
      }),
    ),
  );

test("every element has a link of its own: in shadow trees, and beside an id that reads like a number of another", async () => {
  const body = `<smp-sampling lang="en" id="smp-sampling-2"></smp-sampling><smp-sampling lang="en"></smp-sampling><smp-sampling lang="en" id="smp-stopping-1"></smp-sampling>
    <smp-stopping lang="en"></smp-stopping><smp-sampling lang="en" id="figure-2"></smp-sampling><smp-sampling lang="en" id="a b"></smp-sampling>
    <div id="one"></div><div></div>`;
  const page = await lab(body);
  await page.evaluate(() => {
    for (const host of document.querySelectorAll("div")) {
      const root = host.attachShadow({ mode: "open" });
      root.innerHTML =
        "<smp-sampling lang=en></smp-sampling><section></section><smp-sampling lang=en id=mine></smp-sampling>";
      root.querySelector("section").attachShadow({ mode: "open" }).innerHTML = "<smp-sampling lang=en></smp-sampling>";
    }
  });
  await findable(page);
  const found = await keys(page);
  assert.equal(new Set(found).size, 12, found.join(", "));
  assert.deepEqual(found.slice(0, 6), [
    "smp-sampling-1",
    "smp-sampling-2",
    "smp-sampling-3",
    "smp-stopping-1",
    "figure-2",
    "smp-sampling-5",
  ]);
  assert.deepEqual(found.slice(6, 9).sort(), ["div-1 mine", "div-1 section-1 smp-sampling-1", "div-1 smp-sampling-1"]);
  // each with a value of its own, one after the other on one page
  for (const [index, key] of found.entries()) {
    const tau = String(2 + index);
    const taken = await page.evaluate(
      async ([hash, value]) => {
        const heard = new Promise(done => addEventListener("hashchange", done, { once: true }));
        location.hash = hash;
        await heard;
        return window.elements().flatMap((host, at) => (host.tau === value ? at : []));
      },
      [`#${new URLSearchParams({ smp: key, tau })}`, tau],
    );
    assert.deepEqual(taken, key === "smp-stopping-1" ? [] : [index], key);
  }
});

test("a link does not reach an element that is out of the page, by id or by number", async () => {
  const page = await lab(`<smp-sampling id="mine"></smp-sampling><smp-sampling></smp-sampling>`);
  const left = await page.evaluate(async () => {
    const all = [...document.querySelectorAll("smp-sampling")],
      found = [];
    for (const key of ["mine", "smp-sampling-0", "smp-sampling-1", "smp-sampling-2"]) {
      for (const host of all) host.remove();
      location.hash = `#smp=${key}&tau=2`;
      dispatchEvent(new Event("hashchange")); // before they are torn down
      await new Promise(done => setTimeout(done));
      document.body.append(...all);
      found.push([key, ...all.map(host => host.tau)]);
    }
    return found;
  });
  for (const [key, ...taus] of left) assert.deepEqual(taus, ["0.8", "0.8"], key);
  assert.deepEqual(page.heard.messages, []);
});

test("elements of the page that are named as parts of the document", async () => {
  const names = [
    "featurePolicy",
    "body",
    "documentElement",
    "querySelectorAll",
    "createElement",
    "getRootNode",
    "adoptedStyleSheets",
    "location",
    "defaultView",
  ];
  const body = names.flatMap(name => [`<img name="${name}" alt="">`, `<form name="${name}"></form>`]).join("");
  const page = await lab(`${body}<smp-sampling></smp-sampling>`, {
      permissions: ["clipboard-read", "clipboard-write"],
    }),
    r = reader(page, en);
  assert.equal(await r.sentence("u"), result);
  await r.press(en.exports.link);
  await r.host.getByText(en.exports.copied).first().waitFor();
  assert.match(
    await r.host.getByRole("group", { name: en.exports.label }).getByRole("textbox").inputValue(),
    /#smp=smp-sampling-1&/,
  );
  const saved = page.waitForEvent("download");
  await r.press(en.exports.csv);
  assert.equal((await saved).suggestedFilename(), "sampling.csv");
  await page.evaluate(() => Document.prototype.querySelector.call(document, "html").setAttribute("lang", "zh"));
  assert.equal(
    await reader(page, zh).sentence("k"),
    plain(zh.keeps([2, 3], "0.924142")),
    "it follows the page's language",
  );
  assert.deepEqual(page.heard.messages, []);
});

// ---- Frames ------------------------------------------------------------------------------------------------------

test("three hundred messages to a frame are answered once a frame, and the last counts", async () => {
  const page = await lab(`<iframe src="/dist/embed.html?element=smp-sampling" width="1000" height="1000"></iframe>`, {
      script: false,
    }),
    [, frame] = page.frames();
  await frame.locator("[class=lab]").waitFor();
  const answers = await page.evaluate(
    () =>
      new Promise(done => {
        let heard = 0,
          last = 0;
        addEventListener("message", () => (heard++, (last = performance.now())));
        for (let i = 0; i < 300; i++)
          frames[0].postMessage({ type: "smp-set", theme: i % 2 ? "light" : "dark", lang: i % 2 ? "en" : "zh" }, "*");
        const wait = () => (heard && performance.now() - last > 500 ? done(heard) : setTimeout(wait, 50));
        wait();
      }),
  );
  assert.ok(answers < 100, `${answers} answers`);
  await frame.getByRole("heading", { name: plain(en.title) }).waitFor();
});

test("an address with 1,500 unknown names: twenty are told", async () => {
  const page = await open(
    `${base}/dist/embed.html?element=smp-sampling&${Array.from({ length: 1500 }, (_, index) => `x${index}=1`).join("&")}`,
  );
  assert.equal(await page.getByRole("alert").count(), 20);
});
