// The eval operation of the model: a text that it writes, token by token.
import type { EngineOptions } from "../core/engine.ts";
import { generate, type Token } from "../core/generate.ts";
import { decode, encode, type Model } from "../core/model.ts";
import type { Core } from "../core/module.ts";
import { finding } from "../core/place.ts";
import { modelNamed, publishedModels } from "../core/published.ts";
import { ENGINE_FIELDS, optionsOf, seedIn } from "./engine-request.ts";
import { stepsOf } from "./evaluate-chain.ts";
import { at, bad, number, word, type Json, type Request } from "./request.ts";

const { settings, settings_only, greedy, constructor, generator, replacement, spec, seed } = ENGINE_FIELDS;

export const GENERATE_FIELDS = {
  model: "required",
  prompt: "optional",
  chain: "optional",
  engine: "optional",
  ...{ settings, settings_only, constructor, generator, replacement, spec },
  greedy,
  seed,
  max_new_tokens: "required",
  stop: "optional",
  hex: "optional",
} as const;

/** What an engine alone takes. */
const OF_ENGINE = ["settings", "settings_only", "constructor", "generator", "replacement", "spec"];

/** New tokens, and the text with the prompt; `by_id` of a chain is u, of an engine null. */
export function evaluateGenerate(core: Core, request: Request): Json {
  const model = modelOf(core, request),
    prompt = word(request, "prompt", "");
  const tokens = Array.from(
    generate(core, model, {
      prompt,
      ...chosenBy(request),
      maxNewTokens: number(request.max_new_tokens, at("max_new_tokens")),
      eos: request.stop !== false,
    }),
  );
  const ids = tokens.map(({ id }) => id),
    prompt_ids = [...encode(core, model, prompt)],
    ended = request.stop !== false && ids.at(-1) === core.abi.limits.tokenEnd;
  const column = (key: keyof Token): Json[] => tokens.map(token => token[key]);
  return {
    text: decode(core, model, [...prompt_ids, ...ids]),
    prompt_ids,
    ids,
    finish: ended ? "eos" : "length",
    u: column("u"),
    n_kept: column("n_kept"),
    log_p: column("log_p"),
    final_log_p: column("final_log_p"),
  };
}

function modelOf(core: Core, request: Request): Model {
  const { model: name } = request,
    model = typeof name === "string" ? modelNamed(core, name) : undefined,
    known = publishedModels().map(each => each.name);
  if (model) return model;
  const allowed = known.length ? known.join(", ") : "one whose script is loaded: zh with sampling-lab-model-zh.js";
  throw bad({ ...at("model"), ...finding(name), allowed });
}

type Chooser =
  | { readonly engine: string; readonly options: EngineOptions }
  | { readonly steps: ReturnType<typeof stepsOf> };

function chosenBy(request: Request): Chooser & { greedy?: boolean; seed?: string } {
  const { engine, chain } = request;
  if (engine !== undefined) {
    if (chain !== undefined)
      throw bad({ ...at("chain"), wrong: "found engine too", allowed: "one of chain and engine" });
    const { context, ...options } = optionsOf(request),
      given = seedIn(request, options);
    return { engine: word(request, "engine", ""), options, ...(given ? { seed: given.text } : {}) };
  }
  for (const key of OF_ENGINE)
    if (Object.hasOwn(request, key))
      throw bad({ ...at(key), wrong: "does nothing here", allowed: `${key} with engine` });
  const given = seedIn(request, {}),
    greedy = request.greedy === true;
  if (greedy && given) throw bad({ ...at("seed"), wrong: "does nothing here", allowed: "none with greedy" });
  return { steps: stepsOf(chain ?? []), greedy, ...(given ? { seed: given.text } : {}) };
}
