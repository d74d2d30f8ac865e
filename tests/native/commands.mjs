// The command line as it is called: smp, and the package's sampling-lab, which is the same program and
// must say the same.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
export const binary = process.env.SMP_BIN ?? `${root}build/native/smp`;
export const packaged = `${root}dist/cli.js`;

const ended = (command, args, env) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
};

/** What smp does alone: its reader of files is its own. */
export const alone = (args, env) => ended(binary, args, env);

/** What sampling-lab does alone. */
export const sampling = (args, env) => ended(process.execPath, [packaged, ...args], env);

/** What smp does, once sampling-lab has done the same, byte for byte but for its name. */
export function both(args, env) {
  const { status, stdout, stderr } = alone(args, env),
    named = stderr.replace(/^smp: /, "sampling-lab: ").replace("(see smp --help)", "(see sampling-lab --help)");
  assert.deepEqual(sampling(args, env), { status, stdout, stderr: named }, args.join(" "));
  return { status, stdout, stderr };
}
