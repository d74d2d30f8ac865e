// `sampling-lab compare`: a row of a file through engines. The figures are those of `eval`; the lines are those of the native
// command line.
import { open, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { evaluateLine } from "../eval/evaluate.ts";
import { parseHexFloat } from "../eval/hexfloat.ts";
import type { Core } from "../core/module.ts";
import { openFile, rowOf, tensorOf } from "../files/open.ts";
import { FileError } from "../files/problem.ts";
import { short } from "../eval/request.ts";
import { fileProblem } from "../files/messages.en.ts";
import { parse, Refused, UsageError } from "./options.ts";
import { progress } from "./progress.ts";

const SETTINGS = ["temperature", "top-k", "top-p", "min-p", "typical-p", "repetition-penalty"] as const;
const OTHERS = ["logits", "tensor", "row", "engines", "context", "seed", "draws"] as const;
const FLAGS = ["settings-only", "json"] as const;

type Options = Partial<Record<(typeof SETTINGS)[number] | (typeof OTHERS)[number] | (typeof FLAGS)[number], string>>;
type Only = { readonly n: number; readonly mass: number };
type Answer = {
  readonly error?: { readonly message: string };
  readonly engines: readonly {
    readonly engine: string;
    readonly n_kept: number;
    readonly by_rounding: boolean;
    readonly ignored: readonly string[];
    readonly error: string | null;
    readonly ids?: readonly number[] | null;
    readonly words?: number;
    readonly draws_error?: string;
  }[];
  readonly pairs: readonly {
    readonly engines: readonly [string, string];
    readonly error?: string;
    readonly tv: number;
    readonly max_diff: number;
    readonly max_id: number;
    readonly only: readonly [Only, Only];
  }[];
};

/** What is printed. Throws UsageError and Refused. */
export async function compare(core: Core, args: readonly string[]): Promise<string> {
  const options: Options = parse(args, [...SETTINGS, ...OTHERS, ...FLAGS], FLAGS),
    request = JSON.stringify(requestOf(core, options));
  const row = await readRow(options.logits!, options).catch((error: Error) =>
    refused(`${options.logits}: ${error.message}`),
  );
  const waits = progress(),
    text = evaluateLine(
      core,
      request,
      () => row,
      (name, index, count) => waits.say(`${name}, ${index + 1} of ${count}`),
    );
  waits.end();
  const answer = JSON.parse(text) as Answer;
  if (answer.error) refused(answer.error.message);
  return options.json
    ? `${text}\n`
    : [
        ...answer.engines.map(engineLines),
        ...(answer.pairs.length ? [""] : []),
        ...answer.pairs.map(pairLines),
        "",
      ].join("\n");
}

const refused = (message: string): never => {
  throw new Refused(message);
};

function requestOf(core: Core, options: Options) {
  const { logits, engines = "", seed, draws, context } = options;
  if (!logits) throw new UsageError("compare needs --logits");
  if (options.engines === undefined) throw new UsageError("compare needs --engines");
  if (draws !== undefined && seed === undefined) throw new UsageError("--draws needs --seed");
  if (seed !== undefined && !(/^\d{1,20}$/.test(seed) && BigInt(seed) < 2n ** 64n))
    throw new UsageError(`--seed: "${short(seed)}" is not a whole number from 0 to 18446744073709551615`);
  return {
    op: "compare",
    engines: enginesOf(core, engines),
    logits_file: logits,
    settings: Object.fromEntries(
      SETTINGS.flatMap(name =>
        options[name] === undefined ? [] : [[name.replaceAll("-", "_"), settingOf(name, options[name])]],
      ),
    ),
    context: (context ?? "")
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(id => (/^\d{1,9}$/.test(id) ? Number(id) : misread("context", id, "a list of ids"))),
    ...(options["settings-only"] ? { settings_only: true } : {}),
    ...(seed === undefined
      ? {}
      : {
          seed,
          draws:
            draws === undefined
              ? 1
              : /^\d{1,9}$/.test(draws)
                ? Number(draws)
                : misread("draws", draws, "a whole number from 0 to 999999999"),
        }),
  };
}

function enginesOf(core: Core, text: string): string[] {
  const known = core.abi.engine.map(([, , name]) => name),
    names = text.split(",");
  names.forEach((name, index) => {
    if (!known.includes(name))
      throw new UsageError(`--engines: "${short(name)}" is no engine; there are ${known.join(" ")}`);
    if (names.indexOf(name) < index) throw new UsageError(`--engines: "${name}" is given twice`);
  });
  return names;
}

function settingOf(name: string, text: string): number | string {
  const value = number(name, text);
  if (name !== "top-k")
    return Number.isFinite(value) ? value : Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
    ? value
    : misread(name, text, "a whole number");
}

/** A number as C writes it, also hexadecimal, nan and inf: which of them is taken is for the core to say. */
function number(name: string, text: string): number {
  const [, sign = "", word = ""] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  if (word) return /^n/i.test(word) ? NaN : sign === "-" ? -Infinity : Infinity;
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)
    ? Number(text)
    : (parseHexFloat(text) ?? misread(name, text, "a number"));
}

