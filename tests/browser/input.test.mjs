// Wrong input: the field's own message, the typed text kept, the last valid result kept and marked; in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();
const NINE = "1 2 3 4 5 6 7 8 9";

/** [field, typed text, problem] */
const WRONG = [
  ["tau", "-1", { kind: "negative" }],
  ["tau", "NaN", { kind: "notNumber", text: "NaN" }],
  ["tau", "abc", { kind: "notNumber", text: "abc" }],
  ["tau", "1e309", { kind: "infinite" }],
  ["tau", "", { kind: "empty" }],
  ["k", "0", { kind: "outOfRange", text: "0" }],
  ["k", "5", { kind: "aboveCount", text: "5", count: 4 }],
  ["k", "1.5", { kind: "notWhole", text: "1.5" }],
  ["k", "", { kind: "empty" }],
  ["u", "1", { kind: "reachesOne", text: "1" }],
  ["u", "-0.1", { kind: "negative" }],
  ["u", "", { kind: "empty" }],
  ["logits", NINE, { kind: "tooMany", found: 9 }],
  ["logits", "0 101", { kind: "outOfRange", text: "101", index: 1 }],
  ["logits", "0 1 two", { kind: "notNumber", text: "two", index: 2 }],
  ["logits", "", { kind: "empty" }],
];
const FIELDS = ["logits", "tau", "k", "u"];

for (const m of [zh, en]) {
  const open = async (attributes = "", options) =>
    reader(await lab(`<smp-sampling lang="${m.lang}" ${attributes}></smp-sampling>`, options), m);

  test(`${m.lang}: each wrong input`, async t => {
    const r = await open("", { keep: true }),
      before = await r.rows();
    for (const [field, text, problem] of WRONG)
      await t.test(`${field} ${JSON.stringify(text)}`, async () => {
        const old = await r.box(field).inputValue();
        await r.enter(field, text);
        const said = await r.sentence(field);
        assert.ok(said.startsWith(m.problem(field, problem, 4)), said);
        assert.equal(said, m.problem(field, problem, 4), "and nothing else");
        assert.equal(await r.box(field).inputValue(), text);
        for (const other of FIELDS)
          assert.equal(await r.box(other).getAttribute("aria-invalid"), other === field ? "true" : null, other);
        assert.deepEqual(await r.rows(), before, "the last valid result");
        for (const other of FIELDS.filter(name => name !== field))
          assert.equal(
            await r.sentence(other),
            other === "logits" ? m.logitsHint : "",
            "a sentence of the last valid result does not stand under a field",
          );
        assert.equal(
          await r.host.getByText(m.stale, { exact: true }).count(),
          1,
          "the result is marked as the last valid one",
        );

        await r.enter(field, old);
        assert.equal(await r.box(field).getAttribute("aria-invalid"), null);
        assert.equal(await r.host.getByText(m.stale, { exact: true }).count(), 0);
      });
  });

  test(`${m.lang}: k is not changed when the number of logits falls below it`, async () => {
    const r = await open(`k="3"`),
      before = await r.rows();
    await r.enter("logits", "5 6");
    assert.equal(await r.box("k").inputValue(), "3");
    assert.ok((await r.sentence("k")).startsWith(m.problem("k", { kind: "aboveCount", text: "3", count: 2 }, 2)));
    assert.equal(await r.box("logits").getAttribute("aria-invalid"), null);
    assert.deepEqual(await r.rows(), before);
    await r.enter("logits", "5 6 7");
    assert.equal(await r.box("k").getAttribute("aria-invalid"), null);
    assert.deepEqual(await r.column("logit"), ["5", "6", "7"]);
  });

  test(`${m.lang}: two wrong fields, each with its own message`, async () => {
    const r = await open();
    await r.enter("tau", "hot");
    await r.enter("u", "1");
    assert.ok((await r.sentence("tau")).startsWith(m.problem("tau", { kind: "notNumber", text: "hot" }, 4)));
    assert.ok((await r.sentence("u")).startsWith(m.problem("u", { kind: "reachesOne", text: "1" }, 4)));
    await r.enter("tau", "0.8");
    assert.equal(await r.box("u").getAttribute("aria-invalid"), "true");
  });

  test(`${m.lang}: four wrong fields, and one sentence about the result`, async () => {
    const r = await open();
    for (const field of FIELDS) await r.enter(field, "x");
    for (const field of FIELDS) assert.equal(await r.box(field).getAttribute("aria-invalid"), "true");
    assert.equal(await r.host.getByText(m.stale).count(), 1);
  });

  test(`${m.lang}: k is not blamed for wrong logits, which it may fit`, async () => {
    const r = await open();
    await r.enter("logits", "1 2 3 4 5 6 x");
    await r.enter("k", "6");
    assert.equal(await r.box("k").getAttribute("aria-invalid"), null);
    await r.enter("k", "9"); // more than there may be
    assert.ok(
      (await r.sentence("k")).startsWith(
        m.problem("k", { kind: "aboveCount", text: "9", count: 8 }, 4).split(/[.。]/)[0],
      ),
    );
  });
}

test("the forms that count as numbers", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  for (const text of [
    "1e-3 +2 -0 −3",
    "0.001,2,0,-3",
    "0.001，２，０，－3",
    "0.001\t2\t0\t-3",
    "0.001\r\n2\r\n0\r\n-3",
  ]) {
    await r.box("logits").evaluate((box, value) => {
      box.focus();
      box.value = "";
      document.execCommand("insertText", false, value);
    }, text);
    await r.box("logits").blur();
    assert.deepEqual(await r.column("logit"), ["0.001", "2", "0", "−3"], JSON.stringify(text));
  }
});

test("a message appears while typing, before the field is left", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  await r.box("u").focus();
  await r.page.keyboard.press("Control+A");
  await r.page.keyboard.type("1");
  assert.ok((await r.sentence("u")).startsWith(en.problem("u", { kind: "reachesOne", text: "1" }, 4)));
  await r.page.keyboard.press("Backspace");
  await r.page.keyboard.type(".25");
  assert.equal(await r.sentence("u"), plain(en.chooses(3, "0.777300", "[0.222700, 1)")));
});

test("a slider takes over from wrong text", async () => {
  const r = reader(await lab("<smp-sampling></smp-sampling>"), en);
  await r.enter("tau", "abc");
  await r.slider("tau").fill("1");
  assert.equal(await r.box("tau").inputValue(), "1");
  assert.equal(await r.box("tau").getAttribute("aria-invalid"), null);
});
