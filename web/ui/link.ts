// A setting as the fragment of a link: `smp=KEY&name=value&...`, KEY telling which element of the page it is for.

/** The fragment that holds the parameters of one element. */
export function fragmentOf(key: string, params: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ smp: key, ...params }).toString();
}

/** Read once for all elements of a page. */
let last: { readonly fragment: string; readonly found: URLSearchParams } | undefined;

/** The parameters that a fragment (with or without #) holds for an element; none if it is for another. */
export function paramsOf(
  fragment: string,
  key: () => string,
  names: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  if (last?.fragment !== fragment) last = { fragment, found: new URLSearchParams(fragment.replace(/^#/, "")) };
  const { found } = last;
  if (!found.has("smp") || found.get("smp") !== key()) return [];
  return names.flatMap(name => (found.has(name) ? [[name, found.get(name)!] as const] : []));
}

/** What a link calls an element of the page: its id, or its name and number; within a shadow tree after the names of
    its hosts. An id that reads like the name and number of another element is none, nor is one with a space. */
export function keyOf(element: Element): string {
  const { id } = element,
    taken = customElements.get(id.replace(/-\d+$/, "")) !== undefined;
  return [...placeOf(element).slice(0, -1), id && !taken && !/\s/.test(id) ? id : placeOf(element).at(-1)].join(" ");
}

/** Name and number among its like, outermost host first. */
function placeOf(element: Element): string[] {
  const root = element.getRootNode(),
    inPage = root === element.ownerDocument,
    { localName } = element;
  const like: ArrayLike<Element> = (inPage ? Document : ShadowRoot).prototype.querySelectorAll.call(root, localName);
  const own = `${localName}-${1 + Array.prototype.indexOf.call(like, element)}`;
  return inPage ? [own] : [...placeOf((root as ShadowRoot).host), own];
}
