// An anywidget module: a notebook's widget shows one element, and its configuration and the model's traits follow each
// other. A trait is named as the parameter it holds; `element` says which experiment. Traits a model
// lacks play no part.
import { define } from "./define.ts";
import { elements } from "./first.elements.ts";
import { names } from "./names.ts";

/** What this needs of a model: the part of anywidget's interface. */
export type Model = {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, heard: () => void): void;
  off(event: string, heard: () => void): void;
};
type Widget = HTMLElement & Record<string, unknown>;
type Detail = { readonly config: Readonly<Record<string, unknown>> | null };

/** Shows the element in `el`. Returns what takes it away again. */
function render({ model, el }: { readonly model: Model; readonly el: HTMLElement }): () => void {
  const name = model.get("element") ?? names[0];
  if (!names.some(each => each === name)) {
    el.textContent = `sampling-lab: found element = ${String(name).slice(0, 40)}; allowed: ${names.join(", ")}`;
    return () => el.replaceChildren();
  }
  define(elements, "smp");
  const tag = `smp-${name}`,
    widget = document.createElement(tag) as Widget;
  const found = customElements.get(tag) as CustomElementConstructor & Record<"params" | "layout", readonly string[]>,
    params = [...found.params, ...found.layout];
  let own = false; // while the model is told, its changes are no news

  const heard = [...params, "lang", "theme"].map(param => {
    const attribute = !params.includes(param);
    const take = () => {
      const value = model.get(param);
      if (own || value === undefined) return;
      if (!attribute) widget[param] = value;
      else if (value === null) widget.removeAttribute(param);
      else widget.setAttribute(param, String(value));
    };
    take();
    model.on(`change:${param}`, take);
    return () => model.off(`change:${param}`, take);
  });

  /** Only what is valid reaches the model, as the kind of value that it holds: a number, a list, or text. */
  const tell = (event: Event) => {
    const { config } = (event as CustomEvent<Detail>).detail;
    if (!config) return;
    own = true;
    for (const param of found.params) {
      const held = model.get(param),
        text = String(widget[param]);
      if (held === undefined) continue;
      model.set(param, typeof held === "number" ? Number(text) : Array.isArray(held) ? config[param] : text);
    }
    own = false;
    model.save_changes();
  };
  widget.addEventListener("smp-change", tell);

  el.append(widget);
  return () => {
    for (const forget of heard) forget();
    widget.remove();
  };
}

export default { render };
