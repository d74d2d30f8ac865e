// Whose work a built file holds beside our own: a banner in each script and module, and dist/THIRD-PARTY.txt for the
// package. What npm packages a file holds, esbuild's metafile says; the C library in the module and the vocabulary it
// cannot know.
import { readFileSync, writeFileSync } from "node:fs";

const read = path => readFileSync(path, "utf8");
const { version } = JSON.parse(read("package.json"));
const PERMISSION = "Permission is hereby granted";
const [title, ours, ...mit] = read("LICENSE")
    .trim()
    .split(/\n{2,}/),
  MIT = mit.join("\n\n");

/** What of emcc's libraries is in a module; LLVM's compiler-rt, which calculates with long doubles there,
    asks for no notice. */
const WASM = [
  "Copyright (c) 2005-2020 Rich Felker, et al. (musl, in the module)",
  "Copyright (c) 2010-2022 The Emscripten Authors (in the module)",
];
const SMOLLM2 = `Holds the vocabulary of SmolLM2-135M-Instruct by Hugging Face and logits computed with that model,
licensed under the Apache License, Version 2.0 (www.apache.org/licenses/LICENSE-2.0)
Changed: the vocabulary is written as text, one piece a line; the logits are those of its Q4_1 weights at three positions.`;

/** The copyright line of an npm package under the MIT license; another license ends the build. */
function notice(name) {
  const text = read(`node_modules/${name}/LICENSE`),
    flat = part => part.replace(/\s+/g, " ").trim();
  if (flat(text.slice(text.indexOf(PERMISSION))) !== flat(MIT))
    throw new Error(`${name} has a license of its own: give its text in web/build/third-party.mjs`);
  return `${/^Copyright.*$/m.exec(text)[0]} (${name})`;
}

/** Whatever is copied with a file: lines of copyright, and whether it holds the vocabulary. */
function heldBy({ inputs }) {
  const paths = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput ? [path] : []));
  const packages = [
    ...new Set(paths.flatMap(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
  ].sort();
  return {
    lines: [...packages.map(notice), ...(paths.some(path => path.endsWith(".wasm")) ? WASM : [])],
    vocabulary: paths.some(path => path.endsWith("pieces.txt")),
  };
}

/** Puts the banner into the files of these builds, and writes the list of all. */
export function writeNotices(results) {
  const lines = new Set();
  for (const [path, output] of results.flatMap(({ metafile }) => Object.entries(metafile.outputs))) {
    const held = heldBy(output),
      text = read(path),
      shebang = /^#!.*\n/.exec(text)?.[0] ?? "";
    held.lines.forEach(line => lines.add(line));
    const parts = [
      `sampling-lab ${version}, ${title}`,
      [ours, ...held.lines].join("\n"),
      ...(held.vocabulary ? [SMOLLM2] : []),
      MIT,
    ];
    writeFileSync(path, `${shebang}/*!\n${parts.join("\n\n")}\n*/\n${text.slice(shebang.length)}`);
  }
  const apache = read("node_modules/typescript/LICENSE").trim(); // the plain text of that license, as it happens
  const parts = [
    "What the files of this package hold beside its own work, whose license is in LICENSE.",
    [...lines].join("\n"),
    MIT,
    "-".repeat(80),
    `sampling-lab-logits.js\n\n${SMOLLM2}`,
    apache,
  ];
  writeFileSync("dist/THIRD-PARTY.txt", `${parts.join("\n\n")}\n`);
}
