// build.sh: it serves the page; where a tool is missing and cannot be installed, one line says which and how, exit 1.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
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

test("a node that is too old", () => {
  writeFileSync(join(folder, "node"), `#!${folder}/bash\necho v16.20.2\n`);
  chmodSync(join(folder, "node"), 0o755);
  const { status, stderr } = spawnSync("/usr/bin/bash", [fromRoot("build.sh"), "build"], {
    encoding: "utf8",
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  assert.equal(status, 1);
  assert.equal(stderr, "build.sh: node is v16.20.2; needed: 18 or later\n");
});

test("an unknown command", () => {
  const { status, stderr } = spawnSync("/usr/bin/bash", [fromRoot("build.sh"), "frobnicate"], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /unknown command 'frobnicate'/);
});

test("it serves the page and the script, without a terminal too", { timeout: 300_000 }, async () => {
  const port = 20_000 + (process.pid % 20_000);
  const server = spawn("/usr/bin/bash", [fromRoot("build.sh")], {
    env: { ...process.env, PORT: port },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let said = "";
    for await (const text of server.stdout) if ((said += text).includes(`http://127.0.0.1:${port}/`)) break;
    const get = async (path, tries = 100) => {
      try {
        return await fetch(`http://127.0.0.1:${port}/${path}`);
      } catch (error) {
        if (!tries) throw error;
        await new Promise(done => setTimeout(done, 50)); // the address is said just before the port is open
        return get(path, tries - 1);
      }
    };
    assert.match(said, /index\.html from disk/);
    assert.match(await (await get("")).text(), /<smp-sampling/);
    assert.equal((await get("dist/sampling-lab.js")).status, 200);
  } finally {
    server.kill();
  }
});
