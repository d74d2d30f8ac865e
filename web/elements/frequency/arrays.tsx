// Part three: the array that bincount makes of the ids, and a stream from which one draw was made before.
import { probability } from "../../i18n/format.ts";
import { Heading } from "../../ui/parts.tsx";
import { Rich } from "../../ui/rich.tsx";
import { arraysOf, type Scene, type ViewProps } from "./scene.ts";

/** Draws of the stream that are shown. */
export const SHOWN = 14;

export function ArraysPart({ scene, act }: ViewProps) {
  const { s } = scene;
  return (
    <div role="group" class="part2" aria-label={s.arrays.heading}>
      <Heading sub class="part">
        {s.arrays.heading}
      </Heading>
      <div class="two">
        <Bincount scene={scene} />
        <Stream scene={scene} act={act} />
      </div>
    </div>
  );
}

function Bincount({ scene }: { scene: Scene }) {
  const { s, core, m, looked, config, run } = scene;
  if (!looked) return null;
  const n = config.logits.length,
    [bare, whole] = arraysOf(core, looked.counts);
  const lost = [...whole.keys()].slice(bare.length),
    last = lost[0];
  const p = last === undefined ? 0 : run.candidates.p[last]!;
  return (
    <div>
      <p class="lead">
        <Rich of={s.arrays.lead(n, looked.n.toLocaleString(m.locale))} />
      </p>
      <Places name="bincount(ids)" counts={bare} lost={lost} scene={scene} />
      <Places name={`bincount(ids, minlength=${n})`} counts={whole} lost={[]} scene={scene} />
      <p class="quiet">
        <Rich
          of={
            last === undefined
              ? s.arrays.whole
              : p === 0
                ? s.arrays.removed(last)
                : s.arrays.missing(last, probability(p), looked.bands[last]!.expected.toFixed(2))
          }
        />
      </p>
    </div>
  );
}

function Places({
  name,
  counts,
  lost,
  scene: { s, m },
}: {
  name: string;
  counts: Uint32Array;
  lost: readonly number[];
  scene: Scene;
}) {
  return (
    <>
      <p class="cap">
        <code>{name}</code> <span>{s.arrays.places(counts.length)}</span>
      </p>
      <ol class="arr">
        {[...counts].map((count, id) => (
          <li key={id}>
            <b class="num">{count.toLocaleString(m.locale)}</b>
            <sub>{id}</sub>
          </li>
        ))}
        {lost.map(id => (
          <li key={id} class="absent">
            <b>{s.arrays.lost}</b>
            <sub>{id}</sub>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The first draws, and the same from the second on. */
function Stream({ scene, act }: ViewProps) {
  const { s, first, draft, config, run } = scene,
    race = run.candidates.drawing.startsWith("batch") || config.replacement;
  const shown = first.slice(0, SHOWN),
    shifted = first.slice(1, SHOWN + 1);
  return (
    <div class="shift">
      <label class="switch">
        <input
          type="checkbox"
          checked={draft.skip === "1"}
          onChange={event => act.change({ skip: event.currentTarget.checked ? "1" : "0" })}
        />
        {s.arrays.before}
      </label>
      <p class="cap">{s.arrays.plain(shown.length)}</p>
      <Tiles ids={shown} gone={draft.skip === "1"} />
      {!race && shifted.length > 1 && (
        <>
          <svg class="slant" viewBox={`0 0 ${shown.length} 1`} preserveAspectRatio="none" aria-hidden="true">
            {shown.slice(1).map((_, index) => (
              <path key={index} d={`M${index + 1.5} 0L${index + 0.5} 1`} />
            ))}
          </svg>
          <Tiles ids={shifted} gone={false} />
          <p class="cap below">{s.arrays.shifted(shifted.length)}</p>
        </>
      )}
      {race ? <p class="quiet">{s.arrays.race}</p> : config.skip > 0 && <Moved scene={scene} />}
    </div>
  );
}

function Tiles({ ids, gone }: { ids: readonly number[]; gone: boolean }) {
  return (
    <ol class="stream">
      {ids.map((id, index) => (
        <li key={index} data-id={id} class={gone && index === 0 ? "absent" : undefined}>
          <b>{id}</b>
        </li>
      ))}
    </ol>
  );
}

/** The draw that left, and the one that came in at the end. */
function Moved({ scene: { s, first, lastIn } }: { scene: Scene }) {
  const out = first[0];
  return out === undefined || lastIn === null ? null : (
    <p class="quiet">
      <Rich of={s.arrays.moved(out, lastIn)} />
    </p>
  );
}
