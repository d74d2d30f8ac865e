// Builds the books in build/embed, each by its own generator: exactly the recipe of docs/embedding.md, and around it
// only what lies in the folder of its name. Three pages: one without an experiment, and one with each.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../browser/support.mjs";

const fromRoot = (...path) => join(ROOT, ...path);
const read = (...path) => readFileSync(fromRoot(...path), "utf8");

// ---- What the document says ---------------------------------------------------------------------------------------

/** The lines that the recipe under a heading gives for a file. */
function recipe(heading, file) {
  const [, section] = read("docs/embedding.md").split(`### ${heading}\n`);
  const [, lines] =
    section
      ?.split(/\n##/)[0]
      .match(new RegExp(`In \`${file.replaceAll(".", "\\.")}\`:\n\n\`\`\`\\w+\n([^]*?)\`\`\``)) ?? [];
  if (!lines) throw new Error(`docs/embedding.md: under '${heading}' nothing is said about ${file}`);
  return lines;
}

/** What `snippet` prints, without its last line. */
const snippet = (...args) =>
  execFileSync(process.execPath, [fromRoot("dist/cli.js"), "snippet", ...args], { encoding: "utf8" }).replace(
    /.*\n$/,
    "",
  );

const page = (title, body) => `# ${title}\n\nBefore.\n\n${body}\n## After\n\nThe text goes on.\n`;
const links = "\n- [Home](index.md)\n- [Sampling](sampling.md)\n- [Stopping](stopping.md)\n";
const SAMPLING = snippet("smp-sampling", "--lang", "en"),
  STOPPING = snippet("smp-stopping", "--lang", "zh");

// ---- Building -----------------------------------------------------------------------------------------------------

/** The Python packages of tests/embed/requirements.txt, installed where they are not. */
function python() {
  const folder = fromRoot("build/venv-hosts"),
    wanted = read("tests/embed/requirements.txt"),
    stamp = join(folder, "installed");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    run("python3", ["-m", "venv", folder]);
    run(join(folder, "bin/pip"), ["install", "-q", "--no-compile", "-r", fromRoot("tests/embed/requirements.txt")]);
    writeFileSync(stamp, wanted);
  }
  return command => join(folder, "bin", command);
}

const run = (command, args, options) =>
  execFileSync(command, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", ...options });

/** A fresh folder of a book, with these files and the script. */
function lay(name, script, files) {
  const folder = fromRoot("build/embed", name);
  rmSync(folder, { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  mkdirSync(dirname(join(folder, script)), { recursive: true });
  cpSync(fromRoot("dist/sampling-lab.js"), join(folder, script));
  return folder;
}

const pages = (folder = "", around = text => text) => ({
  [`${folder}sampling.md`]: page("Sampling", around(SAMPLING)),
  [`${folder}stopping.md`]: page("Stopping", around(STOPPING)),
});

/** Each builds its book, which will be at an address, in build/embed. */
export const build = {
  vitepress() {
    const folder = lay("vitepress", "public/sampling-lab.js", {
      ".vitepress/recipe.mjs": recipe("VitePress 1.6", ".vitepress/config.mjs"),
      ".vitepress/config.mjs": read("tests/embed/vitepress/config.mjs"),
      "index.md": `# A book\n${links}`,
      ...pages(),
    });
    run(fromRoot("node_modules/.bin/vitepress"), ["build", folder]);
  },

  sphinx() {
    const folder = lay("sphinx", "_static/sampling-lab.js", {
      "conf.py": recipe("Sphinx 9 with MyST and Furo", "conf.py") + read("tests/embed/sphinx/conf.py"),
      "index.md": "# A book\n\n```{toctree}\nsampling\nstopping\n```\n",
      ...pages(),
    });
    run(python()("sphinx-build"), ["-q", "-W", "-b", "html", folder, join(folder, "site")]);
  },

  mkdocs(address) {
    const folder = lay("mkdocs", "docs/sampling-lab.js", {
      "recipe.yml": recipe("MkDocs Material 9.8", "mkdocs.yml"),
      "mkdocs.yml": read("tests/embed/mkdocs/mkdocs.yml"),
      "docs/index.md": `# A book\n${links}`,
      ...pages("docs/", text => `<div>\n${text}</div>\n`),
    });
    run(python()("mkdocs"), ["build", "-q", "--strict"], {
      cwd: folder,
      env: { ...process.env, SITE: `${address}/`, NO_MKDOCS_2_WARNING: "1" },
    });
  },

  docsify() {
    const folder = lay("docsify", "sampling-lab.js", {
      "index.html": read("tests/embed/docsify/index.html").replace(
        "<!-- recipe -->\n",
        recipe("docsify 5", "index.html"),
      ),
      "README.md": "# A book\n",
      "_sidebar.md": links.replace("index.md", "/"),
      ...pages(),
    });
    const from = fromRoot("node_modules/docsify/dist");
    for (const [file, to] of [
      ["docsify.min.js", "docsify.js"],
      ["plugins/search.min.js", "search.js"],
      ["themes/core.css", "core.css"],
      ["themes/addons/core-dark.css", "core-dark.css"],
    ])
      cpSync(join(from, file), join(folder, to));
  },
};
