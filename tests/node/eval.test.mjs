// The command line `node dist/cli.js eval`: JSON lines in, one answer a line out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fromRoot } from "./support.mjs";

const CHAPTER = { op: "lab", logits: [0, 1, 2, 3], tau: 0.8, k: 2, tie: "strict", u: 0.5 };

/** Answers to the lines, parsed; the process must end with 0 and say nothing on stderr. */
function evaluate(lines, { end = "\n" } = {}) {
  const input = lines.map(line => (typeof line === "string" ? line : JSON.stringify(line)) + end).join("");
  const { status, stdout, stderr } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval"], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  assert.ok(stdout === "" || stdout.endsWith("\n"));
  return stdout
    .split("\n")
    .slice(0, -1)
    .map(text => JSON.parse(text));
}

const six = value => Number(value.toFixed(6));

test("the chapter's line", () => {
  const [answer] = evaluate([CHAPTER]);
  assert.deepEqual(Object.keys(answer), ["scores", "p", "kept", "q", "intervals", "id"]);
  assert.deepEqual(answer.scores, [-3.75, -2.5, -1.25, 0]);
  assert.deepEqual(answer.p.map(six), [0.016894, 0.058965, 0.205807, 0.718335]);
  assert.deepEqual(answer.kept, [2, 3]);
  assert.deepEqual(answer.q.map(six), [0.2227, 0.7773]);
  assert.deepEqual(
    answer.intervals.map(pair => pair.map(six)),
    [
      [0, 0.2227],
      [0.2227, 1],
    ],
  );
  assert.equal(answer.id, 3);
});

test("u 0.1 chooses id 2, and a boundary belongs to the right", () => {
  const boundary = evaluate([CHAPTER])[0].intervals[1][0];
  const ids = evaluate([0.1, boundary, 0].map(u => ({ ...CHAPTER, u }))).map(answer => answer.id);
  assert.deepEqual(ids, [2, 3, 2]);
});

test("k = V filters nothing", () => {
  const [answer] = evaluate([{ ...CHAPTER, k: 4 }]);
  assert.deepEqual(answer.kept, [0, 1, 2, 3]);
  assert.deepEqual(answer.q, answer.p);
});

test("both tie rules; strict where none is given", () => {
  const line = { op: "lab", logits: [3, 2, 2, 0], tau: 1, k: 2, u: 0.5 };
  const kept = evaluate([{ ...line, tie: "strict" }, { ...line, tie: "threshold" }, line]).map(answer => answer.kept);
  assert.deepEqual(kept, [
    [0, 1],
    [0, 1, 2],
    [0, 1],
  ]);
});

test("a list of filters, and what each did", () => {
  const { k, tie, ...rest } = CHAPTER;
  const [answer, four, inclusive, greedy] = evaluate([
    {
      ...rest,
      filters: [
        ["top_p", 0.9],
        ["min_p", 0.5],
      ],
    },
    { op: "lab", logits: [0, 0, 0, 0], tau: 1, u: 0.5, filters: [["top_p", 0.5]] },
    { op: "lab", logits: [0, 0, 0, 0], tau: 1, u: 0.5, filters: [["top_p", 0.5, { tie: "inclusive" }]] },
    { ...rest, tau: 0, filters: [["top_p", 0.5]] },
  ]);
  assert.deepEqual(Object.keys(answer), ["scores", "p", "kept", "q", "intervals", "info", "id"]);
  assert.deepEqual(answer.kept, [3]);
  const [top_p, min_p] = answer.info;
  assert.deepEqual([top_p.step, top_p.threshold, top_p.meets], ["top_p", 0.9, false]);
  assert.deepEqual(top_p.found, [3, 2, 1, 0]);
  assert.deepEqual(top_p.values.map(six), [0, 0.718335, 0.924142, 0.983106]);
  assert.deepEqual(
    [top_p.removed, top_p.kept, top_p.q.map(six)],
    [
      [0, 1],
      [2, 3],
      [0.2227, 0.7773],
    ],
  );
  assert.deepEqual([min_p.found, min_p.p.map(six), six(min_p.threshold)], [[3, 2], [0.7773, 0.2227], 0.38865]);
  assert.deepEqual([six(min_p.mass_before), six(min_p.mass_after), six(min_p.kept_mass)], [0.924142, 0.718335, 0.7773]);
  assert.deepEqual([four.kept, four.info[0].meets], [[0, 1], true]);
  assert.deepEqual([inclusive.kept, inclusive.info[0].meets], [[0, 1, 2], true]);
  assert.deepEqual([greedy.greedy, greedy.id, greedy.info], [true, 3, null]);
});

test("hex leaves ids and words of filters as they are", () => {
  const { k, tie, ...rest } = CHAPTER;
  const [{ info, kept }] = evaluate([{ ...rest, filters: [["top_p", 0.5]], hex: true }]);
  assert.deepEqual(
    [kept, info[0].found, info[0].removed, info[0].kept, info[0].step],
    [[3], [3, 2, 1, 0], [0, 1, 2], [3], "top_p"],
  );
  assert.equal(info[0].threshold, "0x1.0000000000000p-1");
});

