// What the wasm modules are made of: no imports, exactly these exports, vector instructions in one and
// none in the other.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cores, fromRoot, importSource, modules } from "./support.mjs";

const EXPORTS = [
  "memory",
  "smp_abi_engines_json",
  "smp_abi_frequencies_json",
  "smp_abi_gpt_json",
  "smp_abi_json",
  "smp_arena_keep",
  "smp_arena_mark",
  "smp_arena_release",
  "smp_arena_take",
  "smp_axis_place",
  "smp_axis_value",
  "smp_chain_run",
  "smp_chain_run_rows",
  "smp_chain_work_size",
  "smp_curve_run",
  "smp_engine_distance",
  "smp_engine_draw",
  "smp_engine_name",
  "smp_engine_penalise",
  "smp_engine_probabilities",
  "smp_engine_run",
  "smp_engine_settings",
  "smp_engine_work_size",
  "smp_exp",
  "smp_gpt_cache_cut",
  "smp_gpt_cache_size",
  "smp_gpt_feed",
  "smp_gpt_next",
  "smp_gpt_read",
  "smp_gpt_tensor_name",
  "smp_gpt_work_size",
  "smp_gpt_wrong_text",
  "smp_lab_map",
  "smp_lab_round",
  "smp_lab_run",
  "smp_log",
  "smp_log1p",
  "smp_param_allowed",
  "smp_param_text",
  "smp_refusal_text",
  "smp_rng_next",
  "smp_rng_seed",
  "smp_rng_uniform",
  "smp_row_capacity",
  "smp_row_distance",
  "smp_row_divergence",
  "smp_row_draw",
  "smp_row_log_softmax",
  "smp_row_scan",
  "smp_row_softmax",
  "smp_row_temperature",
  "smp_row_top",
  "smp_row_top_log_p",
  "smp_setting_name",
  "smp_stats_bands",
  "smp_stats_bincount",
  "smp_stats_fit",
  "smp_stats_q",
  "smp_status_text",
  "smp_stop_one",
  "smp_stop_run",
  "smp_stream_count",
  "smp_stream_draw",
  "smp_stream_edges",
  "smp_stream_race",
  "smp_stream_work_size",
  "smp_tokens_bytes",
  "smp_tokens_encode",
  "smp_tokens_make",
  "smp_tokens_size",
  "smp_utf8_feed",
  "smp_utf8_flush",
];

const program = fromRoot("build/wasm/cli.wasm");
const elements = fromRoot("build/wasm/elements.wasm");
const engines = fromRoot("build/wasm/engines.wasm");
const compiled = path => new WebAssembly.Module(readFileSync(path));
const texts = new Map(); // it takes a while
function text(path) {
  if (!texts.has(path))
    texts.set(path, execFileSync("wasm-dis", ["--all-features", path], { encoding: "utf8", maxBuffer: 2 ** 28 }));
  return texts.get(path);
}
const instructions = path => new Set(text(path).match(/\b[a-z]\w*\.[a-z]\w*\b/g));

