// `./build.sh install PREFIX`: a program outside the tree compiles against what it leaves, and prints the bits of every
// other build whatever its own flags are. A PREFIX that cannot be is refused in one line, and nothing is left there.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { api, cores, fromRoot } from "../node/support.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp install "));
after(() => rmSync(folder, { recursive: true }));
/** The two headers, and what they include. */
const headers = new Set(["smp.h", "smp_engines.h", "smp_gpt.h"]);
for (const name of headers)
  for (const [, more] of readFileSync(fromRoot("c", name), "utf8").matchAll(/^#include "([^"]+)"/gm)) headers.add(more);
const FILES = [...headers]
  .map(name => `include/smp/${name}`)
  .concat("lib/libsmp.a", "lib/pkgconfig/smp.pc")
  .sort();

const install = (...args) =>
  spawnSync("bash", [fromRoot("build.sh"), "install", ...args], { encoding: "utf8", cwd: folder });
/** The same by the Makefile of a copy of c/ alone. */
cpSync(fromRoot("c"), join(folder, "c"), { recursive: true, filter: path => path !== fromRoot("c/build") });
const make = (...args) =>
  spawnSync("make", ["-s", "-C", join(folder, "c"), "install", "CFLAGS=-O0", ...args], { encoding: "utf8" });
const files = prefix =>
  readdirSync(prefix, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(prefix.length + 1))
    .sort();
/** What a shell makes of pkg-config's answer, as a makefile does. */
const shell = (line, env = {}) =>
  execFileSync("sh", ["-c", line], { encoding: "utf8", cwd: folder, env: { ...process.env, ...env } });

writeFileSync(
  join(folder, "program.c"),
  `#include <smp.h>
#include <stdio.h>
int main(void) {
  const double logits[4] = {0, 1, 2, 3};
  static smp_lab_options options;
  options.tau = 0.8;
  options.u = 0.5;
  options.k = 2;
  smp_lab_result result;
  if (smp_lab_run(logits, 4, &options, &result, NULL) != SMP_OK) return 1;
  printf("%u %.17g %.17g\\n", result.id, result.p[0], result.q[3]);
  return 0;
}
`,
);
const WARN = "-Wall -Wextra -Wconversion -Wshadow -Werror";
const compilers = {
  gcc: `gcc ${WARN} program.c`,
  clang: `clang ${WARN} program.c`,
  "C++": `g++ -std=c++11 ${WARN} -x c++ program.c -x none`,
  "gcc with fast maths": `gcc -O3 -ffast-math ${WARN} program.c`,
  "a shared object": `gcc -shared -fPIC ${WARN} -Dmain=run program.c`,
};

test("a program outside the tree", async t => {
  const first = join(folder, "first"),
    prefix = join(folder, "moved");
  assert.deepEqual(install(first).stderr, "");
  renameSync(first, prefix); // the tree may be moved: pkg-config finds it from where it lies
  assert.deepEqual(files(prefix), FILES);
  for (const file of FILES) assert.equal(statSync(join(prefix, file)).mode & 0o777, 0o644, file);

  const env = { PKG_CONFIG_PATH: join(prefix, "lib/pkgconfig") };
  const { version } = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
  assert.equal(shell("pkg-config --modversion smp", env), `${version}\n`);

  const { id, p, q } = api.lab(cores.simd, [0, 1, 2, 3], { tau: 0.8, k: 2, u: 0.5 });
  assert.equal(id, 3);
  assert.ok(Math.abs(q[3] - 1 / (1 + Math.exp(-1.25))) < 1e-15);
  for (const [name, line] of Object.entries(compilers))
    await t.test(name, () => {
      shell(`eval "${line} -o program $(pkg-config --cflags --libs smp)"`, env);
      if (name === "a shared object") return; // that it links is the test: the library's code may stand anywhere
      const [chosen, first, last] = shell("./program").trim().split(" ").map(Number);
      assert.deepEqual([chosen, first, last], [id, p[0], q[3]]);
    });
});

test("the Makefile of c/ alone installs the same files, wherever: spaces, quotes, dollars", () => {
  const name = `made 'by' "make" for 5$`,
    prefix = join(folder, name);
  const { status, stderr } = make(`PREFIX=${prefix.replaceAll("$", "$$$$")}`);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.deepEqual(files(prefix), FILES);
  for (const file of FILES.filter(each => each !== "lib/libsmp.a"))
    assert.deepEqual(readFileSync(join(prefix, file)), readFileSync(join(folder, "moved", file)), file);
});

test("a second time leaves the same", () => {
  const prefix = join(folder, "twice"),
    first = join(folder, "once");
  install(prefix);
  cpSync(prefix, first, { recursive: true });
  assert.equal(install(prefix).status, 0);
  assert.deepEqual(files(prefix), FILES);
  for (const file of FILES) assert.deepEqual(readFileSync(join(prefix, file)), readFileSync(join(first, file)), file);
});

/** The name of the case: what stands in the way below a fresh folder, the arguments, and what the message says. */
const refused = {
  "no PREFIX": [() => {}, () => [], /found ''; allowed: one absolute path/],
  "an empty PREFIX": [() => {}, () => [""], /found ''; allowed: one absolute path/],
  "a relative PREFIX": [() => {}, () => ["usr/local"], /found 'usr\/local'; allowed: one absolute path/],
  "two of them": [() => {}, at => [at, at], /allowed: one absolute path/],
  "PREFIX is a file": [at => writeFileSync(join(at, "file"), ""), at => [join(at, "file")], /cannot .*bad .*file/],
  "PREFIX/lib is a file": [at => writeFileSync(join(at, "lib"), ""), at => [at], /cannot .*lib/],
  "a folder is in the place of a header": [
    at => mkdirSync(join(at, "include/smp/smp_engines.h"), { recursive: true }),
    at => [at],
    /smp_engines\.h is a folder and should be a file; nothing was installed/,
  ],
  "a folder is in the place of the library": [
    at => mkdirSync(join(at, "lib/libsmp.a"), { recursive: true }),
    at => [at],
    /libsmp\.a is a folder and should be a file; nothing was installed/,
  ],
  "lib leads nowhere": [at => symlinkSync("/nowhere/at/all", join(at, "lib")), at => [at], /cannot .*lib/],
  "a file system that cannot be written": [() => {}, () => ["/proc/smp"], /cannot .*\/proc\/smp/],
};
for (const [name, [prepare, args, message]] of Object.entries(refused))
  test(`refused: ${name}`, () => {
    const at = mkdtempSync(join(folder, "bad "));
    prepare(at);
    const before = files(at),
      found = install(...args(at));
    assert.equal(found.status, 1);
    assert.match(found.stderr, message);
    assert.match(
      found.stderr.trim().split("\n").at(-1),
      /^build\.sh: install: (found .* allowed: one absolute path|cannot install to .*, for the reason above)/,
    );
    assert.deepEqual(files(at), before);
    if (/one absolute path/.test(message.source)) return;
    const made = make(`PREFIX=${args(at)[0]}`);
    assert.notEqual(made.status, 0);
    assert.match(made.stderr, message);
    assert.deepEqual(files(at), before);
  });

for (const prefix of ["", "usr/local"])
  test(`refused by the Makefile: PREFIX '${prefix}'`, () => {
    const { status, stderr } = make(`PREFIX=${prefix}`);
    assert.notEqual(status, 0);
    assert.ok(stderr.includes(`install: PREFIX is '${prefix}'; allowed: an absolute path`), stderr);
  });
