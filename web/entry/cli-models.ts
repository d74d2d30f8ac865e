// The models that lie beside the command line: scripts for pages, which leave them where they always do.
import { publishedModels } from "../core/published.ts";

const SCRIPTS = ["./sampling-lab-model-zh.js"];

let loaded: ReadonlyMap<string, Uint8Array> | undefined;

/** By their names; nothing before they are loaded. */
export const models = (): ReadonlyMap<string, Uint8Array> | undefined => loaded;

/** Only a command that wants one does: it takes a while. */
export async function loadModels(): Promise<void> {
  if (loaded) return;
  for (const script of SCRIPTS) await import(new URL(script, import.meta.url).href);
  loaded = new Map(publishedModels().map(({ name, bytes }) => [name, bytes]));
}
