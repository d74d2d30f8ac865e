// The page around an element, as itself: in `document.x` an element of the page that is named x would
// stand in its place.

/** A property or a method of a document. */
export function ofDocument<Name extends keyof Document>(
  name: Name,
  of: Document = document,
): Document[Name] | undefined {
  return Reflect.get(Document.prototype, name, of) as Document[Name] | undefined;
}

/** The root elements of the page that an element stands in, however deep in shadow trees. */
export function pageRoots(element: Element): Element[] {
  const root = element.getRootNode();
  if (root !== element.ownerDocument) return pageRoots((root as ShadowRoot).host);
  return ["html", "body"].flatMap(name => element.closest(name) ?? []);
}
