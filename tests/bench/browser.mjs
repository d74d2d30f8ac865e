// Times the kernels of a bench module in a page of Chromium; arguments and lines as those of wasm.mjs.
import { readFileSync } from "node:fs";
import { launch } from "../browser/launch.mjs";
import { measure } from "./wasm.mjs";

const [module, logits, v, rows, kind, repeats] = process.argv.slice(2);
const bytes = path => [...readFileSync(path)];
const browser = await launch("--js-flags=--no-liftoff");
try {
  // An isolated page: its clock has steps of 5 microseconds, at random places, instead of 100.
  const page = await browser.newPage();
  const headers = {
    "content-type": "text/html",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
  };
  await page.route("http://localhost/", route => route.fulfill({ headers, body: "<!doctype html>" }));
  await page.goto("http://localhost/");
  if (!(await page.evaluate("crossOriginIsolated")))
    throw new Error("the page is not isolated, its clock is too coarse");
  const options = {
    module: bytes(module),
    logits: bytes(logits),
    v: Number(v),
    rows: Number(rows),
    flat: kind === "flat",
    repeats: Number(repeats),
    coarse: true,
  };
  const lines = await page.evaluate(`(${measure})(${JSON.stringify(options)})`);
  for (const line of lines) console.log(JSON.stringify(line));
} finally {
  await browser.close();
}
