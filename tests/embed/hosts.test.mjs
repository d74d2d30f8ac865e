// Both experiments in four books, each built by its own generator from the recipe of docs/embedding.md: keys, themes,
// fonts, widths, navigation, print, and readers without scripts. What differs by book stands in HOSTS; all else holds
// for each.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { ROOT, serve, start } from "../browser/support.mjs";
import { build } from "./sites.mjs";

const { open, release } = await start();

/** By book: what is served, and its pages; whether its own script runs; its links away and back, and whether they stay
    in one document; its switch of the scheme; whether its search is open. */
const HOSTS = {
  vitepress: {
    root: "vitepress/.vitepress/dist",
    pages: { "smp-sampling": "/sampling.html", "smp-stopping": "/stopping.html" },
    runs: () => "__vue_app__" in document.querySelector("#app"),
    away: page => page.locator(".VPSidebar").getByRole("link", { name: "Home" }).click(),
    back: (page, name) => page.locator(".VPSidebar").getByRole("link", { name }).click(),
    stays: true,
    switch: page => page.locator(".VPNavBarAppearance button").click(),
    searching: () => document.querySelector(".VPLocalSearchBox") !== null,
  },
  sphinx: {
    root: "sphinx/site",
    pages: { "smp-sampling": "/sampling.html", "smp-stopping": "/stopping.html" },
    runs: () => document.readyState === "complete",
    away: page => page.locator(".sidebar-brand").click(),
    back: (page, name) => page.locator(".sidebar-tree").getByRole("link", { name }).click(),
    stays: false,
    switch: page => page.locator(".theme-toggle:visible").click(),
    searching: () => document.activeElement.matches(".sidebar-search"),
    says: /^log: Changed to \w+ mode\.$/, // Furo, of its switch
  },
  mkdocs: {
    root: "mkdocs/site",
    pages: { "smp-sampling": "/sampling/", "smp-stopping": "/stopping/" },
    runs: () => document.readyState === "complete",
    away: page => page.locator(".md-sidebar--primary").getByRole("link", { name: "Home" }).click(),
    back: (page, name) => page.locator(".md-sidebar--primary").getByRole("link", { name }).click(),
    stays: true,
    keeps: true, // its table of contents listens on and keeps every old page in memory
    switch: page => page.locator("form[data-md-component=palette] label:visible").click(),
    searching: () => document.querySelector("#__search").checked,
  },
  docsify: {
    root: "docsify",
    pages: { "smp-sampling": "/#/sampling", "smp-stopping": "/#/stopping" },
    runs: () => document.body.classList.contains("ready"),
    away: page => page.locator(".sidebar-nav").getByRole("link", { name: "Home" }).click(),
    back: (page, name) => page.locator(".sidebar-nav").getByRole("link", { name }).click(),
    stays: true,
    // it has no switch of its own: a page switches the sheet
    switch: page =>
      page
        .locator("#dark")
        .evaluate(sheet => (sheet.media = sheet.sheet && matchMedia(sheet.media).matches ? "not all" : "all")),
    searching: () => document.activeElement.matches("input[type=search]"),
  },
};

/** Of each experiment: numbers and words of its worked table, in the snippet and in the result. */
const WORKED = {
  "smp-sampling": ["0.016894", "0.058965", "0.205807", "0.718335", "0.222700", "0.777300", "[0.222700, 1)"],
  "smp-stopping": ["EOS", "PAD", "第 1 步", "第 2 步", "第 3 行"],
};

const turn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
/** No colour is on its way, of the page or of the experiment: some pages fade. */
async function faded(page, host) {
  await turn(page);
  const tag = await host.evaluate(element => element.localName);
  await page.waitForFunction(
    name =>
      [document, document.querySelector(name).shadowRoot]
        .flatMap(root => root.getAnimations())
        .every(
          ({ playState, effect }) =>
            playState !== "running" || effect.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
        ),
    tag,
  );
  await turn(page);
}
const ready = async (page, tag, { runs }) => {
  await page.waitForFunction(name => !!document.querySelector(name)?.shadowRoot?.querySelector(".steps"), tag);
  await page.waitForFunction(runs);
};

