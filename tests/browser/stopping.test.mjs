// The stopping experiment in Chromium as a reader would use it: what must hold of the element, by roles and names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOKS, violations } from "./axe.mjs";
import { sticksOut } from "./layout.mjs";
import { en, start, zh } from "./support.mjs";

const { lab } = await start();

/** What a reader can do, in the element's language. */
async function open(attributes = "", { m = en, ...options } = {}) {
  const page = await lab(`<smp-stopping ${attributes}></smp-stopping>`, { lang: m.lang, ...options });
  const host = page.locator("smp-stopping"),
    s = m.stopping;
  const button = name => host.getByRole("button", { name, exact: true });
  const frame = () => page.evaluate(() => new Promise(requestAnimationFrame));
  const steps = host.getByRole("group", { name: s.steps.label });
  const texts = async (locator, read) => (await frame(), locator.evaluateAll(read));
  const me = {
    page,
    host,
    s,
    /** Also where it is disabled, as a reader may. */
    press: name => button(name).click({ force: true }),
    skip: () => button(m.quiz.skip).click(),
    row: number => host.getByRole("textbox", { name: s.row(number), exact: true }),
    limit: () => host.getByRole("textbox", { name: /New tokens|最多新增/ }),
    shared: () => host.getByRole("switch"),
    move: name => steps.getByRole("button", { name: m.steps[name], exact: true }).click(),
    async current() {
      await frame();
      return (
        await steps.getByRole("listitem").evaluateAll(items => items.map(item => item.getAttribute("aria-current")))
      ).indexOf("step");
    },
    said: async () => (await frame(), steps.locator("p").textContent()),
    /** The sentence that describes a field. */
    async about(field) {
      await frame();
      return (await host.locator(`#${await field.getAttribute("aria-describedby")}`).textContent()).trim();
    },
    /** Tokens of a grid as words with ids, `.` where nothing stands; future and replaced candidates in brackets. */
    grid: name =>
      texts(host.getByRole("group", { name, exact: true }).locator("tbody tr:visible"), rows =>
        rows.map(row =>
          [...row.querySelectorAll("td.cell .t")].map(tile => {
            const word = tile.querySelector("b")?.textContent ?? tile.querySelector("s")?.textContent ?? ".",
              id = tile.querySelector("sub")?.textContent;
            const kind = [...tile.classList].filter(name => name !== "t" && name !== "wide").join(" ");
            return kind === "next" || kind === "replaced"
              ? `(${word})`
              : id === undefined
                ? "."
                : `${word}${id}${kind ? ` ${kind}` : ""}`;
          }),
        ),
      ),
    latch: () => me.grid(s.right),
    wrong: () => me.grid(s.wrong),
    /** finished, answer, reason, step of every row. */
    words: () =>
      texts(host.getByRole("group", { name: s.right, exact: true }).locator("tbody tr"), rows =>
        rows.map(row => [...row.querySelectorAll("td.word")].map(cell => cell.textContent.trim())),
      ),
    counts: () =>
      texts(host.getByRole("group", { name: s.right, exact: true }).locator("dd"), all =>
        all.map(item => item.textContent),
      ),
    tally: async () => (
      await frame(), host.getByRole("group", { name: s.wrong, exact: true }).locator("p:visible").textContent()
    ),
    choose: rule => host.getByRole("combobox", { name: s.choose }).selectOption(rule),
  };
  return me;
}

