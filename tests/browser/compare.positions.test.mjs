// Real positions in Chromium: from the second script, with the settings of a long row, and never a result
// of an older setting.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { ALL, api, base, core, en, FIRST, fixture, LOGITS, open, openPage, piece, reader } from "./compare.mjs";
import { en as common, ROOT } from "./support.mjs";

test("the figures of a real row under four settings, equal to eval's, with pieces", async () => {
  const me = await open(`position=first temperature=0.7 engines="transformers candle llama.cpp transformers.js"`);
  const asked = {
    "the default": [{ top_k: "", top_p: "" }, [50, 49152], "2.673e-2"],
    "top-k 40": [{ top_k: "40", top_p: "1" }, [40, 40], null],
    "top-p 0.9": [{ top_k: "0", top_p: "0.9" }, [14, null], null],
    "both": [{ top_k: "40", top_p: "0.9" }, [11, 14], "2.388e-2"],
  };
  for (const [name, [settings, kept, tv]] of Object.entries(asked)) {
    await me.host.evaluate((element, values) => Object.assign(element, values), settings);
    const { request, answer } = await me.vector(),
      figures = await me.figures();
    assert.equal(request.logits_file, "first.f32");
    const told = JSON.parse(api.evaluateLine(core, JSON.stringify(request), () => FIRST));
    assert.deepEqual(answer, told, name);
    const [first, second] = told.engines;
    if (first.error === null && second.error === null)
      assert.equal(figures[en.pair.kept], `transformers ${first.n_kept}, candle ${second.n_kept}`, name);
    for (const [index, count] of kept.entries())
      if (count !== null) assert.equal(told.engines[index].n_kept, count, name);
    if (tv) assert.deepEqual([told.pairs[0].tv.toExponential(3), figures.TV], [tv, told.pairs[0].tv.toFixed(6)], name);
    const streams = Object.fromEntries(
      (await me.cells(en.streams.label)).map(([engine, ids, words]) => [engine, [ids, words]]),
    );
    for (const { engine, ids, words } of told.engines)
      if (ids)
        assert.deepEqual(
          streams[engine],
          [ids.map(id => `${id}${piece(id)}`).join(" "), String(words)],
          `${name} ${engine}`,
        );
  }
  const rows = await me.tokens();
  assert.deepEqual(
    rows.map(([id]) => id),
    [16313, 28589, 32632, 18, 52, 56, 24925, 26986, 74, 178, 26308, 17086].map(id => `ID ${id}${piece(id)}`),
  );
  assert.deepEqual(
    rows.map(row => row.at(-1)),
    [...Array(4).fill("both"), ...Array(3).fill("candle only"), ...Array(5).fill("neither")],
  );
  assert.match(await me.said(), /Largest 27\.057873, at ID 19556 “Hello”\./);
});

