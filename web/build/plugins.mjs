// What esbuild is taught: files that travel inside a script, and modules that are made from the two tables, of
// languages and of elements. Tests that bundle parts of web/ use the same.
import { transform } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pack } from "./pack.mjs";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const read = path => JSON.parse(readFileSync(join(WEB, path), "utf8"));

/** Every element by its name: the wasm module it needs, and whether it is one of the first, which
    sampling-lab.js holds. */
export const registry = read("elements/registry.json");
export const elementNames = Object.keys(registry);
export const firstNames = elementNames.filter(name => registry[name].first);
export const languages = Object.keys(read("i18n/languages.json"));

/** Name of an element's class. */
export const classOf = name => `Smp${name.replace(/(^|-)./g, part => part.at(-1).toUpperCase())}`;
/** The style sheets of an element. */
const sheetsOf = name =>
  readdirSync(join(WEB, "elements", name))
    .filter(file => file.endsWith(".css"))
    .map(file => `./elements/${name}/${file}`);
/** What an element is made of. */
export const elementFile = name => `elements/${name}/element.tsx`;

/** Style sheets travel inside the script as minified text. */
export const css = {
  name: "css",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true, target: "es2022" });
      return { contents: code.trim(), loader: "text" };
    }),
};

/** Another wasm module in place of the whole one: where there are elements and nothing else, it holds
    only what those call. */
export const only = module => ({
  name: "only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /smp\.wasm$/ }, () => ({ path: resolve(WEB, `../build/wasm/${module}.wasm`) })),
});

/** The module, and the weights of a model, travel as ASCII, so that a page may have any charset; after gzip they are a
    hundredth larger than their bytes, where base64 adds a quarter. */
export const wasm = {
  name: "wasm",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.(wasm|safetensors)$/ }, ({ path }) => ({
      contents: `import { unpack } from "./unpack.ts";\nexport default unpack(${pack(readFileSync(path)).map(part => JSON.stringify(part))});`,
      resolveDir: resolve(WEB, "core"),
    })),
};

/** A row of real logits travels as base64, the highest bytes first, which repeat; with it where it stands, from the
    meta.json beside it. */
export const position = {
  name: "position",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.f32$/ }, ({ path }) => {
      const bytes = readFileSync(path),
        count = bytes.length / 4;
      const planes = Buffer.from(bytes.map((_, place) => bytes[4 * (place % count) + 3 - Math.floor(place / count)]));
      const {
        context,
        context_ids = context,
        context_text,
      } = JSON.parse(readFileSync(join(dirname(path), "meta.json"), "utf8")).positions.find(
        ({ file }) => file === basename(path),
      );
      return {
        contents: JSON.stringify({
          row: planes.toString("base64"),
          context: context_ids,
          text: context_text.slice(-80),
        }),
        loader: "json",
      };
    }),
};

/** The modules of the package are files beside each other that share one core; each names the others as they are called
    there. */
export const beside = {
  name: "beside",
  setup: ({ onResolve }) => {
    onResolve({ filter: /(^|\/)(core|eval)\/[\w-]+\.ts$|^\.\/core\.ts$/ }, () => ({
      path: "./core.mjs",
      external: true,
    }));
    onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path: "./sampling-lab.mjs", external: true }));
  },
};

const module = lines => ({ contents: lines.join("\n"), resolveDir: WEB });

/** `NAME.languages`: each constant that NAME.zh.ts, NAME.en.ts, ... export, by language. */
const texts = ({ path }) => {
  const constants = [...readFileSync(`${path}.${languages[0]}.ts`, "utf8").matchAll(/^export const (\w+)/gm)]
    .map(([, name]) => name)
    .filter(name => name !== "default");
  const imports = languages.map(lang => `import * as ${lang} from ${JSON.stringify(`${path}.${lang}.ts`)};`);
  return module([
    ...imports,
    ...constants.map(
      name => `export const ${name} = { ${languages.map(lang => `${lang}: ${lang}.${name}`).join(", ")} };`,
    ),
  ]);
};

/** What `these`, `first` and `all` elements are. */
const chosen = (path, these) => ({ these, first: firstNames, all: elementNames })[path];

/** `elements:WHICH`: their classes, and these by name. Before all else stand, in a script, the wasm module, then,
    language by language, their texts, then their style sheets: near to its like each packs better. */
const classes = (names, script) => {
  const files = languages.flatMap(lang =>
    [...names.map(name => `elements/${name}`).reverse(), "i18n"].map(folder => `./${folder}/messages.${lang}.ts`),
  );
  const sheets = ["./style/tokens.css", "./style/base.css", ...names.flatMap(sheetsOf)];
  const imports = names.map(name => `import { ${classOf(name)} } from "./${elementFile(name)}";`);
  const exported = `export { ${names.map(classOf).join(", ")} };`,
    byName = `export const elements = { ${names.map(name => `"${name}": ${classOf(name)}`).join(", ")} };`;
  return module([
    ...(script ? [`import wasm from "./smp.wasm";`] : []),
    ...files.map((file, index) => `import { messages as m${index} } from "${file}";`),
    ...sheets.map((file, index) => `import c${index} from "${file}";`),
    ...imports,
    exported,
    byName,
  ]);
};

/** `snippets:all`: what prints the snippet of each. */
const snippets = names =>
  module([
    ...names.map((name, index) => `import { snippet as s${index} } from "./elements/${name}/snippet.ts";`),
    `export const snippets = { ${names.map((name, index) => `"${name}": s${index}`).join(", ")} };`,
  ]);

/** The modules that the two tables make. */
export const tables = (these = firstNames) => ({
  name: "tables",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.languages$/ }, ({ path, resolveDir }) => ({
      // no path of a machine in a built file
      path: relative(WEB, resolve(resolveDir, path)).replace(/\.languages$/, ""),
      namespace: "languages",
    }));
    onLoad({ filter: /./, namespace: "languages" }, ({ path }) => texts({ path: join(WEB, path) }));
    for (const [namespace, make] of Object.entries({ elements: classes, snippets })) {
      onResolve({ filter: new RegExp(`^\\./\\w+\\.${namespace}\\.ts$`) }, ({ path }) => ({
        path: path.slice(2).split(".")[0],
        namespace,
      }));
      onLoad({ filter: /./, namespace }, ({ path }) => make(chosen(path, these), path === "these"));
    }
  },
});
