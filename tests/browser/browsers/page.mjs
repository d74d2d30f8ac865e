// A page of Playwright or of Puppeteer, which have these calls alike.

/** The page at an address, and what it says from the start. */
export async function pageAt(url, page, close) {
  const heard = [];
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
    close,
  };
}
