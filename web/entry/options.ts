// Options of the command line.

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

/** The values of options, which may be written with _ for -. Throws UsageError. */
export function parse<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {};
  for (let at = 0; at < args.length; at++) {
    const [, text, given] = /^--([a-z_-]+)(?:=([^]*))?$/.exec(args[at]!) ?? [],
      name = names.find(each => each === text?.replaceAll("_", "-"));
    if (name === undefined)
      throw new UsageError(
        `${args[at]!}: not known${names.length ? `; allowed: ${names.map(each => `--${each}`).join(", ")}` : ""}`,
      );
    if (values[name] !== undefined) throw new UsageError(`--${name}: given twice`);
    const value = given ?? args[++at]; // also one that starts with a minus
    if (value === undefined) throw new UsageError(`--${name}: a value is missing`);
    values[name] = value;
  }
  return values;
}
