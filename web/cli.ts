// The command line in Node: `eval` answers JSON lines with the wasm core, `snippet` prints what an author pastes.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { evaluateLine } from "./core/evaluate.ts";
import { load } from "./core/load.ts";
import { snippetOf } from "./experiments/sampling/snippet.ts";
import { initialDraft, switches } from "./experiments/sampling/state.ts";
import { en } from "./i18n/en.ts";
import { zh } from "./i18n/zh.ts";

const USAGE = `usage: sampling-lab eval                      read JSON lines, write one answer line each
         {"op":"lab","logits":[0,1,2,3],"tau":0.8,"k":2,"tie":"strict","u":0.5}
         {"op":"chain","logits":[0,1,2,3],"chain":[["temperature",0.7],["top_k",2]],"context":[3,1]}
       sampling-lab snippet smp-sampling [--logits "0 1 2 3"] [--tau 0.8] [--top-k 2] [--u 0.5]
                    [--tie strict|threshold] [--lang zh|en]     print HTML to paste into a page
`;

/** A call that cannot be carried out; exit code 2 where the call itself is wrong, else 1. */
class UsageError extends Error {}

async function evaluate(): Promise<void> {
  const core = await load();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity }))
    if (line.trim()) process.stdout.write(`${evaluateLine(core, line, readLogits)}\n`);
}

function readLogits(path: string): Float32Array | null {
  try {
    const bytes = readFileSync(path), view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (bytes.length % 4) return null;
    return Float32Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
  } catch {
    return null;
  }
}

async function snippet(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  const [tag = "none", ...rest] = positionals;
  if (tag !== "smp-sampling" || rest.length) throw new UsageError(`snippet: found ${[tag, ...rest].join(" ")}; allowed: smp-sampling`);
  const { lang = "zh", tie = "strict", "top-k": k = initialDraft.k, logits = initialDraft.logits, tau = initialDraft.tau, u = initialDraft.u } = values;
  const rule = switches.tie.find(name => name === tie);
  if (!rule) throw new UsageError(`--tie: found ${tie}; allowed: ${switches.tie.join(", ")}`);
  if (lang !== "zh" && lang !== "en") throw new UsageError(`--lang: found ${lang}; allowed: zh, en`);
  const made = snippetOf(await load(), lang === "zh" ? zh : en, { ...initialDraft, logits, tau, k, u, tie: rule });
  if ("html" in made) process.stdout.write(made.html);
  else {
    process.stderr.write(`sampling-lab: ${made.problem}\n`);
    process.exitCode = 1;
  }
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({ args: joined(args), allowPositionals: true, options: { logits: text, tau: text, "top-k": text, u: text, tie: text, lang: text } });
  } catch (error) {
    throw new UsageError((error as Error).message);
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

const [command, ...rest] = process.argv.slice(2);
try {
  if (command === "eval" && !rest.length) await evaluate();
  else if (command === "snippet") await snippet(rest);
  else if (command === "help" || command === "--help") process.stdout.write(USAGE);
  else throw new UsageError(command === undefined ? "a command is missing" : `unknown command '${[command, ...rest].join(" ")}'`);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`sampling-lab: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
