// What the browser tests share: Chromium, a static server, and a reader who types, presses and reads by
// roles and names.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { after, afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import { importSource } from "../node/support.mjs";
import { launchShell } from "./launch.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const { zh, en } = await importSource("tests/messages.mjs");
export const { plain } = await importSource("web/i18n/rich.ts");
const { spelled } = await importSource("web/elements/sampling/labels.ts");
/** A sentence as it stands on the page, with the words of the candidates. */
export const worded = (part, words) => tidy(plain(spelled(part, words)).replace(/(ID \d+) "(.*?)"/g, "$1 $2"));
export const { presets } = await importSource("web/elements/sampling/presets.ts");

// ---- Chromium and pages -----------------------------------------------------------------------------------------

/** What a page can change while it is open, as every page begins. */
const LOOK = {
  viewport: { width: 1200, height: 1000 },
  colorScheme: "light",
  reducedMotion: "no-preference",
  forcedColors: "none",
};

/** One browser and one server for a test file; both end with it. */
export async function start() {
  const browser = await launchShell();
  const server = await serve();
  after(async () => {
    await browser.close();
    server.close();
  });
  const inUse = new Set(),
    free = [];
  afterEach(() => [...inUse].forEach(release));
  const base = `http://127.0.0.1:${server.address().port}`;

  /** A page at an address that remembers what it asked for and what it said. A window takes seconds to make: a test
      gets the page of an earlier one, emptied, unless it wants another kind of context. The test's end gives it back,
      or, with `keep`, `release`: for tests with subtests. */
  async function open(url, { keep, ...options } = {}) {
    const { viewport, colorScheme, reducedMotion, forcedColors, ...own } = { ...LOOK, ...options },
      kind = JSON.stringify(own);
    const at = free.findIndex(page => page.kind === kind),
      page = at < 0 ? await newPage(own, kind) : free.splice(at, 1)[0];
    if (!keep) inUse.add(page);
    if (at >= 0) {
      await page.unrouteAll();
      await page.goto("about:blank");
      await page.mouse.move(0, 0);
    }
    await page.setViewportSize(viewport);
    await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors });
    page.heard = { requests: [], messages: [] };
    await page.goto(url);
    return page;
  }

  async function newPage(own, kind) {
    const context = await browser.newContext({ locale: "en-US", ...own }),
      page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on("request", request => page.heard.requests.push(request.url()));
    page.on("console", message => page.heard.messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", error => page.heard.messages.push(`error: ${error.message}`));
    return Object.assign(page, { kind });
  }

  /** Done with a page: another test may have it. */
  function release(page) {
    inUse.delete(page);
    free.push(page);
  }

  /** A page with this body and the script; `head` stands before both. The questions of <smp-sampling>, which veil its
      answers, are skipped unless the test is about them: `veiled`. */
  async function lab(body, { head = "", lang = "en", script = true, veiled = false, ...options } = {}) {
    const html = `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>lab</title>${head}</head>
      <body>${body}${script ? `<script src="/dist/${script === true ? "sampling-lab.js" : script}"></script>` : ""}</body></html>`;
    const page = await open(`${base}/page.html?${new URLSearchParams({ html })}`, options);
    if (!veiled) await page.evaluate(skipQuestions);
    return page;
  }

  return { base, open, lab, release };
}

/** Runs in the page: skips the questions of all <smp-sampling>, by whatever name. */
export function skipQuestions() {
  for (const { shadowRoot } of Document.prototype.querySelectorAll.call(document, "smp-sampling, lab-sampling"))
    [...(shadowRoot?.querySelectorAll(".quiz button") ?? [])].at(-1)?.click();
}

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".xml": "text/xml",
};

/** Files of the project or of another folder, and /page.html with the text of its query; `policy` in a
    query is sent as the page's policy. */
