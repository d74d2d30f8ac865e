// smp draw: the record's figures, the same numbers as `eval`, a chi-square for every generator, and what is refused.
//   DRAWS=10000000 node --test THIS   draws ten times as many
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { api, cores } from "../node/support.mjs";
import { alone, both, sampling } from "./commands.mjs";

const DRAWS = process.env.DRAWS ?? "1000000";
const folder = mkdtempSync(join(tmpdir(), "smp-draw-"));
after(() => rmSync(folder, { recursive: true }));

function output(command, ...args) {
  const { status, stdout, stderr } = command(["draw", ...args]);
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout;
}

const json = (...args) => JSON.parse(output(both, ...args, "--json"));
const jsonAlone = (...args) => JSON.parse(output(alone, ...args, "--json"));
const options = ({ logits, replacement, ...rest }) => [
  ...Object.entries({ ...(logits ? { logits: logits.join(" ") } : {}), ...rest }).flatMap(([key, value]) => [
    `--${key === "k" ? "top-k" : key}`,
    String(value),
  ]),
  ...(replacement ? ["--replacement"] : []),
];

const RECORD = { logits: [0, 1, 2, 3], tau: 0.8, k: 2, seed: "2718" };

test("the textbook's record, today's torch, and candle's", () => {
  const counts = more => json(...options({ ...RECORD, ...more })).counts;
  assert.deepEqual(counts({ generator: "torch-mkl" }), [230, 770]);
  assert.deepEqual(counts({ generator: "torch" }), [227, 773]);
  assert.deepEqual(counts({ generator: "torch", replacement: true }), [239, 761]);
  assert.deepEqual(counts({ generator: "torch-mkl", draws: 1000000 }), [222234, 777766]);
  const candle = { logits: [3, 2, 2, 1], tau: 1, k: 2, seed: "42", generator: "candle", draws: 10000 };
  assert.deepEqual(counts(candle), [7349, 2651]);
});

test("the table", () => {
  const text = output(both, ...options({ ...RECORD, generator: "torch-mkl" }));
  assert.match(text, /^ +2 +230 +222\.700 +\+0\.555\n +3 +770 +777\.300 +-0\.555$/m);
  assert.match(text, /chi-square 0\.307836, 1 degree of freedom, p-value 0\.579011\n$/);
  assert.match(output(both, "--logits", "1 2", "--tau", "0", "--seed", "1"), /one id: every draw gives it\n$/);
  assert.match(output(both, "--logits", "1 2", "--seed", "1", "--draws", "9"), /here one is 2\.42\)\n$/);
});

/** Twelve distributions: even, steep, nearly one id, ties, tails, long. */
const ROWS = {
  record: { logits: [0, 1, 2, 3], tau: 0.8, k: 2 },
  book: { logits: [3, 2, 1, 0.5, 0.1] },
  "two even": { logits: [1, 1] },
  "eight even": { logits: Array(8).fill(-2) },
  rare: { logits: [6, 0, -1] },
  tie: { logits: [3, 2, 2, 1], tau: 1.5 },
  descending: { logits: [3, 2, 1, 0, -1, -2, -3, -4], tau: 2 },
  ascending: { logits: [-4, -3, -2, -1, 0, 1, 2, 3], tau: 1.2, k: 6 },
  cold: { logits: [1, 1.2, 1.4, 1.3, 0.4], tau: 0.1 },
  hot: { logits: [0, 4, 8, 2, 1], tau: 5 },
  seventeen: { logits: Array.from({ length: 17 }, (_, i) => ((i * 7) % 17) / 5) },
  long: { logits: Array.from({ length: 64 }, (_, i) => ((i * 29) % 64) / 24), k: 50 },
};
const GENERATORS = [
  ...["own", "torch", "torch-mkl", "candle", "llama.cpp", "transformers.js"].map(generator => ({ generator })),
  { generator: "torch", replacement: true },
];

for (const given of GENERATORS)
  test(`${Object.values(given)}: ${DRAWS} draws of twelve distributions pass chi-square at 1e-4`, () => {
    for (const [name, row] of Object.entries(ROWS)) {
      const { p_value, least, counts, n_kept } = jsonAlone(
        ...options({ ...row, ...given, seed: "2718", draws: DRAWS }),
      );
      assert.ok(least >= 5, `${name}: an expected count of ${least}`);
      assert.ok(p_value >= 1e-4, `${name}: a chi-square of p-value ${p_value}`);
      assert.equal(counts.length, n_kept);
    }
  });

test("both commands and eval give the same answer", () => {
  const rows = Object.values(ROWS),
    all = [
      ...GENERATORS.map(given => ({ ...RECORD, ...given })),
      ...rows.map((row, index) => ({ ...row, ...GENERATORS[index % GENERATORS.length] })),
    ];
  for (const asked of all)
    for (const [ask, more] of [
      [jsonAlone, { draws: 1 }],
      [json, { draws: 300, before: 2, minlength: 9 }],
    ]) {
      const seed = /llama|transformers/.test(asked.generator) ? "4000000000" : "18446744073709551615",
        request = { ...asked, seed, ...more };
      const { drawing, ...answer } = JSON.parse(
        api.evaluateLine(cores.simd, JSON.stringify({ op: "draw", ...request })),
      );
      assert.deepEqual(ask(...options(request)), answer, JSON.stringify(request));
    }
});

