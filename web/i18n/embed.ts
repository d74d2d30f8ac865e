// What the page for frames says if its address is wrong; not part of the script. Every language has the same keys.
const zh = {
  unknownElement: (found: string, allowed: string) => `网址的 element 写的是“${found}”，只能是 ${allowed}。`,
  unknownParam: (found: string, allowed: string) => `网址里的“${found}”没有用，可用的参数是 ${allowed}。`,
  badWord: (name: string, found: string, allowed: string) => `网址的 ${name} 写的是“${found}”，没有用，只能是 ${allowed}。`,
  noScript: "旁边缺少 sampling-lab.js，实验没有加载。",
};

const en: typeof zh = {
  unknownElement: (found, allowed) => `The address says element=“${found}”; allowed: ${allowed}.`,
  unknownParam: (found, allowed) => `The address has “${found}”, which is ignored; allowed: ${allowed}.`,
  badWord: (name, found, allowed) => `The address says ${name}=“${found}”, which is ignored; allowed: ${allowed}.`,
  noScript: "sampling-lab.js is missing beside this page: the experiment is not loaded.",
};

export type Texts = typeof zh;
export const texts = { zh, en } as const;
