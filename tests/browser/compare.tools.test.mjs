// What <smp-compare> adds for those who port: the numbers at the cut, the order of comparing, moves, the
// hunt, document 000.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../node/support.mjs";
import { start } from "./support.mjs";

const { lab } = await start();
const { messages: en } = await importSource("web/elements/compare/messages.en.ts");
const api = await import("../../dist/sampling-lab.mjs");
const core = await api.load();

async function open(attributes) {
  const page = await lab(`<main><smp-compare ${attributes}></smp-compare></main>`, {
    lang: "en",
    script: "sampling-lab-all.js",
  });
  const host = page.locator("smp-compare"),
    text = async locator => (await locator.innerText()).replace(/\s+/g, " ").trim();
  return {
    page,
    host,
    text,
    tool: async name => host.locator("summary").filter({ hasText: name }).click(),
    button: name => host.getByRole("button", { name, exact: true }),
  };
}

test("the numbers at the cut are eval's: values, threshold, and the mark where rounding decides", async () => {
  const me = await open("preset=boundary"),
    cut = me.host.locator(".cut");
  const row = [-0.6931471805599453, -1.3862943611198906, -2.0794415416798357, -2.0794415416798357];
  const told = name =>
    JSON.parse(
      api.evaluateLine(
        core,
        JSON.stringify({
          op: "engine",
          engine: name,
          logits: row,
          settings: { temperature: 1, top_p: 0.75 },
          trace: { setting: "top_p", ids: [0, 1, 2, 3] },
        }),
        () => null,
      ),
    ).trace;
  const traces = ["transformers", "sglang"].map(told);
  assert.deepEqual(await cut.locator(".compared li").allInnerTexts(), [
    `transformers compares ${en.cut.kinds["sum-from-below"]}; threshold 0.250000`,
    `sglang compares ${en.cut.kinds["sum-before"]}; threshold 0.750000`,
  ]);
  const cells = await cut
    .locator("tbody tr")
    .evaluateAll(rows =>
      rows.map(each =>
        [...each.querySelectorAll("td")].map(cell => [
          parseFloat(cell.textContent),
          cell.querySelector("em") !== null,
          /stays/.test(cell.textContent),
        ]),
      ),
    );
  for (const id of [0, 1, 2, 3])
    for (const side of [0, 1]) {
      const { value, kept, by_rounding } = traces[side].rows[id],
        [shown, marked, stays] = cells[id][side];
      assert.ok(Math.abs(shown - value) <= 5e-7, `${id} ${side}`);
      assert.deepEqual([marked, stays], [by_rounding, kept], `${id} ${side}`);
    }
  assert.ok(cells.flat().some(([, marked]) => marked));
});

test("logits first, then distributions, the greedy choice, and only then what is drawn", async () => {
  const me = await open("preset=measure"),
    { stages } = en;
  assert.deepEqual(await me.host.locator(".stage").allInnerTexts(), [
    `1 ${stages.logits}`,
    `2 ${stages.distributions}`,
    `3 ${stages.greedy}`,
    `4 ${stages.random}`,
  ]);
  const lines = me.host.locator(".line");
  assert.equal(await me.text(lines.nth(0)), stages.equal);
  assert.equal(await me.text(lines.nth(1)), `${stages.both} ID 0`);
  await me.host.evaluate(element => (element.preset = "penalty"));
  assert.equal(await me.text(lines.nth(0)), stages.unequal([0, 3]).replace(/\s+/g, " "), "logit 0 of id 2 stays 0");
});

test("moves: both ways, TV before and after, and code", async () => {
  const me = await open("preset=measure");
  await me.tool(en.migrate.title);
  const there = me.host.getByRole("group", { name: en.migrate.heading("transformers", "candle"), exact: true });
  assert.match(await me.text(there), /Settings are not enough.*TV falls from 0\.285714 to (0|\d\.\de−\d+)\./);
  assert.match(await there.locator("code").innerText(), /Sampling::TopP \{ p: 0\.6, temperature: 1\.0 \}/);
  await me.host.evaluate(element => (element.preset = "penalty"));
  await me.host.getByText(en.migrate.lacks("ollama", "repetition penalty")).waitFor();
});

test("a counterexample is found, taken over, and what it was for ends it", async () => {
  const me = await open(
    `logits="2 1 0" temperature=1 top_k=1 top_p=1 engines="llms-from-scratch chapter" pair="llms-from-scratch chapter"`,
  );
  await me.tool(en.hunt.title);
  await me.button(en.hunt.start).click();
  await me.button(en.hunt.take).waitFor();
  assert.match(await me.text(me.host.locator(".hunting")), /They differ on 0 0\. 1 rows? tried\./);
  await me.button(en.hunt.take).click();
  assert.equal(await me.host.evaluate(element => element.logits), "0 0");
  assert.equal(await me.button(en.hunt.take).count(), 0, "the setting is another now");
  await me.host.evaluate(element =>
    Object.assign(element, {
      top_k: "50",
      engines: "transformers transformers.js",
      pair: "transformers transformers.js",
    }),
  );
  await me.button(en.hunt.start).click();
  await me.host
    .locator(".hunting .tally")
    .getByText(/rows tried, and they differ on none/)
    .waitFor();
});

test("a hunt ends with a change", async () => {
  const me = await open(
    `temperature=1 top_p=1 top_k=50 engines="transformers transformers.js" pair="transformers transformers.js"`,
  );
  await me.tool(en.hunt.title);
  await me.button(en.hunt.start).click();
  await me.host.locator(".hunting .tally").waitFor();
  await me.host.evaluate(element => (element.temperature = "0.5"));
  await me.page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)));
  assert.equal(await me.host.locator(".hunting .tally").count(), 0);
});

test("document 000's figures stand beside ours", async () => {
  const me = await open("preset=defaults");
  await me.tool(en.document.title);
  const rows = await me.host
    .locator(".beside tbody tr")
    .evaluateAll(lines => lines.map(line => [...line.querySelectorAll("td")].map(cell => cell.textContent)));
  assert.deepEqual(
    rows.map(([theirs]) => theirs),
    ["14 / 31", "0.0745", "7.48 %", "0.0606", "60 / 39", "4.66"],
  );
  const slope = Array.from({ length: 64 }, (_, id) => (64 - id) / 32);
  const compare = settings =>
    JSON.parse(
      api.evaluateLine(
        core,
        JSON.stringify({ op: "compare", engines: ["transformers", "candle"], logits: slope, settings }),
        () => null,
      ),
    ).pairs[0];
  const both = compare({ temperature: 0.7, top_k: 40, top_p: 0.9 }),
    bare = compare({ temperature: 0.7 });
  assert.deepEqual(rows.map(([, ours]) => ours).slice(0, 4), [
    both.n_kept.join(" / "),
    both.tv.toFixed(4),
    `${(100 * both.only[1].mass).toFixed(2)} %`,
    bare.tv.toFixed(4),
  ]);
});
