// Chromium, by playwright-core.
import { launch } from "../launch.mjs";
import { pageAt } from "./page.mjs";

/** The browser; without `simd` it compiles no vector instructions. */
export async function start({ simd = true } = {}) {
  // SSE 4.1 and SSSE 3 are what its compilers need for them
  const flags = simd ? [] : ["--js-flags=--no-enable-sse4-1 --no-enable-ssse3"];
  const browser = await launch(...flags);

  async function open(url) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, locale: "en-US" });
    return pageAt(url, await context.newPage(), () => context.close());
  }

  return { name: "Chromium", version: browser.version(), open, close: () => browser.close() };
}
