// The style sheets: a class name means one thing, nothing is !important but against a page's own rule, no
// language is named, and no class is left that nothing has.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { elementNames } from "../../web/build/plugins.mjs";
import { fromRoot } from "./support.mjs";

const filesOf = (folder, ending) =>
  readdirSync(fromRoot("web", folder))
    .filter(file => ending.test(file))
    .map(file => readFileSync(fromRoot("web", folder, file), "utf8"));

/** By element, its sheets as one text. */
const sheets = Object.fromEntries(elementNames.map(name => [name, filesOf(`elements/${name}`, /\.css$/).join("\n")]));
const shared = filesOf("style", /\.css$/).join("\n");
const views = Object.fromEntries(elementNames.map(name => [name, filesOf(`elements/${name}`, /\.tsx$/).join("\n")]));
const common = [...filesOf("ui", /\.tsx$/), ...filesOf("elements", /\.tsx$/)].join("\n");

const withoutComments = css => css.replace(/\/\*[^]*?\*\//g, "");

/** What stands before a brace. */
const selectorsOf = css => [...withoutComments(css).matchAll(/([^{};]+)\{/g)].map(([, selector]) => selector.trim());
const classesIn = css =>
  new Set(
    selectorsOf(css).flatMap(selector => [...selector.matchAll(/\.(-?[a-zA-Z_][\w-]*)/g)].map(([, name]) => name)),
  );

/** Names that sheets of more than one element know, and the shared one does not. */
function doubled(own, all) {
  const owners = new Map();
  for (const [element, css] of Object.entries(own))
    for (const name of classesIn(css)) owners.set(name, [...(owners.get(name) ?? []), element]);
  const known = classesIn(all);
  return [...owners].flatMap(([name, list]) =>
    list.length > 1 && !known.has(name) ? [`${name}: ${list.join(", ")}`] : [],
  );
}

/** Declarations that are !important without a comment behind them, in the same line, that names whose
    rule they are against. */
const unexplained = css =>
  css
    .split("\n")
    .filter(line => /!\s*important/i.test(withoutComments(line)))
    .filter(line => !/\/\*[^*]*\b(host|page)'s\b[^*]*\*\//.test(line));

const words = text => new Set(text.match(/[\w-]+/g));

test("a class name that two elements have is one of the shared sheet", () => {
  for (const css of [shared, ...Object.values(sheets)]) assert.ok(classesIn(css).size > 30);
  assert.deepEqual(doubled(sheets, shared), []);
});

test("nothing is !important but against a rule of the page, with the reason", () => {
  assert.deepEqual([shared, ...Object.values(sheets)].flatMap(unexplained), []);
});

test("no sheet names a language: what differs is in the languages' tables", () => {
  for (const css of [shared, ...Object.values(sheets)])
    assert.deepEqual(
      selectorsOf(css).filter(selector => /:lang\(|\[lang/.test(selector)),
      [],
    );
});

test("every class of a sheet is one that a view has", () => {
  for (const name of elementNames) {
    const known = words(common + views[name]);
    assert.deepEqual(
      [...classesIn(sheets[name])].filter(each => !known.has(each)),
      [],
    );
  }
  const known = words(common + Object.values(views).join("\n"));
  assert.deepEqual(
    [...classesIn(shared)].filter(each => !known.has(each)),
    [],
  );
});

test("what is wrong is found", () => {
  const a = "/* .no { */ .mine, .both:is(.inner, td) > b { color: red; width: .5em }",
    b = "@media print { .both { top: 0.5px } .lent { left: 0 } }";
  assert.deepEqual([...classesIn(a)], ["mine", "both", "inner"]);
  assert.deepEqual([...classesIn(b)], ["both", "lent"]);
  assert.deepEqual(doubled({ a: `${a} .lent {}`, b }, ".lent {}"), ["both: a, b"]);
  const line = "p { top: 0 !important; }";
  assert.deepEqual(
    unexplained(`${line} /* against a page's own p */\n${line} /* it must be */\n/* !important */\n${line}`),
    [`${line} /* it must be */`, line],
  );
});
