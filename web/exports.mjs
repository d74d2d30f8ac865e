// Prints wasm-metadce's graph for a module: its memory and every smp_ function stay, all else may go.
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const names = WebAssembly.Module.exports(module).map(item => item.name).filter(name => /^(memory|smp_\w+)$/.test(name));
console.log(JSON.stringify(names.map(name => ({ name, root: true, export: name }))));
