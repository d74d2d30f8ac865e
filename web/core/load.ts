// The module that travels inside the script, started once for the whole page.
import bytes from "../../build/wasm/smp.wasm";
import { instantiate, start, type Core } from "./module.ts";

let shared: Core | Promise<Core> | undefined;

/** The shared core: the first call starts it, later ones return the same. */
export async function load(): Promise<Core> {
  return (shared ??= instantiate(bytes));
}

/** The shared core at once, so that an element is complete in its first frame. Throws a CompileError where a policy
    forbids wasm, and a RangeError in older Chromium, which compiles modules of this size only asynchronously. */
export function loadNow(): Core {
  if (!shared || shared instanceof Promise) shared = start(new WebAssembly.Instance(new WebAssembly.Module(bytes), {}));
  return shared;
}
