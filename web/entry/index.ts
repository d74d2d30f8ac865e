// The module without side effects: typed calls of the core, and the classes of the elements. Safe to
// import in plain Node.
import { elements } from "./all.elements.ts";
import { define } from "./define.ts";

export * from "./core.ts";
/** The classes, and `elements`: every element by its name without the prefix. */
export * from "./all.elements.ts";

/** Defines every element as `<prefix-name>`; another prefix is the way out of a name clash. Does nothing for names that
    are taken, or where there is no DOM. */
export function register({ prefix = "smp" }: { readonly prefix?: string } = {}): void {
  define(elements, prefix);
}
