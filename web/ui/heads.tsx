// The line of column heads of a table; an empty text is the corner, which heads nothing.
export function Heads({ texts }: { texts: readonly string[] }) {
  return (
    <thead>
      <tr>
        {texts.map(text =>
          text ? (
            <th key={text} scope="col">
              {text}
            </th>
          ) : (
            <td key={text} />
          ),
        )}
      </tr>
    </thead>
  );
}
