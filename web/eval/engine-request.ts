// What a line says to an engine: its options and its seed.
import { isPlain } from "../core/checks.ts";
import type { EngineOptions, Sampler, Settings } from "../core/engine.ts";
import type { Place } from "../core/error.ts";
import { finding, stepPlace } from "../core/place.ts";
import { at, bad, list, number, numbers, type Json, type Request } from "./request.ts";

/** What `engine` and `compare` both take. */
export const ENGINE_FIELDS = {
  logits: "optional",
  logits_file: "optional",
  settings: "optional",
  context: "optional",
  seed: "optional",
  draws: "optional",
  settings_only: "optional",
  greedy: "optional",
  constructor: "optional",
  generator: "optional",
  replacement: "optional",
  spec: "optional",
  trace: "optional",
} as const;

/** Other ways of an engine, and which of the core's variants they are. */
const VARIANTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  constructor: { new: ["new"], from_sampling: [] },
  generator: { torch: [], "torch-mkl": ["torch-mkl"] },
};

export function optionsOf(request: Request): EngineOptions {
  const variants = Object.entries(VARIANTS).flatMap(([key, choices]) => {
    const found = Object.hasOwn(request, key) ? request[key] : undefined;
    if (found === undefined) return [];
    const chosen = typeof found === "string" && Object.hasOwn(choices, found) ? choices[found] : undefined;
    if (!chosen) throw bad({ ...at(key), ...finding(found), allowed: Object.keys(choices).join(", ") });
    return chosen;
  });
  return {
    settings: settingsOf(request),
    context: request.context === undefined ? [] : numbers(request.context, at("context")),
    settingsOnly: settingsOnlyOf(request),
    ...(request.spec === undefined
      ? {}
      : // the call looks at each
        { samplers: list(request.spec, at("spec")) as readonly unknown[] as readonly Sampler[] }),
    ...(request.trace === undefined ? {} : { trace: traceOf(request) }),
    variants: request.replacement === true ? [...variants, "replacement"] : variants,
  };
}

function settingsOnlyOf({ settings_only: only = false, spec }: Request): boolean {
  if (only && spec !== undefined)
    throw bad({
      ...at("settings_only"),
      wrong: "does nothing beside spec, which takes no defaults",
      allowed: "one of the two",
    });
  return only === true;
}

function traceOf({ trace }: Request): NonNullable<EngineOptions["trace"]> {
  if (!isPlain(trace) || typeof trace.setting !== "string")
    throw bad({ ...at("trace"), ...finding(trace), allowed: 'an object such as {"setting":"top_p","ids":[0,1]}' });
  const { setting, ids, ...more } = trace,
    [unknown] = Object.keys(more);
  if (unknown !== undefined) throw bad({ ...at("trace", unknown), wrong: "no such field", allowed: "setting, ids" });
  return { setting, ids: numbers(ids, at("trace", "ids")) };
}

function settingsOf(request: Request): Settings {
  const { settings = {} } = request;
  if (!isPlain(settings))
    throw bad({ ...at("settings"), ...finding(settings), allowed: 'an object such as {"temperature":0.7,"top_k":40}' });
  const { greedy = request.greedy ?? false, ...rest } = settings;
  if (settings.greedy !== undefined && request.greedy !== undefined)
    throw bad({ ...at("greedy"), wrong: "given twice, beside the settings and among them", allowed: "once" });
  if (typeof greedy !== "boolean")
    throw bad({ ...at("settings", "greedy"), ...finding(greedy), allowed: "true or false" });
  const numeric = Object.entries(rest).map(([key, value]) => [key, number(value, at("settings", key))]);
  return { ...(Object.fromEntries(numeric) as Settings), greedy };
}

/** A seed and where the line has it. */
export type Seed = { readonly text: string; readonly place: Place };

/** That of the request, or of llama.cpp's `dist`; not two. */
export function seedIn({ seed }: Request, { samplers = [] }: EngineOptions): Seed | undefined {
  const index = samplers.findIndex(([name]) => name === "dist"),
    own = index < 0 ? undefined : (samplers[index]![1] as Json);
  if (seed !== undefined && own !== undefined && String(seed) !== String(own))
    throw bad({ ...at("seed"), ...finding(seed, `, and ${String(own)} in dist`), allowed: "one seed" });
  if (seed === undefined)
    return own === undefined
      ? undefined
      : {
          text: String(own),
          place: stepPlace(["spec", index, 1], { name: "dist", depth: 2, part: "seed" }),
        };
  if (typeof seed !== "string" && !Number.isSafeInteger(seed))
    throw bad({ ...at("seed"), ...finding(seed), allowed: "a decimal string, because no number holds 2^64 - 1" });
  return { text: String(seed), place: at("seed") };
}
