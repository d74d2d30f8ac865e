// NumPy's .npy (numpy/lib/format.py): versions 1 to 3, f2, f4 and f8 in either byte order, one dimension
// or two in C order.
import { BYTES, type Dtype } from "./floats.ts";
import { fail, LIMITS, shown } from "./problem.ts";
import { bytesOf, entries, stored, unfit, whole, type Source, type Tensor } from "./source.ts";

const START = 10; // magic, version, and two bytes of the header's length
export const MAGIC = "\x93NUMPY";

export async function readNpy(source: Source): Promise<Tensor[]> {
  const start = await bytesOf(source, 0, START),
    view = new DataView(start.buffer, start.byteOffset),
    version = start[6]!;
  if (version < 1 || version > 3) fail({ kind: "version", found: version });
  const from = version === 1 ? START : START + 2;
  const length =
    version === 1
      ? view.getUint16(8, true)
      : new DataView((await bytesOf(source, 8, 12)).slice().buffer).getUint32(0, true);
  if (length > LIMITS.npyHeader) fail({ kind: "header", bytes: String(length), allowed: LIMITS.npyHeader });
  const { descr, fortran, shape } = headerOf(
    new TextDecoder("latin1").decode(await bytesOf(source, from, from + length)),
  );
  const [, order, name] = /^([<>])(f[248])$/.exec(descr) ?? fail({ kind: "dtype", format: "npy", found: shown(descr) });
  const dtype = name as Dtype,
    needed = from + length + BYTES[dtype] * entries(shape, shown(`(${shape.join(", ")})`));
  const problem = unfit(shape);
  if (problem) fail(problem);
  if (fortran && shape.length > 1) fail({ kind: "fortran" });
  if (source.size !== needed)
    fail({ kind: source.size < needed ? "truncated" : "trailing", needed, found: source.size });
  return [stored(source, from + length, { name: "", dtype: descr, shape }, dtype, order === "<")];
}

type Header = { readonly descr: string; readonly fortran: boolean; readonly shape: readonly number[] };

/** A Python dictionary of the three keys, in any order, each once, and nothing else. */
function headerOf(text: string): Header {
  const item = /\s*(?:'(\w+)'\s*:\s*(?:'([^']*)'|(\[.*\])|(True|False)|\(([^()]*)\))\s*(,|(?=\}))|(\}\s*$))/y,
    found = new Map<string, string>();
  item.lastIndex = text.startsWith("{") ? 1 : broken(text);
  for (;;) {
    const at = item.lastIndex,
      [, key, quoted, list, flag, tuple, , end] = item.exec(text) ?? broken(text.slice(at));
    if (end) break;
    if (found.has(key!)) fail({ kind: "repeated", key: shown(key!) });
    const fits =
      key === "descr" ? (quoted ?? list) : key === "fortran_order" ? flag : key === "shape" ? tuple : undefined;
    found.set(key!, fits ?? broken(text.slice(at)));
  }
  const [descr, flag, shape] = ["descr", "fortran_order", "shape"].map(key => found.get(key) ?? broken(text));
  return { descr: descr!, fortran: flag === "True", shape: shapeOf(shape!) };
}

function shapeOf(tuple: string): number[] {
  const sizes =
    tuple.trim() === ""
      ? []
      : tuple
          .trim()
          .replace(/,$/, "")
          .split(",")
          .map(each => each.trim());
  return sizes.map(each => {
    const size = whole(each);
    return Number.isNaN(size) ? fail({ kind: "shape", found: shown(`(${tuple})`) }) : size;
  });
}

const broken = (near: string): never => fail({ kind: "broken", format: "npy", near: shown(near) });
