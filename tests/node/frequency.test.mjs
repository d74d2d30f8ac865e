// Frequencies in both modules and through `eval`: the figures of the textbook's record and its like, streams cut
// anywhere, and what is refused. What the numbers are is said by frequency.json (vectors.frequency.test.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores } from "./support.mjs";

const { bincount, candidates, counting, curve, edgesOf, evaluateLine, fit, nextCounts, nextIds, nextRace, SOURCES } =
  api;
const { lab, SmpError, streamOf } = api;
const sources = Object.keys(SOURCES);
const RECORD = { logits: [0, 1, 2, 3], tau: 0.8, k: 2 };

/** The counts at each mark of a run. */
function countsOf(core, { logits, ...options }, seed, draws, marks = []) {
  const found = [];
  for (const { counts, done } of counting(core, streamOf(core, candidates(core, logits, options), seed, draws), marks))
    if (counts) found.push([done, [...counts]]);
  return found;
}

const RECORDS = [
  [{ ...RECORD, source: "torch-mkl" }, "2718", 1000, [0, 0, 230, 770]],
  [{ ...RECORD, source: "torch" }, "2718", 1000, [0, 0, 227, 773]],
  [{ ...RECORD, source: "torch", replacement: true }, "2718", 1000, [0, 0, 239, 761]],
  [{ ...RECORD, source: "torch-mkl", replacement: true }, "2718", 1000, [0, 0, 239, 761]],
  [{ ...RECORD, source: "candle" }, "2718", 1000, [0, 0, 218, 782]],
  [{ ...RECORD, source: "llama.cpp" }, "2718", 1000, [0, 0, 216, 784]],
  [{ logits: [3, 2, 2, 1], tau: 1, k: 2, source: "candle" }, "42", 10000, [7349, 2651, 0, 0]],
  [{ logits: [3, 2, 1, 0], tau: 1, k: 4, source: "torch-mkl" }, "2718", 10, [5, 3, 2, 0]],
];

