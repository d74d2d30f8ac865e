// The module's description of itself against the C sources: codes.def, and the structs of smp.h.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cores, fromRoot } from "./support.mjs";

const { abi } = cores.simd;
const header = ["smp.h", "smp_engines.h"].map(file => readFileSync(fromRoot("c", file), "utf8")).join("");
/** Rows that are broken over lines, and texts within them, joined. */
const codes = readFileSync(fromRoot("c/codes.def"), "utf8").replace(/"\n +"/g, "").replace(/,\n +/g, ", ");
const SIZES = { f64: 8, u32: 4, i32: 4, u8: 1 };

/** Rows of an X-macro: `SMP_TIE(TIE_STRICT, 0, "strict")` -> [name, value, text, allowed]. */
const rowsOf = macro =>
  [...codes.matchAll(new RegExp(`^${macro}\\((\\w+), (-?\\d+), "([^"]*)"(?:, "([^"]*)")?\\)$`, "gm"))].map(
    ([, name, value, text, allowed = ""]) => [name, Number(value), text, allowed],
  );

/** Field names of a struct in smp.h, in order, comments removed. */
function fieldsOf(name) {
  const body = new RegExp(`typedef struct ${name} \\{([^}]*)\\}`).exec(header)[1].replace(/\/\*[\s\S]*?\*\//g, "");
  return [...body.matchAll(/(\w+)(?:\[\w+\])?\s*[,;]/g)].map(match => match[1]);
}

test("every code of codes.def, with its text", () => {
  for (const [key, macro] of Object.entries({ status: "SMP_STATUS", param: "SMP_PARAM", tie: "SMP_TIE", share: "SMP_SHARE", dtype: "SMP_DTYPE", rule: "SMP_RULE", finish: "SMP_FINISH", role: "SMP_ROLE", step: "SMP_STEP", out: "SMP_OUT", setting: "SMP_SETTING", generator: "SMP_GENERATOR", variant: "SMP_VARIANT", drawing: "SMP_DRAWING", boundary: "SMP_BOUNDARY", compared: "SMP_COMPARED", refusal: "SMP_REFUSAL", sampler: "SMP_SAMPLER" })) {
    assert.ok(rowsOf(macro).length > 1);
    assert.deepEqual(abi[key], rowsOf(macro), key);
  }
});

test("values that callers may have stored are frozen", () => {
  const frozen = {
    status: { OK: 0, ERR_PARAM: -1, ERR_EMPTY: -2, ERR_LENGTH: -3, ERR_NAN: -4, ERR_INF: -5, ERR_MASKED: -6, ERR_SHORT: -7, ERR_REFUSED: -8 },
    param: { AT_NONE: 0, AT_LOGITS: 1, AT_TAU: 2, AT_K: 3, AT_U: 4, AT_TIE: 5, AT_SHARE: 6, AT_ROW: 7, AT_TEMPERATURE: 8, AT_N: 9 },
    tie: { TIE_STRICT: 0, TIE_THRESHOLD: 1 },
    share: { SHARE_RENORMALISED: 0, SHARE_ZEROED: 1 },
    rule: { RULE_LATCH: 0, RULE_ANY: 1, RULE_SAME_STEP: 2, RULE_SCALAR: 3, RULE_SINGLE: 4 },
    finish: { FINISH_NONE: 0, FINISH_EOS: 1, FINISH_LENGTH: 2, FINISH_CUT: 3 },
  };
  for (const [key, values] of Object.entries(frozen))
    for (const [name, value] of Object.entries(values)) assert.equal(abi[key].find(row => row[0] === name)?.[1], value, name);
});

test("limits and version of smp.h", () => {
  assert.deepEqual(abi.limits, { labMax: 64, rowMax: 2 ** 20, none: 2 ** 32 - 1, stopRows: 64, stopTokens: 1024, stopEos: 64 });
  assert.equal(abi.version, /SMP_VERSION "([^"]+)"/.exec(header)[1]);
  assert.equal(abi.version, JSON.parse(readFileSync(fromRoot("package.json"), "utf8")).version);
});

test("both modules describe themselves alike", () => assert.deepEqual(cores.scalar.abi, abi));

for (const [name, { size, fields }] of Object.entries(abi.structs)) {
  test(`${name}: every field of the header and no other`, () => assert.deepEqual(Object.keys(fields).sort(), fieldsOf(name).sort()));

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
