// What else a reader can do: guess first, drag logits and the point, light up an id, choose a format, share and save.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { api, cores } from "../node/support.mjs";
import { en, plain, presets, reader, skipQuestions, start, worded, zh } from "./support.mjs";

const { lab, open: visit } = await start();
const open = async (attributes = "", options, m = en) =>
  reader(await lab(`<smp-sampling lang="${m.lang}" ${attributes}></smp-sampling>`, options), m);
const quiz = r => r.host.getByRole("group", { name: r.m.quiz.label });
const grip = (r, id) => r.host.getByRole("slider", { name: plain(r.m.sliders.logit(id)) });
const point = r => r.host.getByRole("group", { name: r.m.map.label }).getByRole("button");
const status = r => r.host.getByRole("status").textContent();
const result = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));
/** Runs in the page: what has the focus inside the experiment. */
const focusName = host => {
  const { activeElement } = host.shadowRoot;
  return activeElement && (activeElement.ariaLabel ?? activeElement.textContent);
};
const numbers = text => text.trim().split(/\s+/).map(Number);
/** Notes what the live region says from now on; cleared, it says nothing. */
const listen = r =>
  r.host.evaluate(host => {
    host.said = [];
    new MutationObserver(() => {
      const { textContent } = host.shadowRoot.querySelector("[role=status]");
      if (textContent) host.said.push(textContent);
    }).observe(host.shadowRoot.querySelector("[role=status]"), { childList: true, characterData: true, subtree: true });
  });
const said = r => r.host.evaluate(host => new Promise(done => setTimeout(() => done(host.said.splice(0)))));

// ---- The question ------------------------------------------------------------------------------------------------

for (const m of [zh, en]) {
  for (const [id, right] of [
    [2, true],
    [3, false],
  ])
    test(`${m.lang}: the question, answered ${right ? "right" : "wrong"}: u moves there and the answer is said once`, async () => {
      const r = await open("", { veiled: true }, m);
      assert.ok((await quiz(r).innerText()).replace(/\s+/g, " ").includes(plain(m.quiz.question("0.1"))));
      await listen(r);
      await quiz(r)
        .getByRole("button", { name: `ID ${id}`, exact: true })
        .click();
      const answer = plain(m.quiz.answer(right, "0.1", 2, "0.1 < 0.222700"));
      assert.ok((await quiz(r).innerText()).replace(/\s+/g, " ").includes(answer));
      assert.equal(await r.box("u").inputValue(), "0.1");
      assert.equal(await r.current(), 6);
      assert.deepEqual(await said(r), [answer]);
      await quiz(r).getByRole("button", { name: m.quiz.close, exact: true }).click();
      assert.equal(await quiz(r).count(), 0);
      await r.preset("tie").click();
      assert.equal(await quiz(r).count(), 0, "closed, it stays closed");
    });

  test(`${m.lang}: the question is skipped with one press, and nothing changes`, async () => {
    const r = await open("", { veiled: true }, m),
      before = await r.properties();
    await quiz(r).getByRole("button", { name: m.quiz.skip, exact: true }).click();
    assert.equal(await quiz(r).count(), 0);
    assert.deepEqual(await r.properties(), before);
  });
}

test("the question by keyboard: the focus stays in it, then goes on to the ruler", async () => {
  const r = await open("", { veiled: true });
  await quiz(r).getByRole("button", { name: "ID 2", exact: true }).focus();
  await r.page.keyboard.press("Enter");
  assert.equal(await r.host.evaluate(focusName), en.quiz.close);
  await r.page.keyboard.press("Space");
  assert.equal(await r.host.evaluate(focusName), en.sliders.ruler);
});

test("nothing is asked where u plays no part, or where no u chooses another id", async () => {
  assert.equal(await quiz(await open(`preset="greedy"`, { veiled: true })).count(), 0);
  assert.equal(await quiz(await open(`k="1"`, { veiled: true })).count(), 0);
});

