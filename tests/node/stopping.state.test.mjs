// What a typed batch means: separators, ids, and each kind of wrong input, with a sentence of its own in
// both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, importSource } from "./support.mjs";

const { draftOf, initialDraft, joinRows, lookalike, matches, newRow, parseLimit, parseRow, read, sound, splitRows } =
  await importSource("web/elements/stopping/state.ts");
const { presets } = await importSource("web/elements/stopping/presets.ts");
const { zh, en } = await importSource("tests/messages.mjs");
const kind = ({ tokens, problem }) => problem?.kind ?? tokens;

test("separators of tokens, and full-width forms", () => {
  for (const text of ["EOS a a", "EOS,a,a", " EOS， a、a ", "EOS\ta\na", "ＥＯＳ　ａ　ａ"])
    assert.deepEqual(parseRow(text, 3).tokens, ["EOS", "a", "a"], text);
});

test("tokens: 1 to 12 letters, digits, underscores; 1 to 8 a row, and enough for the limit", () => {
  assert.deepEqual(parseRow("abcdefghijkl A_9 0", 3).tokens, ["abcdefghijkl", "A_9", "0"]);
  assert.deepEqual(parseRow("abcdefghijklm a", 1).problem, { kind: "tokenTooLong", text: "abcdefghijklm" });
  for (const bad of ["a-b", "a.b", "é", "字", "a/b", "<eos>", "a'b"])
    assert.equal(kind(parseRow(`x ${bad}`, 1)), "badToken", bad);
  for (const empty of ["", "  ", ",", "、"]) assert.equal(kind(parseRow(empty, 1)), "empty");
  assert.equal(kind(parseRow("1 2 3 4 5 6 7 8", 8)).length, 8);
  assert.deepEqual(parseRow("1 2 3 4 5 6 7 8 9", 1).problem, { kind: "tooMany", found: 9 });
  assert.deepEqual(parseRow("a b", 3).problem, { kind: "short", found: 2, limit: 3 });
  assert.equal(kind(parseRow("a".repeat(2001), 1)), "textTooLong");
});

test("a row with an EOS may be shorter than the limit", () => {
  assert.deepEqual(parseRow("a EOS", 4).tokens, ["a", "EOS", "PAD", "PAD"]);
  assert.deepEqual(parseRow("EOS b", 4).tokens, ["EOS", "b", "PAD", "PAD"]);
  assert.equal(kind(parseRow("a PAD", 4)), "short");
  const { ids, padId } = read({ ...initialDraft, rows: ["a EOS", "b c d e"], limit: "4" }).config;
  const { rows } = api.stop(cores.simd, ids, { eos: [1], pad: padId, maxNewTokens: 4 });
  assert.deepEqual(rows, [
    { answer: 1, finish: "eos", step: 2 },
    { answer: 4, finish: "length", step: 4 },
  ]);
});

test("what is sound of a batch: wrong rows or limit as in another, or else both", () => {
  const eight = draftOf(presets.eight),
    rows = draftOf(presets.rowByRow);
  assert.equal(sound({ ...eight, limit: "99" }, eight).limit, 8);
  assert.deepEqual(sound({ ...rows, rows: ["-"], pad: "shared" }, rows).rows, read(rows).config.rows);
  assert.equal(sound({ ...rows, rows: ["-"], pad: "shared" }, rows).pad, "shared");
});

test("the limit: a whole number from 1 to 8", () => {
  for (const text of ["1", "8", " 3 ", "３"]) assert.ok(parseLimit(text).value, text);
  const bad = { 0: "outOfRange", 9: "outOfRange", "-1": "outOfRange", 2.5: "notWhole", abc: "notNumber", "": "empty" };
  for (const [text, problem] of Object.entries(bad)) assert.equal(parseLimit(text).problem?.kind, problem, text);
});

