// Chinese of what the page for frames says if its address is wrong; not part of the script.
import { quoteIn } from "./language.ts";

const quote = quoteIn("zh");

export const texts = {
  unknownElement: (found: string, allowed: string) => `网址的 element 写的是${quote(found)}，只能是 ${allowed}。`,
  unknownParam: (found: string, allowed: string) => `网址里的${quote(found)}不起作用，可用的参数是 ${allowed}。`,
  badWord: (name: string, found: string, allowed: string) =>
    `网址的 ${name} 写的是${quote(found)}，不起作用，只能是 ${allowed}。`,
  noScript: "旁边缺少 sampling-lab.js，实验没有加载。",
};

export type Texts = typeof texts;
