// smp generate: what the typed calls write, records that are replayed, and what is refused.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { api, cores, readModel } from "../node/support.mjs";
import { alone, both, sampling } from "./commands.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp-generate-"));
after(() => rmSync(folder, { recursive: true }));
const file = name => join(folder, name);
const words = text => ["generate", ...text.split(" ")];
const output = (command, text, ...more) => {
  const { status, stdout, stderr } = command([...words(text), ...more]);
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout;
};
const core = cores.simd,
  model = api.openModel(core, "zh", readModel());
const text = (prompt, options) =>
  `${api.decode(core, model, [...api.encode(core, model, prompt), ...ids(prompt, options)])}\n`;
const ids = (prompt, options) =>
  Array.from(api.generate(core, model, { prompt, maxNewTokens: 40, ...options }), ({ id }) => id);
const QUATRAIN = "--model zh --prompt 明月 --temperature 0.8 --top-k 40 --seed 42 --max-new 40",
  STEPS = [
    ["temperature", 0.8],
    ["top_k", 40],
  ];

test("the same text as the typed call", () => {
  assert.equal(output(both, QUATRAIN), text("明月", { steps: STEPS, seed: "42" }));
  assert.equal(output(both, QUATRAIN, "--stream"), text("明月", { steps: STEPS, seed: "42" }));
});

test("streamed, each piece is written before the next token is asked for, in Node too", () => {
  // what a preload hears: each piece, and whether the record, which is written at the end, is there already
  const path = file("streamed.json"),
    hook = `import { existsSync, writeSync } from "node:fs";
      const { write } = process.stdout;
      process.stdout.write = (part, ...more) => {
        writeSync(2, JSON.stringify([Buffer.from(part).toString(), existsSync(${JSON.stringify(path)})]) + "\\n");
        return write.call(process.stdout, part, ...more);
      };`;
  const { status, stdout, stderr } = sampling([...words(QUATRAIN), "--stream", "--record", path], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  });
  const heard = stderr
      .trim()
      .split("\n")
      .map(line => JSON.parse(line)),
    pieces = heard.map(([piece]) => piece);
  assert.equal(status, 0);
  assert.equal(pieces.join(""), stdout);
  assert.equal(stdout, text("明月", { steps: STEPS, seed: "42" }));
  assert.deepEqual(pieces, [stdout.slice(0, 3), ...stdout.slice(3)]);
  assert.ok(
    heard.every(([, ended]) => !ended),
    stderr,
  );
});

test("filters run as they are given, after penalty and temperature; temperature 0 is greedy", () => {
  const given = "--model zh --min-p 0.1 --top-p 0.9 --temperature 1.2 --repetition-penalty 1.1 --seed 7";
  const steps = [
    ["repetition_penalty", 1.1],
    ["temperature", 1.2],
    ["min_p", 0.1],
    ["top_p", 0.9],
  ];
  assert.equal(output(alone, given), text("", { steps, seed: "7" }));
  assert.equal(output(alone, "--model zh --prompt 春 --temperature 0"), text("春", { greedy: true }));
});

test("engines, and a batch of seeds", () => {
  const settings = { temperature: 0.8, top_k: 40 };
  for (const engine of ["transformers", "candle", "llama.cpp", "transformers.js"])
    assert.equal(
      output(alone, `${QUATRAIN} --engine ${engine}`),
      text("明月", { engine, options: { settings }, seed: "42" }),
    );
  assert.equal(
    output(both, "--model zh --temperature 0.8 --top-k 40 --seed 18446744073709551614 --batch 2"),
    text("", { steps: STEPS, seed: "18446744073709551614" }) + text("", { steps: STEPS, seed: "18446744073709551615" }),
  );
});

test("logprobs: of the model's own row, and of what was drawn from", () => {
  const [poem, head, ...rows] = output(both, QUATRAIN, "--logprobs").trimEnd().split("\n");
  assert.match(head, /^ +id +ln p +drawn from +bytes$/);
  const tokens = [...api.generate(core, model, { prompt: "明月", steps: STEPS, seed: "42", maxNewTokens: 40 })];
  assert.equal(rows.length, tokens.length);
  assert.match(poem, /^明月/);
  for (const [place, row] of rows.entries()) {
    const [id, own, final] = row.trim().split(/\s+/).map(Number);
    assert.equal(id, tokens[place].id);
    assert.ok(Math.abs(own - tokens[place].log_p) < 1e-6 && Math.abs(final - tokens[place].final_log_p) < 1e-6, row);
  }
});

