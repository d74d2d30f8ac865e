// Numbers of files as 32-bit floats: every 16-bit and 32-bit number exactly, 64-bit ones rounded to
// nearest, ties to even.
import { fail } from "./problem.ts";

export type Dtype = "f2" | "bf16" | "f4" | "f8";

export const BYTES: Readonly<Record<Dtype, number>> = { f2: 2, bf16: 2, f4: 4, f8: 8 };

/** The numbers, and how many of them are not the number of the file but the nearest float. */
export type Floats = { readonly row: Float32Array; readonly rounded: number };

const SMALLEST_HALF = 5.9604644775390625e-8; // 2^-24

/** The bits of a half as a number. */
export function half(bits: number): number {
  const exponent = (bits >> 10) & 31,
    fraction = bits & 1023,
    sign = bits >> 15;
  if (exponent === 0) return (sign ? -1 : 1) * fraction * SMALLEST_HALF;
  return float((sign << 31) | ((exponent === 31 ? 255 : exponent + 112) << 23) | (fraction << 13));
}

const bridge = new DataView(new ArrayBuffer(4));

function float(bits: number): number {
  bridge.setInt32(0, bits);
  return bridge.getFloat32(0);
}

/** Bytes as floats, none of them NaN or +inf, not all -inf. Throws FileError, with the place of what is wrong. */
export function floats(bytes: Uint8Array, dtype: Dtype, little: boolean): Floats {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    row = new Float32Array(bytes.byteLength / BYTES[dtype]);
  if (dtype === "f8") return rounded(row, index => view.getFloat64(8 * index, little));
  for (let i = 0; i < row.length; i++)
    row[i] =
      dtype === "f4"
        ? view.getFloat32(4 * i, little)
        : dtype === "f2"
          ? half(view.getUint16(2 * i, little))
          : float(view.getUint16(2 * i, little) << 16);
  return { row: checked(row), rounded: 0 };
}

/** Doubles as floats. Throws FileError also where a finite one is larger than any float. */
export function rounded(row: Float32Array, at: (index: number) => number): Floats {
  let count = 0;
  for (let i = 0; i < row.length; i++) {
    const value = at(i);
    row[i] = value;
    if (Number.isFinite(value) && !Number.isFinite(row[i]!)) fail({ kind: "tooLarge", index: i, found: String(value) });
    if (row[i] !== value) count++;
  }
  return { row: checked(row), rounded: count };
}

function checked(row: Float32Array): Float32Array {
  let masked = true;
  for (let i = 0; i < row.length; i++) {
    if (Number.isNaN(row[i])) fail({ kind: "nan", index: i });
    if (row[i] === Infinity) fail({ kind: "infinite", index: i });
    if (row[i] !== -Infinity) masked = false;
  }
  return masked ? fail({ kind: "masked" }) : row;
}
