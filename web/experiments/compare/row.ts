// A row that was not typed.

export type Row = {
  readonly kind: "file" | "position";
  /** Of the file or the position. */
  readonly name: string;
  readonly logits: Float32Array;
  /** The text of an id, white space made visible. */
  readonly piece?: (id: number) => string;
};

const orders = new WeakMap<object, readonly number[]>();

/** Ids by falling logit, the smaller first among equals; sorted once for a row. */
export function orderOf(logits: ArrayLike<number>): readonly number[] {
  const known = orders.get(logits);
  if (known) return known;
  const order = Array.from({ length: logits.length }, (_, id) => id).sort((a, b) => logits[b]! - logits[a]! || a - b);
  orders.set(logits, order);
  return order;
}
