// What an author leaves out of an experiment, and the level of its headings.
import { createContext, type ComponentChildren } from "preact";

/** Parts of an experiment, in the order of a wide page. */
export const PARTS = [
  "title",
  "presets",
  "inputs",
  "question",
  "figure",
  "steps",
  "table",
  "notes",
  "closing",
] as const;
export type PartName = (typeof PARTS)[number];

/** True if that part is shown. */
export type Shows = (part: PartName) => boolean;

/** The parts that a list of names means; all where it is empty; null if one of them is none. */
export function partsOf(text: string): ReadonlySet<PartName> | null {
  const names = text.split(/[\s,]+/).filter(Boolean) as PartName[];
  if (!names.every(name => PARTS.includes(name))) return null;
  return new Set(names.length ? names : PARTS);
}

/** Levels of the title; "none": neither it nor what stands below it is a heading. */
export const LEVELS = ["2", "1", "3", "4", "5", "6", "none"] as const;
export type Level = (typeof LEVELS)[number];

export const TitleLevel = createContext<Level>("2");

/** The title of an experiment, or with `sub` a heading a level below it. */
export function Heading({ sub = false, class: name, children }: HeadingProps) {
  return (
    <TitleLevel.Consumer>
      {level => {
        const Tag = level === "none" ? "p" : (`h${Math.min(Number(level) + Number(sub), 6)}` as "h2");
        return <Tag class={`${sub ? "sub" : "title"}${name ? ` ${name}` : ""}`}>{children}</Tag>;
      }}
    </TitleLevel.Consumer>
  );
}

type HeadingProps = { readonly sub?: boolean; readonly class?: string; readonly children: ComponentChildren };
