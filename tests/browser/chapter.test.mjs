// The facts that must hold, read off the page as a reader would, in both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, below, cores } from "../node/support.mjs";
import { expected } from "./oracle.mjs";
import { en, plain, reader, start, zh } from "./support.mjs";

const { lab } = await start();

for (const m of [zh, en]) {
  const open = async (attributes = "") =>
    reader(await lab(`<smp-sampling lang="${m.lang}" ${attributes}></smp-sampling>`), m);
  const name = text => `${m.lang}: ${text}`;

  test(name("[0,1,2,3], tau 0.8, k 2, u 0.5"), async () => {
    const r = await open();
    const rows = await r.rows();
    assert.deepEqual(
      rows.map(row => row.logit),
      ["0", "1", "2", "3"],
    );
    assert.deepEqual(
      rows.map(row => row.score),
      ["−3.75", "−2.5", "−1.25", "0"],
    );
    assert.deepEqual(
      rows.map(row => row.before),
      ["0.016894", "0.058965", "0.205807", "0.718335"],
    );
    assert.deepEqual(
      rows.map(row => row.after),
      ["0", "0", "0.222700", "0.777300"],
    );
    assert.deepEqual(
      rows.map(row => row.interval),
      ["—", "—", "[0, 0.222700)", "[0.222700, 1)"],
    );
    assert.deepEqual(
      rows.map(row => row.state),
      [m.table.removed, m.table.removed, m.table.kept, m.table.chosen],
    );
    assert.equal(await r.sentence("logits"), plain(m.best(4, [3])) + m.logitsHint);
    assert.equal(await r.sentence("tau"), plain(m.likeliest([3], "0.718335")));
    assert.equal(await r.sentence("k"), plain(m.keeps([2, 3], "0.924142")));
    assert.equal(await r.sentence("u"), plain(m.chooses(3, "0.777300", "[0.222700, 1)")));
  });

  test(name("u 0.1 chooses id 2; a boundary belongs to the right-hand segment"), async () => {
    const r = await open();
    await r.enter("u", "0.1");
    assert.equal(await r.sentence("u"), plain(m.chooses(2, "0.222700", "[0, 0.222700)")));
    assert.deepEqual(await r.column("state"), [m.table.removed, m.table.removed, m.table.chosen, m.table.kept]);

    const boundary = api.lab(cores.simd, [0, 1, 2, 3], { tau: 0.8, k: 2, u: 0 }).lo[3];
    await r.enter("u", String(boundary));
    assert.equal(await r.sentence("u"), plain(m.chooses(3, "0.777300", "[0.222700, 1)")));
    await r.enter("u", String(below(boundary)));
    assert.equal(await r.sentence("u"), plain(m.chooses(2, "0.222700", "[0, 0.222700)")));
  });

  test(name("k = V filters nothing"), async () => {
    const r = await open();
    await r.enter("k", "4");
    assert.equal(await r.sentence("k"), plain(m.keepsAll(4)));
    assert.deepEqual(await r.column("after"), await r.column("before"));
    assert.deepEqual(await r.column("state"), [m.table.kept, m.table.kept, m.table.kept, m.table.chosen]);
  });

  test(name("[3,2,2,0], k 2: strict keeps 0 and 1, threshold 0, 1 and 2, both told side by side"), async () => {
    const r = await open();
    await r.preset("tie").click();
    const rule = which => r.host.getByRole("radio", { name: plain(m.notes.tieRules[which]) });
    const before = ["0.560053", "0.206032", "0.206032", "0.027883"];
    assert.deepEqual(await r.column("before"), before);
    for (const kept of [
      [0, 1],
      [0, 1, 2],
    ])
      await r.host.getByText(m.notes.tieKeeps(kept), { exact: true }).waitFor();
    assert.deepEqual(await r.column("after"), ["0.731059", "0.268941", "0", "0"]);
    assert.equal(await r.sentence("k"), plain(m.keeps([0, 1], "0.766085")));

    await rule("threshold").check();
    assert.deepEqual(await r.column("before"), before);
    assert.deepEqual(await r.column("after"), ["0.576117", "0.211942", "0.211942", "0"]);
    assert.equal(await r.sentence("k"), plain(m.keeps([0, 1, 2], "0.972117")));
    await rule("strict").check();
    assert.deepEqual(await r.column("after"), ["0.731059", "0.268941", "0", "0"]);
  });

  test(name("[1,1,0]: tau 0 chooses id 0 and shows no probability; tau 1e-3 gives 0.5, 0.5, 0"), async () => {
    const r = await open(`logits="1 1 0" tau="0" k="3" u="0.75"`);
    assert.equal(await r.sentence("u"), plain(m.choosesGreedy(0)));
    assert.equal(await r.sentence("tau"), plain(m.noProbability));
    assert.equal(await r.sentence("k"), plain(m.noFilter));
    for (const column of ["score", "before", "after", "interval"])
      assert.deepEqual(await r.column(column), new Array(3).fill(m.table.undefined), column);
    assert.doesNotMatch(await r.table.innerText(), /\d\.\d/);

    await r.enter("tau", "1e-3");
    assert.deepEqual(await r.column("before"), ["0.500000", "0.500000", "0"]);
    assert.equal(await r.sentence("u"), plain(m.chooses(1, "0.500000", "[0.500000, 1)")));
  });

  test(name("tau 0 still needs a legal k and u"), async () => {
    const r = await open(`logits="1 1 0" tau="0" k="4" u="0.75"`);
    assert.ok((await r.sentence("k")).startsWith(m.problem("k", { kind: "aboveCount", text: "4", count: 3 }, 3)));
  });

  test(name("[-100,100], tau 1e-300: no NaN anywhere"), async () => {
    const r = await open(`logits="-100 100" k="2" tau="1e-300"`);
    assert.deepEqual(await r.column("before"), ["0", "1"]);
    assert.deepEqual(await r.column("score"), ["−2e302", "0"]);
    for (const tau of ["1e-300", "5e-324", "1e308"]) {
      await r.enter("tau", tau);
      assert.equal(await r.box("tau").getAttribute("aria-invalid"), null);
      assert.doesNotMatch(
        await r.host.evaluate(element => element.shadowRoot.innerHTML),
        /NaN|Infinity|undefined/,
        tau,
      );
    }
    assert.deepEqual(await r.column("before"), ["0.500000", "0.500000"]);
  });

  test(name("a value that six decimals would hide is not shown as 0 or 1"), async () => {
    const r = await open(`logits="0 20" tau="1" k="2" u="0"`);
    assert.deepEqual(await r.column("before"), ["< 0.000001", "> 0.999999"]);
    assert.equal(await r.sentence("u"), plain(m.chooses(0, "< 0.000001", "[0, < 0.000001)")));
  });

  test(name("the map in words: as tau approaches 0 only kept ids share"), async () => {
    const words = async (r, order, top, tau) => {
      const map = r.host.getByRole("group", { name: m.map.label });
      const text = await r.host.locator(`#${await map.getAttribute("aria-describedby")}`).textContent();
      assert.equal(text.trim(), plain(m.map.words(order, top, tau)).trim());
    };
    await words(await open(), [2, 3], [3], 0.8);
    await words(await open(`logits="1 1 0" tau="1" k="3"`), [0, 1, 2], [0, 1], 1);
    await words(await open(`logits="1 1 0" tau="1" k="1"`), [0], [0], 1);
  });

  test(name("the table says that these are computed probabilities, the end what is not simulated"), async () => {
    const r = await open();
    assert.ok((await r.table.locator("caption").textContent()).includes(m.table.caption));
    await r.host.getByText(m.closing, { exact: true }).waitFor();
  });

  test(
    name("removed ids set to zero and not renormalised: the sum is 0.924142, and u 0.95 chooses nothing"),
    async () => {
      const r = await open();
      await r.host.getByRole("switch").check();
      assert.deepEqual(await r.column("after"), ["0", "0", "0.205807", "0.718335"]);
      assert.equal(await r.sentence("u"), plain(m.chooses(3, "0.718335", "[0.205807, 0.924142)")));
      await r.host.getByText(m.table.notOne("0.924142"), { exact: true }).waitFor();
      await r.enter("u", "0.95");
      assert.equal(await r.sentence("u"), plain(m.choosesNone));
      assert.deepEqual(await r.column("state"), [m.table.removed, m.table.removed, m.table.kept, m.table.kept]);
      await r.host.getByRole("switch").uncheck();
      assert.equal(await r.sentence("u"), plain(m.chooses(3, "0.777300", "[0.222700, 1)")));
    },
  );

  test(name("sliders move the same numbers"), async () => {
    const r = await open();
    await r.slider("tau").fill("1.5");
    assert.equal(await r.box("tau").inputValue(), "1.5");
    assert.deepEqual(await r.column("before"), expected([0, 1, 2, 3], 1.5, 2).before);
    await r.slider("k").fill("3");
    assert.equal(await r.box("k").inputValue(), "3");
    const { after, kept, mass } = expected([0, 1, 2, 3], 1.5, 3);
    assert.deepEqual(await r.column("after"), after);
    assert.equal(await r.sentence("k"), plain(m.keeps(kept, mass)));
    await r.slider("u").fill("0.1");
    assert.equal(await r.box("u").inputValue(), "0.1");
    assert.deepEqual(await r.column("state"), [m.table.removed, m.table.chosen, m.table.kept, m.table.kept]);
    await r.slider("tau").fill("0");
    assert.equal(await r.sentence("u"), plain(m.choosesGreedy(3)));
  });

  test(name("the ruler's u can be dragged, typed and moved by keys"), async () => {
    const r = await open(),
      ruler = r.slider("ruler");
    await ruler.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await ruler.boundingBox();
    const at = share => [x + 12 + share * (width - 24), y + height / 2];
    await r.page.mouse.move(...at(0.5));
    await r.page.mouse.down();
    await r.page.mouse.move(...at(0.3));
    await r.page.mouse.move(...at(0.1));
    await r.page.mouse.up();
    const dragged = Number(await r.box("u").inputValue());
    assert.ok(Math.abs(dragged - 0.1) < 0.02, `u is ${dragged}`);
    assert.equal(await r.sentence("u"), plain(m.chooses(2, "0.222700", "[0, 0.222700)")));
    await r.enter("u", "0.25");
    assert.equal(Number(await ruler.inputValue()), 0.25);
    await ruler.focus();
    await r.page.keyboard.press("ArrowRight");
    assert.equal(await r.box("u").inputValue(), "0.251");
    await r.page.keyboard.press("Home");
    assert.equal(await r.box("u").inputValue(), "0");
    await r.page.keyboard.press("End");
    assert.ok(Number(await r.box("u").inputValue()) < 1);
    assert.equal(await r.box("u").getAttribute("aria-invalid"), null);
  });

  test(name("presets: the real candidates by their pieces, and one press back after an edit"), async () => {
    const r = await open();
    await r.preset("real").click();
    const candidates = await r.column("candidate");
    ["The", "A", "In", "L", "S", '"', "1", "the"].forEach((piece, id) =>
      assert.equal(candidates[id], `ID ${id}${piece}`),
    );
    assert.equal(await r.preset("real").getAttribute("aria-pressed"), "true");

    await r.enter("tau", "1.5");
    assert.equal(await r.preset("real").getAttribute("aria-pressed"), "false");
    await r.press(m.presets.back);
    assert.equal(await r.box("tau").inputValue(), "1");
    assert.equal(await r.preset("real").getAttribute("aria-pressed"), "true");

    await r.preset("greedy").click();
    assert.equal(await r.sentence("u"), plain(m.choosesGreedy(0)));
    await r.preset("nearZero").click();
    assert.equal(await r.sentence("u"), plain(m.chooses(1, "0.500000", "[0.500000, 1)")));
    await r.preset("chapter").click();
    assert.deepEqual(await r.column("logit"), ["0", "1", "2", "3"]);
  });
}
