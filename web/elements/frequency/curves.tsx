// Part two: probabilities and entropy along the temperature, with movable temperatures.
import { Fragment } from "preact";
import { classes } from "../../ui/classes.ts";
import { decimal, probability } from "../../i18n/format.ts";
import { Field } from "../../ui/field.tsx";
import { Note } from "../../ui/note.tsx";
import { Heading } from "../../ui/parts.tsx";
import { Mark, Rich, Token } from "../../ui/rich.tsx";
import { Select } from "../../ui/select.tsx";
import { Heads, Line } from "../../ui/table.tsx";
import { fieldOf } from "./inputs.tsx";
import { TAU_AXIS, tauPlace, type Scene, type ViewProps } from "./scene.ts";

export function CurvesPart({ scene, act }: ViewProps) {
  const { s } = scene;
  return (
    <div role="group" class="part2" aria-label={s.curves.heading}>
      <Heading sub class="part">
        {s.curves.heading}
      </Heading>
      <div class="sheet top">
        <figure>
          <figcaption>
            <b>{s.curves.name}</b>
            {s.curves.caption}
          </figcaption>
          <Figure scene={scene} act={act} />
        </figure>
        <div class="notes">
          <Field {...fieldOf({ scene, act }, "taus", s.hints.taus)} mode="text" wide />
          <TauTable scene={scene} act={act} />
          <p class="relation">
            <Formula scene={scene} /> <span>{s.curves.only}</span>
          </p>
          <Note title={s.curves.ends}>
            <p>
              <Rich of={s.curves.end(scene.config.logits.length)} />
            </p>
          </Note>
        </div>
      </div>
    </div>
  );
}

function Figure({ scene, act }: ViewProps) {
  const { s, core, config, curves } = scene,
    all = [...config.logits.keys()];
  const words = all.map(id =>
    s.curves.words(id, probability(curves.ends[0].p[id]!), probability(curves.ends[1].p[id]!)),
  );
  return (
    <div class="fc">
      <div class="knobs">
        {config.taus.map((tau, index) => (
          <TauKnob key={index} scene={scene} act={act} tau={tau} index={index} />
        ))}
      </div>
      <div class="yt up" aria-hidden="true">
        {[0, 0.5, 1].map(at => (
          <span key={at} style={{ "--t": 1 - at }}>
            {at}
          </span>
        ))}
      </div>
      <End scene={scene} side={0} />
      <div class="frame mid" role="img" aria-label={words.join(scene.m.comma)}>
        <svg class="canvas" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
          {curves.lines.map((line, id) => (
            <path key={id} class="pc" data-id={id} d={line} />
          ))}
        </svg>
        {config.taus.map((tau, index) => (
          <Fragment key={index}>
            {onAxis(tau) && <span class="mline" style={{ "--x": tauPlace(core, tau) }} />}
            {onAxis(tau) &&
              all.map(id => (
                <span
                  key={id}
                  class="knot"
                  data-id={id}
                  style={{ "--x": tauPlace(core, tau), "--t": 1 - curves.listed[index]!.p[id]! }}
                >
                  <Mark id={id} />
                </span>
              ))}
          </Fragment>
        ))}
      </div>
      <End scene={scene} side={1} />
      <Entropy scene={scene} />
      <div class="tt" aria-hidden="true">
        {TAU_AXIS.ticks.map(tau => (
          <span key={tau} style={{ "--x": tauPlace(core, tau) }}>
            {tau}
          </span>
        ))}
      </div>
    </div>
  );
}

const onAxis = (tau: number): boolean => tau >= TAU_AXIS.low && tau <= TAU_AXIS.high;

/** The strip of a temperature that the axis does not reach. */
function End({ scene: { curves }, side }: { scene: Scene; side: 0 | 1 }) {
  const { p } = curves.ends[side];
  return (
    <div class={side === 0 ? "frame cold" : "frame heat"} aria-hidden="true">
      {[...p.keys()]
        .filter(id => p[id]! > 0)
        .map(id => (
          <span key={id} class="knot" data-id={id} style={{ "--x": 0.5, "--t": 1 - p[id]! }}>
            <Mark id={id} />
          </span>
        ))}
    </div>
  );
}

