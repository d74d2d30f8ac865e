// The module without side effects: typed calls of the core, and the classes of the elements. Safe to import in plain Node.
import { SmpSampling } from "./experiments/sampling/element.tsx";
import { SmpStopping } from "./experiments/stopping/element.tsx";

export { chain, type ChainOptions, type ChainResult, type Step, type StepInfo, type StepOptions, type StepValue } from "./core/chain.ts";
export { gap, probabilities, type Distribution, type Gap } from "./core/compare.ts";
export { draw, drawFrom, engine, penalised, seeded, type Drawn, type EngineOptions, type EngineResult, type LlamaArray, type Rng, type Sampler, type Settings } from "./core/engine.ts";
export { SmpError } from "./core/error.ts";
export { evaluateLine, type ReadLogits } from "./core/evaluate.ts";
export { axisPlace, axisValue, keep, lab, map, round, type Dtype, type Greedy, type LabOptions, type LabResult, type Sampled, type Share, type Tie } from "./core/lab.ts";
export { load } from "./core/load.ts";
export { instantiate, type Abi, type Core } from "./core/module.ts";
export { softmax, type RowResult } from "./core/row.ts";
export { stop, stopOne, type Cell, type Finish, type Role, type RowEnd, type Rule, type StopOneOptions, type StopOptions, type StopResult } from "./core/stop.ts";
export { SmpSampling, type SamplingDetail } from "./experiments/sampling/element.tsx";
export { SmpStopping, type StoppingDetail } from "./experiments/stopping/element.tsx";

/** Every element by its name without the prefix. */
export const elements = { sampling: SmpSampling, stopping: SmpStopping } as const;

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
