// The command line in Node: `node dist/cli.js eval` answers JSON lines with the wasm core.
import { createInterface } from "node:readline";
import { evaluateLine } from "./core/evaluate.ts";
import { load } from "./core/load.ts";

const USAGE = `usage: sampling-lab eval     read JSON lines, write one answer line each
  {"op":"lab","logits":[0,1,2,3],"tau":0.8,"k":2,"tie":"strict","u":0.5}
`;

async function evaluate(): Promise<void> {
  const core = await load();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity }))
    if (line.trim()) process.stdout.write(`${evaluateLine(core, line)}\n`);
}

const [command, ...rest] = process.argv.slice(2);
if (command === "eval" && !rest.length) await evaluate();
else if (command === "--help" || command === "help") process.stdout.write(USAGE);
else {
  process.stderr.write(command === undefined ? USAGE : `sampling-lab: unknown command '${process.argv.slice(2).join(" ")}'\n${USAGE}`);
  process.exitCode = 2;
}
