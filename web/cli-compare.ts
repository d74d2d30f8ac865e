// `sampling-lab compare`: a row of a file through engines. The figures are those of `eval`; the lines are those of the native
// command line.
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { evaluateLine } from "./core/evaluate.ts";
import type { Core } from "./core/module.ts";
import { openFile, rowOf, tensorOf } from "./experiments/compare/files/open.ts";
import { FileError } from "./experiments/compare/files/problem.ts";
import { fileProblem } from "./i18n/files.en.ts";
import { parse, UsageError } from "./options.ts";

const SETTINGS = ["temperature", "top-k", "top-p", "min-p", "typical-p", "repetition-penalty"] as const;
const OTHERS = ["logits", "tensor", "row", "engines", "context", "seed", "draws"] as const;
const FLAGS = ["settings-only", "json"] as const;

type Options = Partial<Record<(typeof SETTINGS)[number] | (typeof OTHERS)[number] | (typeof FLAGS)[number], string>>;
type Only = { readonly n: number; readonly mass: number };
type Answer = {
  readonly error?: { readonly message: string };
  readonly engines: readonly { readonly engine: string; readonly n_kept: number; readonly by_rounding: boolean; readonly ignored: readonly string[]; readonly error: string | null; readonly ids?: readonly number[] | null; readonly words?: number }[];
  readonly pairs: readonly { readonly engines: readonly [string, string]; readonly error?: string; readonly tv: number; readonly max_diff: number; readonly max_id: number; readonly only: readonly [Only, Only] }[];
};

/** What is printed. Throws UsageError. */
export async function compare(core: Core, args: readonly string[]): Promise<string> {
  const options: Options = parse(args, [...SETTINGS, ...OTHERS, ...FLAGS], FLAGS), request = JSON.stringify(requestOf(options));
  const row = await rowIn(options), text = evaluateLine(core, request, () => row), answer = JSON.parse(text) as Answer;
  if (answer.error) throw new UsageError(answer.error.message);
  return options.json ? `${text}\n` : [...answer.engines.map(engineLines), ...(answer.pairs.length ? [""] : []), ...answer.pairs.map(pairLines), ""].join("\n");
}

function requestOf(options: Options) {
  const { logits, engines, seed, draws, context } = options;
  for (const [name, value] of Object.entries({ logits, engines })) if (!value) throw new UsageError(`compare needs --${name}`);
  if (draws !== undefined && seed === undefined) throw new UsageError("--draws needs --seed");
  return {
    op: "compare",
    engines: engines!.split(","),
    logits_file: logits,
    settings: Object.fromEntries(SETTINGS.flatMap(name => (options[name] === undefined ? [] : [[name.replaceAll("-", "_"), number(name, options[name])]]))),
    context: (context ?? "").split(/[\s,]+/).filter(Boolean).map(id => number("context", id)),
    ...(options["settings-only"] ? { settings_only: true } : {}),
    ...(seed === undefined ? {} : { seed, draws: number("draws", draws ?? "1") }),
  };
}

function number(name: string, text: string): number {
  if (text.trim() && Number.isFinite(Number(text))) return Number(text);
  throw new UsageError(`--${name}: found "${text.slice(0, 40)}"; allowed: a number`);
}

/** The row of a file, read where it lies. */
async function rowIn({ logits: path = "", tensor, row = "0" }: Options): Promise<Float32Array> {
  let file: FileHandle | undefined;
  try {
    const handle = (file = await open(path)), { size } = await file.stat();
    const read = async (from: number, to: number) => {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(to - from), 0, to - from, from);
      return buffer.subarray(0, bytesRead);
    };
    return (await rowOf(tensorOf(await openFile({ name: basename(path), size, read }), tensor), row)).row;
  } catch (error) {
    if (error instanceof FileError) throw new UsageError(`${path}: ${fileProblem(error.problem)}`);
    if (!file) throw new UsageError(`${path}: ${(error as Error).message}`);
    throw error;
  } finally {
    await file?.close();
  }
}

function engineLines({ engine, n_kept, by_rounding, ignored, error, ids, words }: Answer["engines"][number]): string {
  const kept = error === null ? ` ${String(n_kept).padStart(7)} kept${by_rounding ? ", the cut decided by rounding" : ""}` : ` refused: ${error}`;
  const lacks = ignored.length ? `; it has no ${ignored.join(", ")}` : "";
  const drawn = ids === undefined ? "" : ids ? `\n  drawn: ${ids.join(" ")} (${words} words of its generator)` : "\n  its draws are not replayed";
  return engine.padEnd(18) + kept + lacks + drawn;
}

function pairLines({ engines: [first, second], error, tv, max_diff, max_id, only }: Answer["pairs"][number]): string {
  if (error !== undefined) return `${first}, ${second}: no distance, one of them refuses`;
  const lines = [first, second].flatMap((name, side) => (only[side]!.n ? [`\n  only ${name}: ${only[side]!.n} ids with mass ${only[side]!.mass.toFixed(6)}`] : []));
  return `${first}, ${second}: total variation ${power(tv)}, greatest difference ${power(max_diff)} at id ${max_id}${lines.join("")}`;
}

/** As C prints it: two digits in the exponent. */
const power = (x: number): string => x.toExponential(3).replace(/e([+-])(\d)$/, "e$10$2");
