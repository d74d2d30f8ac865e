// C99 hex floats of the vectors: 53 bits at most, so reading them needs no rounding. Independent of
// web/eval/hexfloat.ts.

/** `-0x1.8000000000000p-3` as a double. */
export function fromHex(text) {
  const [, sign, whole, fraction, power] = /^(-?)0x([01])\.([0-9a-f]{1,13})p([+-]\d+)$/.exec(text);
  return (sign ? -1 : 1) * parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length);
}

/** A finite double in the same form, with 13 digits unless it is zero. */
export function toHex(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const high = view.getUint32(0),
    field = (high >>> 20) & 0x7ff;
  const digits = (high & 0xfffff).toString(16).padStart(5, "0") + view.getUint32(4).toString(16).padStart(8, "0");
  const sign = high >>> 31 ? "-" : "";
  if (x === 0) return `${sign}0x0.0p+0`;
  const power = field ? field - 1023 : -1022;
  return `${sign}0x${field ? 1 : 0}.${digits}p${power < 0 ? "" : "+"}${power}`;
}
