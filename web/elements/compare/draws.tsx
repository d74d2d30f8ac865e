// 100,000 draws of one library: how often each token came, beside its probability.
import { probability } from "../../i18n/format.ts";
import { Heading } from "../../ui/parts.tsx";
import { Press } from "../../ui/press.tsx";
import { Select } from "../../ui/select.tsx";
import { Heads, Line } from "../../ui/table.tsx";
import { DRAWS, sharesOf } from "../../compare/tally.ts";
import type { Scene, ViewProps } from "./scene.ts";
import { keeps, onlyIn } from "../../compare/run.ts";
import { draws } from "../../compare/stream.ts";
import { Id } from "./token.tsx";

/** Lines of the table of frequencies; the others are summed. */
const LINES = 10;

export function Draws({ scene, act }: ViewProps) {
  const { core, s, solved, drawer, tally, drawing, m } = scene,
    d = s.draws,
    { first, second } = solved.pair;
  const able = [first, second].filter(run => draws(core, run, solved.config.seed));
  const grouped = (count: number) => count.toLocaleString(m.locale);
  return (
    <div role="group" class="many-draws" aria-label={d.label}>
      <Heading sub>{d.label}</Heading>
      {able.length === 0 ? (
        <p class="quiet">{d.none}</p>
      ) : (
        <div class="moves">
          <Select label={d.engine} value={drawer} values={able.map(({ name }) => name)} onChoose={act.drawer} />
          <Press off={drawing} onPress={act.draw}>
            {d.start}
          </Press>
          <Press off={!drawing} onPress={act.cancel}>
            {d.cancel}
          </Press>
          {tally && (
            <label class="progress">
              <progress max={DRAWS} value={tally.done} /> <span class="num">{d.progress(grouped(tally.done))}</span>
            </label>
          )}
        </div>
      )}
      {able.length > 0 && !tally && <p class="hint">{d.idle}</p>}
      {tally && <Frequencies scene={scene} tally={tally} grouped={grouped} />}
    </div>
  );
}

function Frequencies({
  scene: { s, solved, row },
  tally,
  grouped,
}: {
  scene: Scene;
  tally: NonNullable<Scene["tally"]>;
  grouped: (count: number) => string;
}) {
  const { first, second } = solved.pair,
    [run, other] = tally.name === first.name ? [first, second] : [second, first];
  const shown = sharesOf(tally, run, LINES),
    rest = (run.distribution?.ids.length ?? 0) - shown.length,
    d = s.draws;
  const outside = onlyIn(run, other).reduce((sum, id) => sum + tally.counts[id]!, 0);
  return (
    <>
      {other.distribution && (
        <p class="tally">
          {outside ? d.outside(grouped(outside), percent(outside / tally.done), other.name) : d.inside(other.name)}
        </p>
      )}
      <table>
        <caption>
          <b>{d.name}</b>
          {d.caption}
        </caption>
        <Heads of={[d.id, d.count, d.frequency, d.p, d.error]} />
        <tbody>
          {shown.map(({ id, count, frequency, p, error }) => (
            <Line key={id} class={keeps(other, id) ? undefined : "split"} head={<Id id={id} row={row} />}>
              <td>{count}</td>
              <td>{probability(frequency)}</td>
              <td>{probability(p)}</td>
              <td>{error.toFixed(6)}</td>
            </Line>
          ))}
          {rest > 0 && (
            <Line head={d.rest(rest)}>
              <td>{shown.reduce((left, { count }) => left - count, tally.done)}</td>
              <td colSpan={3} />
            </Line>
          )}
        </tbody>
      </table>
    </>
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
