// A button that may have nothing to do: it stays, with the focus where it is.
import type { ComponentChildren } from "preact";

export type PressProps = {
  readonly off: boolean;
  readonly class?: string;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
};

export function Press({ off, class: name, onPress, children }: PressProps) {
  return (
    <button type="button" class={name} aria-disabled={off ? "true" : undefined} onClick={() => off || onPress()}>
      {children}
    </button>
  );
}