test("EOS row by row: what each step appends, with ids", async () => {
  const me = await open();
  await me.skip();
  assert.deepEqual(await me.latch(), [
    ["(EOS)", "(a)", "(a)"],
    ["(x)", "(EOS)", "(b)"],
    ["(y)", "(z)", "(EOS)"],
  ]);
  await me.move("forward");
  assert.deepEqual(await me.latch(), [
    ["EOS1 eos", "(a)", "(a)"],
    ["x3", "(EOS)", "(b)"],
    ["y5", "(z)", "(EOS)"],
  ]);
  await me.move("all");
  assert.deepEqual(await me.latch(), [
    ["EOS1 eos", "PAD0 pad", "PAD0 pad"],
    ["x3", "EOS1 eos", "PAD0 pad"],
    ["y5", "z6", "EOS1 eos"],
  ]);
  assert.deepEqual(await me.words(), [
    ["true", "none", "EOS", "step 1"],
    ["true", "x", "EOS", "step 2"],
    ["true", "y z", "EOS", "step 3"],
  ]);
  assert.deepEqual(await me.counts(), ["3 of 3", "3 of 3 rows", "3 cells", "3 row-steps", "stopped"]);
});

test("any stops after column 1: z and two EOS are lost, whatever step is on view", async () => {
  const me = await open();
  await me.skip();
  for (const move of ["forward", "forward", "forward"]) {
    await me.move(move);
    assert.deepEqual(await me.wrong(), [
      ["EOS1 eos", ".", "."],
      ["x3", "EOS1 lost", "."],
      ["y5", "z6 lost", "EOS1 lost"],
    ]);
    assert.equal(await me.tally(), en.stopping.tally.cut(1, 1, 2));
  }
});

test("length first: no EOS invented, no column of PAD added", async () => {
  const me = await open("preset=length step=0");
  await me.move("all");
  assert.deepEqual(await me.latch(), [
    ["EOS1 eos", "PAD0 pad"],
    ["x3", "EOS1 eos"],
    ["y5", "z6"],
  ]);
  assert.deepEqual((await me.words())[2], ["true", "y z", "length limit", "step 2"]);
  assert.match(await me.about(me.limit()), /2 steps; row 3 ends by length/);
});

test("streams: the other wrong rules", async () => {
  const me = await open('rows="5 EOS 6 7 / 7 8 EOS 9 / 1 2 3 4" limit=4 rule=same-step');
  await me.move("all");
  assert.deepEqual((await me.wrong())[0], ["52", "EOS1 eos", "63 junk", "74 junk"]);
  assert.equal(await me.tally(), en.stopping.tally.junk(3, 3));
  await me.choose("any");
  await me.skip();
  assert.equal(await me.tally(), en.stopping.tally.cut(2, 2, 1));
  for (const rule of ["scalar", "single"]) {
    await me.choose(rule);
    assert.equal(await me.tally(), en.stopping.tally[rule]);
    assert.deepEqual(await me.wrong(), []);
  }
  assert.equal(await me.current(), 4, "choosing a wrong rule keeps the step");
});

test("PAD by hand: part of the answer with its own id, the EOS with the shared one", async () => {
  const me = await open("preset=padOwn");
  await me.move("all");
  assert.deepEqual((await me.latch())[0], ["a2", "PAD0", "b3"]);
  assert.equal((await me.words())[0][1], "a PAD b");
  await me.shared().check();
  assert.equal(await me.current(), 0, "an edit starts at the beginning");
  await me.move("all");
  assert.deepEqual((await me.latch())[0], ["a2", "EOS1 eos", "PAD1 pad"]);
  assert.deepEqual((await me.words())[0], ["true", "a", "EOS", "step 2"]);
});

test("first EOS and later PAD look different where their id is the same", async () => {
  const me = await open("preset=shared step=2");
  const looks = await me.host
    .locator(".latch tbody tr:first-child td.cell .t")
    .evaluateAll(tiles =>
      tiles
        .slice(0, 2)
        .map(tile => [
          tile.querySelector("sub").textContent,
          getComputedStyle(tile).background,
          tile.querySelector("b").textContent,
        ]),
    );
  assert.equal(looks[0][0], looks[1][0]);
  assert.notEqual(looks[0][1], looks[1][1]);
  assert.notEqual(looks[0][2], looks[1][2]);
});

