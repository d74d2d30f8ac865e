// Options of the command line.
import { parseArgs } from "node:util";

/** A call that was not understood: exit code 2. */
export class UsageError extends Error {}
/** A value or a file that was refused: exit code 1. */
export class Refused extends Error {}

/** One of the allowed words; the first where none is given. */
export function choice<T extends string>(name: string, allowed: readonly T[], found: string | undefined): T {
  const word = found === undefined ? allowed[0] : allowed.find(each => each === found);
  if (word === undefined) throw new UsageError(`${name}: found ${found}; allowed: ${allowed.join(", ")}`);
  return word;
}

/** The values of options, and "true" for those that take none. */
export function parse<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
  flags: readonly Name[] = [],
): Partial<Record<Name, string>> {
  const flag = (arg: string) => flags.some(name => arg === `--${name}`),
    seen = new Set<string>();
  try {
    const options = Object.fromEntries(names.map(name => [name, { type: "string" } as const]));
    const { values, tokens } = parseArgs({ args: joined(args.filter(arg => !flag(arg))), options, tokens: true });
    for (const name of [
      ...tokens.flatMap(token => (token.kind === "option" ? [token.rawName] : [])),
      ...args.filter(flag),
    ]) {
      if (seen.has(name)) throw new UsageError(`${name}: given twice`);
      seen.add(name);
    }
    return Object.assign(values, Object.fromEntries(args.filter(flag).map(arg => [arg.slice(2), "true"]))) as Partial<
      Record<Name, string>
    >;
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
