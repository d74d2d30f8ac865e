// The eval operations engine and compare: what must hold between the engines, draws, and hostile input.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, fromRoot, readRow } from "./support.mjs";

const A00 = readRow("a/00.f32");
const lineOf = (core, request) =>
  JSON.parse(api.evaluateLine(core, JSON.stringify(request), path => (path === "a00" ? A00 : null)));
const evaluate = request => lineOf(cores.simd, request);
const engine = (name, rest) => evaluate({ op: "engine", engine: name, ...rest });
const compare = (engines, rest) => evaluate({ op: "compare", engines, ...rest });
const ln = list => list.map(Math.log);
const count = (ids, n) => Array.from({ length: n }, (_, id) => ids.filter(each => each === id).length);

// ---- a/00 at 0.7 ---------------------------------------------------------------------------------------------------

for (const [name, core] of Object.entries(cores))
  test(`the settings of the seed document (${name})`, () => {
    const run = (engines, settings, more) =>
      lineOf(core, {
        op: "compare",
        engines,
        logits_file: "a00",
        settings: { temperature: 0.7, ...settings },
        ...more,
      });
    const t07 = run(["transformers", "candle"], {}, { settings_only: true });
    assert.deepEqual(t07.pairs[0].n_kept, [49152, 49152]);
    assert.ok(t07.pairs[0].tv < 1e-6);
    const usual = run(["transformers", "candle"], {});
    assert.deepEqual(usual.pairs[0].n_kept, [50, 49152]);
    assert.equal(usual.pairs[0].tv.toExponential(3), "2.673e-2");
    for (const [settings, kept] of [
      [{ top_k: 40 }, 40],
      [{ top_p: 0.9 }, 14],
    ]) {
      const { pairs } = run(["transformers", "candle"], settings, { settings_only: true });
      assert.deepEqual(pairs[0].n_kept, [kept, kept]);
      assert.deepEqual(
        pairs[0].only.map(({ n, mass }) => [n, mass]),
        [
          [0, 0],
          [0, 0],
        ],
      );
    }
    const both = run(["transformers", "candle"], { top_k: 40, top_p: 0.9 }, { settings_only: true });
    assert.deepEqual(both.pairs[0].n_kept, [11, 14]);
    assert.equal(both.pairs[0].tv.toExponential(3), "2.388e-2");
    assert.deepEqual([both.pairs[0].only[0].n, both.pairs[0].only[1].n], [0, 3]);
    assert.ok(Math.abs(both.pairs[0].only[1].mass - both.pairs[0].tv) < 1e-6); // all of it lies outside the other's set
  });

test("mass of the top 40: 0.9646", () => {
  const whole = api.probabilities(
    cores.simd,
    api.engine(cores.simd, "candle", A00, { settings: { temperature: 0.7 } }),
  );
  const { kept } = engine("candle", { logits_file: "a00", settings: { temperature: 0.7, top_k: 40 } });
  assert.equal(kept.reduce((sum, id) => sum + whole.p[id], 0).toFixed(4), "0.9646");
});

test("about 2.4 % of candle's 100,000 draws lie outside the other's set", () => {
  const request = { logits_file: "a00", settings: { temperature: 0.7, top_k: 40, top_p: 0.9 } };
  const { kept } = engine("transformers", request),
    { ids } = engine("candle", { ...request, seed: "42", draws: 100_000 });
  const outside = ids.filter(id => !kept.includes(id)).length;
  assert.ok(Math.abs(outside / 100_000 - 0.02388) < 4 * Math.sqrt((0.02388 * 0.97612) / 100_000), String(outside));
});

// ---- Small rows ------------------------------------------------------------------------------------------------------

test("[3, 2, 2, 1], k 2: transformers 3, candle 2; candle's record for seed 42", () => {
  const request = { logits: [3, 2, 2, 1], settings: { temperature: 1, top_k: 2 } };
  assert.deepEqual(engine("transformers", request).kept, [0, 1, 2]);
  const { kept, ids, words } = engine("candle", { ...request, seed: "42", draws: 10_000 });
  assert.deepEqual(kept, [0, 1]);
  assert.deepEqual(count(ids, 4), [7349, 2651, 0, 0]);
  assert.equal(words, 10_000);
});

