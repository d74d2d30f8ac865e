// Where bytes come from, and what a file holds. Only the header and the chosen row are read, whatever the file's size.
import { BYTES, floats, type Dtype, type Floats } from "./floats.ts";
import { fail, LIMITS, shown, type FileProblem, type Format } from "./problem.ts";

export type Source = {
  readonly name: string;
  readonly size: number;
  /** The bytes from `from` to below `to`; rejects where they cannot be had. */
  readonly read: (from: number, to: number) => Promise<Uint8Array>;
};

export type Tensor = {
  /** Empty where a file holds one only. */
  readonly name: string;
  /** As the file writes it. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Rows to choose from. */
  readonly rows: number;
  readonly columns: number;
  /** Why no row can be taken from it. */
  readonly problem?: FileProblem;
  readonly row: (index: number) => Promise<Floats>;
};

export type Contents = { readonly format: Format; readonly name: string; readonly tensors: readonly Tensor[] };

/** Bytes of a file; as many as asked for. Throws FileError. */
export async function bytesOf({ size, read }: Source, from: number, to: number): Promise<Uint8Array> {
  if (to > size) fail({ kind: "truncated", needed: to, found: size });
  const bytes = await read(from, to).catch((error: unknown) =>
    fail({ kind: "unreadable", found: shown(String(error instanceof Error ? error.message : error), 200) }),
  );
  return bytes.byteLength === to - from
    ? bytes
    : fail({ kind: "truncated", needed: to, found: from + bytes.byteLength });
}

/** The whole number that digits stand for; else NaN. */
export const whole = (digits: string): number => (/^\d{1,15}$/.test(digits) ? Number(digits) : NaN);

/** What a shape takes, in entries. Throws FileError for what is not whole, or too large to count. */
export function entries(shape: readonly number[], shownAs: string): number {
  const product = shape.reduce((all, each) => all * each, 1);
  const right = shape.every(each => Number.isSafeInteger(each) && each >= 0) && Number.isSafeInteger(8 * product);
  return right ? product : fail({ kind: "shape", found: shownAs });
}

/** Why a tensor of this shape holds no row. */
export function unfit(shape: readonly number[]): FileProblem | undefined {
  if (shape.length < 1 || shape.length > 2) return { kind: "dimensions", found: shape.length };
  const columns = shape.at(-1)!;
  if (shape.includes(0)) return { kind: "empty" };
  return columns > LIMITS.entries ? { kind: "tooMany", found: columns } : undefined;
}

/** Numbers that lie in a file row by row. */
export function stored(
  source: Source,
  from: number,
  tensor: Pick<Tensor, "name" | "dtype" | "shape">,
  dtype: Dtype,
  little: boolean,
): Tensor {
  const { shape } = tensor,
    columns = shape.at(-1) ?? 0,
    size = columns * BYTES[dtype];
  return {
    ...tensor,
    rows: shape.length === 2 ? shape[0]! : 1,
    columns,
    row: async index => floats(await bytesOf(source, from + index * size, from + (index + 1) * size), dtype, little),
  };
}