for (const [name, book] of Object.entries(HOSTS))
  test(name, async t => {
    const server = await serve(join(ROOT, "build/embed", book.root)),
      base = `http://127.0.0.1:${server.address().port}`;
    after(() => server.close());
    build[name](base);

    for (const [tag, path] of Object.entries(book.pages)) {
      const visit = async (options, work) => {
        const page = await open(base + path, { keep: true, viewport: { width: 1280, height: 900 }, ...options });
        await ready(page, tag, book);
        await work(page, page.locator(tag), tag, book);
        assert.deepEqual(
          page.heard.messages.filter(text => !book.says?.test(text)),
          [],
        );
        assert.deepEqual(
          page.heard.requests.filter(url => !url.startsWith(base)),
          [],
        );
        await page.evaluate(() => localStorage.clear()); // the scheme that a switch has left
        release(page);
      };

      await t.test(`${tag}: keys leave address, focus, scroll and search alone`, () => visit({}, keys));
      await t.test(`${tag}: light and dark, by the system and by the switch`, () =>
        visit({ colorScheme: "light" }, themes),
      );
      await t.test(`${tag}: root fonts of 8 to 20 px`, () => visit({}, fonts));
      await t.test(`${tag}: 320 and 768 px`, () => visit({ viewport: { width: 320, height: 900 } }, widths));
      await t.test(`${tag}: nothing moves while the page loads`, () => still(base + path, tag, book));
      await t.test(`${tag}: away and back three times`, () => visit({}, journeys));
      await t.test(`${tag}: printed`, () => visit({ colorScheme: "dark" }, page => printed(page, name, tag)));
      await t.test(`${tag}: without scripts`, () => plainly(base + path, tag, name));
    }
  });

// ---- Keys ---------------------------------------------------------------------------------------------------------

const KEYS = ["/", "s", "n", "p", "f", "?", "\\", ".", "1", "ArrowLeft", "ArrowRight"];
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

async function keys(page, host, tag, book) {
  await page.keyboard.press("/");
  await page.waitForFunction(book.searching); // so it can be opened, else the rest would prove nothing
  await page.reload();
  await ready(page, tag, book);

  const controls = await host.evaluateHandle(element =>
    [...element.shadowRoot.querySelectorAll("button, input, select, textarea, summary, [tabindex]")].filter(control =>
      control.checkVisibility({ visibilityProperty: true }),
    ),
  );
  const count = await controls.evaluate(all => all.length);
  assert.ok(count > 10, `${count} controls`);
  const address = page.url();
  for (let index = 0; index < count; index++) {
    const kind = await controls.evaluate((all, at) => {
      all[at].focus({ preventScroll: true });
      all[at].scrollIntoView({ block: "center", behavior: "instant" });
      Object.assign(window, { scrolled: scrollY, placed: all[at].getBoundingClientRect().top });
      return all[at].isConnected ? `${all[at].localName} ${all[at].type ?? ""}` : "gone";
    }, index);
    if (kind === "gone") continue; // a preset before it has drawn this part anew
    // a table that scrolls is no control: there they scroll, as everywhere
    const vertical = /^(button|summary|input|select|textarea)/.test(kind) ? ["ArrowUp", "ArrowDown"] : [];
    for (const key of [...KEYS, ...vertical]) await page.keyboard.press(key);
    const after = await controls.evaluate(
      (all, [at, printable]) => {
        const focus = all[at].getRootNode().activeElement,
          same = focus === all[at] || (all[at].type === "radio" && focus?.name === all[at].name);
        const heard = [],
          hear = ({ key }) => heard.push(key);
        addEventListener("keydown", hear);
        for (const key of printable)
          all[at].dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
        removeEventListener("keydown", hear);
        // what changes above a control is made up for by scrolling: then the control stays in its place
        const moved = Math.abs(all[at].getBoundingClientRect().top - window.placed) > 1 && scrollY !== window.scrolled;
        return { same, moved, heard };
      },
      [index, PRINTABLE],
    );
    assert.deepEqual(
      { ...after, address: page.url(), searching: await page.evaluate(book.searching) },
      { same: true, moved: false, heard: [], address, searching: false },
      `${index}: ${kind}`,
    );
  }
}

// ---- Themes -------------------------------------------------------------------------------------------------------

async function themes(page, host, _tag, book) {
  const is = async (scheme, how) => {
    await page.waitForFunction(`(${darkPage})() === ${scheme === "dark"}`);
    await faded(page, host);
    const { dark, worst, count } = await host.evaluate(contrasts);
    assert.equal(dark, scheme === "dark", how);
    assert.ok(count > 40, `${how}: ${count} texts measured`);
    assert.ok(worst.ratio >= 4.5, `${how}: ${worst.ratio} of ${worst.text}`);
  };
  /** Presses the switch, which may have a third position, until the page has the scheme. */
  const choose = async scheme => {
    for (let presses = 0; presses < 3 && (await page.evaluate(darkPage)) !== (scheme === "dark"); presses++) {
      await book.switch(page);
      await faded(page, host);
    }
    await is(scheme, `the switch, to ${scheme}`);
  };
  await is("light", "a light system");
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await is(colorScheme, `a system that turns ${colorScheme}`);
  }
  await choose("dark");
  await choose("light");
}

