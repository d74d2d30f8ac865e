// One parameter: label, exact text field, optional slider, and below it the result, or what is wrong and
// what is allowed.
import type { ComponentChildren, TargetedEvent } from "preact";
import type { Part } from "../i18n/rich.ts";
import { Rich } from "./rich.tsx";
import { sliding, typing, type OnText } from "./slide.ts";

export type SliderProps = {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value: number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  /** Where nothing is set, what is said of that: the slider rests on a default. */
  readonly unset?: string | undefined;
  /** What the field says where the slider stands, if not its number. */
  readonly textOf?: (value: string) => string;
};

/** Numbers on a slider's scale. */
export const ticks = (min: number, max: number, ...at: readonly number[]): SliderProps["ticks"] =>
  at.map(value => ({ at: (value - min) / (max - min || 1), text: String(value) }));

export type FieldProps = {
  readonly name: string;
  readonly label: Part;
  /** What stands in the text field. */
  readonly text: string;
  /** Characters at most; one more is kept, so that it is told. */
  readonly most: number;
  readonly wide?: boolean;
  readonly mode: "text" | "decimal" | "numeric";
  readonly slider?: SliderProps;
  /** In place of a slider: where else the number is moved. */
  readonly moved?: Part;
  readonly problem: string | undefined;
  readonly hint?: Part;
  /** Pasted lines as text for one line; the browser would join them with spaces. */
  readonly lines?: (text: string) => string;
  /** A control beside the label. */
  readonly beside?: ComponentChildren;
  readonly onText: OnText;
  /** The result of this parameter. */
  readonly children: ComponentChildren;
};

/** Puts lines in as one, as if typed. */
function paste(event: TargetedEvent<HTMLInputElement, ClipboardEvent>, lines: (text: string) => string): void {
  const text = event.clipboardData?.getData("text/plain") ?? "",
    box = event.currentTarget;
  if (lines(text) === text) return;
  event.preventDefault();
  box.setRangeText(lines(text), box.selectionStart ?? 0, box.selectionEnd ?? 0, "end");
  box.value = box.value.slice(0, box.maxLength);
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

export function Field(props: FieldProps) {
  const { name, text, slider, problem, hint, lines, onText } = props;
  return (
    <div class="field" data-field={name}>
      <label for={name}>
        <Rich of={props.label} />
      </label>
      {props.beside}
      <input
        id={name}
        class={props.wide ? "box wide" : "box"}
        value={text}
        maxLength={props.most + 1}
        inputMode={props.mode}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem ? "true" : undefined}
        aria-describedby={`${name}-out`}
        {...typing(onText)}
        onPaste={lines && (event => paste(event, lines))}
      />
      <span class="typed" aria-hidden="true">
        {text}
      </span>
      {slider && <Slider {...slider} text={text} onValue={onText} />}
      {props.moved && (
        <p class="hint moved">
          <Rich of={props.moved} />
        </p>
      )}
      <p class="result" id={`${name}-out`}>
        {problem ? (
          <span class="problem">{problem}</span>
        ) : (
          <>
            {props.children}
            {hint && (
              <span class="hint">
                <Rich of={hint} />
              </span>
            )}
          </>
        )}
      </p>
    </div>
  );
}

/** The native range input that moves the same number. */
function Slider(props: SliderProps & { text: string; onValue: OnText }) {
  const { label, min, max, step, value, ticks, unset, textOf = String, text: before, onValue } = props;
  return (
    <div class="slider">
      <input
        type="range"
        class={unset ? "range unset" : "range"}
        aria-label={label}
        aria-valuetext={unset}
        min={min}
        max={max}
        step={step}
        value={value}
        {...sliding(
          () => onValue(before, false),
          (text, commit) => onValue(textOf(text), commit),
        )}
      />
      <span class="ticks" aria-hidden="true">
        {ticks.map(({ at, text }) => (
          <span key={text} style={{ "--x": at }}>
            {text}
          </span>
        ))}
      </span>
    </div>
  );
}
