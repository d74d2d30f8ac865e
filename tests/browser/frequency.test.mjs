// <smp-frequency> as a reader uses it: figures, line, generators, throws, a million draws, curves, links, every width.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../node/support.mjs";
import { LOOKS, violations } from "./axe.mjs";
import { sticksOut } from "./layout.mjs";
import { drawn, plain, start } from "./support.mjs";

const { lab, release } = await start();
const { messages: en } = await importSource("web/elements/frequency/messages.en.ts");
const { messages: zh } = await importSource("web/elements/frequency/messages.zh.ts");
const { presetNames } = await importSource("web/elements/frequency/presets.ts");
const api = await import("../../dist/sampling-lab.mjs");
const core = await api.load();
const tidy = text => text.replace(/\s+/g, " ").trim();

async function open(attributes = "", options = {}) {
  const page = await lab(`<main><h1>page</h1><smp-frequency ${attributes}></smp-frequency></main>`, {
    script: "sampling-lab-all.js",
    ...options,
  });
  const host = page.locator("smp-frequency"),
    m = options.lang === "zh" ? zh : en;
  const rows = selector =>
    host
      .locator(`${selector} tbody tr`)
      .evaluateAll(all => all.map(row => [...row.children].map(cell => cell.textContent.replace(/\s+/g, " ").trim())));
  return {
    page,
    host,
    m,
    rows,
    heading: async () => tidy(await host.locator(".main h3").textContent()),
    line: host.getByRole("slider", { name: /^Line/ }),
    box: name => host.getByRole("textbox", { name: plain(m.fields[name]), exact: true }),
    preset: name => host.getByRole("button", { name: m.presets[name], exact: true }),
    press: name => host.getByRole("button", { name, exact: true }),
    spoken: async () => tidy(await host.locator("[role=status]").textContent()),
    settled: () =>
      page.waitForFunction(() => !document.querySelector("smp-frequency").shadowRoot.querySelector("progress")),
    async enter(name, text) {
      await this.box(name).fill(text);
      await this.box(name).blur();
    },
  };
}

/** What `eval` says of a request. */
const draw = request => JSON.parse(api.evaluateLine(core, JSON.stringify({ op: "draw", ...request })));

test("the record: heading, table, chi-square, generators", async () => {
  const r = await open();
  await r.settled();
  assert.equal(await r.heading(), "1,000 draws: ID 2 came 230 times, expected 222.7");
  assert.deepEqual(await r.rows(".tallied"), [
    ["ID 0", "0", "0", "removed: never drawn"],
    ["ID 1", "0", "0", "removed: never drawn"],
    ["ID 2", "230", "222.700", "+7.300", "13.157", "+0.555"],
    ["ID 3", "770", "777.300", "−7.300", "13.157", "−0.555"],
  ]);
  assert.match(
    tidy(await r.host.locator(".sheet .notes").first().textContent()),
    /Chi-square 0\.308 with 1 degree .* 579 of 1,000/,
  );
  await r.page.waitForFunction(
    () => !/…/.test(document.querySelector("smp-frequency").shadowRoot.querySelector(".gens")?.textContent ?? "…"),
  );
  const gens = await r.host.locator(".gens li:not(.gaxis)").evaluateAll(all => all.map(li => li.textContent.trim()));
  for (const [name, count] of [
    ["torch, up to 2.6", 230],
    ["torch, today", 227],
    ["candle", 218],
    ["llama.cpp", 216],
  ])
    assert.ok(gens.includes(`${name}${count}`), `${name}: ${gens}`);
  assert.deepEqual(r.page.heard.messages, []);
});

test("every preset's figures equal eval's", async () => {
  const r = await open();
  for (const name of presetNames) {
    await r.host.evaluate((host, preset) => (host.preset = preset), name);
    await r.settled();
    const { logits, tau, k, draws, seed, source, skip } = await r.host.evaluate(host =>
      Object.fromEntries(["logits", "tau", "k", "draws", "seed", "source", "skip"].map(key => [key, host[key]])),
    );
    const said = draw({
      logits: logits.split(" ").map(Number),
      tau: Number(tau),
      k: Number(k),
      draws: Number(draws),
      seed,
      generator: source,
      before: Number(skip),
    });
    const rows = (await r.rows(".tallied")).filter(row => row.length > 4);
    assert.deepEqual(
      rows.map(row => row[1].replaceAll(",", "")),
      said.counts.map(String),
      name,
    );
    assert.deepEqual(
      rows.map(row => row[5].replace("−", "-").replace("+", "")),
      said.z.map(z => z.toFixed(3)),
      name,
    );
  }
});