for (const [name, core] of Object.entries(cores)) {
  for (const [settings, seed, draws, want] of RECORDS)
    test(`${name}: ${JSON.stringify(settings)}, seed ${seed}, ${draws} draws: ${want}`, () => {
      assert.deepEqual(countsOf(core, settings, seed, draws), [[draws, want]]);
      const { logits, source: generator, ...rest } = settings;
      const line = evaluateLine(core, JSON.stringify({ op: "draw", logits, ...rest, generator, seed, draws })),
        answer = JSON.parse(line);
      assert.deepEqual(
        answer.counts,
        answer.kept?.map(id => want[id]),
        line,
      );
    });

  test(`${name}: the record's stream at 10, 100, ... 1,000,000`, () => {
    const marks = [10, 100, 1000, 10000, 100000],
      found = countsOf(core, { ...RECORD, source: "torch-mkl" }, "2718", 1000000, marks);
    assert.deepEqual(
      found.map(([done, counts]) => [done, counts[2]]),
      [1, 22, 230, 2256, 22237, 222234].map((count, power) => [10 ** (power + 1), count]),
    );
  });

  test(`${name}: a run begins with the shorter one, however it is cut, and leaves the same generator`, () => {
    for (const source of sources) {
      const from = candidates(core, [0, 1, 2, 3, -1, 2.5], { tau: 1.3, k: 5, source }),
        whole = nextIds(core, streamOf(core, from, "7", 500), 500);
      let now = streamOf(core, from, "7", 500),
        ids = [];
      for (const slice of [1, 0, 2, 97, 300, 100]) {
        const next = nextIds(core, now, slice);
        ids.push(...next.ids);
        now = next.stream;
      }
      assert.deepEqual(ids, [...whole.ids], source);
      assert.deepEqual(now, whole.stream, source);
      assert.deepEqual([...nextIds(core, streamOf(core, from, "7", 40), 40).ids], ids.slice(0, 40), source);
      const counts = new Uint32Array(6);
      nextCounts(core, streamOf(core, from, "7", 500), counts, 500);
      assert.deepEqual(
        [...counts],
        Array.from(counts, (_, id) => ids.filter(each => each === id).length),
        source,
      );
    }
  });

  test(`${name}: a generator goes on after a run`, () => {
    const from = candidates(core, RECORD.logits, { ...RECORD, source: "torch" });
    const first = nextIds(core, streamOf(core, from, "2718", 10), 10),
      second = nextIds(core, streamOf(core, from, first.stream.rng, 10), 10);
    assert.deepEqual([...first.ids, ...second.ids], [...nextIds(core, streamOf(core, from, "2718", 20), 20).ids]);
  });

  test(`${name}: own draws choose what the experiment chooses at the same u`, () => {
    const from = candidates(core, RECORD.logits, { ...RECORD, source: "own" }),
      { ids, u } = nextIds(core, streamOf(core, from, "1", 300), 300);
    ids.forEach((id, place) => assert.equal(lab(core, RECORD.logits, { ...RECORD, u: u[place] }).id, id));
    assert.deepEqual([...edgesOf(core, streamOf(core, from, "1", 1))], [...from.edges]);
    assert.equal(new Set(u).size, 300);
  });

  test(`${name}: the race that was looked at is the one that is drawn`, () => {
    const from = candidates(core, [0, 1, 2, 3], { source: "torch" });
    let now = streamOf(core, from, "2718", 50);
    const { ids } = nextIds(core, now, 50);
    for (const id of ids) {
      const found = nextRace(core, now);
      assert.equal(found.id, id);
      assert.equal(from.kept[found.ratios.indexOf(Math.max(...found.ratios))], id);
      now = found.stream;
    }
  });

  test(`${name}: greedy draws one id from every source, and removed ids have no count`, () => {
    for (const source of sources) {
      assert.deepEqual(countsOf(core, { logits: [1, 3, 2], tau: 0, source }, "5", 100), [[100, [0, 100, 0]]], source);
      const [[, counts]] = countsOf(core, { logits: [1, 3, 2, 0], tau: 2, k: 3, source }, "5", 3000);
      assert.equal(counts[3], 0, source);
      assert.ok(
        counts.slice(0, 3).every(count => count > 300),
        source,
      );
    }
  });

  test(`${name}: the record's fit`, () => {
    const { z, chi_square, p_value, degrees, least } = fit(
      core,
      Uint32Array.of(0, 0, 230, 770),
      lab(core, RECORD.logits, { ...RECORD, u: 0 }).q,
    );
    assert.deepEqual([z[0], z[1], z[2].toFixed(3), z[3].toFixed(3)], [0, 0, "0.555", "-0.555"]);
    assert.deepEqual([chi_square.toFixed(3), p_value.toFixed(3), degrees], ["0.308", "0.579", 1]);
    assert.equal(least.toFixed(3), "222.700");
  });

  test(`${name}: bincount with and without minlength`, () => {
    const counts = Uint32Array.of(5, 3, 2, 0);
    assert.deepEqual([...bincount(core, counts)], [5, 3, 2]);
    assert.deepEqual([...bincount(core, counts, 4)], [5, 3, 2, 0]);
    assert.deepEqual([...bincount(core, counts, 6)], [5, 3, 2, 0, 0, 0]);
  });

  test(`${name}: the sheet's temperatures`, () => {
    const found = curve(core, [0, 1, 2, 3], [0, 0.5, 1, 1.5, Infinity], [3, 2]);
    assert.deepEqual(
      found.map(({ entropy }) => entropy.toFixed(6)),
      ["0.000000", "0.455429", "0.947537", "1.152640", Math.log(4).toFixed(6)],
    );
    assert.deepEqual(
      found.slice(1, 4).map(({ ratio }) => ratio.toFixed(6)),
      ["7.389056", "2.718282", "1.947734"],
    );
    assert.deepEqual([found[0].ratio, [...found[0].p], [...found[4].p]], [Infinity, [0, 0, 0, 1], Array(4).fill(0.25)]);
  });

  test(`${name}: what is refused, and that nothing is counted then`, () => {
    const from = candidates(core, [0, 1], {}),
      start = streamOf(core, from, "1", 10),
      counts = new Uint32Array(2);
    const refused = (work, param) =>
      assert.throws(
        work,
        error => error instanceof SmpError && error.where.param === param && error.message.startsWith(param),
      );
    refused(() => candidates(core, [0, 1], { source: "numpy" }), "source");
    refused(() => candidates(core, [0, 1], { source: "constructor" }), "source");
    refused(() => candidates(core, [0, 1], { source: "candle", replacement: true }), "replacement");
    for (const tau of [-1, NaN, Infinity]) {
      refused(() => candidates(core, [0, 1], { tau }), "tau");
      refused(() => candidates(core, new Float32Array(100), { tau }), "tau");
    }
    for (const k of [0, 101, 1.5, NaN]) refused(() => candidates(core, new Float32Array(100), { k }), "k");
    // a temperature that only the source's engine refuses, and a number that is none in 32 bits
    for (const source of ["torch", "candle", "llama.cpp"]) {
      refused(() => candidates(core, [0, 1e39], { source }), "logits");
      refused(() => candidates(core, [1e30, 0], { source, tau: 1e-30 }), "tau");
    }
    refused(() => candidates(core, [], {}), "logits");
    refused(() => candidates(core, [0, NaN], {}), "logits");
    refused(() => streamOf(core, from, "-1", 10), "seed");
    for (const draws of [0, -1, 1.5, NaN, 2 ** 32]) refused(() => streamOf(core, from, "1", draws), "draws");
    refused(() => nextCounts(core, start, counts, 11), "draws");
    refused(() => nextIds(core, nextIds(core, start, 7).stream, 4), "draws");
    refused(() => nextRace(core, start), "source");
    refused(() => nextCounts(core, start, new Uint32Array(3), 1), "counts");
    refused(() => fit(core, Uint32Array.of(1, 1), [1]), "p");
    refused(() => fit(core, Uint32Array.of(1, 1), [1, 0]), "counts");
    refused(() => fit(core, Uint32Array.of(1, 1), [0.5, 0.4]), "p");
    refused(() => bincount(core, counts, -1), "minlength");
    refused(() => curve(core, [0, 1], [-1]), "taus");
    refused(() => curve(core, [0, 1], [1], [0, 2]), "pair");
    refused(() => curve(core, [0, 1], [1], [0.5, 1]), "pair");
    assert.deepEqual([...counts], [0, 0]);
  });
}