export function serve(root = ROOT) {
  const server = createServer(async ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const file = join(root, normalize(decodeURIComponent(path)));
    if (pathname === "/favicon.ico") return void response.writeHead(204).end(); // the browser's own question
    try {
      const body = pathname === "/page.html" ? searchParams.get("html") : await readFile(file);
      const policy = searchParams.get("policy"),
        headers = policy ? { "content-security-policy": policy } : {};
      response
        .writeHead(200, {
          ...headers,
          "content-type": `${TYPES[extname(path)] ?? "application/octet-stream"}; charset=utf-8`,
        })
        .end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve(server)));
}

// ---- Waiting ----------------------------------------------------------------------------------------------------

/** A new width, theme or language is noticed in one frame and drawn in the next. */
export const drawn = page =>
  page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The same once an element has been told of the page's colour: by the end of a transition of its own. */
export async function told(locator) {
  await drawn(locator.page());
  await locator.evaluate(host => Promise.all(host.getAnimations().map(({ finished }) => finished.catch(() => {}))));
  await drawn(locator.page());
}

// ---- The reader -------------------------------------------------------------------------------------------------

const COLUMNS = ["candidate", "logit", "score", "before", "after", "interval", "state"];

/** What a reader can do with an experiment, in its language: by roles and names, not by its markup. */
export function reader(page, m, selector = "smp-sampling") {
  const host = page.locator(selector);
  const box = name => host.getByRole("textbox", { name: plain(m.fields[name]) });
  const slider = (name, count = 4) =>
    host.getByRole("slider", {
      name: name === "k" ? m.sliders.k(count) : m.sliders[name === "u" ? "ruler" : name],
      exact: true,
    });
  const steps = host.getByRole("group", { name: m.steps.label });
  const table = host.getByRole("table");
  const frame = () => page.evaluate(() => new Promise(requestAnimationFrame));
  const me = {
    page,
    host,
    m,
    box,
    slider,
    steps,
    table,
    /** Types into a field; the value is not yet committed. */
    type: (name, text) => box(name).fill(text),
    /** Types and leaves the field. */
    async enter(name, text) {
      await box(name).fill(text);
      await box(name).blur();
    },
    /** The sentence below a field: its result, or what is wrong with it. */
    async sentence(name) {
      await frame();
      const id = await box(name).getAttribute("aria-describedby");
      return tidy(await host.locator(`#${id}`).textContent());
    },
    press: name => host.getByRole("button", { name, exact: true }).click(),
    preset: name =>
      host
        .getByRole("group", { name: m.presets.label })
        .getByRole("button", { name: m.presets.names[name], exact: true }),
    move: name => steps.getByRole("button", { name: m.steps[name], exact: true }),
    step: number =>
      steps
        .getByRole("listitem")
        .nth(number - 1)
        .getByRole("button"),
    /** Number of the current step. */
    async current() {
      const marks = await steps
        .getByRole("listitem")
        .evaluateAll(items => items.map(item => item.getAttribute("aria-current")));
      return marks.indexOf("step") + 1;
    },
    /** The rows of the table, by column: `candidate logit score before after interval state`. */
    async rows() {
      await frame();
      const rows = await table.getByRole("rowgroup").nth(1).getByRole("row").evaluateAll(cellTexts);
      return rows.map(cells => Object.fromEntries(COLUMNS.map((name, index) => [name, tidy(cells[index])])));
    },
    async column(name) {
      return (await me.rows()).map(row => row[name]);
    },
    /** The parameters as properties. */
    properties: () =>
      host.evaluate(element =>
        Object.fromEntries(
          ["logits", "tau", "k", "u", "tie", "share", "dtype", "preset"].map(name => [name, element[name]]),
        ),
      ),
  };
  return me;
}

/** Runs in the page: the texts of the cells of rows, without what is hidden from readers. */
function cellTexts(rows) {
  const text = cell => {
    const copy = cell.cloneNode(true);
    for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
    return copy.textContent;
  };
  return rows.map(row => [...row.querySelectorAll("th, td")].map(text));
}

const tidy = text => text.replace(/\s+/g, " ").trim();
