// Long rows in Chromium: real positions from the second script, the reader's own files, right and wrong, and results that
// are never those of an older setting.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { importSource, readRow } from "../node/support.mjs";
import { violations } from "./axe.mjs";
import { sticksOut } from "./layout.mjs";
import { en as common, plain, ROOT, start } from "./support.mjs";

const { lab, open: openPage, base } = await start();
const { messages: en } = await importSource("web/elements/compare/messages.en.ts");
const api = await import("../../dist/sampling-lab.mjs");
const core = await api.load();

const FIRST = readRow("a/00.f32"),
  PIECES = readFileSync(join(ROOT, "tests/vectors/logits/pieces.txt"), "utf8").split("\n");
const fixture = name => join(ROOT, "tests/vectors/files", name);
const ALL = `<script src="/dist/sampling-lab-all.js"></script>`,
  LOGITS = `<script src="/dist/sampling-lab-logits.js"></script>`;

/** A page with an element and scripts before and after it, and what a reader does there. */
async function open(attributes = "", { before = LOGITS, after = ALL, ...options } = {}) {
  const page = await lab(`<main><h1>page</h1>${before}<smp-compare ${attributes}></smp-compare>${after}</main>`, {
    script: false,
    ...options,
  });
  return reader(page);
}

function reader(page) {
  const host = page.locator("smp-compare"),
    tidy = text => text.replace(/\s+/g, " ").trim();
  const me = {
    page,
    host,
    source: host.getByRole("group", { name: en.source.label, exact: true }),
    field: name => host.getByRole("textbox", { name: plain(en.fields[name]), exact: true }),
    button: name => host.getByRole("button", { name, exact: true }),
    /** Everything stands. */
    settled: () =>
      page.waitForFunction(() => !document.querySelector("smp-compare").shadowRoot.querySelector("[aria-busy=true]")),
    said: async () => tidy(await me.source.innerText()),
    cells: async name => (
      await me.settled(),
      host
        .getByRole("region", { name, exact: true })
        .locator("tbody tr")
        .evaluateAll(rows =>
          rows.map(row =>
            [...row.querySelectorAll("th, td")].map(cell => cell.textContent.replace(/\s+/g, " ").trim()),
          ),
        )
    ),
    tokens: () => me.cells(en.tokens.name),
    figures: async () => (
      await me.settled(),
      Object.fromEntries(
        await host
          .locator(".figures > div")
          .evaluateAll(parts =>
            parts.map(part => [...part.children].map(child => child.textContent.replace(/\s+/g, " ").trim())),
          ),
      )
    ),
    choose: path => host.locator("input[type=file]").setInputFiles(path),
    /** The test vector that the page offers. */
    async vector() {
      await me.settled();
      await me.button(en.vector).click();
      return JSON.parse(await host.locator("textarea").inputValue());
    },
  };
  return me;
}

/** Where one reads `piece` beside an id. */
const piece = id => PIECES[id].replaceAll(" ", "␣").replaceAll("\\n", "⏎");

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
  assert.match(await me.said(), /Greatest 27\.057873, at ID 19556 “Hello”\./);
});

