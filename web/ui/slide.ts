// What inputs tell of; and a range input under a finger: a swipe that the browser takes to scroll the page moves nothing.
import type { TargetedEvent } from "preact";

export type OnText = (text: string, commit: boolean) => void;

type Typing = TargetedEvent<HTMLInputElement>;

/** An input tells of every change, and when the reader has settled on one. */
export const typing = (onText: OnText) => ({
  onInput: (event: Typing) => onText(event.currentTarget.value, false),
  onChange: (event: Typing) => onText(event.currentTarget.value, true),
});

/** What undoes the press that goes on; undefined between two. */
let undo: (() => void) | undefined;
/** Whether the browser has taken it: what the input still says of it does not count. */
let taken = false;

/** Listeners as of `typing`; `back` puts back what stands there as the press begins. */
export const sliding = (back: () => void, onText: OnText) => {
  const { onInput, onChange } = typing(onText);
  return {
    onInput: (event: Typing) => taken || onInput(event),
    onChange: (event: Typing) => taken || onChange(event),
    onPointerDown: () => {
      taken = false;
      undo = back;
    },
    onPointerCancel: () => {
      taken = true;
      undo?.();
      undo = undefined;
    },
    onKeyDown: () => {
      taken = false;
    },
  };
};
