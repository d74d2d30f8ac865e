// Any page, both experiments: themes, print, forced colours, hostile style sheets, containers, fonts and
// zoom break nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, en, plain, presets, ROOT, start, told, zh } from "./support.mjs";

const { lab } = await start();
const TAGS = ["smp-sampling", "smp-stopping"];
const viewport = '<meta name="viewport" content="width=device-width">';

/** Runs in the page: lightness of what is drawn behind and in front, 0 to 255. */
const shades = host => {
  const inner = host.shadowRoot.querySelector(".lab"),
    { backgroundColor, color } = getComputedStyle(inner);
  const shade = text =>
    Math.max(
      ...text
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map(Number),
    );
  return { ground: shade(backgroundColor), ink: shade(color) };
};
const isDark = async locator => {
  const { ground, ink } = await locator.evaluate(shades);
  assert.ok(Math.abs(ground - ink) > 150, `ground ${ground}, ink ${ink}`);
  return ground < ink;
};
/** Runs in the page: what is cut off or hangs out of the element; with names of presets, in each of them,
    and whether the page scrolls sideways. */
const misfits = (host, presets = [""]) =>
  presets.flatMap(preset => {
    if (preset) host.preset = preset;
    const { left, right } = host.getBoundingClientRect(),
      found = [];
    if (preset && document.documentElement.scrollWidth > innerWidth) found.push(`${preset} scrolls`);
    for (const inner of host.shadowRoot.querySelectorAll(
      "td, th, label, h2, h3, p, button, legend, figcaption, caption, select",
    )) {
      if (inner.classList.contains("vh") || inner.matches(".point") || !inner.checkVisibility()) continue;
      const box = inner.getBoundingClientRect();
      if (box.width && (box.right > right + 9 || box.left < left - 9))
        found.push(`${preset} out: ${inner.className} ${inner.textContent.slice(0, 30)}`);
    }
    return found;
  });

// ---- Theme ------------------------------------------------------------------------------------------------------

for (const tag of TAGS)
  test(`${tag}: the theme follows attribute, color-scheme and text colour, also when they change`, async () => {
    const page = await lab(`<${tag}></${tag}>`, { colorScheme: "dark" }),
      host = page.locator(tag);
    const dark = async expected => {
      await told(host);
      assert.equal(await isDark(host), expected);
    };
    await dark(false); // a page without color-scheme is light, whatever the system says
    await page.evaluate(() => (document.documentElement.style.colorScheme = "light dark"));
    await dark(true);
    await page.emulateMedia({ colorScheme: "light" });
    await dark(false);
    await page.evaluate(() => {
      document.documentElement.style.colorScheme = "";
      document.head.append(
        Object.assign(document.createElement("style"), { textContent: ".night { background: #111; color: #eee }" }),
      );
      document.documentElement.classList.add("night");
    });
    await dark(true);
    await host.evaluate(element => element.setAttribute("theme", "light"));
    await dark(false);
    await host.evaluate(element => element.setAttribute("theme", "dark"));
    await page.evaluate(() => document.documentElement.classList.remove("night"));
    await dark(true);
  });

for (const tag of TAGS)
  test(`${tag}: the theme follows a page that switches a sheet, at once or fading, and the page hears nothing of it`, async () => {
    const page = await lab(`<${tag}></${tag}>`, {
      head: "<style>body { transition: color 200ms }</style><style id=dark>body { background: #111; color: #eee }</style>",
    });
    await page.evaluate(() => {
      window.heard = [];
      addEventListener("transitionend", ({ target }) => heard.push(target.localName));
    });
    for (const [media, dark] of [
      ["not all", false],
      ["all", true],
      ["not all", false],
    ]) {
      await page.locator("#dark").evaluate((sheet, text) => (sheet.media = text), media);
      await page.waitForFunction(
        ([name, wanted]) =>
          document.querySelector(name).shadowRoot.firstElementChild.dataset.scheme === (wanted ? "dark" : "light"),
        [tag, dark],
      );
      assert.equal(await isDark(page.locator(tag)), dark);
    }
    await page.waitForFunction(() => heard.includes("body")); // the page's own fade, which is the slower one
    assert.deepEqual(new Set(await page.evaluate(() => heard)), new Set(["body"]));
  });

