// Long rows in <smp-compare>: a page with both scripts, and what a reader does there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importSource, readRow } from "../node/support.mjs";
import { plain, ROOT, start } from "./support.mjs";

export const { lab, open: openPage, base } = await start();
export const { messages: en } = await importSource("web/elements/compare/messages.en.ts");
export const api = await import("../../dist/sampling-lab.mjs");
export const core = await api.load();

/** The real position `first`. */
export const FIRST = readRow("a/00.f32");
export const fixture = name => join(ROOT, "tests/vectors/files", name);
export const ALL = `<script src="/dist/sampling-lab-all.js"></script>`,
  LOGITS = `<script src="/dist/sampling-lab-logits.js"></script>`;

/** A page with an element and scripts before and after it, and what a reader does there. */
export async function open(attributes = "", { before = LOGITS, after = ALL, ...options } = {}) {
  const page = await lab(`<main><h1>page</h1>${before}<smp-compare ${attributes}></smp-compare>${after}</main>`, {
    script: false,
    ...options,
  });
  return reader(page);
}

export function reader(page) {
  const host = page.locator("smp-compare"),
    tidy = text => text.replace(/\s+/g, " ").trim();
  const me = {
    page,
    host,
    source: host.getByRole("group", { name: en.source.label, exact: true }),
    field: name => host.getByRole("textbox", { name: plain(en.fields[name]), exact: true }),
    button: name => host.getByRole("button", { name, exact: true }),
    /** Everything stands. */
    settled: () =>
      page.waitForFunction(() => !document.querySelector("smp-compare").shadowRoot.querySelector("[aria-busy=true]")),
    said: async () => tidy(await me.source.innerText()),
    cells: async name => (
      await me.settled(),
      host
        .getByRole("group", { name, exact: true })
        .locator("tbody tr")
        .evaluateAll(rows =>
          rows.map(row =>
            [...row.querySelectorAll("th, td")].map(cell => cell.textContent.replace(/\s+/g, " ").trim()),
          ),
        )
    ),
    tokens: () => me.cells(en.tokens.name),
    figures: async () => (
      await me.settled(),
      Object.fromEntries(
        await host
          .locator(".figures > div")
          .evaluateAll(parts =>
            parts.map(part => [...part.children].map(child => child.textContent.replace(/\s+/g, " ").trim())),
          ),
      )
    ),
    choose: path => host.locator("input[type=file]").setInputFiles(path),
    /** The test vector that the page offers. */
    async vector() {
      await me.settled();
      await me.button(en.vector).click();
      return JSON.parse(await host.locator("textarea").inputValue());
    },
  };
  return me;
}

const PIECES = readFileSync(join(ROOT, "tests/vectors/logits/pieces.txt"), "utf8").split("\n");
/** Where one reads `piece` beside an id. */
export const piece = id => PIECES[id].replaceAll(" ", "␣").replaceAll("\\n", "⏎");
