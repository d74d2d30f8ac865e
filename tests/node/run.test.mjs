// tests/run.sh names at its end each test that failed, once, and no parent of one; read from what Node's
// own runner reports.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fromRoot } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp-run-"));
after(() => rmSync(folder, { recursive: true }));

test("the names of failed tests, and where they stand", () => {
  writeFileSync(
    join(folder, "a.test.mjs"),
    `import { test } from "node:test";
const bad = () => { throw new Error("it says\\nnot ok 3 - nothing"); };
test("right", () => {});
test("wrong: it's #5", bad);
test("parent", async t => { await t.test("right child", () => {}); await t.test("wrong child", bad); });
test("wrong parent", async t => { await t.test("right child", () => {}); bad(); });
test("without end", { timeout: 50 }, () => new Promise(done => setTimeout(done, 500)));
`,
  );
  writeFileSync(join(folder, "b.test.mjs"), `import "./nothing.mjs";\n`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // a runner inside this one, which reports by itself
  const run = (command, ...args) => spawnSync(command, args, { cwd: folder, encoding: "utf8", env }).stdout;
  writeFileSync(
    join(folder, "report"),
    run(process.execPath, "--test", "--test-reporter=tap", "a.test.mjs", "b.test.mjs"),
  );
  const [, function_] = readFileSync(fromRoot("tests/run.sh"), "utf8").match(/^(not_ok\(\) \{\n[^]*?\n\})$/m);
  const lines = run("bash", "-c", `${function_}; not_ok report`).trim().split("\n");
  assert.deepEqual(
    lines.slice(0, 4).map(line => line.replace(/\(.*\/(?=a)/, "(")),
    [
      "wrong: it's #5 (a.test.mjs:4:1)",
      "wrong child (a.test.mjs:5:76)",
      "wrong parent (a.test.mjs:6:1)",
      "without end (a.test.mjs:7:1)",
    ],
  );
  assert.equal(lines.length, 5);
  assert.match(lines[4], /b\.test\.mjs/, "a file that cannot even begin");
});
