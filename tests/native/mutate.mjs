// Changes c/stop.c in one place at a time and runs the stop tests on each mutant: a test must fail. Lists the
// survivors; exits 1 unless each is named below as equivalent.
//   ./build.sh test mutants
//   node tests/native/mutate.mjs [TEXT]    the same on what is built, or only the mutants whose name holds TEXT
// Mutations: comparisons and logical operators swapped, constants moved by one, increments and assignments dropped,
// checks skipped, fields confused, and the three parts of a step put in every other order or left out.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

/** Mutants that mean the same, by "old line => new line", with the reason. */
const EQUIVALENT = new Map([
  [
    "n_shown += (uint32_t)is_in(cell->appended, eos, n_eos); => n_shown += (uint32_t)is_in(cell->candidate, eos, n_eos);",
    "the two differ only in cells with PAD, and the rules that read n_shown append none",
  ],
  [
    "for (uint32_t i = 0; i < r->columns * rows; i++) { => for (uint32_t i = 1; i < r->columns * rows; i++) {",
    "in the first column nothing counts: no row has finished before it",
  ],
  ["if (length >= limit) return 1; => if (length >= limit) return 2;", "true is what is not 0"],
  ["if (is_in(row[t], eos, n_eos)) return 1; => if (is_in(row[t], eos, n_eos)) return 2;", "true is what is not 0"],
]);

const FLAGS = ["-std=c11", "-ffp-contract=off", "-fsanitize=address", "-w", "-Ic", "-Ibuild/native", "-Itests/native"];
/** The first broken expectation ends the program. */
const QUICK = "#include <stdio.h>\n#include <stdlib.h>\n#define printf(...) _Exit(1)\n";
const MAIN = `
#include "test.h"
struct tally tally;
int main(void) {
  test_stop_vectors();
  test_stop();
  end_case();
  return tally.failed != 0;
}
`;

/** [pattern, replacements]: each match of the pattern becomes each replacement in turn. */
const RULES = [
  [/ == /g, [" != "]],
  [/ != /g, [" == "]],
  [/ < /g, [" <= ", " > "]],
  [/ > /g, [" >= ", " < "]],
  [/ >= /g, [" > "]],
  [/ <= /g, [" < "]],
  [/ && /g, [" || "]],
  [/ \|\| /g, [" && "]],
  [/(?<=[\w\])]) \+ (?=\w)/g, [" - "]],
  [/(?<=[\w\])]) - (?=\w)/g, [" + "]],
  [/(?<![\w.])0(?![\w.])/g, ["1"]],
  [/(?<![\w.])1(?![\w.])/g, ["0", "2"]],
  [/ \+= /g, [" = "]],
  [/(?<=\w)\+\+(?=;$)/g, [""]],
  [/(?<=\()!/g, [""]],
  [/\breturn 1;/g, [""]],
  [/^( +)(?:if \(status == SMP_OK\) )?status = .*;$/g, ["$1;"]],
  [/^( +)if \(.*\) return smpi_fail\(.*\);$/g, ["$1;"]],
  [
    /^( +)(?!smp_|uint32_t|if |for |return |while |\*r |case |static |struct |const )[\w>.*[\]()& -]+ \+?= [^;]*;$/g,
    ["$1;"],
  ],
  [/->before\b/g, ["->after"]],
  [/->after\b/g, ["->before"]],
  [/\.after\b/g, [".before"]],
  [/->candidate\b/g, ["->appended"]],
  [/->appended\b/g, ["->candidate"]],
  [/SMP_ROLE_TOKEN/g, ["SMP_ROLE_EOS"]],
  [/SMP_ROLE_EOS/g, ["SMP_ROLE_TOKEN"]],
  [/SMP_ROLE_PAD/g, ["SMP_ROLE_JUNK"]],
  [/SMP_ROLE_JUNK/g, ["SMP_ROLE_PAD"]],
  [/SMP_ROLE_LOST\b/g, ["SMP_ROLE_LOST_EOS"]],
  [/SMP_ROLE_LOST_EOS/g, ["SMP_ROLE_LOST"]],
  [/SMP_FINISH_EOS/g, ["SMP_FINISH_LENGTH"]],
  [/SMP_FINISH_LENGTH/g, ["SMP_FINISH_CUT"]],
  [/SMP_FINISH_CUT/g, ["SMP_FINISH_NONE", "SMP_FINISH_EOS"]],
  [/(?<!case )SMP_RULE_ANY/g, ["SMP_RULE_SAME_STEP", "SMP_RULE_LATCH"]],
  [/(?<!case )SMP_RULE_SAME_STEP/g, ["SMP_RULE_ANY", "SMP_RULE_LATCH"]],
  [/(?<!case )SMP_RULE_S(CALAR|INGLE)/g, ["SMP_RULE_LATCH"]],
  [/^ +case SMP_RULE_\w+:$/g, [""]],
  [/, pad, r\)/g, [", 0, r)"]],
  [/\? pad : column\[i\]\.candidate/g, ["? column[i].candidate : pad"]],
  [/SMP_STOP_TOKENS/g, ["(SMP_STOP_TOKENS - 1)", "(SMP_STOP_TOKENS + 1)"]],
  [/SMP_STOP_ROWS/g, ["(SMP_STOP_ROWS - 1)", "(SMP_STOP_ROWS + 1)"]],
  [/SMP_STOP_EOS/g, ["(SMP_STOP_EOS - 1)", "(SMP_STOP_EOS + 1)"]],
  [/SMP_NONE/g, ["(SMP_NONE - 1)", "0"]],
  [/SMP_ERR_\w+/g, ["SMP_ERR_MASKED"]],
  [/SMP_AT_\w+/g, ["SMP_AT_NONE"]],
  [/\* rows\b/g, ["* limit"]],
];

