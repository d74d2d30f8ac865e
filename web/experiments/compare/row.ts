// A row that was not typed.

export type Row = {
  readonly kind: "file" | "position";
  /** Of the file or the position. */
  readonly name: string;
  readonly logits: Float32Array;
  /** The text of an id, white space made visible. */
  readonly piece?: (id: number) => string;
};

const orders = new WeakMap<object, Uint32Array>();

/** Ids by falling logit as a 32-bit float, the smaller first among equals; sorted once for a row of up to 2^20. */
export function orderOf(logits: ArrayLike<number>): Uint32Array {
  const known = orders.get(logits);
  if (known) return known;
  const bits = new Uint32Array(Float32Array.from(logits, logit => logit + 0).buffer); // -0 is 0
  // the bits of a float in falling order, then the id: a whole number below 2^52
  const keys = Float64Array.from(bits, (each, id) => (each < 2 ** 31 ? 2 ** 31 - 1 - each : each) * 2 ** 20 + id).sort();
  const order = Uint32Array.from(keys, key => key % 2 ** 20);
  orders.set(logits, order);
  return order;
}
