// A short text with a heading, beside or below what it explains.
import type { ComponentChildren } from "preact";
import { Heading } from "./parts.tsx";

export function Note({
  title,
  class: name,
  children,
}: {
  title: string;
  class?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class={name}>
      <Heading sub>{title}</Heading>
      {children}
    </div>
  );
}
