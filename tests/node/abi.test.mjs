// The module's description of itself against the headers: enumerations and structs of smp.h, smp_engines.h and smp_gpt.h.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cores, fromRoot } from "./support.mjs";

const { abi } = cores.simd;
const header = ["smp.h", "smp_engines.h", "smp_gpt.h"].map(file => readFileSync(fromRoot("c", file), "utf8")).join("");
const plain = header.replace(/\/\*[\s\S]*?\*\//g, "");
const SIZES = { f64: 8, u32: 4, i32: 4, u8: 1 };

/** An enumeration of the headers: [[name, value], ...]. */
function enumOf(type) {
  let next = 0;
  return new RegExp(`typedef enum ${type} \\{([^}]*)\\}`)
    .exec(plain)[1]
    .split(",")
    .map(item => /SMP_(\w+)(?:\s*=\s*(-?\d+))?/.exec(item))
    .filter(Boolean)
    .map(([, name, value]) => {
      if (value !== undefined) next = Number(value);
      return [name, next++];
    });
}

/** Field names of a struct in smp.h, in order, comments removed. */
function fieldsOf(name) {
  const body = new RegExp(`typedef struct ${name} \\{([^}]*)\\}`).exec(header)[1].replace(/\/\*[\s\S]*?\*\//g, "");
  return [...body.matchAll(/(\w+)(?:\[\w+\])?\s*[,;]/g)].flatMap(match =>
    match[1] === "where" ? ["param", "index"] : [match[1]],
  ); // a smp_where in it
}

const TABLES = {
  status: "smp_status",
  param: "smp_param",
  tie: "smp_tie",
  share: "smp_share",
  dtype: "smp_dtype",
  out: "smp_out",
  rule: "smp_rule",
  finish: "smp_finish",
  role: "smp_role",
  setting: "smp_setting",
  generator: "smp_generator",
  variant: "smp_variant",
  drawing: "smp_drawing",
  boundary: "smp_boundary",
  compared: "smp_compared",
  why: "smp_why",
  refusal: "smp_refusal",
  sampler: "smp_sampler_kind",
  order: "smp_order",
  gptWrong: "smp_gpt_wrong",
};

test("every enumerator of the headers, with its value and text", () => {
  for (const [key, type] of Object.entries(TABLES)) {
    const values = enumOf(type);
    assert.ok(values.length > 1, key);
    assert.deepEqual(
      abi[key].map(([name, value]) => [name, value]),
      values,
      key,
    );
    for (const [name, , text] of abi[key]) if (!/(^|_)(NONE|NOTHING|FINE)$/.test(name)) assert.ok(text, name);
  }
  for (const [name, , , allowed] of abi.param) if (name !== "AT_NONE") assert.ok(allowed, name);
});

test("every enumeration of the headers is described", () => {
  const named = [...plain.matchAll(/typedef enum (\w+)/g)].map(match => match[1]);
  assert.deepEqual(named.sort(), [...Object.values(TABLES), "smp_engine", "smp_step_kind"].sort());
});

test("values count up from 0 without holes, statuses down, and bits double", () => {
  for (const key of Object.keys(TABLES))
    abi[key].forEach(([name, value], place) =>
      assert.equal(value, key === "status" ? 0 - place : key === "variant" ? 1 << place : place, name),
    );
});

test("every rule of a chain, with the name of its parameter", () => {
  const kinds = enumOf("smp_step_kind");
  assert.deepEqual(
    Object.values(abi.step).map(({ kind }) => kind),
    kinds.map(([, value]) => value),
  );
  assert.deepEqual(
    Object.keys(abi.step),
    kinds.map(([name]) => name.slice("STEP_".length).toLowerCase()),
  );
  for (const name of Object.keys(abi.step))
    assert.ok(
      abi.param.some(([, , text]) => text === name),
      name,
    );
  assert.deepEqual(
    Object.entries(abi.step)
      .filter(([, { tie }]) => tie >= 0)
      .map(([name]) => name),
    ["top_k", "top_p"],
  );
});

test("every engine", () =>
  assert.deepEqual(
    abi.engine.map(([, value]) => value),
    enumOf("smp_engine").map(([, value]) => value),
  ));

test("the filters of the experiment are steps of a chain", () =>
  assert.deepEqual(
    abi.filter,
    Object.fromEntries(["top_k", "top_p", "min_p"].map(name => [name, abi.step[name].kind])),
  ));

test("limits and version of smp.h", () => {
  assert.deepEqual(abi.limits, {
    labMax: 64,
    labFilters: 8,
    rowMax: 2 ** 20,
    none: 2 ** 32 - 1,
    stopRows: 64,
    stopTokens: 1024,
    stopEos: 64,
    tokenEnd: 0,
    tokenByte: 1,
    tokenCharacter: 257,
  });
  assert.equal(abi.version, /SMP_VERSION "([^"]+)"/.exec(header)[1]);
  assert.equal(abi.version, JSON.parse(readFileSync(fromRoot("package.json"), "utf8")).version);
});

test("both modules describe themselves alike", () => assert.deepEqual(cores.scalar.abi, abi));

for (const [name, { size, fields }] of Object.entries(abi.structs)) {
  test(`${name}: every field of the header and no other`, () =>
    assert.deepEqual(Object.keys(fields).sort(), fieldsOf(name).sort()));

  test(`${name}: fields are aligned, inside, apart, and leave no hole but padding`, () => {
    const spans = Object.values(fields).sort(([a], [b]) => a - b);
    let end = 0;
    for (const [offset, type, bytes] of spans) {
      assert.equal(offset % SIZES[type], 0);
      assert.equal(bytes % SIZES[type], 0);
      assert.ok(offset >= end && offset - end < 8, `a field at ${offset} after one that ends at ${end}`);
      end = offset + bytes;
    }
    assert.ok(end <= size && size - end < 8, `the last field ends at ${end} of ${size}`);
  });
}

test("every struct that a call takes is described", () => {
  const named = [...header.matchAll(/typedef struct (\w+)/g)].map(match => match[1]);
  assert.deepEqual(Object.keys(abi.structs).sort(), named.sort());
});
