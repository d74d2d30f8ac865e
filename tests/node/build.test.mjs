// build.sh where a tool is missing and cannot be installed: one line that says which and how, exit 1.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fromRoot } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "smp-path-"));
after(() => rmSync(folder, { recursive: true }));
for (const command of ["bash", "dirname"]) symlinkSync(`/usr/bin/${command}`, join(folder, command));

function buildAs(user) {
  writeFileSync(join(folder, "id"), `#!${folder}/bash\necho ${user}\n`);
  chmodSync(join(folder, "id"), 0o755);
  return spawnSync("/usr/bin/bash", [fromRoot("build.sh"), "build"], { encoding: "utf8", env: { PATH: folder } });
}

for (const [name, user] of Object.entries({ "no root": 1000, "no apt": 0 }))
  test(name, () => {
    const { status, stdout, stderr } = buildAs(user);
    assert.equal(status, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^build\.sh: gcc is missing.*install gcc[^\n]*\n$/);
  });

test("an unknown command", () => {
  const { status, stderr } = spawnSync("/usr/bin/bash", [fromRoot("build.sh"), "frobnicate"], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /unknown command 'frobnicate'/);
});
