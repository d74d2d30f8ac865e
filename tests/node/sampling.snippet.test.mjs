// `snippet smp-sampling` with words and filters; and the texts of filters in the module that travels with the elements.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { api, cells, command, fromRoot } from "./support.mjs";

const snippet = (...args) => command("snippet", "smp-sampling", "--lang", "en", ...args);

test("options are called as the attributes; a preset, parts and a heading go into the tag", () => {
  assert.equal(
    snippet("--k", "3", "--top_p", "0.5", "--rules", "top_k top_p").stdout,
    snippet("--top-k", "3", "--top-p", "0.5", "--rules", "top_k top_p").stdout,
  );
  const tie = snippet("--preset", "tie", "--u", "0.9", "--heading", "3").stdout;
  assert.match(tie, /<smp-sampling lang="en" preset="tie" u="0.9" heading="3">/);
  assert.match(tie, /logits 3 2 2 0/);
  assert.match(snippet("--preset", "real").stdout, /ID 0 (&quot;|")The/, "with the preset's own words");
  const bare = snippet("--parts", "figure notes").stdout;
  assert.match(bare, / parts="figure notes">/);
  assert.doesNotMatch(bare, /min-height/, "the heights are those of all parts");
  for (const [args, what] of [
    [["--k", "2", "--top-k", "2"], /given twice/],
    [["--preset", "none"], /--preset: found none; allowed: chapter/],
    [["--parts", "figur"], /--parts: found figur; allowed: title, presets/],
    [["--heading", "7"], /--heading: found 7; allowed: 2, 1, 3/],
  ]) {
    const { status, stderr } = snippet(...args);
    assert.deepEqual([status, what.test(stderr)], [2, true], stderr);
  }
});

test("without words and filters nothing of them is in the tag", () => {
  assert.match(snippet().stdout, /<smp-sampling lang="en" logits="0 1 2 3" tau="0.8" k="2" u="0.5">/);
});

test("words and filters, in the tag and in the worked table", () => {
  const { status, stdout } = snippet(
    ...["--rules", "top_p min_p", "--labels", 'the "<b> x"', "--top-p", "0.9", "--tie-p", "inclusive"],
  );
  assert.equal(status, 0);
  const attributes = Object.fromEntries(
    [.../<smp-sampling .*>/.exec(stdout)[0].matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]),
  );
  assert.deepEqual(attributes, {
    ...{ lang: "en", logits: "0 1 2 3", tau: "0.8", u: "0.5", top_p: "0.9", min_p: "0.1", tie_p: "inclusive" },
    ...{ labels: "the &quot;&lt;b> x&quot;", rules: "top_p min_p" },
  });
  assert.match(stdout, /top-p = 0.9, min-p = 0.1, u = 0.5\./);
  const rows = cells(stdout).slice(1);
  assert.deepEqual(
    rows.map(row => [row[0], row.at(-1)]),
    [
      ["ID 0 &quot;the&quot;", "removed by top-p"],
      ["ID 1 &quot;&lt;b> x&quot;", "removed by top-p"],
      ["ID 2", "kept"],
      ["ID 3", "chosen"],
    ],
  );
  assert.deepEqual(rows[3].slice(4, 6), ["0.777300", "[0.222700, 1)"]);
});

test("what is wrong is said", () => {
  for (const [args, status, text] of [
    [["--rules", "top_p x"], 2, /--rules: found top_p x; allowed: top_k, top_p, min_p/],
    [["--max", "17"], 2, /--max: found 17; allowed: 1 to 16/],
    [["--labels", '"a'], 2, /--labels: found "a; allowed: words/],
    [["--tie-p", "last"], 2, /--tie-p/],
    [["--rules", "top_p", "--top-p", "2"], 1, /top_p: .*0 to 1/],
    [["--logits", "1 2 3 4 5 6 7 8 9"], 1, /1 to 8 numbers/],
    [["--logits", "a: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"], 1, /1 to 16 numbers/],
  ]) {
    const made = snippet(...args);
    assert.deepEqual([made.status, made.stdout], [status, ""], args.join(" "));
    assert.match(made.stderr, text);
  }
});

for (const module of ["elements", "elements-scalar"])
  test(`the module ${module} says what top-p and min-p may be`, async () => {
    const core = await api.instantiate(readFileSync(fromRoot("build/wasm", `${module}.wasm`)));
    for (const filter of [
      ["top_p", 2],
      ["min_p", -1],
    ])
      assert.throws(
        () => api.lab(core, [0, 1], { tau: 1, u: 0, filters: [filter] }),
        ({ message, allowed }) => message.includes(filter[0]) && allowed === "a number from 0 to 1",
      );
  });
