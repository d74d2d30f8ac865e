// Lines to eval: through its command, and in this process.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { api, cores, fromRoot } from "./support.mjs";

const core = cores.simd;

/** Answers of the command to bytes, parsed. */
export function answersTo(input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [fromRoot("dist/cli.js"), "eval"], {
    input,
    maxBuffer: 2 ** 28,
  });
  assert.equal(stderr.toString(), "");
  assert.equal(status, 0);
  assert.ok(stdout.length === 0 || stdout.at(-1) === 10);
  return stdout
    .toString()
    .split("\n")
    .slice(0, -1)
    .map(text => JSON.parse(text));
}

export const told = line => JSON.parse(api.evaluateLine(core, typeof line === "string" ? line : JSON.stringify(line)));
export const messageOf = line => told(line).error.message;
export const chain = (...steps) => ({ op: "chain", logits: [0, 1, 2, 3], chain: steps });
export const llama = more => ({ op: "engine", engine: "llama.cpp", logits: [1, 2], ...more });
