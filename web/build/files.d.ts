// What the bundler makes of files that are not TypeScript.
declare module "*.wasm" {
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
