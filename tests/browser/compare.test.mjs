// The engines in Chromium as a reader would use them: figures that equal `eval`, keys, wrong input, draws
// that never go stale.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { importSource } from "../node/support.mjs";
import { LOOKS, violations } from "./axe.mjs";
import { sticksOut } from "./layout.mjs";
import { en as common, plain, ROOT, start, zh as commonZh } from "./support.mjs";

const { lab } = await start();
const { messages: en } = await importSource("web/elements/compare/messages.en.ts");
const { messages: zh } = await importSource("web/elements/compare/messages.zh.ts");
const { presetNames } = await importSource("web/elements/compare/presets.ts");
const api = await import("../../dist/sampling-lab.mjs");
const core = await api.load();

async function open(attributes = "", { s = en, ...options } = {}) {
  const m = s === en ? common : commonZh;
  const page = await lab(`<main><h1>page</h1><smp-compare ${attributes}></smp-compare></main>`, {
    lang: m.lang,
    script: "sampling-lab-all.js",
    ...options,
  });
  const host = page.locator("smp-compare"),
    frame = () => page.evaluate(() => new Promise(requestAnimationFrame));
  const text = async locator => (await frame(), (await locator.textContent()).replace(/\s+/g, " ").trim());
  const me = {
    s,
    page,
    host,
    frame,
    text,
    field: name => host.getByRole("textbox", { name: plain(s.fields[name]), exact: true }),
    button: name => host.getByRole("button", { name, exact: true }),
    about: async name => text(host.locator(`#${await me.field(name).getAttribute("aria-describedby")}`)),
    cells: async (locator, selector = "tbody tr") => (
      await frame(),
      locator
        .locator(selector)
        .evaluateAll(rows =>
          rows.map(row =>
            [...row.querySelectorAll("th, td")].map(cell => cell.textContent.replace(/\s+/g, " ").trim()),
          ),
        )
    ),
    tokens: () => me.cells(host.getByRole("group", { name: s.tokens.name, exact: true })),
    streams: () => me.cells(host.getByRole("group", { name: s.streams.label, exact: true })),
    why: () => text(host.locator(".why")),
    figures: async () => (
      await frame(),
      Object.fromEntries(
        await host
          .locator(".figures > div")
          .evaluateAll(parts =>
            parts.map(part => [...part.children].map(child => child.textContent.replace(/\s+/g, " ").trim())),
          ),
      )
    ),
    /** The test vector that the page offers. */
    async vector() {
      await me.button(s.vector).click();
      return JSON.parse(await host.locator("textarea").inputValue());
    },
    draws: host.getByRole("group", { name: s.draws.label, exact: true }),
  };
  return me;
}

test("every figure equals eval's, for every preset", async () => {
  const me = await open();
  for (const preset of presetNames) {
    await me.host.evaluate((element, name) => (element.preset = name), preset);
    await me.frame();
    const { request, answer } = await me.vector();
    const told = JSON.parse(api.evaluateLine(core, JSON.stringify(request), () => null));
    assert.deepEqual(answer, told, preset);
    const pair = await me.host.evaluate(element => element.pair.split(" "));
    const { tv, max_id, n_kept, only } = told.pairs.find(({ engines }) => engines.every(name => pair.includes(name)));
    const figures = await me.figures();
    assert.equal(figures[en.pair.kept], `${pair[0]} ${n_kept[0]}, ${pair[1]} ${n_kept[1]}`, preset);
    if (tv >= 1e-6) assert.equal(figures.TV, tv.toFixed(6), preset);
    assert.ok(figures[en.pair.most].endsWith(`ID ${max_id}`), preset);
    for (const [index, name] of pair.entries()) {
      const said = figures[en.pair.only(name)];
      if (!only[index].n) assert.equal(said, en.pair.nobody, preset);
      else
        assert.ok(
          said.startsWith(`ID ${only[index].ids[0]}`) && said.endsWith(`mass ${only[index].mass.toFixed(6)}`),
          `${preset}: ${said}`,
        );
    }
    const streams = Object.fromEntries((await me.streams()).map(([name, ids, words]) => [name, [ids, words]]));
    for (const { engine, ids, words } of told.engines)
      assert.deepEqual(streams[engine], ids ? [ids.join(" "), String(words)] : undefined, `${preset} ${engine}`);
    for (const { error } of told.engines)
      if (error) assert.ok(await me.host.getByText(error, { exact: true }).isVisible());
  }
});

