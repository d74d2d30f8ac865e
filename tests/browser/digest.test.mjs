// Chromium computes the same bits: the digest of tests/node/digest.mjs, in a page; run.sh compares it with all builds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readVectors, recordDigest } from "../node/support.mjs";
import { start } from "./support.mjs";

const { base, open } = await start();
const MODULES = { simd: "/dist/smp.wasm", scalar: "/build/wasm/smp-scalar.wasm" };

/** Runs in the page. */
async function digestInPage(module) {
  const api = await import("/dist/sampling-lab.mjs");
  const { digestOfEverything, REAL_ROWS } = await import("/tests/node/digest.mjs");
  const bytes = async path => (await fetch(path)).arrayBuffer();
  const rows = new Map(
    await Promise.all(
      REAL_ROWS.map(async name => [name, new Float32Array(await bytes(`/tests/vectors/logits/${name}`))]),
    ),
  );
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

/** Ids drawn among 64 equal weights: each is the top six bits of a word. Runs here and in the page. */
const drawn = (api, core, seeds) => {
  const row = {
    drawing: "weighted-index",
    kept: Uint32Array.from({ length: 64 }, (_, id) => id),
    weights: new Float32Array(64).fill(1),
  };
  return seeds.map(seed => [...api.draw(core, row, 64, api.seeded(core, "chacha12", seed), 40).ids]);
};

test("seeds up to 2^64 - 1 keep every bit on the way through a page", async () => {
  const page = await open(`${base}/page.html?html=`);
  const { seeds } = readVectors("rng/rust_stdrng.json");
  assert.ok(seeds.some(({ seed }) => seed === "18446744073709551615"));
  const names = seeds.map(({ seed }) => seed).concat("4294967296", "9007199254740993", "9007199254740992");
  const found = await page.evaluate(`(async seeds => {
    const api = await import("/dist/core.mjs");
    return (${drawn})(api, await api.load(), seeds);
  })(${JSON.stringify(names)})`);
  assert.deepEqual(found, drawn(api, cores.simd, names));
  seeds.forEach(({ u32 }, place) =>
    assert.deepEqual(
      found[place],
      u32.slice(0, 40).map(word => Math.floor(word / 2 ** 26)),
    ),
  );
  assert.equal(new Set(found.map(String)).size, new Set(names).size);
});