test("each problem is a sentence of its own, in both languages", () => {
  for (const { stopping } of [zh, en]) {
    const problems = ["", "1 2 3 4 5 6 7 8 9", "abcdefghijklm a b", "a-b c d", "a b", "a".repeat(2001)].map(text =>
      stopping.rowProblem(parseRow(text, 3).problem),
    );
    const limits = ["0", "9", "2.5", "", "x"].map(text => stopping.limitProblem(parseLimit(text).problem));
    assert.equal(new Set([...problems, ...limits]).size, 11);
    for (const text of [...problems, ...limits]) assert.match(text, /^\S.*[。.]$/);
  }
});

test("lower case is an ordinary token, and is said to be", () => {
  for (const text of ["eos a", "a Pad", "EOS eOS"]) assert.ok(lookalike(text), text);
  for (const text of ["EOS a", "PAD", "eosa"]) assert.equal(lookalike(text), undefined, text);
  const { ids } = read({ ...initialDraft, rows: ["eos a b"], limit: "3" }).config;
  assert.deepEqual(ids, [[2, 3, 4]]);
});

test("ids: EOS 1, PAD 0 or 1, others from 2 in order of first appearance", () => {
  const draft = { ...initialDraft, rows: ["b EOS a", "PAD b c", "a d PAD"], limit: "3" };
  assert.deepEqual(read(draft).config.ids, [
    [2, 1, 3],
    [0, 2, 4],
    [3, 5, 0],
  ]);
  assert.deepEqual(read({ ...draft, pad: "shared" }).config.ids, [
    [2, 1, 3],
    [1, 2, 4],
    [3, 5, 1],
  ]);
  assert.equal(read({ ...draft, pad: "shared" }).config.padId, 1);
});

test("one wrong field leaves no batch, and says which", () => {
  const reading = read({ ...initialDraft, rows: ["EOS a a", "x", "y z EOS"] });
  assert.equal(reading.config, null);
  assert.deepEqual(
    reading.rowProblems.map(problem => problem?.kind),
    [undefined, "short", undefined],
  );
  const limit = read({ ...initialDraft, limit: "9" });
  assert.deepEqual(
    [limit.config, limit.limitProblem.kind, limit.rowProblems.some(Boolean)],
    [null, "outOfRange", false],
  );
});

test("presets are legal batches, each with its own purpose", () => {
  const run = (name, rule = "latch") => {
    const { ids, limit, padId } = read(draftOf(presets[name])).config;
    return api.stop(cores.simd, ids, { eos: [1], pad: padId, maxNewTokens: limit, rule });
  };
  for (const name of Object.keys(presets)) {
    assert.equal(run(name).stopped, true, name);
    assert.ok(matches(draftOf(presets[name]), presets[name]), name);
  }
  const finish = name => run(name).rows.map(row => row.finish);
  assert.deepEqual(finish("rowByRow"), ["eos", "eos", "eos"]);
  assert.deepEqual(finish("length"), ["eos", "eos", "length"]);
  assert.deepEqual(run("rowByRow").pad, 3);
  assert.deepEqual([run("rowByRow", "any").lost, run("rowByRow", "any").lost_eos], [1, 2]);
  assert.deepEqual([run("together").columns, run("together").pad], [1, 0]);
  assert.deepEqual(run("padOwn").rows[0], { answer: 3, finish: "length", step: 3 });
  assert.deepEqual(run("padShared").rows[0], { answer: 1, finish: "eos", step: 2 });
  assert.equal(run("prompt").rows[1].finish, "length");
  assert.equal(run("single").cells.length, 1);
  assert.deepEqual([run("eight").columns, run("eight").cells.length], [8, 3]);
});

test("rows of one text, there and back; a new row reaches every limit", () => {
  assert.deepEqual(splitRows("EOS a a / x EOS b/y z EOS"), ["EOS a a", "x EOS b", "y z EOS"]);
  assert.deepEqual(splitRows("a\tb \r\n  c; d "), ["a\tb", "c", "d"]);
  assert.deepEqual(splitRows(joinRows(initialDraft.rows)), initialDraft.rows);
  for (let limit = 1; limit <= 8; limit++) assert.equal(parseRow(newRow(limit), limit).tokens.length, limit);
});