test("the token table: both probabilities, and who keeps what", async () => {
  const me = await open("preset=boundary");
  assert.deepEqual(await me.tokens(), [
    ["ID 0", "−0.693147", "0.666667", "0.571429", "both"],
    ["ID 1", "−1.386294", "0.333333", "0.285714", "both"],
    ["ID 2", "−2.079442", "0", "0.142857", "sglang only"],
    ["ID 3", "−2.079442", "0", "0", "neither"],
  ]);
  assert.match(
    await me.why(),
    /drops while the sum is ≤\s1\s−\sp, sglang keeps while the mass before is ≤\sp\. They part at top-p: TV 0\.142857, on ID\s2\./,
  );
  assert.match(
    await me.text(me.host.locator(".sources")),
    /transformers: ran, 5\.22\.0.*2026-\d\d-\d\d.*sglang: read, pytorch backend, 2026-\d\d-\d\d/,
  );
});

test("settings that a library does not have, and defaults, are said", async () => {
  const me = await open("preset=defaults");
  assert.match(await me.about("top_k"), /transformers, transformers\.js 50.*llama\.cpp 40/);
  await me.field("min_p").fill("0.1");
  assert.equal(await me.about("min_p"), en.lacking(["candle", "transformers.js"]));
});

test("wrong input: what was typed stays, a message says what is allowed, the last valid result stays and is marked", async () => {
  const me = await open();
  const before = await me.tokens(),
    why = await me.why(),
    messages = new Set();
  const bad = {
    logits: ["", "1", "1 x", "1 1001", "1 ".repeat(65)],
    temperature: ["x", "1e400"],
    top_k: ["1.5", "3000000000"],
    context: ["9", "a"],
    seed: ["", "-1", "18446744073709551616"],
  };
  for (const [name, texts] of Object.entries(bad)) {
    const right = await me.field(name).inputValue();
    for (const text of texts) {
      await me.field(name).fill(text);
      assert.equal(await me.field(name).inputValue(), text);
      assert.equal(await me.field(name).getAttribute("aria-invalid"), "true");
      messages.add(await me.about(name));
      assert.match(await me.about(name), /Allowed: /);
      assert.deepEqual([await me.tokens(), await me.why()], [before, why]);
      assert.ok(await me.host.locator("p.stale").isVisible());
    }
    await me.host.getByRole("button", { name: /^llama\.cpp and sglang/ }).click();
    assert.equal(await me.field(name).getAttribute("aria-invalid"), "true");
    assert.notDeepEqual(await me.tokens(), before, "another pair can be looked at meanwhile");
    await me.host.getByRole("button", { name: /^transformers and candle/ }).click();
    await me.field(name).fill(right);
    assert.equal(await me.host.locator("p.stale").count(), 0);
  }
  assert.equal(messages.size, Object.values(bad).flat().length);
  for (const name of ["candle", "llama.cpp", "transformers.js", "vllm", "sglang"])
    await me.host.getByRole("checkbox", { name: new RegExp(`^${name.replace(".", "\\.")}(?!\\.)`) }).uncheck();
  assert.ok(await me.host.locator("#few").isVisible());
  assert.deepEqual((await me.tokens()).length, before.length);
});

test("keys: the matrix, the libraries and the fields, and none leaves the element", async () => {
  const me = await open();
  await me.page.evaluate(() => {
    window.escaped = [];
    document.addEventListener("keydown", event => window.escaped.push(event.key));
  });
  await me.host.getByRole("button", { name: /^llama\.cpp and sglang/ }).focus();
  await me.page.keyboard.press("Enter");
  assert.equal(await me.host.evaluate(element => element.pair), "llama.cpp sglang");
  assert.equal(await me.text(me.host.locator("[role=status]")), (await me.why()).replace(/^Why ?/, ""));
  await me.host.getByRole("checkbox", { name: /^ollama/ }).focus();
  await me.page.keyboard.press(" ");
  assert.match(await me.host.evaluate(element => element.engines), /ollama/);
  const slider = me.host.getByRole("slider", { name: en.slider("top-k") });
  await slider.focus();
  await me.page.keyboard.press("ArrowRight");
  assert.equal(await me.field("top_k").inputValue(), "3");
  assert.deepEqual(await me.page.evaluate(() => window.escaped), []);
});

