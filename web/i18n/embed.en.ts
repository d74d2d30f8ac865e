// English of the page for frames. Same keys as the Chinese.
import type { Texts } from "./embed.zh.ts";
import { quoteIn } from "./language.ts";

const quote = quoteIn("en");

export const texts: Texts = {
  unknownElement: (found, allowed) => `The address says element=${quote(found)}; allowed: ${allowed}.`,
  unknownParam: (found, allowed) => `The address has ${quote(found)}, which is ignored; allowed: ${allowed}.`,
  badWord: (name, found, allowed) => `The address says ${name}=${quote(found)}, which is ignored; allowed: ${allowed}.`,
  noScript: "sampling-lab.js is missing beside this page: the experiment is not loaded.",
};
