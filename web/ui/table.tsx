// Heads and lines of a table. Their roles are said: where a sheet lays a table out in another way, they would be lost.
import type { ComponentChildren, ComponentProps } from "preact";

/** What a cell has. */
export type HeadCell = ComponentProps<"th"> & { readonly [data: `data-${string}`]: string };
export type Head = string | HeadCell;

/** The line of column heads; one that is empty is the corner, which heads nothing. */
export function Heads({ of }: { readonly of: readonly Head[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {of.map((head, index) => {
          const cell = typeof head === "string" ? { children: head } : head;
          return cell.children ? (
            <th key={index} role="columnheader" scope="col" {...cell} />
          ) : (
            <td key={index} role="cell" class={cell.class} />
          );
        })}
      </tr>
    </thead>
  );
}

export type LineProps = Omit<ComponentProps<"tr">, "children"> & {
  readonly [data: `data-${string}`]: number | undefined;
  readonly head: ComponentChildren;
  readonly headClass?: string;
  /** Its other cells. */
  readonly children: ComponentChildren;
};

/** A line with its head. */
export function Line({ head, headClass, children, ...props }: LineProps) {
  return (
    <tr role="row" {...props}>
      <th role="rowheader" scope="row" class={headClass}>
        {head}
      </th>
      {children}
    </tr>
  );
}