test("100,000 draws of candle: those outside the other's set are 2.4 %, and all are the core's", async () => {
  const me = await open(`position=first temperature=0.7 top_k=40 top_p=0.9 pair="transformers candle"`),
    draws = me.host.getByRole("region", { name: en.draws.label, exact: true });
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

test("files of numpy and safetensors: what is loaded is named, rows and tensors can be chosen", async () => {
  const me = await open("", { before: "" }),
    cases = JSON.parse(readFileSync(fixture("files.json"), "utf8")).cases;
  const rowOf = (file, tensor, index) =>
    Float32Array.from(
      cases
        .find(each => each.file === file)
        .tensors.find(({ name }) => name === tensor)
        .rows[index].row.match(/.{8}/g),
      hex => Buffer.from(hex, "hex").readFloatBE(),
    );
  const same = async (row, name) => {
    const { request, answer } = await me.vector();
    assert.deepEqual(answer, JSON.parse(api.evaluateLine(core, JSON.stringify(request), () => row)), name);
  };
  await me.choose(fixture("f8-big.npy"));
  await me.source.getByText("f8-big.npy: >f8, shape (40), 40 numbers.").waitFor();
  await same(rowOf("f8-big.npy", "", 0), "f8");
  assert.match(await me.said(), /\d+ of them rounded to 32-bit floats\./);
  await me.choose(fixture("two-dimensions-big.npy"));
  await me.source.getByText("two-dimensions-big.npy: >f2, shape (3, 12), 12 numbers.").waitFor();
  const index = me.source.getByRole("textbox", { name: en.source.row(3) });
  await index.fill("2");
  await index.blur();
  await same(rowOf("two-dimensions-big.npy", "", 2), "row 2");
  await index.fill("3");
  await index.blur();
  assert.match(await me.said(), /two-dimensions-big\.npy: It has no row 3\. Allowed: 0 to 2\./);
  await same(rowOf("two-dimensions-big.npy", "", 2), "the last right row stays");
  await me.choose(fixture("three-types.safetensors"));
  await me.source.getByText("three-types.safetensors: ").waitFor();
  const tensor = me.source.getByRole("combobox", { name: en.source.tensor });
  assert.deepEqual(
    await tensor.locator("option").evaluateAll(options =>
      options
        .filter(({ disabled }) => disabled)
        .map(({ value }) => value)
        .sort(),
    ),
    ["cube", "ids"],
  );
  for (const name of ["brain", "half"]) {
    await tensor.selectOption(name);
    await me.source.getByText(`shape (${name === "half" ? 3 : 2}, 12)`).waitFor();
    await same(rowOf("three-types.safetensors", name, 0), name);
  }
  await me.button(common.exports.link).click();
  assert.ok(await me.host.getByText(en.source.noLink).first().isVisible());
  assert.deepEqual(me.page.heard.messages, []);
});

test("a file of 2^20 numbers is taken in slices: the page lives on, and what was there stays until then", async () => {
  const me = await open("temperature=0.7 top_k=40 top_p=0.9", { before: "" }),
    before = await me.tokens();
  const turns = await me.page.evaluate(
    values =>
      new Promise(done => {
        const host = document.querySelector("smp-compare"),
          input = host.shadowRoot.querySelector("input[type=file]"),
          list = new DataTransfer();
        const row = new Float32Array(2 ** 20).map((_, id) => (id < values.length ? values[id] : -id / 2 ** 20));
        list.items.add(new File([row], "long.f32"));
        input.files = list.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));
        let behind = 0;
        const look = () => {
          const { shadowRoot } = host,
            text = shadowRoot.querySelector(".source").textContent,
            stale = shadowRoot.querySelector("p.stale"),
            tokens = shadowRoot.querySelector(".tokens").textContent;
          if (stale && text.includes("long.f32") && !tokens.includes("1048564")) behind++;
          if (text.includes("long.f32") && !stale) done(behind);
          else setTimeout(look);
        };
        look();
      }),
    [5, 4, 3, 2, 1],
  );
  assert.ok(turns >= 2, `${turns} turns of the page before the first result`);
  const after = await me.tokens();
  assert.notDeepEqual(after, before);
  assert.deepEqual(
    after.map(([id]) => id),
    Array.from({ length: 12 }, (_, id) => `ID ${id}`),
  );
  assert.deepEqual(me.page.heard.messages, []);
});

test("a file that is dropped, and 50 at once: the last one counts", async () => {
  const me = await open("", { before: "" });
  await me.source.evaluate(async source => {
    const drop = (name, values) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([JSON.stringify(values)], name));
      for (const type of ["dragover", "drop"])
        source.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer }));
    };
    for (let i = 0; i < 50; i++) drop(`${i}.json`, [i, 0]);
  });
  await me.source.getByText("49.json: JSON, shape (2), 2 numbers. Greatest 49, at ID 0.").waitFor();
});

