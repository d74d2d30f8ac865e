// Chinese of what can be wrong with a file of logits: the source.
import { quoteIn } from "../i18n/language.ts";
import languages from "../i18n/languages.json";
import { DTYPES, ENDINGS, FEW, firstOf, LIMITS, type FileProblem } from "./problem.ts";

const quote = quoteIn("zh"),
  { list } = languages.zh;

/** What was found, and what is taken. */
export function fileProblem(problem: FileProblem): string {
  switch (problem.kind) {
    case "ending":
      return `不认识${quote(problem.found)}。可用 ${ENDINGS.join(list)}。`;
    case "unreadable":
      return `读不出来：${problem.found}`;
    case "empty":
      return "里面一个数也没有。至少要一个。";
    case "multiple":
      return `共 ${problem.bytes} 字节，不是 4 的倍数。.f32 里每个数占 4 字节，小端。`;
    case "magic":
      return `内容与扩展名不符：不${problem.format === "npy" ? "是 NumPy 的 .npy" : `像 .${problem.format}，而是 NumPy 的 .npy`}。`;
    case "version":
      return `.npy 版本 ${problem.found}。可用 1 到 3。`;
    case "header":
      return `文件头长 ${problem.bytes} 字节。至多 ${problem.allowed}。`;
    case "broken":
      return `.${problem.format} 写得不对，在${quote(problem.near)}。${problem.format === "json" ? '可用数的数组，或 {"logits": [数, …]}。' : "重新保存。"}`;
    case "repeated":
      return `${quote(problem.key)}写了两次。只能写一次。`;
    case "deep":
      return `括号套了 ${LIMITS.depth} 层以上。至多 ${LIMITS.depth} 层。`;
    case "truncated":
      return `文件不完整：应有 ${problem.needed} 字节，只有 ${problem.found}。`;
    case "trailing":
      return `文件太长：应有 ${problem.needed} 字节，却有 ${problem.found}。`;
    case "offsets":
      return `张量${quote(problem.tensor)}的位置 ${problem.found} 不对。张量要与形状相符，首尾相接，不重叠，不留空。`;
    case "dtype":
      return `数的类型是 ${problem.found}。可用 ${DTYPES[problem.format].join(list)}。`;
    case "shape":
      return `形状 ${problem.found} 不对。每一维都是非负整数，乘积不能溢出。`;
    case "dimensions":
      return `有 ${problem.found} 维。可用一维，或二维中的一行。`;
    case "fortran":
      return "二维数组按列存放（Fortran 次序）。请先用 numpy.ascontiguousarray 按行存放。";
    case "tooMany":
      return `一行有 ${problem.found} 个数。至多 ${LIMITS.entries}。`;
    case "tooLong":
      return `共 ${problem.bytes} 字节。.json 至多 ${LIMITS.json}，更大的请存成 .npy。`;
    case "noRow":
      return `没有能用的张量。可用 ${DTYPES.safetensors.join(list)}，一维或二维。`;
    case "tensor":
      return `没有张量${quote(problem.found)}。可用 ${some(problem.names)}。`;
    case "row":
      return `没有第 ${problem.found} 行。可填 0 到 ${problem.count - 1}。`;
    case "entry":
      return `第 ${problem.index} 个（从 0 数）是 ${problem.found}，不是数。`;
    case "nan":
      return `第 ${problem.index} 个（从 0 数）是 NaN。可用有限的数与 −∞。`;
    case "infinite":
      return `第 ${problem.index} 个（从 0 数）是 +∞。可用有限的数与 −∞。`;
    case "tooLarge":
      return `第 ${problem.index} 个（从 0 数）是 ${problem.found}，float32 装不下。`;
    case "masked":
      return "全是 −∞。至少要有一个有限的数。";
  }
}

/** A few names, and how many there are. */
const some = (names: readonly string[]): string =>
  firstOf(names).join(list) + (names.length > FEW ? ` 等 ${names.length} 个` : "");
