// The wasm module as text inside a script: the way there and back, and scripts that a page of any charset may use.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { pack } from "../../web/build/pack.mjs";
import { fromRoot, importSource } from "./support.mjs";

const { unpack } = await importSource("web/core/unpack.ts");

const comesBack = bytes => {
  const [text, frequent] = pack(bytes);
  assert.match(text, /^[ !#-[\]-~]*$/);
  assert.match(frequent, /^[0-9a-f]{64}$/);
  assert.deepEqual([...unpack(text, frequent)], [...bytes]);
};

test("bytes come back from their text", () => {
  comesBack(new Uint8Array(0));
  comesBack(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  for (let byte = 0; byte < 256; byte++) comesBack(Uint8Array.of(byte, byte));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(255), (bytes, most) =>
      comesBack(bytes.map(b => b % (most + 1))),
    ),
  );
});

test("classic scripts are ASCII, and so mean the same in every charset", () => {
  const scripts = ["dist", "dist/elements"].flatMap(folder =>
    readdirSync(fromRoot(folder)).flatMap(file =>
      file.endsWith(".js") && file !== "cli.js" ? [`${folder}/${file}`] : [],
    ),
  );
  assert.ok(scripts.length >= 8, scripts.join());
  for (const script of scripts) assert.match(readFileSync(fromRoot(script), "utf8"), /^[\t\n -~]*$/, script);
});