test("ln [0.5, 0.25, 0.125, 0.125], p 0.75: SGLang and llama2.c keep one more", () => {
  const { engines } = compare(["transformers", "sglang", "llama2.c"], {
    logits: ln([0.5, 0.25, 0.125, 0.125]),
    settings: { temperature: 1, top_p: 0.75 },
    settings_only: true,
  });
  assert.deepEqual(
    engines.map(({ kept }) => kept),
    [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2],
    ],
  );
});

test("temperature before and after the filters", () => {
  const kept = (settings, logits) =>
    ["transformers", "llama.cpp"].map(name => engine(name, { logits, settings, settings_only: true }).kept);
  assert.deepEqual(kept({ temperature: 0.5, top_p: 0.8 }, [3, 2, 1]), [[0], [0, 1]]);
  assert.deepEqual(kept({ temperature: 2, min_p: 0.1 }, [4, 2, 1, 0]), [
    [0, 1, 2, 3],
    [0, 1],
  ]);
});

for (const name of ["transformers", "chapter", "llms-from-scratch"])
  test(`seed 2718 as ${name} draws: torch 2.7 and later, up to 2.6 on x86, and with replacement`, () => {
    const request = { logits: [0, 1, 2, 3], settings: { temperature: 0.8, top_k: 2 }, seed: "2718", draws: 1000 };
    assert.deepEqual(count(engine(name, request).ids, 4), [0, 0, 227, 773]);
    assert.deepEqual(count(engine(name, { ...request, generator: "torch-mkl" }).ids, 4), [0, 0, 230, 770]);
    assert.deepEqual(count(engine(name, { ...request, replacement: true }).ids, 4), [0, 0, 239, 761]);
  });

// ---- Draws -------------------------------------------------------------------------------------------------------------

test("a seed keeps every bit; torch takes it modulo 2^32", () => {
  const draw = (name, seed) =>
    engine(name, { logits: new Array(64).fill(0), settings: { temperature: 1 }, seed, draws: 20 }).ids.join();
  const seeds = ["0", "4294967296", "9007199254740993", "9007199254740992", "18446744073709551615"];
  assert.equal(new Set(seeds.map(seed => draw("candle", seed))).size, seeds.length);
  assert.equal(draw("transformers", "4294967296"), draw("transformers", "0"));
  assert.equal(draw("transformers", "9007199254740993"), draw("transformers", "1"));
  assert.notEqual(draw("transformers", "9007199254740993"), draw("transformers", "9007199254740992"));
});

test("words: torch two for every entry of the vocabulary, candle one, llama.cpp and transformers.js two", () => {
  const words = name =>
    engine(name, { logits_file: "a00", settings: { temperature: 0.7, top_k: 40 }, seed: "1", draws: 3 }).words;
  assert.deepEqual(["transformers", "candle", "llama.cpp", "transformers.js"].map(words), [3 * 2 * 49152, 3, 6, 6]);
});

test("seeds that an engine does not take", () => {
  const error = (name, seed) => engine(name, { logits: [1, 2], seed }).error;
  assert.equal(error("llama.cpp", "4294967294"), null);
  for (const [name, seed] of [
    ["llama.cpp", "4294967295"],
    ["llama.cpp", "4294967296"],
    ["transformers.js", "9007199254740992"],
    ["candle", "18446744073709551616"],
    ["candle", "-1"],
    ["candle", "1.5"],
    ["candle", ""],
    ["candle", 2 ** 53],
  ])
    assert.equal(error(name, seed)?.where?.param, "seed", `${name} ${seed}`);
  for (const name of ["vllm", "sglang", "flashinfer", "ollama", "exllamav2", "llama2.c", "mlx-lm"])
    assert.match(error(name, "1").message, /not replayed/);
});

