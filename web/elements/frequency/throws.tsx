// One draw at a time, on the ruler of the sampling experiment; of a race, what each candidate has.
import { decimal, probability } from "../../i18n/format.ts";
import { classes } from "../../ui/classes.ts";
import { Heading } from "../../ui/parts.tsx";
import { Press } from "../../ui/press.tsx";
import { Rich, Token } from "../../ui/rich.tsx";
import type { Scene, ViewProps } from "./scene.ts";

const SIZES = [1, 10, 100] as const;

export function Throws({ scene, act }: ViewProps) {
  const { s, m, thrown } = scene,
    full = thrown.stream.done === thrown.stream.draws,
    done = scene.done === scene.config.draws;
  return (
    <div role="group" class="part2 throws" aria-label={s.throws.heading}>
      <Heading sub class="part">
        {s.throws.heading}
      </Heading>
      <p>{thrown.edges ? s.throws.lead : s.throws.race}</p>
      <div class="moves">
        {SIZES.map((size, index) => (
          <Press key={size} off={full} onPress={() => act.throw(size)}>
            {s.throws.press[index]!}
          </Press>
        ))}
        <Press off={full || !done} onPress={() => act.throw(null)}>
          {s.throws.all}
        </Press>
        <Press off={thrown.n === 0} onPress={act.clear}>
          {s.throws.again}
        </Press>
      </div>
      {thrown.edges ? <Ruler scene={scene} edges={thrown.edges} /> : <Race scene={scene} />}
      <p class="tally">
        {thrown.latest && (
          <Rich
            of={
              thrown.edges
                ? s.throws.latest(decimal(Number(thrown.latest.u.toFixed(6))), thrown.latest.id)
                : s.throws.won(thrown.latest.id)
            }
          />
        )}{" "}
        {thrown.n > 0 &&
          s.throws.thrown(
            thrown.n.toLocaleString(m.locale),
            scene.kept.map(id => s.figure.bar(id, thrown.counts[id]!.toLocaleString(m.locale))),
          )}
      </p>
    </div>
  );
}

function Ruler({ scene, edges }: { scene: Scene; edges: Float64Array }) {
  const { s, run, thrown } = scene,
    { kept } = run.candidates;
  const highest = thrown.dots.reduce((most, { height }) => Math.max(most, height), 0);
  return (
    <div class="ruler" role="img" aria-label={s.throws.ruler}>
      <div class="dots" aria-hidden="true" style={{ "--most": Math.max(12, highest + 1) }}>
        {thrown.n > thrown.dots.length ? (
          <Bars scene={scene} edges={edges} />
        ) : (
          thrown.dots.map(({ id, u, height }, index) => (
            <i key={index} data-id={id} style={{ "--x": u, "--h": height }} />
          ))
        )}
      </div>
      <div class="scale" aria-hidden="true">
        {[...kept].map((id, place) => {
          const lo = place ? edges[place - 1]! : 0,
            hi = edges[place]!;
          return (
            <span
              key={id}
              class={classes("share", thrown.latest?.id === id && "fell")}
              data-id={id}
              style={{ "--lo": lo, "--hi": hi }}
            >
              {hi - lo > 0.08 && (
                <span>
                  ID {id} <b class="num">{probability(run.candidates.p[id]!)}</b>
                </span>
              )}
            </span>
          );
        })}
        {thrown.latest && <span class="fallen" style={{ "--x": thrown.latest.u }} />}
      </div>
      <div class="xb" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map(at => (
          <span key={at} class={classes(at === 0 && "start", at === 1 && "rightmost")} style={{ "--x": at }}>
            {at}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Too many for dots: a bar on each segment, as high as its share is to its probability; the line is where they agree. */
function Bars({ scene: { run, thrown }, edges }: { scene: Scene; edges: Float64Array }) {
  return (
    <>
      {[...run.candidates.kept].map((id, place) => {
        const lo = place ? edges[place - 1]! : 0,
          hi = edges[place]!;
        return (
          hi > lo && (
            <b
              key={id}
              data-id={id}
              style={{ "--lo": lo, "--hi": hi, "--v": Math.min(1.4, thrown.counts[id]! / thrown.n / (hi - lo)) }}
            />
          )
        );
      })}
      <span class="level" />
    </>
  );
}

/** What each candidate had in the last race: its probability over its random number, as bars; the largest wins. */
function Race({ scene: { s, run, thrown } }: { scene: Scene }) {
  const ratios = thrown.latest?.ratios,
    largest = ratios ? Math.max(...ratios) : 1;
  return (
    <ul class="race">
      {[...run.candidates.kept].map((id, place) => (
        <li key={id} data-id={id} class={thrown.latest?.id === id ? "won" : undefined}>
          <Token id={id} />
          <span class="lane" aria-hidden="true">
            {ratios && <i style={{ "--v": ratios[place]! / largest }} />}
          </span>
          <span class="num">
            {s.throws.ratio} {ratios ? decimal(Number(ratios[place]!.toPrecision(6))) : "—"}
          </span>
        </li>
      ))}
    </ul>
  );
}
