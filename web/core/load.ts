// The module that travels inside the script, started once for the whole page.
import bytes from "../../build/wasm/smp.wasm";
import { instantiate, start, type Core } from "./module.ts";

let shared: Core | Promise<Core> | undefined;

/** The shared core: the first call starts it, later ones return the same. */
export async function load(): Promise<Core> {
  return (shared ??= instantiate(bytes));
}

/** The shared core at once, so that an element is complete in its first frame. Throws where `whyNot` says why, and a
    RangeError in older Chromium, which compiles modules of this size only asynchronously. */
export function loadNow(): Core {
  if (!shared || shared instanceof Promise) shared = start(new WebAssembly.Module(bytes));
  return shared;
}

/** Why the module does not start: the browser does not know its instructions, or a policy forbids to compile them. To
    validate needs no permission. */
export function whyNot(): "browser" | "policy" {
  return globalThis.WebAssembly?.validate(bytes) ? "policy" : "browser";
}