test("the question asks for a u that chooses another id, in every preset that has one", async () => {
  const r = await open("", { veiled: true }),
    core = cores.simd;
  for (const name of Object.keys(presets)) {
    await r.host.evaluate((host, preset) => (host.preset = preset), name);
    if (!(await quiz(r).count())) continue;
    const { logits, tau, k, u, tie } = await r.properties();
    const asked = Number(/u = ([\d.]+)/.exec((await quiz(r).innerText()).replace(/\s+/g, " "))[1]);
    const run = at => api.lab(core, numbers(logits), { tau: Number(tau), k: Number(k), u: at, tie }).id;
    assert.notEqual(run(asked), run(Number(u)), name);
  }
});

// ---- Grips and the point -----------------------------------------------------------------------------------------

test("a logit is dragged on its bar: the field, the result and the events follow, both ends are reached", async () => {
  const r = await open();
  await grip(r, 3).scrollIntoViewIfNeeded();
  await r.host.evaluate(host => {
    host.heard = [];
    for (const type of ["smp-input", "smp-change"]) host.addEventListener(type, () => host.heard.push(type));
  });
  const { x, y, width, height } = await grip(r, 3).boundingBox(),
    middle = y + height / 2;
  const low = Number(await grip(r, 3).getAttribute("min")),
    high = Number(await grip(r, 3).getAttribute("max"));
  await listen(r);
  await r.page.mouse.move(x + ((3 - low) / (high - low)) * (width - 12) + 6, middle);
  await r.page.mouse.down();
  for (const [at, value] of [
    [x - 20, low],
    [x + width + 20, high],
  ]) {
    await r.page.mouse.move(at, middle);
    assert.equal(await r.box("logits").inputValue(), `0 1 2 ${value}`);
    assert.equal((await r.column("logit"))[3], en.lang && String(value).replace("-", "−"));
  }
  assert.deepEqual(await said(r), []);
  await r.page.mouse.up();
  assert.equal((await r.host.evaluate(host => host.heard)).filter(type => type === "smp-change").length, 1);
  assert.equal((await said(r)).length, 1);
  assert.ok(Number(await grip(r, 3).getAttribute("max")) > high, "there is room again beyond the dragged value");
});

test("a logit by keys", async () => {
  const r = await open();
  await grip(r, 0).focus();
  await r.page.keyboard.press("ArrowRight");
  assert.equal(await r.box("logits").inputValue(), "0.1 1 2 3");
  await r.page.keyboard.press("Home");
  assert.equal(await r.box("logits").inputValue(), "-1 1 2 3");
});

test("a dragged logit stays from -100 to 100", async () => {
  const r = await open(`logits="100 -100 0"`);
  for (const [id, end] of [
    [0, "End"],
    [1, "Home"],
  ]) {
    await grip(r, id).focus();
    await r.page.keyboard.press(end);
  }
  assert.deepEqual(numbers(await r.box("logits").inputValue()), [100, -100, 0]);
  assert.equal(await r.box("logits").getAttribute("aria-invalid"), null);
});

test("the point is dragged in both directions and into the strip of tau = 0; a press alone changes nothing", async () => {
  const r = await open(`tau="0.8123456" u="0.5123456"`);
  await point(r).scrollIntoViewIfNeeded();
  const box = await point(r).boundingBox(),
    x = box.x + 22,
    y = box.y + 22;
  await point(r).click();
  assert.deepEqual([await r.box("tau").inputValue(), await r.box("u").inputValue()], ["0.8123456", "0.5123456"]);
  await r.page.mouse.move(x, y);
  await r.page.mouse.down();
  await r.page.mouse.move(x - 100, y - 50);
  assert.ok(Number(await r.box("tau").inputValue()) > 1);
  assert.ok(Number(await r.box("u").inputValue()) < 0.4);
  await listen(r);
  await r.page.mouse.move(x - 2000, y + 2000);
  await r.page.mouse.up();
  assert.deepEqual([await r.box("tau").inputValue(), await r.box("u").inputValue()], ["0", "0"]);
  assert.equal(await r.sentence("u"), plain(en.choosesGreedy(3)));
  assert.deepEqual(await said(r), [plain(en.choosesGreedy(3))]);
});

