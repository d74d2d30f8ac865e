// The module without side effects: typed calls of the core, and the classes of the elements. Safe to import in plain Node.
import { define } from "./define.ts";
import { SmpCompare } from "../elements/compare/element.tsx";
import { SmpSampling } from "../elements/sampling/element.tsx";
import { SmpStopping } from "../elements/stopping/element.tsx";
import { elements as light } from "./light.ts";

export * from "./core.ts";
export type { CompareDetail } from "../elements/compare/state.ts";
export type { SamplingDetail } from "../elements/sampling/state.ts";
export type { StoppingDetail } from "../elements/stopping/state.ts";
export { SmpCompare, SmpSampling, SmpStopping };

/** Every element by its name without the prefix. */
export const elements = { compare: SmpCompare, ...light } as const;

/** Defines every element as `<prefix-name>`; another prefix is the way out of a name clash. Does nothing for names that
    are taken, or where there is no DOM. */
export function register({ prefix = "smp" }: { readonly prefix?: string } = {}): void {
  define(elements, prefix);
}