function Entropy({ scene: { s, core, config, curves } }: { scene: Scene }) {
  const whole = curves.ends[1].entropy || 1;
  const end = (side: 0 | 1) => (
    <div class={side === 0 ? "frame cold dn" : "frame heat dn"} aria-hidden="true">
      <span class="knot e" style={{ "--x": 0.5, "--t": 1 - curves.ends[side].entropy / whole }} />
      <span class="endname">{side === 0 ? "0" : "∞"}</span>
    </div>
  );
  return (
    <>
      {end(0)}
      {end(1)}
      <div class="yt dn" aria-hidden="true">
        <span class="axis" style={{ "--t": 0.5 }}>
          {s.curves.entropy}
        </span>
        <span style={{ "--t": 0 }}>ln {config.logits.length}</span>
        <span style={{ "--t": 1 }}>0</span>
      </div>
      <div class="frame low" aria-hidden="true">
        <svg class="canvas" viewBox="0 0 1000 1000" preserveAspectRatio="none">
          <path class="ent" d={curves.entropy} />
        </svg>
        {config.taus.map(
          (tau, index) =>
            onAxis(tau) && (
              <span
                key={index}
                class="knot e"
                style={{ "--x": tauPlace(core, tau), "--t": 1 - curves.listed[index]!.entropy / whole }}
              />
            ),
        )}
      </div>
    </>
  );
}

/** A temperature of the list: dragged sideways, by arrows a hundredth of the axis; Delete takes it away. */
function TauKnob({ scene, act, tau, index }: ViewProps & { tau: number; index: number }) {
  const { s, core } = scene;
  if (!onAxis(tau)) return null;
  const at = tauPlace(core, tau);
  /** Whether another stands close to the right (1) or to the left (-1): then the numbers lean apart. */
  const near = (side: 1 | -1) =>
    scene.config.taus.some(other => {
      const apart = side * (tauPlace(core, other) - at);
      return apart > 0 && apart < 0.15;
    });
  const key = (event: KeyboardEvent) => {
    const to = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01 }[event.key],
      gone = event.key === "Delete" || event.key === "Backspace";
    if (to === undefined && !gone) return;
    event.preventDefault();
    act.tauAt(index, gone ? -1 : at + to! * (event.shiftKey ? 10 : 1), true);
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }, commit: boolean) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.parentElement!.getBoundingClientRect();
    act.tauAt(index, Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)), commit);
    if (commit) event.currentTarget.releasePointerCapture(event.pointerId);
  };
  return (
    <button
      type="button"
      class="mknob"
      style={{ "--x": at }}
      aria-label={`${s.sliders.tauOf(index + 1)} τ = ${decimal(tau)}`}
      onKeyDown={key}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={event => drag(event, false)}
      onPointerUp={event => drag(event, true)}
    >
      <span class={classes(near(1) && "before-next", near(-1) && !near(1) && "after-last")}>{decimal(tau)}</span>
    </button>
  );
}

function TauTable({ scene, act }: ViewProps) {
  const { s, config, curves, pair } = scene,
    all = [...config.logits.keys()];
  const byLogit = [...all].sort((a, b) => config.logits[b]! - config.logits[a]! || a - b);
  const cells = (of: (index: number) => string) =>
    config.taus.map((_, index) => (
      <td key={index} role="cell" class="num">
        {of(index)}
      </td>
    ));
  const choose = (which: 0 | 1) => (
    <Select
      label={s.curves.pair[which]!}
      value={String(pair[which])}
      values={all.map(String)}
      textOf={id => `ID ${id}`}
      onChoose={id => act.pair(which === 0 ? [Number(id), pair[1]] : [pair[0], Number(id)])}
    />
  );
  return (
    <div class="scroller">
      <table class="temps">
        <Heads of={[{ children: <var>τ</var> }, ...config.taus.map(tau => decimal(tau))]} />
        <tbody role="rowgroup">
          {byLogit.map(id => (
            <Line key={id} data-id={id} head={<Token id={id} />}>
              {cells(index => probability(curves.listed[index]!.p[id]!))}
            </Line>
          ))}
          <Line head={s.curves.nats}>{cells(index => curves.listed[index]!.entropy.toFixed(6))}</Line>
          <Line head={s.curves.bits}>{cells(index => curves.listed[index]!.bits.toFixed(6))}</Line>
          <Line
            head={
              <span class="ratio">
                {choose(0)} : {choose(1)}
              </span>
            }
          >
            {cells(index => decimal(Number(curves.listed[index]!.ratio.toPrecision(7))))}
          </Line>
        </tbody>
      </table>
    </div>
  );
}

/** p_a / p_b = e^((z_a - z_b) / tau). */
function Formula({ scene: { config, pair } }: { scene: Scene }) {
  const [a, b] = pair,
    z = (id: number) => decimal(config.logits[id]!);
  return (
    <span class="nb">
      <var>p</var>
      <sub>{a}</sub> / <var>p</var>
      <sub>{b}</sub> = <var>e</var>
      <sup>
        ({z(a)} − {config.logits[b]! < 0 ? `(${z(b)})` : z(b)}) / <var>τ</var>
      </sup>
    </span>
  );
}
