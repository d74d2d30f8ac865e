// The loop: a text goes through the model, its last row through a chain or an engine, and the chosen token is appended.
import { chain, type Step } from "./chain.ts";
import { isWhole, refusal } from "./checks.ts";
import { draw, engine, seeded, uniform, type EngineOptions, type Rng } from "./engine.ts";
import { SmpError } from "./error.ts";
import type { Core } from "./module.ts";
import { encode, logitsAfter, newCache, release, type Model } from "./model.ts";
import { finding } from "./place.ts";
import { logSoftmax } from "./row.ts";

export type GenerateOptions = {
  /** Default empty: the model begins. */
  readonly prompt?: string;
  /** How a token is chosen: steps in order, then u laid over what is left by descending probability. Default none. */
  readonly steps?: readonly Step[];
  /** Or by an engine, with what it takes; its context is the text so far. */
  readonly engine?: string;
  readonly options?: Omit<EngineOptions, "context" | "array" | "trace" | "xtc">;
  /** The most probable token, and no draw. */
  readonly greedy?: boolean;
  /** A decimal string; needed where tokens are drawn. */
  readonly seed?: string;
  /** New tokens at most, 1 to 1024. */
  readonly maxNewTokens: number;
  /** END ends the text. Default true. */
  readonly eos?: boolean;
};

export type Token = {
  readonly id: number;
  /** What chose it among `n_kept` candidates; null where an engine drew, or nothing was drawn. */
  readonly u: number | null;
  readonly n_kept: number;
  /** ln of its probability in the model's own row, and in the distribution it was drawn from; of an engine null. */
  readonly log_p: number;
  readonly final_log_p: number | null;
};

const MOST_NEW = 1024;

/** New tokens, one after the other. Throws SmpError. */
export function* generate(core: Core, model: Model, asked: GenerateOptions): Generator<Token, void> {
  const { prompt = "", maxNewTokens, eos = true } = asked,
    { tokenEnd } = core.abi.limits;
  if (!isWhole(maxNewTokens, MOST_NEW + 1) || maxNewTokens < 1)
    throw refusal(core, "max_new_tokens", { path: ["maxNewTokens"], ...finding(maxNewTokens) });
  const ids = [tokenEnd, ...encode(core, model, prompt)],
    choose = chooser(core, asked),
    cache = newCache(model);
  try {
    for (let count = 0; count < maxNewTokens; count++) {
      const row = logitsAfter(core, cache, ids),
        token = choose(row, ids);
      ids.push(token.id);
      yield token;
      if (eos && token.id === tokenEnd) return;
    }
  } finally {
    release(core, cache);
  }
}

type Choose = (row: Float32Array, ids: readonly number[]) => Token;

function chooser(core: Core, asked: GenerateOptions): Choose {
  const { steps = [], greedy = false, seed } = asked;
  if (asked.engine !== undefined) return byEngine(core, asked.engine, asked);
  if (greedy) return (row, ids) => ({ ...byChain(core, row, ids, steps, 0), u: null });
  let rng = seeded(core, "chacha12", needed(core, seed));
  return (row, ids) => {
    const drawn = uniform(core, rng);
    rng = drawn.rng;
    return byChain(core, row, ids, steps, drawn.u);
  };
}

function needed(core: Core, seed: string | undefined): string {
  if (seed === undefined) throw refusal(core, "seed", { path: ["seed"], ...finding(seed) });
  return seed;
}

function byChain(core: Core, row: Float32Array, context: readonly number[], steps: readonly Step[], u: number): Token {
  const { id, n_kept, kept, values } = chain(core, row, { steps, context, u, order: "descending", out: "log_p" });
  return { id, u, n_kept, log_p: logSoftmax(core, row)[id]!, final_log_p: values[kept.indexOf(id)]! };
}

function byEngine(core: Core, name: string, { options = {}, seed }: GenerateOptions): Choose {
  let rng: Rng | undefined,
    xtc: readonly Rng[] = [];
  return (row, context) => {
    const result = engine(core, name, row, { ...options, context, xtc });
    if (result.refusal)
      throw new SmpError({
        path: ["engine"],
        wrong: `${name}: ${result.refusal}`,
        allowed: "settings with which it draws",
      });
    xtc = result.xtc;
    const [first] = result.kept,
      token = (id: number): Token => ({
        id,
        u: null,
        n_kept: result.kept.length,
        log_p: logSoftmax(core, row)[id]!,
        final_log_p: null,
      });
    if (result.drawing === "greedy") return token(first!);
    if (!result.generator)
      throw refusal(core, "seed", { path: ["engine"], ...finding(name), allowed: "one whose draws are replayed" });
    const drawn = draw(core, result, row.length, (rng ??= seeded(core, result.generator, needed(core, seed))), 1);
    rng = drawn.rng;
    return token(drawn.ids[0]!);
  };
}