test("eval: one draw before moves the stream on by one", () => {
  const ask = more =>
    JSON.parse(
      evaluateLine(
        cores.simd,
        JSON.stringify({
          op: "draw",
          ...RECORD,
          generator: "torch-mkl",
          seed: "2718",
          draws: 1000,
          minlength: 6,
          ...more,
        }),
      ),
    );
  const direct = ask({}),
    later = ask({ before: 1 });
  assert.equal(direct.ids.slice(0, 14).join(""), "33333233333333");
  assert.equal(later.ids.slice(0, 14).join(""), "33332333333333");
  assert.deepEqual(
    [direct.counts, later.counts],
    [
      [230, 770],
      [230, 770],
    ],
  ); // the id that left and the one that came are both 3
  assert.deepEqual([direct.words, later.words], [1000, 1001]);
  assert.deepEqual([direct.bincount, direct.bincount_length], [[0, 0, 230, 770, 0, 0], 6]);
});

test("eval: what a line of draws or curves may not say", () => {
  const asked = request => JSON.parse(evaluateLine(cores.simd, JSON.stringify(request))).error;
  const draw = { op: "draw", logits: [0, 1], seed: "1", draws: 5 };
  for (const [wrong, param] of [
    [{ draws: 0 }, "draws"],
    [{ draws: 1e8 }, "draws"],
    [{ draws: "nan" }, "draws"],
    [{ before: -1 }, "before"],
    [{ seed: 1.5 }, "seed"],
    [{ seed: "x" }, "seed"],
    [{ seed: "4294967295", generator: "llama.cpp" }, "seed"],
    [{ generator: "numpy" }, "generator"],
    [{ replacement: true }, "replacement"],
    [{ replacement: 1 }, "replacement"],
    [{ tau: -1 }, "tau"],
    [{ k: 3 }, "k"],
    [{ logits: [] }, "logits"],
    [{ minlength: 2 ** 40 }, "minlength"],
    [{ temperature: 1 }, "temperature"],
    [{ logits_file: "x" }, "logits"],
  ])
    assert.equal(asked({ ...draw, ...wrong })?.where.param, param, JSON.stringify(wrong));
  const curves = { op: "curve", logits: [0, 1], taus: [1] };
  for (const [wrong, param] of [
    [{ taus: 1 }, "taus"],
    [{ taus: Array(1001).fill(1) }, "taus"],
    [{ taus: [-1] }, "taus"],
    [{ pair: [0] }, "pair"],
    [{ pair: [0, 2] }, "pair"],
    [{ logits: Array(65).fill(0) }, "logits"],
  ])
    assert.equal(asked({ ...curves, ...wrong })?.where.param, param, JSON.stringify(wrong));
  assert.deepEqual(
    JSON.parse(evaluateLine(cores.simd, '{"op":"curve","logits":[0,1],"taus":[0,"inf"],"pair":[1,0]}')).curves,
    [
      { tau: 0, entropy: 0, bits: 0, ratio: "inf", p: [0, 1] },
      { tau: "inf", entropy: Math.LN2, bits: 1, ratio: 1, p: [0.5, 0.5] },
    ],
  );
});
