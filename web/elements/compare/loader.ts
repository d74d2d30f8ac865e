// The reader's own file: what it holds, and the row that is taken from it. Whatever is wrong leaves the last right row.
import { signal } from "@preact/signals-core";
import { openFile, rowOf, tensorOf } from "../../files/open.ts";
import { FileError, type FileProblem } from "../../files/problem.ts";
import type { Contents, Tensor } from "../../files/source.ts";
import type { Row } from "../../compare/row.ts";

export type Loaded = {
  readonly contents: Contents;
  readonly tensor: Tensor;
  /** Which of its rows. */
  readonly index: number;
  readonly row: Row;
  /** Numbers that no 32-bit float holds exactly. */
  readonly rounded: number;
};

export type Loading = {
  readonly loaded: Loaded | null;
  /** The number of a row, as typed. */
  readonly typed: string;
  /** What is wrong with the file, or with the row that was asked for. */
  readonly problem: FileProblem | null;
  /** The file that the problem is about. */
  readonly name: string;
};

const nothing: Loading = { loaded: null, typed: "0", problem: null, name: "" };

export class Loader {
  readonly state = signal<Loading>(nothing);
  #latest: object = {};

  /** Takes the first row of the first tensor that has rows. True if that came to an end that still counts. */
  open(file: File): Promise<boolean> {
    const read = async (from: number, to: number) => new Uint8Array(await file.slice(from, to).arrayBuffer());
    return this.#take(file.name, "0", async () => {
      const contents = await openFile({ name: file.name, size: file.size, read });
      return [contents, tensorOf(contents)];
    });
  }

  /** Takes another row of what is open. */
  choose(typed: string, name?: string): Promise<boolean> {
    const { loaded } = this.state.peek();
    if (!loaded) return Promise.resolve(false);
    const { contents, tensor } = loaded;
    return this.#take(contents.name, typed, async () => [
      contents,
      name === undefined ? tensor : tensorOf(contents, name),
    ]);
  }

  close(): void {
    this.#latest = {};
    this.state.value = nothing;
  }

  /** What was asked for later wins, whenever it comes. */
  async #take(name: string, typed: string, find: () => Promise<[Contents, Tensor]>): Promise<boolean> {
    const mine = (this.#latest = {}),
      before = this.state.peek();
    const next = await find()
      .then(async ([contents, tensor]): Promise<Loading> => {
        const { row: logits, rounded } = await rowOf(tensor, typed.trim());
        return {
          loaded: { contents, tensor, index: Number(typed), rounded, row: { kind: "file", name, logits } },
          typed,
          problem: null,
          name,
        };
      })
      .catch((error: unknown): Loading => {
        if (!(error instanceof FileError)) throw error;
        return { ...before, typed, problem: error.problem, name };
      });
    if (this.#latest !== mine) return false;
    this.state.value = next;
    return true;
  }
}