test("bad files: the page says what is wrong and lives on, with its last right result", async () => {
  const me = await open("", { before: "" }),
    before = await me.tokens();
  /** Bytes, and then so many spaces: made in the page, since it takes long to send them there. */
  const file = (name, bytes = "", spaces = 0) => [name, [...Buffer.from(bytes)], spaces];
  const give = each =>
    me.host.locator("input[type=file]").evaluate((input, [name, bytes, spaces]) => {
      const list = new DataTransfer();
      list.items.add(new File([Uint8Array.from(bytes), " ".repeat(spaces)], name));
      input.files = list.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }, each);
  const length = size => Buffer.from(BigUint64Array.of(BigInt(size)).buffer),
    negative = '{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}';
  const bad = [
    [file("weights.pt", "x"), "no file of logits"],
    [file("a.f32"), "no number"],
    [file("a.f32", "12345"), "not a multiple of 4"],
    [file("a.f32", new Uint8Array(Float32Array.of(1, NaN).buffer)), "Entry 1 (from 0) is NaN"],
    [file("a.f32", "", 4 * 2 ** 20 + 4), "at most 1048576"],
    [file("a.npy", "12345678901"), "does not begin"],
    [file("a.npy", readFileSync(fixture("f4-little.npy")).subarray(0, 200)), "ends early"],
    [file("a.safetensors", length(10_000_000), 10_000_000), "header has 10000000 bytes"],
    [
      file("a.safetensors", Buffer.concat([length(negative.length), Buffer.from(`${negative}1234`)])),
      "Its shape is [-1]",
    ],
    [file("a.json", "[1, NaN]"), "“NaN”"],
  ];
  for (const [each, part] of bad) {
    await give(each);
    await me.source.getByText(part).waitFor();
    assert.deepEqual(await me.tokens(), before, part);
    assert.ok((await me.host.locator("[role=status]").textContent()).includes(part), "it is spoken too");
  }
  await give(file("a.json", "[1, 2]"));
  await me.source.getByText("a.json: JSON").waitFor();
  assert.equal(await me.source.locator(".problem").count(), 0);
  assert.deepEqual(me.page.heard.messages, []);
});

test("a row that the hunt has found takes the place of the file", async () => {
  const me = await open("preset=tie seed=7", { before: "" });
  await me.choose(fixture("f4-little.npy"));
  await me.source.getByText("f4-little.npy: ").waitFor();
  await me.host.getByText(en.hunt.title, { exact: true }).click();
  await me.button(en.hunt.start).click();
  await me.button(en.hunt.take).click();
  assert.equal(await me.button(en.source.typed).getAttribute("aria-pressed"), "true");
  assert.ok((await me.field("logits").inputValue()).split(" ").length <= 8);
  assert.match((await me.figures())[en.pair.kept], /^transformers 3, candle 2$/);
});

test("a row of 2^20 entries", async () => {
  const me = await open(
    `temperature=1 top_k=40 top_p=0.9 engines="transformers candle llama.cpp" pair="transformers candle"`,
    { before: "" },
  );
  await me.host.locator("input[type=file]").evaluate(input => {
    const list = new DataTransfer(),
      row = Float32Array.from({ length: 2 ** 20 }, (_, id) => (id % 1000) / 100);
    list.items.add(new File([row], "most.f32"));
    input.files = list.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await me.source.getByText("most.f32: f32, shape (1048576), 1048576 numbers. Greatest 9.99, at ID 999.").waitFor();
  assert.equal((await me.tokens()).length, 12);
  assert.ok((await me.host.locator(".lab *").count()) < 1500, "no list of all tokens");
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

test("50 changes while draws run: whatever stands on the page belongs to the setting on view", async () => {
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
    for (let i = 0; i < 50; i++) {
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

test("no width from 320 to 1200 scrolls the page, and axe-core finds nothing", async () => {
  const me = await open("position=first", {
    head: `<meta name="viewport" content="width=device-width">`,
    reducedMotion: "reduce",
  });
  await me.choose(fixture("three-types.safetensors"));
  await me.choose({ name: `${"long-name-".repeat(12)}.pt`, mimeType: "x/x", buffer: Buffer.from("x") });
  await me.source.locator(".problem").waitFor();
  for (const position of [true, false])
    for (const width of [320, 360, 560, 768, 960, 980, 1200]) {
      if (position && width === 320) await me.button("First word of an answer").click();
      if (!position && width === 320) await me.choose(fixture("three-types.safetensors"));
      await me.settled();
      await me.page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await sticksOut(me.host), [], `${width}`);
    }
  assert.deepEqual(await violations(me.page, "smp-compare"), []);
});