test("tau 0 is greedy and has no numbers", () => {
  const [answer] = evaluate([{ op: "lab", logits: [1, 1, 0], tau: 0, k: 3, u: 0.9 }]);
  assert.deepEqual(answer, { greedy: true, id: 0, scores: null, p: null, kept: null, q: null, intervals: null });
});

test("small tau shares evenly among the maxima", () => {
  const [answer] = evaluate([{ op: "lab", logits: [1, 1, 0], tau: 1e-3, k: 3, u: 0.5 }]);
  assert.deepEqual(answer.p, [0.5, 0.5, 0]);
  assert.equal(answer.id, 1);
});

test("a score of minus infinity is the string -inf, and no NaN appears", () => {
  for (const hex of [false, true]) {
    const [answer] = evaluate([{ op: "lab", logits: [-100, 100], tau: 1e-300, k: 2, u: 0, hex }]);
    const [tiny] = evaluate([{ op: "lab", logits: [-100, 100], tau: 5e-324, k: 2, u: 0, hex }]);
    assert.equal(answer.id, 1);
    assert.equal(tiny.scores[0], "-inf");
    for (const each of [answer, tiny]) assert.doesNotMatch(JSON.stringify(each), /nan|null|"inf/i);
  }
});

test("hex floats in, as strings, and out on request", () => {
  const [plain, hex] = evaluate([
    CHAPTER,
    {
      ...CHAPTER,
      tau: "0x1.999999999999ap-1",
      logits: ["0x0p+0", "0x1p+0", "0x1p1", "0X1.8P+1"],
      u: "0x0.8p0",
      hex: true,
    },
  ]);
  assert.equal(hex.id, plain.id);
  assert.deepEqual(hex.kept, plain.kept);
  assert.deepEqual(hex.scores, ["-0x1.e000000000000p+1", "-0x1.4000000000000p+1", "-0x1.4000000000000p+0", "0x0.0p+0"]);
  for (const text of [...hex.p, ...hex.q, ...hex.intervals.flat()]) assert.match(text, /^0x[01]\.[0-9a-f]+p[+-]\d+$/);
});

test("a bad line gives an error and the next goes on", () => {
  const bad = [
    ["{", "ERR_PARAM"],
    ["[1]", "ERR_PARAM"],
    ["null", "ERR_PARAM"],
    ["3", "ERR_PARAM"],
    [{ ...CHAPTER, op: "sample" }, "ERR_PARAM"],
    [{ ...CHAPTER, op: undefined }, "ERR_PARAM"],
    [{ ...CHAPTER, op: "toString" }, "ERR_PARAM"],
    [{ ...CHAPTER, logits: undefined }, "ERR_PARAM"],
    [{ ...CHAPTER, logits: "0 1 2 3" }, "ERR_PARAM"],
    [{ ...CHAPTER, logits: [0, "abc"] }, "ERR_PARAM"],
    [{ ...CHAPTER, logits: [0, "nan", 1] }, "ERR_NAN"],
    [{ ...CHAPTER, logits: [0, "inf", 1] }, "ERR_INF"],
    [{ ...CHAPTER, logits: [0, "-inf", 1] }, "ERR_INF"],
    [{ ...CHAPTER, logits: [] }, "ERR_EMPTY"],
    [{ ...CHAPTER, logits: new Array(65).fill(0) }, "ERR_LENGTH"],
    [{ ...CHAPTER, tau: -1 }, "ERR_PARAM"],
    [{ ...CHAPTER, tau: "nan" }, "ERR_PARAM"],
    [{ ...CHAPTER, tau: "0.8" }, "ERR_PARAM"],
    [{ ...CHAPTER, k: 0 }, "ERR_PARAM"],
    [{ ...CHAPTER, k: 5 }, "ERR_PARAM"],
    [{ ...CHAPTER, k: 1.5 }, "ERR_PARAM"],
    [{ ...CHAPTER, u: 1 }, "ERR_PARAM"],
    [{ ...CHAPTER, u: -0.1 }, "ERR_PARAM"],
    [{ ...CHAPTER, tie: "loose" }, "ERR_PARAM"],
    [{ ...CHAPTER, temperature: 1 }, "ERR_PARAM"],
    [{ ...CHAPTER, hex: "yes" }, "ERR_PARAM"],
  ];
  const answers = evaluate(bad.flatMap(([line]) => [line, CHAPTER]));
  assert.equal(answers.length, 2 * bad.length);
  bad.forEach(([line, code], index) => {
    const { error, ...rest } = answers[2 * index],
      name = JSON.stringify(line);
    assert.deepEqual(rest, {}, name);
    assert.equal(error?.code, code, name);
    assert.ok(error.message.length > 5, name);
    assert.equal(answers[2 * index + 1].id, 3, `after ${name}`);
  });
});

test("10,000 lines, in order, and Windows line ends", () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => ({
    ...CHAPTER,
    logits: [0, 0, 0, 0],
    tau: 1,
    k: 4,
    u: index / 10_000,
  }));
  const answers = evaluate(lines, { end: "\r\n" });
  assert.deepEqual(
    answers.map(answer => answer.id),
    lines.map((_, index) => Math.floor(index / 2500)),
  );
});

test("no input is no output", () => assert.deepEqual(evaluate([]), []));

test("another command is refused with a usage message", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "frobnicate"], {
    encoding: "utf8",
  });
  assert.equal(status, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /frobnicate/);
});