test("in a long row the marks and hues are those of the eight largest logits, and no other id has one", async () => {
  const me = await open('position="first"');
  const marks = await me.host
    .locator(".tokens tbody tr")
    .evaluateAll(rows =>
      rows.map(row => [
        Number(row.dataset.id),
        row.querySelector(".mark") !== null,
        row.querySelector(".tok").dataset.id,
      ]),
    );
  assert.ok(marks.length > 8);
  for (const [rank, marked, of] of marks) assert.deepEqual([rank < 8, Number(of)], [marked, rank]);
  assert.deepEqual(
    marks.map(([rank]) => rank).filter(rank => rank < 8),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
});

test("100,000 draws of candle: those outside the other's set are 2.4 %, and all are the core's", async () => {
  const me = await open(`position=first temperature=0.7 top_k=40 top_p=0.9 pair="transformers candle"`),
    draws = me.host.getByRole("group", { name: en.draws.label, exact: true });
  await draws.getByRole("combobox").selectOption("candle");
  await draws.getByRole("button", { name: en.draws.start }).click();
  await draws.getByText(en.draws.progress("100,000")).waitFor();
  const result = api.engine(core, "candle", FIRST, { settings: { temperature: 0.7, top_k: 40, top_p: 0.9 } }),
    counts = {};
  for (const id of api.draw(core, result, FIRST.length, api.seeded(core, "chacha12", "42"), 100_000).ids)
    counts[id] = (counts[id] ?? 0) + 1;
  const outside = [52, 56, 24925].reduce((sum, id) => sum + counts[id], 0);
  assert.ok(Math.abs(outside / 100_000 - 0.023878) < 5 * Math.sqrt((0.023878 * 0.976122) / 100_000));
  assert.ok(
    (await draws.innerText()).includes(`${outside.toLocaleString("en")} of them (${(outside / 1000).toFixed(2)} %)`),
  );
  const [top] = await me.cells(en.draws.label);
  assert.deepEqual(top.slice(0, 2), ["ID 19556Hello", String(counts[19556])]);
});

test("the second script may come before the first, after it, later, or not at all", async () => {
  for (const order of [
    { before: LOGITS, after: ALL },
    { before: ALL, after: LOGITS },
    { before: LOGITS + ALL, after: "" },
    { before: "", after: ALL + LOGITS },
  ]) {
    const me = await open("position=sure", order);
    await me.settled();
    assert.equal(await me.button("One word is almost sure").getAttribute("aria-pressed"), "true");
  }
  const me = await open("position=open", { before: "" }),
    typed = await me.tokens();
  assert.ok((await me.said()).includes(en.source.missing("open")));
  assert.equal(typed.length, 4);
  await me.page.addScriptTag({ url: "/dist/sampling-lab-logits.js" });
  assert.equal((await me.tokens()).length, 12);
  assert.ok(!(await me.said()).includes(en.source.missing("open")));
  assert.deepEqual(me.page.heard.messages, []);
});

test("a real position tells what it has set, and what was typed comes back whole", async () => {
  const me = await open("preset=penalty"),
    fields = ["temperature", "top_k", "top_p", "min_p", "repetition_penalty", "context"];
  const values = () => Promise.all(fields.map(name => me.field(name).inputValue()));
  const before = await values();
  assert.deepEqual(before, ["1", "", "1", "", "1.3", "0 0 2 3"]);
  await me.button("First word of an answer").click();
  assert.ok((await me.said()).includes(en.source.told));
  await me.button("Many words would do").click();
  assert.ok((await me.said()).includes(en.source.told));
  await me.button(en.source.typed).click();
  assert.deepEqual(await values(), before);
  assert.ok(!(await me.said()).includes(en.source.told));
  // what the reader sets meanwhile stays
  await me.button("First word of an answer").click();
  await me.field("top_k").fill("7");
  assert.ok(!(await me.said()).includes(en.source.told));
  await me.button(en.source.typed).click();
  assert.deepEqual(
    await values(),
    before.map((text, index) => (index === 1 ? "7" : text)),
  );
  // settings of the reader's own are not changed, and nothing is said
  await me.button("First word of an answer").click();
  assert.deepEqual((await values()).slice(0, 5), ["1", "7", "1", "", "1.3"]);
  assert.ok(!(await me.said()).includes(en.source.told));
  await me.button(en.source.typed).click();
  await me.choose(fixture("f4-little.npy"));
  await me.source.getByText("f4-little.npy: ").waitFor();
  await me.button(en.source.typed).click();
  assert.equal(await me.field("context").inputValue(), "0 0 2 3");
});

test("choosing a position: telling settings and its context; back to what was typed", async () => {
  const me = await open(),
    before = await me.tokens();
  await me.button("First word of an answer").click();
  assert.deepEqual(
    [
      await me.field("temperature").inputValue(),
      await me.field("top_k").inputValue(),
      await me.field("top_p").inputValue(),
    ],
    ["0.7", "40", "0.9"],
  );
  assert.match(await me.field("context").inputValue(), /^1 9690 198 .* 9531 198$/);
  assert.equal((await me.figures())[en.pair.kept], "transformers 11, candle 14");
  await me.field("top_k").fill("5");
  await me.button("Many words would do").click();
  assert.equal(await me.field("top_k").inputValue(), "5", "what the reader has set stays");
  await me.button(common.exports.link).click();
  const link = await me.host.locator("textarea").inputValue();
  await me.page.goto("about:blank");
  await me.page.goto(link);
  assert.equal(await me.host.evaluate(({ position, top_k }) => `${position} ${top_k}`), "open 5");
  await me.button(en.source.typed).click();
  await me.host.getByRole("button", { name: en.presets.measure, exact: true }).click();
  assert.deepEqual(await me.tokens(), before);
});

test("both scripts under a strict policy with trusted types, and from disk", async () => {
  const policy =
    "default-src 'none'; img-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
  const body = src =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>x</title><body><script src="${src}/sampling-lab-logits.js"></script><smp-compare position="first"></smp-compare><script src="${src}/sampling-lab-all.js"></script>`;
  const strict = reader(await openPage(`${base}/page.html?${new URLSearchParams({ html: body("/dist"), policy })}`));
  assert.equal((await strict.tokens()).length, 12);
  assert.deepEqual(strict.page.heard.messages, []);
  const path = join(ROOT, "build/files.html");
  writeFileSync(path, body("../dist"));
  const disk = reader(await openPage(pathToFileURL(path).href));
  assert.equal((await disk.tokens()).length, 12);
  assert.deepEqual(disk.page.heard.messages, []);
  assert.equal(disk.page.heard.requests.length, 3);
});

test("25 changes while draws run: whatever stands on the page belongs to the setting on view", async () => {
  const me = await open(
    `position=first temperature=0.7 top_k=40 top_p=0.9 engines="transformers candle llama.cpp transformers.js" pair="transformers candle"`,
  );
  await me.settled();
  const seen = await me.page.evaluate(async start => {
    const root = document.querySelector("smp-compare").shadowRoot,
      slider = root.querySelector("[data-field=temperature] input[type=range]"),
      found = [];
    const text = selector => root.querySelector(selector)?.textContent;
    const look = () =>
      found.push({
        temperature: slider.value,
        tally: root.querySelectorAll("progress").length,
        kept: text(".figures dd"),
        bitten: root.querySelector(".pair[aria-busy]") ? null : text(".ladder .bite td:last-child"),
        candle: root.querySelector(".streams[aria-busy]")
          ? null
          : [...root.querySelectorAll(".streams tbody tr")]
              .find(row => row.textContent.startsWith("candle"))
              ?.querySelector(".drawn").textContent,
      });
    let running = 0;
    for (let i = 0; i < 25; i++) {
      [...root.querySelectorAll("button")].find(each => each.textContent === start).click();
      await new Promise(resolve => setTimeout(resolve, 5 + 5 * (i % 8)));
      running += root.querySelectorAll("progress").length;
      slider.value = String(0.3 + 0.05 * (i % 20));
      slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      for (let wait = 0; wait < 6; wait++) {
        look();
        await new Promise(resolve => setTimeout(resolve, 10 * (i % 5)));
      }
    }
    while (root.querySelector("[aria-busy=true]")) await new Promise(requestAnimationFrame);
    look();
    return { running, found };
  }, en.draws.start);
  assert.ok(seen.running > 0, "draws were under way");
  assert.ok(
    seen.found.some(({ candle }) => candle),
    "and some results were complete",
  );
  const right = new Map(
    [...new Set(seen.found.map(({ temperature }) => temperature))].map(temperature => {
      const settings = { temperature: Number(temperature), top_k: 40, top_p: 0.9 };
      const told = JSON.parse(
        api.evaluateLine(
          core,
          JSON.stringify({
            op: "compare",
            engines: ["transformers", "candle"],
            logits_file: "x",
            settings,
            seed: "42",
            draws: 20,
          }),
          () => FIRST,
        ),
      );
      return [temperature, told];
    }),
  );
  for (const { temperature, tally, kept, bitten, candle } of seen.found) {
    const {
      engines: [one, two],
      pairs: [{ tv }],
    } = right.get(temperature);
    assert.equal(tally, 0);
    assert.equal(kept, `transformers ${one.n_kept}, candle ${two.n_kept}`);
    if (bitten) assert.ok(bitten.startsWith(tv.toFixed(6)), `${temperature}: ${bitten}`);
    if (candle) assert.equal(candle.replace(/\s+/g, " ").trim(), two.ids.map(id => `${id}${piece(id)}`).join(" "));
  }
});
