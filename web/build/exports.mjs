// Prints wasm-metadce's graph for a module: its memory, the start of a program and every smp_ function stay, but for
// those of the second argument, a pattern; all else may go.
import { readFileSync } from "node:fs";

const [path, without] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(path));
const names = WebAssembly.Module.exports(module)
  .map(item => item.name)
  .filter(name => /^(memory|_start|smp_\w+)$/.test(name));
const kept = without ? names.filter(name => !new RegExp(without).test(name)) : names;
console.log(JSON.stringify(kept.map(name => ({ name, root: true, export: name }))));
