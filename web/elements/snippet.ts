// What every snippet has: the rule that reserves space, the tag with its attributes, the fallback, the script.
import type { Core } from "../core/module.ts";
import type { Lang } from "../i18n/language.ts";
import { LEVELS, PARTS, partsOf } from "../ui/parts.tsx";

/** HTML, or what is wrong with a value, or with the call itself. */
export type Made = { readonly html: string } | { readonly problem: string } | { readonly misuse: string };

/** How the command line prints an element. */
export type Snippet = {
  /** Its options as the help shows them, by line. */
  readonly usage: readonly string[];
  /** Its attributes: an option is called as one, with - for _. */
  readonly attributes: readonly string[];
  /** Other names of options, and the attributes they mean. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Attributes that are one of a few words. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  readonly presets: readonly string[];
  readonly make: (core: Core, lang: Lang, given: Given, look: Look) => Made;
};

/** What is wrong with that, or null. */
export function misuseOf({ preset, parts, heading }: Look, presets: readonly string[]): string | null {
  const one = (name: string, found: string | undefined, allowed: readonly string[]) =>
    found === undefined || allowed.includes(found) ? null : `--${name}: found ${found}; allowed: ${allowed.join(", ")}`;
  const wrong = parts !== undefined && !partsOf(parts);
  return (
    one("preset", preset, presets) ??
    one("heading", heading, LEVELS) ??
    (wrong ? `--parts: found ${parts}; allowed: ${PARTS.join(", ")}` : null)
  );
}

/** Attributes by name. */
export type Given = Readonly<Partial<Record<string, string>>>;
/** What all elements have beside them. */
export type Look = Readonly<Partial<Record<"preset" | "parts" | "heading", string>>>;

/** Width and height of an element in its first state, measured in px, by ascending width: between two of them the height
    is on a line. tests/browser/heights.mjs prints them. */
export type Heights = readonly (readonly [width: number, height: number])[];

export function page(
  tag: string,
  lang: string,
  heights: Heights,
  attributes: Given,
  fallback: readonly string[],
  { preset, parts, heading }: Look,
  script = "sampling-lab.js",
): string {
  const all = Object.entries({ preset, ...attributes, parts, heading }).filter(([, value]) => value !== undefined);
  if (parts) heights = []; // measured with all
  return [
    "<style>",
    // only where scripts will run: else the space under the table would stay empty
    "@media (scripting: enabled) {",
    ...(heights.length ? [`  ${tag}:not(:defined) { display: block; container-type: inline-size }`] : []),
    ...segments(heights).map(
      ([from, height]) =>
        `  @container (width >= ${from}px) { ${tag}:not(:defined) > [slot="fallback"] { min-height: ${height} } }`,
    ),
    "}",
    `${tag} > [slot="fallback"] { overflow-x: auto }`,
    // a script on its way has two seconds: else the table would be in view for a moment, and move while it grows
    `@media (scripting: enabled) { ${tag}:not(:defined) > [slot="fallback"] { animation: smp-wait 2s } }`,
    "@keyframes smp-wait { from, to { visibility: hidden } }",
    "</style>",
    `<${tag} lang="${lang}" ${all.map(([name, value]) => `${name}="${escape(value!)}"`).join(" ")}>`,
    ...fallback,
    `</${tag}>`,
    `<script src="${script}"></script>`,
    "",
  ].join("\n");
}

/** From which width on the height is which: on a line to the next point, and from one step to the next the one before. */
function segments(heights: Heights): readonly (readonly [from: number, height: string])[] {
  return heights.flatMap(([width, height], index) => {
    const [to, next] = heights[index + 1] ?? [Infinity, height],
      slope = Number(((next - height) / (to - width)).toFixed(2));
    if (to - width <= STEP && index) return [];
    const line = slope ? `calc(${height}px + (100cqi - ${width}px) * ${slope})` : `${height}px`;
    return [[index ? width : 0, line] as const];
  });
}

/** px between the widths that are measured. */
const STEP = 8;

/** A table in the fallback slot, in a box of its own: some themes wrap every table anew, away from its
    slot. The first cell of a row is its head. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [
    '  <div slot="fallback"><table>',
    `    <caption>${escape(caption)}</caption>`,
    `    <thead><tr>${heads.map(head => (head ? `<th scope="col">${escape(head)}</th>` : "<td></td>")).join("")}</tr></thead>`,
    "    <tbody>",
    ...rows.map(
      ([first = "", ...rest]) =>
        `      <tr><th scope="row">${escape(first)}</th>${rest.map(text => `<td>${escape(text)}</td>`).join("")}</tr>`,
    ),
    "    </tbody>",
    "  </table></div>",
  ];
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
