// The map: the plane of tau (upwards, logarithmic) and u, coloured by the id that is chosen there, with
// the point to drag.
import { decimal } from "../../i18n/format.ts";
import { plain } from "../../i18n/rich.ts";
import { classes } from "../../ui/classes.ts";
import { Rich, Token } from "../../ui/rich.tsx";
import { namePlace, type Plane } from "./plane.ts";
import { pointing, type Scene, type ViewProps } from "./scene.ts";
import { uResult } from "./inputs.tsx";

export function TauMap({ scene, act }: ViewProps) {
  const { s, config, plane, tauAt } = scene;
  return (
    <>
      <TauAxis plane={plane} />
      <div
        ref={act.measure}
        class="area map"
        role="group"
        aria-label={s.map.label}
        aria-describedby="map-words"
        style={{ "--y": tauAt }}
      >
        <p class="vh" id="map-words">
          {scene.veiled
            ? scene.m.quiz.veiled
            : plain(
                s.map.words(
                  plane.regions.map(region => region.id),
                  scene.outlive,
                  config.tau,
                ),
              )}
        </p>
        {scene.veiled ? <div class="pane" aria-hidden="true" /> : <Limit scene={scene} />}
        <Field scene={scene} act={act} />
        <Greedy scene={scene} />
      </div>
      <UAxis />
    </>
  );
}

function TauAxis({ plane }: { plane: Plane }) {
  return (
    <div class="tau-axis" aria-hidden="true">
      <div class="end">
        <span>∞</span>
      </div>
      <div>
        {plane.ticks.map(({ tau, at }) => (
          <span key={tau} style={{ "--t": at }}>
            {tau}
          </span>
        ))}
        <span class="title" style={{ "--t": 0.2 }}>
          <var>τ</var>
        </span>
      </div>
      <div class="end">
        <span>0</span>
      </div>
    </div>
  );
}

function UAxis() {
  return (
    <div class="area u-axis" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75].map(at => (
        <span key={at} style={{ "--x": at }}>
          {at}
        </span>
      ))}
      <span class="end" style={{ "--x": 1 }}>
        1&emsp;<var>u</var>
      </span>
    </div>
  );
}

/** The strip above the plane: where tau has no end. */
function Limit({ scene: { plane, lit } }: Pick<ViewProps, "scene">) {
  const inLimit = plane.regions.filter(({ limit: [lo, hi] }) => hi > lo);
  return (
    <div class={paneOf(plane)} aria-hidden="true">
      <svg class="geo" viewBox="0 0 1000 10" preserveAspectRatio="none">
        {inLimit.map(({ id, limit: [lo, hi] }) => (
          <path
            key={id}
            class={id === lit ? "region lit" : "region"}
            data-id={id}
            d={`M${1000 * lo} 0H${1000 * hi}V10H${1000 * lo}Z`}
          />
        ))}
        {inLimit
          .filter(region => region.edge && region.limit[1] < 1)
          .map(({ id, limit: [, hi] }) => (
            <path key={`e${id}`} class="edge" data-id={id} d={`M${1000 * hi} 0V10`} />
          ))}
      </svg>
      {inLimit.map(({ id, limit: [lo, hi] }) => (
        <span key={`n${id}`} class="name" data-id={id} style={{ "--x": (lo + hi) / 2, "--t": 0.5 }}>
          {id}
        </span>
      ))}
    </div>
  );
}

const paneOf = (plane: Plane): string => (plane.gap ? "pane gapped" : "pane");

/** The plane itself. */
function Field({ scene, act }: ViewProps) {
  const { m, config, plane, tauAt, sampled, veiled } = scene,
    cuts = veiled ? [] : cutsOf(scene);
  /** A press puts the point there, and the keys go on from it. */
  const press = (event: MouseEvent & { currentTarget: HTMLElement }) => {
    const pane = event.currentTarget;
    act.place(placeOf(event, pane));
    pane.querySelector<HTMLElement>(".point")!.focus({ preventScroll: true });
  };
  return (
    <div class={classes(veiled ? "pane" : paneOf(plane), "field-of-u")} onClick={press}>
      {veiled ? (
        <span class="name quiet" aria-hidden="true" style={{ "--x": 0.5, "--t": 0.8 }}>
          {m.quiz.veiled}
        </span>
      ) : (
        <>
          <Regions scene={scene} act={act} />
          <Names scene={scene} act={act} />
        </>
      )}
      {cuts.map(at => (
        <span key={at} aria-hidden="true">
          <span class="dotline" style={{ "--x": at }} />
          <span class="join" style={{ "--x": at }} />
        </span>
      ))}
      {sampled && <span class="tline" aria-hidden="true" />}
      {sampled && (
        <span class={classes("tag", tauAt < 0.12 && "under", cuts.some(at => at > 0.85) && "left")} aria-hidden="true">
          <var>τ</var> = {decimal(config.tau)}
        </span>
      )}
      <Point scene={scene} act={act} />
    </div>
  );
}

