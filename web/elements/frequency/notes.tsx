// What the deviation means, other generators beside this one, and why it goes slowly.
import { Note } from "../../ui/note.tsx";
import { Rich } from "../../ui/rich.tsx";
import type { Scene } from "./scene.ts";

export function Notes({ scene }: { scene: Scene }) {
  const { s, kept } = scene;
  return (
    <div class="notes">
      <Note title={s.notes.far}>
        <Far scene={scene} />
      </Note>
      {kept.length > 1 && <Generators scene={scene} />}
      <Note title={s.notes.slow}>
        <p>
          <Rich of={s.notes.why} />
        </p>
      </Note>
    </div>
  );
}

function Far({ scene: { s, looked, about, kept } }: { scene: Scene }) {
  if (!looked) return null;
  if (kept.length === 1) return <p>{s.notes.single}</p>;
  const { fit, counts, bands } = looked,
    off = counts[about]! - bands[about]!.expected;
  return (
    <p>
      <Rich of={s.notes.by(about, off > 0, Math.abs(off).toFixed(1), fit.z[about]!)} />{" "}
      {fit.least < 5
        ? s.notes.few
        : s.notes.chi(fit.chi_square.toFixed(3), fit.degrees, String(Math.round(1000 * fit.p_value)))}
    </p>
  );
}

/** Counts of one id by each generator, on the axis of its band. */
function Generators({ scene }: { scene: Scene }) {
  const { s, m, others, about, config } = scene,
    band = others.length && scene.looked ? scene.looked.bands[about]! : null;
  if (!band || scene.looked?.n !== config.draws) return null;
  const low = band.expected - 2 * band.count_error,
    reach = 5 * band.count_error;
  const at = (count: number) => Math.max(0, Math.min(1, (count - band.expected + reach / 2) / reach));
  return (
    <Note title={s.notes.generators}>
      <p>
        <Rich of={s.notes.same(about)} />
      </p>
      <ul class="gens" data-id={about}>
        {others.map(({ source, count }) => (
          <li key={source} class={source === config.source ? "mine" : undefined}>
            <span>{s.sources[source]}</span>
            <span class="gline" aria-hidden="true">
              {count !== null && <i style={{ "--x": at(count) }} />}
            </span>
            <b class="num">{count === null ? "…" : count.toLocaleString(m.locale)}</b>
          </li>
        ))}
        <li class="gaxis" aria-hidden="true">
          <span />
          <span class="gline">
            {[low, band.expected, low + 4 * band.count_error].map(count => (
              <em key={count} style={{ "--x": at(count) }}>
                {count.toFixed(1)}
              </em>
            ))}
          </span>
          <span />
        </li>
      </ul>
    </Note>
  );
}