test("100,000 draws: all, what falls outside, and a stop", async () => {
  const me = await open("preset=tie pair='transformers candle'");
  await me.draws.getByRole("combobox").selectOption("transformers");
  await me.draws.getByRole("button", { name: en.draws.start }).click();
  await me.draws.getByText(en.draws.progress("100,000")).waitFor();
  const rows = await me.cells(me.draws);
  const { kept, weights } = api.engine(core, "transformers", Float32Array.of(3, 2, 2, 1), {
    settings: { temperature: 1, top_k: 2, top_p: 1 },
  });
  const ids = api.draw(core, { kept, weights, drawing: "race" }, 4, api.seeded(core, "mt19937", "42"), 100_000).ids,
    counts = [0, 0, 0];
  for (const id of ids) counts[id]++;
  assert.deepEqual(
    rows.map(([id, count]) => [id, Number(count)]),
    counts.map((count, id) => [`ID ${id}`, count]),
  );
  assert.ok((await me.text(me.draws)).includes(`${counts[2].toLocaleString("en")} of them`));
});

test("25 changes while draws run: none of the old draws is ever shown beside the new setting", async () => {
  const me = await open("preset=stream");
  const seen = await me.page.evaluate(async start => {
    const root = document.querySelector("smp-compare").shadowRoot,
      slider = root.querySelector("[data-field=temperature] input[type=range]");
    const button = text => [...root.querySelectorAll("button")].find(each => each.textContent === text);
    const found = [];
    let running = 0;
    for (let i = 0; i < 25; i++) {
      button(start).click();
      await new Promise(resolve => setTimeout(resolve, 20));
      running += root.querySelectorAll("progress").length;
      slider.value = String(0.1 + 0.02 * i);
      slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      await new Promise(requestAnimationFrame);
      found.push(root.querySelectorAll("progress").length);
      await new Promise(resolve => setTimeout(resolve, 20));
      found.push(root.querySelectorAll("progress").length);
    }
    return { running, found };
  }, en.draws.start);
  assert.ok(seen.running > 0, "draws were under way");
  assert.deepEqual(new Set(seen.found), new Set([0]));
});

test("stop keeps what is drawn and draws no more", async () => {
  const me = await open("preset=defaults pair='transformers candle'");
  await me.draws.getByRole("combobox").selectOption("transformers");
  // a slice goes on only when it is let: on a busy machine all would be drawn before the reader could press
  const { stopped, later } = await me.page.evaluate(
    async ({ start, cancel }) => {
      const root = document.querySelector("smp-compare").shadowRoot,
        waiting = [],
        timer = window.setTimeout;
      const button = text => [...root.querySelectorAll("button")].find(each => each.textContent === text);
      const done = () => root.querySelector("progress")?.value ?? 0;
      window.setTimeout = (work, ms) => (ms ? timer(work, ms) : waiting.push(work));
      const go = async () => {
        waiting.splice(0).forEach(work => work());
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      };
      button(start).click();
      while (!done()) await go();
      const stopped = done();
      button(cancel).click();
      for (let i = 0; i < 5; i++) await go();
      window.setTimeout = timer;
      return { stopped, later: done() };
    },
    { start: en.draws.start, cancel: en.draws.cancel },
  );
  assert.ok(stopped < 100_000, `${stopped} drawn in one slice`);
  assert.equal(later, stopped);
});