// ---- Print and forced colours -----------------------------------------------------------------------------------

for (const tag of TAGS)
  test(`${tag}: print is light, from a dark page too, and holds no controls`, async () => {
    const page = await lab(`<${tag} theme="dark"></${tag}>`, { colorScheme: "dark" }),
      host = page.locator(tag);
    assert.equal(await isDark(host), true);
    await page.emulateMedia({ media: "print" });
    assert.equal(await isDark(host), false);
    const visible = selector =>
      host.evaluate(
        (element, inner) =>
          [...element.shadowRoot.querySelectorAll(inner)].filter(item => item.checkVisibility()).length,
        selector,
      );
    assert.equal(await visible(".presets, .moves, .slider, .quiz, .export"), 0);
    const [typed, printed] = await host.evaluate(element => {
      const texts = selector => [...element.shadowRoot.querySelectorAll(selector)];
      return [
        texts("input.box").map(field => field.value),
        texts(".typed")
          .filter(text => text.checkVisibility())
          .map(text => text.textContent),
      ];
    });
    assert.deepEqual(printed, typed, "every parameter is printed");
    assert.ok((await visible("tbody tr")) >= 3, "every row is printed");
    assert.ok((await page.pdf()).length > 10_000);
  });

for (const tag of TAGS)
  test(`${tag}: where colours are forced, fields, marks and words stay visible`, async () => {
    const page = await lab(`<${tag}></${tag}>`, { forcedColors: "active" }),
      host = page.locator(tag);
    const bare = await host.evaluate(
      element =>
        [...element.shadowRoot.querySelectorAll(".box")].filter(
          field => field.checkVisibility() && parseFloat(getComputedStyle(field).borderBottomWidth) === 0,
        ).length,
    );
    assert.equal(bare, 0);
    assert.deepEqual(await host.evaluate(misfits), []);
    if (tag !== "smp-sampling") return;
    const fills = await host.evaluate(element =>
      [...element.shadowRoot.querySelectorAll(".region")].map(region => getComputedStyle(region).fill),
    );
    assert.ok(new Set(fills).size > 1, "the regions of the map differ");
  });

// ---- Hostile and unusual pages ----------------------------------------------------------------------------------

const HOSTILE = `<style>
  * { box-sizing: content-box; }
  body { text-transform: uppercase; user-select: none; white-space: pre; letter-spacing: 3px; text-indent: 40px; line-height: 3;
    word-spacing: 10px; font: italic 40px monospace; text-align: right; visibility: visible; }
</style>`;

test("a style sheet of the page does not reach in", async () => {
  const look = page =>
    page.locator("smp-sampling").evaluate(element => {
      const names = [
        "textTransform",
        "userSelect",
        "whiteSpace",
        "letterSpacing",
        "textIndent",
        "lineHeight",
        "wordSpacing",
        "fontStyle",
        "fontSize",
        "textAlign",
      ];
      return [".lab", ".result", "td", "h2"].map(inner => {
        const style = getComputedStyle(element.shadowRoot.querySelector(inner));
        return names.map(name => `${name}: ${style[name]}`);
      });
    });
  const plainPage = await lab("<smp-sampling></smp-sampling>"),
    hostile = await lab("<smp-sampling></smp-sampling>", { head: HOSTILE });
  assert.deepEqual(await look(hostile), await look(plainPage));
});

