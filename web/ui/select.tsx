// One of a few words, by the browser's own list.
export type SelectProps<Value extends string> = {
  readonly label?: string;
  /** Where a label beside it names it. */
  readonly id?: string;
  readonly value: Value;
  readonly values: readonly Value[];
  /** What a value is called, where it does not say so itself. */
  readonly textOf?: (value: Value) => string;
  readonly isOff?: (value: Value) => boolean;
  readonly onChoose: (value: Value) => void;
};

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, id, value, values, textOf, isOff, onChoose } = props;
  return (
    <select
      id={id}
      class="box"
      aria-label={label}
      value={value}
      onChange={event => onChoose(event.currentTarget.value as Value)}
    >
      {values.map(each => (
        <option key={each} value={each} disabled={isOff?.(each)}>
          {textOf ? textOf(each) : each}
        </option>
      ))}
    </select>
  );
}