/** Runs in a page: whether it is dark itself, by the ground it draws. */
function darkPage() {
  const grounds = [document.body, document.documentElement]
    .map(part => getComputedStyle(part).backgroundColor)
    .filter(color => !color.endsWith(", 0)"));
  return Math.max(...(grounds[0] ?? "rgb(255, 255, 255)").match(/[\d.]+/g).slice(0, 3)) < 128;
}

/** Runs in a page: whether the experiment is dark, and the lowest contrast of its texts. The thin lines
    of a hatch leave the ground as it is. */
function contrasts(host) {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  /** Red, green, blue from 0 to 1 of colours laid one on the other. */
  const mix = colors => {
    for (const color of colors) {
      brush.fillStyle = color;
      brush.fillRect(0, 0, 1, 1);
    }
    return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => value / 255);
  };
  const luminance = colors => {
    const [r, g, b] = mix(colors).map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const lab = host.shadowRoot.querySelector(".lab"),
    measured = [];
  const walker = document.createTreeWalker(lab, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement: parent } = walker.currentNode;
    if (!data.trim() || parent.closest(".vh, option") || !parent.checkVisibility({ visibilityProperty: true }))
      continue;
    const grounds = [];
    for (let part = parent; part; part = part.parentElement) grounds.unshift(getComputedStyle(part).backgroundColor);
    const [dim, bright] = [luminance(grounds), luminance([...grounds, getComputedStyle(parent).color])].sort(
      (a, b) => a - b,
    );
    measured.push({ ratio: (bright + 0.05) / (dim + 0.05), text: data.trim() });
  }
  return {
    dark: luminance([getComputedStyle(lab).backgroundColor]) < 0.5,
    count: measured.length,
    worst: measured.reduce((a, b) => (b.ratio < a.ratio ? b : a)),
  };
}

// ---- Fonts and widths ---------------------------------------------------------------------------------------------

async function fonts(_page, host) {
  const heights = [];
  for (const size of [8, 12, 16, 20]) {
    heights.push(
      await host.evaluate(async (element, px) => {
        document.documentElement.style.setProperty("font-size", `${px}px`, "important");
        element.style.width = "640px";
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        return element.offsetHeight;
      }, size),
    );
  }
  assert.equal(new Set(heights).size, 1, heights.join(" "));
}

async function widths(page, host) {
  for (const width of [320, 768]) {
    await page.setViewportSize({ width, height: 900 });
    await turn(page);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth),
      width,
      `the page scrolls at ${width} px`,
    );
    assert.deepEqual(await host.evaluate(misfits), [], `${width} px`);
  }
}

/** Runs in a page: texts that leave the experiment, are cut by a box of their own, or have a word or
    number broken in two. */
