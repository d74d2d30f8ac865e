// Models that scripts of their own have left on the page, or beside the command line: nothing loads by itself.
import type { Core } from "./module.ts";
import { openModel, type Model } from "./model.ts";

export type Published = { readonly name: string; readonly bytes: Uint8Array };

/** The place that all copies of the scripts share, and the event that says that something has arrived there. */
const SHARED = Symbol.for("sampling-lab.models");
export const MODEL_ARRIVED = "sampling-lab-model";

type Place = { [SHARED]?: readonly Published[] };

export const publishedModels = (): readonly Published[] => (globalThis as Place)[SHARED] ?? [];

export function publishModel(model: Published): void {
  (globalThis as Place)[SHARED] = [...publishedModels().filter(({ name }) => name !== model.name), model];
  globalThis.dispatchEvent?.(new Event(MODEL_ARRIVED));
}

const opened = new WeakMap<Core, Map<string, Model>>();

/** A published model, opened once for each core; nothing if its script is not there. */
export function modelNamed(core: Core, name: string): Model | undefined {
  const models = opened.get(core) ?? new Map<string, Model>(),
    found = publishedModels().find(each => each.name === name);
  opened.set(core, models);
  if (found && !models.has(name)) models.set(name, openModel(core, name, found.bytes));
  return models.get(name);
}