test("bad input: each its own message, the last valid result stays and is said to be stale", async () => {
  const me = await open();
  const messages = new Set(),
    before = await me.latch();
  for (const text of ["abcdefghijklm a a", "a-b c d", "", "1 2 3 4 5 6 7 8 9", "a b"]) {
    await me.row(1).fill(text);
    assert.equal(await me.row(1).inputValue(), text);
    assert.equal(await me.row(1).getAttribute("aria-invalid"), "true");
    messages.add(await me.about(me.row(1)));
    assert.equal((await me.latch()).length, before.length);
    assert.ok(await me.host.getByText(en.stale).first().isVisible());
  }
  await me.row(1).fill("EOS a a");
  for (const text of ["0", "9", "2.5"]) {
    await me.limit().fill(text);
    messages.add(await me.about(me.limit()));
  }
  assert.equal(messages.size, 8);
  await me.limit().fill("3");
  await me.row(2).fill("eos a b");
  assert.match(await me.about(me.row(2)), /“eos” is an ordinary token/);
  await me.move("all");
  assert.equal((await me.words())[1][2], "length limit");
});

test("1 to 3 rows: 0 and 4 cannot be made", async () => {
  const me = await open();
  await me.press(me.s.add);
  assert.equal((await me.latch()).length, 3);
  for (let i = 0; i < 4; i++) await me.press(me.s.remove);
  assert.equal((await me.latch()).length, 1);
  assert.equal(await me.current(), 0);
  await me.press(me.s.add);
  assert.equal((await me.latch()).length, 2);
});

test("back and forth gives the state of forward only", async () => {
  const me = await open("preset=eight step=0");
  const state = async () =>
    JSON.stringify([await me.latch(), await me.words(), await me.counts(), await me.said(), await me.wrong()]);
  const forward = [await state()];
  for (let step = 1; step <= 8; step++) {
    await me.move("forward");
    forward.push(await state());
  }
  for (let step = 7; step >= 0; step--) {
    await me.move("back");
    assert.equal(await state(), forward[step], `back to ${step}`);
  }
  assert.equal(new Set(forward).size, 9);
});

test("guess first: the wrong rule is veiled until the answer", async () => {
  const me = await open("step=3");
  assert.deepEqual((await me.wrong())[2], ["(y)", "(z)", "(EOS)"]);
  await me.host.getByRole("checkbox", { name: "Row 2" }).check();
  await me.host.getByRole("checkbox", { name: "Row 3" }).check();
  await me.press(me.s.quiz.reveal);
  await me.host
    .getByText(me.s.quiz.answer(true, [2, 3]))
    .first()
    .waitFor();
  assert.deepEqual((await me.wrong())[2], ["y5", "z6 lost", "EOS1 lost"]);
});

test("the log: each column of values in row order", async () => {
  const me = await open("step=3");
  await me.host.getByText(me.s.log.title(3)).click();
  const rows = await me.host
    .locator(".log tbody tr")
    .evaluateAll(all => all.map(row => [...row.cells].map(cell => cell.textContent)));
  assert.deepEqual(rows, [
    ["1", "EOS x y", "false false false", "EOS x y", "true false false", "goes on"],
    ["2", "a EOS z", "true false false", "PAD EOS z", "true true false", "goes on"],
    ["3", "a b EOS", "true true false", "PAD PAD EOS", "true true true", "stops"],
  ]);
});

