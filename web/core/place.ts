// How what a caller gave is named and shown: steps and samplers of a list, and values.
import { pathText, type Fault, type Path, type Place } from "./error.ts";

/** A place in a step or sampler, which is named: `chain[2] logit_bias[1]`, `spec[0] xtc seed`. The path leads through
    the list it stands in; its part at `depth` is the value, the options or a number of the step, and goes without
    saying. */
export function stepPlace(path: Path, step: NonNullable<Place["step"]>): Place {
  const { name, depth, part } = step,
    inner = path.slice(depth + 1),
    rest = inner.length ? pathText(["", ...inner]) : "",
    option = inner.find(each => typeof each === "string");
  return {
    path,
    step,
    text: `${pathText(path.slice(0, depth))} ${name}${part ? ` ${part}` : rest}`,
    param: part ?? option ?? name,
    index: path[depth - 1] as number,
  };
}

/** What was found, as data and short enough for a sentence; nothing: something is missing. `more`: what
    else is wrong. */
export function finding(value: unknown, more = ""): Pick<Fault, "found" | "wrong"> {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : JSON.stringify(value);
  const wrong = value === undefined ? "missing" : `found ${short(text ?? typeof value)}`;
  return { found: value, wrong: wrong + more };
}

/** The first characters of someone's text. */
export const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
