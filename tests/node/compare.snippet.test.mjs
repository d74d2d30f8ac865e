// `snippet smp-compare`: HTML with what each library keeps, and refusals with exit codes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cells, command } from "./support.mjs";

const snippet = (...args) => command("snippet", "smp-compare", ...args);

test("the tag with every parameter, and what each library keeps", () => {
  const { status, stdout } = snippet(
    ..."--temperature 1 --top-k 2 --top-p 1 --lang en".split(" "),
    "--logits",
    "3 2 2 1",
    "--engines",
    "transformers candle",
  );
  assert.equal(status, 0);
  assert.match(
    stdout,
    /<smp-compare lang="en" logits="3 2 2 1" temperature="1" top_k="2" top_p="1" min_p="" repetition_penalty="" repeat_last_n="" context="" seed="42" engines="transformers candle" pair="transformers candle">/,
  );
  assert.match(stdout, /<script src="sampling-lab-all\.js">/);
  assert.match(stdout, /keeps all that equal the k-th, candle keeps exactly k\. They part at top-k: TV 0\.211942/);
  const e = Math.E,
    part = (x, ...all) => (x / all.reduce((sum, y) => sum + y)).toFixed(6),
    all = [e, 1, 1];
  assert.deepEqual(
    cells(stdout)
      .slice(1)
      .map(row => row.slice(0, 3)),
    [
      ["transformers", `ID 0 (${part(e, ...all)}), ID 1 (${part(1, ...all)}), ID 2 (${part(1, ...all)})`, "0"],
      ["candle", `ID 0 (${part(e, e, 1)}), ID 1 (${part(1, e, 1)})`, part(1, ...all)],
    ],
  );
});

test("a refusal in the engine's own words", () =>
  assert.match(
    snippet("--logits", "2 1", "--temperature", "0").stdout,
    /<td>A weight is negative, too large or not a valid number<\/td><td>—<\/td>/,
  ));

test("what is wrong is said: exit code 1 for a setting, 2 for the call", () => {
  const calls = [
    [["--logits", "1"], 1, /logits: .*2–64/],
    [["--seed", "18446744073709551616"], 1, /seed: .*18446744073709551615/],
    [["--engines", "candle torch"], 1, /engines: .*torch.*transformers/],
    [["--engines", "candle"], 1, /engines/],
    [["--lang", "de"], 2, /--lang: found de; allowed: zh, en/],
    [["--tau", "1"], 2, /tau/],
  ];
  for (const [args, code, text] of calls) {
    const { status, stdout, stderr } = snippet(...args);
    assert.deepEqual([status, stdout], [code, ""], args.join(" "));
    assert.match(stderr, text);
  }
});
