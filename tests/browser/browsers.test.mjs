// One suite of vectors and element tests in three browsers: over http, from disk, in a sandboxed frame and under the
// strict policy; the digest of each module in each of them; and what else only a real browser can tell. A missing
// browser fails.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { recordDigest } from "../node/support.mjs";
import * as chromium from "./browsers/chromium.mjs";
import * as firefox from "./browsers/firefox.mjs";
import { FOLDER, makePages } from "./browsers/pages.mjs";
import * as webkit from "./browsers/webkit.mjs";
import { en, serve } from "./support.mjs";

await makePages();
const server = await serve();
after(() => server.close());

const STRICT =
  "default-src 'none'; img-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
const overHttp = (name, policy) =>
  `http://127.0.0.1:${server.address().port}/build/browsers/${name}${policy ? `?${new URLSearchParams({ policy })}` : ""}`;
const PLACES = {
  // the same bytes compute the same bits in every place: once is enough
  "over http": `${overHttp("suite.html")}?digests`,
  "from disk": pathToFileURL(join(FOLDER, "suite.html")).href,
  "in a sandboxed frame": overHttp("frame.html"),
  "under the strict policy": overHttp("suite.html", STRICT),
};

/** Opens a page, and closes it after the work. */
async function visit(browser, url, work) {
  const page = await browser.open(url);
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

/** What the page and the browser have heard so far. */
const heard = async page => [...(await page.evaluate(() => globalThis.heard)), ...page.heard];

/** The report of the suite at an address: nothing failed, nothing was said. */
const report = (browser, url) =>
  visit(browser, url, async page => {
    const found = await page.evaluate(() => globalThis.report);
    assert.deepEqual(found.failures, []);
    assert.deepEqual([...found.heard, ...page.heard], []);
    return found;
  });

/** Runs in a page: of each element, what it says instead of the experiment, and whether its fallback is in view. */
const outcomes = () =>
  [...document.querySelectorAll("smp-sampling, smp-stopping")].map(host => [
    host.shadowRoot.querySelector(".blocked")?.textContent ?? null,
    host.firstElementChild.checkVisibility(),
  ]);

/** Runs in a page: where the middle of the map's point is, after scrolling to it. */
function pointPlace() {
  const point = document.querySelector("smp-sampling").shadowRoot.querySelector(".point");
  point.scrollIntoView({ block: "center" });
  const { left, top, width, height } = point.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

/** How many cases the reports of the first browser have: in the others there are as many. */
let cases;

for (const [name, { start }] of Object.entries({ Chromium: chromium, Firefox: firefox, WebKit: webkit }))
  test(name, async t => {
    const browser = await start();
    try {
      const reports = [];
      for (const [place, url] of Object.entries(PLACES))
        await t.test(`${name} ${place}`, async () => reports.push(await report(browser, url)));

      await t.test(`${name}: one digest of both modules, and one number of cases in every place`, () => {
        cases ??= [reports[0].cases, ...reports.slice(1).map(() => reports[1].cases)];
        assert.ok(cases[0] > 200 && cases[1] > 50, `only ${cases} cases`);
        assert.deepEqual(
          reports.map(each => each.cases),
          cases,
        );
        const { simd, scalar } = reports[0].digests;
        assert.match(simd, /^[0-9a-f]{16}$/);
        assert.equal(scalar, simd);
        recordDigest(`wasm-simd-${name}`, simd);
        recordDigest(`wasm-scalar-${name}`, scalar);
        t.diagnostic(`${name} ${browser.version}: ${cases.join(" + ")} cases, digest ${simd}`);
      });

      await t.test(`${name}: real keys and a real pointer`, () => visit(browser, overHttp("elements.html"), handle));

      await t.test(`${name}: a script that comes late leaves the page where it was scrolled to`, () =>
        visit(browser, overHttp("late.html"), async page => {
          assert.deepEqual(await page.evaluate(late), [400, true, 400]);
          assert.deepEqual(await heard(page), []);
        }),
      );

      await t.test(`${name}: frequencies, by keys, by generator, a million of them`, () =>
        visit(browser, overHttp("frequency.html"), count),
      );

      await t.test(`${name}: both scripts, twice, and the module`, () =>
        visit(browser, overHttp("elements.twice.html"), async page => {
          assert.deepEqual(await page.evaluate(outcomes), [
            [null, false],
            [null, false],
          ]);
          assert.deepEqual(await heard(page), []);
        }),
      );

      await t.test(`${name}: without 'wasm-unsafe-eval' the designed message and the fallback`, () =>
        visit(browser, overHttp("elements.html", STRICT.replace(" 'wasm-unsafe-eval'", "")), async page => {
          assert.deepEqual(await page.evaluate(outcomes), Array(2).fill([en.blocked.policy, true]));
          const uncaught = (await page.evaluate(() => globalThis.heard)).filter(text => !text.startsWith("policy: "));
          assert.deepEqual(uncaught, []);
        }),
      );

      // of Chromium, axe.test.mjs and stopping.test.mjs ask more
      if (name === "Firefox")
        for (const [lang, colorScheme] of [
          ["zh", "light"],
          ["en", "dark"],
        ])
          await t.test(`${name}: axe-core finds no violation, ${lang}, ${colorScheme}`, () =>
            visit(browser, overHttp("axe.html"), async page => {
              assert.deepEqual(await page.evaluate(violations, { lang, colorScheme }), []);
              assert.deepEqual(await heard(page), []);
            }),
          );
    } finally {
      await browser.close();
    }
  });

test("Firefox with forced colours", async t => {
  const browser = await firefox.start({ forced: true });
  try {
    for (const [lang, colorScheme] of [
      ["zh", "light"],
      ["en", "dark"],
    ])
      await t.test(`Firefox with forced colours: axe-core finds no violation, ${lang}`, () =>
        visit(browser, overHttp("axe.html"), async page => {
          assert.equal(await page.evaluate(() => matchMedia("(forced-colors: active)").matches), true);
          assert.deepEqual(await page.evaluate(violations, { lang, colorScheme }), []);
          assert.deepEqual(await heard(page), []);
        }),
      );
  } finally {
    await browser.close();
  }
});

/** Runs in a page: what axe-core finds in both elements in one language and colour scheme, in four states. */
async function violations({ lang, colorScheme }) {
  Object.assign(document.documentElement, { lang }).style.colorScheme = colorScheme;
  const found = [];
  for (const tag of ["smp-sampling", "smp-stopping"]) {
    const root = document.querySelector(tag).shadowRoot,
      moves = root.querySelectorAll(".steps .moves button"),
      box = root.querySelector(".inputs input");
    const type = text => {
      box.value = text;
      box.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const old = box.value;
    const states = {
      start: () => moves[0].click(),
      middle: () => moves[2].click(),
      end: () => moves[3].click(),
      wrong: () => type("?"),
    };
    for (const [state, reach] of Object.entries(states)) {
      reach();
      await new Promise(requestAnimationFrame);
      const { violations: all } = await globalThis.axe.run(tag);
      found.push(
        ...all.flatMap(({ id, nodes }) =>
          nodes.map(node => `${state}: ${id}: ${node.target.flat().join(" ")}: ${node.failureSummary}`),
        ),
      );
    }
    type(old);
  }
  return found;
}

/** Runs in a page: of the record's generators, how often ID 2 came. */
async function countsOf(sources) {
  const host = document.querySelector("smp-frequency"),
    counts = [];
  for (const [source, draws] of sources) {
    Object.assign(host, { source, draws });
    while (host.shadowRoot.querySelector("progress")) await new Promise(requestAnimationFrame);
    counts.push(host.shadowRoot.querySelectorAll(".tallied tbody td b")[2].textContent);
  }
  return counts;
}

/** Runs in a page: once no draws are on their way. */
async function ran() {
  const { shadowRoot } = document.querySelector("smp-frequency");
  while (shadowRoot.querySelector("progress")) await new Promise(requestAnimationFrame);
}

/** The record, its line moved by keys, other generators, a throw. */
async function count(page) {
  const heading = () =>
    page.evaluate(() => document.querySelector("smp-frequency").shadowRoot.querySelector("h3").textContent);
  await page.evaluate(() => document.querySelector("smp-frequency").shadowRoot.querySelector(".knob input").focus());
  await page.press("Home");
  assert.match(await heading(), /^1 draw:/);
  await page.press("ArrowRight");
  assert.match(await heading(), /^2 draws/);
  await page.evaluate(ran);
  await page.press("End");
  assert.match(await heading(), /^1,000 draws:\s*ID 2 came 230 times/);
  const asked = [
    ["torch", 1000],
    ["candle", 1000],
    ["llama.cpp", 1000],
    ["torch-mkl", 1_000_000],
  ];
  assert.deepEqual(await page.evaluate(countsOf, asked), ["227", "218", "216", "222,234"]);
  await page.evaluate(() =>
    document.querySelector("smp-frequency").shadowRoot.querySelectorAll(".throws .moves button")[1].click(),
  );
  const thrown = () => document.querySelector("smp-frequency").shadowRoot.querySelector(".throws .tally").textContent;
  assert.match(await page.evaluate(thrown), /11 thrown/);
  assert.deepEqual(await heard(page), []);
}

/** Runs in a page: where it is scrolled to, before its script comes and after that; and whether the element runs. */
async function late() {
  scrollTo(0, 400);
  const before = scrollY,
    script = Object.assign(document.createElement("script"), { src: "sampling-lab.js" });
  await new Promise(done => {
    script.onload = done;
    document.body.append(script);
  });
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
  return [before, document.querySelector("smp-sampling").shadowRoot.querySelector(".plot") !== null, scrollY];
}

/** A field, the slider below it and the point of the map, used as a reader does. */
async function handle(page) {
  await page.evaluate(() => {
    globalThis.keys = [];
    addEventListener("keydown", event => keys.push(event.key));
    globalThis.changes = [];
    addEventListener("smp-change", event => changes.push(event.detail.draft.tau));
    document.querySelector("smp-sampling").shadowRoot.querySelector("#tau").select();
  });
  for (const key of ["1", ".", "/", "s", "?", "ArrowLeft", "Home"]) await page.press(key);
  const field = name =>
    page.evaluate(id => document.querySelector("smp-sampling").shadowRoot.querySelector(id).value, `#${name}`);
  assert.equal(await field("tau"), "1./s?");
  assert.deepEqual(await page.evaluate(() => [keys, changes]), [[], []]);
  await page.press("Tab");
  assert.deepEqual(await page.evaluate(() => [keys, changes]), [["Tab"], ["1./s?"]]);
  await page.press("ArrowRight"); // Tab led to the slider, which stands at the last valid number: 1.
  assert.equal(await field("tau"), "1.01");

  const [x, y] = await page.evaluate(pointPlace);
  await page.drag([x, y], [x - 100, y - 40]);
  assert.ok(
    Number(await field("u")) < 0.45 && Number(await field("tau")) > 1.01,
    `u ${await field("u")}, tau ${await field("tau")}`,
  );
  await page.drag([x - 100, y - 40], [x - 100, y + 300]);
  assert.equal(await field("tau"), "0");
  assert.deepEqual(await heard(page), []);
}

// Firefox has no such switch.
for (const [name, { start }] of Object.entries({ Chromium: chromium, WebKit: webkit }))
  test(`${name} without SIMD`, async t => {
    const browser = await start({ simd: false });
    try {
      await t.test(`${name} without SIMD: the script says so, and the fallback stays`, () =>
        visit(browser, overHttp("elements.html"), async page => {
          assert.deepEqual(await page.evaluate(outcomes), Array(2).fill([en.blocked.browser, true]));
          assert.deepEqual(await heard(page), []);
        }),
      );

      await t.test(`${name} without SIMD: the script for it passes the suite`, async () => {
        const found = await report(browser, `${overHttp("suite.compat.html")}?all`); // the digest: as with SIMD, of the same module
        t.diagnostic(`${name} ${browser.version} without SIMD: ${found.cases} cases`);
      });
    } finally {
      await browser.close();
    }
  });