for (const [name, path] of Object.entries(modules)) {
  test(`${name}: no imports`, () => assert.deepEqual(WebAssembly.Module.imports(compiled(path)), []));

  test(`${name}: exactly the documented exports`, () => {
    const found = WebAssembly.Module.exports(compiled(path));
    assert.deepEqual(found.map(item => item.name).sort(), EXPORTS);
    for (const item of found) assert.equal(item.kind, item.name === "memory" ? "memory" : "function");
  });

  test(`${name}: memory does not grow`, () => assert.throws(() => cores[name].memory.grow(1), RangeError));

  test(`${name}: no 64-bit integer crosses the border`, () => {
    const types = [...text(path).matchAll(/\(export "(\w+)" \(func (\S+)\)\)/g)].map(([, , id]) => id);
    const heads = new Map([...text(path).matchAll(/^ *\(func (\S+) .*$/gm)].map(([line, id]) => [id, line.trim()]));
    assert.ok(types.length > 40 && types.every(id => heads.has(id)), `${types.length} exports`);
    for (const id of types) assert.doesNotMatch(heads.get(id), /i64/);
  });
}

test("the SIMD module holds f32x4 arithmetic and nothing relaxed", () => {
  const found = instructions(modules.simd);
  for (const name of ["f32x4.add", "f32x4.sub", "f32x4.mul", "f32x4.div", "v128.load", "v128.store"])
    assert.ok(found.has(name), `${name} is missing`);
  for (const name of found) assert.doesNotMatch(name, /relaxed/);
});

test("the scalar module holds no vector instruction", () =>
  assert.doesNotMatch(text(modules.scalar), /v128|[if]\d+x\d+/));

test("the module of the elements has no imports, and no rows and no engines among its exports", () => {
  const found = WebAssembly.Module.exports(compiled(elements)).map(item => item.name);
  assert.deepEqual(
    found.sort(),
    EXPORTS.filter(
      name =>
        !/^smp_(abi_(engines|frequencies|gpt)|arena_keep|chain|curve|engine|gpt|refusal|rng|row|setting|stats|stream|tokens|utf8)_?/.test(
          name,
        ),
    ),
  );
  assert.deepEqual(WebAssembly.Module.imports(compiled(elements)), []);
});

test("the module of the engines has all but chains, rows and models, and is that much smaller", () => {
  const found = WebAssembly.Module.exports(compiled(engines)).map(item => item.name);
  assert.deepEqual(
    found.sort(),
    EXPORTS.filter(
      name =>
        name === "smp_row_capacity" || !/^smp_(abi_gpt|arena_keep|chain|gpt|rng_uniform|row|tokens|utf8)_?/.test(name),
    ),
  );
  assert.deepEqual(WebAssembly.Module.imports(compiled(engines)), []);
  assert.ok(readFileSync(engines).length < 0.7 * readFileSync(modules.simd).length);
});

const { unpack } = await importSource("web/core/unpack.ts");

test("dist/smp.wasm is the SIMD module; each classic script holds what its elements call, the others hold all", () => {
  assert.deepEqual(readFileSync(fromRoot("dist/smp.wasm")), readFileSync(modules.simd));
  for (const [script, path] of Object.entries({
    "sampling-lab.js": elements,
    "sampling-lab-all.js": engines,
    "anywidget.mjs": elements,
    "core.mjs": modules.simd,
    "cli.js": [modules.simd, program],
  })) {
    const strings = readFileSync(fromRoot("dist", script), "utf8").matchAll(
      /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`),\s*["'`]([0-9a-f]{64})["'`]/g,
    );
    const inside = Array.from(strings, ([, string, frequent]) => Buffer.from(unpack((0, eval)(string), frequent)));
    const wanted = [path].flat().map(each => readFileSync(each));
    assert.equal(inside.length, wanted.length, script);
    for (const module of wanted)
      assert.ok(
        inside.some(each => each.equals(module)),
        script,
      );
  }
});

// ---- Traps --------------------------------------------------------------------------------------------------------

const { instantiate, withArena } = await importSource("web/core/module.ts");

for (const [name, path] of Object.entries({ ...modules, elements }))
  test(`${name}: a trap is an error that says what happened, and later calls work`, async () => {
    const core = await instantiate(readFileSync(path)),
      { memory, call } = core;
    const far = 2 ** 32 - 64,
      function_ = name === "elements" ? "smp_lab_round" : "smp_row_draw";
    // more traps, each with its frame left on the stack, than the stack has room for: 64 KB and 2 KB
    for (let i = 0; i < 40; i++)
      assert.throws(
        () =>
          withArena(core, arena => arena.check(function_, far, 64, ...(name === "elements" ? [0, far] : [0.5, far]))),
        error => {
          assert.deepEqual(
            [error.name, error.code, error.where],
            ["SmpError", "ERR_TRAP", { param: function_, index: 0 }],
          );
          assert.match(
            error.message,
            new RegExp(`^${function_}: the core failed \\(RuntimeError: .+\\) and was started anew$`),
          );
          return true;
        },
      );
    assert.notEqual(core.memory, memory);
    assert.notEqual(core.call.smp_arena_take, call.smp_arena_take);
    assert.equal(core.call.smp_arena_mark(), 0);
    withArena(core, arena => {
      const at = arena.f64([0.1, 3]);
      arena.check("smp_lab_round", at, 2, 1, at); // to float32
      assert.deepEqual([...new Float64Array(core.memory.buffer, at, 2)], [Math.fround(0.1), 3]);
    });
  });

for (const [name, path] of Object.entries({ ...modules, elements }))
  test(`${name}: its description ends where the arena does`, async () => {
    const { call, memory } = await instantiate(readFileSync(path)),
      whole = call.smp_abi_json();
    const bytes = new Uint8Array(memory.buffer),
      length = bytes.indexOf(0, whole) - whole;
    let end = 0;
    for (let size = 2 ** 30; size >= 16; size /= 2) for (let at; (at = call.smp_arena_take(size)); ) end = at + size;
    const behind = bytes.slice(end, end + 65536);
    for (const describe of ["smp_abi_json", "smp_abi_engines_json", "smp_abi_frequencies_json", "smp_abi_gpt_json"])
      if (call[describe]) assert.equal(call[describe](), 0);
    assert.deepEqual(bytes.slice(end, end + 65536), behind);
    // room for all but the zero at the end; then for that too
    call.smp_arena_release(0);
    call.smp_arena_take(end - whole - 16 * Math.ceil((length + 1) / 16));
    assert.equal(call.smp_abi_json() + 16 * Math.ceil((length + 1) / 16), end);
    call.smp_arena_take(16);
    assert.equal(call.smp_abi_json(), 0);
    assert.deepEqual(bytes.slice(end, end + 65536), behind);
  });

test("the command line asks of its system what a program without files asks, and its host for files", () => {
  const imports = WebAssembly.Module.imports(compiled(program)).map(({ module, name }) => `${module}.${name}`);
  const wasi = ["args_get", "args_sizes_get", "fd_close", "fd_fdstat_get", "fd_seek", "fd_write", "proc_exit"];
  assert.deepEqual(imports.sort(), [
    "host.read_file",
    "host.read_row",
    "host.write_file",
    ...wasi.map(name => `wasi_snapshot_preview1.${name}`),
  ]);
  const found = WebAssembly.Module.exports(compiled(program)).map(item => item.name);
  assert.deepEqual(found.sort(), ["_start", "memory"]);
  for (const name of instructions(program)) assert.doesNotMatch(name, /relaxed/);
});

test("no module names a folder of the machine that built it", () => {
  for (const path of [...Object.values(modules), elements, engines, program])
    assert.ok(!readFileSync(path, "latin1").includes(fromRoot()), path);
});
