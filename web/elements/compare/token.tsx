// An id with its piece, where the row has pieces.
import { Mark } from "../../ui/rich.tsx";
import type { Row } from "../../compare/row.ts";

export function Id({ id, row }: { readonly id: number; readonly row: Row | null }) {
  return (
    <span class="tok" data-id={id}>
      <span class="nb">
        <Mark id={id} />
        ID {id}
      </span>
      <Piece id={id} row={row} />
    </span>
  );
}

/** The piece alone, after the id. */
export function Piece({ id, row }: { readonly id: number; readonly row: Row | null }) {
  const piece = row?.piece?.(id);
  return piece ? <bdi class="piece">{piece}</bdi> : null;
}
