// The questions of tests/vectors/migrate.json: moves of one engine to another, and the code that the page
// gives for each.
//
//   node tests/oracle/migrate.mjs      after ./build.sh build; then migrate.py runs the code and adds what it answers
//
// Answers stay where the code is still the same.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cores, fromRoot, importSource } from "../node/support.mjs";

const { runOf } = await importSource("web/compare/run.ts");
const { COMPOSED, migrationOf } = await importSource("web/compare/migrate.ts");
const { codeOf } = await importSource("web/compare/codegen.ts");

const ROWS = {
  twelve: [5, 4.5, 4.25, 3.5, 3, 2.75, 2, 1.5, 0.25, -0.5, -1, -3],
  slope: Array.from({ length: 64 }, (_, id) => (64 - id) / 32),
  tie: [3, 2, 2, 1],
};
const FROM = ["transformers", "candle", "llama.cpp", "mlx-lm", "vllm", "sglang", "ollama"];
const ASKED = [
  ["twelve", { temperature: 0.7, top_k: 6, top_p: 0.8 }, []],
  ["twelve", { temperature: 1.5, top_p: 0.9, min_p: 0.1 }, []],
  ["twelve", { temperature: 0.8, top_k: 8, top_p: 0.9, repetition_penalty: 1.3 }, [0, 0, 3, 11]],
  ["slope", { temperature: 0.7, top_k: 40, top_p: 0.9 }, []],
  ["slope", { temperature: 0.7 }, []],
  ["tie", { temperature: 1, top_k: 2 }, []],
  ["tie", { temperature: 0 }, []],
];

const path = fromRoot("tests/vectors/migrate.json"),
  old = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).cases : [];
const cases = [];
for (const to of COMPOSED)
  for (const from of FROM)
    for (const [row, settings, context] of from === to ? [] : ASKED) {
      const logits = ROWS[row],
        config = { logits, settings, context, seed: "42", engines: [], pair: [from, to] };
      const run = name => runOf(cores.simd, name, Float32Array.from(logits), settings, context);
      const { move } = migrationOf(cores.simd, config, run(from), run(to));
      if (!move) continue;
      const code = codeOf(cores.simd, to, move).text,
        same = each => each.code === code && each.row === row && String(each.context) === String(context);
      if (cases.some(same)) continue; // another engine's rules come to the same
      cases.push({
        from,
        to,
        row,
        settings,
        context,
        way: move.way,
        code,
        ...(old.find(each => same(each))?.answer ? { answer: old.find(same).answer } : {}),
      });
    }
const comment =
  "Moves of an engine to another, the code that the page gives for each, and what the package made of it: kept ids and their probabilities, or how often candle drew an id in 20,000 draws with seed 42; tests/oracle/migrate.mjs and migrate.py";
const inner = value => JSON.stringify(value);
const lists = [
  `"_comment":${inner(comment)}`,
  `"rows":{\n${Object.entries(ROWS)
    .map(([name, row]) => `${inner(name)}:${inner(row)}`)
    .join(",\n")}\n}`,
  `"cases":[\n${cases.map(inner).join(",\n")}\n]`,
];
writeFileSync(path, `{\n${lists.join(",\n")}\n}\n`);
console.log(`${cases.length} cases, ${cases.filter(({ answer }) => answer).length} with an answer`);
