// Rows of a real model: softmax against double arithmetic, and the model runner's own order and entropy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { REAL_ROWS } from "./digest.mjs";
import { api, cores, LOGITS, readRow } from "./support.mjs";

const float = Math.fround;

/** What the model's own runner says of a row: ids from the top, and entropy. The two folders name these differently. */
function metaOf(name) {
  const { positions } = JSON.parse(readFileSync(join(LOGITS, dirname(name), "meta.json"), "utf8"));
  const { top, top50, entropy_nats, entropy_nats_T1 } = positions.find(position => name.endsWith(position.file));
  return { top: top?.map(([id]) => id) ?? top50.map(({ id }) => id), entropy: entropy_nats ?? entropy_nats_T1 };
}

/** Relative error of each probability at most (2 + |score|) 2^-23, where e^score does not fall below 2^-126. */
function checkSoftmax(row, { top, probabilities, entropy }) {
  const max = row.reduce((most, value) => Math.max(most, value), -Infinity);
  assert.equal(top, row.indexOf(max));
  let sum = 0, total = 0, expected = 0;
  for (const z of row) sum += Math.exp(z - max);
  row.forEach((z, id) => {
    const score = z - max, weight = Math.exp(score), p = weight / sum;
    const bound = weight < 2 ** -126 ? p : p * (2 - score) * 2 ** -23;
    assert.ok(Math.abs(probabilities[id] - p) <= bound, `p[${id}] is ${probabilities[id]}, want ${p}`);
    total += probabilities[id];
    if (p > 0) expected -= p * (score - Math.log(sum));
  });
  assert.ok(Math.abs(total - 1) <= 1e-6, `the sum is ${total}`);
  assert.ok(Math.abs(entropy - expected) <= 2e-6, `entropy ${entropy}, want ${expected}`);
}

/** smp_row_top through the plain exports, as any host would call it. */
function topIds({ call, memory }, row, m) {
  const mark = call.smp_arena_mark();
  const at = call.smp_arena_take(4 * call.smp_row_capacity(row.length)), ids = call.smp_arena_take(4 * m);
  new Float32Array(memory.buffer, at, row.length).set(row);
  assert.equal(call.smp_row_top(at, row.length, ids, m, 0), 0);
  const result = [...new Uint32Array(memory.buffer, ids, m)];
  call.smp_arena_release(mark);
  return result;
}

for (const name of REAL_ROWS)
  test(`softmax of ${name}`, () => {
    const row = readRow(name), meta = metaOf(name);
    const result = api.softmax(cores.simd, row);
    checkSoftmax(row, result);
    assert.equal(result.top, meta.top[0]);
    assert.ok(Math.abs(result.entropy - meta.entropy) <= 2e-6, `entropy ${result.entropy}, meta.json ${meta.entropy}`);
    assert.deepEqual(topIds(cores.simd, row, meta.top.length), meta.top);
    checkSoftmax(row.map(z => float(z / float(0.7))), api.softmax(cores.simd, row, 0.7));
  });
