// The core without elements: typed calls of the module. Touches no DOM.
export {
  chain,
  chainRows,
  type ChainOptions,
  type ChainResult,
  type RowOutcome,
  type Step,
  type StepInfo,
  type StepOptions,
  type StepValue,
} from "../core/chain.ts";
export { gap, probabilities, type Distribution, type Gap } from "../core/compare.ts";
export {
  draw,
  drawFrom,
  engine,
  penalised,
  seeded,
  seedOf,
  settingsInForce,
  uniform,
  type Drawn,
  type EngineOptions,
  type EngineResult,
  type LlamaArray,
  type Rng,
  type Sampler,
  type SettingState,
  type Settings,
} from "../core/engine.ts";
export { SmpError } from "../core/error.ts";
export {
  bands,
  bincount,
  candidates,
  counting,
  curve,
  edgesOf,
  fit,
  isRace,
  nextCounts,
  nextIds,
  nextRace,
  SOURCES,
  streamOf,
  type Band,
  type CandidateOptions,
  type Candidates,
  type Counted,
  type Curve,
  type Fit,
  type Source,
  type Stream,
} from "../core/frequency.ts";
export { generate, type GenerateOptions, type Token } from "../core/generate.ts";
export {
  bytesOf,
  closeModel,
  copy,
  cut,
  decode,
  encode,
  feed,
  logitsAfter,
  newCache,
  NO_HALF,
  openModel,
  release,
  textOf,
  type Cache,
  type Half,
  type Model,
} from "../core/model.ts";
export {
  MODEL_ARRIVED,
  modelNamed,
  publishedModels,
  publishModel,
  type Published,
} from "../core/published.ts";
export { comparedLine, type Comparison } from "../eval/compared.ts";
export { compareLine } from "../eval/evaluate-engine.ts";
export { evaluateLine, type ReadLogits } from "../eval/evaluate.ts";
export {
  axisPlace,
  axisValue,
  keep,
  lab,
  map,
  round,
  type Dtype,
  type FilteredOptions,
  type Greedy,
  type LabFilter,
  type LabOptions,
  type LabResult,
  type LabStep,
  type Sampled,
  type Share,
  type Tie,
} from "../core/lab.ts";
export { load, loadNow, whyNot } from "../core/load.ts";
export { instantiate, type Abi, type Core, type Profile } from "../core/module.ts";
export { distance, logSoftmax, softmax, topLogP, type Distance, type RowResult } from "../core/row.ts";
export type { Trace, TraceRow } from "../core/trace.ts";
export {
  stop,
  stopOne,
  type Cell,
  type Finish,
  type Role,
  type RowEnd,
  type Rule,
  type StopOneOptions,
  type StopOptions,
  type StopResult,
} from "../core/stop.ts";
