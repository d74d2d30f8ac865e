// Both modules compute the same bits from all vectors; run.sh compares the digest with the native builds
// and the browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOfEverything } from "./digest.mjs";
import { api, cores, readModel, readRow, readVectors, recordDigest } from "./support.mjs";

const vectors = readVectors("softmax64.json");
const digests = {};

for (const [name, core] of Object.entries(cores))
  test(`the ${name} module has a digest`, t => {
    digests[name] = digestOfEverything(api, core, vectors, readRow, readModel());
    recordDigest(`wasm-${name}-node`, digests[name]);
    t.diagnostic(`digest ${digests[name]}`);
    assert.match(digests[name], /^[0-9a-f]{16}$/);
  });

test("the SIMD and the scalar module agree bit for bit", () => assert.equal(digests.simd, digests.scalar));
