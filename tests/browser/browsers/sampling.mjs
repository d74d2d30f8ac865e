// The page side: <smp-sampling> against the vectors, and what a reader and an author may do with it.
import vectors from "../../vectors/softmax64.json";
import { fromHex } from "../../node/hex.mjs";
import { expected } from "../oracle.mjs";
import { en, zh } from "../../messages.mjs";
import { plain } from "../../../web/i18n/rich.ts";
import { presetNames, presets } from "../../../web/elements/sampling/presets.ts";
import { frame, mount, ok, same, someOf, test, tidy, turn } from "./tools.mjs";

/** `veiled`: with the question, which other tests skip. */
const open = (attributes, { veiled = false } = {}) => {
  const me = mount("smp-sampling", attributes);
  if (!veiled) me.button(en.quiz.skip)?.click();
  if (!veiled) me.button(zh.quiz.skip)?.click();
  return {
    ...me,
    cells: column =>
      me.all(`table.calc tbody .${column}`).map(cell => {
        const copy = cell.cloneNode(true);
        for (const hidden of copy.querySelectorAll("[aria-hidden]")) hidden.remove();
        return tidy(copy.textContent);
      }),
    chosen: () => me.all("table.calc tbody tr").findIndex(row => row.classList.contains("chosen")),
    said: name => me.text(`#${name}-out`),
  };
};
const result = plain(en.chooses(3, "0.777300", "[0.222700, 1)"));

// ---- Vectors ----------------------------------------------------------------------------------------------------

/** A probability as the page promises to write it. */
const shown = p =>
  p === 0 || p === 1 ? String(p) : p < 5e-7 ? "< 0.000001" : p >= 0.9999995 ? "> 0.999999" : p.toFixed(6);

someOf([...vectors.cases.entries()]).forEach(([index, item]) =>
  test(
    `sampling: softmax64.json ${index}`,
    () => {
      const [[u, id], ...picks] = item.picks.map(([at, chosen]) => [String(fromHex(at)), chosen]);
      const r = open({ logits: item.logits.map(fromHex).join(" "), tau: fromHex(item.tau), k: item.k, u });
      same(
        r.cells("c3"),
        item.p.map(p => shown(fromHex(p))),
        "before",
      );
      same(
        r.cells("c4"),
        item.p.map((_, entry) => (item.kept.includes(entry) ? shown(fromHex(item.q[item.kept.indexOf(entry)])) : "0")),
        "after",
      );
      same(r.chosen(), id, `chosen by ${u}`);
      for (const [at, chosen] of picks) {
        r.host.u = at;
        same(r.chosen(), chosen, `chosen by ${at}`);
      }
    },
    { once: true },
  ),
);

for (const name of presetNames)
  test(
    `sampling: preset ${name}`,
    () => {
      const r = open({ preset: name }),
        { logits, tau, k, tie, dtype } = presets[name];
      if (tau === "0" || tie || dtype) return ok(r.chosen() >= 0, "something is chosen");
      const { before, after } = expected(logits.split(" ").map(Number), Number(tau), Number(k));
      same(
        [r.cells("c3"), r.cells("c4")],
        [before, after].map(column =>
          column.map(text => (text === "0.000000" ? "< 0.000001" : text === "1.000000" ? "> 0.999999" : text)),
        ),
      );
    },
    { once: true },
  );

// ---- The reader -------------------------------------------------------------------------------------------------

test("sampling: complete in the moment it is in the page", () => {
  same(open().said("u"), result);
});

test("sampling: typed text, events while typing and on leaving", () => {
  const r = open(),
    heard = [];
  for (const type of ["smp-input", "smp-change"])
    r.host.addEventListener(type, ({ detail }) => heard.push([type, detail.draft.u, detail.config?.u ?? null]));
  r.type("#u", "0.", false);
  r.type("#u", "0.1", false);
  r.type("#u", "1");
  same(heard, [
    ["smp-input", "0.", 0],
    ["smp-input", "0.1", 0.1],
    ["smp-input", "1", null],
    ["smp-change", "1", null],
  ]);
  r.type("#u", "0.1");
  same(r.said("u"), plain(en.chooses(2, "0.222700", "[0, 0.222700)")));
  same(r.text("[role=status]"), r.said("u"), "what the live region says");
});

