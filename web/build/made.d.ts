// What the bundler makes of files that are not TypeScript, and of the tables of languages and of elements.
declare module "*.wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module "*.safetensors" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.f32" {
  /** A row, and the position that it stands at; the formats are those of Position. */
  const position: { readonly row: string; readonly context: readonly number[]; readonly text: string };
  export default position;
}
declare module "*.txt" {
  const text: string;
  export default text;
}
declare module "*.languages" {
  type Lang = import("../i18n/language.ts").Lang;
  /** By language, what the file of each says; its type is that of the Chinese, which each file has to match. */
  export const messages: Readonly<Record<Lang, never>>;
  export const texts: Readonly<Record<Lang, never>>;
  export const heights: Readonly<Record<Lang, import("../elements/snippet.ts").Heights>>;
}
declare module "*.elements.ts" {
  export const elements: Readonly<Record<string, CustomElementConstructor>>;
}
declare module "*.snippets.ts" {
  export const snippets: Readonly<Record<string, import("../elements/snippet.ts").Snippet>>;
}
