// An id with its piece, where the row has pieces.
import { Mark } from "../../ui/rich.tsx";
import { orderOf, type Row } from "../../compare/row.ts";

/** Marks and hues that there are. */
const SLOTS = 8;

/** Which mark and hue an id has: its own in a short row; in a long one, whose first eight ids are nothing special, its
    rank by logit. Beyond eight: none. */
export function slotOf(id: number, row: Row | null): number {
  if (!row) return id;
  const rank = orderOf(row.logits).subarray(0, SLOTS).indexOf(id);
  return rank < 0 ? SLOTS : rank;
}

export function Id({ id, row }: { readonly id: number; readonly row: Row | null }) {
  return (
    <span class="tok" data-id={slotOf(id, row)}>
      <span class="nb">
        <Mark id={slotOf(id, row)} />
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
