// A short text with a heading, beside or below what it explains.
import type { ComponentChildren } from "preact";

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
      <h3>{title}</h3>
      {children}
    </div>
  );
}
