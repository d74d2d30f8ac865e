// The elements that need no engines: what the small script and notebooks define.
import { define } from "./define.ts";
import { SmpSampling } from "../elements/sampling/element.tsx";
import { SmpStopping } from "../elements/stopping/element.tsx";
import type { Name } from "./names.ts";

export const elements = { sampling: SmpSampling, stopping: SmpStopping } as const satisfies Record<Name, CustomElementConstructor>;

export const register = (): void => define(elements, "smp");
