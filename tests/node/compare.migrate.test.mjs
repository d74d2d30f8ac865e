// How to make one engine do as another: what is offered has been run, agrees to rounding, and nothing is
// offered where no setting and no order of steps can do it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cores, importSource } from "./support.mjs";

const core = cores.simd;
const { runOf } = await importSource("web/compare/run.ts");
const { follow, migrationOf, planOf, SHORT_ROWS } = await importSource("web/compare/migrate.ts");
const { codeOf } = await importSource("web/compare/codegen.ts");
const { api } = await import("./support.mjs");

const MEASURE = [0.5, 0.2, 0.15, 0.15].map(Math.log);
const configOf = (logits, settings, context = []) => ({
  logits,
  settings,
  context,
  seed: "42",
  engines: [],
  pair: ["", ""],
});
function moved(from, to, logits, settings, context) {
  const config = configOf(logits, settings, context),
    run = name => runOf(core, name, Float32Array.from(logits), settings, context ?? []);
  return migrationOf(core, config, run(from), run(to));
}

test("document 000's closure: candle measures p among the top k once they sum to 1", () => {
  const { before, move } = moved("transformers", "candle", MEASURE, { temperature: 1, top_k: 2, top_p: 0.6 });
  assert.ok(before.total_variation > 0.28 && move.gap.total_variation < 1e-6);
  assert.equal(move.way, "steps");
  const { language, text } = codeOf(core, "candle", move);
  assert.equal(language, "Rust");
  assert.match(
    text,
    /Sampling::TopP \{ p: 0\.6, temperature: 1\.0 \}[\s\S]*sample_f\(logits, \|p\| \{\n +keep_top_k\(p, 2\);\n/,
  );
});

test("a default is made up for by a setting", () => {
  const slope = Array.from({ length: 64 }, (_, id) => (64 - id) / 32);
  const there = moved("transformers", "candle", slope, { temperature: 0.7 }),
    back = moved("candle", "transformers", slope, { temperature: 0.7 });
  assert.deepEqual([there.move.way, back.move.way], ["settings", "settings"]);
  assert.match(codeOf(core, "candle", there.move).text, /Sampling::TopK \{ k: 50, temperature: 0\.7 \}/);
  assert.match(codeOf(core, "transformers", back.move).text, /do_sample=True, temperature=0\.7, top_k=0, top_p=1\.0/);
});

test("the temperature before or after: only another order of steps will do", () => {
  const { move } = moved("llama.cpp", "transformers", [4, 2, 1, 0], { temperature: 2, top_p: 1, min_p: 0.1 });
  assert.deepEqual(
    [move.way, move.plan.ops.map(({ setting }) => setting), move.differs],
    ["steps", ["top_k", "min_p", "temperature"], null],
  );
});

test("where nothing helps: a setting that is missing, a limit that lies elsewhere, a heap", () => {
  const missing = moved(
    "transformers",
    "ollama",
    [2, 1.5, 0, -1, 1],
    { temperature: 1, top_p: 1, repetition_penalty: 1.3 },
    [0, 0, 2, 3],
  );
  assert.deepEqual([missing.move, missing.lacks], [null, "repetition_penalty"]);
  const line = [0.5, 0.25, 0.125, 0.125].map(Math.log);
  assert.equal(moved("sglang", "transformers", line, { temperature: 1, top_p: 0.75 }).move, null);
  assert.equal(
    moved("transformers", "exllamav2", [5, 4.5, 4, 2, 1, 0, -1, -3], {
      temperature: 2,
      top_k: 4,
      top_p: 0.9,
      min_p: 0.05,
    }).move,
    null,
  );
});

test("a plan measures what is left: engines that measure before top-k run top-p first", () => {
  const config = configOf([1, 0], { temperature: 0.5, top_k: 1, top_p: 0.5, min_p: 0.1 });
  const orders = Object.fromEntries(
    Object.keys(core.abi.profile).map(name => [
      name,
      planOf(core, name, config)
        .ops.map(({ setting }) => (setting.at(-1) === "e" ? "t" : setting[0] === "m" ? "m" : setting.at(-1)))
        .join(""),
    ]),
  );
  assert.deepEqual(
    [
      orders.transformers,
      orders.candle,
      orders["llama.cpp"],
      orders["mlx-lm"],
      orders.vllm,
      orders.sglang,
      orders.flashinfer,
      orders.ollama,
    ],
    ["tkpm", "tpk", "kpmt", "pmkt", "tmkp", "tpkm", "tpk", "ktpm"],
  );
});

test("whatever is offered agrees on the row, and on every short row but those it names", () => {
  const names = Object.keys(core.abi.profile),
    settings = [
      { temperature: 0.7, top_k: 3, top_p: 0.8 },
      { temperature: 1.5, top_p: 0.9, min_p: 0.1 },
      { temperature: 0.8, top_k: 2 },
      { repetition_penalty: 1.3, temperature: 1 },
      {},
    ];
  let offered = 0;
  for (const from of names)
    for (const to of names)
      for (const each of settings) {
        if (from === to) continue;
        const { move } = moved(from, to, [2.5, 2, 1.25, 1, 0, -1], each, [0, 2, 2]);
        if (!move) continue;
        offered++;
        for (const row of SHORT_ROWS) {
          const logits = Float32Array.from(row),
            known = [0, 2, 2].filter(id => id < row.length);
          const run = follow(core, to, move.way, move.plan, logits, known),
            truth = runOf(core, from, logits, each, known);
          if (!run?.distribution || !truth.distribution) continue;
          const gap = api.gap(core, truth.distribution, run.distribution),
            same = gap.n_only_p + gap.n_only_q === 0 && gap.total_variation <= 1e-6;
          if (!same) assert.ok(move.differs, `${from} -> ${to} ${JSON.stringify(each)} on ${row}`);
          if (!same) break;
        }
        const code = codeOf(core, to, move);
        assert.equal(code !== null, ["transformers", "candle", "llama.cpp", "mlx-lm"].includes(to));
      }
  assert.ok(offered > 200, `${offered} moves`);
});
