// Light or dark, as the page around an element is.

/** The scheme that the page gives: "" where it is inherited through color-scheme, else what the text colour tells. */
export function inheritedScheme(host: Element): "" | "light" | "dark" {
  const { colorScheme, color } = getComputedStyle(host);
  if (colorScheme !== "normal") return "";
  return brightness(color) > 0.5 ? "dark" : "light";
}

/** From 0 to 1, of a computed colour: rgb(), color(), lab(), lch(), oklab() or oklch(). */
function brightness(color: string): number {
  const [first = 0, second = 0, third = 0] = (color.match(/(?<=[( ])[\d.]+/g) ?? []).map(Number);
  if (/^(ok)?l/.test(color)) return first / (color.startsWith("l") ? 100 : 1); // lightness comes first
  return (0.2126 * first + 0.7152 * second + 0.0722 * third) / (color.startsWith("rgb") ? 255 : 1);
}
