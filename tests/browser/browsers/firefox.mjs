// Firefox ESR, by puppeteer-core over WebDriver BiDi.
import puppeteer from "puppeteer-core";
import { pageAt } from "./page.mjs";

/** Milliseconds that a start or a whole suite may take on a busy machine. */
const PATIENCE = 600_000;

/** The browser; with `forced` it shows pages in its own colours, as for readers who ask for them. */
export async function start({ forced = false } = {}) {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: "/usr/bin/firefox-esr",
    headless: true,
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
    defaultViewport: { width: 1200, height: 1000 },
    // as readers have it; the driver would let a page read every file from disk
    extraPrefsFirefox: {
      "security.fileuri.strict_origin_policy": true,
      ...(forced && { "browser.display.document_color_use": 2 }),
    },
  });

  async function open(url) {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    return pageAt(url, page, () => page.close());
  }

  return { name: "Firefox", version: (await browser.version()).split("/")[1], open, close: () => browser.close() };
}
