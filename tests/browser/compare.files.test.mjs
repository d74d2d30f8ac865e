// The reader's own files in Chromium: right and wrong ones, huge ones, and what takes their place.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { api, core, en, fixture, open } from "./compare.mjs";
import { sticksOut } from "./layout.mjs";
import { en as common } from "./support.mjs";

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
    // a file is read in its time
    await me.source.getByText(new RegExp(`, at ID ${row.indexOf(Math.max(...row))}\\.`)).waitFor();
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
  await me.host.getByText(en.source.noLink).first().waitFor();
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
  await me.source.getByText("49.json: JSON, shape (2), 2 numbers. Largest 49, at ID 0.").waitFor();
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
    [file("weights.pt", "x"), "is not a file of logits"],
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
  await me.source.getByText("most.f32: f32, shape (1048576), 1048576 numbers. Largest 9.99, at ID 999.").waitFor();
  assert.equal((await me.tokens()).length, 12);
  assert.ok((await me.host.locator(".lab *").count()) < 1500, "no list of all tokens");
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
