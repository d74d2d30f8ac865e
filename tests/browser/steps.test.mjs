// The six steps, forward and back: what is known at each, what is not yet computed, and what is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();
const STEPS_OF = { score: 2, before: 3, after: 5, interval: 6 };
const VALUES = {
  score: ["−3.75", "−2.5", "−1.25", "0"],
  before: ["0.016894", "0.058965", "0.205807", "0.718335"],
  after: ["0", "0", "0.222700", "0.777300"],
  interval: ["—", "—", "[0, 0.222700)", "[0.222700, 1)"],
};

for (const m of [zh, en]) {
  const open = async () => reader(await lab(`<smp-sampling lang="${m.lang}"></smp-sampling>`), m);
  const { pending, removed, kept, chosen } = m.table;
  const SENTENCES = [
    m.steps.read(4),
    m.steps.score("3", "0.8"),
    m.steps.probability("1.392108"),
    m.steps.keep([2, 3], [0, 1]),
    m.steps.renormalise("0.924142"),
    m.steps.place([2, 3], "0.5", 3),
  ].map(plain);

  async function checkStep(r, step) {
    assert.equal(await r.current(), step);
    const rows = await r.rows();
    for (const [column, at] of Object.entries(STEPS_OF))
      assert.deepEqual(
        rows.map(row => row[column]),
        step >= at ? VALUES[column] : new Array(4).fill(pending),
        `${column} at step ${step}`,
      );
    const states =
      step === 6
        ? [removed, removed, kept, chosen]
        : step >= 4
          ? [removed, removed, kept, kept]
          : new Array(4).fill(pending);
    assert.deepEqual(
      rows.map(row => row.state),
      states,
      `state at step ${step}`,
    );
    assert.ok(
      (await r.steps.innerText()).replace(/\s+/g, " ").includes(SENTENCES[step - 1].replace(/\s+/g, " ")),
      SENTENCES[step - 1],
    );
  }

  test(`${m.lang}: from the start to the end and back, one step at a time`, async () => {
    const r = await open();
    await checkStep(r, 6);
    await r.move("again").click();
    for (const step of [1, 2, 3, 4, 5, 6]) {
      await checkStep(r, step);
      if (step < 6) await r.move("forward").click();
    }
    for (const step of [5, 4, 3, 2, 1]) {
      await r.move("back").click();
      await checkStep(r, step);
    }
    await r.move("all").click();
    await checkStep(r, 6);
  });

  test(`${m.lang}: any step by its own button`, async () => {
    const r = await open();
    for (const step of [4, 1, 5, 2, 6, 3]) {
      await r.step(step).click();
      await checkStep(r, step);
    }
  });

  test(`${m.lang}: at both ends the buttons say that they do nothing, and do nothing`, async () => {
    const r = await open(),
      off = name => r.move(name).getAttribute("aria-disabled");
    assert.deepEqual(await Promise.all(["again", "back", "forward", "all"].map(off)), [null, null, "true", "true"]);
    await r.move("forward").click({ force: true });
    assert.equal(await r.current(), 6);
    await r.move("again").click();
    assert.deepEqual(await Promise.all(["again", "back", "forward", "all"].map(off)), ["true", "true", null, null]);
    await r.move("back").click({ force: true });
    assert.equal(await r.current(), 1);
  });

  test(`${m.lang}: in a middle step the numbers follow the inputs, and the step stays`, async () => {
    const r = await open();
    await r.step(3).click();
    await r.enter("tau", "1");
    assert.equal(await r.current(), 3);
    assert.deepEqual(await r.column("before"), ["0.032059", "0.087144", "0.236883", "0.643914"]);
    assert.deepEqual(await r.column("after"), new Array(4).fill(pending));
  });

  test(`${m.lang}: greedy has its own sentences and no numbers in any step`, async () => {
    const r = await open();
    await r.preset("greedy").click();
    for (const step of [2, 3, 4, 5]) {
      await r.step(step).click();
      assert.ok((await r.steps.innerText()).includes(plain(m.steps.greedy[step - 1])), `step ${step}`);
      assert.doesNotMatch(await r.table.innerText(), /\d\.\d/);
    }
    await r.step(6).click();
    assert.ok((await r.steps.innerText()).includes(plain(m.steps.greedyChoice("1", 0, true))));
  });

  test(`${m.lang}: the live region speaks on commit only`, async () => {
    const r = await open(),
      status = r.host.getByRole("status");
    await r.type("u", "0.1");
    assert.equal(await status.textContent(), "");
    await r.box("u").blur();
    assert.equal(await status.textContent(), plain(m.chooses(2, "0.222700", "[0, 0.222700)")));
    await r.step(2).click();
    assert.equal(await status.textContent(), SENTENCES[1]);
  });
}
