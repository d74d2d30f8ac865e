// axe-core in a page of the tests.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./support.mjs";

const axe = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** Rule, element and reason of each violation in the page, or in one element of it. */
export async function violations(page, root = "html") {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async selector => {
    const found = await window.axe.run(selector, { resultTypes: ["violations"] }); // to describe what passes, too, takes a third more time
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.target.flat().join(" ")}: ${node.failureSummary}`),
    );
  }, root);
}