const WRONG = [
  ["tau", "-1", { kind: "negative" }],
  ["tau", "abc", { kind: "notNumber", text: "abc" }],
  ["tau", "1e309", { kind: "infinite" }],
  ["tau", "", { kind: "empty" }],
  ["k", "5", { kind: "aboveCount", text: "5", count: 4 }],
  ["k", "1.5", { kind: "notWhole", text: "1.5" }],
  ["k", "0", { kind: "outOfRange", text: "0" }],
  ["u", "1", { kind: "reachesOne", text: "1" }],
  ["u", "-0.1", { kind: "negative" }],
  ["logits", "1 2 3 4 5 6 7 8 9", { kind: "tooMany", found: 9 }],
  ["logits", "0 101", { kind: "outOfRange", text: "101", index: 1 }],
  ["logits", "0 1 two", { kind: "notNumber", text: "two", index: 2 }],
];
for (const m of [zh, en])
  for (const [field, text, problem] of WRONG)
    test(`sampling, ${m.lang}: ${field} = ${JSON.stringify(text)}`, () => {
      const r = open({ lang: m.lang }),
        box = r.one(`#${field}`),
        old = box.value,
        before = [r.cells("c3"), r.cells("c4"), r.chosen()];
      r.type(box, text);
      ok(r.said(field).startsWith(m.problem(field, problem, 4)), r.said(field));
      same([box.value, box.getAttribute("aria-invalid")], [text, "true"]);
      same([r.cells("c3"), r.cells("c4"), r.chosen()], before, "the last valid result");
      same(r.texts("p.stale"), [m.stale]);
      r.type(box, old);
      same([box.getAttribute("aria-invalid"), r.texts("p.stale")], [null, []]);
    });

test("sampling: sliders stand where the numbers are, and move them", () => {
  const r = open({ tau: "0.81", u: "0.123", k: "3" });
  const slider = name => r.one(name === "u" ? ".u-row input" : `[data-field=${name}] input[type=range]`);
  same(
    ["tau", "k", "u"].map(name => slider(name).value),
    ["0.81", "3", "0.123"],
  );
  r.type(slider("tau"), "1.5");
  r.type(slider("k"), "1");
  r.type(slider("u"), "0.25");
  r.type(r.one(".grip"), "0.5");
  same(
    ["tau", "k", "u", "logits"].map(name => [r.one(`#${name}`).value, r.host[name]]),
    ["1.5", "1", "0.25", "0.5 1 2 3"].map(text => [text, text]),
  );
  same(r.chosen(), 3);
});

test("sampling: steps forth and back", () => {
  const r = open();
  r.press(en.steps.again);
  const texts = () => r.texts("table.calc td"),
    forward = [texts()];
  for (let step = 1; step < 6; step++) {
    r.press(en.steps.forward);
    same(r.current(), step);
    forward.push(texts());
  }
  for (let step = 4; step >= 0; step--) {
    r.press(en.steps.back);
    same(texts(), forward[step], `step ${step}`);
  }
});

test("sampling: number format, tie rule and the common mistake", () => {
  const r = open({ preset: "close", dtype: "float16" });
  same(r.chosen(), 0);
  r.type("select", "float64");
  same(r.chosen(), 1);
  r.host.preset = "tie";
  const removed = () => r.all("table.calc tbody tr.removed").length;
  same(removed(), 2);
  r.all("input[type=radio]")[1].click();
  same([removed(), r.host.tie], [1, "threshold"]);
  r.one(".notes input[role=switch]").click();
  same(r.host.share, "zeroed");
});

