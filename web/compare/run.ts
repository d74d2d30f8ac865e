// One engine on the row: what it keeps and with which probabilities, and how far two of them are apart.
import { gap, probabilities, type Distribution, type Gap } from "../core/compare.ts";
import { engine, type EngineResult, type Settings } from "../core/engine.ts";
import { SmpError } from "../core/error.ts";
import type { Core, Profile } from "../core/module.ts";
import type { Config } from "./config.ts";

export type { Profile };

/** An engine on the row: a distribution, or its own refusal, or the parameter that the core does not
    follow; or its turn is still to come. */
export type Run = { readonly waiting?: true } & (
  | {
      readonly name: string;
      readonly result: EngineResult;
      readonly distribution: Distribution;
      readonly refusal?: undefined;
      readonly closed?: undefined;
    }
  | {
      readonly name: string;
      readonly refusal: string;
      readonly ignored: readonly string[];
      readonly distribution?: undefined;
      readonly closed?: undefined;
    }
  | { readonly name: string; readonly closed?: string; readonly distribution?: undefined; readonly refusal?: undefined }
);

export function runOf(
  core: Core,
  name: string,
  logits: Float32Array,
  settings: Settings,
  context: readonly number[],
  settingsOnly = false,
): Run {
  try {
    const result = engine(core, name, logits, { settings, context, settingsOnly });
    return result.refusal
      ? { name, refusal: result.refusal, ignored: result.ignored }
      : { name, result, distribution: probabilities(core, result) };
  } catch (error) {
    if (error instanceof SmpError) return { name, closed: error.where.param };
    throw error;
  }
}

export const gapOf = (core: Core, first: Run, second: Run): Gap | null =>
  first.distribution && second.distribution ? gap(core, first.distribution, second.distribution) : null;

export const floatsOf = (logits: Config["logits"]): Float32Array =>
  logits instanceof Float32Array ? logits : Float32Array.from(logits);

const places = new WeakMap<Distribution, Int32Array>();

/** By id: 1 + its place among the candidates, or 0. */
function placesOf(distribution: Distribution): Int32Array {
  const known = places.get(distribution);
  if (known) return known;
  const { ids } = distribution,
    made = new Int32Array(1 + (ids.at(-1) ?? 0));
  for (let place = 0; place < ids.length; place++) made[ids[place]!] = place + 1;
  places.set(distribution, made);
  return made;
}

/** The probability of an id, 0 where the engine has removed it. */
export function probabilityOf({ distribution }: Run, id: number): number {
  const place = distribution ? (placesOf(distribution)[id] ?? 0) : 0;
  return place ? distribution!.p[place - 1]! : 0;
}

/** Whether a run keeps an id, for many ids. */
export function keptBy({ distribution }: Run): (id: number) => boolean {
  const made = distribution ? placesOf(distribution) : new Int32Array(0);
  return id => (made[id] ?? 0) > 0;
}

export const keeps = ({ distribution }: Run, id: number): boolean =>
  distribution !== undefined && (placesOf(distribution)[id] ?? 0) > 0;

/** Ids that the first keeps and the second does not. */
export function onlyIn(first: Run, second: Run): number[] {
  const ids = first.distribution?.ids ?? [],
    others = second.distribution?.ids ?? [],
    only: number[] = [];
  for (let i = 0, j = 0; i < ids.length; i++) {
    while (others[j]! < ids[i]!) j++; // both rise
    if (others[j] !== ids[i]) only.push(ids[i]!);
  }
  return only;
}
