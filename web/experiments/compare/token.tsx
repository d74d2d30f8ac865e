// An id with its piece, where the row has pieces.
import { Token } from "../../ui/rich.tsx";
import type { Row } from "./row.ts";

export function Id({ id, row }: { readonly id: number; readonly row: Row | null }) {
  return (
    <Token id={id}>
      ID {id}
      <Piece id={id} row={row} />
    </Token>
  );
}

/** The piece alone, after the id. */
export function Piece({ id, row }: { readonly id: number; readonly row: Row | null }) {
  const piece = row?.piece?.(id);
  return piece ? <bdi class="piece">{piece}</bdi> : null;
}