test("sampling: the question", () => {
  const r = open({}, { veiled: true });
  same(
    [r.current(), r.said("u"), r.chosen(), r.all(".field-of-u .region").length],
    [3, en.quiz.veiled, -1, 0],
    "veiled",
  );
  r.press("ID 2");
  same([r.host.u, r.text("[role=status]")], ["0.1", plain(en.quiz.answer(true, "0.1", 2, "0.1 < 0.222700"))]);
  same([r.current(), r.chosen()], [5, 2]);
  r.press(en.quiz.close);
  same(r.one(".quiz"), null);
});

test("sampling: words of the candidates, by attribute and typed", () => {
  const r = open({ labels: 'the "New York" a', logits: "0 1 2 3" });
  same(r.texts("table.calc .id"), ["ID 0the", "ID 1New York", "ID 2a", "ID 3"]);
  r.type("#logits", "x: 1, y: 2");
  same(r.texts("table.calc .id"), ["ID 0x", "ID 1y"]);
  same(r.host.logits, "x: 1, y: 2");
});

test("sampling: more filters, and a sum that meets p exactly", () => {
  const r = open({ rules: "top_k top_p min_p", logits: "0 0 0 0", tau: "1", k: "4", top_p: "0.5", min_p: "0" });
  same(r.all(".field").length, 6);
  same(
    r.all("table.calc tbody tr.removed").map(row => row.dataset.id),
    ["2", "3"],
  );
  r.one("input[name=tie_p][type=radio]:not(:checked)").click();
  same(
    r.all("table.calc tbody tr.removed").map(row => row.dataset.id),
    ["3"],
  );
  same(r.all(".filter").length, 3, "a table for each");
});

test("sampling: parts, and the level of headings", () => {
  const r = open({ parts: "figure", heading: "4" });
  same([r.all(".plot").length, r.all(".inputs, .quiz, table, .steps, .closing, .opening").length], [1, 0]);
  r.host.style.width = "720px";
  ok(r.host.offsetHeight <= 420, `${r.host.offsetHeight} px high`);
  r.host.parts = "title notes";
  same([r.one(".title").localName, r.one(".sub").localName], ["h4", "h5"]);
  r.host.setAttribute("heading", "none");
  same([r.one(".title").localName, r.all("h1, h2, h3, h4, h5, h6").length], ["p", 0]);
});

test("sampling: where it is narrow the figure comes first, and back again where it is wide", async () => {
  const r = open(),
    order = () => r.all(".opening, .presets, .inputs, .plot").map(part => part.className);
  same(order(), ["opening", "presets", "inputs", "plot"]);
  r.host.style.width = "360px";
  for (let tries = 0; tries < 50 && order()[1] !== "plot"; tries++) await frame();
  same(order(), ["opening", "plot", "presets", "inputs"]);
  r.host.style.width = "";
  for (let tries = 0; tries < 50 && order()[1] === "plot"; tries++) await frame();
  same(order(), ["opening", "presets", "inputs", "plot"]);
});

test("sampling: a value that is set again changes nothing that the reader did", () => {
  const r = open({ tau: "0.8" });
  r.type("#logits", "5 1 1 0");
  r.type("#tau", "0.30");
  Object.assign(r.host, { tau: 0.8, logits: "5 1 1 0" });
  same([r.host.logits, r.host.tau, r.one("#tau").value], ["5 1 1 0", "0.30", "0.30"]);
});

test("sampling: each commit is said, also what is wrong and what stays", () => {
  const r = open();
  r.type("#u", "0.6");
  same(r.text("[role=status]"), result);
  r.type("#u", "0.7");
  same(r.text("[role=status]"), en.unchanged("ID 3"));
  r.type("#tau", "-1");
  same(r.text("[role=status]"), `${plain(en.fields.tau)}: ${en.problem("tau", { kind: "negative" }, 4)}`);
});

