// Options of the command line.
import { parseArgs } from "node:util";

/** A call that was not understood: exit code 2. */
export class UsageError extends Error {}
/** A value or a file that was refused: exit code 1. */
export class Refused extends Error {}

/** Someone's text, fit for one line of a terminal. */
export const clean = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, "?");

/** One of the allowed words; the first where none is given. */
export function choice<T extends string>(name: string, allowed: readonly T[], found: string | undefined): T {
  const word = found === undefined ? allowed[0] : allowed.find(each => each === found);
  if (word === undefined) throw new UsageError(`${name}: found ${found}; allowed: ${allowed.join(", ")}`);
  return word;
}

/** The values of options. */
export function parse<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const seen = new Set<string>();
  try {
    const options = Object.fromEntries(names.map(name => [name, { type: "string" } as const]));
    const { values, tokens } = parseArgs({ args: joined(args), options, tokens: true });
    for (const token of tokens) {
      if (token.kind !== "option") continue;
      if (seen.has(token.rawName)) throw new UsageError(`${token.rawName}: given twice`);
      seen.add(token.rawName);
    }
    return values as Partial<Record<Name, string>>;
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message.split("\n")[0]);
  }
}

/** `--name value` as `--name=value`: parseArgs takes values that start with a minus only so. */
function joined(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (args[index - 1]?.match(/^--[a-z-]+$/)) return [];
    const value = args[index + 1];
    return arg.match(/^--[a-z-]+$/) && value !== undefined ? [`${arg}=${value}`] : [arg];
  });
}
