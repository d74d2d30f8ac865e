// Sentences as data: text, candidates, variables and numbers in order, so that one message serves the page (as
// elements), the screen reader and the printed fallback (as plain text).

export type Part =
  | string
  | readonly Part[]
  /** A candidate, with its mark or by its name alone; and its word, if it has one. */
  | { readonly kind: "id" | "name"; readonly id: number; readonly word?: string }
  | { readonly kind: "var"; readonly name: string }
  | { readonly kind: "strong" | "nobreak"; readonly parts: readonly Part[] };

/** A sentence with parts in it: say`choose ${id(3)}`. */
export function say(texts: TemplateStringsArray, ...parts: Part[]): Part {
  return texts
    .flatMap((text, index) => (index < parts.length ? [text, parts[index]!] : [text]))
    .filter(part => part !== "");
}

export const id = (value: number): Part => ({ kind: "id", id: value });
export const named = (value: number): Part => ({ kind: "name", id: value });
export const v = (name: string): Part => ({ kind: "var", name });
export const strong = (...parts: Part[]): Part => ({ kind: "strong", parts });
/** A piece that must not break over two lines. */
export const nb = (...parts: Part[]): Part => ({ kind: "nobreak", parts });

/** Parts with a separator between them. */
export function list(parts: readonly Part[], separator: string): Part {
  return parts.flatMap((part, index) => (index ? [separator, part] : [part]));
}

/** The sentence as text. */
export function plain(part: Part): string {
  if (typeof part === "string") return part;
  if (isList(part)) return part.map(plain).join("");
  switch (part.kind) {
    case "id":
    case "name":
      return part.word ? `ID ${part.id} "${part.word}"` : `ID ${part.id}`;
    case "var":
      return part.name;
    default:
      return plain(part.parts);
  }
}

export function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part);
}
