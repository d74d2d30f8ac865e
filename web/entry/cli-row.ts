// A row of a file, for the command line.
import { open, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { fileProblem } from "../files/messages.en.ts";
import { openFile, rowOf, tensorOf } from "../files/open.ts";
import { FileError } from "../files/problem.ts";

/** Which row: of a tensor with a name, or the first that holds rows; numbered from 0. */
export type Chosen = { readonly tensor?: string | undefined; readonly row?: string | undefined };

/** Read where it lies. Throws an Error that says what is wrong. */
export async function readRow(path: string, { tensor, row = "0" }: Chosen = {}): Promise<Float32Array> {
  if (!(await stat(path).catch(failed(path))).isFile())
    throw new Error("this is no file of logits, but a folder or a device");
  const handle: FileHandle = await open(path).catch(failed(path));
  try {
    const read = async (from: number, to: number) => {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(to - from), 0, to - from, from);
      return buffer.subarray(0, bytesRead);
    };
    return (
      await rowOf(
        tensorOf(await openFile({ name: basename(path), size: (await handle.stat()).size, read }), tensor),
        row,
      )
    ).row;
  } catch (error) {
    throw error instanceof FileError ? new Error(fileProblem(error.problem)) : error;
  } finally {
    await handle.close();
  }
}

/** What the system says, without the path that the caller names anyway. */
export const unsaid = (error: Error, path: string): string =>
  error.message.replace(` '${path}'`, "").replace(/, (stat|open|read)$/, "");

const failed =
  (path: string) =>
  (error: Error): never => {
    throw new Error(unsaid(error, path));
  };
