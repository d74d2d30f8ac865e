// A copy of web/ with an element and a language that there are not: what they cost is what is written here.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The element, file by file. */
const COUNTER = {
  "state.ts": `// What the reader counts.
export type CounterDetail = { readonly count: number };
`,
  "messages.zh.ts": `import type { Heights } from "../snippet.ts";
export const messages = { title: "虚构的元素 made-up element", next: "加一" };
export type CounterMessages = typeof messages;
export const heights: Heights = [[280, 100]];
`,
  "messages.en.ts": `import type { Heights } from "../snippet.ts";
import type { CounterMessages } from "./messages.zh.ts";
export const messages: CounterMessages = { title: "A made-up element", next: "One more" };
export const heights: Heights = [[280, 100]];
`,
  "element.tsx": `// <smp-counter>: counts.
import { signal } from "@preact/signals-core";
import type { VNode } from "preact";
import base from "../../style/base.css";
import tokens from "../../style/tokens.css";
import { defineParams, LabElement } from "../base.tsx";
import { messages } from "./messages.languages";
import type { CounterMessages } from "./messages.zh.ts";
import type { CounterDetail } from "./state.ts";

/**
 * Counts.
 *
 * @tag smp-counter
 * @attr {string} start - where it begins
 * @event {CustomEvent<CounterDetail>} smp-change - when the reader has counted
 */
export class SmpCounter extends LabElement {
  static override readonly params = ["start"];
  static override readonly css = tokens + base;
  readonly #count = signal(0);
  protected override setParam(_name: string, text: string | null): void {
    this.#count.value = Number(text);
  }
  protected override getParam(): string {
    return String(this.#count.value);
  }
  protected override detail(): CounterDetail {
    return { count: this.#count.value };
  }
  protected override link(): Record<string, string> {
    return { start: String(this.#count.value) };
  }
  protected override view(): VNode {
    const s: CounterMessages = messages[this.language.value];
    return (
      <>
        <h2>{s.title}</h2>
        <p>{this.#count.value}</p>
        <button type="button" onClick={() => (this.#count.value++, this.emit("smp-change"))}>
          {s.next}
        </button>
      </>
    );
  }
}

defineParams(SmpCounter);
`,
  "snippet.ts": `// What an author pastes.
import { page, type Snippet } from "../snippet.ts";
import { heights, messages } from "./messages.languages";
import type { CounterMessages } from "./messages.zh.ts";

export const snippet: Snippet = {
  usage: ["[--start 0]"],
  attributes: ["start"],
  choices: {},
  presets: [],
  make: (_core, lang, { start = "0" }, look) => {
    const { title }: CounterMessages = messages[lang];
    return { html: page("smp-counter", lang, heights[lang], { start }, ['  <p slot="fallback">' + title + "</p>"], look, "elements/smp-counter.js") };
  },
};
`,
};

/** One more line at the end of a table. */
function addLine(path, line) {
  writeFileSync(path, readFileSync(path, "utf8").replace(/\s*\}\s*$/, `,\n  ${line}\n}\n`));
}

/** Makes the copy anew, in build/grown/NAME, and returns where it is. */
export function grown(name) {
  const at = join(ROOT, "build/grown", name),
    web = join(at, "web");
  rmSync(at, { recursive: true, force: true });
  mkdirSync(join(at, "build"), { recursive: true });
  for (const part of ["web", "package.json", "LICENSE", "index.html"])
    cpSync(join(ROOT, part), join(at, part), { recursive: true });
  for (const part of ["node_modules", "build/wasm", "tests"]) symlinkSync(join(ROOT, part), join(at, part));

  mkdirSync(join(web, "elements/counter"));
  for (const [file, text] of Object.entries(COUNTER)) writeFileSync(join(web, "elements/counter", file), text);
  addLine(join(web, "elements/registry.json"), '"counter": { "module": "elements", "first": false }');

  addLine(
    join(web, "i18n/languages.json"),
    '"xx": { "locale": "eo", "join": " ", "comma": ", ", "list": ", ", "stop": ". ", "colon": ": ", "quotes": ["«", "»"], "style": {} }',
  );
  for (const file of readdirSync(web, { recursive: true }).filter(file => file.endsWith(".en.ts"))) {
    const text = readFileSync(join(web, file), "utf8")
      .replaceAll(".en.ts", ".xx.ts")
      .replaceAll("languages.en", "languages.xx")
      .replaceAll('quoteIn("en")', 'quoteIn("xx")');
    writeFileSync(
      join(web, file.replace(".en.ts", ".xx.ts")),
      text
        .replace('lang: "en"', 'lang: "xx"')
        .replace("A made-up element", "Made-up words of the made-up element")
        .replace('label: "Presets"', 'label: "Presets xx"'),
    );
  }
  return at;
}