test("seeds: every bit as a property, and a refusal for one library alone", async () => {
  const me = await open("preset=stream");
  for (const seed of ["0", "4294967296", "9007199254740993", "18446744073709551615"]) {
    await me.host.evaluate((element, value) => (element.seed = value), seed);
    assert.equal(await me.field("seed").inputValue(), seed);
    const [row] = (await me.streams()).filter(([name]) => name === "candle");
    assert.equal(
      row[1],
      [
        ...api.draw(
          core,
          api.engine(core, "candle", Float32Array.of(0, 1, 2, 3), {
            settings: { temperature: 0.8, top_k: 2, top_p: 1 },
          }),
          4,
          api.seeded(core, "chacha12", seed),
          20,
        ).ids,
      ].join(" "),
    );
  }
  assert.match((await me.streams()).find(([name]) => name === "llama.cpp")[1], /not taken.*4294967294/);
});

test("attributes, properties, events and the link hold the same setting", async () => {
  const me = await open(`id=c logits="1 2 3" top_k=2 engines="vllm transformers" pair="vllm transformers"`);
  assert.deepEqual(await me.host.evaluate(({ logits, top_k, engines, pair }) => [logits, top_k, engines, pair]), [
    "1 2 3",
    "2",
    "vllm transformers",
    "vllm transformers",
  ]);
  await me.page.evaluate(() => {
    window.heard = [];
    for (const type of ["smp-input", "smp-change"])
      document.addEventListener(type, ({ detail }) => window.heard.push([type, detail.config?.settings.top_p ?? null]));
    document.querySelector("smp-compare").top_k = 1;
  });
  await me.field("top_p").fill("0.5");
  await me.field("top_p").blur();
  assert.deepEqual(await me.page.evaluate(() => window.heard), [
    ["smp-input", 0.5],
    ["smp-change", 0.5],
  ]);
  await me.button(common.exports.link).click();
  const link = await me.host.locator("textarea").inputValue();
  await me.page.goto("about:blank");
  await me.page.goto(link);
  assert.deepEqual(
    await me.page
      .locator("smp-compare")
      .evaluate(({ logits, top_k, top_p, engines, pair }) => [logits, top_k, top_p, engines, pair]),
    ["1 2 3", "1", "0.5", "transformers vllm", "vllm transformers"],
  );
});

test("no width from 320 to 1200 scrolls the page, in either language, with all libraries", async () => {
  for (const s of [zh, en])
    for (const attributes of [
      "",
      "preset=mix",
      `preset=defaults engines="${Object.keys(core.abi.profile).join(" ")}" pair="transformers.js llms-from-scratch"`,
    ]) {
      const me = await open(attributes, { s });
      for (const width of [320, 360, 559, 560, 768, 959, 960, 980, 1200]) {
        await me.page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await sticksOut(me.host), [], `${width} ${attributes}`);
      }
    }
});

/** Runs in the page: numbers, and words up to a hyphen, that break over two lines. */
function brokenWords(host) {
  const walker = document.createTreeWalker(host.shadowRoot.querySelector(".lab"), NodeFilter.SHOW_TEXT),
    range = document.createRange(),
    found = [];
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (node.parentElement.closest(".vh, option, q, pre") || !node.parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<!\w)[−-]?\w[\w.]*/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = [...range.getClientRects()].filter(({ width }) => width).map(({ top }) => Math.round(top));
      if (new Set(tops).size > 1) found.push(word);
    }
  }
  return found;
}

test("no number and no word is broken, at any width, on the screen and printed", async () => {
  const logits = "-0.19234187185159453 -1.0004379124242424 -0.375 -1.8 2.5";
  for (const s of [zh, en]) {
    const me = await open(`logits="${logits}"`, { s });
    for (const width of [320, 340, 360, 390, 420, 560, 768, 1200]) {
      await me.page.setViewportSize({ width, height: 900 });
      await me.frame();
      assert.deepEqual(await me.host.evaluate(brokenWords), [], `${width}`);
    }
    for (const width of [500, 700, 900]) {
      await me.page.setViewportSize({ width, height: 900 });
      await me.page.emulateMedia({ media: "print" });
      await me.frame();
      assert.deepEqual(await me.host.evaluate(brokenWords), [], `printed, ${width}`);
    }
  }
});

