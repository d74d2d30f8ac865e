// `snippet smp-stopping`: HTML with the worked table of a batch, and refusals with exit codes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cells, command } from "./support.mjs";

const snippet = (...args) => command("snippet", "smp-stopping", ...args);

test("the tag, and the whole run as a table", () => {
  const { status, stdout } = snippet("--lang", "en");
  assert.equal(status, 0);
  assert.match(
    stdout,
    /<smp-stopping lang="en" rows="EOS a a \/ x EOS b \/ y z EOS" limit="3">\n  <div slot="fallback"><table>/,
  );
  assert.deepEqual(cells(stdout).slice(1), [
    ["Row 1", "EOS (1)", "PAD (0)", "PAD (0)", "none", "EOS", "step 1"],
    ["Row 2", "x (3)", "EOS (1)", "PAD (0)", "x", "EOS", "step 2"],
    ["Row 3", "y (5)", "z (6)", "EOS (1)", "y z", "EOS", "step 3"],
  ]);
});

test("a shared id, another limit, one row, a wrong rule", () => {
  const { stdout } = snippet("--rows", "a PAD b", "--limit", "3", "--pad", "shared", "--rule", "same-step");
  assert.match(stdout, /rows="a PAD b" limit="3" pad="shared" rule="same-step"/);
  assert.deepEqual(cells(stdout)[1], ["第 1 行", "a (2)", "EOS (1)", "a", "EOS", "第 2 步"]);
});

test("what is wrong is said: exit code 1 for a batch, 2 for the call", () => {
  const calls = [
    [["--limit", "9"], 1, /limit/],
    [["--rows", "a-b c d"], 1, /a-b/],
    [["--rows", "a / b / c / d"], 2, /4 rows/],
    [["--pad", "none"], 2, /--pad: found none; allowed: own, shared/],
    [["--rule", "latch"], 2, /--rule/],
    [["--tau", "1"], 2, /tau/],
  ];
  for (const [args, code, text] of calls) {
    const { status, stdout, stderr } = snippet(...args);
    assert.deepEqual([status, stdout], [code, ""], args.join(" "));
    assert.match(stderr, text);
  }
});
