// Defines all elements; harmless where they are defined already, or where there is no DOM.
import { elements } from "./index.ts";

/** Defines every element as `<prefix-name>`; another prefix is the way out of a name clash. */
export function register({ prefix = "smp" }: { prefix?: string } = {}): void {
  if (!globalThis.customElements) return;
  for (const [name, element] of Object.entries(elements)) {
    const tag = `${prefix}-${name}`;
    // a class can be defined once only: another name gets a subclass
    if (!customElements.get(tag)) customElements.define(tag, customElements.getName?.(element) ? class extends element {} : element);
  }
}

register();
