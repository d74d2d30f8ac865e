// The command line in C, c/cli, run as it is: lab, top, draw, compare, generate, their help, and what is wrong with a
// call. Only what it asks for of files is read and written here.
import { readFileSync, writeFileSync } from "node:fs";
import bytes from "../../build/wasm/cli.wasm";
import { readRow, unsaid, type Chosen } from "./cli-row.ts";
import { loadModels, models } from "./cli-models.ts";
import { clean } from "./options.ts";
import { run } from "./wasi.ts";

type Print = (part: Uint8Array) => void;
type Row = Float32Array | { readonly problem: string };

/** What read_row returns where there is a message and no row. */
const NO_ROW = 0xffffffff;

/** The program asks for a row or a model, which is read while it does not run. */
class Wanted {
  readonly path: string;
  readonly chosen: Chosen | null;
  constructor(path: string, chosen: Chosen | null) {
    this.path = path;
    this.chosen = chosen;
  }
}

/** Runs it and returns its status: what it says goes to stderr, what it prints to `print`, both at once. It asks for its row
    and its model before it prints, and starts again once they are there: so it alone knows which of its arguments name a
    file. */
export async function program(args: readonly string[], print: Print): Promise<number> {
  const module = await WebAssembly.compile(bytes);
  let row: Row | undefined;
  for (;;)
    try {
      return runWith(module, args, print, row);
    } catch (error) {
      if (!(error instanceof Wanted)) throw error;
      if (!error.chosen) {
        await loadModels();
        continue;
      }
      row = await readRow(error.path, error.chosen).catch((wrong: Error) => ({ problem: clean(wrong.message) }));
    }
}

function runWith(module: WebAssembly.Module, args: readonly string[], print: Print, row: Row | undefined): number {
  return run(module, {
    args: ["sampling-lab", ...args],
    write: (stream, part) => (stream === 1 ? print(part) : void process.stderr.write(part)),
    isTerminal: stream => Boolean((stream === 1 ? process.stdout : process.stderr).isTTY),
    imports: memory => ({
      host: {
        // see c/wasm/cli_row.c
        read_row(path: number, tensor: number, number: number, to: number, message: number, room: number): number {
          const text = (at: number) => textAt(memory(), at);
          if (!row) throw new Wanted(text(path)!, { tensor: text(tensor), row: text(number) });
          if (!(row instanceof Float32Array)) return refuse(row.problem, new Uint8Array(memory(), message, room));
          new Float32Array(memory(), to, row.length).set(row);
          return row.length;
        },
        read_file(path: number, isModel: number, to: number, room: number, message: number, length: number): number {
          const name = textAt(memory(), path)!;
          if (isModel && !models()) throw new Wanted(name, null);
          try {
            const found = (isModel ? models()?.get(name) : undefined) ?? readFileSync(name);
            new Uint8Array(memory(), to, room).set(found.subarray(0, room));
            return found.length;
          } catch (error) {
            return refuse(unsaid(error as Error, name), new Uint8Array(memory(), message, length));
          }
        },
        write_file(path: number, from: number, size: number, message: number, length: number): number {
          const name = textAt(memory(), path)!;
          try {
            writeFileSync(name, new Uint8Array(memory(), from, size));
            return 0;
          } catch (error) {
            return refuse(unsaid(error as Error, name), new Uint8Array(memory(), message, length));
          }
        },
      },
    }),
  });
}

/** The message as a text of C, as much of it as there is room for. */
function refuse(message: string, room: Uint8Array): number {
  room[new TextEncoder().encodeInto(message, room.subarray(0, -1)).written] = 0;
  return NO_ROW;
}

/** A text of C; undefined where there is none. */
function textAt(memory: ArrayBuffer, at: number): string | undefined {
  const text = new Uint8Array(memory, at);
  return at ? new TextDecoder().decode(text.subarray(0, text.indexOf(0))) : undefined;
}