const source = readFileSync("c/stop.c", "utf8");
const lines = source.replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, " ")).split("\n");

const mutants = [];
lines.forEach((line, number) => {
  for (const [pattern, replacements] of RULES)
    for (const match of line.matchAll(pattern))
      for (const replacement of replacements) {
        const changed = match[0].replace(new RegExp(pattern.source), replacement);
        // patterns that look around need the line about them: replace in place
        const text =
          line.slice(0, match.index) +
          (changed === match[0] ? replacement.replace("$1", match[1] ?? "") : changed) +
          line.slice(match.index + match[0].length);
        if (text !== line)
          mutants.push({
            name: `${line.trim()} => ${text.trim()}`,
            at: number + 1,
            text: [...lines.slice(0, number), text, ...lines.slice(number + 1)].join("\n"),
          });
      }
});

// The three parts of a step: calls on lines of their own, in the loop of smp_stop_run.
const first = lines.findIndex(line => /^    replace\(/.test(line)),
  parts = lines.slice(first, first + 3);
if (!/^    append\(.*\n    finish\(/.test(parts.slice(1).join("\n")))
  throw new Error("the three parts of a step are not where they were");
const orders = [
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
  [1, 2],
  [0, 2],
  [0, 1],
];
for (const order of orders)
  mutants.push({
    name: `parts in the order ${order.map(part => part + 1).join(" ")}`,
    at: first + 1,
    text: [...lines.slice(0, first), ...order.map(part => parts[part]), ...lines.slice(first + 3)].join("\n"),
  });

const dir = mkdtempSync(join(tmpdir(), "mutants-"));
const call = (command, ...args) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "ignore", env: { ...process.env, ASAN_OPTIONS: "detect_leaks=0" } });
    child.on("error", reject).on("close", code => resolve(code === 0));
  });

const quick = join(dir, "quick.h");
writeFileSync(quick, QUICK);
const objects = ["c/codes.c", "tests/native/test_stop.c", "main"].map((file, index) => {
  const object = join(dir, `${index}.o`),
    input = file === "main" ? join(dir, "main.c") : file;
  if (file === "main") writeFileSync(input, MAIN);
  const { status, stderr } = spawnSync("gcc", [...FLAGS, "-include", quick, "-c", input, "-o", object], {
    encoding: "utf8",
  });
  if (status) throw new Error(stderr);
  return object;
});

/** Whether the tests notice: "dead", "alive", or "refused" by the compiler. */
async function judge(text, slot) {
  const file = join(dir, `${slot}.c`),
    program = join(dir, `${slot}.out`);
  writeFileSync(file, text);
  if (!(await call("gcc", ...FLAGS, file, ...objects, "-o", program))) return "refused";
  return (await call("sh", "-c", `ulimit -t 5; exec ${program}`)) ? "alive" : "dead"; // a mutant may loop for ever
}

try {
  if ((await judge(lines.join("\n"), "original")) !== "alive") throw new Error("the tests fail on c/stop.c itself");
  const counts = { dead: 0, alive: 0, refused: 0 },
    survivors = [],
    seen = new Set(),
    queue = mutants.values();
  const work = async slot => {
    for (const mutant of queue) {
      if (process.argv[2] && !mutant.name.includes(process.argv[2])) continue;
      const verdict = await judge(mutant.text, slot);
      counts[verdict]++;
      if (verdict !== "alive") continue;
      seen.add(mutant.name);
      if (!EQUIVALENT.has(mutant.name)) survivors.push(`  c/stop.c:${mutant.at}: ${mutant.name}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, (_, slot) => work(slot)));
  for (const name of EQUIVALENT.keys())
    if (!seen.has(name) && !process.argv[2]) survivors.push(`  named as equivalent, but not alive: ${name}`);
  console.log(
    `${counts.dead} mutants dead, ${counts.alive} alive (${EQUIVALENT.size} named as equivalent), ${counts.refused} do not compile`,
  );
  if (survivors.length) console.log(survivors.join("\n"));
  process.exitCode = survivors.length ? 1 : 0;
} finally {
  rmSync(dir, { recursive: true });
}
