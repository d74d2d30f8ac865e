// Bytes as a string of printable ASCII; web/core/unpack.ts is the way back.

/** Printable ASCII that a string holds without an escape. */
const PRINTABLE = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place)).filter(
    c => !/["\\]/.test(c),
  ),
  MARKS = PRINTABLE.splice(-2);

/** The text, and which bytes are the most frequent ones, four to a hexadecimal digit. Those are one character each, in
    ascending order; the others are one of two marks and a character. */
export function pack(bytes) {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte]++;
  const ranked = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b),
    frequent = new Set(ranked.slice(0, PRINTABLE.length));
  const code = [];
  let common = 0,
    rare = 0;
  for (const byte of counts.keys())
    code[byte] = frequent.has(byte)
      ? PRINTABLE[common++]
      : MARKS[Math.floor(rare / PRINTABLE.length)] + PRINTABLE[rare++ % PRINTABLE.length];
  const digits = Array.from({ length: 64 }, (_, digit) =>
    [0, 1, 2, 3].reduce((sum, bit) => sum + (frequent.has(4 * digit + bit) ? 2 ** bit : 0), 0).toString(16),
  );
  return [Array.from(bytes, byte => code[byte]).join(""), digits.join("")];
}
