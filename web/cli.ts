// The command line in Node: `eval` answers JSON lines with the wasm core, `snippet` prints what an author pastes.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { compare } from "./cli-compare.ts";
import { evaluateLine } from "./core/evaluate.ts";
import { load } from "./core/load.ts";
import { presets } from "./experiments/compare/presets.ts";
import { snippetOf as compareSnippetOf } from "./experiments/compare/snippet.ts";
import { draftOf, type Draft } from "./experiments/compare/state.ts";
import { snippetOf } from "./experiments/sampling/snippet.ts";
import { initialDraft, switches } from "./experiments/sampling/state.ts";
import { snippetOf as stoppingSnippet } from "./experiments/stopping/snippet.ts";
import { initialDraft as initialBatch, LIMITS, pads, splitRows, wrongRules } from "./experiments/stopping/state.ts";
import { en } from "./i18n/en.ts";
import { zh } from "./i18n/zh.ts";
import { choice, parse, UsageError } from "./options.ts";

const USAGE = `usage: sampling-lab eval                      read JSON lines, write one answer line each
         {"op":"lab","logits":[0,1,2,3],"tau":0.8,"k":2,"tie":"strict","u":0.5}
         {"op":"chain","logits":[0,1,2,3],"chain":[["temperature",0.7],["top_k",2]],"context":[3,1]}
         {"op":"engine","engine":"candle","logits":[0,1,2,3],"settings":{"temperature":0.7,"top_k":2},"seed":"42","draws":5}
         {"op":"compare","engines":["transformers","candle"],"logits_file":"row.f32","settings":{"temperature":0.7}}
         {"op":"stop","candidates":[[1,20],[22,1]],"eos":[1],"pad":0,"max_new_tokens":2,"rule":"latch"}
         {"op":"stop-one","prompt":[1,2],"candidates":[3,3,3],"eos":[3],"max_new_tokens":3,"keep_eos":false}
       sampling-lab compare --logits FILE --engines transformers,candle [--tensor NAME] [--row 0] [--temperature 0.7]
                    [--top-k 40] [--top-p 0.9] [--min-p 0.1] [--typical-p 0.9] [--repetition-penalty 1.3] [--context "0 2"]
                    [--settings-only] [--seed 42 [--draws 20]] [--json]     FILE: .f32, .npy, .safetensors or .json
       sampling-lab snippet smp-sampling [--logits "0 1 2 3"] [--tau 0.8] [--top-k 2] [--u 0.5]
                    [--tie strict|threshold] [--lang zh|en]     print HTML to paste into a page
       sampling-lab snippet smp-stopping [--rows "EOS a a / x EOS b / y z EOS"] [--limit 3] [--pad own|shared]
                    [--rule any|same-step|scalar|single] [--lang zh|en]
       sampling-lab snippet smp-compare [--logits "3 2 2 1"] [--temperature 1] [--top-k 2] [--top-p 0.9] [--min-p 0.1]
                    [--repetition-penalty 1.3] [--context "0 2"] [--seed 42] [--engines "transformers candle"]
                    [--pair "transformers candle"] [--lang zh|en]
`;

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
  const [tag = "none"] = args;
  const make = { "smp-sampling": samplingSnippet, "smp-stopping": batchSnippet, "smp-compare": compareSnippet }[tag];
  if (!make) throw new UsageError(`snippet: found ${tag}; allowed: smp-sampling, smp-stopping, smp-compare`);
  const made = await make(args.slice(1));
  if ("html" in made) process.stdout.write(made.html);
  else {
    process.stderr.write(`sampling-lab: ${made.problem}\n`);
    process.exitCode = 1;
  }
}

async function samplingSnippet(args: string[]) {
  const { lang, tie, "top-k": k = initialDraft.k, ...rest } = parse(args, ["logits", "tau", "top-k", "u", "tie", "lang"]);
  return snippetOf(await load(), messages(lang), { ...initialDraft, ...rest, k, tie: choice("--tie", switches.tie, tie) });
}

async function batchSnippet(args: string[]) {
  const { lang, rows, limit = initialBatch.limit, pad, rule } = parse(args, ["rows", "limit", "pad", "rule", "lang"]);
  const typed = rows === undefined ? initialBatch.rows : splitRows(rows);
  if (typed.length > LIMITS.rows) throw new UsageError(`--rows: found ${typed.length} rows; allowed: 1 to ${LIMITS.rows}`);
  return stoppingSnippet(await load(), messages(lang), { rows: typed, limit, pad: choice("--pad", pads, pad), rule: choice("--rule", wrongRules, rule) });
}

async function compareSnippet(args: string[]) {
  const { lang, engines, pair, ...texts } = parse(args, ["logits", "temperature", "top-k", "top-p", "min-p", "repetition-penalty", "context", "seed", "engines", "pair", "lang"]);
  const start = draftOf(presets.measure), own = texts.logits === undefined ? start : { ...start, temperature: "", top_k: "", top_p: "" };
  const given = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name.replaceAll("-", "_"), text]));
  const words = (text: string | undefined, otherwise: readonly string[]) => text?.split(/[\s,]+/).filter(Boolean) ?? otherwise;
  return compareSnippetOf(await load(), messages(lang), { ...own, ...given, engines: words(engines, start.engines), pair: words(pair, start.pair) as unknown as Draft["pair"] });
}

const messages = (lang: string | undefined) => (choice("--lang", ["zh", "en"], lang) === "zh" ? zh : en);

const [command, ...rest] = process.argv.slice(2);
try {
  if (command === "eval" && !rest.length) await evaluate();
  else if (command === "compare") process.stdout.write(await compare(await load(), rest));
  else if (command === "snippet") await snippet(rest);
  else if (command === "help" || command === "--help") process.stdout.write(USAGE);
  else throw new UsageError(command === undefined ? "a command is missing" : `unknown command '${[command, ...rest].join(" ")}'`);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`sampling-lab: ${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
