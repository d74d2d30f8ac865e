// A setting as the fragment of a link: `smp=KEY&name=value&...`, KEY telling which element of the page it is for.

/** The fragment that holds the parameters of one element. */
export function fragmentOf(key: string, params: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ smp: key, ...params }).toString();
}

/** The parameters that a fragment (with or without #) holds for an element; none if it is for another. */
export function paramsOf(fragment: string, key: string, names: readonly string[]): readonly (readonly [name: string, value: string])[] {
  const found = new URLSearchParams(fragment.replace(/^#/, ""));
  return found.get("smp") === key ? names.flatMap(name => (found.has(name) ? [[name, found.get(name)!] as const] : [])) : [];
}
