// A file of logits: how it begins says what it is, and one row of it is taken.
import type { Floats } from "./floats.ts";
import { readJson } from "./json.ts";
import { MAGIC, readNpy } from "./npy.ts";
import { ENDINGS, fail, LIMITS, shown, type Format } from "./problem.ts";
import { readSafetensors } from "./safetensors.ts";
import { bytesOf, stored, whole, type Contents, type Source, type Tensor } from "./source.ts";

const readers: Readonly<Record<Format, (source: Source) => Promise<Tensor[]>>> = {
  f32: readFloats,
  npy: readNpy,
  safetensors: readSafetensors,
  json: readJson,
};

/** What a file holds. Throws FileError, and nothing else. */
export async function openFile(source: Source): Promise<Contents> {
  if (source.size === 0) fail({ kind: "empty" });
  const start = await bytesOf(source, 0, Math.min(source.size, START)),
    ending = ENDINGS.find(each => source.name.toLowerCase().endsWith(each));
  const begun = formatOf(start, source.size),
    format = begun ?? (ending?.slice(1) as Format | undefined) ?? fail({ kind: "ending", found: shown(source.name) });
  if (format === "npy" && !begun) fail({ kind: "magic", format });
  return { format, name: source.name, tensors: await readers[format](source) };
}

/** Bytes that tell formats apart. */
const START = 16;

/** What a file begins as, whatever its name; bare floats begin as anything, so there the name decides. */
function formatOf(start: Uint8Array, size: number): Format | undefined {
  const text = String.fromCharCode(...start);
  if (text.startsWith(MAGIC)) return "npy";
  if (/^(\xef\xbb\xbf)?[\t\n\r ]*[[{][\t\n\r -~]*$/.test(text)) return "json";
  const header = start.length > 8 ? new DataView(start.buffer, start.byteOffset).getBigUint64(0, true) : 0n;
  return header > 1n && header <= size - 8 && text[8] === "{" ? "safetensors" : undefined;
}

/** Little-endian floats and nothing else. */
async function readFloats(source: Source): Promise<Tensor[]> {
  if (source.size % 4) fail({ kind: "multiple", bytes: source.size });
  const count = source.size / 4;
  if (count > LIMITS.entries) fail({ kind: "tooMany", found: count });
  return [stored(source, 0, { name: "", dtype: "f32", shape: [count] }, "f4", true)];
}

/** The tensor with a name; the first that holds rows where none is named. Throws FileError. */
export function tensorOf({ tensors }: Contents, name?: string): Tensor {
  const found =
    name === undefined ? tensors.find(({ problem }) => !problem)! : tensors.find(each => each.name === name);
  if (!found) return fail({ kind: "tensor", found: shown(name!), names: tensors.map(each => each.name) });
  return found.problem ? fail(found.problem) : found;
}

/** One of its rows, numbered from 0. Throws FileError. */
export function rowOf(tensor: Tensor, index: string): Promise<Floats> {
  const at = whole(index);
  return at < tensor.rows ? tensor.row(at) : fail({ kind: "row", found: shown(index), count: tensor.rows });
}
