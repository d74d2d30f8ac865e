// The page side: <smp-stopping> against the batches of the real `generate`, and what a reader may do with it.
import vectors from "../../vectors/stop.json";
import { en, zh } from "../../messages.mjs";
import { mount, ok, same, someOf, test } from "./tools.mjs";

const open = attributes => {
  const me = mount("smp-stopping", { step: 0, ...attributes });
  return {
    ...me,
    /** The words that a grid has appended, row by row. */
    grid: name =>
      me
        .all(`.${name} tbody tr`)
        .map(row =>
          [...row.querySelectorAll("td.cell .t:not(.next, .replaced, .void)")].map(
            tile => tile.querySelector("b").textContent,
          ),
        ),
  };
};

// ---- Vectors ----------------------------------------------------------------------------------------------------

const fits = ({ candidates, max_new_tokens, eos_id, pad_id }) =>
  candidates.length <= 3 &&
  candidates[0].length <= 8 &&
  max_new_tokens <= 8 &&
  eos_id === 1 &&
  (pad_id === 0 || pad_id === 1);

for (const { id, candidates, max_new_tokens, pad_id, new_tokens } of someOf(vectors.cases.filter(fits)))
  test(
    `stopping: stop.json ${id}`,
    () => {
      const word = token => (token === 1 ? "EOS" : token === pad_id ? "PAD" : `t${token}`);
      const me = open({
        rows: candidates.map(row => row.map(word).join(" ")).join(" / "),
        limit: max_new_tokens,
        pad: pad_id ? "shared" : "own",
        step: 8,
      });
      const wanted = new_tokens.map(row =>
        row.map((token, place) => (row.slice(0, place).includes(1) ? "PAD" : word(token))),
      );
      same(me.grid("latch"), wanted);
    },
    { once: true },
  );

// ---- The reader -------------------------------------------------------------------------------------------------

test("stopping: step by step", () => {
  const me = open();
  same(me.grid("latch"), [[], [], []]);
  me.press(en.steps.forward);
  same(me.grid("latch"), [["EOS"], ["x"], ["y"]]);
  me.press(en.steps.all);
  same(me.grid("latch"), [
    ["EOS", "PAD", "PAD"],
    ["x", "EOS", "PAD"],
    ["y", "z", "EOS"],
  ]);
  me.press(en.steps.back);
  same(me.current(), 2);
});

test("stopping: it begins before the first step; how a row ends is told once it has", () => {
  const { host, current, text, press } = mount("smp-stopping");
  same([current(), text("#row1-out"), host.step], [0, "", "0"]);
  press(en.steps.forward);
  same([text("#row1-out"), text("#row2-out")], [en.stopping.rowResult("", "eos", 1), ""]);
});

test("stopping: the mask below the prompts, parts, and what is said", () => {
  const me = open({ parts: "inputs figure" });
  same(me.texts(".latch tbody tr:nth-child(2) .bit"), ["0", "1", "1"]);
  same(me.all(".steps, .quiz, .log, .notes, .title, .closing").length, 0);
  me.type("#row1", "a-b");
  ok(me.text("[role=status]").endsWith(en.stopping.rowProblem({ kind: "badToken", text: "a-b" })), "the fault is said");
  me.type(".wrong-rule select", "scalar");
  same(me.text("[role=status]"), en.stopping.tally.scalar);
});

test("stopping: the wrong rules", () => {
  const me = open({ step: 3 });
  me.press(en.quiz.skip);
  same(me.text(".wrong-rule .tally"), en.stopping.tally.cut(1, 1, 2));
  for (const rule of ["scalar", "single"]) {
    me.type(".wrong-rule select", rule);
    same(me.text(".wrong-rule .tally"), en.stopping.tally[rule]);
  }
});

const WRONG = [
  ["a-b c d", { kind: "badToken", text: "a-b" }],
  ["", { kind: "empty" }],
  ["a b", { kind: "short", found: 2, limit: 3 }],
  ["abcdefghijklm a a", { kind: "tokenTooLong", text: "abcdefghijklm" }],
];
for (const m of [zh, en])
  for (const [text, problem] of WRONG)
    test(`stopping, ${m.lang}: ${JSON.stringify(text)}`, () => {
      const me = open({ lang: m.lang, step: 3 }),
        before = me.grid("latch");
      me.type("#row1", text, false);
      ok(me.text("#row1-out").startsWith(m.stopping.rowProblem(problem)), me.text("#row1-out"));
      same(
        [me.one("#row1").value, me.one("#row1").getAttribute("aria-invalid"), me.texts("p.stale")],
        [text, "true", [m.stale]],
      );
      me.press(m.steps.all);
      same(me.grid("latch"), before, "the last valid result");
    });

test("stopping: rows of 120,000 spaces, by property and by link, are answered", async () => {
  const me = open(),
    spaces = " ".repeat(120_000);
  me.host.rows = spaces;
  same(me.text("#row1-out"), en.stopping.rowProblem({ kind: "empty" }));
  me.host.id = "hostile";
  me.host.rows = "a b c";
  location.hash = `#smp=hostile&rows=${"+".repeat(120_000)}`;
  await new Promise(resolve => addEventListener("hashchange", resolve, { once: true }));
  same(me.text("#row1-out"), en.stopping.rowProblem({ kind: "empty" }));
  location.hash = "";
  await new Promise(resolve => addEventListener("hashchange", resolve, { once: true }));
});

test("stopping: a row that ends with EOS may be shorter than the limit", () => {
  const me = open({ rows: "a EOS / b c d", limit: 3, step: 3 });
  same(me.grid("latch"), [
    ["a", "EOS", "PAD"],
    ["b", "c", "d"],
  ]);
});

test("stopping: the limit by its slider, rows added and removed, the shared id", () => {
  const me = open();
  me.type("[data-field=limit] input[type=range], .batch > .field input[type=range]", "2");
  same([me.host.limit, me.all(".latch thead .cell").length], ["2", 2]);
  me.press(en.stopping.remove);
  same(me.grid("latch").length, 2);
  me.press(en.stopping.add);
  same(me.grid("latch").length, 3);
  me.one("input[role=switch]").click();
  same([me.host.pad, me.current()], ["shared", 0]);
});

test("stopping: events and the setting as properties", () => {
  const me = open(),
    heard = [];
  for (const type of ["smp-input", "smp-change"])
    me.host.addEventListener(type, ({ detail }) => heard.push([type, detail.step, detail.config?.limit ?? null]));
  me.host.rows = [["a", "EOS"], "b c"];
  me.host.limit = 2;
  same([heard, me.host.rows], [[], "a EOS / b c"], "changes by code are silent");
  me.type("#limit", "1");
  me.press(en.steps.forward);
  same(heard, [
    ["smp-input", 0, 1],
    ["smp-change", 0, 1],
    ["smp-change", 1, 1],
  ]);
});
