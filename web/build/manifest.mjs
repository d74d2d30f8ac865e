// Reads the class comments of the elements, which are their contract, and makes the custom-elements manifest and the
// declarations of the classes from them.

/** The parts of a class comment with @tag: name of the class and the tag, description, attributes, events and slots. */
export function readElement(source) {
  const [, comment, className] =
    source.match(/\/\*\*((?:(?!\*\/)[^])*@tag (?:(?!\*\/)[^])*)\*\/\s*export class (\w+)/) ?? [];
  if (!className) throw new Error("no class with a comment that has @tag");
  const [description, ...lines] = comment
    .replace(/^ *\* ?/gm, "")
    .trim()
    .split(/\s*\n(?=@)/);
  const element = { className, description, attributes: [], events: [], slots: [] };
  for (const line of lines) {
    const [, kind, type, name, text] = line.match(/^@(\w+)(?: \{(.*?)\})? ([\w-]+)(?: - ([^]+))?$/) ?? [];
    const list = { attr: "attributes", event: "events", slot: "slots" }[kind];
    if (kind === "tag") element.tag = name;
    else if (list && text) element[list].push({ name, ...(type && { type: { text: type } }), description: text });
    else throw new Error(`class comment of ${className}: cannot read '${line}'`);
  }
  return element;
}

/** Attributes that have no property of their own beside them: one is HTML's, the other an attribute only. */
const isParam = ({ name }) => name !== "lang" && name !== "theme";

export function manifestOf(elements, module, registering) {
  const declaration = ({ className, tag, description, attributes, events, slots }) => ({
    kind: "class",
    name: className,
    description,
    customElement: true,
    tagName: tag,
    superclass: { name: "HTMLElement" },
    attributes: attributes.map(attribute =>
      isParam(attribute) ? { ...attribute, fieldName: attribute.name } : attribute,
    ),
    members: attributes
      .filter(isParam)
      .map(({ name, type, description: text }) => ({ kind: "field", name, type, description: text, attribute: name })),
    events,
    slots,
  });
  return {
    schemaVersion: "2.1.0",
    modules: [
      {
        kind: "javascript-module",
        path: module,
        declarations: elements.map(declaration),
        exports: elements.map(({ className: name }) => ({ kind: "js", name, declaration: { name } })),
      },
      {
        kind: "javascript-module",
        path: registering,
        exports: elements.map(({ className, tag: name }) => ({
          kind: "custom-element-definition",
          name,
          declaration: { name: className, module },
        })),
      },
    ],
  };
}

/** Types of the details of its events. */
export const detailsOf = ({ events }) => [...new Set(events.map(({ type }) => type.text.match(/<(\w+)>/)[1]))];

/** What a page sees of the class, in TypeScript; the types of its events' details come from the state beside it. */
export function declarationOf({ className, tag, description, attributes, events }) {
  const property = ({ name, type, description: text }) => `  /** ${text} */
  get ${name}(): ${type.text};
  set ${name}(value: string | number | readonly unknown[] | null);`;
  return `import type { ${detailsOf({ events }).join(", ")} } from "./state.ts";

/** Events of the element beside those of HTML. */
export interface ${className}Events extends HTMLElementEventMap {
${events.map(({ name, type, description: text }) => `  /** ${text} */\n  "${name}": ${type.text};`).join("\n")}
}

/** ${description} */
export declare class ${className} extends HTMLElement {
  /** Names of the parameters; each is an attribute and a property. */
  static readonly params: readonly string[];
${attributes.filter(isParam).map(property).join("\n")}
  addEventListener<Type extends keyof ${className}Events>(type: Type, listener: (this: ${className}, event: ${className}Events[Type]) => unknown, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Type extends keyof ${className}Events>(type: Type, listener: (this: ${className}, event: ${className}Events[Type]) => unknown, options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "${tag}": ${className};
  }
}
`;
}