test("the point by keys alone, to all four edges and back out of the strip of tau = 0", async () => {
  const r = await open(),
    press = key => r.page.keyboard.press(key);
  await point(r).focus();
  await press("Home");
  assert.equal(await r.box("u").inputValue(), "0");
  assert.equal(await r.sentence("u"), plain(en.chooses(2, "0.222700", "[0, 0.222700)")));
  await press("End");
  assert.equal(await r.box("u").inputValue(), "0.999");
  for (let n = 0; n < 11; n++) await press("Shift+ArrowDown");
  assert.equal(await r.box("tau").inputValue(), "0");
  await press("ArrowUp");
  assert.equal(await r.box("tau").inputValue(), "0.05");
  for (let n = 0; n < 11; n++) await press("Shift+ArrowUp");
  assert.equal(await r.box("tau").inputValue(), "20");
});

test("the map's edge at the current tau is the ruler's cut, its limit 0.5", async () => {
  const r = await open();
  const x = await r.host.evaluate(host =>
    [...host.shadowRoot.querySelectorAll(".map .join")].map(mark =>
      Number(getComputedStyle(mark).getPropertyValue("--x")),
    ),
  );
  assert.deepEqual(x, [api.lab(cores.simd, [0, 1, 2, 3], { tau: 0.8, k: 2, u: 0 }).lo[3]]);
  assert.equal(x[0].toFixed(6), "0.222700");
  const strip = await r.host.evaluate(host => host.shadowRoot.querySelector(".map .pane .edge").getAttribute("d"));
  assert.match(strip, /^M500 0/);
});

test("what fits on the figure is measured on it, at any width", async () => {
  // the last two candidates have 1/55.6 each: the middles of their parts are that far apart
  const r = await open(`logits="0 0 -3.2876 -3.2876" tau="1" k="4"`, { viewport: { width: 1500, height: 900 } }),
    [first, last] = [-3.2876, -3.2876].map(logit => Math.exp(logit) / (2 + 2 * Math.exp(-3.2876))),
    apart = (first + last) / 2;
  const found = [];
  for (const width of [1400, 1000, 800, 330, 1400]) {
    const [room, texts] = await r.host.evaluate(async (host, px) => {
      host.style.width = `${px}px`;
      for (let turn = 0; turn < 3; turn++) await new Promise(requestAnimationFrame);
      const over = host.shadowRoot.querySelector(".over");
      return [over.getBoundingClientRect().width, [...over.children].map(part => part.textContent)];
    }, width);
    assert.deepEqual(texts, apart * room < 14 ? ["0", "1", "2–3"] : ["0", "1", "2", "3"], `${width}: ${room} px`);
    found.push(texts.length);
  }
  assert.deepEqual(found, [3, 4, 3, 3, 3]);
});

// ---- Lighting up --------------------------------------------------------------------------------------------------

test("every region of the map carries its id, thin ones in the strip of infinity", async () => {
  for (const [preset, kept] of [
    ["chapter", ["2", "3"]],
    ["real", ["0", "1", "2", "3", "4"]],
    ["greedy", ["0", "1", "2"]],
  ]) {
    const r = await open(`preset="${preset}"`);
    assert.deepEqual(await r.host.locator(".map .pane:first-of-type > .name").allTextContents(), kept);
    assert.equal(await r.host.locator(".map .field-of-u .region").count(), kept.length);
  }
});