test("beside others, an engine that is not replayed draws nothing", () => {
  const { engines } = compare(["candle", "vllm"], { logits: [1, 2], seed: "1", draws: 4 });
  assert.deepEqual([engines[0].ids.length, engines[1].ids, engines[1].words], [4, null, null]);
});

test("llama.cpp by its samplers", () => {
  const { kept } = engine("llama.cpp", {
    logits: [3, 2, 1, 0],
    spec: [
      ["top_k", 3],
      ["temp", 0.5],
    ],
  });
  assert.deepEqual(kept, [0, 1, 2]);
  assert.equal(engine("candle", { logits: [3, 2], spec: [["top_k", 3]] }).error.code, "ERR_PARAM");
});

test("llama.cpp's dist draws with its own seed, and takes one that llama.cpp takes", () => {
  const eight = { logits: new Array(8).fill(0) },
    ids = [6, 1, 6, 4, 3, 0, 3, 2]; // tests/vectors/llama.cpp/small.json, eq8
  assert.deepEqual(engine("llama.cpp", { ...eight, spec: [["dist", 42]], draws: 8 }).ids, ids);
  assert.deepEqual(engine("llama.cpp", { ...eight, spec: [["dist", 42]] }).ids, [6]);
  assert.deepEqual(engine("llama.cpp", { ...eight, spec: [["dist", 42]], seed: "42", draws: 8 }).ids, ids);
  assert.equal(compare(["llama.cpp"], { ...eight, spec: [["dist", 42]], draws: 8 }).engines[0].ids.join(), ids.join());
  assert.equal(
    engine("llama.cpp", { ...eight, spec: [["dist", 42]], seed: "43" }).error.message,
    'seed: found "43", and 42 in dist; allowed: one seed',
  );
  for (const seed of [-1, 1e99, 0.5, 2 ** 32 - 1])
    assert.equal(engine("llama.cpp", { ...eight, spec: [["dist", seed]] }).error.where.param, "seed", seed);
});

test("llama.cpp's penalties say what they changed", () => {
  const row = { logits: [1, 2, 3, 4], context: [3, 3] };
  assert.deepEqual(
    engine("llama.cpp", {
      ...row,
      spec: [
        ["temp", 2],
        ["penalties", 64, 1.5, 0, 0],
        ["top_k", 1],
      ],
    }).changed,
    [[3, Math.fround(4 / Math.fround(1.5))]],
  );
  assert.deepEqual(engine("llama.cpp", { ...row, spec: [["penalties", 64, 1, 0.5, 0.25]] }).changed, [
    [3, 4 - (2 * 0.5 + 0.25)],
  ]);
  assert.deepEqual(engine("llama.cpp", { ...row, spec: [["penalties", 0, 1.5, 0, 0]] }).changed, []);
  assert.deepEqual(engine("llama.cpp", { ...row, spec: [["top_k", 2]] }).changed, []);
  // llama.cpp#26754: 0.8 * 1.75^2, because 1 2 3 4 repeats
  const dry = engine("llama.cpp", {
    logits: [0, 0, 0, 0, 0, 5, 4],
    context: [1, 2, 3, 4, 5, 1, 2, 3, 4],
    spec: [["dry", 0.8, 1.75, 2, 2048, []], ["greedy"]],
  });
  assert.deepEqual(
    [dry.changed.length, dry.changed[0][0], dry.changed[0][1].toFixed(5), dry.kept],
    [1, 5, "2.55000", [6]],
  );
});

test("a repeat_last_n of 0 is no penalty where the library has it so (llama.cpp#25388)", () => {
  const changed = (name, repeat_last_n) =>
    engine(name, { logits: [1, 2, 3, 4], context: [3, 3], settings: { repetition_penalty: 1.5, repeat_last_n } })
      .changed;
  for (const name of ["llama.cpp", "exllamav2"])
    assert.deepEqual([changed(name, 0).length, changed(name, 1).length], [0, 1], name);
  for (const name of ["candle", "mlx-lm"])
    assert.deepEqual([changed(name, 0).length, changed(name, 1).length], [1, 1], name);
});

