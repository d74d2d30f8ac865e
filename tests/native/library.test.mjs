// c/ as someone takes it who takes nothing else: a copy of the folder, the lines of its README, each header alone, the
// Makefile; which symbols can be seen, and which file needs which.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { circleIn } from "../circle.mjs";
import { fromRoot } from "../node/support.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp library "));
after(() => rmSync(folder, { recursive: true }));
const copy = name => {
  const at = join(folder, name);
  mkdirSync(at);
  cpSync(fromRoot("c"), join(at, "c"), { recursive: true, filter: path => path !== fromRoot("c/build") });
  return at;
};
const shell = (at, line) =>
  execFileSync("sh", ["-c", line], { cwd: at, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const EXAMPLE = "2 candidates; token 3 with probability 0.777300\n"; // q = 1 / (1 + e^-1.25), as in the chapter's line
const WARN = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Werror";

const alone = copy("alone");
const sources = readdirSync(join(alone, "c")).filter(name => /\.[ch]$/.test(name));
const read = name => readFileSync(join(alone, "c", name), "utf8");

// ---- The README's lines -------------------------------------------------------------------------------------------

const readme = read("README.md");
const [, line] = /^ +(gcc -std=c11 .*program\.c.*)$/m.exec(readme) ?? [];

test("the compile line, with gcc", () => {
  const at = copy("line");
  writeFileSync(join(at, "program.c"), read("example/example.c").replace('"smp.h"', '"c/smp.h"'));
  shell(at, `${line} ${WARN}`);
  assert.equal(shell(at, "./program"), EXAMPLE);
});

test("the README prints the example as it is, and its file map is that of the folder", () => {
  const example = read("example/example.c")
    .trim()
    .split("\n")
    .map(text => (text ? `    ${text}` : ""))
    .join("\n");
  assert.ok(readme.includes(example), "c/README.md shows another program than c/example/example.c");
  assert.ok(readme.includes(`    ${EXAMPLE}`));
  const named = [...readme.matchAll(/`([\w*]+\.[ch])`/g)].map(([, name]) => name).filter(name => name !== "program.c");
  const covers = (pattern, name) => new RegExp(`^${pattern.replace(".", "\\.").replace("*", "\\w*")}$`).test(name);
  const files = sources.filter(name => !named.some(pattern => covers(pattern, name)));
  assert.deepEqual(files, [], "not in the file map");
  assert.deepEqual(
    named.filter(pattern => !sources.some(name => covers(pattern, name))),
    [],
    "in the file map, but not there",
  );
});

// ---- Headers ------------------------------------------------------------------------------------------------------

const languages = {
  gcc: "gcc -std=c11 -x c",
  clang: "clang -std=c11 -x c",
  "g++": "g++ -std=c++11 -x c++",
  "clang++": "clang++ -std=c++11 -x c++",
};
const included = {
  "smp.h": ["smp.h"],
  "smp_engines.h": ["smp_engines.h"],
  "smp_gpt.h": ["smp_gpt.h"],
  "both, and again": ["smp_engines.h", "smp.h", "smp_engines.h"],
};
for (const [name, command] of Object.entries(languages))
  test(`the headers, each alone, with ${name}`, () => {
    for (const [which, headers] of Object.entries(included)) {
      writeFileSync(join(alone, "header"), headers.map(header => `#include "${header}"\n`).join(""));
      assert.doesNotThrow(() => shell(alone, `${command} ${WARN} -fsyntax-only -Ic header`), which);
    }
  });

test("private headers too stand alone", () => {
  for (const name of sources.filter(each => each.endsWith(".h"))) {
    writeFileSync(join(alone, "header"), `#include "${name}"\n`);
    assert.doesNotThrow(
      () => shell(alone, `gcc -std=c11 -ffp-contract=off -Wno-unused-function -fsyntax-only -Ic -x c header`),
      name,
    );
  }
});

// ---- The Makefile ---------------------------------------------------------------------------------------------------

/** The functions that the headers declare. */
const declared = ["smp.h", "smp_engines.h", "smp_gpt.h"]
  .flatMap(name => [...read(name).matchAll(/^SMP_API\s[^;(]*?\b(smp_\w+)\(/gm)].map(match => match[1]))
  .sort();
const definedIn = at =>
  shell(at, "nm -D --defined-only libsmp.so")
    .trim()
    .split("\n")
    .map(row => row.split(" ").at(-1))
    .sort();

test("make and make check, with clang; a shared object shows what the headers declare, and nothing else", () => {
  const at = copy("make");
  shell(at, "make -C c CC=clang");
  assert.ok(shell(at, "make -s -C c check CC=clang").endsWith(EXAMPLE));
  assert.match(shell(at, "make -C c CC=clang"), /is up to date|Nothing to be done/);
  shell(at, "clang -shared -o libsmp.so c/build/lib/*.o");
  assert.deepEqual(definedIn(at), declared);
  shell(at, "make -C c clean");
  assert.deepEqual(readdirSync(join(at, "c")).sort(), readdirSync(join(alone, "c")).sort());
});

// ---- Symbols --------------------------------------------------------------------------------------------------------

const FLAGS = "-std=c11 -O2 -ffp-contract=off -fno-math-errno";

const objects = join(alone, "objects");
mkdirSync(objects);
shell(objects, `gcc ${FLAGS} -c ../c/*.c`);
/** Every object, with the symbols it gives to others and those it takes: [["chain", {gives: [...], takes: [...]}]] */
const symbols = new Map(
  readdirSync(objects).map(name => {
    const of = flag =>
      shell(objects, `nm -P ${flag} ${name}`)
        .split("\n")
        .filter(Boolean)
        .map(row => row.split(" ")[0]);
    return [name.replace(".o", ""), { gives: of("-g --defined-only"), takes: of("-u") }];
  }),
);

test("every private symbol begins with smpi_", () => {
  assert.ok(declared.length > 20);
  for (const [name, { gives }] of symbols)
    for (const symbol of gives)
      assert.ok(declared.includes(symbol) || symbol.startsWith("smpi_"), `${symbol} of ${name}.c`);
});

test("no libm, and nothing that allocates or prints", () => {
  const given = new Set([...symbols.values()].flatMap(({ gives }) => gives));
  const LIBC = ["memcpy", "memmove", "memset", "memcmp", "strlen", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"];
  for (const [name, { takes }] of symbols)
    for (const symbol of takes) assert.ok(given.has(symbol) || LIBC.includes(symbol), `${symbol} in ${name}.c`);
});

// ---- Which file needs which -------------------------------------------------------------------------------------------

const includesOf = text => [...text.matchAll(/^#include "([^"]+)"/gm)].map(match => match[1]);

/** Rooms of the house, and the private headers that their files may include; all may include smp.h and
    the lists of codes. */
const ROOMS = [
  [/^codes\./, ["exact.h", "codes.h"]],
  [/^(math|stop)\./, ["exact.h"]],
  [/^lab/, ["exact.h", "lab.h"]],
  [/^(exact|lanes)\./, []],
  [/^reference\./, ["reference.h"]],
  [/^sort/, ["exact.h", "sort.h"]],
  [/^row/, ["exact.h", "lanes.h", "row.h"]],
  [/^chain/, ["exact.h", "lanes.h", "row.h", "chain.h"]],
  [/^engine_llama/, ["engine.h", "engine_llama.h"]],
  [/^engine_codes\./, ["codes.h", "engine.h"]],
  [/^(curve|stats)\./, ["smp_engines.h", "exact.h"]],
  [/^(engine|rng|stream)/, ["smp_engines.h", "exact.h", "lanes.h", "row.h", "sort.h", "engine.h"]],
  [/^gpt_codes\./, ["codes.h", "smp_gpt.h"]],
  [/^(gpt|token|utf8)/, ["smp_gpt.h", "exact.h", "lanes.h", "gpt.h", "gpt_reference.h"]],
  [/^smp(_engines|_gpt)?\.h/, []],
  [/^cli\//, ["smp_engines.h", "smp_gpt.h", "cli.h", "cli_compare.h", "cli_generate.h"]],
  [/^wasm\/cli_/, ["cli/cli_generate.h"]],
  [/^wasm\//, ["smp_engines.h", "smp_gpt.h", "exact.h", "codes.h", "chain.h", "engine.h"]],
  [/^example\//, []],
];

test("a file includes only what its room may", () => {
  const files = readdirSync(join(alone, "c"), { recursive: true }).filter(name => /\.[ch]$/.test(name));
  for (const name of files) {
    const room = ROOMS.find(([pattern]) => pattern.test(name));
    assert.ok(room, `${name} is in no room`);
    for (const header of includesOf(read(name)))
      assert.ok(header === "smp.h" || room[1].includes(header), `${name} includes ${header}`);
  }
});

test("no circles between headers", () =>
  assert.equal(
    circleIn(new Map(sources.filter(name => name.endsWith(".h")).map(name => [name, includesOf(read(name))]))),
    null,
  ));

test("no circles between the files of the library", () => {
  const home = new Map([...symbols].flatMap(([name, { gives }]) => gives.map(symbol => [symbol, name])));
  const arrows = new Map(
    [...symbols].map(([name, { takes }]) => [
      name,
      [...new Set(takes.map(symbol => home.get(symbol)).filter(Boolean))],
    ]),
  );
  assert.equal(circleIn(arrows), null);
  for (const [name, needed] of arrows) {
    assert.ok(!needed.includes("reference"), `${name}.c calls the reference`);
    if (/^(row|math|lab|stop|codes|sort)/.test(name))
      assert.deepEqual(
        needed.filter(each => /^(chain|engine|rng)/.test(each)),
        [],
        name,
      );
    if (/^chain/.test(name))
      assert.deepEqual(
        needed.filter(each => /^(engine|rng)/.test(each)),
        [],
        name,
      );
    if (/^(engine|rng)/.test(name))
      assert.deepEqual(
        needed.filter(each => /^chain/.test(each)),
        [],
        name,
      );
  }
});

// ---- The table of rules -------------------------------------------------------------------------------------------------

for (const compiler of ["gcc", "clang"])
  for (const file of ["chain.c", "reference.c"])
    test(`a rule that is in the enumeration and not in ${file} does not compile with ${compiler}`, () => {
      const at = copy(`rule ${compiler} ${file}`),
        header = join(at, "c/smp.h"),
        whole = read("smp.h");
      const compile = () =>
        spawnSync(compiler, [...FLAGS.split(" "), "-fsyntax-only", `c/${file}`], { cwd: at, encoding: "utf8" });
      assert.equal(compile().status, 0);
      const more = whole.replace(/typedef enum smp_step_kind \{/, "$& SMP_STEP_NEW = 1000,");
      assert.notEqual(more, whole);
      writeFileSync(header, more);
      const { status, stderr } = compile();
      assert.notEqual(status, 0);
      assert.match(stderr, /SMP_STEP_NEW.*-W(?:error[=,]-?W?)?switch/);
    });
