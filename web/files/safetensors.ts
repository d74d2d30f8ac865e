// Safetensors (huggingface/safetensors, README): a length, a JSON header, and bytes that tensors cover
// without gap or overlap.
import type { Dtype } from "./floats.ts";
import { parseJson } from "./json.ts";
import { fail, LIMITS, shown } from "./problem.ts";
import { bytesOf, entries, stored, unfit, type Source, type Tensor } from "./source.ts";

const DTYPES = new Map<string, Dtype>([
  ["F32", "f4"],
  ["F16", "f2"],
  ["BF16", "bf16"],
]);
/** Bytes of an entry, of the types that hold no logits too: their offsets are checked against their shapes. */
const SIZES = new Map(
  Object.entries({
    BOOL: 1,
    U8: 1,
    I8: 1,
    U16: 2,
    I16: 2,
    F16: 2,
    BF16: 2,
    U32: 4,
    I32: 4,
    F32: 4,
    U64: 8,
    I64: 8,
    F64: 8,
  }),
);

export async function readSafetensors(source: Source): Promise<Tensor[]> {
  const head = await bytesOf(source, 0, 8),
    length = new DataView(head.buffer, head.byteOffset).getBigUint64(0, true);
  if (length > LIMITS.safetensorsHeader)
    fail({ kind: "header", bytes: String(length), allowed: LIMITS.safetensorsHeader });
  const from = 8 + Number(length),
    header = parseJson(await bytesOf(source, 8, from), "safetensors");
  if (!isPlain(header)) return fail({ kind: "broken", format: "safetensors", near: shown(JSON.stringify(header)) });
  const { __metadata__, ...described } = header;
  if (
    __metadata__ !== undefined &&
    !(isPlain(__metadata__) && Object.values(__metadata__).every(each => typeof each === "string"))
  )
    fail({ kind: "broken", format: "safetensors", near: shown(`__metadata__: ${JSON.stringify(__metadata__)}`) });
  const placed = Object.entries(described)
    .map(([name, entry]) => place(name, entry))
    .sort((a, b) => a.from - b.from || a.to - b.to);
  let end = 0;
  for (const { name, from: start, to } of placed) {
    if (start !== end) fail({ kind: "offsets", tensor: shown(name), found: `[${start}, ${to}]` });
    end = to;
  }
  const needed = from + end;
  if (source.size !== needed)
    fail({ kind: source.size < needed ? "truncated" : "trailing", needed, found: source.size });
  const tensors = placed.map(({ name, dtype, shape, from: start }): Tensor => {
    const known = DTYPES.get(dtype),
      problem = known ? unfit(shape) : ({ kind: "dtype", format: "safetensors", found: shown(dtype) } as const);
    return {
      ...stored(source, from + start, { name, dtype, shape }, known ?? "f4", true),
      ...(problem ? { problem } : {}),
    };
  });
  return tensors.some(({ problem }) => !problem)
    ? tensors
    : fail(tensors.length === 1 ? tensors[0]!.problem! : { kind: "noRow" });
}

type Placed = {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly from: number;
  readonly to: number;
};

function place(name: string, entry: unknown): Placed {
  const near = shown(`${name}: ${JSON.stringify(entry)}`);
  if (!isPlain(entry)) return fail({ kind: "broken", format: "safetensors", near });
  const { dtype, shape, data_offsets: offsets, ...more } = entry;
  if (
    typeof dtype !== "string" ||
    !isNumbers(shape) ||
    !isNumbers(offsets) ||
    offsets.length !== 2 ||
    Object.keys(more).length
  )
    return fail({ kind: "broken", format: "safetensors", near });
  const [from, to] = offsets as [number, number],
    found = `[${from}, ${to}]`,
    count = entries(shape, shown(JSON.stringify(shape))),
    size = SIZES.get(dtype);
  const fits =
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    0 <= from &&
    from <= to &&
    (size === undefined || to - from === size * count);
  return fits ? { name, dtype, shape, from, to } : fail({ kind: "offsets", tensor: shown(name), found });
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);
const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every(each => typeof each === "number");
