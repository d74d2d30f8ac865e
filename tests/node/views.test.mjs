// What is shown, as the compiler reads it: no function or method of more than 80 lines, from its name to its last
// brace, with whatever is defined inside; no cast that first forgets the type; and no slicing of long work by hand.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SyntaxKind } from "typescript/unstable/ast";
import { isAsExpression, isFunctionLikeDeclaration } from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";
import { fromRoot } from "./support.mjs";

/** Lines of a function at most: what one sees at once. */
const MOST = 80;

const api = new API(),
  folder = mkdtempSync(join(tmpdir(), "smp-views-"));
after(() => {
  api.close();
  rmSync(folder, { recursive: true });
});

const files = ["elements", "ui"].flatMap(room =>
  readdirSync(fromRoot("web", room), { recursive: true })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => join(fromRoot("web", room), file)),
);
const [{ program }] = api.updateSnapshot({ openProjects: [fromRoot("web/tsconfig.json")] }).getProjects();

function* nodesOf(node) {
  yield node;
  const children = [];
  node.forEachChild(child => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

const place = (source, node) => source.text.slice(0, node.getStart(source)).split("\n").length;

/** Functions of any kind in a file: their name, or line, and their lines. */
function functionsOf(source) {
  return [...nodesOf(source)]
    .filter(node => isFunctionLikeDeclaration(node) && node.body)
    .map(node => ({
      name: node.name?.text ?? `line ${place(source, node)}`,
      lines: source.text.slice(node.getStart(source), node.end).split("\n").length,
    }));
}

/** Lines with a cast through `unknown` or `never`. */
const castsOf = source =>
  [...nodesOf(source)]
    .filter(node => isAsExpression(node) && (isForgotten(node.expression) || FORGET.has(elementOf(node.type).kind)))
    .map(node => place(source, node));
const FORGET = new Set([SyntaxKind.NeverKeyword, SyntaxKind.AnyKeyword]);
const isForgotten = node => isAsExpression(node) && node.type.kind === SyntaxKind.UnknownKeyword;
const elementOf = type => type.elementType ?? type;

test("no function of what is shown has more than 80 lines", () => {
  const all = files.flatMap(file => functionsOf(program.getSourceFile(file)).map(each => ({ file, ...each })));
  assert.ok(files.length > 40 && all.length > 500, `${all.length} functions in ${files.length} files`);
  assert.deepEqual(
    all.filter(({ lines }) => lines > MOST).map(({ file, name, lines }) => `${file} ${name}: ${lines}`),
    [],
  );
});

test("no cast goes through unknown, nor to never or any", () => {
  assert.deepEqual(
    files.flatMap(file => castsOf(program.getSourceFile(file)).map(line => `${file}:${line}`)),
    [],
  );
});

test("one file looks at the clock, and makes slices of long work", () => {
  const clock =
    /\b(performance|Date|scheduler|requestIdleCallback|requestAnimationFrame|setInterval|setImmediate|queueMicrotask|MessageChannel)\b\s*[.(]/;
  const looking = ["core", "compare", "elements", "eval", "files", "ui"].flatMap(room =>
    readdirSync(fromRoot("web", room), { recursive: true })
      .filter(file => /\.tsx?$/.test(file))
      .map(file => `${room}/${file}`),
  );
  assert.deepEqual(
    looking.filter(file =>
      clock.test(readFileSync(fromRoot("web", file), "utf8").replace(/\/\/.*|\/\*[^]*?\*\//g, "")),
    ),
    ["compare/slices.ts"],
  );
});

test("long functions of every kind are found, whatever is inside, and such casts", () => {
  const lines = count => Array(count).fill("  0;").join("\n"),
    file = join(folder, "a.ts");
  writeFileSync(
    file,
    [
      `function short() {\n${lines(78)}\n}`, // 80 with its first and last line
      `function long() {\n${lines(79)}\n}`,
      `class A {\n  method() {\n${lines(79)}\n  }\n  get got() {\n${lines(79)}\n  }\n  field = () => {\n${lines(79)}\n  };\n}`,
      `const around = function named() {\n  return () => {\n${lines(79)}\n  };\n};`,
      `declare const a: string;\nconst b = a as unknown as number, c = [a as never], d = a as never[], e = a as unknown;`,
    ].join("\n"),
  );
  const snapshot = api.updateSnapshot({ openFiles: [file] }),
    source = snapshot.getDefaultProjectForFile(file).program.getSourceFile(file);
  assert.deepEqual(
    functionsOf(source)
      .filter(({ lines: count }) => count > MOST)
      .map(({ name, lines: count }) => [name.replace(/\d+/, "N"), count]),
    [
      ["long", 81],
      ["method", 81],
      ["got", 81],
      ["line N", 81],
      ["named", 83],
      ["line N", 81],
    ],
  );
  assert.equal(castsOf(source).length, 3);
});
