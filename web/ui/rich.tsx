// Sentences and candidates as elements.
import { Fragment, type ComponentChildren } from "preact";
import { isList, type Part } from "../i18n/rich.ts";

/** One shape per id, beside its colour: circle, triangle, square, diamond, triangle down, cross, hexagon, star. */
const SHAPES = [
  "M-5 0A5 5 0 1 1 5 0A5 5 0 1 1-5 0Z",
  "M0-5.5 5.6 4.6H-5.6Z",
  "M-4.6-4.6h9.2v9.2h-9.2Z",
  "M0-6 6 0 0 6-6 0Z",
  "M0 5.5 5.6-4.6H-5.6Z",
  "M-2-5.5h4V-2h3.5v4H2v3.5h-4V2h-3.5v-4H-2Z",
  "M-3-5.2h6L6 0 3 5.2h-6L-6 0Z",
  "M0-6 1.6-1.8 6-1.7 2.5 1 3.7 5.3 0 2.8-3.7 5.3-2.5 1-6-1.7-1.6-1.8Z",
] as const;

/** The mark of an id; decoration, its number always stands beside it. Ids beyond the eight shapes have none: a second
    circle would be taken for the first. */
export function Mark({ id }: { id: number }) {
  if (id >= SHAPES.length) return null;
  return (
    <svg class="mark" viewBox="-6 -6 12 12" aria-hidden="true">
      <path d={SHAPES[id]} />
    </svg>
  );
}

/** An id in running text: mark and number in the id's ink, and its word. */
export function Token({ id, word, children }: { id: number; word?: string | undefined; children?: ComponentChildren }) {
  return (
    <span class="tok" data-id={id}>
      <Mark id={id} />
      {children ?? `ID ${id}`}
      {word && " "}
      {word && <Spelling of={word} />}
    </span>
  );
}

/** A word of a vocabulary, spaces and all; cut where there is no room. */
export function Spelling({ of: word }: { of: string }) {
  return (
    <bdi class="spelling" title={word}>
      {word}
    </bdi>
  );
}

/** A sentence. */
export function Rich({ of: part }: { of: Part }) {
  if (typeof part === "string") return <>{part}</>;
  if (isList(part))
    return (
      <>
        {part.map((item, index) => (
          <Fragment key={index}>
            <Rich of={item} />
          </Fragment>
        ))}
      </>
    );
  switch (part.kind) {
    case "id":
      return <Token id={part.id} word={part.word} />;
    case "name":
      return (
        <>
          ID {part.id}
          {part.word && " "}
          {part.word && <Spelling of={part.word} />}
        </>
      );
    case "var":
      return <var>{part.name}</var>;
    case "strong":
      return (
        <strong>
          <Rich of={part.parts} />
        </strong>
      );
    case "nobreak":
      return (
        <span class="nb">
          <Rich of={part.parts} />
        </span>
      );
  }
}
