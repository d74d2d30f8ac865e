// Defines classes as elements, guarded.

/** Defines every element as `<prefix-name>`. Does nothing for names that are taken, or where there is no DOM. */
export function define(elements: Readonly<Record<string, CustomElementConstructor>>, prefix: string): void {
  if (!globalThis.customElements) return;
  for (const [name, element] of Object.entries(elements)) {
    const tag = `${prefix}-${name}`;
    if (customElements.get(tag)) continue;
    try {
      customElements.define(tag, element);
    } catch {
      customElements.define(tag, class extends element {}); // a class can have one name only
    }
  }
}
