// What the bundler makes of files that are not TypeScript.
declare module "*.wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
declare module "*.css" {
  const text: string;
  export default text;
}
