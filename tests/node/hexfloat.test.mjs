// Hex floats keep every bit: through the public evaluateLine, and for inputs longer than a double,
// against exact integers.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toHex } from "./hex.mjs";
import { api, cores, importSource } from "./support.mjs";

const { formatHexFloat, parseHexFloat } = await importSource("web/eval/hexfloat.ts");
const runs = { numRuns: 3000, seed: 3 };
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

const ask = line =>
  JSON.parse(api.evaluateLine(cores.simd, JSON.stringify({ op: "lab", tau: 1, k: 1, u: 0, ...line })));

test("a negative logit comes back bit for bit as its score against 0", () => {
  const negative = fc.double({ min: -(2 ** 1000), max: -5e-324, noNaN: true });
  fc.assert(
    fc.property(negative, x => {
      const fromText = ask({ logits: [toHex(x), 0], hex: true }),
        fromNumber = ask({ logits: [x, 0] });
      assert.equal(fromText.scores[0], toHex(x));
      assert.ok(Object.is(fromNumber.scores[0], x));
    }),
    runs,
  );
});

test("the text of a double is C's, and reads back as the same double", () => {
  fc.assert(
    fc.property(finite, x => {
      assert.equal(formatHexFloat(x), toHex(x));
      assert.ok(Object.is(parseHexFloat(formatHexFloat(x)), x));
    }),
    runs,
  );
});

test("the ends of the range", () => {
  const texts = {
    "0x0.0p+0": 0,
    "-0x0.0p+0": -0,
    "0x0.0000000000001p-1022": 5e-324,
    "0x0.fffffffffffffp-1022": 2 ** -1022 - 2 ** -1074,
    "0x1.0000000000000p-1022": 2 ** -1022,
    "0x1.fffffffffffffp+1023": Number.MAX_VALUE,
  };
  for (const [text, value] of Object.entries(texts)) {
    assert.equal(formatHexFloat(value), text);
    assert.ok(Object.is(parseHexFloat(text), value));
  }
  assert.deepEqual([Infinity, -Infinity, NaN].map(formatHexFloat), ["inf", "-inf", "nan"]);
});

/** |x| of a double as mantissa * 2^exponent, exactly. */
function exact(x) {
  const [, whole, fraction, power] = /^-?0x([01])\.([0-9a-f]+)p([+-]\d+)$/.exec(toHex(x));
  return { mantissa: BigInt(`0x${whole}${fraction}`), exponent: Number(power) - 4 * fraction.length };
}

/** Whether mantissa * 2^exponent lies within half a step of x, and on the tie only if x is even. */
function isNearest(x, mantissa, exponent) {
  const mine = exact(x),
    low = Math.min(mine.exponent, exponent) - 1;
  const value = mantissa << BigInt(exponent - low),
    found = mine.mantissa << BigInt(mine.exponent - low);
  const step = 1n << BigInt(Math.max(-1074, mine.exponent) - low);
  const distance = value > found ? value - found : found - value;
  // a power of two: steps below are half as wide
  const toBelow = mine.mantissa === 1n << 52n && value < found && mine.exponent > -1074 ? step / 2n : step;
  return 2n * distance < toBelow || (2n * distance === toBelow && mine.mantissa % 2n === 0n);
}

test("a mantissa of any length is rounded once, to nearest, ties to even", () => {
  const digits = fc.stringMatching(/^[1-9a-f][0-9a-f]{0,29}(8|80|800|8001|0|f)$/);
  fc.assert(
    fc.property(digits, fc.integer({ min: -1200, max: 850 }), (hex, exponent) => {
      const value = parseHexFloat(`0x${hex}p${exponent}`);
      assert.ok(Number.isFinite(value));
      assert.ok(isNearest(value, BigInt(`0x${hex}`), exponent), `${value}`);
    }),
    {
      ...runs,
      examples: [
        ["10000000000000080", 0],
        ["10000000000000180", 0],
        ["1fffffffffffff8", -1126],
        ["8", -1078],
        ["18", -1078],
      ],
    },
  );
});

test("overflow and underflow", () => {
  assert.equal(parseHexFloat("0x1p1024"), Infinity);
  assert.equal(parseHexFloat("-0x1p+99999"), -Infinity);
  assert.equal(parseHexFloat("0x1.fffffffffffff8p1023"), Infinity); // the tie above the largest double
  assert.ok(Object.is(parseHexFloat("-0x1p-1075"), -0)); // the tie below the least
  assert.equal(parseHexFloat("0x1.8p-1075"), 5e-324);
  assert.ok(Object.is(parseHexFloat("0x1p-99999"), 0));
});

test("what is no hex float", () => {
  for (const text of [
    "",
    "0x",
    "0x.",
    "0x1.",
    "0xp1",
    "1.5",
    "0x1p",
    "0x1p1.5",
    "0x1.8p+",
    " 0x1p0",
    "0x1p0 ",
    "0xg",
    "nan",
    "--0x1p0",
    "0x1..8p0",
  ])
    assert.equal(parseHexFloat(text), null, JSON.stringify(text));
});