test("events, attributes, properties and the shared link hold the whole setting", async () => {
  const me = await open("", { m: zh });
  await me.page.evaluate(() => {
    globalThis.heard = [];
    for (const type of ["smp-input", "smp-change"])
      document.addEventListener(type, event =>
        heard.push([type, event.detail.step, event.detail.config?.limit ?? null]),
      );
    document.querySelector("smp-stopping").limit = 2;
  });
  assert.deepEqual(await me.page.evaluate(() => heard), [], "changes by code are silent");
  assert.equal((await me.latch())[0].length, 2);
  await me.limit().fill("9");
  await me.limit().fill("1");
  await me.limit().blur();
  await me.move("forward");
  assert.deepEqual(await me.page.evaluate(() => heard), [
    ["smp-input", 0, null],
    ["smp-input", 0, 1],
    ["smp-change", 0, 1],
    ["smp-change", 1, 1],
  ]);

  await me.press(zh.exports.link);
  const link = await me.host.locator("textarea").inputValue();
  const params = new URLSearchParams(new URL(link).hash.slice(1));
  assert.equal(params.get("rows"), "EOS a a / x EOS b / y z EOS");
  assert.deepEqual(
    [params.get("limit"), params.get("step"), params.get("pad"), params.get("rule")],
    ["1", "1", "own", "any"],
  );
  await me.page.goto("about:blank");
  await me.page.goto(link);
  assert.deepEqual(await me.page.locator("smp-stopping").evaluate(({ rows, limit, step }) => [rows, limit, step]), [
    "EOS a a / x EOS b / y z EOS",
    "1",
    "1",
  ]);
});

test("no width from 320 to 1200 scrolls the page, in either language, with eight steps and long tokens", async () => {
  const rows = "abcdefghijkl EOS c d e f g h / a b c mnopqrstuvwx e f g h / 1 2 3 4 5 6 7 EOS";
  for (const m of [zh, en])
    for (const attributes of ["", `limit=8 rows="${rows}" step=8 rule=same-step`]) {
      const me = await open(attributes, { m });
      for (const width of [320, 360, 559, 560, 768, 819, 820, 960, 1079, 1080, 1200]) {
        await me.page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await sticksOut(me.host), [], `${m.lang} ${width} ${attributes}`);
      }
    }
});

test("it begins before the first step; how a row ends is told once it has, how the run ends at its end", async () => {
  const me = await open(),
    s = me.s;
  assert.equal(await me.current(), 0);
  const told = async () => [await me.about(me.row(1)), await me.about(me.row(2)), await me.about(me.row(3))];
  const ends = [s.rowResult("", "eos", 1), s.rowResult("x", "eos", 2), s.rowResult("y z", "eos", 3)];
  for (const step of [0, 1, 2, 3]) {
    if (step) await me.move("forward");
    assert.deepEqual(
      await told(),
      ends.map((text, row) => (row < step ? text : "")),
    );
    assert.equal(await me.about(me.limit()), step === 3 ? s.preview(3, 3, "eos") : "");
  }
});

test("printed before the first step it is the whole run; on the screen again, the start", async () => {
  const me = await open();
  const ended = () => me.host.locator(".latch td.word").evaluateAll(cells => cells.map(cell => cell.textContent));
  await me.page.emulateMedia({ media: "print" });
  await me.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.deepEqual(
    (await ended()).filter(text => text.startsWith("step")),
    ["step 1", "step 2", "step 3"],
  );
  await me.page.emulateMedia({ media: "screen" });
  await me.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.deepEqual(
    (await ended()).filter(text => text.startsWith("step")),
    [],
  );
});

test("a step that is none is told, and the first view stays", async () => {
  for (const step of ["x", "-1", "1.5", ""]) {
    const me = await open(`step="${step}"`);
    assert.equal(await me.current(), 0);
    assert.deepEqual(me.page.heard.messages, [
      `warning: <smp-stopping> step="${step}" is ignored; allowed: 0, 1, 2, …`,
    ]);
  }
  const me = await open("step=2");
  assert.equal(await me.current(), 2);
  assert.deepEqual(me.page.heard.messages, []);
});

