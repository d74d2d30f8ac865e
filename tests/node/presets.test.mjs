// The presets: legal, in the chapter's numbers, and the real one true to the model's row it is taken from.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { api, cores, fromRoot, importSource } from "./support.mjs";

const { presets } = await importSource("web/elements/sampling/presets.ts");
const { draftOf, read } = await importSource("web/elements/sampling/state.ts");
const config = name => read(draftOf(presets[name]), 0).config;

test("every preset is a legal configuration that the core answers", () => {
  for (const name of Object.keys(presets)) {
    assert.ok(config(name), name);
    assert.ok(api.lab(cores.simd, config(name).logits, config(name)).id >= 0, name);
  }
});

test("the settings that the experiment is about", () => {
  const { logits, tau, k, u } = config("chapter");
  assert.deepEqual({ logits, tau, k, u }, { logits: [0, 1, 2, 3], tau: 0.8, k: 2, u: 0.5 });
  assert.deepEqual(config("tie").logits, [3, 2, 2, 0]);
  assert.equal(config("tie").k, 2);
  assert.deepEqual(config("greedy").logits, [1, 1, 0]);
  assert.equal(config("greedy").tau, 0);
  assert.deepEqual({ ...config("nearZero"), tau: 0 }, config("greedy"));
  assert.equal(config("nearZero").tau, 0.01);
});

test("greedy and near-zero tau choose differently on the same logits", () => {
  const choose = name => api.lab(cores.simd, config(name).logits, config(name)).id;
  assert.notEqual(choose("greedy"), choose("nearZero"));
});

test("the real candidates are the model's top eight, float for float, with their pieces", () => {
  const folder = fromRoot("tests/vectors/logits/a"),
    bytes = readFileSync(`${folder}/06.f32`);
  const row = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const order = [...row.keys()].sort((a, b) => row[b] - row[a] || a - b).slice(0, 8);
  assert.deepEqual(
    config("real").logits.map(Math.fround),
    order.map(id => row[id]),
  );

  const { positions } = JSON.parse(readFileSync(`${folder}/meta.json`, "utf8"));
  const { top } = positions.find(position => position.file === "06.f32");
  assert.deepEqual(
    top.slice(0, 8).map(([id]) => id),
    order,
  );
  assert.deepEqual(
    presets.real.labels,
    top.slice(0, 8).map(([, piece]) => piece),
  );
});