function Regions({ scene: { plane, lit, result, sampled }, act }: ViewProps) {
  return (
    <svg class="geo" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
      {plane.regions.map(region => (
        <path
          key={region.id}
          class={classes("region", region.id === result.id && sampled !== null && "chosen", region.id === lit && "lit")}
          data-id={region.id}
          d={region.area}
          {...pointing(act, region.id)}
        />
      ))}
      {plane.regions
        .filter(region => region.edge)
        .map(({ id, edge }) => (
          <path key={`e${id}`} class={id === plane.last ? "edge last" : "edge"} data-id={id} d={edge!} />
        ))}
      {plane.gapEdge && <path class="edge last" d={plane.gapEdge} />}
    </svg>
  );
}

/** The strip below the plane: tau = 0. */
function Greedy({ scene: { s, result, sampled } }: Pick<ViewProps, "scene">) {
  return (
    <div class="pane" aria-hidden="true">
      <svg class="geo" viewBox="0 0 1000 10" preserveAspectRatio="none">
        <path class={sampled ? "region" : "region chosen"} data-id={result.top} d="M0 0H1000V10H0Z" />
      </svg>
      <span class="name quiet" style={{ "--x": 0.5, "--t": 0.5 }}>
        <Rich of={s.figure.greedy} />
      </span>
    </div>
  );
}

function Names({ scene }: ViewProps) {
  const { s, plane, config, tauAt, plotWidth, labels } = scene;
  const lines = { u: config.u, tauAt, cuts: cutsOf(scene) };
  const gapPlace = plane.gap && gapName(plane);
  return (
    <>
      {plane.regions.map(region => {
        const wide = labels?.[region.id] ? namePlace(plane, region, lines, 176 / plotWidth) : null,
          place = wide ?? namePlace(plane, region, lines, 92 / plotWidth);
        return (
          place && (
            <span key={region.id} class="name" aria-hidden="true" style={{ "--x": place.x, "--t": place.y }}>
              <Token id={region.id}>
                {wide || !labels ? <Rich of={s.map.chooses(region.id)} /> : `ID ${region.id}`}
              </Token>
            </span>
          )
        );
      })}
      {gapPlace && (
        <span class="name wrong" aria-hidden="true" style={{ "--x": gapPlace.x, "--t": gapPlace.y }}>
          <span class="plate">{s.map.none}</span>
        </span>
      )}
    </>
  );
}

/** Where the intervals meet at the current tau. */
function cutsOf({ sampled, kept }: Scene): number[] {
  return sampled
    ? kept.map(id => sampled.hi[id]!).filter((at, index, all) => at > 0 && at < 1 && all.indexOf(at) === index)
    : [];
}

/** The middle of the gap where it is widest, away from the upper and lower end. */
function gapName({ ends, ys }: Plane): { x: number; y: number } {
  let best = 7;
  for (const [row, end] of ends.entries())
    if (ys[row]! > 0.07 && ys[row]! < 0.93 && end < ends[best]! - 0.01) best = row;
  return { x: (1 + ends[best]!) / 2, y: best === 7 ? 0.07 : ys[best]! };
}

/** Whether the held point has moved: a press alone changes nothing. */
let dragged = false;

function Point({ scene, act }: ViewProps) {
  const { s, config, sampled } = scene;
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }, commit: boolean) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    if (!commit) dragged = true;
    if (dragged) act.place({ ...placeOf(event, event.currentTarget.parentElement!), commit });
    if (commit) event.currentTarget.releasePointerCapture(event.pointerId);
  };
  const key = (event: KeyboardEvent) => {
    const size = event.shiftKey ? 0.1 : 0.01;
    const move = {
      ArrowLeft: { u: -size },
      ArrowRight: { u: size },
      ArrowUp: { tau: size },
      ArrowDown: { tau: -size },
      Home: { u: -1 },
      End: { u: 1 },
    }[event.key];
    if (!move) return;
    event.preventDefault();
    act.move(move);
  };
  return (
    <button
      type="button"
      class={sampled ? "point" : "point greedy"}
      style={{ "--u": config.u }}
      aria-label={s.map.point(
        decimal(config.tau),
        decimal(config.u),
        scene.veiled ? scene.m.quiz.veiled : plain(uResult(scene)),
      )}
      onClick={event => event.stopPropagation()}
      onKeyDown={key}
      onPointerDown={event => {
        dragged = false;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={event => drag(event, false)}
      onPointerUp={event => drag(event, true)}
    />
  );
}

/** Where a pointer is in the pane: both from 0 to 1, tau upwards; below the pane lies the strip of tau = 0. */
function placeOf(event: MouseEvent, pane: Element): { u: number; tau: number; commit: boolean } {
  const box = pane.getBoundingClientRect();
  return { u: (event.clientX - box.left) / box.width, tau: 1 - (event.clientY - box.top) / box.height, commit: true };
}