test("the mask stands below the prompts, the ids in the tiles; surplus and lost tokens look different from all else", async () => {
  const me = await open("step=3");
  await me.skip();
  const prompts = await me.host
    .locator(".latch tbody tr")
    .evaluateAll(rows => rows.map(row => [...row.querySelectorAll("td.p .bit")].map(bit => Number(bit.textContent))));
  assert.deepEqual(prompts, [
    [0, 0, 1],
    [0, 1, 1],
    [0, 1, 1],
  ]);
  assert.equal(await me.host.locator("td.p sub").count(), 0);
  const boxes = await me.host
    .locator(".latch td.p")
    .first()
    .evaluate(cell => {
      const box = selector => cell.querySelector(selector).getBoundingClientRect();
      return [box(".t").bottom, box(".bit").top];
    });
  assert.ok(boxes[0] <= boxes[1], "below its tile");
  const look = async selector =>
    me.host
      .locator(selector)
      .first()
      .evaluate(tile => {
        const { borderStyle, color } = getComputedStyle(tile);
        return `${borderStyle} ${color} ${getComputedStyle(tile.querySelector("b")).textDecorationLine}`;
      });
  const looks = [await look(".wrong-rule td .t.lost"), await look(".latch td.cell .t:not(.eos, .pad)")];
  await me.choose("same-step");
  looks.push(await look(".wrong-rule td .t.junk"));
  assert.equal(new Set(looks).size, 3);
  assert.match(looks[2], /line-through/, "no wavy line: under one letter it would be a tick");
});

test("no text lies over another or leaves its tile, from 280 to 1200 px, with eight steps and long tokens", async () => {
  const rows = "abcdefghijkl EOS c d e f g h / a b c mnopqrstuvwx e f g h / 1 2 3 4 5 6 7 EOS";
  for (const m of [zh, en])
    for (const attributes of ["step=3", `limit=8 rows="${rows}" step=8 rule=same-step`]) {
      const me = await open(attributes, { m });
      for (const width of [280, 300, 320, 340, 360, 390, 420, 480, 560, 720, 768, 960, 1080, 1200]) {
        await me.page.setViewportSize({ width, height: 900 });
        const found = await me.host.evaluate(host => {
          const root = host.shadowRoot,
            faults = [];
          for (const tile of root.querySelectorAll(".t b")) {
            const range = document.createRange();
            range.selectNodeContents(tile);
            const box = range.getBoundingClientRect(),
              around = tile.parentElement.getBoundingClientRect();
            if (
              box.width &&
              (box.left < around.left - 1 || box.right > around.right + 1 || box.bottom > around.bottom + 1)
            )
              faults.push(`leaves its tile: ${tile.textContent}`);
          }
          const blocks = [
              ...root.querySelectorAll(".inputs .result, .quiz, .steps, .latch, .wrong-rule, .legend, .log, .notes"),
            ],
            boxes = blocks.map(block => block.getBoundingClientRect());
          for (const [at, box] of boxes.entries())
            for (const [next, other] of boxes.entries())
              if (
                next > at &&
                box.height &&
                other.height &&
                box.bottom > other.top + 1 &&
                box.top < other.bottom - 1 &&
                box.right > other.left + 1 &&
                box.left < other.right - 1
              )
                faults.push(`${blocks[at].className} over ${blocks[next].className}`);
          return faults;
        });
        assert.deepEqual(found, [], `${m.lang} ${width} ${attributes}`);
      }
    }
});

test("with eight steps the prompts do not stand between the numbers of the steps and their tokens", async () => {
  for (const width of [360, 768, 1000]) {
    const me = await open("preset=eight step=8", { viewport: { width, height: 900 } });
    const [tile, prompt] = await me.host
      .locator(".latch tbody tr")
      .first()
      .evaluate(row => [".cell .t", ".p .t"].map(at => row.querySelector(at).getBoundingClientRect().top));
    assert.ok(tile < prompt, `${width}`);
  }
});

