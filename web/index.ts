// The module without side effects: typed calls of the core, and the classes of the elements. Safe to import in plain Node.
import { define } from "./define.ts";
import { SmpCompare } from "./experiments/compare/element.tsx";
import { SmpSampling } from "./experiments/sampling/element.tsx";
import { SmpStopping } from "./experiments/stopping/element.tsx";
import { elements as light } from "./light.ts";

export * from "./core/index.ts";
export type { CompareDetail } from "./experiments/compare/state.ts";
export type { SamplingDetail } from "./experiments/sampling/state.ts";
export type { StoppingDetail } from "./experiments/stopping/state.ts";
export { SmpCompare, SmpSampling, SmpStopping };

/** Every element by its name without the prefix. */
export const elements = { compare: SmpCompare, ...light } as const;

/** Defines every element as `<prefix-name>`; another prefix is the way out of a name clash. Does nothing for names that
    are taken, or where there is no DOM. */
export function register({ prefix = "smp" }: { readonly prefix?: string } = {}): void {
  define(elements, prefix);
}
