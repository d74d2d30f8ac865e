// <smp-sampling> in other people's pages, closer than host.test.mjs: colours, what a PDF draws, every
// text at every width.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { drawn, en, plain, presets, reader, start, told, zh } from "./support.mjs";

const { lab } = await start();
const result = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));
const VIEWPORT = `<meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>`;
const open = async (body = "<smp-sampling></smp-sampling>", options) => reader(await lab(body, options), en);
const color = (r, selector, property = "color") =>
  r.host.evaluate(
    (host, [at, name]) => getComputedStyle(host.shadowRoot.querySelector(at))[name],
    [selector, property],
  );
/** What the element shows once it has been told of the page's colour. */
const isDark = async r => {
  await told(r.host);
  return Number(/\d+/.exec(await color(r, "h2"))[0]) > 128;
};
/** An oracle of the layout: text that leaves the experiment or is cut by a box of its own, with names of presets in
    each of them. Strips cut their names by design. */
function cutTexts(host, presets = [""]) {
  const lab = host.shadowRoot.querySelector(".lab"),
    range = document.createRange(),
    found = new Set();
  for (const preset of presets) {
    if (preset) host.preset = preset;
    const edge = lab.getBoundingClientRect(),
      walker = document.createTreeWalker(lab, NodeFilter.SHOW_TEXT),
      frames = new Map();
    const frameOf = part => {
      const { overflowX, overflowY } = getComputedStyle(part),
        { right, bottom } = part.getBoundingClientRect();
      return {
        right: overflowX === "visible" ? Infinity : right + 1,
        bottom: overflowY === "visible" ? Infinity : bottom + 1,
      };
    };
    while (walker.nextNode()) {
      const { currentNode: node } = walker,
        parent = node.parentElement,
        text = node.data.trim().slice(0, 40);
      if (!text || parent.closest(".vh, .seg, option, .typed") || !parent.checkVisibility()) continue;
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        if (box.left < edge.left - 1 || box.right > edge.right + 1) found.add(`${preset} leaves: ${text}`);
        for (let up = parent; up !== lab; up = up.parentElement) {
          if (!frames.has(up)) frames.set(up, frameOf(up));
          const { right, bottom } = frames.get(up);
          if (box.right > right || box.bottom > bottom) found.add(`${preset} cut: ${text}`);
        }
      }
    }
  }
  return [...found];
}
const cut = r => r.host.evaluate(cutTexts);

// ---- Theme, print, forced colours ---------------------------------------------------------------------------------

test("the theme follows the reader's preference where the page's text does", async () => {
  const media = await open(undefined, {
    colorScheme: "light",
    head: "<style>@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }</style>",
  });
  assert.equal(await isDark(media), false);
  await media.page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await isDark(media), true);
});

test("the page's text colour tells the theme in every notation", async () => {
  const dark = [
    "#eee",
    "rgb(238 238 238 / 0.9)",
    "oklch(0.93 0.01 250)",
    "oklab(0.93 0 0)",
    "lab(93 0 0)",
    "lch(93 5 250)",
    "color(display-p3 0.9 0.9 0.9)",
  ];
  const light = [
    "#222",
    "oklch(0.21 0.006 285.9)",
    "oklab(0.2 0.1 0.1)",
    "lab(15 20 30)",
    "lch(15 30 270)",
    "color(srgb 0.1 0.1 0.2)",
  ];
  const r = await open();
  for (const [colors, want] of [
    [dark, true],
    [light, false],
  ])
    for (const text of colors) {
      await r.page.evaluate(value => (document.body.style.color = value), text);
      assert.equal(await isDark(r), want, text);
    }
});

