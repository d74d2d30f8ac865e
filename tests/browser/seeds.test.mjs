// Seeds of 64 bits on their way through a page: what Chromium draws is what Node draws, and what the vectors say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readVectors } from "../node/support.mjs";
import { start } from "./support.mjs";

const { base, open } = await start();

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
