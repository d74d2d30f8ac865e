// The command line in Node: `eval` answers JSON lines with the wasm core, `snippet` prints what an author
// pastes; all else is the program in C.
import { MOST_BYTES, linesOf } from "./cli-lines.ts";
import { loadModels } from "./cli-models.ts";
import { program } from "./cli-program.ts";
import { readRow } from "./cli-row.ts";
import { evaluateLineWith } from "../eval/evaluate.ts";
import { LINE } from "../eval/json.ts";
import { load } from "../core/load.ts";
import { langs } from "../i18n/language.ts";
import { misuseOf, type Look } from "../elements/snippet.ts";
import { snippets } from "./all.snippets.ts";
import { choice, clean, parse, Refused, UsageError } from "./options.ts";
import { progress } from "./progress.ts";

/** Options of every snippet beside the attributes of its element. */
const LOOK = ["preset", "parts", "heading"];

const dashed = (name: string): string => name.replaceAll("_", "-");

/** The lines of the help on snippets. */
const SNIPPETS = Object.entries(snippets)
  .map(([name, { usage }]) => {
    const lines = [
      ...usage.slice(0, -1),
      `${usage.at(-1)} [--preset NAME] [--parts "title figure"] [--heading 3] [--lang ${langs.join("|")}]`,
    ];
    return `  sampling-lab snippet smp-${name} ${lines.join(`\n${" ".repeat(14)}`)}`;
  })
  .join("\n");

/** What the help says of the commands that are not in C. */
const HELP = `  sampling-lab eval
      JSON lines in, one answer line each:
      {"op":"lab","logits":[0,1,2,3],"tau":0.8,"k":2,"tie":"strict","u":0.5}
      {"op":"lab","logits":[0,1,2,3],"tau":0.8,"filters":[["top_k",3],["top_p",0.9]],"u":0.5}
      {"op":"chain","logits":[0,1,2,3],"chain":[["temperature",0.7],["top_k",2]],"context":[3,1]}
      {"op":"engine","engine":"candle","logits":[0,1,2,3],"settings":{"temperature":0.7,"top_k":2},"seed":"42","draws":5}
      {"op":"compare","engines":["transformers","candle"],"logits_file":"row.f32","settings":{"temperature":0.7}}
      {"op":"draw","logits":[0,1,2,3],"tau":0.8,"k":2,"generator":"torch-mkl","seed":"2718","draws":1000}
      {"op":"curve","logits":[0,1,2,3],"taus":[0,0.5,1,"inf"],"pair":[3,2]}
      {"op":"generate","model":"zh","prompt":"明月","chain":[["temperature",0.8],["top_k",40]],"seed":"42","max_new_tokens":40}
      {"op":"stop","candidates":[[1,20],[22,1]],"eos":[1],"pad":0,"max_new_tokens":2,"rule":"latch"}
      {"op":"stop-one","prompt":[1,2],"candidates":[3,3,3],"eos":[3],"max_new_tokens":3,"keep_eos":false}
      Every line gets an answer, also an empty or a wrong one: {"error":{"code","where","message"}}. A line has at most
      ${MOST_BYTES} bytes, ${LINE.values} values, ${LINE.depth} arrays and objects inside each other, and ${LINE.keys} keys in an object, each once;
      a chain at most 64 steps; a row at most 1048576 logits. It may take 2 GB of memory. logits_file is a FILE as above.

${SNIPPETS}
      HTML to paste into a page.`;

async function evaluate(): Promise<void> {
  const core = await load(),
    waits = progress(process.stdout.isTTY);
  let count = 0;
  for await (const line of linesOf(process.stdin)) {
    if (/"generate"/.test(line)) await loadModels();
    process.stdout.write(`${await evaluateLineWith(core, line, path => readRow(path))}\n`);
    waits.say(`${++count} lines`);
  }
  waits.end();
}

async function snippet([tag = "none", ...args]: readonly string[]): Promise<void> {
  const found = Object.entries(snippets).find(([name]) => tag === `smp-${name}`)?.[1];
  if (!found)
    throw new UsageError(
      `snippet: found ${tag}; allowed: ${Object.keys(snippets)
        .map(name => `smp-${name}`)
        .join(", ")}`,
    );
  const names = [...found.attributes.map(dashed), ...Object.keys(found.aliases ?? {}), ...LOOK, "lang"],
    { lang, preset, parts, heading, ...typed } = parse<string>(args, names),
    given: Record<string, string> = {};
  for (const [name, text] of Object.entries(typed)) {
    const attribute = found.aliases?.[name] ?? name.replaceAll("-", "_"),
      allowed = found.choices[attribute];
    if (given[attribute] !== undefined) throw new UsageError(`--${name}: given twice`);
    given[attribute] = allowed ? choice(`--${name}`, allowed, text) : text!;
  }
  const look = { preset, parts, heading } as Look,
    misuse = misuseOf(look, found.presets);
  if (misuse) throw new UsageError(misuse);
  const made = found.make(await load(), choice("--lang", langs, lang), given, look);
  if ("misuse" in made) throw new UsageError(made.misuse);
  if ("problem" in made) throw new Refused(made.problem);
  process.stdout.write(made.html);
}

/** The help of the program, with the other commands before its last two paragraphs. */
async function help(): Promise<void> {
  const output: Uint8Array[] = [];
  await program(["--help"], part => void output.push(part));
  const text = Buffer.concat(output).toString(),
    last = text.lastIndexOf("\n\n", text.lastIndexOf("\n\n") - 1);
  process.stdout.write(`${text.slice(0, last)}\n\n${HELP}${text.slice(last)}`);
}

async function runProgram(args: readonly string[]): Promise<void> {
  process.exitCode = await program(args, part => void process.stdout.write(part));
}

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
  if (command === "help" || process.argv.slice(2).includes("--help")) await help();
  else if (command === "eval") {
    parse(rest, []);
    await evaluate();
  } else if (command === "snippet") await snippet(rest);
  else await runProgram(process.argv.slice(2));
} catch (error) {
  fail(error);
}