test("with xtc each draw lists what it was drawn from", () => {
  const spec = [["xtc", 0.5, 0.1, 1, 42]],
    { ids, runs, n_kept, kept } = engine("llama.cpp", { logits: [2, 1.5, 1, -9], spec, seed: "7", draws: 40 });
  assert.deepEqual([ids.length, runs.length], [40, 40]);
  assert.deepEqual(runs[0].kept, kept);
  assert.equal(runs[0].n_kept, n_kept);
  ids.forEach((id, draw) => assert.ok(runs[draw].kept.includes(id), `draw ${draw}`));
  // all, or without the two largest of three above 0.1
  assert.deepEqual([...new Set(runs.map(run => run.kept.join()))].sort(), ["0,1,2,3", "2,3"]);
  assert.equal(engine("llama.cpp", { logits: [2, 1], spec, seed: "7", draws: 101 }).runs.length, 100);
  assert.equal(engine("llama.cpp", { logits: [2, 1], spec: [["top_k", 1]], seed: "7" }).runs, undefined);
});

test("torch-mkl with replacement: one draw by MKL's race, more without it (pytorch#114945)", () => {
  const drawn = draws =>
    engine("transformers", {
      logits: new Array(10).fill(1),
      generator: "torch-mkl",
      replacement: true,
      seed: "123",
      draws,
    });
  assert.deepEqual([drawn(1).ids, drawn(1).words], [[9], 1]);
  for (let n = 2; n <= 7; n++) assert.deepEqual(drawn(n).ids, [3, 0, 5, 0, 4, 5, 6].slice(0, n));
});

test("a chain that leaves one entry has its id", () => {
  const { n_kept, id } = evaluate({
    op: "chain",
    logits: [30, 0],
    chain: [
      ["temperature", 1e-8],
      ["top_p", 1],
    ],
  });
  assert.deepEqual([n_kept, id], [1, 0]);
});

// ---- Refusals ------------------------------------------------------------------------------------------------------------

test("what the engines say of temperature 0 and below", () => {
  const error = (name, temperature, more) =>
    engine(name, { logits: [1, 2, 3], settings: { temperature }, ...more }).error;
  const greedy = (name, temperature, more) =>
    assert.deepEqual(
      engine(name, { logits: [1, 3, 3], settings: { temperature }, ...more }).kept,
      [1],
      `${name} ${temperature}`,
    );
  assert.match(error("transformers", 0), /^ValueError: `temperature` \(=0\.0\)/);
  assert.match(error("candle", 0), /A weight is negative, too large or not a valid number/);
  greedy("candle", 1e-8, { constructor: "new" });
  for (const name of [
    "vllm",
    "sglang",
    "ollama",
    "exllamav2",
    "llama2.c",
    "mlx-lm",
    "llms-from-scratch",
    "chapter",
    "transformers.js",
  ])
    greedy(name, 0);
  for (const [name, tau] of [
    ["vllm", 9e-6],
    ["sglang", 9e-7],
    ["exllamav2", 0.009],
    ["ollama", -1],
    ["exllamav2", -1],
    ["llms-from-scratch", -1],
  ])
    greedy(name, tau);
  for (const name of ["vllm", "sglang"])
    assert.equal(error(name, -1), "ValueError: temperature must be non-negative, got -1.0.");
  assert.equal(error("chapter", -1), "ValueError: the temperature must be at least 0, but is -1.0");
  for (const name of ["llama2.c", "mlx-lm", "transformers.js", "flashinfer"])
    assert.equal(error(name, -1).where.param, "temperature");
});

test("vLLM raises a temperature below 0.01 to it", () => {
  const low = engine("vllm", { logits: [1, 1.001], settings: { temperature: 0.001 } }),
    high = engine("vllm", { logits: [1, 1.001], settings: { temperature: 0.01 } });
  assert.deepEqual(low.probs, high.probs);
});

