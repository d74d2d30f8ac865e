// axe-core in a page of the tests, and the looks in which it is asked.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./support.mjs";

const axe = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** Language, colours and width: no three of them, but each two, stand together in one of the looks. */
export const LOOKS = [
  ["zh", "light", 1200],
  ["zh", "dark", 360],
  ["en", "light", 360],
  ["en", "dark", 1200],
  ["zh", "forced colours", 1200],
  ["en", "forced colours", 360],
].map(([lang, colors, width]) => ({
  name: `${lang}, ${colors}, ${width} px`,
  lang,
  options: {
    head: `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`,
    viewport: { width, height: 900 },
    reducedMotion: "reduce",
    ...(colors === "forced colours" ? { forcedColors: "active" } : { colorScheme: colors }),
  },
}));

/** Rule, element and reason of each violation in the page, or in one element of it. */
export async function violations(page, root = "html") {
  await page.mouse.move(0, 0); // nothing is pointed at
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async selector => {
    await new Promise(requestAnimationFrame); // what was pressed is drawn
    // to describe what passes, too, takes a third more time
    const found = await window.axe.run(selector, { resultTypes: ["violations"] });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.target.flat().join(" ")}: ${node.failureSummary}`),
    );
  }, root);
}