test("pointing at an id anywhere, or focusing it, lights it in table, bars, ruler and map, with its formula; a press pins it", async () => {
  const r = await open();
  const lit = () =>
    r.host.evaluate(host =>
      Object.fromEntries(
        ["tr", ".before .seg", ".after .seg", ".band", ".map .field-of-u .region"].map(kind => [
          kind,
          [...host.shadowRoot.querySelectorAll(`${kind}.lit`)].map(part => part.dataset.id).join(),
        ]),
      ),
    );
  const all = id => ({ tr: id, ".before .seg": id, ".after .seg": id, ".band": id, ".map .field-of-u .region": id });
  const formula = id => r.host.getByRole("group", { name: plain(en.work.title(id)) }).count();
  const away = () => r.page.mouse.move(0, 0);
  for (const place of ["tr[data-id='2'] .c5", ".before .seg[data-id='2']", ".after .seg[data-id='2']"]) {
    await r.host.locator(place).hover();
    assert.deepEqual(await lit(), all("2"), place);
    assert.equal(await formula(2), 1, place);
    await away();
    assert.deepEqual(await lit(), all(""));
    assert.equal(await formula(3), 1, "the chosen id again");
  }
  await r.host.locator(".map .field-of-u").hover({ position: { x: 30, y: 40 } });
  assert.deepEqual(await lit(), all("2"));
  await away();

  await r.table.getByRole("button", { name: "ID 0" }).focus();
  assert.deepEqual(await lit(), { ...all(""), tr: "0", ".before .seg": "0" }, "removed: no place after the filter");
  assert.equal(await formula(0), 1);
  await r.page.keyboard.press("Enter");
  await r.box("u").focus();
  assert.equal((await lit()).tr, "0", "pinned");
  await r.page.keyboard.press("Escape");
  assert.equal((await lit()).tr, "");
});

// ---- Formats and presets -------------------------------------------------------------------------------------------

test("formats: rounded in the core, told beside the field; the top two become a tie in float16 and part again in float64", async () => {
  const r = await open(`preset="close"`),
    format = r.host.getByRole("combobox", { name: en.dtype.label });
  assert.deepEqual(await r.column("logit"), ["27.390625", "27.390625", "22.859375", "23.265625"]);
  assert.ok((await r.sentence("logits")).endsWith(worded(en.dtype.merged("float16", [0, 1]), presets.close.labels)));
  assert.equal(await r.sentence("u"), worded(en.chooses(0, "1", "[0, 1)"), presets.close.labels));
  await format.selectOption("float64");
  assert.deepEqual(await r.column("logit"), ["27.38779", "27.398201", "22.862324", "23.27213"]);
  assert.equal(await r.sentence("u"), worded(en.chooses(1, "1", "[0, 1)"), presets.close.labels));
  for (const dtype of ["float32", "bfloat16"]) {
    await format.selectOption(dtype);
    assert.deepEqual(
      (await r.column("logit")).map(Number),
      api.round(cores.simd, numbers(presets.close.logits), dtype).map(x => Number(x.toFixed(6))),
      dtype,
    );
  }
  await format.selectOption("float16");
  await r.enter("logits", "0 1 2 3");
  assert.ok((await r.sentence("logits")).endsWith(plain(en.dtype.changed("float16", 0))));
});

for (const m of [zh, en])
  test(`${m.lang}: seven presets in the row, the rest under "more", opened by keyboard; the task says what is true`, async () => {
    const r = await open("", {}, m),
      group = r.host.getByRole("group", { name: m.presets.label }),
      names = Object.keys(presets);
    const shown = async () => (await Promise.all(names.map(name => r.preset(name).count()))).filter(Boolean).length;
    assert.equal(await shown(), 7);
    await group.locator("summary").focus();
    await r.page.keyboard.press("Enter");
    assert.equal(await shown(), names.length);
    assert.equal(await r.host.evaluate(focusName), m.presets.names[names[7]]);

    const chapter = ["0.016894", "0.058965", "0.205807", "0.718335"];
    const column = async name => (await r.column(name)).map(text => (text.startsWith("<") ? 1e-7 : Number(text)));
    const truths = {
      chapter: async () => assert.deepEqual(await r.column("before"), chapter),
      tie: async () => assert.equal(await r.sentence("k"), plain(m.keeps([0, 1], "0.766085"))),
      greedy: async () => assert.equal(await r.sentence("u"), plain(m.choosesGreedy(0))),
      nearZero: async () => assert.deepEqual(await r.column("after"), ["0.500000", "0.500000", "< 0.000001"]),
      real: async () => assert.equal((await r.rows())[0].candidate, "ID 0The"),
      async hot() {
        const before = await column("before");
        assert.deepEqual(
          before,
          [...before].sort((a, b) => a - b),
        );
        assert.ok(before[0] > 0.1 && before[3] < 0.5);
      },
      async cold() {
        const before = await column("before");
        assert.ok(before[3] > 0.99 && before.every(p => p > 0));
      },
      shift: async () => assert.deepEqual(await r.column("before"), chapter),
      single: async () => assert.deepEqual(await r.column("after"), ["0.500000", "0.500000", "0"]),
      three: async () => assert.equal((await r.column("state")).includes(m.table.removed), false),
      five: async () => assert.equal((await r.column("state")).includes(m.table.removed), false),
      async extremes() {
        assert.deepEqual(await r.column("before"), ["1", "< 0.000001", "< 0.000001"]);
        await r.enter("u", "0.9999999999999999");
        assert.equal(await r.sentence("u"), plain(m.chooses(0, "1", "[0, 1)")));
        await r.press(m.presets.back);
      },
      close: async () => assert.equal(await r.sentence("u"), worded(m.chooses(0, "1", "[0, 1)"), presets.close.labels)),
    };
    for (const name of names) {
      await r.preset(name).click();
      assert.ok(await r.host.getByText(m.tasks[name], { exact: true }).isVisible(), name);
      await truths[name]();
    }
    await r.preset("single").click();
    await r.host.getByRole("radio").nth(0).check();
    assert.deepEqual(await r.column("after"), ["1", "0", "0"], "k = 1 with a tie, strictly");
    assert.equal(await shown(), names.length, "an edit does not fold the row");
  });

