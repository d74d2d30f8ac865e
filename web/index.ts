// The module without side effects: typed calls of the core, and the classes of the elements. Safe to import in plain Node.
import { SmpSampling } from "./experiments/sampling/element.tsx";
import { SmpStopping } from "./experiments/stopping/element.tsx";
import type { Name } from "./names.ts";

export * from "./core/index.ts";
export type { SamplingDetail } from "./experiments/sampling/state.ts";
export type { StoppingDetail } from "./experiments/stopping/state.ts";
export { SmpSampling, SmpStopping };

/** Every element by its name without the prefix. */
export const elements = { sampling: SmpSampling, stopping: SmpStopping } as const satisfies Record<Name, CustomElementConstructor>;

/** Defines every element as `<prefix-name>`; another prefix is the way out of a name clash. Does nothing for names that
    are taken, or where there is no DOM. */
export function register({ prefix = "smp" }: { readonly prefix?: string } = {}): void {
  if (!globalThis.customElements) return;
  for (const [name, element] of Object.entries<CustomElementConstructor>(elements)) {
    const tag = `${prefix}-${name}`;
    if (customElements.get(tag)) continue;
    try {
      customElements.define(tag, element);
    } catch {
      customElements.define(tag, class extends element {}); // a class can have one name only
    }
  }
}