function misfits(host) {
  const lab = host.shadowRoot.querySelector(".lab"),
    edge = lab.getBoundingClientRect(),
    found = [];
  const walker = document.createTreeWalker(lab, NodeFilter.SHOW_TEXT),
    range = document.createRange();
  while (walker.nextNode()) {
    const { currentNode: node } = walker,
      text = node.data,
      parent = node.parentElement;
    if (!text.trim() || parent.closest(".vh, .seg, option, .typed, .scroller") || !parent.checkVisibility()) continue;
    range.selectNodeContents(node);
    for (const { left, right } of range.getClientRects())
      if (left < edge.left - 1 || right > edge.right + 1) found.push(`leaves: ${text}`);
    for (const { 0: word, index } of text.matchAll(/[\w.]+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
        found.push(`broken: ${word}`);
    }
  }
  return found;
}

// ---- Loading, navigation ------------------------------------------------------------------------------------------

/** Nothing in or after the experiment moves; what the book moves by itself lies before it. */
async function still(address, tag, book) {
  for (const width of [1200, 320]) {
    const page = await open(address, { viewport: { width, height: 900 } });
    await page.waitForLoadState("networkidle");
    await ready(page, tag, book);
    await turn(page);
    assert.deepEqual(await page.locator(tag).evaluate(shifts), [], `${width} px`);
  }
}

/** Runs in a page: how far it has moved the element or something in or after it, and what. */
async function shifts(host) {
  const later = Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY;
  const entries = await new Promise(done => {
    new PerformanceObserver(list => done(list.getEntries())).observe({ type: "layout-shift", buffered: true });
    setTimeout(done, 500, []); // nothing has moved at all
  });
  return entries.flatMap(({ value, sources }) =>
    sources
      .filter(({ node }) => node && (node === host || host.compareDocumentPosition(node) & later))
      .map(({ node }) => [value, node.nodeName]),
  );
}

async function journeys(page, host, tag, book) {
  const title = tag === "smp-sampling" ? "Sampling" : "Stopping",
    session = await page.context().newCDPSession(page);
  const shown = () => host.evaluate(element => element.shadowRoot.querySelector(".lab").innerText);
  const first = await shown();
  await page.evaluate(() => (window.same = true));
  let listeners;
  for (let round = 0; round < 3; round++) {
    await book.away(page);
    await host.waitFor({ state: "detached" });
    await turn(page);
    if (book.stays) {
      assert.equal(await page.evaluate(() => window.same), true, "the book loads pages anew");
      const now = await windowListeners(session);
      const { count, full } = await alive(session, tag);
      assert.equal(full, 0, "an experiment that has left still holds what it drew");
      // caches of the browser keep one or two; what we forgot would keep each of the three
      if (!book.keeps) assert.ok(count < 3, "all experiments are still in memory");
      listeners ??= now;
      assert.deepEqual(now, listeners, `listeners of the window after round ${round + 1}`);
    }
    await book.back(page, title);
    await ready(page, tag, book);
    assert.equal(await shown(), first, `round ${round + 1}`);
  }
}

/** How many elements with this name are in memory once the garbage is collected, and how many of them hold a view. */
async function alive(session, tag) {
  await session.send("HeapProfiler.collectGarbage");
  const { result: prototype } = await session.send("Runtime.evaluate", {
    expression: `customElements.get("${tag}").prototype`,
  });
  const { objects } = await session.send("Runtime.queryObjects", { prototypeObjectId: prototype.objectId });
  const { result } = await session.send("Runtime.callFunctionOn", {
    objectId: objects.objectId,
    functionDeclaration:
      "function () { return { count: this.length, full: this.filter(({ shadowRoot }) => shadowRoot.hasChildNodes()).length } }",
    returnByValue: true,
  });
  await session.send("Runtime.releaseObject", { objectId: objects.objectId });
  return result.value;
}

/** How many listeners of each type the window has. */
async function windowListeners(session) {
  const { result } = await session.send("Runtime.evaluate", { expression: "window" });
  const { listeners } = await session.send("DOMDebugger.getEventListeners", { objectId: result.objectId });
  const count = {};
  for (const { type } of listeners) count[type] = (count[type] ?? 0) + 1;
  return count;
}

// ---- Paper, and no scripts ------------------------------------------------------------------------------------------

async function printed(page, name, tag) {
  const file = join(ROOT, "build/embed", `${name}-${tag}.pdf`);
  writeFileSync(file, await page.pdf({ format: "A4" }));
  const pages = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).split("\f").slice(0, -1);
  for (const text of WORKED[tag])
    assert.ok(
      pages.some(page => page.includes(text)),
      `${text} is not printed`,
    );
  assert.deepEqual(
    pages.filter(page => !page.trim()),
    [],
    "empty pages",
  );
  assert.ok(pages.length <= 5, `${pages.length} pages`);
}

async function plainly(address, tag, name) {
  for (const width of [1200, 320]) {
    const options = { viewport: { width, height: 900 } };
    // docsify draws pages by script: there the reader whom our script does not reach
    const page = await open(name === "docsify" ? "about:blank" : address, {
      ...options,
      javaScriptEnabled: name === "docsify",
    });
    if (name === "docsify") {
      await page.route("**/sampling-lab.js", route => route.abort());
      await page.goto(address);
    }
    const table = page.locator(tag).getByRole("table");
    await table.waitFor();
    const text = await table.innerText();
    for (const word of WORKED[tag]) assert.ok(text.includes(word), `${word} is not in the table`);
    assert.equal(
      (await page.locator(tag).boundingBox()).width >= (await page.locator(`${tag} > [slot]`).boundingBox()).width,
      true,
    );
    if (name === "docsify") assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
  }
}