test("an answer says how it was checked, and what its order and last bits belong to", () => {
  const { checked, version } = engine("candle", { logits: [3, 2, 2, 1], settings: { temperature: 1 } });
  assert.deepEqual([checked, version], ["ran", "0.11.1, rand 0.9.5, rustc 1.95, AVX2"]);
  assert.equal(engine("vllm", { logits: [1], settings: { top_k: -2 } }).checked, "read");
});

test("greedy beside the settings or among them", () => {
  for (const more of [{ greedy: true }, { settings: { temperature: 0.7, greedy: true } }])
    for (const name of ["transformers", "candle", "llama.cpp", "chapter"])
      assert.deepEqual(engine(name, { logits: [1, 3, 3], ...more }).kept, [1], name);
});

test("settings that an engine refuses, and those that it has not", () => {
  const answer = (name, settings) => engine(name, { logits: [3, 2, 1], settings: { temperature: 1, ...settings } });
  for (const [name, settings, said] of [
    ["vllm", { top_k: -2 }, "top_k must be 0 (disable), or at least 1, got -2."],
    ["vllm", { top_p: 0 }, "top_p must be in (0, 1], got 0.0."],
    ["vllm", { min_p: 1.5 }, "min_p must be in [0, 1], got 1.5."],
    ["vllm", { repetition_penalty: 0 }, "repetition_penalty must be greater than zero, got 0.0."],
    ["sglang", { top_k: 0 }, "top_k must be -1 (disable) or at least 1, got 0."],
    ["sglang", { repetition_penalty: 2.5 }, "repetition_penalty must be in [0, 2], got 2.5."],
    ["mlx-lm", { top_k: 3 }, "`top_k` has to be an integer in the (0, 3] interval, but is 3."],
    ["mlx-lm", { min_p: -0.1 }, "`min_p` has to be a float in the [0, 1] interval, but is -0.1"],
    ["mlx-lm", { repetition_penalty: -0.5 }, "penalty must be a non-negative float, got -0.5"],
    ["chapter", { top_k: 4 }, "k must be a whole number from 1 to 3, but is 4"],
  ])
    assert.equal(answer(name, settings).error, `ValueError: ${said}`, `${name} ${JSON.stringify(settings)}`);
  assert.equal(
    answer("llms-from-scratch", { top_k: 0 }).error,
    "IndexError: index -1 is out of bounds for dimension 1 with size 0",
  );
  assert.equal(answer("llms-from-scratch", { top_k: 4 }).error, "RuntimeError: selected index k out of range");
  assert.equal(
    answer("flashinfer", { top_k: 0 }).error,
    "FlashInfer does not check top_k: it must be at least 1, but is 0",
  );
  for (const [, , name] of cores.simd.abi.engine) // no engine is left with the bare type of its error
    for (const settings of [
      { top_k: -2 },
      { top_k: 0 },
      { top_k: 9 },
      { top_p: -1 },
      { top_p: 2 },
      { min_p: -1 },
      { min_p: 2 },
      { temperature: -1 },
      { repetition_penalty: -1 },
      { repetition_penalty: 9 },
    ]) {
      const { error } = answer(name, settings);
      if (typeof error === "string") assert.match(error, / /, `${name} ${JSON.stringify(settings)}`);
    }
  assert.match(answer("transformers", { repetition_penalty: 0 }).error, /^ValueError: `penalty`/);
  assert.deepEqual(answer("llama2.c", { top_k: 1, min_p: 0.9 }), {
    ...answer("llama2.c", {}),
    ignored: ["top_k", "min_p"],
  });
});