// ---- Share and save -----------------------------------------------------------------------------------------------

/** Presses an export button; what stands in the box below. */
async function exported(r, name) {
  await r.press(r.m.exports[name]);
  return r.host.getByRole("group", { name: r.m.exports.label }).getByRole("textbox").inputValue();
}
/** Everything a link must carry. */
const setting = async r => ({ ...(await r.properties()), rows: await r.rows() });

test("a link is made when asked for, leaves the page's address alone, and restores the setting for its element only", async () => {
  const r = await open(`id="mine"`),
    address = r.page.url();
  await r.host.evaluate(host => host.insertAdjacentHTML("afterend", "<smp-sampling></smp-sampling>"));
  const mine = reader(r.page, en, "#mine"),
    other = reader(r.page, en, "smp-sampling >> nth=1");
  await mine.enter("logits", "-0 0.1 1e-300, −7.25");
  await mine.enter("tau", "0.30000000000000004");
  await mine.enter("u", "0.1234567890123456789");
  await mine.host.getByRole("combobox").selectOption("float32");
  await mine.host.getByRole("switch").check();
  const link = await exported(mine, "link");
  assert.equal(r.page.url(), address);
  assert.equal(link.split("#")[0], address);
  assert.match(link, /#smp=mine&/);
  assert.match(await exported(other, "link"), /#smp=smp-sampling-2&/);

  const page = await visit(link);
  assert.equal(await quiz(reader(page, en, "#mine")).count(), 0, "nothing is asked of what was shared");
  await page.evaluate(() =>
    document.querySelector("smp-sampling").insertAdjacentHTML("afterend", "<smp-sampling></smp-sampling>"),
  );
  await page.evaluate(skipQuestions);
  assert.deepEqual(await setting(reader(page, en, "#mine")), await setting(mine));
  assert.equal(await reader(page, en, "smp-sampling >> nth=1").sentence("u"), result);
  assert.deepEqual(page.heard.messages, []);
});

test("a link followed on the page itself restores too", async () => {
  const r = await open();
  await r.preset("real").click();
  const link = await exported(r, "link"),
    before = await setting(r);
  await r.preset("chapter").click();
  await r.page.evaluate(hash => (location.hash = hash), new URL(link).hash);
  await r.preset("real").and(r.page.locator("[aria-pressed=true]")).waitFor();
  assert.deepEqual(await setting(r), before);
  assert.equal((await r.rows())[0].candidate, "ID 0The", "with the pieces of the preset");
});

test("where the clipboard is forbidden the link stands there to be copied", async () => {
  const r = await open();
  await r.page.evaluate(() =>
    Object.defineProperty(navigator.clipboard, "writeText", {
      value: () => Promise.reject(new DOMException("", "NotAllowedError")),
    }),
  );
  await exported(r, "link");
  await r.host.getByText(en.exports.copyThis).first().waitFor();
  assert.equal(await status(r), en.exports.copyThis);
});

test("where it is allowed the link is in the clipboard", async () => {
  const r = await open("", { permissions: ["clipboard-read", "clipboard-write"] });
  const link = await exported(r, "link");
  await r.host.getByText(en.exports.copied).first().waitFor();
  assert.equal(await r.page.evaluate(() => navigator.clipboard.readText()), link);
});

test("the CSV holds the same doubles as the core, row by row", async () => {
  const r = await open(`logits="-0 0.1 2.5 -99.99 3.3333333333333335" tau="0.7" k="3"`);
  const download = r.page.waitForEvent("download"),
    text = await exported(r, "csv"),
    file = await download;
  assert.equal(file.suggestedFilename(), "sampling.csv");
  assert.equal((await readFile(await file.path(), "utf8")).replaceAll("\r\n", "\n"), text.replaceAll("\r\n", "\n"));
  const [head, ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map(line => line.split(","));
  assert.deepEqual(head.slice(0, 9), ["id", "token", "logit", "score", "p", "q", "lo", "hi", "state"]);
  assert.deepEqual(head.slice(9), ["tau", "k", "u", "tie", "share", "dtype"]);
  const logits = [-0, 0.1, 2.5, -99.99, 3.3333333333333335],
    want = api.lab(cores.simd, logits, { tau: 0.7, k: 3, u: 0.5 });
  rows.forEach(([id, token, logit, score, p, q, lo, hi, state, ...rest], index) => {
    assert.equal(token, "");
    assert.deepEqual(rest, ["0.7", "3", "0.5", "strict", "renormalised", "float64"]);
    assert.equal(id, String(index));
    for (const [text, value] of [
      [logit, logits[index]],
      [score, want.score[index]],
      [p, want.p[index]],
      [q, want.q[index]],
    ])
      assert.ok(Object.is(Number(text), value), `${text} for ${value}`);
    if (!want.kept[index]) assert.deepEqual([lo, hi, state], ["", "", "removed"]);
    else
      assert.deepEqual(
        [Number(lo), Number(hi), state],
        [want.lo[index], want.hi[index], want.id === index ? "chosen" : "kept"],
      );
  });
  assert.equal(rows.length, logits.length);
});

test("the CSV of a greedy choice has no numbers that were not computed", async () => {
  const rows = (await exported(await open(`preset="greedy"`), "csv")).trim().split(/\r?\n/).slice(1);
  assert.deepEqual(
    rows,
    ["0,,1,,,,,,chosen", "1,,1,,,,,,", "2,,0,,,,,,"].map(row => `${row},0,3,0.75,strict,renormalised,float64`),
  );
});

for (const m of [zh, en])
  test(`${m.lang}: the SVG is well-formed, complete and refers to nothing outside`, async () => {
    const r = await open("", {}, m);
    for (const [name, ids] of Object.entries({ chapter: [2, 3], greedy: [0, 1, 2], extremes: [0] })) {
      await r.host.evaluate((host, preset) => (host.preset = preset), name);
      const text = await exported(r, "svg");
      const found = await r.page.evaluate(svg => {
        const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
        const attributes = [...parsed.querySelectorAll("*")].flatMap(element => [...element.attributes]);
        return {
          root: parsed.documentElement.nodeName,
          errors: parsed.querySelectorAll("parsererror").length,
          links: attributes
            .filter(({ name, value }) => /href|src|style/.test(name) || /url\(|https?:/.test(value))
            .map(({ name, value }) => `${name}=${value}`),
          kinds: [...new Set([...parsed.querySelectorAll("*")].map(element => element.localName))].sort(),
          text: parsed.documentElement.textContent,
        };
      }, text);
      assert.deepEqual([found.root, found.errors, found.links], ["svg", 0, ["xmlns=http://www.w3.org/2000/svg"]], name);
      assert.deepEqual(found.kinds, ["circle", "path", "rect", "svg", "text"]);
      for (const id of ids) assert.ok(found.text.includes(`ID ${id}`), `${name}: ID ${id}`);
      assert.doesNotMatch(text, /NaN|undefined|Infinity/);
    }
  });
