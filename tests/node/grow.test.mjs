// What a new element and a new language cost: in a copy of web/ a folder and one line of a table, and everything that
// is made from the tables has them. tests/browser/grow.test.mjs mounts what is built here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { grown } from "../grown.mjs";
import { fromRoot } from "./support.mjs";

const at = grown("node");
const text = path => readFileSync(`${at}/${path}`, "utf8");

test("types, bundles and scripts are made", () => {
  execFileSync(fromRoot("node_modules/.bin/tsc"), ["-p", "web"], { cwd: at, stdio: "inherit" });
  execFileSync(process.execPath, ["web/build/build.mjs"], { cwd: at, stdio: "pipe" });
  for (const file of ["dist/elements/smp-counter.js", "dist/types/elements/counter/element.d.ts"])
    assert.ok(existsSync(`${at}/${file}`), file);
  for (const file of ["dist/sampling-lab-all.js", "dist/sampling-lab.mjs"]) assert.match(text(file), /made-up element/);
  assert.doesNotMatch(text("dist/sampling-lab.js"), /made-up element/);
});

test("the manifest and the classes of the package have the element", async () => {
  const [classes, definitions] = JSON.parse(text("dist/custom-elements.json")).modules;
  assert.ok(classes.declarations.some(({ name, tagName }) => name === "SmpCounter" && tagName === "smp-counter"));
  assert.ok(definitions.exports.some(({ name }) => name === "smp-counter"));
  assert.match(text("dist/types/entry/all.elements.d.ts"), /readonly "counter": typeof SmpCounter/);
  assert.ok((await import(`${at}/dist/sampling-lab.mjs`)).SmpCounter);
});

test("the command line prints the element, and every element in the language", () => {
  const run = (...args) => execFileSync(process.execPath, ["dist/cli.js", ...args], { cwd: at, encoding: "utf8" });
  assert.match(
    run("--help"),
    /snippet smp-counter \[--start 0\] \[--preset NAME\] \[--parts "title figure"\] \[--heading 3\] \[--lang zh\|en\|xx\]/,
  );
  assert.match(
    run("snippet", "smp-counter", "--start", "3", "--lang", "xx"),
    /<smp-counter lang="xx" start="3">[^]*Made-up words[^]*<script src="elements\/smp-counter\.js">/,
  );
  for (const name of ["sampling", "stopping", "compare"])
    assert.match(run("snippet", `smp-${name}`, "--lang", "xx"), new RegExp(`<smp-${name} lang="xx"`));
});
