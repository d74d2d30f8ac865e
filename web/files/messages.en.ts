// English of what can be wrong with a file of logits. Written, not translated.
import { quoteIn } from "../i18n/language.ts";
import languages from "../i18n/languages.json";
import { DTYPES, ENDINGS, FEW, firstOf, LIMITS, type FileProblem } from "./problem.ts";

const quote = quoteIn("en"),
  { list } = languages.en;

/** What was found, and what is taken. */
export function fileProblem(problem: FileProblem): string {
  switch (problem.kind) {
    case "ending":
      return `${quote(problem.found)} is not a file of logits. Allowed: ${ENDINGS.join(list)}.`;
    case "unreadable":
      return `It cannot be read: ${problem.found}`;
    case "empty":
      return "It holds no number. At least one is needed.";
    case "multiple":
      return `It has ${problem.bytes} bytes, not a multiple of 4. A .f32 has 4 bytes a number, little-endian.`;
    case "magic":
      return problem.format === "npy"
        ? "It does not begin as NumPy's .npy does."
        : `It begins as NumPy's .npy does and is named .${problem.format}.`;
    case "version":
      return `It is a .npy of version ${problem.found}. Allowed: 1 to 3.`;
    case "header":
      return `Its header has ${problem.bytes} bytes. Allowed: at most ${problem.allowed}.`;
    case "broken":
      return `Not valid ${problem.format.toUpperCase()} at ${quote(problem.near)}.${problem.format === "json" ? ' Allowed: an array of numbers, or {"logits": [numbers]}.' : " Save it again."}`;
    case "repeated":
      return `${quote(problem.key)} stands in it twice. Allowed: once.`;
    case "deep":
      return `Its brackets are nested more than ${LIMITS.depth} deep. Allowed: at most ${LIMITS.depth}.`;
    case "truncated":
      return `It ends early: ${problem.needed} bytes are needed, ${problem.found} are there.`;
    case "trailing":
      return `It goes on after its end: ${problem.needed} bytes are needed, ${problem.found} are there.`;
    case "offsets":
      return `Tensor ${quote(problem.tensor)} lies at ${problem.found}, which is wrong. Tensors fit their shapes and follow each other without gap or overlap.`;
    case "dtype":
      return `Its numbers are of type ${problem.found}. Allowed: ${DTYPES[problem.format].join(list)}.`;
    case "shape":
      return `Its shape is ${problem.found}. Allowed: whole numbers from 0, whose product does not overflow.`;
    case "dimensions":
      return `It has ${problem.found} dimensions. Allowed: one, or one row of two.`;
    case "fortran":
      return "It is stored column by column (Fortran order). Store it by rows first: numpy.ascontiguousarray.";
    case "tooMany":
      return `A row has ${problem.found} numbers. Allowed: at most ${LIMITS.entries}.`;
    case "tooLong":
      return `It has ${problem.bytes} bytes. Allowed in a .json: at most ${LIMITS.json}; save larger ones as .npy.`;
    case "noRow":
      return `No tensor in it holds a row. Allowed: ${DTYPES.safetensors.join(list)}, one dimension or two.`;
    case "tensor":
      return `It has no tensor ${quote(problem.found)}. Allowed: ${some(problem.names)}.`;
    case "row":
      return `It has no row ${problem.found}. Allowed: 0 to ${problem.count - 1}.`;
    case "entry":
      return `Entry ${problem.index} (from 0) is ${problem.found}, which is no number.`;
    case "nan":
      return `Entry ${problem.index} (from 0) is NaN. Allowed: finite numbers and −∞.`;
    case "infinite":
      return `Entry ${problem.index} (from 0) is +∞. Allowed: finite numbers and −∞.`;
    case "tooLarge":
      return `Entry ${problem.index} (from 0) is ${problem.found}, too large for a 32-bit float.`;
    case "masked":
      return "Every number in it is −∞. At least one must be finite.";
  }
}

/** A few names, and how many more there are. */
const some = (names: readonly string[]): string =>
  firstOf(names).join(list) + (names.length > FEW ? ` and ${names.length - FEW} more` : "");