const misread = (name: string, text: string, kind: string): never => {
  throw new UsageError(`--${name}: "${short(text)}" is not ${kind}`);
};

/** A row of a file, read where it lies. Throws an Error that says what is wrong. */
export async function readRow(
  path: string,
  { tensor, row = "0" }: Pick<Options, "tensor" | "row"> = {},
): Promise<Float32Array> {
  if (!(await stat(path).catch(unsaid(path))).isFile())
    throw new Error("this is no file of logits, but a folder or a device");
  const handle: FileHandle = await open(path).catch(unsaid(path));
  try {
    const read = async (from: number, to: number) => {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(to - from), 0, to - from, from);
      return buffer.subarray(0, bytesRead);
    };
    return (
      await rowOf(
        tensorOf(await openFile({ name: basename(path), size: (await handle.stat()).size, read }), tensor),
        row,
      )
    ).row;
  } catch (error) {
    throw error instanceof FileError ? new Error(fileProblem(error.problem)) : error;
  } finally {
    await handle.close();
  }
}

/** What the system says, without the path that the caller names anyway. */
const unsaid =
  (path: string) =>
  (error: Error): never => {
    throw new Error(error.message.replace(` '${path}'`, "").replace(/, (stat|open)$/, ""));
  };

function engineLines({
  engine,
  n_kept,
  by_rounding,
  ignored,
  error,
  ids,
  words,
  draws_error,
}: Answer["engines"][number]): string {
  const kept =
    error === null
      ? ` ${String(n_kept).padStart(7)} kept${by_rounding ? ", the cut decided by rounding" : ""}`
      : ` refused: ${error}`;
  const lacks = ignored.length ? `; it has no ${ignored.join(", ")}` : "";
  const drawn =
    ids === undefined
      ? ""
      : ids
        ? `\n  drawn: ${ids.join(" ")} (${words} words of its generator)`
        : draws_error === undefined
          ? "\n  its draws are not replayed"
          : `\n  it draws nothing: ${draws_error}`;
  return engine.padEnd(18) + kept + lacks + drawn;
}

function pairLines({ engines: [first, second], error, tv, max_diff, max_id, only }: Answer["pairs"][number]): string {
  if (error !== undefined) return `${first}, ${second}: no distance, one of them refuses`;
  const lines = [first, second].flatMap((name, side) =>
    only[side]!.n ? [`\n  only ${name}: ${only[side]!.n} ids with mass ${only[side]!.mass.toFixed(6)}`] : [],
  );
  return `${first}, ${second}: total variation ${power(tv)}, largest difference ${power(max_diff)} at id ${max_id}${lines.join("")}`;
}

/** As C prints it: two digits in the exponent. */
const power = (x: number): string => x.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2");