test("a record, replayed by both", () => {
  const path = file("record.json");
  const first = output(
    alone,
    "--model zh --prompt 月a --temperature 0.8 --top-k 40 --seed 42 --batch 2",
    "--record",
    path,
  );
  const record = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(record.steps, STEPS);
  assert.deepEqual(
    [record.seed, record.prompt, record.prompt_ids, record.order, record.eos, record.batch, record.ids.length],
    ["42", "月a", [...api.encode(core, model, "月a")], "descending", true, 2, 2],
  );
  assert.deepEqual(record.ids[0], ids("月a", { steps: STEPS, seed: "42" }));
  assert.equal(first, `月a${record.texts[0]}\n月a${record.texts[1]}\n`);
  assert.equal(output(both, "--replay", path), first);
  // written by the package, it is the same file
  const other = file("other.json");
  output(sampling, "--model zh --prompt 月a --temperature 0.8 --top-k 40 --seed 42 --batch 2", "--record", other);
  assert.equal(readFileSync(other, "utf8"), readFileSync(path, "utf8"));
});

test("200 tokens whose window slides, recorded natively and replayed in wasm", () => {
  const path = file("long.json");
  const first = output(
    alone,
    "--model zh --temperature 0.8 --top-k 40 --seed 42 --max-new 200 --no-eos",
    "--record",
    path,
  );
  assert.equal(JSON.parse(readFileSync(path, "utf8")).ids[0].length, 200);
  assert.equal(output(sampling, "--replay", path), first);
});

test("a record that does not come out the same names the line", () => {
  const path = file("changed.json");
  output(alone, QUATRAIN, "--record", path);
  const whole = readFileSync(path, "utf8");
  const cases = [
    [/"seed": "42"/, '"seed": "43"', /line 19 does not come out the same: recorded \[516,/],
    [
      /"core": "[^"]+"/,
      '"core": "0.0.1"',
      /line 3 does not come out the same: recorded "core": "0\.0\.1", now "core": "/,
    ],
    [/"fnv1a": "./, '"fnv1a": "x', /line 6 does not/],
    [/"top_k",40/, '"top_k",41', /line 19 does not/],
    [/"eos": true/, '"eos": maybe', /line 16 does not/],
    [/"by": "own"/, '"by": "nobody"', /--engine: "nobody" is not an engine/],
    [/\[\["temp/, '[["tempo', /"steps" is \[\["tempo/],
    [/"max_new": 40/, '"max_new": 4000', /"max_new" is 4000/],
    [/"prompt_ids": \[/, '"prompt_ids": [99999,', /99999 is not a token/],
    [/ "model"/, ' "modal"', /not a record of smp generate: it has no line "model"/],
    [/\n\}/, "\n}\nmore", /line 2\d does not come out the same: recorded more, now $/m],
  ];
  for (const [from, to, message] of cases) {
    const changed = whole.replace(from, to);
    assert.notEqual(changed, whole, to);
    writeFileSync(path, changed);
    const { status, stderr } = alone(["generate", "--replay", path]);
    assert.ok(status > 0, to);
    assert.match(stderr, message);
  }
});

test("what is refused", () => {
  const cases = [
    ["", 2, "generate needs --model, zh or a file"],
    ["--model zh", 2, "generate needs --seed, unless --temperature is 0"],
    ["--model zh --seed x", 2, '--seed: "x" is not a whole number from 0 to 18446744073709551615'],
    ["--model zh --seed 18446744073709551615 --batch 2", 2, "--seed: the seeds of the batch exceed 64 bits"],
    [
      "--model zh --seed 1 --max-new 0",
      1,
      "--max-new: 0 is outside the allowed range; allowed: a whole number from 1 to 1024",
    ],
    [
      "--model zh --seed 1 --batch 1001",
      1,
      "--batch: 1001 is outside the allowed range; allowed: a whole number from 1 to 1000",
    ],
    ["--model zh --seed 1 --top-p 2", 1, "--top-p is outside the allowed range; allowed: a number from 0 to 1"],
    [
      "--model zh --seed 1 --top-k 0 --prompt 月",
      1,
      "--top-k is outside the allowed range; allowed: a whole number, at least 1",
    ],
    ["--model zh --seed 1 --temperature -1", 1, "--temperature is outside the allowed range"],
    ["--model zh --seed 1 --engine gpt", 2, '--engine: "gpt" is not an engine'],
    ["--model zh --seed 1 --engine vllm", 1, "--engine: the draws of vllm are not replayed"],
    ["--model zh --seed 1 --engine transformers --top-p -1", 1, "transformers: ValueError: `top_p` has to be"],
    ["--model zh --seed 1 --replay x", 2, "--model: the record of --replay says that"],
    ["--model zh --seed 1 明月", 2, 'one argument too many: "明月"; a text is --prompt'],
    ["--model c/gpt.c --seed 1", 1, "c/gpt.c: no safetensors file, or not all of it"],
  ];
  for (const [given, code, message] of cases) {
    const { status, stdout, stderr } = both(given ? words(given) : ["generate"]);
    assert.ok(stderr.startsWith(`smp: ${message}`), `${stderr}\nshould be ${message}`);
    assert.deepEqual([status, stdout], [code, ""], given);
  }
  for (const command of [alone, sampling]) {
    const { status, stderr } = command(words("--model nothere --seed 1"));
    assert.match(stderr, /nothere: .*o such file or directory/);
    assert.equal(status, 1);
  }
});