test("in forced colours an EOS stays solid and a PAD hatched", async () => {
  const me = await open("step=3", { forcedColors: "active" });
  const looks = await me.host
    .locator(".latch tbody tr:first-child td.cell .t")
    .evaluateAll(tiles =>
      tiles.map(tile => [getComputedStyle(tile).backgroundImage, getComputedStyle(tile).backgroundColor]),
    );
  const surface = await me.host
    .locator(".latch tbody tr:last-child td.cell .t")
    .first()
    .evaluate(tile => getComputedStyle(tile).backgroundColor);
  assert.match(looks[1][0], /repeating-linear-gradient/);
  assert.notEqual(looks[0][1], surface, "solid");
});

test("each commit is said: what is wrong, the batch from its start, the wrong rule's tally, a step, that it stays", async () => {
  const me = await open(),
    s = me.s;
  const said = async () => (await me.host.getByRole("status").textContent()).trim();
  const enter = async (field, text) => {
    await field.fill(text);
    await field.blur();
  };
  const start = `${s.ready("EOS a a / x EOS b / y z EOS", 2)} ${s.ids(0)}`;
  await enter(me.limit(), "2");
  assert.equal(await said(), start);
  await enter(me.limit(), "2.0");
  assert.equal(await said(), en.unchanged(start));
  await enter(me.row(1), "a-b");
  assert.equal(await said(), `${s.row(1)}: ${s.rowProblem({ kind: "badToken", text: "a-b" })}`);
  await enter(me.row(1), "EOS a a");
  await me.shared().check();
  assert.equal(await said(), start.replace(s.ids(0), s.ids(1)));
  await me.choose("scalar");
  assert.equal(await said(), s.tally.scalar);
  await me.choose("any");
  assert.equal(await said(), s.quiz.veiled);
  await me.move("forward");
  assert.equal(await said(), (await me.said()).replace(s.steps.name(1), "").trim());
});

test("parts: each alone, and the figure in 420 px of height", async () => {
  const signs = {
    title: ".opening",
    presets: ".presets",
    inputs: ".inputs",
    question: ".quiz",
    figure: ".score",
    steps: ".steps",
    table: ".log",
    notes: ".notes",
    closing: ".closing",
  };
  const me = await open();
  const shown = () =>
    me.host.evaluate((host, all) => Object.keys(all).filter(part => host.shadowRoot.querySelector(all[part])), signs);
  assert.deepEqual(await shown(), Object.keys(signs));
  for (const part of Object.keys(signs)) {
    await me.host.evaluate((host, value) => (host.parts = value), part);
    assert.deepEqual(await shown(), [part]);
  }
  for (const [width, m] of [720, 1184].flatMap(width => [
    [width, zh],
    [width, en],
  ])) {
    const alone = await open("parts=figure step=3", { m, viewport: { width, height: 420 } });
    await alone.page.addStyleTag({ content: "body { margin: 0 }" });
    const { height } = await alone.host.boundingBox();
    assert.ok(height <= 420, `${m.lang} ${width}: ${height}`);
  }
});

test("axe-core finds no violation", async t => {
  const states = {
    "before any step": () => {},
    "a step": me => me.move("forward"),
    "the whole run": me => me.move("all"),
    "told, with the log": async me => {
      await me.press(me.s.quiz.reveal);
      await me.host.locator(".log summary").click();
    },
    "surplus tokens": me => me.choose("same-step"),
    refused: me => me.choose("scalar"),
    "wrong input": me => me.row(1).fill("a-b"),
  };
  for (const { name, lang, options } of LOOKS)
    await t.test(name, async () => {
      const me = await open("", { m: lang === "zh" ? zh : en, ...options });
      for (const [name, reach] of Object.entries(states)) {
        await reach(me);
        assert.deepEqual(await violations(me.page, "smp-stopping"), [], name);
      }
    });
});

test("nothing is said on the console and nothing is asked for after the script", async () => {
  const me = await open();
  await me.move("all");
  assert.deepEqual(me.page.heard.messages, []);
  assert.equal(me.page.heard.requests.length, 2);
});
