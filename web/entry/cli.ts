// The command line in Node: `eval` answers JSON lines with the wasm core, `snippet` prints what an author pastes.
import { compare, readRow } from "./cli-compare.ts";
import { MOST_BYTES, linesOf } from "./cli-lines.ts";
import { evaluateLineWith } from "../eval/evaluate.ts";
import { LINE } from "../eval/json.ts";
import { load } from "../core/load.ts";
import { presets } from "../elements/compare/presets.ts";
import { snippetOf as compareSnippetOf } from "../elements/compare/snippet.ts";
import { draftOf, type Draft } from "../elements/compare/state.ts";
import { snippetOf } from "../elements/sampling/snippet.ts";
import { initialDraft, switches } from "../elements/sampling/state.ts";
import { snippetOf as stoppingSnippet } from "../elements/stopping/snippet.ts";
import { initialDraft as initialBatch, LIMITS, pads, splitRows, wrongRules } from "../elements/stopping/state.ts";
import { en } from "../i18n/en.ts";
import { zh } from "../i18n/zh.ts";
import { choice, parse, Refused, UsageError } from "./options.ts";
import { progress } from "./progress.ts";

const HELP = `sampling-lab: how a language model's scores become its next token

       sampling-lab eval                      read JSON lines, write one answer line each
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
       sampling-lab --help, sampling-lab --version

In eval every line gets an answer, also an empty or a wrong one: {"error":{"code","where","message"}}. A line has at most
${MOST_BYTES} bytes, ${LINE.values} values, ${LINE.depth} arrays and objects inside each other, and ${LINE.keys} keys in an object, each once; a chain at most
64 steps; a row at most 1048576 logits. It may take 2 GB of memory. logits_file: .f32, .npy, .safetensors or .json.

Exit status: 0 done; 1 a value or the file was refused; 2 the command was not understood.
`;

async function evaluate(): Promise<void> {
  const core = await load(), waits = progress(process.stdout.isTTY);
  let count = 0;
  for await (const line of linesOf(process.stdin)) {
    process.stdout.write(`${await evaluateLineWith(core, line, path => readRow(path))}\n`);
    waits.say(`${++count} lines`);
  }
  waits.end();
}

async function snippet(args: string[]): Promise<void> {
  const [tag = "none"] = args;
  const make = { "smp-sampling": samplingSnippet, "smp-stopping": batchSnippet, "smp-compare": compareSnippet }[tag];
  if (!make) throw new UsageError(`snippet: found ${tag}; allowed: smp-sampling, smp-stopping, smp-compare`);
  const made = await make(args.slice(1));
  if (!("html" in made)) throw new Refused(made.problem);
  process.stdout.write(made.html);
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

/** Someone's text, fit for one line of a terminal. */
const clean = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, "?");

function fail(error: unknown): void {
  if (!(error instanceof UsageError || error instanceof Refused)) throw error;
  const usage = error instanceof UsageError;
  process.stderr.write(`sampling-lab: ${clean(error.message)}${usage ? " (see sampling-lab --help)" : ""}\n`);
  process.exitCode = usage ? 2 : 1;
}

/** A reader that has had enough, such as head, is no fault. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`sampling-lab: cannot write the result: ${error.message}\n`);
  process.exit(1);
});

const [command, ...rest] = process.argv.slice(2);
try {
  if (command === "help" || process.argv.slice(2).includes("--help")) process.stdout.write(HELP);
  else if (command === "--version") process.stdout.write(`sampling-lab ${(await load()).abi.version}\n`);
  else if (command === "eval") {
    parse(rest, []);
    await evaluate();
  } else if (command === "compare") process.stdout.write(await compare(await load(), rest));
  else if (command === "snippet") await snippet(rest);
  else throw new UsageError(command === undefined ? "no command" : `unknown command "${command.slice(0, 80)}"; there are eval, compare and snippet`);
} catch (error) {
  fail(error);
}
