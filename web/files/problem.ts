// What can be wrong with a file that should hold a row of logits. The sentences stand in messages.*.ts.

export const LIMITS = {
  entries: 2 ** 20,
  npyHeader: 2 ** 16,
  safetensorsHeader: 2 ** 20,
  json: 2 ** 25,
  depth: 64,
} as const;

/** Names of files end so; what lies inside must agree. */
export const ENDINGS = [".f32", ".npy", ".safetensors", ".json"] as const;
export type Format = "f32" | "npy" | "safetensors" | "json";

/** Types of numbers that are read, as each format names them. */
export const DTYPES = { npy: ["f2", "f4", "f8"], safetensors: ["F32", "F16", "BF16"] } as const;

export type FileProblem =
  | { readonly kind: "ending"; readonly found: string }
  | { readonly kind: "unreadable"; readonly found: string }
  | { readonly kind: "empty" }
  | { readonly kind: "multiple"; readonly bytes: number }
  /** It does not begin as its ending says. */
  | { readonly kind: "magic"; readonly format: Format }
  | { readonly kind: "version"; readonly found: number }
  /** The header is longer than any that describes logits, or does not fit into the file. */
  | { readonly kind: "header"; readonly bytes: string; readonly allowed: number }
  | { readonly kind: "broken"; readonly format: Format; readonly near: string }
  | { readonly kind: "repeated"; readonly key: string }
  /** Brackets within brackets: more than any format of logits has. */
  | { readonly kind: "deep" }
  /** Bytes that the header asks for, and bytes that are there. */
  | { readonly kind: "truncated" | "trailing"; readonly needed: number; readonly found: number }
  | { readonly kind: "offsets"; readonly tensor: string; readonly found: string }
  | { readonly kind: "dtype"; readonly format: keyof typeof DTYPES; readonly found: string }
  | { readonly kind: "shape"; readonly found: string }
  | { readonly kind: "dimensions"; readonly found: number }
  | { readonly kind: "fortran" }
  | { readonly kind: "tooMany"; readonly found: number }
  | { readonly kind: "tooLong"; readonly bytes: number }
  | { readonly kind: "noRow" }
  | { readonly kind: "tensor"; readonly found: string; readonly names: readonly string[] }
  | { readonly kind: "row"; readonly found: string; readonly count: number }
  | { readonly kind: "entry"; readonly index: number; readonly found: string }
  | { readonly kind: "nan" | "infinite"; readonly index: number }
  | { readonly kind: "tooLarge"; readonly index: number; readonly found: string }
  | { readonly kind: "masked" };

/** The only thing that reading a file throws. */
export class FileError extends Error {
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(problem.kind);
    this.name = "FileError";
    this.problem = problem;
  }
}

export const fail = (problem: FileProblem): never => {
  throw new FileError(problem);
};

/** The first characters of someone's text, fit for a sentence and for a terminal: no control characters, and none that
    turn the direction of the text. */
export const shown = (text: string, most = 40): string =>
  (text.length > most ? `${text.slice(0, most)}…` : text).replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, " ");

/** Names that a sentence lists at most. */
export const FEW = 8;

export const firstOf = (names: readonly string[]): string[] => names.slice(0, FEW).map(name => shown(name, 60));