test("an empty field: its slider rests on a default of the pair and says that nothing is set", async () => {
  const me = await open(
    `engines="transformers llama.cpp" pair="transformers llama.cpp" preset="defaults" top_k="" temperature="" top_p=""`,
  );
  const slider = name => me.host.getByRole("slider", { name: en.slider(en.names[name]) });
  const looks = name =>
    slider(name).evaluate(input => [
      input.value,
      input.getAttribute("aria-valuetext"),
      input.classList.contains("unset"),
    ]);
  const settings = Object.fromEntries(
    ["transformers", "llama.cpp"].map(engine => [engine, api.settingsInForce(core, engine, 4, {})]),
  );
  assert.equal(settings.transformers.top_k.value, 50);
  await me.field("logits").fill(Array.from({ length: 60 }, (_, at) => at / 10).join(" "));
  assert.deepEqual(await looks("top_k"), ["50", en.unset, true]);
  assert.deepEqual(await looks("temperature"), ["1", en.unset, true]);
  await me.field("top_k").fill("7");
  assert.deepEqual(await looks("top_k"), ["7", null, false]);
});

test("each commit is said: what is wrong, the reason, that it stays", async () => {
  const me = await open(),
    said = async () => (await me.text(me.host.getByRole("status"))).trim();
  const enter = async (name, text) => {
    await me.field(name).fill(text);
    await me.field(name).blur();
  };
  await enter("top_k", "1");
  const first = await said();
  assert.ok(first.length > 10);
  await enter("top_k", "1.0");
  assert.equal(await said(), common.unchanged(first));
  await enter("seed", "-1");
  assert.match(await said(), /seed/i);
});

test("axe-core finds no violation", async t => {
  const states = {
    start: () => {},
    refused: me => me.host.evaluate(element => (element.preset = "zero")),
    "many tokens": me => me.host.evaluate(element => (element.preset = "defaults")),
    drawn: async me => {
      await me.draws.getByRole("button").first().click();
      await me.draws.getByText("100,000", { exact: false }).last().waitFor();
    },
    tools: async me => {
      await me.host.evaluate(element => (element.preset = "measure"));
      for (const summary of await me.host.locator("summary").all()) await summary.click();
      await me.button(me.s.hunt.start).click();
      await me.button(me.s.hunt.take).waitFor();
    },
    "wrong input": me => me.field("logits").fill("x"),
  };
  for (const { name, lang, options } of LOOKS)
    await t.test(name, async () => {
      const me = await open("", { s: lang === "zh" ? zh : en, ...options });
      for (const [name, reach] of Object.entries(states)) {
        await reach(me);
        assert.deepEqual(await violations(me.page), [], name);
      }
    });
});

for (const m of [zh, en])
  for (const width of [360, 768, 1200])
    test(`${m === zh ? "zh" : "en"}: the fallback gives way without a move, ${width} px`, async () => {
      const lang = m === zh ? "zh" : "en",
        html = execFileSync(process.execPath, [join(ROOT, "dist/cli.js"), "snippet", "smp-compare", "--lang", lang], {
          encoding: "utf8",
        });
      const page = await lab(`${html.replace(/<script.*<\/script>/, "")}<p>after</p>`, {
        lang,
        script: false,
        viewport: { width, height: 900 },
        head: '<meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>',
      });
      await page.locator("smp-compare table").waitFor(); // comes into view by itself: no script is on its way
      const before = await page.getByText("after", { exact: true }).boundingBox();
      await page.addScriptTag({ url: "/dist/sampling-lab-all.js" });
      await page.getByText(m.vector, { exact: true }).waitFor();
      assert.ok(!(await page.locator("smp-compare > [slot] table").isVisible()));
      const after = await page.getByText("after", { exact: true }).boundingBox();
      assert.ok(
        Math.abs(after.y - before.y) <= 60,
        `the end moves by ${after.y - before.y} px: measure HEIGHTS in snippet.ts again`,
      );
    });

test("nothing is said on the console and nothing is asked for after the script", async () => {
  const me = await open("preset=mix");
  await me.draws.getByRole("button", { name: en.draws.start }).click();
  await me.draws.getByText(en.draws.progress("100,000")).waitFor();
  assert.deepEqual(me.page.heard.messages, []);
  assert.equal(me.page.heard.requests.length, 2);
});
