// Presets are words in a row, the rest of them under "more"; one press returns to the current one after an edit.

import { Press } from "./press.tsx";

export type PresetsProps<Name extends string> = {
  readonly words: {
    readonly label: string;
    readonly more: string;
    readonly back: string;
    readonly names: Readonly<Record<Name, string>>;
  };
  readonly names: readonly Name[];
  /** How many stand in the row. */
  readonly first: number;
  /** The preset on view; null once it was edited. */
  readonly current: Name | null;
  /** The preset that an edited setting comes from; it keeps "more" open. */
  readonly from?: Name;
  /** null: back to the edited one. */
  readonly onChoose: (name: Name | null) => void;
};

export function Presets<Name extends string>({ words, names, first, current, from, onChoose }: PresetsProps<Name>) {
  const button = (name: Name) => (
    <button key={name} type="button" aria-pressed={name === current} onClick={() => onChoose(name)}>
      <span>{words.names[name]}</span>
    </button>
  );
  return (
    <div class="presets" role="group" aria-label={words.label}>
      <span class="label" aria-hidden="true">
        {words.label}
      </span>
      {names.slice(0, first).map(button)}
      {names.length > first && (
        <details open={names.indexOf((current ?? from)!) >= first}>
          <summary onClick={more}>{words.more}</summary>
          {names.slice(first).map(button)}
        </details>
      )}
      <Press class="back" off={current !== null} onPress={() => onChoose(null)}>
        {words.back}
      </Press>
    </div>
  );
}

/** Opens the rest; the summary goes, the focus goes on to the first of them. */
function more(event: MouseEvent & { currentTarget: HTMLElement }): void {
  const details = event.currentTarget.parentElement as HTMLDetailsElement;
  event.preventDefault();
  details.open = true;
  details.querySelector("button")!.focus();
}
