// Lines of a stream of bytes. One that is too long to be held is replaced by one that is as wrong, so
// that its turn is kept.
import { LINE } from "../eval/json.ts";

/** A character has a byte at least, so no line that is allowed in characters and plain ASCII is longer. */
export const MOST_BYTES = LINE.length;

export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [],
    size = 0;
  const take = (part: Uint8Array): void => {
    if (size <= MOST_BYTES) parts.push(part); // the rest of a line that is too long is not kept
    size += part.length;
  };
  const line = (): string => {
    const bytes = Buffer.concat(parts),
      long = size > MOST_BYTES;
    parts = [];
    size = 0;
    return long ? " ".repeat(MOST_BYTES + 1) : bytes.toString("utf8");
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, to));
      yield line();
      from = to + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }
  if (size) yield line();
}