for (const tag of TAGS) {
  test(`${tag}: root fonts of 8 and 20 px give one size`, async () => {
    const heights = [];
    for (const size of [8, 16, 20]) {
      const page = await lab(`<${tag}></${tag}>`, {
        head: `<style>html { font-size: ${size}px } body { margin: 0 }</style>`,
      });
      heights.push(await page.locator(tag).evaluate(element => element.offsetHeight));
    }
    assert.deepEqual(new Set(heights).size, 1, heights.join(" "));
  });

  test(`${tag}: in a page from right to left it reads as ever`, async () => {
    const boxes = page =>
      page
        .locator(tag)
        .evaluate(element =>
          [...element.shadowRoot.querySelectorAll("h2, td, button")].map(inner =>
            Math.round(inner.getBoundingClientRect().left),
          ),
        );
    const style = { head: "<style>body { margin: 0 }</style>" };
    const right = await lab(`<div dir="rtl"><${tag}></${tag}></div>`, style),
      left = await lab(`<div><${tag}></${tag}></div>`, style);
    assert.deepEqual(await boxes(right), await boxes(left));
  });

  for (const m of [zh, en])
    test(`${tag}, ${m.lang}: nothing hangs out at any width`, async () => {
      const head = `${viewport}<style>body { margin: 0 }</style>`;
      const page = await lab(`<${tag} lang="${m.lang}"></${tag}>`, { head, reducedMotion: "reduce" }),
        host = page.locator(tag); // no box is on its way
      const names = tag === "smp-sampling" ? Object.keys(presets) : Object.keys(m.stopping.presets);
      for (const width of [222, 320, 360, 480, 559, 560, 720, 759, 760, 959, 960, 1079, 1080, 1200]) {
        await page.setViewportSize({ width, height: 900 });
        await drawn(page);
        assert.deepEqual(await host.evaluate(misfits, names), [], `${width} px`);
      }
    });

  test(`${tag}: with WCAG text spacing, at 1200 and at 320 px (400 % zoom), nothing hangs out`, async () => {
    const page = await lab(`<${tag}></${tag}>`, { head: viewport }),
      host = page.locator(tag);
    await host.evaluate(element => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }",
      );
      element.shadowRoot.adoptedStyleSheets.push(sheet);
    });
    for (const width of [1200, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await drawn(page);
      assert.deepEqual(await host.evaluate(misfits), [], `${width} px`);
    }
  });

  test(`${tag}: inside details, a dialog, and cloned from a template`, async () => {
    const page = await lab(
      `<details><summary>more</summary><${tag} id="a"></${tag}></details><dialog><${tag} id="b"></${tag}></dialog><template><${tag} id="c"></${tag}></template>`,
      { head: viewport },
    );
    await page.getByText("more", { exact: true }).click();
    await page.evaluate(() => {
      document.querySelector("dialog").showModal();
      document.body.append(document.querySelector("template").content.cloneNode(true));
    });
    const heading = plain(tag === "smp-sampling" ? zh.title : zh.stopping.title),
      english = plain(tag === "smp-sampling" ? en.title : en.stopping.title);
    for (const id of ["a", "b", "c"]) {
      const text = await page.locator(`#${id}`).evaluate(element => element.shadowRoot.querySelector("h2").textContent);
      assert.ok([heading, english].includes(text), text);
      assert.deepEqual(await page.locator(`#${id}`).evaluate(misfits), []);
    }
    assert.deepEqual(page.heard.messages, []);
  });

  test(`${tag}: a self-closed tag keeps what it swallowed on view, and warns once`, async () => {
    const page = await lab(`<${tag} /><p>The rest of the page.</p>`);
    await page.getByText("The rest of the page.").waitFor();
    await page.evaluate(name => document.querySelector(name).append("and more"), tag);
    await page.getByText("and more").waitFor();
    assert.equal(page.heard.messages.length, 1);
    assert.match(page.heard.messages[0], /^warning: .*self-closed/);
  });

  test(`${tag}: a mistyped word in an attribute warns once and names the words allowed`, async () => {
    const page = await lab(`<${tag} preset="chaptre"></${tag}>`);
    await page.locator(tag).evaluate(element => (element.preset = "chaptre"));
    assert.equal(page.heard.messages.length, 1);
    assert.match(page.heard.messages[0], /^warning: .*preset="chaptre" is ignored; allowed: /);
  });
}

// ---- The snippet ------------------------------------------------------------------------------------------------

const snippet = (...args) =>
  execFileSync(process.execPath, [join(ROOT, "dist/cli.js"), "snippet", ...args], { encoding: "utf8" });

test("index.html carries the snippets of both experiments", () => {
  const page = readFileSync(join(ROOT, "index.html"), "utf8");
  for (const tag of TAGS) {
    const body = snippet(tag)
      .match(new RegExp(`<${tag}[^]*</${tag}>`))[0]
      .replace(' lang="zh"', "");
    assert.ok(page.includes(body), `index.html lacks what \`snippet ${tag}\` prints`);
  }
});
