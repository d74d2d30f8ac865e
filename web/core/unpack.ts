// The bytes that web/build/pack.mjs made a string of.

/** Characters of one byte; the two after them are marks. */
const SINGLE = 91;

/** `frequent`: the bytes that are one character, four to a hexadecimal digit. */
export function unpack(text: string, frequent: string): Uint8Array<ArrayBuffer> {
  const common: number[] = [],
    rare: number[] = [],
    bytes: number[] = [];
  for (let byte = 0; byte < 256; byte++)
    ((parseInt(frequent[byte >> 2]!, 16) >> (byte & 3)) & 1 ? common : rare).push(byte);
  let from = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at),
      place = code - 32 - Number(code > 34) - Number(code > 92); // without " and \
    if (place >= SINGLE) from = (place - SINGLE) * SINGLE;
    else {
      bytes.push(from < 0 ? common[place]! : rare[from + place]!);
      from = -1;
    }
  }
  return Uint8Array.from(bytes);
}