test("the line: keys, bars and table follow; the run stays", async () => {
  const r = await open();
  await r.settled();
  const walk = () => r.host.locator(".walk").first().getAttribute("d"),
    whole = await walk();
  await r.line.focus();
  await r.page.keyboard.press("Home");
  assert.match(await r.heading(), /^1 draw: /);
  await r.page.keyboard.press("ArrowRight");
  assert.match(await r.heading(), /^2 draws: /);
  await r.page.keyboard.press("Shift+ArrowRight");
  assert.match(await r.heading(), /^12 draws: /);
  await r.page.keyboard.press("End");
  assert.match(await r.heading(), /^1,000 draws: ID 2 came 230/);
  assert.match(await r.spoken(), /^1,000 draws: ID 2 came 230/);
  await r.page.keyboard.press("ArrowLeft");
  assert.match(await r.heading(), /^990 draws: /);
  assert.equal(await walk(), whole);
  assert.equal(await r.host.evaluate(host => host.at), "990");
});

test("a million draws: progress, stop and go on", async () => {
  const r = await open('source="torch"');
  await r.settled();
  await r.enter("draws", "1000000");
  await r.press(en.figure.cancel).click();
  const stopped = await r.host.locator("progress").getAttribute("value");
  assert.ok(Number(stopped) < 1_000_000);
  await r.press(en.figure.go).click();
  await r.settled();
  await r.page.waitForFunction(() =>
    /^1,000,000 /.test(document.querySelector("smp-frequency").shadowRoot.querySelector(".main h3").textContent),
  );
  const said = draw({ logits: [0, 1, 2, 3], tau: 0.8, k: 2, draws: 1_000_000, seed: "2718", generator: "torch" });
  assert.deepEqual(
    (await r.rows(".tallied")).slice(2).map(row => Number(row[1].replaceAll(",", ""))),
    said.counts,
  );
});

test("a run that is overtaken by another leaves nothing behind", async () => {
  const r = await open('source="torch"');
  await r.settled();
  const seen = await r.host.evaluate(async host => {
    const heading = () => host.shadowRoot.querySelector(".main h3").textContent,
      found = [];
    for (const draws of [1_000_000, 1000, 1_000_000, 500_000, 10]) {
      host.draws = draws;
      await new Promise(requestAnimationFrame);
    }
    for (let frame = 0; frame < 30; frame++) {
      await new Promise(requestAnimationFrame);
      found.push(heading());
    }
    return [...new Set(found)];
  });
  const { counts } = draw({ logits: [0, 1, 2, 3], tau: 0.8, k: 2, draws: 10, seed: "2718", generator: "torch" });
  assert.deepEqual(seen.map(tidy), [`10 draws: ID 2 came ${counts[0]} times, expected 2.227`]);
});

test("throws: one u after the other on the ruler, then bars; a race where there is no u", async () => {
  const r = await open('source="own"');
  await r.settled();
  const counts = async () => tidy(await r.host.locator(".throws .tally").textContent());
  assert.match(await counts(), /^u = 0\.\d+ falls on ID \d\. 1 thrown:/);
  await r.press("Throw 10").click();
  assert.equal(await r.host.locator(".dots i").count(), 11);
  await r.press("Throw to N").click();
  assert.match(await counts(), /1,000 thrown: ID 2 220, ID 3 780/);
  assert.equal(await r.host.locator(".dots b").count(), 2);
  assert.equal(await r.press("Throw 1").getAttribute("aria-disabled"), "true");
  await r.press("Clear").click();
  assert.equal(await r.host.locator(".dots i").count(), 0);
  await r.host.evaluate(host => (host.source = "torch-mkl"));
  await drawn(r.page);
  assert.match(await counts(), /^ID 3 wins\. 1 thrown: ID 2 0, ID 3 1/);
  assert.equal(await r.host.locator(".race .lane i").count(), 2);
});

test("another run: the same with the seed again, another going on", async () => {
  const r = await open();
  await r.settled();
  const counts = async () => tidy(await r.host.locator(".rounds p").textContent());
  await r.press("Draw 1,000 again").click();
  assert.equal(await counts(), "ID 2 run by run: 230, 230; the same seed, the same counts.");
  await r.host.getByRole("checkbox", { name: en.rounds.seeded }).uncheck();
  await r.press("Draw 1,000 again").click();
  const both = draw({ logits: [0, 1, 2, 3], tau: 0.8, k: 2, draws: 2000, seed: "2718", generator: "torch-mkl" });
  assert.equal(await counts(), `ID 2 run by run: 230, ${both.counts[0] - 230}.`);
});

test("temperatures: typed, by keys, taken away; the pair of the ratio", async () => {
  const r = await open();
  await r.settled();
  assert.deepEqual((await r.rows(".temps"))[4], ["Entropy (nats)", "0.455429", "0.947537", "1.152640"]);
  await r.enter("taus", "0.1 1 5");
  assert.deepEqual((await r.rows(".temps"))[3].slice(1).length, 3);
  const knob = r.host.locator(".mknob").nth(1);
  await knob.focus();
  await r.page.keyboard.press("ArrowRight");
  assert.equal(await r.host.evaluate(host => host.taus), "0.1 1.06 5");
  await r.page.keyboard.press("Delete");
  assert.equal(await r.host.evaluate(host => host.taus), "0.1 5");
  await r.host.getByRole("combobox", { name: en.curves.pair[1] }).selectOption("0");
  assert.match(tidy(await r.host.locator(".relation").textContent()), /p3 \/ p0 = e/);
});

