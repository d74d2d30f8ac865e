// Prints wasm-metadce's graph for a module: its memory and the functions whose names begin with smp_ and match the second
// argument, if there is one, stay; all else may go.
import { readFileSync } from "node:fs";

const [path, pattern = ""] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(path));
const kept = new RegExp(`^(memory|smp_${pattern}\\w*)$`);
const names = WebAssembly.Module.exports(module).map(item => item.name).filter(name => kept.test(name));
console.log(JSON.stringify(names.map(name => ({ name, root: true, export: name }))));
