// Rounding to float16 and bfloat16: what numpy and ml_dtypes give, and every number of both formats
// derived from its bits.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { api, cores, fromRoot, VECTORS } from "./support.mjs";

// other folders may lack it
const path = [join(VECTORS, "rounding.json"), fromRoot("tests/vectors/rounding.json")].find(existsSync);
const vectors = JSON.parse(readFileSync(path, "utf8"));
const FORMATS = { float16: { exponent: 5, mantissa: 10 }, bfloat16: { exponent: 8, mantissa: 7 } };
const view = new DataView(new ArrayBuffer(8));

const double = hex => (view.setBigUint64(0, BigInt(`0x${hex}`)), view.getFloat64(0));
const next = (x, by) => (view.setFloat64(0, x), view.setBigUint64(0, view.getBigUint64(0) + by), view.getFloat64(0));

/** The value of a pattern of 16 bits; that of infinity as the power of two after the largest number. */
function valueOf(bits, { exponent, mantissa }) {
  const sign = bits >> 15 ? -1 : 1,
    e = (bits & 0x7fff) >> mantissa,
    m = bits & (2 ** mantissa - 1);
  const low = 2 - 2 ** (exponent - 1) - mantissa;
  return sign * (e ? (2 ** mantissa + m) * 2 ** (low + e - 1) : m * 2 ** low);
}

for (const [name, format] of Object.entries(FORMATS))
  for (const [module, core] of Object.entries(cores)) {
    const infinity = (2 ** format.exponent - 1) << format.mantissa;
    const number = bits => ((bits & 0x7fff) === infinity ? (bits >> 15 ? -Infinity : Infinity) : valueOf(bits, format));

    test(`${module}: ${vectors[name].length} cases of ${name}`, () => {
      const cases = vectors[name].map(text => text.split(":")),
        got = api.round(
          core,
          cases.map(([x]) => double(x)),
          name,
        );
      cases.forEach(([x, bits], index) => {
        const want = number(parseInt(bits, 16));
        assert.ok(Object.is(got[index], want), `${double(x)} becomes ${got[index]}, want ${want}`);
      });
    });

    test(`${module}: all numbers of ${name} stay, and between neighbours the nearer wins, at equal distance the even one`, () => {
      const all = [],
        want = [];
      const expect = (x, bits) => (all.push(x, -x), want.push(number(bits), number(bits | 0x8000)));
      for (let bits = 0; bits < infinity; bits++) {
        const low = valueOf(bits, format),
          middle = (low + valueOf(bits + 1, format)) / 2;
        expect(low, bits);
        expect(next(middle, -1n), bits);
        expect(middle, bits % 2 ? bits + 1 : bits);
        expect(next(middle, 1n), bits + 1);
      }
      expect(Infinity, infinity);
      for (let at = 0; at < all.length; at += 4096)
        api.round(core, all.slice(at, at + 4096), name).forEach((got, index) => {
          const right = want[at + index];
          if (!Object.is(got, right)) assert.fail(`${all[at + index]} becomes ${got}, want ${right}`);
        });
    });
  }