test("a row from a file: long ones too", () => {
  const row = Float32Array.from({ length: 1603 }, (_, i) => ((i * 719) % 1603) / 300),
    path = join(folder, "row.json"),
    given = { tau: 0.7, seed: "5", draws: 20000 };
  writeFileSync(path, JSON.stringify([...row]));
  for (const generator of ["own", "candle", "llama.cpp", "torch"]) {
    const { drawing, ...answer } = JSON.parse(
      api.evaluateLine(cores.simd, JSON.stringify({ op: "draw", logits: [...row], ...given, generator })),
    );
    assert.deepEqual(json(path, ...options({ ...given, generator })), answer, generator);
    assert.equal(answer.top_ids.length, 64);
  }
});

test("--name=value, and in the package a row of several", () => {
  assert.equal(
    output(both, "--logits=0 1 2 3", "--tau=0.8", "--seed=5", "--json"),
    output(both, "--logits", "0 1 2 3", "--tau", "0.8", "--seed", "5", "--json"),
  );
  const path = join(folder, "rows.npy"),
    header = `${"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".padEnd(117)}\n`;
  const head = Buffer.from(`\x93NUMPY\x01\0\x76\0${header}`, "latin1");
  writeFileSync(path, Buffer.concat([head, Buffer.from(Float32Array.of(0, 0, 0, 3, 2, 1).buffer)]));
  const { stdout } = sampling(["draw", path, "--row", "1", "--seed", "5", "--json"]);
  assert.deepEqual(JSON.parse(stdout), json("--logits", "3 2 1", "--seed", "5"));
});

test("what is refused, in one line", () => {
  const refusedBy = (command, status, part, ...args) => {
    const result = command(["draw", ...args]);
    assert.equal(result.stdout, "");
    assert.match(result.stderr, /^smp: [^\n]+\n$/);
    assert.ok(result.stderr.includes(part), `${JSON.stringify(result.stderr)} does not say ${part}`);
    assert.equal(result.status, status);
  };
  const refused = (...given) => refusedBy(both, ...given);
  const row = ["--logits", "0 1", "--seed", "1"];
  refused(2, "draw needs --logits or a file");
  refused(2, "not both", ...row, "file");
  refused(2, "draw needs --seed", "--logits", "0 1");
  refused(2, '--generator: "numpy"', ...row, "--generator", "numpy");
  refused(2, "--replacement: only with", ...row, "--replacement");
  refused(2, '--seed: "-1"', "--logits", "0 1", "--seed", "-1");
  refused(2, '--seed: "18446744073709551616"', "--logits", "0 1", "--seed", "18446744073709551616");
  refused(2, '--draws: "1.5"', ...row, "--draws", "1.5");
  refused(2, '--tau: "x"', ...row, "--tau", "x");
  refused(
    1,
    "--draws: 0 is outside the allowed range; allowed: a whole number from 1 to 10000000",
    ...row,
    "--draws",
    "0",
  );
  refused(1, "--draws: 100000000 is", ...row, "--draws", "100000000");
  refused(1, "--before: 100000000 is", ...row, "--before", "100000000");
  refused(1, "--minlength: 2000000 is", ...row, "--minlength", "2000000");
  refused(1, "--tau: -1 is", ...row, "--tau", "-1");
  refused(1, "--top-k: 3 is", ...row, "--top-k", "3");
  refused(1, "--seed: 4294967295 is", "--logits", "0 1", "--generator", "llama.cpp", "--seed", "4294967295");
  refused(1, "--logits: empty", "--logits", "", "--seed", "1");
  refused(1, "entry 1 (from 0) is not a number", "--logits", "0 nan", "--seed", "1");
  refused(1, "--logits: entry 1 (from 0) is infinite", "--logits", "0 1e39", "--generator", "torch", "--seed", "1");
  refusedBy(alone, 1, "no-such-file", "no-such-file", "--seed", "1");
  refusedBy(alone, 2, "--row: a file holds one row here", "no-such-file", "--row", "1", "--seed", "1");
  refused(2, "--row: only with a file", ...row, "--row", "1");
  refused(2, "--tensor: only with a file", ...row, "--tensor", "x");
  const path = join(folder, "long.json");
  writeFileSync(path, JSON.stringify(Array(100).fill(0)));
  refused(1, "--tau: nan is", path, "--seed", "1", "--tau", "nan");
  refused(1, "--tau: inf is", path, "--seed", "1", "--tau", "inf");
  refused(1, "--top-k: 0 is", path, "--seed", "1", "--top-k", "0");
  refused(1, "--top-k: 101 is", path, "--seed", "1", "--top-k", "101");
});