test("numbers that are none are refused at the door, with the setting and what is allowed", () => {
  const settings = [
    "temperature",
    "top_p",
    "min_p",
    "typical_p",
    "epsilon_cutoff",
    "eta_cutoff",
    "top_h",
    "repetition_penalty",
  ];
  const { engine: names } = cores.simd.abi;
  for (const [, , name] of names)
    for (const setting of settings)
      for (const value of ["nan", "inf", "-inf"]) {
        const { error } = engine(name, { logits: [1, 2], settings: { [setting]: value } });
        assert.deepEqual([error.code, error.where.param], ["ERR_PARAM", setting], `${name} ${setting} ${value}`);
        assert.match(error.message, /allowed: ./);
      }
  for (const [setting, value] of [
    ["top_k", 1.5],
    ["top_k", 2 ** 31],
    ["top_k", "nan"],
    ["repeat_last_n", -1],
    ["repeat_last_n", 2 ** 32],
    ["prompt_ignore_length", 0.5],
  ])
    assert.equal(engine("transformers", { logits: [1, 2], settings: { [setting]: value } }).error.where.param, setting);
  for (const [row, code] of [
    [["nan", 1], "ERR_NAN"],
    [[1, "inf"], "ERR_INF"],
    [["-inf"], "ERR_MASKED"],
    [[], "ERR_EMPTY"],
  ])
    for (const [, , name] of names) assert.equal(engine(name, { logits: row }).error.code, code);
});

test("other hostile requests", () => {
  const code = request => evaluate(request).error?.where.param;
  const line = { op: "engine", engine: "candle", logits: [1, 2] };
  for (const [more, param] of [
    [{ engine: "gpt" }, "engine"],
    [{ engine: 3 }, "engine"],
    [{ settings: [] }, "settings"],
    [{ settings: { topk: 3 } }, "topk"],
    [{ settings: { greedy: 1 } }, "greedy"],
    [{ settings: { temperature: "x" } }, "temperature"],
    [{ context: [2] }, "context"],
    [{ context: [-1] }, "context"],
    [{ context: 1 }, "context"],
    [{ draws: 3 }, "seed"],
    [{ seed: "1", draws: 0 }, "draws"],
    [{ seed: "1", draws: 1.5 }, "draws"],
    [{ seed: "1", draws: 2 ** 21 }, "draws"],
    [{ constructor: "old" }, "constructor"],
    [{ generator: "torch-mkl" }, "generator"],
    [{ generator: "mkl" }, "generator"],
    [{ replacement: true }, "replacement"],
    [{ replacement: 1 }, "replacement"],
    [{ settings_only: "yes" }, "settings_only"],
    [{ temperature: 1 }, "temperature"],
    [{ spec: 3 }, "spec"],
  ])
    assert.equal(code({ ...line, ...more }), param, JSON.stringify(more));
  assert.equal(code({ op: "compare", engines: [], logits: [1] }), "engines");
  assert.equal(code({ op: "compare", engines: ["candle", 1], logits: [1] }), "engines");
  assert.equal(code({ op: "compare", logits: [1] }), "engines");
});

// ---- What the module says of itself -----------------------------------------------------------------------------------------

test("every engine describes its rules, and names a package or a source", async () => {
  const { abi } = cores.simd,
    { readFileSync } = await import("node:fs");
  const table = readFileSync(fromRoot("docs/engines.md"), "utf8");
  assert.deepEqual(
    Object.keys(abi.profile),
    abi.engine.map(([, , name]) => name),
  );
  for (const [name, { steps, tie, boundary, drawing, generator, how, version, date, source }] of Object.entries(
    abi.profile,
  )) {
    for (const step of steps) assert.ok(step === "softmax" || abi.setting.some(([, , text]) => text === step), step);
    for (const [key, code] of Object.entries({ tie, boundary, drawing, generator }))
      assert.ok(
        abi[key].some(([known]) => known === code),
        code,
      );
    assert.match(how, /^(ran|read)$/);
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
    if (how === "read") assert.match(source, /^[\w.-]+\/[\w.-]+ \S+ [0-9a-f]{12}/);
    for (const part of [name, version, how])
      assert.ok(table.includes(part), `docs/engines.md does not say ${part} of ${name}`);
  }
});
