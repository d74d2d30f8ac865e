// Chromium, by playwright-core.
import { launch } from "../launch.mjs";

/** The browser; without `simd` it compiles no vector instructions. */
export async function start({ simd = true } = {}) {
  // SSE 4.1 and SSSE 3 are what its compilers need for them
  const flags = simd ? [] : ["--js-flags=--no-enable-sse4-1 --no-enable-ssse3"];
  const browser = await launch(...flags);

  async function open(url) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, locale: "en-US" });
    const page = await context.newPage(), heard = [];
    page.on("console", message => heard.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", error => heard.push(`error: ${error.message}`));
    await page.goto(url);
    return {
      heard,
      evaluate: (work, argument) => page.evaluate(work, argument),
      press: key => page.keyboard.press(key),
      async drag(from, to) {
        await page.mouse.move(...from);
        await page.mouse.down();
        await page.mouse.move(...to);
        await page.mouse.up();
      },
      screenshot: path => page.screenshot({ path, fullPage: true }),
      close: () => context.close(),
    };
  }

  return { name: "Chromium", version: browser.version(), open, close: () => browser.close() };
}
