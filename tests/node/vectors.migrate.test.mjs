// The code that the page gives for a move, as the real packages ran it: what they keep and draw with is what the engine
// that is copied keeps and draws with. And the page still gives that code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cores, importSource, readVectors } from "./support.mjs";

const { runOf } = await importSource("web/compare/run.ts");
const { migrationOf } = await importSource("web/compare/migrate.ts");
const { codeOf } = await importSource("web/compare/codegen.ts");
const { rows, cases } = readVectors("migrate.json");

for (const [index, { from, to, row, settings, context, way, code, answer }] of cases.entries())
  test(`${index}: ${to} as ${from}, ${row} ${JSON.stringify(settings)}`, {
    skip: !answer && `no answer of ${to} yet`,
  }, () => {
    const logits = rows[row],
      run = name => runOf(cores.simd, name, Float32Array.from(logits), settings, context),
      copied = run(from);
    const { move } = migrationOf(
      cores.simd,
      { logits, settings, context, seed: "42", engines: [], pair: [from, to] },
      copied,
      run(to),
    );
    assert.deepEqual(
      [move.way, codeOf(cores.simd, to, move).text],
      [way, code],
      "the page gives other code: run tests/oracle/migrate.mjs",
    );
    const ids = [...copied.distribution.ids],
      p = [...copied.distribution.p];
    if (answer.kept) {
      assert.deepEqual(answer.kept, ids);
      for (const [place, each] of answer.p.entries())
        assert.ok(Math.abs(each - p[place]) <= 1e-6, `p of ${ids[place]}: ${each}, want ${p[place]}`);
      return;
    }
    const counts = new Map(answer.counts);
    assert.equal(
      [...counts.values()].reduce((sum, count) => sum + count, 0),
      answer.draws,
    );
    for (const id of counts.keys()) assert.ok(ids.includes(id), `${id} was drawn and is not kept`);
    for (const [place, id] of ids.entries()) {
      const error = Math.sqrt((p[place] * (1 - p[place])) / answer.draws),
        frequency = (counts.get(id) ?? 0) / answer.draws;
      assert.ok(Math.abs(frequency - p[place]) <= 5 * error + 1e-9, `${id} in ${frequency}, want ${p[place]}`);
    }
  });

test("every composed library and both ways are among them", () => {
  assert.deepEqual([...new Set(cases.map(({ to }) => to))].sort(), ["candle", "llama.cpp", "mlx-lm", "transformers"]);
  for (const way of ["settings", "steps"]) assert.ok(cases.filter(each => each.way === way).length > 10);
});
