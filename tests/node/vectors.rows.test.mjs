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
  let sum = 0,
    total = 0,
    expected = 0;
  for (const z of row) sum += Math.exp(z - max);
  row.forEach((z, id) => {
    const score = z - max,
      weight = Math.exp(score),
      p = weight / sum;
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
  const at = call.smp_arena_take(4 * call.smp_row_capacity(row.length)),
    ids = call.smp_arena_take(4 * m);
  new Float32Array(memory.buffer, at, row.length).set(row);
  assert.equal(call.smp_row_top(at, row.length, ids, m, 0), 0);
  const result = [...new Uint32Array(memory.buffer, ids, m)];
  call.smp_arena_release(mark);
  return result;
}

for (const name of REAL_ROWS)
  test(`softmax of ${name}`, () => {
    const row = readRow(name),
      meta = metaOf(name);
    const result = api.softmax(cores.simd, row);
    checkSoftmax(row, result);
    assert.equal(result.top, meta.top[0]);
    assert.ok(Math.abs(result.entropy - meta.entropy) <= 2e-6, `entropy ${result.entropy}, meta.json ${meta.entropy}`);
    assert.deepEqual(topIds(cores.simd, row, meta.top.length), meta.top);
    checkSoftmax(
      row.map(z => float(z / float(0.7))),
      api.softmax(cores.simd, row, 0.7),
    );
  });

for (const name of [REAL_ROWS[0], REAL_ROWS[5]])
  test(`logarithms and distances of ${name}`, () => {
    const row = readRow(name),
      [p, q] = [1, 0.7].map(tau => api.softmax(cores.simd, row, tau).probabilities);
    const max = Math.max(...row),
      lnSum = Math.log(row.reduce((sum, z) => sum + Math.exp(z - max), 0));
    api
      .logSoftmax(cores.simd, row)
      .forEach((ln, id) =>
        assert.ok(Math.abs(ln - (row[id] - max - lnSum)) <= (2 + max - row[id]) * 2 ** -23, `ln p[${id}] is ${ln}`),
      );
    const { ids, log_p } = api.topLogP(cores.simd, row, 64);
    assert.deepEqual([...ids], topIds(cores.simd, row, 64));
    ids.forEach((id, place) =>
      assert.ok(Math.abs(log_p[place] - (row[id] - max - lnSum)) <= 1e-7, `ln p of ${id} is ${log_p[place]}`),
    );

    const want = { total_variation: 0, kl: 0, entropy_p: 0, entropy_q: 0 },
      ln = x => (x > 0 ? Math.log(x) : 0);
    let most = -1,
      at = -1;
    p.forEach((a, id) => {
      const b = q[id],
        difference = Math.abs(a - b);
      if (difference > most) [most, at] = [difference, id];
      want.total_variation += difference / 2;
      want.kl += a * (ln(a) - ln(b));
      want.entropy_p -= a * ln(a);
      want.entropy_q -= b * ln(b);
    });
    const found = api.distance(cores.simd, p, q);
    assert.deepEqual([found.max_difference, found.max_id], [most, at]);
    for (const [key, value] of Object.entries(want))
      assert.ok(Math.abs(found[key] - value) <= 1e-12 * value, `${key} is ${found[key]}, want ${value}`);
  });

test("distances: what is missing, short rows, refusals", () => {
  const of = (p, q) => api.distance(cores.simd, Float32Array.from(p), Float32Array.from(q));
  assert.equal(of([0.5, 0.5], [1, 0]).kl, Infinity);
  assert.deepEqual(of([1, 0], [0.5, 0.5]), {
    total_variation: 0.5,
    max_difference: 0.5,
    only_p: 0,
    only_q: 0.5,
    max_id: 0,
    n_only_p: 0,
    n_only_q: 1,
    kl: Math.LN2,
    entropy_p: 0,
    entropy_q: Math.LN2,
  });
  assert.deepEqual(of([1], [1]), {
    total_variation: 0,
    max_difference: 0,
    only_p: 0,
    only_q: 0,
    max_id: 0,
    n_only_p: 0,
    n_only_q: 0,
    kl: 0,
    entropy_p: 0,
    entropy_q: 0,
  });
  // 0.3 - 0.2 is the greater in floats
  assert.equal(of([0.2, 0.2, 0.2, 0.2, 0.2], [0.2, 0.2, 0.2, 0.1, 0.3]).max_id, 4);
  assert.throws(() => of([1], [0.5, 0.5]), {
    name: "RangeError",
    message: "distance: found 1 and 2 probabilities; allowed: as many in both",
  });
  assert.throws(() => of([], []), { code: "ERR_EMPTY" });
  assert.throws(
    () => of([0.5, 0.5, 0, 0, NaN], [0.5, 0.5, 0, 0, 0]),
    ({ code, where }) => code === "ERR_NAN" && where.index === 4,
  );
  assert.throws(
    () => of([1, 0, 0, 0, 0], [0.5, 0.5, 0, -0.25, 0.25]),
    ({ code, where }) => code === "ERR_PARAM" && where.index === 3,
  );
  for (const m of [0, 3, -1, NaN])
    assert.throws(() => api.topLogP(cores.simd, Float32Array.of(1, 2), m), { code: "ERR_PARAM" });
  assert.throws(
    () => api.logSoftmax(cores.simd, Float32Array.of(1, Infinity)),
    ({ code, where }) => code === "ERR_INF" && where.index === 1,
  );
});

test("a batch: each row through its own chain, filled and read in place", () => {
  const names = [REAL_ROWS[0], REAL_ROWS[3], REAL_ROWS[5], REAL_ROWS[9]],
    n = 49152;
  const chains = [
    {
      steps: [
        ["temperature", 0.7],
        ["top_k", 50],
      ],
      u: 0.25,
    },
    { steps: [["top_k", 3]], u: 0.999 },
    {
      steps: [
        ["temperature", 1.3],
        ["top_p", 0.9],
      ],
      u: 0.5,
      out: "log_p",
    },
    {
      steps: [
        ["repetition_penalty", 1.3],
        ["min_p", 0.1],
      ],
      context: [18, 260, 18],
      u: 0,
      out: "logits",
    },
  ];
  const seen = [],
    outcomes = api.chainRows(
      cores.simd,
      n,
      chains,
      (row, index) => row.set(readRow(names[index])),
      (row, index) => (seen[index] = row.slice()),
    );
  chains.forEach((options, index) => {
    const { kept, values, n_kept, id, by_rounding } = api.chain(cores.simd, readRow(names[index]), options);
    assert.deepEqual(outcomes[index], { n_kept, id, by_rounding });
    const whole = new Float32Array(n).fill(options.out ? -Infinity : 0);
    kept.forEach((entry, place) => (whole[entry] = values[place]));
    assert.deepEqual(seen[index], whole);
  });
});

test("a batch: 32 rows of 128,256, and a refused row among others", () => {
  const n = 128256,
    real = readRow(REAL_ROWS[0]),
    source = Float32Array.from({ length: n }, (_, i) => real[i % real.length]);
  const chains = Array.from({ length: 32 }, (_, i) => ({
    steps: [
      ["temperature", 0.5 + i / 16],
      ["top_k", 1 + i],
    ],
    u: i / 32,
    out: "id",
  }));
  const outcomes = api.chainRows(cores.simd, n, chains, (row, index) => {
    row.set(source);
    if (index === 7) row[5] = NaN;
    if (index === 8) row.fill(-Infinity);
  });
  assert.equal(outcomes.length, 32);
  outcomes.forEach((outcome, index) => {
    if (index === 7)
      assert.deepEqual([outcome.refused.code, outcome.refused.where], ["ERR_NAN", { param: "logits", index: 5 }]);
    else if (index === 8) assert.equal(outcome.refused.code, "ERR_MASKED");
    else assert.equal(outcome.id, api.chain(cores.simd, source, { ...chains[index], out: "p" }).id);
  });
});

test("a batch: what it refuses as a whole", () => {
  const run = (n, chains) => api.chainRows(cores.simd, n, chains, row => row.fill(1));
  assert.deepEqual(run(4, []), []);
  assert.throws(() => run(0, [{ steps: [] }]), { code: "ERR_EMPTY" });
  assert.throws(() => run(2 ** 20 + 1, [{ steps: [] }]), { code: "ERR_LENGTH" });
  assert.throws(() => run(4, [{ steps: [] }, { steps: [["top_q", 1]] }]), {
    code: "ERR_PARAM",
    message: /^chains\[1\]\.steps\[0\]\[0\]: found "top_q"; allowed: temperature, /,
  });
  for (const rows of [10, 1024])
    assert.throws(() => run(2 ** 20, Array(rows).fill({ steps: [] })), {
      name: "RangeError",
      message: /^the core has no room for /,
    });
  // and all room is given back
  assert.deepEqual(api.softmax(cores.simd, Float32Array.of(1, 1)).probabilities, Float32Array.of(0.5, 0.5));
});
