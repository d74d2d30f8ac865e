// Chromium computes the same bits: the digest of tests/node/digest.mjs, in a page; run.sh compares it with all builds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordDigest } from "../node/support.mjs";
import { start } from "./support.mjs";

const { base, open } = await start();
const MODULES = { simd: "/dist/smp.wasm", scalar: "/build/wasm/smp-scalar.wasm" };

/** Runs in the page. */
async function digestInPage(module) {
  const api = await import("/dist/sampling-lab.mjs");
  const { digestOfEverything, REAL_ROWS } = await import("/tests/node/digest.mjs");
  const bytes = async path => (await fetch(path)).arrayBuffer();
  const rows = new Map(await Promise.all(REAL_ROWS.map(async name => [name, new Float32Array(await bytes(`/tests/vectors/logits/${name}`))])));
  const vectors = await (await fetch("/tests/vectors/softmax64.json")).json();
  return digestOfEverything(api, await api.instantiate(await bytes(module)), vectors, name => rows.get(name));
}

for (const [name, module] of Object.entries(MODULES))
  test(`the ${name} module`, async t => {
    const page = await open(`${base}/page.html?html=`);
    const digest = await page.evaluate(digestInPage, module);
    recordDigest(`wasm-${name}-chromium`, digest);
    t.diagnostic(`digest ${digest}`);
    assert.match(digest, /^[0-9a-f]{16}$/);
    assert.deepEqual(page.heard.messages, []);
  });
