// Chinese of what all elements say, and of numbers that are not understood: the source. The other
// languages have the same keys, checked by types.
import type { Problem } from "../ui/numbers.ts";
import { quoteIn } from "./language.ts";
import languages from "./languages.json";

const quote = quoteIn("zh");

export function fault(problem: Problem): string {
  const place = "index" in problem && problem.index !== undefined ? `第 ${problem.index + 1} 个数` : "";
  switch (problem.kind) {
    case "empty":
      return "还没有填";
    case "notNumber":
      return `${place}${quote(problem.text)}不是数`;
    case "tooMany":
      return `填了 ${problem.found} 个数，太多`;
    case "tooLong":
      return `超过 ${problem.most} 个字符`;
    case "outOfRange":
      return `${place} ${problem.text} 超出范围`.trimStart();
    case "negative":
      return "不能是负数";
    case "infinite":
      return "超出双精度范围";
    case "notWhole":
      return `${problem.text} 不是整数`;
    case "aboveCount":
      return `只有 ${problem.count} 个候选，k 不能是 ${problem.text}`;
    case "reachesOne":
      return `${problem.text} 太大，u 要小于 1`;
    case "notASeed":
      return `${quote(problem.text)}不能作种子`;
  }
}

export const messages = {
  lang: "zh",
  ...languages.zh,
  inputs: "输入",
  unchanged: (text: string) => `不变：${text}`,
  stale: "下面仍是上次有效输入的结果。",
  presets: {
    label: "预设",
    more: "更多",
    back: "回到预设",
  },
  quiz: {
    label: "先猜",
    skip: "跳过",
    close: "收起",
    veiled: "先猜，猜完就看得到",
  },
  steps: {
    again: "重来",
    back: "上一步",
    forward: "下一步",
    all: "走完",
  },
  exports: {
    label: "分享与导出",
    link: "复制链接",
    csv: "表存为 CSV",
    svg: "图存为 SVG",
    copied: "链接已复制，打开就是现在这组参数。",
    copyThis: "这里不能自动复制，手动复制下面这行：",
    saved: (name: string) => `已存为 ${name}，内容如下。`,
  },
  blocked: {
    policy: "页面的安全策略不允许运行 WebAssembly：script-src 要加上 'wasm-unsafe-eval'。下面是算好的例子。",
    browser:
      "这个浏览器不能运行带 SIMD 的 WebAssembly；换用脚本 sampling-lab.compat.js 就不需要 SIMD。下面是算好的例子。",
  },
};

export type Messages = typeof messages;