test("one draw before: what moved is named; the bins that bincount leaves out", async () => {
  const r = await open('preset="missing"');
  await r.settled();
  assert.deepEqual(
    await r.host.locator(".arr").evaluateAll(all => all.map(list => [...list.children].map(li => li.textContent))),
    [
      ["50", "31", "22", "none3"],
      ["50", "31", "22", "03"],
    ],
  );
  await r.preset("record").click();
  await r.host.getByRole("checkbox", { name: en.arrays.before }).check();
  assert.equal(await r.host.evaluate(host => host.skip), "1");
  assert.match(tidy(await r.host.locator(".shift").textContent()), /The first went out|went out and/);
});

test("wrong input: what was typed stays, what is allowed is told, the last right result stays", async () => {
  const r = await open();
  await r.settled();
  for (const [name, text, said] of [
    ["draws", "2000000", /allowed: a whole number from 1 to 1,000,000/],
    ["seed", "-1", /“-1” is not a seed; allowed: a whole number from 0 to 2⁶⁴ − 1/],
    ["k", "9", /allowed: a whole number from 1 to 4/],
    ["taus", "1 2 3 4 5 6 7", /allowed: 1 to 6 temperatures/],
    ["logits", "1 x", /allowed: 1 to 8 numbers/],
  ]) {
    const before = await r.box(name).inputValue();
    await r.enter(name, text);
    assert.equal(await r.box(name).inputValue(), text);
    const id = await r.box(name).getAttribute("aria-describedby");
    assert.match(tidy(await r.host.locator(`#${id}`).textContent()), said);
    assert.match(await r.heading(), /^1,000 draws: ID 2 came 230/);
    await r.enter(name, before);
  }
  await r.enter("seed", "18446744073709551615");
  await r.host.getByRole("combobox", { name: en.source }).selectOption("llama.cpp");
  assert.match(tidy(await r.host.locator("[data-field=source]").textContent()), /llama\.cpp does not take this seed/);
  assert.deepEqual(r.page.heard.messages, []);
});

test("a link holds it all; events say it; what is mistyped in an attribute is told", async () => {
  const r = await open('id="f" at="10" source="numpy"');
  await r.settled();
  assert.match(r.page.heard.messages.join(), /source="numpy" is ignored; allowed: torch-mkl, torch,/);
  assert.match(await r.heading(), /^10 draws/);
  await r.page.evaluate(() => addEventListener("smp-change", ({ detail }) => (window.last = detail)));
  await r.enter("seed", "7");
  await r.line.focus();
  await r.page.keyboard.press("ArrowLeft");
  const detail = await r.page.evaluate(() => window.last);
  assert.deepEqual([detail.config.seed, detail.draft.source, detail.at], ["7", "torch-mkl", 990]);
  await r.press("Copy link").click();
  const address = await r.host.locator("textarea").inputValue(),
    heading = await r.heading();
  await r.page.goto("about:blank");
  await r.page.goto(address);
  await r.settled();
  assert.equal(await r.heading(), heading);
});

for (const lang of ["zh", "en"])
  test(`${lang}: nothing hangs out from 320 to 1200 px, in any preset`, async () => {
    const r = await open("", { lang });
    await r.settled();
    for (const width of [320, 360, 420, 560, 700, 768, 960, 1200]) {
      await r.page.setViewportSize({ width, height: 900 });
      for (const preset of width % 320 ? ["record"] : presetNames.filter(name => name !== "million")) {
        await r.host.evaluate((host, name) => (host.preset = name), preset);
        await r.settled();
        assert.deepEqual(await sticksOut(r.host), [], `${width} px, ${preset}`);
        assert.equal(
          await r.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          true,
          `${width} px`,
        );
      }
    }
  });

// both languages, forced colours, and the narrow composition
for (const { name, lang, options } of LOOKS.filter((_, index) => index % 2))
  test(`axe-core finds no violation: ${name}`, async () => {
    const r = await open(`lang="${lang}"`, { lang, keep: true, ...options });
    await r.settled();
    for (const source of ["torch-mkl", "own"]) {
      await r.host.evaluate((host, value) => (host.source = value), source);
      await r.settled();
      assert.deepEqual(await violations(r.page), []);
    }
    release(r.page);
  });

test("printed: the table and the figure, without controls", async () => {
  const r = await open();
  await r.settled();
  await r.page.emulateMedia({ media: "print" });
  assert.equal(await r.host.locator(".knob").isVisible(), false);
  assert.equal(await r.host.locator(".presets").isVisible(), false);
  assert.equal(await r.host.locator(".tallied").isVisible(), true);
  assert.equal(await r.host.locator(".walk").first().isVisible(), true);
});
