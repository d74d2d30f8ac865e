// <smp-sampling> with an author's words and filters: what is on view is what the core answered, for one filter and for
// several; without them nothing of it is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOKS, violations } from "./axe.mjs";
import { api, cores } from "../node/support.mjs";
import { en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();
const open = async (attributes = "", options, m = en) =>
  reader(await lab(`<smp-sampling lang="${m.lang}" ${attributes}></smp-sampling>`, options), m);
const set = (r, values) => r.host.evaluate((host, all) => void Object.assign(host, all), values);
const six = x => (x === 0 || x === 1 ? String(x) : x.toFixed(6));
const tables = r => r.host.locator("table.filter");
const cells = (r, rule) =>
  r.host
    .locator(`table.filter[data-rule=${rule}] tbody tr`)
    .evaluateAll(rows =>
      rows.map(row => [...row.children].map(cell => cell.textContent.replace(/\s+/g, " ").trim()).join(" | ")),
    );
const ties = (r, legend) =>
  r.host.getByRole("group", { name: legend }).evaluate(group => ({
    text: group.textContent,
    kept: [...group.querySelectorAll(".kept-set")].map(set => set.textContent),
    checked: [...group.querySelectorAll("input")].map(input => input.checked),
  }));
const exported = async (r, name) => {
  await r.press(en.exports[name]);
  return r.host.locator(".export textarea").inputValue();
};

// ---- Filters -----------------------------------------------------------------------------------------------------

test("without rules none of it is there", async () => {
  const r = await open();
  assert.equal(await tables(r).count(), 0);
  assert.equal(await r.host.locator(".joint").count(), 1);
  assert.equal(await r.host.locator(".joint .middle").count(), 0);
  assert.deepEqual(await r.host.locator(".field").evaluateAll(all => all.map(field => field.dataset.field)), [
    "logits",
    "tau",
    "k",
    "u",
  ]);
  const link = await exported(r, "link");
  assert.doesNotMatch(link, /rules|labels|top_p|min_p|max|tie_p/);
});

test("top-p 0.9 at tau 0.8 keeps 2 and 3: 0.718335 before the second is below 0.9", async () => {
  const r = await open(`logits="0 1 2 3" tau="0.8" rules="top_p" top_p="0.9"`);
  assert.deepEqual(await r.column("after"), ["0", "0", "0.222700", "0.777300"]);
  assert.deepEqual(await r.column("state"), ["removed by top-p", "removed by top-p", en.table.kept, en.table.chosen]);
  assert.deepEqual(await cells(r, "top_p"), [
    `ID 3 | 0.718335 | ${en.rules.first} | 0.777300`,
    "ID 2 | 0.205807 | 0.718335 < 0.9 | 0.222700",
    `ID 1 | 0.058965 | 0.924142 > 0.9 | ${en.table.removed}`,
    `ID 0 | 0.016894 | 0.983106 > 0.9 | ${en.table.removed}`,
  ]);
  assert.equal(await r.sentence("top_p"), plain(en.rules.result([2, 3], "0.924142")));
  assert.equal(await r.box("k").count(), 0);
  await r.enter("top_p", "0.95");
  assert.deepEqual((await r.column("after")).filter(q => q !== "0").length, 3);
});

for (const m of [zh, en])
  test(`${m.lang}: a sum that meets p exactly: both rules side by side, and why`, async () => {
    const r = await open(`logits="0 0 0 0" tau="1" rules="top_p" top_p="0.5"`, {}, m);
    const both = await ties(r, m.rules.ties);
    assert.deepEqual(both.kept, [m.notes.tieKeeps([0, 1]), m.notes.tieKeeps([0, 1, 2])]);
    assert.deepEqual(both.checked, [true, false]);
    assert.ok(both.text.includes(plain(m.rules.tieDiffer(2, "0.5"))), both.text);
    assert.deepEqual(await r.column("after"), ["0.500000", "0.500000", "0", "0"]);
    assert.match((await cells(r, "top_p"))[2], /0\.500000 = 0\.5/);
    await r.host.getByRole("group", { name: m.rules.ties }).getByRole("radio").nth(1).check();
    assert.deepEqual(await r.column("after"), ["0.333333", "0.333333", "0.333333", "0"]);
    assert.equal((await r.properties()).tie, "strict");
    assert.equal(await r.host.evaluate(host => host.tie_p), "inclusive");
    await r.enter("top_p", "0.6");
    assert.ok((await ties(r, m.rules.ties)).text.includes(plain(m.rules.tieNone)));
  });

test("the order of the list is the order of the pipeline, in fields, strips, tables and numbers", async () => {
  const logits = [2, 1.5, 0.3, 0.2, -1],
    core = cores.simd,
    given = { top_k: ["top_k", 4], top_p: ["top_p", 0.8], min_p: ["min_p", 0.2] };
  const r = await open(`logits="${logits.join(" ")}" tau="1.3" k="4" top_p="0.8" min_p="0.2" u="0.9"`);
  for (const rules of [
    ["top_k", "top_p", "min_p"],
    ["min_p", "top_k"],
    ["top_p", "min_p", "top_k"],
  ]) {
    await set(r, { rules });
    const want = api.lab(core, logits, { tau: 1.3, u: 0.9, filters: rules.map(name => given[name]) });
    assert.deepEqual(await r.column("after"), Array.from(want.q, six), rules.join());
    assert.deepEqual(await r.host.locator(".field").evaluateAll(all => all.map(field => field.dataset.field)), [
      "logits",
      "tau",
      ...rules.map(name => (name === "top_k" ? "k" : name)),
      "u",
    ]);
    assert.deepEqual(await tables(r).evaluateAll(all => all.map(table => table.dataset.rule)), rules);
    for (const [index, name] of rules.entries()) {
      const { p, q, rank, kept } = want.steps[index],
        order = [...rank.keys()].filter(id => rank[id]).sort((a, b) => rank[a] - rank[b]);
      assert.deepEqual(
        (await cells(r, name)).map(row => row.split(" | ").filter((_, at) => at !== 2)),
        order.map(id => [`ID ${id}`, six(p[id]), kept[id] ? six(q[id]) : en.table.removed]),
        `${rules} ${name}`,
      );
    }
    const strips = await r.host
      .locator(".joint .middle")
      .evaluateAll(all =>
        all.map(strip =>
          [...strip.children].map(part => [Number(part.dataset.id), part.classList.contains("removed")]),
        ),
      );
    const left = want.steps
      .slice(0, -1)
      .map(({ kept }, index) =>
        [...kept.keys()].filter(id => kept[id]).map(id => [id, !want.steps[index + 1].kept[id]]),
      );
    assert.deepEqual(strips, left, rules.join());
    const svg = await exported(r, "svg"),
      inSvg = [...svg.matchAll(/<rect x="[^"]*" y="(\d+)" [^>]*height="16"/g)].map(([, y]) => Number(y));
    const rows = [logits.length, ...left.map(ids => ids.length)];
    assert.deepEqual(
      inSvg,
      rows.flatMap((count, row) => Array(count).fill(40 + 26 * row)),
      "the same strips in the SVG",
    );
  }
});

test("the map follows the filters: every point that is pressed chooses the id that the core chooses", async () => {
  const logits = [0, 1, 2, 3],
    r = await open(`rules="top_p min_p" top_p="0.7" min_p="0.3"`);
  const idAt = ([u, y]) =>
    r.host.evaluate(
      (host, [x, down]) => {
        const pane = host.shadowRoot.querySelector(".field-of-u svg"),
          box = pane.getBoundingClientRect();
        const at = host.shadowRoot
          .elementsFromPoint(box.left + x * box.width, box.top + down * box.height)
          .find(part => part.classList.contains("region"));
        return at ? Number(at.dataset.id) : null;
      },
      [u, y],
    );
  await r.host.locator(".field-of-u").scrollIntoViewIfNeeded();
  for (const zeroed of [false, true]) {
    await set(r, { share: zeroed ? "zeroed" : "renormalised" });
    for (const y of [0.06, 0.22, 0.41, 0.63, 0.9])
      for (const u of [0.03, 0.31, 0.55, 0.77, 0.96]) {
        const tau = api.axisValue(cores.simd, 0.05, 20, 1 - y);
        const { id } = api.lab(cores.simd, logits, {
          tau,
          u,
          share: zeroed ? "zeroed" : "renormalised",
          filters: [
            ["top_p", 0.7],
            ["min_p", 0.3],
          ],
        });
        assert.equal(await idAt([u, y]), id, `u ${u}, tau ${tau}${zeroed ? ", zeroed" : ""}`);
      }
  }
});

test("the mistake with filters: what they took is a gap", async () => {
  const r = await open(`rules="top_p" top_p="0.9" share="zeroed" u="0.95"`);
  assert.deepEqual(await r.column("after"), ["0", "0", "0.205807", "0.718335"]);
  assert.equal(await r.sentence("u"), plain(en.choosesNone));
});

test("greedy has no filters to show, and steps back hide them", async () => {
  const r = await open(`rules="top_p min_p" tau="0"`);
  assert.equal(await tables(r).count(), 0);
  assert.equal(await r.sentence("top_p"), en.rules.greedy);
  await r.enter("tau", "1");
  assert.equal(await tables(r).count(), 2);
  await r.step(3).click();
  assert.equal(await tables(r).count(), 0);
  assert.equal((await r.step(4).textContent()).replace(/\d/, "").trim(), en.rules.step);
});

test("wrong numbers and names: a message, and the last valid result stays", async () => {
  const r = await open(`rules="top_p min_p"`);
  const before = await r.column("after");
  for (const [name, text, kind] of [
    ["top_p", "1.5", { kind: "outOfRange", text: "1.5" }],
    ["min_p", "-0.1", { kind: "negative" }],
    ["top_p", "x", { kind: "notNumber", text: "x" }],
  ]) {
    await r.enter(name, text);
    assert.equal(await r.sentence(name), en.problem(name, kind, 4));
    assert.deepEqual(await r.column("after"), before);
    await r.enter(name, name === "top_p" ? "0.9" : "0.1");
  }
  r.page.heard.messages.length = 0;
  await set(r, { rules: "top_p top_q", max: "17", labels: '"open' });
  assert.equal(r.page.heard.messages.length, 3);
  assert.match(r.page.heard.messages.join("\n"), /rules="top_p top_q"[^]*max="17"[^]*labels=/);
  assert.equal(await tables(r).count(), 0, "the chapter's filter");
});

test("events, properties and the link hold all of it, and a link opens it again", async () => {
  const r = await open(`logits="0 1 2" rules="top_p min_p" labels='the "New York"' max="3" tie_p="inclusive"`);
  await r.host.evaluate(host => {
    host.heard = [];
    host.addEventListener("smp-change", event => host.heard.push(event.detail));
  });
  await r.enter("top_p", "0.5");
  const [{ draft, config }] = await r.host.evaluate(host => host.heard);
  assert.deepEqual(
    [draft.rules, draft.top_p, draft.labels, draft.max, draft.tie_p],
    ["top_p min_p", "0.5", 'the "New York"', "3", "inclusive"],
  );
  assert.deepEqual(
    [config.rules, config.top_p, config.min_p, config.labels],
    [["top_p", "min_p"], 0.5, 0.1, ["the", "New York", ""]],
  );
  const fragment = new URL(await exported(r, "link")).hash,
    named = new URLSearchParams(fragment.slice(1));
  assert.deepEqual(
    ["rules", "top_p", "min_p", "labels", "max", "tie_p", "k"].map(name => named.get(name)),
    ["top_p min_p", "0.5", "0.1", 'the "New York"', "3", "inclusive", null],
  );
  const other = await open();
  await other.page.evaluate(hash => (location.hash = hash), fragment);
  await other.host.locator(".field[data-field=top_p]").waitFor();
  assert.deepEqual(await other.rows(), await r.rows());
});

// ---- Words -------------------------------------------------------------------------------------------------------

const words = (r, within) =>
  r.host.locator(`${within} .spelling`).evaluateAll(all => all.map(word => [word.textContent, word.title]));

for (const m of [zh, en])
  test(`${m.lang}: words stand beside ids in the table, strips, map, sentences, formula, question, SVG and CSV`, async () => {
    const r = await open(`u="0.1"`, {}, m);
    await set(r, { labels: ["the", "a", " New York", '"'] });
    assert.deepEqual(await r.column("candidate"), ["ID 0the", "ID 1a", "ID 2 New York", 'ID 3"']);
    assert.deepEqual(await words(r, ".after"), [
      [" New York", " New York"],
      ['"', '"'],
    ]);
    assert.ok((await words(r, ".field-of-u")).some(([word]) => word === '"'));
    for (const within of ["#u-out", ".say", ".work h3", ".tok"])
      assert.ok(
        (await words(r, within)).some(([word]) => word === " New York"),
        within,
      );
    assert.match(await r.host.locator(".strip.after").getAttribute("aria-label"), /ID 2 " New York" /);
    assert.match(await r.host.locator("#map-words").textContent(), /ID 3 """/);
    await r.enter("u", "0.12");
    assert.match(await r.host.getByRole("status").textContent(), /ID 2 " New York"/);
    await r.press(m.exports.svg);
    const svg = await r.host.locator(".export textarea").inputValue();
    assert.match(svg, /ID 2 {2}New York/);
    for (const axis of ["tau", "u"]) assert.ok(svg.includes(`>${plain(m.fields[axis])}</text>`), axis);
    await r.press(m.exports.csv);
    const csv = (await r.host.locator(".export textarea").inputValue()).trim().split(/\r?\n/);
    assert.match(csv[0], /^id,token,logit,/);
    assert.match(csv[3], /^2,""" New York""",2,/);
    assert.match(csv[4], /^3,"""\\""""",3,/);
  });

test("the CSV holds the setting in each row, and what each filter compared", async () => {
  const r = await open(`rules="top_p min_p" top_p="0.9" min_p="0.1" labels="=1+1 b"`),
    [head, ...rows] = (await exported(r, "csv"))
      .trim()
      .split(/\r?\n/)
      .map(line => line.split(","));
  const want = api.lab(cores.simd, [0, 1, 2, 3], {
    tau: 0.8,
    u: 0.5,
    filters: [
      ["top_p", 0.9],
      ["min_p", 0.1],
    ],
  });
  const column = name => rows.map(row => row[head.indexOf(name)]);
  assert.deepEqual(head.slice(-7), ["tau", "top_p", "min_p", "u", "tie_p", "share", "dtype"]);
  assert.deepEqual(rows[0].slice(-7), ["0.8", "0.9", "0.1", "0.5", "strict", "renormalised", "float64"]);
  assert.equal(column("token")[0], '"""=1+1"""', "not a formula");
  assert.deepEqual(column("top_p_compared").map(Number), [...want.steps[0].value]);
  assert.deepEqual(column("min_p_threshold").map(Number), [0, 0, want.steps[1].threshold, want.steps[1].threshold]);
  assert.deepEqual(column("top_p_kept"), ["0", "0", "1", "1"]);
});

test("typed or pasted: words before the numbers, one on each line too", async () => {
  const r = await open("", { permissions: ["clipboard-read", "clipboard-write"] });
  await r.enter("logits", 'the: 3.2, "New York": 2, a: 1');
  assert.deepEqual(await r.column("candidate"), ["ID 0the", "ID 1New York", "ID 2a"]);
  assert.deepEqual(await r.column("logit"), ["3.2", "2", "1"]);
  const lines = Array.from({ length: 16 }, (_, id) => `word ${id}: ${id / 2}`).join("\n");
  await r.page.evaluate(text => navigator.clipboard.writeText(text), lines);
  await r.box("logits").selectText();
  await r.page.keyboard.press("Control+V");
  await r.box("logits").blur();
  assert.match(await r.box("logits").inputValue(), /^"word 0": 0, "word 1": 0\.5, /);
  assert.deepEqual(
    await r.column("candidate"),
    Array.from({ length: 16 }, (_, id) => `ID ${id}word ${id}`),
  );
  assert.deepEqual(
    await r.host.locator("table.calc .c0 .mark").evaluateAll(all => all.length),
    8,
    "ids from 8 on have no mark",
  );
  const hues = await r.host
    .locator("table.calc tbody tr")
    .evaluateAll(rows => rows.map(row => getComputedStyle(row).getPropertyValue("--fill")));
  assert.equal(new Set(hues.slice(0, 8)).size, 8);
  assert.equal(new Set(hues.slice(8)).size, 1);
  assert.ok(!hues.slice(0, 8).includes(hues[8]));
});

test("a logit that is dragged keeps the words; the author's stay out of the field", async () => {
  const r = await open(`labels="a b c d"`);
  const drag = id => r.host.getByRole("slider", { name: plain(en.sliders.logit(id)) }).first();
  await drag(1).fill("1.5");
  assert.equal(await r.box("logits").inputValue(), "0 1.5 2 3");
  assert.equal((await r.column("candidate"))[1], "ID 1b");
  await r.enter("logits", "x: 0, y: 1");
  await drag(0).fill("0.5");
  assert.equal(await r.box("logits").inputValue(), "x: 0.5, y: 1");
});

const HOSTILE = [
  "x".repeat(300),
  "\u202eevil",
  "<img src=x onerror=alert(1)>",
  "👩‍💻👩‍💻",
  "a",
  "a",
  "",
  "عربي טקסט",
  "\u0000\n\t",
  "\ud800",
];

for (const width of [320, 390, 768, 1200])
  test(`hostile words at ${width} px: nothing runs, nothing is wider than the page, all of it in the title`, async () => {
    const r = await open(`max="16" rules="top_k top_p min_p" k="10" top_p="1" min_p="0"`, {
      viewport: { width, height: 900 },
    });
    await set(r, { logits: HOSTILE.map((_, id) => (id % 3) + 0.5), labels: HOSTILE, k: 10 });
    const found = await r.host.evaluate(host => {
      const { right } = host.getBoundingClientRect();
      return {
        images: host.shadowRoot.querySelectorAll("img").length,
        wide: [...host.shadowRoot.querySelectorAll("*")]
          .filter(
            part =>
              !part.closest(".vh, svg, .spelling, .u-row input") && part.getBoundingClientRect().right > right + 1,
          )
          .map(part => `${part.className} ${part.textContent.slice(0, 40)}`),
        titles: [...host.shadowRoot.querySelectorAll(".calc .spelling")].map(({ title }) => title),
        scroll: document.documentElement.scrollWidth,
      };
    });
    assert.deepEqual([found.images, found.wide], [0, []]);
    assert.ok(found.scroll <= width, `${found.scroll}`);
    assert.deepEqual(found.titles, [
      "x".repeat(300),
      "\\u202eevil",
      "<img src=x onerror=alert(1)>",
      "👩‍💻👩‍💻",
      "a",
      "a",
      "عربي טקסט",
      "\\u0000\\n\\t",
      "\\ud800",
    ]);
    const svg = await exported(r, "svg");
    assert.equal(
      await r.page.evaluate(
        text => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("parsererror, img").length,
        svg,
      ),
      0,
    );
    assert.deepEqual(r.page.heard.messages, []);
  });

for (const { name, lang, options } of LOOKS.slice(1, 4))
  test(`axe finds nothing with words and filters: ${name}`, async () => {
    const r = await open(
      `logits="0 1 2 3 2.5 2 1 0 0.5 1.5" rules="top_k top_p min_p" k="8" labels="the cat sat on a mat , . and then"`,
      options,
      lang === "zh" ? zh : en,
    );
    assert.deepEqual(await violations(r.page, "smp-sampling"), []);
  });
