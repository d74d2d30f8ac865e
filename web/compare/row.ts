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

/** Ids by descending logit as a 32-bit float, the smaller first among equals; sorted once, by counting: a
    row may have 2^20. */
export function orderOf(logits: ArrayLike<number>): Uint32Array {
  const known = orders.get(logits);
  if (known) return known;
  const n = logits.length,
    keys = new Uint32Array(Float32Array.from(logits).buffer),
    [half, all] = [2 ** 31 - 1, 2 ** 31];
  // rise as floats fall; -0 is 0
  for (let id = 0; id < n; id++) keys[id] = keys[id]! <= all ? half - (keys[id]! % all) : keys[id]!;
  let order = new Uint32Array(n),
    next = new Uint32Array(n);
  for (let id = 0; id < n; id++) order[id] = id;
  for (let shift = 0; shift < 32; shift += 11) {
    const places = new Uint32Array(2049);
    for (let id = 0; id < n; id++) places[((keys[id]! >>> shift) & 2047) + 1]!++;
    for (let digit = 0; digit < 2048; digit++) places[digit + 1]! += places[digit]!;
    for (let place = 0; place < n; place++) next[places[(keys[order[place]!]! >>> shift) & 2047]!++] = order[place]!;
    [order, next] = [next, order];
  }
  orders.set(logits, order);
  return order;
}

/** The first of that order. */
export function topOf(logits: ArrayLike<number>): number {
  let top = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[top]!) top = id;
  return top;
}