test("printed from a dark page it is light, with every parameter in full and every row, and no controls", async () => {
  const long = "0.1234567890123456",
    logits = "31.526676000000003 29.375378 28.478804 27.068878 26.996305 26.904148 26.558115 26.491688";
  const r = await open(`<smp-sampling logits="${logits}" tau="${long}" k="5" u="${long}" theme="dark"></smp-sampling>`);
  assert.equal(await isDark(r), true);
  await r.page.emulateMedia({ media: "print" });
  assert.equal(await isDark(r), false);
  assert.equal(await color(r, ".lab", "backgroundColor"), "rgb(255, 255, 255)");
  const seen = await r.host.evaluate(host => {
    const visible = selector => [...host.shadowRoot.querySelectorAll(selector)].filter(part => part.checkVisibility());
    return {
      typed: visible(".typed").map(part => part.textContent.trim()),
      rows: visible("tbody tr").length,
      controls: visible(".presets, .moves, .slider, input[type=range], .quiz, select, textarea, [role=switch]").length,
    };
  });
  assert.deepEqual(seen, { typed: [logits, long, "5", long], rows: 8, controls: 0 });
  assert.deepEqual(await cut(r), []);

  const pdf = (await r.page.pdf({ printBackground: true })).toString("latin1");
  const drawn = [...pdf.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].flatMap(([, body]) => {
    try {
      return [inflateSync(Buffer.from(body, "latin1")).toString("latin1")];
    } catch {
      return [];
    }
  });
  const fills = [...drawn.join("\n").matchAll(/([\d.]+) ([\d.]+) ([\d.]+) rg/g)].map(([, ...rgb]) => rgb.map(Number));
  assert.ok(
    fills.some(rgb => rgb.every(x => x === 0)),
    "black text",
  );
  assert.deepEqual(
    fills.filter(rgb => rgb.every((x, i) => Math.abs(x - [0x16, 0x18, 0x1b][i] / 255) < 0.004)),
    [],
    "no dark paper",
  );
});

for (const colorScheme of ["light", "dark"])
  test(`forced colours, ${colorScheme}: texts, controls and marks stand out from their ground`, async () => {
    const r = await open(undefined, { forcedColors: "active", colorScheme });
    const rgb = text =>
      text
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map(Number);
    const far = (a, b) => Math.max(...rgb(a).map((x, i) => Math.abs(x - rgb(b)[i]))) > 64;
    const ground = colorScheme === "dark" ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
    for (const selector of [
      "h2",
      ".presets button",
      ".box",
      "select",
      ".result",
      ".steps li button",
      ".id",
      "td.c3",
      ".closing p",
    ])
      assert.ok(far(await color(r, selector), ground), selector);
    for (const selector of [".box", ".switch input"])
      assert.ok(far(await color(r, selector, "borderBottomColor"), ground), selector);
    const pseudo = (selector, which, property) =>
      r.host.evaluate(
        (host, [at, part, name]) => getComputedStyle(host.shadowRoot.querySelector(at), part)[name],
        [selector, which, property],
      );
    assert.ok(far(await pseudo(".slider", "::before", "borderTopColor"), ground), "track");
    assert.ok(far(await pseudo(".steps li.done button", "::before", "borderTopColor"), ground), "step line");
    assert.ok(far(await pseudo(".steps li.done button", "::after", "backgroundColor"), ground), "step mark");
    assert.ok(
      far(await color(r, ".point + *, .map .edge", "stroke"), await color(r, ".plot", "backgroundColor")),
      "edge in the map",
    );
    assert.ok(far(await color(r, ".tok .mark", "fill"), ground), "mark");
    const chosen = await color(r, ".presets [aria-pressed=true] span", "borderBottomColor"),
      other = await color(r, ".presets [aria-pressed=false] span", "borderBottomColor");
    assert.ok(far(chosen, ground) && !far(other, ground), "only the chosen preset is underlined");
  });

// ---- Widths, zoom, type -------------------------------------------------------------------------------------------

for (const m of [zh, en])
  test(`${m.lang}: nothing is cut from 320 to 1200 px, in any preset`, async () => {
    const page = await lab(`<smp-sampling lang="${m.lang}"></smp-sampling>`, {
        head: VIEWPORT,
        reducedMotion: "reduce",
      }),
      { host } = reader(page, m); // no box is on its way
    for (const width of [320, 360, 480, 559, 560, 700, 760, 959, 960, 1079, 1080, 1200]) {
      await page.setViewportSize({ width, height: 900 });
      await drawn(page);
      assert.deepEqual(await host.evaluate(cutTexts, Object.keys(presets)), [], `${width} px`);
    }
  });

for (const m of [zh, en])
  for (const width of [320, 768, 1200])
    test(`${m.lang}: with the text spacing of WCAG 1.4.12 nothing is cut at ${width} px`, async () => {
      const page = await lab(`<smp-sampling lang="${m.lang}"></smp-sampling>`, {
          head: VIEWPORT,
          viewport: { width, height: 900 },
        }),
        r = reader(page, m);
      await r.host.evaluate(host => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(
          "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }",
        );
        host.shadowRoot.adoptedStyleSheets.push(sheet);
      });
      assert.deepEqual(await cut(r), []);
    });

