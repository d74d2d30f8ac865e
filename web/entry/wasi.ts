// What a C program asks of the system it runs on (WASI preview 1), as far as the command line does: its arguments, two
// streams to write to, its end. Nothing to read from, no files, no clock. Own, since the packages that offer it count
// letters where an argument is written in bytes, or take no bytes, or know no terminal; node:wasi wants a flag before
// Node 20.

export type System = {
  readonly args: readonly string[];
  readonly write: (stream: number, bytes: Uint8Array) => void;
  readonly isTerminal: (stream: number) => boolean;
  /** Further imports of the program, of other modules. */
  readonly imports: (memory: () => ArrayBuffer) => WebAssembly.Imports;
};

const DONE = 0,
  NO_STREAM = 8,
  NO_SEEK = 70;
const CHARACTER_DEVICE = 2;
/** Bytes of what WASI says of a stream: what it is, flags, rights. */
const STREAM_SIZE = 24;

class Exit {
  readonly status: number;
  constructor(status: number) {
    this.status = status;
  }
}

/** Runs the program to its end; returns its status. What else an import throws comes through. */
export function run(module: WebAssembly.Module, { args, write, isTerminal, imports }: System): number {
  const encoder = new TextEncoder(),
    words = args.map(arg => encoder.encode(`${arg}\0`));
  const memory = (): ArrayBuffer => (exports.memory as WebAssembly.Memory).buffer,
    store = (at: number, value: number): void => new DataView(memory()).setUint32(at, value, true);
  const known = (stream: number): boolean => stream === 1 || stream === 2;
  const wasi = {
    args_sizes_get(count: number, size: number): number {
      store(count, words.length);
      store(
        size,
        words.reduce((sum, word) => sum + word.length, 0),
      );
      return DONE;
    },
    args_get(pointers: number, to: number): number {
      words.forEach((word, index) => {
        store(pointers + 4 * index, to);
        new Uint8Array(memory()).set(word, to);
        to += word.length;
      });
      return DONE;
    },
    fd_write(stream: number, parts: number, count: number, written: number): number {
      if (!known(stream)) return NO_STREAM;
      const view = new DataView(memory());
      let sum = 0;
      for (let at = parts; at < parts + 8 * count; at += 8) {
        const from = view.getUint32(at, true),
          size = view.getUint32(at + 4, true);
        if (size) write(stream, new Uint8Array(memory()).slice(from, from + size));
        sum += size;
      }
      store(written, sum);
      return DONE;
    },
    fd_fdstat_get(stream: number, at: number): number {
      if (!known(stream)) return NO_STREAM;
      const found = new Uint8Array(memory(), at, STREAM_SIZE).fill(0);
      if (isTerminal(stream)) found[0] = CHARACTER_DEVICE;
      return DONE;
    },
    fd_seek: () => NO_SEEK,
    fd_close: () => DONE,
    proc_exit(status: number): never {
      throw new Exit(status);
    },
  };
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi, ...imports(memory) });
  try {
    (exports._start as () => void)();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.status;
    throw error;
  }
}
