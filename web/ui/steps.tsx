// The step bar: every step is a button, and four more go to the start, back, forward and to the end.
import type { Part } from "../i18n/rich.ts";
import { classes } from "./classes.ts";
import { Press } from "./press.tsx";
import { Rich } from "./rich.tsx";

export type StepsProps = {
  readonly label: string;
  readonly names: readonly Part[];
  /** Number of the first step: 1, or 0 where the start is a step of its own. */
  readonly first: number;
  readonly current: number;
  /** A step that a mistake leaves out. */
  readonly skipped?: number;
  readonly words: { readonly again: string; readonly back: string; readonly forward: string; readonly all: string };
  /** What this step did. */
  readonly sentence: Part;
  readonly onGo: (step: number) => void;
};

export function Steps({ label, names, first, current, skipped, words, sentence, onGo }: StepsProps) {
  const last = first + names.length - 1;
  const moves = [
    { text: words.again, to: first, off: current === first },
    { text: words.back, to: current - 1, off: current === first },
    { text: words.forward, to: current + 1, off: current === last },
    { text: words.all, to: last, off: current === last },
  ];
  return (
    <div class="steps" role="group" aria-label={label}>
      <div class="bar">
        <ol>
          {names.map((name, index) => {
            const step = first + index;
            return (
              <li
                key={step}
                class={classes(step <= current && "done", step === skipped && "skipped")}
                aria-current={step === current ? "step" : undefined}
              >
                <button type="button" onClick={() => onGo(step)}>
                  <i>{step}</i>
                  <Rich of={name} />
                </button>
              </li>
            );
          })}
        </ol>
        <div class="moves">
          {moves.map(({ text, to, off }) => (
            <Press key={text} off={off} onPress={() => onGo(to)}>
              {text}
            </Press>
          ))}
        </div>
      </div>
      <p class="say">
        <strong>
          <Rich of={names[current - first]!} />
        </strong>
        <span class="gap" />
        <Rich of={sentence} />
      </p>
    </div>
  );
}
