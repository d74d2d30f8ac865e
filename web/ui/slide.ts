// A range input under a finger: a swipe that the browser takes to scroll the page moves nothing.
import { typing, type FieldProps } from "./field.tsx";

/** What undoes the press that goes on; undefined between two. */
let undo: (() => void) | undefined;
/** Whether the browser has taken it: what the input still says of it does not count. */
let taken = false;

/** Listeners as of `typing`; `back` puts back what stands there as the press begins. */
export const sliding = (back: () => void, onText: FieldProps["onText"]) => {
  const { onInput, onChange } = typing(onText);
  return {
    onInput: (event: Parameters<typeof onInput>[0]) => taken || onInput(event),
    onChange: (event: Parameters<typeof onChange>[0]) => taken || onChange(event),
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
