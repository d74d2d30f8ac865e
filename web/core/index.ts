// The core without elements: typed calls of the module. Touches no DOM.
export { chain, chainRows, type ChainOptions, type ChainResult, type RowOutcome, type Step, type StepInfo, type StepOptions, type StepValue } from "./chain.ts";
export { gap, probabilities, type Distribution, type Gap } from "./compare.ts";
export { draw, drawFrom, engine, penalised, seeded, settingsInForce, type Drawn, type EngineOptions, type EngineResult, type LlamaArray, type Rng, type Sampler, type SettingState, type Settings } from "./engine.ts";
export { SmpError } from "./error.ts";
export { compareLine } from "./evaluate-engine.ts";
export { evaluateLine, type ReadLogits } from "./evaluate.ts";
export { axisPlace, axisValue, keep, lab, map, round, type Dtype, type Greedy, type LabOptions, type LabResult, type Sampled, type Share, type Tie } from "./lab.ts";
export { load, loadNow, whyNot } from "./load.ts";
export { instantiate, type Abi, type Core, type Profile } from "./module.ts";
export { distance, logSoftmax, softmax, topLogP, type Distance, type RowResult } from "./row.ts";
export { type Trace, type TraceRow } from "./trace.ts";
export { stop, stopOne, type Cell, type Finish, type Role, type RowEnd, type Rule, type StopOneOptions, type StopOptions, type StopResult } from "./stop.ts";