test("at 360 px a line with tau, k, u and the chosen id stays in view", async () => {
  const r = await open(undefined, { head: VIEWPORT, viewport: { width: 360, height: 640 } });
  const sticky = r.host.locator(".sticky");
  for (const share of [0, 0.3, 0.6, 1]) {
    await r.page.evaluate(part => scrollTo(0, part * document.documentElement.scrollHeight), share);
    const { y, height } = await sticky.boundingBox();
    assert.ok(y >= 0 && y + height <= 640, `at ${share}`);
  }
  await r.enter("u", "0.1");
  assert.equal((await sticky.innerText()).replace(/\s+/g, " ").trim(), "τ = 0.8 k = 2 u = 0.1 ID 2");
});

// ---- Styles of the page ----------------------------------------------------------------------------------

test("where the page forbids selection, a number can still be selected", async () => {
  const styled = await open(undefined, { head: "<style>* { user-select: none }</style>" });
  await styled.host.locator("td.c3").first().dblclick();
  assert.equal((await styled.page.evaluate(() => getSelection().toString())).trim(), "0.016894");
});

// ---- Mishaps and policies ------------------------------------------------------------------------------------------

test("a mistyped word warns once, whatever is set after it", async () => {
  const page = await lab(`<smp-sampling tie="loose" preset="tie" dtype="float8"></smp-sampling>`);
  await page.locator("smp-sampling").evaluate(host => {
    host.preset = "chapter";
    host.tie = "loose";
    host.preset = "nothing";
    host.preset = null;
  });
  assert.deepEqual(page.heard.messages.map(text => /(\w+="\w+")/.exec(text)[1]).sort(), [
    'dtype="float8"',
    'preset="nothing"',
    'tie="loose"',
  ]);
});

test("10 MB pasted into each field: a message, the last valid result, no crash", async () => {
  const r = await open(),
    before = await r.rows();
  for (const field of ["logits", "tau", "k", "u"]) {
    const old = await r.box(field).inputValue();
    const length = await r.box(field).evaluate(box => {
      const data = new DataTransfer();
      box.value = "1 ".repeat(5_000_000);
      box.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste", dataTransfer: data }));
      box.dispatchEvent(new Event("change", { bubbles: true }));
      return box.value.length;
    });
    assert.equal(length, 10_000_000);
    assert.ok((await r.sentence(field)).startsWith(en.problem(field, { kind: "tooLong", most: 2000 }, 4)));
    assert.deepEqual(await r.rows(), before);
    await r.enter(field, old);
    assert.equal(await r.sentence("u"), result);
  }
});

test("range inputs are native and carry no ARIA that repeats them", async () => {
  const r = await open();
  const names = await r.host.evaluate(host =>
    [...host.shadowRoot.querySelectorAll("input[type=range]")]
      .flatMap(input => input.getAttributeNames())
      .filter(name => /^(role|aria-value|aria-or)/.test(name)),
  );
  assert.deepEqual(names, []);
});

test("under the strict policy no interaction says anything or asks for anything", async () => {
  const policy =
    "default-src 'none'; img-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
  const page = await lab("<smp-sampling></smp-sampling>", {
      head: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      permissions: ["clipboard-write"],
      veiled: true,
    }),
    r = reader(page, en);
  const before = page.heard.requests.filter(url => !url.startsWith("blob:")).length;
  await r.host.getByRole("group", { name: en.quiz.label }).getByRole("button").first().click();
  await r.press(en.quiz.close);
  await r.host.locator("summary").click();
  for (const name of Object.keys(presets)) await r.preset(name).click();
  await r.preset("chapter").click();
  await r.enter("tau", "abc");
  await r.enter("tau", "2");
  await r.slider("ruler").fill("0.2");
  await r.host.getByRole("slider", { name: plain(en.sliders.logit(1)) }).fill("2");
  await r.host.getByRole("combobox").selectOption("bfloat16");
  await r.host.getByRole("switch").check();
  await r.host.getByRole("radio").nth(1).check();
  await r.table.getByRole("button", { name: "ID 0" }).click();
  await r.host.locator(".map .field-of-u").click({ position: { x: 30, y: 30 } });
  for (const step of [1, 2, 3, 4, 5, 6]) await r.step(step).click();
  for (const name of ["link", "csv", "svg"]) await r.press(en.exports[name]);
  await r.host.evaluate(host => host.setAttribute("theme", "dark"));
  assert.deepEqual(page.heard.messages, []);
  assert.equal(page.heard.requests.filter(url => !url.startsWith("blob:")).length, before);
});
