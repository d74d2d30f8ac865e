// C99 hexadecimal floating point, exact both ways: what JSON decimals cannot show of a double.

/** Each digit is read by one part of it alone, so that a text that does not fit is refused in one pass. */
const PATTERN = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]+))?(?:p([+-]?\d{1,6}))?$/i;
/** Hex digits that decide, the first of them not 0: 61 bits at least. All behind them only break a tie. */
const DIGITS = 16;

/** The double nearest to a hex float such as `0x1.8p-3` (ties to even), or null if the text is not one. */
export function parseHexFloat(text: string): number | null {
  const [, sign, whole = "", fraction = "", power = "0"] = PATTERN.exec(text) ?? [];
  if (sign === undefined || !(whole + fraction)) return null;
  const digits = (whole + fraction).replace(/^0+/, ""),
    behind = digits.slice(DIGITS),
    sticky = /[^0]/.test(behind) ? 1n : 0n;
  const value = scale(
    16n * BigInt(`0x${digits.slice(0, DIGITS) || 0}`) + sticky,
    Number(power) + 4 * (behind.length - fraction.length - 1),
  );
  return sign === "-" ? -value : value;
}

/** mantissa * 2^exponent, rounded once. */
function scale(mantissa: bigint, exponent: number): number {
  if (!mantissa) return 0;
  const bits = mantissa.toString(2).length;
  const surplus = Math.max(bits - 53, -1074 - exponent); // bits that the result has no room for
  if (surplus > bits) return 0;
  if (surplus > 0) {
    const cut = 1n << BigInt(surplus),
      rest = mantissa % cut;
    mantissa /= cut;
    if (2n * rest > cut || (2n * rest === cut && mantissa % 2n)) mantissa += 1n;
    exponent += surplus;
  }
  if (exponent > 1024) return Infinity;
  const half = Math.trunc(exponent / 2); // two exact steps: 2^exponent alone may overflow or underflow
  return Number(mantissa) * 2 ** half * 2 ** (exponent - half);
}

/** A double in the form of C's %a with all 13 digits: `0x1.8000000000000p-3`. */
export function formatHexFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0),
    sign = bits >> 63n ? "-" : "";
  const biased = Number((bits >> 52n) & 0x7ffn),
    fraction = bits & 0xfffffffffffffn;
  if (!biased && !fraction) return `${sign}0x0.0p+0`;
  const power = (biased || 1) - 1023;
  return `${sign}0x${biased ? 1 : 0}.${fraction.toString(16).padStart(13, "0")}p${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
