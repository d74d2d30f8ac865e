// What every experiment's element shares: parameters as attributes and properties, life in the document, language,
// theme, the shared core, events, and keys that stay inside.
import { computed, effect, signal } from "@preact/signals-core";
import { render, type VNode } from "preact";
import { load, loadNow, whyNot } from "../core/load.ts";
import type { Core } from "../core/module.ts";
import { langOf, type Lang } from "../i18n/language.ts";
import { messages } from "../i18n/messages.languages";
import type { Messages } from "../i18n/messages.zh.ts";
import { fragmentOf, keyOf, paramsOf } from "../ui/link.ts";
import { ofDocument, pageRoots } from "../ui/page.ts";
import { LEVELS, PARTS, partsOf, TitleLevel, type Level, type Shows } from "../ui/parts.tsx";
import { inheritedScheme } from "../ui/scheme.ts";
import { copy, Export, save, type Exported } from "../ui/export.tsx";

/** Controls without a use for arrows: there they would scroll the page. */
const ARROWLESS = "button, summary, input:is([type=checkbox], [type=file])";

/** Characters of a parameter from the page: more than any may have. */
const LONGEST = 16_384;
/** Mistyped words that the author is told of. */
const MOST_TOLD = 20;

/** Safe to import where there is no DOM: there the classes exist and cannot be constructed. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export abstract class LabElement extends Base {
  /** Names of the parameters; each is an attribute and a property. */
  static readonly params: readonly string[] = [];
  /** What an author sets of its look beside them, in the same ways; no link holds it. */
  static readonly layout: readonly string[] = ["heading"];
  static readonly css: string = "";

  static get observedAttributes(): string[] {
    return [...this.params, ...this.layout, "lang", "theme"];
  }

  protected readonly language = signal<Lang>("zh");
  /** What all elements say. */
  protected readonly messages = computed<Messages>(() => messages[this.language.value]);
  protected readonly core = signal<Core | null>(null);
  /** What the live region says: set on commit, never while dragging. */
  protected readonly spoken = signal("");
  readonly #layout = signal<Layout>({ parts: "", heading: "2" });
  readonly #parts = computed(() => partsOf(this.#layout.value.parts)!);
  /** True if that part of the experiment is shown. */
  protected readonly shows: Shows = part => this.#parts.value.has(part);
  /** True while the page is printed: then nothing is kept from the reader. */
  protected readonly printing = signal(false);
  readonly #blocked = signal<"browser" | "policy" | null>(null);
  readonly #exported = signal<Exported | null>(null);
  readonly #scheme = signal<"" | "light" | "dark">("");
  #observer: MutationObserver | undefined;
  #stop: (() => void) | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** What the page asked for by attribute, property or link; the reader's edits are not among it. */
  protected readonly given = new Map<string, string>();

  /** Sets a parameter as typed text; null goes back to its default. `given` has the change already. */
  protected abstract setParam(name: string, text: string | null): void;
  protected abstract getParam(name: string): string;
  /** The experiment, once the core runs. */
  protected abstract view(core: Core): VNode;
  /** The whole configuration, for events. */
  protected abstract detail(): unknown;
  /** The parameters that a shared link sets. */
  protected abstract link(): Readonly<Record<string, string>>;
  /** A link has set them. */
  protected restored(): void {}
  /** What a link leaves out. */
  protected linkLacks(): string {
    return "";
  }
  protected escape(): void {}

  connectedCallback(): void {
    clearTimeout(this.#leaving);
    this.#takeEarlyProperties();
    const fresh = !this.shadowRoot;
    if (fresh) {
      this.#build();
      this.#restore();
      this.#hold(true);
    }
    addEventListener("hashchange", this.#restore);
    dark?.addEventListener("change", this.#adapt);
    print?.addEventListener("change", this.#print);
    addEventListener("beforeprint", this.#print);
    addEventListener("afterprint", this.#print);
    this.addEventListener("transitionend", this.#inked);
    this.#observe();
    this.#speak();
    if (!this.core.value) this.#start();
    this.#stop ??= effect(() => render(this.#tree(), this.shadowRoot!));
    this.#adapt(); // measures the page: not before there is something to measure, else a late script makes it jump
    if (fresh) this.#hold(false);
  }

  /** Height that the page has reserved for an element without its script; here that still holds. */
  readonly #reserved = this.isConnected ? this.offsetHeight : 0;

  /** Holds it for the first layout: WebKit has one of the host before that of what is in it. */
  #hold(on: boolean): void {
    if (!this.#reserved || this.style.minHeight !== (on ? "" : `${this.#reserved}px`)) return;
    this.style.minHeight = on ? `${this.#reserved}px` : "";
    if (!on && !this.getAttribute("style")) this.removeAttribute("style");
  }

  /** Sheets belong to a document. */
  adoptedCallback(): void {
    if (this.shadowRoot) this.#dress(this.shadowRoot);
  }

  /** Moving an element disconnects it for a moment: tear down only what stays away. */
  disconnectedCallback(): void {
    this.#leaving = setTimeout(() => {
      removeEventListener("hashchange", this.#restore);
      dark?.removeEventListener("change", this.#adapt);
      print?.removeEventListener("change", this.#print);
      removeEventListener("beforeprint", this.#print);
      removeEventListener("afterprint", this.#print);
      this.removeEventListener("transitionend", this.#inked);
      this.#observer?.disconnect();
      this.#stop?.();
      this.#stop = undefined;
      render(null, this.shadowRoot!);
    });
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === "lang" || name === "theme") this.#adapt();
    else this.give(name, after);
  }

  /** A parameter from the page. What the page has given already, or the reader has set as well, changes nothing: a
      framework sets values again that it holds. */
  give(name: string, text: string | null): void {
    const taken = text === null ? null : text.slice(0, LONGEST);
    if (isLayout(name)) this.#arrange(name, taken ?? "");
    else if (taken !== (this.given.get(name) ?? null)) this.#take(name, taken, taken !== this.getParam(name));
  }

  /** What is too long for any parameter is refused by its first characters as well. */
  #take(name: string, taken: string | null, news = true): void {
    if (taken === null) this.given.delete(name);
    else this.given.set(name, taken);
    if (news) this.setParam(name, taken);
  }

  /** A parameter or a word of the layout, as text. */
  read(name: string): string {
    return isLayout(name) ? this.#layout.value[name] : this.getParam(name);
  }

  #arrange(name: keyof Layout, text: string): void {
    const right = layouts[name].accepts(text);
    if (!right) this.complain(name, text, layouts[name].allowed);
    this.#layout.value = { ...this.#layout.value, [name]: right ? text : "" };
  }

  /** A mistyped word in an attribute or property: the default is used, and the author is told. */
  protected complain(name: string, found: string, allowed: readonly string[]): void {
    const word = found.slice(0, 40);
    if (this.#told.size === MOST_TOLD || this.#told.has(name + word)) return;
    this.#told.add(name + word);
    console.warn(`<${this.localName}> ${name}="${word}" is ignored; allowed: ${allowed.join(", ")}`);
  }
  readonly #told = new Set<string>();

  /** Says what a commit has led to; where that is what was said last, that it stays, by `short`. */
  protected announce(text: string, short = text): void {
    const said = text === this.#announced ? this.messages.value.unchanged(short) : text;
    this.#announced = text;
    this.spoken.value = said === this.spoken.value ? `${said}\u00a0` : said; // what is equal is not read out again
  }
  #announced = "";

  protected emit(type: "smp-input" | "smp-change"): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail: this.detail() }));
  }

  /** Properties that were set before the class was defined hide the accessors: set them again. */
  #takeEarlyProperties(): void {
    const { params, layout } = this.constructor as typeof LabElement;
    for (const name of [...params, ...layout]) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  #build(): void {
    const root = this.attachShadow({ mode: "open" });
    this.#dress(root);
    root.addEventListener("slotchange", event => this.#swallowed(event.target as HTMLSlotElement));
    root.addEventListener("keydown", event => {
      if ((event as KeyboardEvent).key === "Escape") this.escape();
      const { key, ctrlKey, metaKey, altKey } = event as KeyboardEvent;
      if (key === "Tab" || key === "Escape" || ctrlKey || metaKey || altKey) return;
      event.stopPropagation();
      if (key.startsWith("Arrow") && (event.target as Element).matches(ARROWLESS)) event.preventDefault();
    });
  }

  #dress(root: ShadowRoot): void {
    root.adoptedStyleSheets = [sheet((this.constructor as typeof LabElement).css, this.ownerDocument)];
  }

  /** A link that is for this element, followed from elsewhere or on this page. */
  readonly #restore = (): void => {
    if (!this.isConnected) return;
    const { params } = this.constructor as typeof LabElement,
      found = paramsOf(location.hash, () => keyOf(this), params);
    for (const [name, value] of found) this.#take(name, value.slice(0, LONGEST));
    if (found.length) this.restored();
  };

  /** How every experiment ends: a last word, and buttons for a link and for the given files. */
  protected closing(
    text: string,
    files: readonly { text: string; name: string; type: string; make: () => string | Uint8Array<ArrayBuffer> }[],
  ): VNode | false {
    if (!this.shows("closing")) return false;
    const m = this.messages.value.exports;
    const show = (text: string, said: string) => {
      this.#exported.value = { text, said };
      this.spoken.value = said;
    };
    const share = async () => {
      const address = new URL(location.href);
      address.hash = fragmentOf(keyOf(this), this.link());
      show(address.href, `${(await copy(address.href)) ? m.copied : m.copyThis} ${this.linkLacks()}`.trim());
    };
    const buttons = files.map(({ text, name, type, make }) => ({
      text,
      make: () => {
        const made = make();
        save(made, name, type);
        show(typeof made === "string" ? made : name, m.saved(name));
      },
    }));
    return (
      <div class="closing">
        <p>{text}</p>
        <Export label={m.label} buttons={[{ text: m.link, make: share }, ...buttons]} exported={this.#exported.value} />
      </div>
    );
  }

  #start(): void {
    const ready = (core: Core) => {
      this.core.value = core;
    };
    const refused = () => {
      this.#blocked.value = whyNot();
    };
    try {
      ready(loadNow());
    } catch (error) {
      if (error instanceof RangeError)
        load().then(ready, refused); // an older Chromium: no synchronous compiling
      else refused();
    }
  }

  /** Language and theme of the page may change at any time, by attributes on the element or on the page's roots. */
  #observe(): void {
    this.#observer ??= new MutationObserver(this.#adapt);
    const filter = {
      attributes: true,
      attributeFilter: ["lang", "class", "style", "data-theme", "data-color-scheme", "data-md-color-scheme"],
    };
    for (const root of pageRoots(this)) this.#observer.observe(root, filter);
  }

  #speak(): void {
    this.language.value = langOf(this.closest("[lang]")?.getAttribute("lang") ?? "zh");
  }

  readonly #adapt = (): void => {
    this.#speak();
    const theme = this.getAttribute("theme") ?? "auto";
    this.#scheme.value = theme === "light" || theme === "dark" ? theme : inheritedScheme(this);
  };

  readonly #print = ({ type }: Event): void => {
    this.printing.value = type === "beforeprint" || print!.matches;
  };

  /** The page's text colour has changed, by whatever rule: the sheet gives the element a short transition
      that tells. */
  readonly #inked = (event: TransitionEvent): void => {
    if (event.target !== this || event.propertyName !== "color") return;
    event.stopPropagation(); // the page has not asked for it
    this.#adapt();
  };

  /** Content that is not marked as the fallback stays visible: it may be the rest of a page after a self-closed tag. */
  #swallowed(slot: HTMLSlotElement): void {
    if (
      this.#warned ||
      slot.name ||
      slot.assignedNodes().every(node => node.nodeType === Node.COMMENT_NODE || !node.textContent?.trim())
    )
      return;
    this.#warned = true;
    console.warn(
      `<${this.localName}> holds content without slot="fallback"; it stays visible. HTML has no self-closed tags: write <${this.localName}></${this.localName}>.`,
    );
  }
  #warned = false;

  /** One tree for the whole element: what it reads is what renders it again. */
  #tree(): VNode {
    const core = this.core.value,
      m = this.messages.value;
    return (
      <div
        class="lab"
        tabIndex={-1}
        lang={m.lang}
        style={m.style}
        data-scheme={this.#scheme.value}
        data-parts={[...this.#parts.value].join(" ")}
      >
        {core && <TitleLevel.Provider value={this.#layout.value.heading || "2"}>{this.view(core)}</TitleLevel.Provider>}
        {this.#blocked.value && <p class="blocked">{m.blocked[this.#blocked.value]}</p>}
        {!core && <slot name="fallback" />}
        <slot />
        <p class="vh" role="status">
          {this.spoken.value}
        </p>
      </div>
    );
  }
}

type Layout = { readonly parts: string; readonly heading: Level | "" };
const layouts: Readonly<Record<keyof Layout, { accepts: (text: string) => boolean; allowed: readonly string[] }>> = {
  parts: { accepts: text => partsOf(text) !== null, allowed: PARTS },
  heading: { accepts: text => !text || (LEVELS as readonly string[]).includes(text), allowed: LEVELS },
};
const isLayout = (name: string): name is keyof Layout => name in layouts;

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)"),
  print = globalThis.matchMedia?.("print");

const sheets = new WeakMap<Document, Map<string, CSSStyleSheet>>();

/** One constructed sheet for all elements of a kind in a document. */
function sheet(css: string, of: Document): CSSStyleSheet {
  const own = sheets.get(of) ?? new Map<string, CSSStyleSheet>();
  let found = own.get(css);
  if (!found) {
    found = new (ofDocument("defaultView", of) ?? window).CSSStyleSheet();
    found.replaceSync(css);
    sheets.set(of, own.set(css, found));
  }
  return found;
}

/** Defines the accessors of a class's parameters. Frameworks set numbers, strings, arrays and null: all mean text. */
export function defineParams(element: typeof LabElement): void {
  for (const name of [...element.params, ...element.layout])
    Object.defineProperty(element.prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: LabElement) {
        return this.read(name);
      },
      set(this: LabElement, value: unknown) {
        this.give(name, value === null || value === undefined ? null : textOf(name, value));
      },
    });
}

/** Lists of rows and of words have other separators than numbers; a word may hold a space, so it stands in quotes. */
function textOf(name: string, value: unknown): string {
  if (name === "labels" && Array.isArray(value)) return value.map(word => JSON.stringify(String(word))).join(" ");
  return asText(value, name === "rows" ? " / " : " ");
}

function asText(value: unknown, separator = " "): string {
  if (Array.isArray(value)) return value.map(item => asText(item)).join(separator);
  return Object.is(value, -0) ? "-0" : String(value);
}