test("sampling: moved into another document it keeps its look", async () => {
  const other = document.createElement("iframe"),
    r = open(),
    size = () => getComputedStyle(r.one(".sub")).fontWeight;
  const before = size();
  document.querySelector("main").append(other);
  if (!other.contentDocument) return; // a sandboxed frame has no other document
  other.contentDocument.body.append(r.host);
  same([size(), r.root.adoptedStyleSheets.length], [before, 1]);
  r.press(en.steps.again);
  r.press(en.presets.names.tie);
  same([r.current(), r.host.logits], [0, "3 2 2 0"], "and goes on");
  document.querySelector("main").append(r.host);
  same(size(), before, "and comes back");
});

test("sampling: a press beside the controls gives the element the focus", () => {
  const r = open();
  r.one(".map .field-of-u").dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
  if (document.hasFocus()) same(r.root.activeElement?.className, "point");
  same(r.one(".lab").tabIndex, -1);
});

test("sampling: the point of the map by arrow keys", () => {
  const r = open(),
    point = r.one(".point"),
    tau = Number(r.host.tau);
  point.focus();
  for (const key of ["ArrowRight", "ArrowUp"])
    point.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
  ok(Number(r.host.u) > 0.5 && Number(r.host.tau) > tau, `u ${r.host.u}, tau ${r.host.tau}`);
});

test("sampling: a press in the map", () => {
  const r = open(),
    map = r.one(".map .field-of-u"),
    { left, top, width, height } = map.getBoundingClientRect();
  map.dispatchEvent(
    new MouseEvent("click", { clientX: left + width / 4, clientY: top + height / 2, bubbles: true, composed: true }),
  );
  ok(Math.abs(Number(r.host.u) - 0.25) < 0.01, `u ${r.host.u}`);
  ok(r.host.tau !== "0.8", `tau ${r.host.tau}`);
});

// ---- The author -------------------------------------------------------------------------------------------------

test("sampling: properties of every type, before and after the element is in the page", () => {
  const host = document.createElement("smp-sampling");
  Object.assign(host, { logits: [3, 2, 2, 0], tau: 1, k: "2", u: 0.9, tie: "threshold", lang: "en" });
  document.querySelector("main").append(host);
  same([host.logits, host.tau, host.k, host.u, host.tie], ["3 2 2 0", "1", "2", "0.9", "threshold"]);
  same(host.shadowRoot.querySelector("#logits").value, "3 2 2 0");
  host.tau = null;
  same(host.tau, "0.8");
});

test("sampling: a link restores the setting", async () => {
  const r = open({ id: "linked" });
  location.hash = "#smp=linked&logits=3+2+2+0&tau=1&k=2&u=0.9&tie=threshold";
  await new Promise(resolve => addEventListener("hashchange", resolve, { once: true }));
  same([r.host.logits, r.host.tau, r.host.k, r.host.u, r.host.tie], ["3 2 2 0", "1", "2", "0.9", "threshold"]);
  location.hash = "";
  await new Promise(resolve => addEventListener("hashchange", resolve, { once: true }));
});

test("sampling: a link is made, whether or not the clipboard is allowed", async () => {
  const r = open({ id: "mine" });
  r.press(en.exports.link);
  for (let tries = 0; tries < 1000 && !r.one("textarea"); tries++)
    await new Promise(resolve => setTimeout(resolve, 20));
  ok(
    /#smp=mine&preset=chapter&logits=0\+1\+2\+3&tau=0.8&k=2&u=0.5/.test(r.one("textarea").value),
    r.one("textarea").value,
  );
  ok([en.exports.copied, en.exports.copyThis].includes(r.text("[role=status]")), r.text("[role=status]"));
});

test("sampling: moved, taken out and put back it is the same", async () => {
  const r = open();
  r.type("#u", "0.1");
  r.all(".steps li button")[2].click();
  const aside = document.createElement("div"),
    texts = r.texts("table.calc td");
  document.querySelector("main").append(aside);
  aside.append(r.host);
  same([r.texts("table.calc td"), r.current()], [texts, 2], "moved");
  r.host.remove();
  await turn();
  await turn();
  aside.append(r.host);
  same([r.texts("table.calc td"), r.current(), r.one("#u").value], [texts, 2, "0.1"], "put back");
});
