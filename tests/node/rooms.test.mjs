// How web/ hangs together: who imports whom, types too. No circles; each folder imports only what lies
// below it; no element knows another.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { elementNames, languages } from "../../web/build/plugins.mjs";
import { circleIn } from "../circle.mjs";
import { fromRoot } from "./support.mjs";

const files = readdirSync(fromRoot("web"), { recursive: true }).filter(
  file => /\.(tsx?|css|json|safetensors)$/.test(file) && !/^(build\/|tsconfig|biome)/.test(file),
);

/** The files that an import means: one, or of a module that a table makes all that it is made from. */
function meant(from, path) {
  const file = normalize(join(dirname(from), path));
  if (file.endsWith(".languages")) return languages.map(lang => file.replace(/languages$/, `${lang}.ts`));
  if (/\.(elements|snippets)\.ts$/.test(file))
    return elementNames.map(name => `elements/${name}/${file.endsWith(".snippets.ts") ? "snippet.ts" : "element.tsx"}`);
  return [file];
}

/** By file, what it imports of web/. */
function importsOf(texts) {
  return new Map(
    Object.entries(texts).map(([file, text]) => [
      file,
      [...text.matchAll(/^(?:import|export) (?:[^"]* from )?"(\.[^"]+)";|import\("(\.[^"]+)"\)/gm)].flatMap(
        ([, path, other]) => meant(file, path ?? other),
      ),
    ]),
  );
}

const roomOf = file => (/^elements\/[^/]+\//.test(file) ? file.split("/").slice(0, 2).join("/") : file.split("/")[0]);

/** What each room may import beside itself. */
const BELOW = {
  core: [],
  eval: ["core"],
  files: ["i18n/language.ts", "i18n/languages.json"],
  compare: ["core", "eval"],
  i18n: ["ui/numbers.ts"],
  ui: ["i18n"],
  style: [],
  elements: ["core", "ui", "i18n"],
  "elements/NAME": [
    "elements/base.tsx",
    "elements/snippet.ts",
    "elements/typed.ts",
    "compare",
    "files",
    "eval",
    "core",
    "ui",
    "i18n",
    "style",
  ],
  entry: ["elements", "elements/NAME", "compare", "files", "eval", "core", "i18n", "models"],
};

/** Imports that no rule allows. */
function strays(graph) {
  const ruleOf = room => (room.startsWith("elements/") ? "elements/NAME" : room);
  const may = (from, to) =>
    roomOf(from) === roomOf(to) ||
    BELOW[ruleOf(roomOf(from))].some(allowed => allowed === to || allowed === ruleOf(roomOf(to)));
  return [...graph].flatMap(([from, list]) =>
    list.filter(to => to.startsWith("..") === false && !may(from, to)).map(to => `${from} -> ${to}`),
  );
}

const texts = Object.fromEntries(
  files.filter(file => /\.tsx?$/.test(file)).map(file => [file, readFileSync(fromRoot("web", file), "utf8")]),
);
const graph = importsOf(texts);

test("every import is of a file that is there", () => {
  const unknown = [...graph].flatMap(([from, list]) =>
    list.filter(to => !to.startsWith("..") && !files.includes(to)).map(to => `${from} -> ${to}`),
  );
  assert.deepEqual(unknown, []);
  assert.ok(graph.size > 100 && [...graph.values()].flat().length > 400);
});

test("there are no circles", () => assert.equal(circleIn(graph), null));
test("each folder imports only what lies below it, and no element another", () => assert.deepEqual(strays(graph), []));

test("no code but that of elements and of what they show touches the DOM", () => {
  const low = Object.entries(texts).filter(([file]) => /^(core|eval|files|compare|i18n)\//.test(file));
  const touching = low.filter(([, text]) =>
    /\b(document|window|customElements|HTMLElement|navigator|location)\b\s*[.(]|from "preact/.test(
      text.replace(/\/\/.*|\/\*[^]*?\*\//g, ""),
    ),
  );
  assert.deepEqual(
    touching.map(([file]) => file),
    [],
  );
});

test("a circle, a sibling and a way up are found", () => {
  const bad = importsOf({
    "core/a.ts": 'import type { B } from "./b.ts";',
    "core/b.ts": 'export * from "./a.ts";',
    "ui/c.ts": 'import { a } from "../core/a.ts";',
    "elements/x/e.ts": 'import {\n  y,\n} from "../y/e.ts";',
  });
  assert.equal(circleIn(bad), "core/a.ts -> core/b.ts -> core/a.ts");
  assert.deepEqual(strays(bad), ["ui/c.ts -> core/a.ts", "elements/x/e.ts -> elements/y/e.ts"]);
});
