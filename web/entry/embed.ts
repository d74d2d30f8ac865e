// The page for frames: one element with the parameters of the page's address. It tells the page around it how high it
// is, and takes theme and language by address and by message. Whatever stands there only ever becomes the value of a
// known attribute, or text.
import { texts } from "../i18n/embed.languages";
import type { Texts } from "../i18n/embed.zh.ts";
import { langOf, langs } from "../i18n/language.ts";
import { names } from "./names.ts";

const THEMES = ["light", "dark", "auto"] as const;
const FRAME = 16; // ms
/** Faults of an address that are told. */
const MOST = 20;
const TAGS = names.map(name => `smp-${name}`);

type Problem = (m: Texts) => string;

const root = document.documentElement;
const isOne = <T extends string>(allowed: readonly T[], found: unknown): found is T => allowed.includes(found as T);
const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

const looks = {
  lang: { allowed: langs, set: (lang: string) => (root.lang = lang) },
  theme: {
    allowed: THEMES,
    set: (theme: string) => (root.style.colorScheme = theme === "auto" ? "light dark" : theme),
  },
} as const;

/** Takes the parameters of the address; returns the element, if it names one, and what is wrong. */
function read(query: URLSearchParams): { readonly element: HTMLElement | null; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [],
    tag = query.get("element") ?? "";
  for (const [name, { allowed, set }] of Object.entries(looks)) {
    const found = query.get(name);
    if (isOne(allowed, found)) set(found);
    else if (found !== null) problems.push(m => m.badWord(name, short(found), allowed.join(", ")));
  }
  if (!isOne(TAGS, tag))
    return { element: null, problems: [...problems, m => m.unknownElement(short(tag), TAGS.join(", "))] };
  const found = customElements.get(tag) as Partial<Record<"params" | "layout", readonly string[]>> | undefined,
    params = found?.params && [...found.params, ...(found.layout ?? [])];
  if (!params) return { element: null, problems: [...problems, m => m.noScript] };
  const element = document.createElement(tag);
  for (const [name, value] of query) {
    if (isOne(params, name)) element.setAttribute(name, value);
    else if (name !== "element" && !Object.hasOwn(looks, name))
      problems.push(m => m.unknownParam(short(name), [...params, ...Object.keys(looks)].join(", ")));
  }
  return { element, problems };
}

const { element, problems } = read(new URLSearchParams(location.search));
const lines = problems.slice(0, MOST).map(() => Object.assign(document.createElement("p"), { role: "alert" }));
const word = () => lines.forEach((line, index) => (line.textContent = problems[index]!(texts[langOf(root.lang)])));

const sheet = new CSSStyleSheet();
sheet.replaceSync(
  "body { margin: 0; display: flow-root; background: light-dark(#fff, #16181b) } p { margin: 1em; font: 16px system-ui, sans-serif; overflow-wrap: anywhere }",
);
document.adoptedStyleSheets = [sheet];
word();
// what the page says without this script stands after it
addEventListener("DOMContentLoaded", () => document.querySelector("body > script + p")?.remove());
document.body.prepend(...lines, ...(element ? [element] : []));

if (parent !== window) {
  const tell = () =>
    parent.postMessage({ type: "smp-height", height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
  new ResizeObserver(tell).observe(document.body);
  const asked = new Map<string, () => void>();
  let waits = false;
  const follow = () => {
    waits = false;
    for (const set of asked.values()) set();
    asked.clear();
    word();
    tell();
  };
  // answered in any case: a page that listens late asks so for the height. The last word counts, once a frame; not by
  // requestAnimationFrame, which stands still in a frame out of view
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.type !== "smp-set") return;
    for (const [name, { allowed, set }] of Object.entries(looks))
      if (isOne(allowed, data[name])) asked.set(name, () => set(data[name]));
    if (!waits) setTimeout(follow, FRAME);
    waits = true;
  });
}
