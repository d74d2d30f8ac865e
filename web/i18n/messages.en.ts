// English of what all elements say. Same keys as the Chinese; written, not translated.
import type { Problem } from "../ui/numbers.ts";
import { quoteIn } from "./language.ts";
import languages from "./languages.json";
import type { Messages } from "./messages.zh.ts";

const quote = quoteIn("en");

export const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

export const sentence = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

export function fault(problem: Problem): string {
  const place = "index" in problem && problem.index !== undefined ? `number ${problem.index + 1}, ` : "";
  switch (problem.kind) {
    case "empty":
      return "This field is empty";
    case "notNumber":
      return `${place}${quote(problem.text)} is not a number`;
    case "tooMany":
      return `${problem.found} numbers are too many`;
    case "tooLong":
      return `More than ${problem.most} characters`;
    case "outOfRange":
      return `${place}${problem.text} is out of range`;
    case "negative":
      return "It must not be negative";
    case "infinite":
      return "Too large for double precision";
    case "notWhole":
      return `${problem.text} is not a whole number`;
    case "aboveCount":
      return `With ${many(problem.count, "candidate")}, k cannot be ${problem.text}`;
    case "reachesOne":
      return `${problem.text} is too large: u stays below 1`;
    case "notASeed":
      return `${quote(problem.text)} is not a seed`;
  }
}

export const messages: Messages = {
  lang: "en",
  ...languages.en,
  inputs: "Inputs",
  unchanged: text => `Unchanged: ${text}`,
  stale: "Below is still the result of the last valid input.",
  presets: {
    label: "Presets",
    more: "More",
    back: "Reset",
  },
  quiz: {
    label: "Guess first",
    skip: "Skip",
    close: "Close",
    veiled: "Shown once you have guessed",
  },
  steps: {
    again: "Restart",
    back: "Back",
    forward: "Next",
    all: "To the end",
  },
  exports: {
    label: "Share and export",
    link: "Copy link",
    csv: "Table as CSV",
    svg: "Figure as SVG",
    copied: "Link copied; it opens this setting.",
    copyThis: "Copying is not allowed; copy this line by hand:",
    saved: name => `Saved as ${name}, with this content:`,
  },
  blocked: {
    policy:
      "This page’s security policy forbids WebAssembly: script-src needs 'wasm-unsafe-eval'. Below is a worked example.",
    browser:
      "This browser cannot run WebAssembly with SIMD; the script sampling-lab.compat.js needs no SIMD. Below is a worked example.",
  },
};
