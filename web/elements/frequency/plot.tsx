// The run and its funnels, the bars as its column at the line, and the line, to be dragged.
import { decimal, probability } from "../../i18n/format.ts";
import { classes } from "../../ui/classes.ts";
import { Heading } from "../../ui/parts.tsx";
import { Press } from "../../ui/press.tsx";
import { Mark, Rich, Token } from "../../ui/rich.tsx";
import { bands as bandsOf } from "../../core/frequency.ts";
import { drawsAt, drawsOf, runLines, type Scene, type ViewProps } from "./scene.ts";

const grouped = (scene: Scene, n: number): string => n.toLocaleString(scene.m.locale);

export function Plot({ scene, act }: ViewProps) {
  const { s, looked } = scene;
  return (
    <figure class="main" aria-label={s.figure.label}>
      <figcaption>
        <Heading sub class="part">
          {looked ? <Rich of={headingOf(scene)} /> : s.figure.label}
        </Heading>
      </figcaption>
      <Progress scene={scene} act={act} />
      <div class="fb">
        <Shares scene={scene} />
        <RunPane scene={scene} act={act} />
        <div class="gap" aria-hidden="true">
          {scene.kept.map(id => (
            <i key={id} data-id={id} style={{ "--t": 1 - scene.run.candidates.p[id]! }} />
          ))}
        </div>
        <Bars scene={scene} act={act} />
        <Counts scene={scene} />
        <LineKnob scene={scene} act={act} />
        <Names scene={scene} />
        <DrawsAxis scene={scene} />
      </div>
      <Rounds scene={scene} act={act} />
      <p class="key">
        {s.figure.key.map(text => (
          <span key={text}>{text}</span>
        ))}
      </p>
    </figure>
  );
}

/** What the figure says: also what is spoken. */
export function headingOf(scene: Scene) {
  const { s, looked, about, kept } = scene,
    n = grouped(scene, looked!.n);
  if (kept.length === 1) return s.figure.always(n, about);
  const { expected } = looked!.bands[about]!,
    z = looked!.fit.z[about]!;
  return [
    s.figure.heading(n, about, grouped(scene, looked!.counts[about]!), decimal(Number(expected.toFixed(3)))),
    s.figure.rare(z),
  ];
}

function Progress({ scene, act }: ViewProps) {
  const { s, done, going, config } = scene;
  if (!going && done === config.draws) return null;
  return (
    <div class="moves">
      <label class="progress">
        <progress max={config.draws} value={done} />{" "}
        <span class="num">{s.figure.progress(grouped(scene, done), grouped(scene, config.draws))}</span>
      </label>
      <Press off={!going} onPress={act.cancel}>
        {s.figure.cancel}
      </Press>
      <Press off={going} onPress={act.go}>
        {s.figure.go}
      </Press>
    </div>
  );
}

/** Another run: with the seed again it is the same one; going on, another. */
function Rounds({ scene, act }: ViewProps) {
  const { s, draft, done, config, earlier, about, looked } = scene,
    now = looked?.counts[about] ?? 0;
  return (
    <div class="moves rounds">
      <label class="switch">
        <input
          type="checkbox"
          checked={draft.seeding === "again"}
          onChange={event => act.change({ seeding: event.currentTarget.checked ? "again" : "on" })}
        />
        {s.rounds.seeded}
      </label>
      <Press off={done < config.draws} onPress={act.again}>
        {s.rounds.again(grouped(scene, config.draws))}
      </Press>
      {earlier.length > 0 && done === config.draws && looked?.n === done && (
        <p>
          <Rich
            of={s.rounds.told(
              about,
              [...earlier, now].map(count => grouped(scene, count)),
            )}
          />
        </p>
      )}
    </div>
  );
}

/** The axis of shares, with the probabilities. */
function Shares({ scene: { kept, run } }: { scene: Scene }) {
  const shown = kept.filter((id, index) =>
    kept.slice(0, index).every(other => Math.abs(run.candidates.p[other]! - run.candidates.p[id]!) > 0.06),
  );
  const free = (at: number) => kept.every(id => Math.abs(run.candidates.p[id]! - at) > 0.06);
  return (
    <div class="yt" aria-hidden="true">
      {[0, 0.5, 1].filter(free).map(at => (
        <span key={at} style={{ "--t": 1 - at }}>
          {at}
        </span>
      ))}
      {shown.map(id => (
        <span key={`p${id}`} class="prob num" data-id={id} style={{ "--t": 1 - run.candidates.p[id]! }}>
          {probability(run.candidates.p[id]!)}
        </span>
      ))}
    </div>
  );
}

function RunPane({ scene, act }: ViewProps) {
  const { s, core, run, looked, kept, lit, config } = scene,
    lines = runLines(core, run);
  const crowded = kept.length > 4,
    at = looked ? drawsAt(core, config.draws, looked.n) : 0;
  return (
    <div
      class="frame b"
      role="img"
      aria-label={
        looked
          ? kept
              .map(id => s.figure.walk(id, probability(looked.counts[id]! / looked.n), grouped(scene, looked.n)))
              .join(scene.m.comma)
          : s.figure.label
      }
    >
      <svg class="canvas" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
        {lines.map(
          ({ id, funnel }) =>
            kept.length > 1 &&
            (!crowded || id === lit) && (
              <path key={`f${id}`} class={classes("fun", lit === id && "raised")} data-id={id} d={funnel} />
            ),
        )}
        {kept.map(id => (
          <path key={`p${id}`} class="pline" data-id={id} d={`M0 ${1000 * (1 - run.candidates.p[id]!)}H1000`} />
        ))}
        {lines.map(({ id, walk }) => (
          <path
            key={`w${id}`}
            class={classes("walk", lit === id && "raised")}
            data-id={id}
            d={walk}
            onPointerEnter={() => act.point(id)}
            onPointerLeave={() => act.point(null)}
          />
        ))}
      </svg>
      {looked && config.draws === 1 && (
        <span class="dot" data-id={kept.find(id => looked.counts[id]! > 0)} style={{ "--x": 1, "--t": 0 }} />
      )}
      {namesOf(scene).map(({ id, x, t }) => (
        <span key={id} class="called above" aria-hidden="true" style={{ "--x": x, "--t": t }}>
          <Token id={id} />
        </span>
      ))}
      {looked && <span class="moment" style={{ "--x": at }} aria-hidden="true" />}
    </div>
  );
}

/** Names above the lines of a few candidates, where a line is calm and has room. */
function namesOf({ kept, core, run, config, done }: Scene): { id: number; x: number; t: number }[] {
  if (kept.length > 4 || kept.length === 1 || done < 10) return [];
  const mark = run.marks.filter(({ n }) => drawsAt(core, config.draws, n) <= 0.52).at(-1);
  if (!mark) return [];
  const x = drawsAt(core, config.draws, mark.n),
    share = (id: number) => mark.counts[id]! / mark.n;
  const apart = (id: number) => kept.every(other => other === id || Math.abs(share(other) - share(id)) > 0.09);
  return kept
    .filter(apart)
    .map(id => ({ id, x, t: Math.max(0.1, 1 - Math.max(share(id), run.candidates.p[id]!) - 0.03) }));
}

/** Counts at the line, as bars on the run's own axis. */
function Bars({ scene, act }: ViewProps) {
  const { s, looked, run, lit } = scene,
    all = [...run.candidates.p.keys()];
  return (
    <div
      class="frame a"
      role="img"
      aria-label={s.figure.bars(all.map(id => s.figure.bar(id, grouped(scene, looked?.counts[id] ?? 0))))}
      style={{ "--columns": all.length }}
    >
      {all.map(id => {
        const p = run.candidates.p[id]!,
          count = looked?.counts[id] ?? 0,
          band = looked?.bands[id];
        return (
          <div
            key={id}
            class={classes("col", p === 0 && "removed", lit === id && "raised")}
            data-id={id}
            style={{
              "--v": looked ? count / looked.n : 0,
              "--p": p,
              "--lo": band?.low ?? 0,
              "--hi": band?.high ?? 0,
            }}
            onPointerEnter={() => act.point(id)}
            onPointerLeave={() => act.point(null)}
            onClick={() => act.pin(id)}
          >
            {count > 0 && <span class="bar" />}
            {p > 0 && p < 1 && <span class="ex" />}
            {p > 0 && p < 1 && <span class="ci" />}
            <span class="cnt num">{grouped(scene, count)}</span>
          </div>
        );
      })}
    </div>
  );
}

/** The same axis, in counts. */
function Counts({ scene }: { scene: Scene }) {
  const n = scene.looked?.n ?? 0;
  return (
    <div class="ya" aria-hidden="true">
      {n > 0 && (
        <>
          <span style={{ "--t": 0 }}>{grouped(scene, n)}</span>
          {n % 2 === 0 && <span style={{ "--t": 0.5 }}>{grouped(scene, n / 2)}</span>}
          <span style={{ "--t": 1 }}>0</span>
        </>
      )}
    </div>
  );
}

function Names({ scene: { run } }: { scene: Scene }) {
  const all = [...run.candidates.p.keys()];
  return (
    <div class="xa" aria-hidden="true" style={{ "--columns": all.length }}>
      {all.map(id => (
        <span key={id} class={run.candidates.p[id]! > 0 ? undefined : "removed"}>
          {all.length > 4 ? (
            <span class="tok" data-id={id}>
              <Mark id={id} />
            </span>
          ) : (
            <Token id={id}>{id}</Token>
          )}
        </span>
      ))}
    </div>
  );
}

/** The line: a native range on the logarithmic axis; an arrow is one draw up to 100, then a hundredth. */
function LineKnob({ scene, act }: ViewProps) {
  const { s, core, config, looked, done } = scene,
    n = looked?.n ?? 0;
  if (done < 1) return <div class="knob" />;
  const at = drawsAt(core, config.draws, n);
  const go = (to: number, commit: boolean) => act.line(Math.min(done, Math.max(1, to)), commit);
  const key = (event: KeyboardEvent) => {
    const step = (n < 100 ? 1 : Math.max(1, Math.floor(n / 100))) * (event.shiftKey ? 10 : 1);
    const to = {
      ArrowLeft: n - step,
      ArrowDown: n - step,
      ArrowRight: n + step,
      ArrowUp: n + step,
      Home: 1,
      End: done,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to, true);
  };
  const slide = (value: string, commit: boolean) => go(drawsOf(core, config.draws, Number(value) / 1000), commit);
  return (
    <div class="knob" style={{ "--x": at }}>
      <input
        type="range"
        class="range"
        aria-label={s.sliders.line(done)}
        aria-valuetext={grouped(scene, n)}
        min={0}
        max={1000}
        step="any"
        value={1000 * at}
        onKeyDown={key}
        onInput={event => slide(event.currentTarget.value, false)}
        onChange={event => slide(event.currentTarget.value, true)}
      />
      <span class={at > 0.3 ? "reads leftwards" : "reads"} aria-hidden="true">
        <var>n</var> = {grouped(scene, n)}
      </span>
    </div>
  );
}

/** Powers of ten, the funnel's width at each, and the law between two of them. */
function DrawsAxis({ scene }: { scene: Scene }) {
  const { s, core, config, about, run, looked } = scene;
  const powers: number[] = [];
  for (let power = 1; power <= config.draws; power *= 10) powers.push(power);
  const at = looked ? drawsAt(core, config.draws, looked.n) : 0,
    places = powers.map(power => drawsAt(core, config.draws, power));
  const widths = widthsOf(core, run.candidates.p[about]!, powers),
    span = powers.length > 2 ? ([powers.length - 3, powers.length - 1] as const) : null;
  return (
    <>
      <div class="xb" aria-hidden="true">
        {powers.map((power, index) => (
          <span
            key={power}
            class={classes(
              Math.abs(places[index]! - at) < 0.14 && "hidden",
              index === 0 && "start",
              places[index]! > 0.9 && "rightmost",
            )}
            style={{ "--x": places[index]! }}
          >
            {grouped(scene, power)}
          </span>
        ))}
      </div>
      {scene.kept.length > 1 && (
        <div class="xe" aria-hidden="true">
          <b>{s.figure.funnel}</b>
          {powers.map((power, index) => (
            <span
              key={power}
              class={classes(index === 0 && "start", places[index]! > 0.9 && "rightmost")}
              style={{ "--x": places[index]! }}
            >
              ±{widths[index]}
            </span>
          ))}
        </div>
      )}
      {span && scene.kept.length > 1 && (
        <div class="xd" aria-hidden="true" style={{ "--from": places[span[0]]!, "--to": places[span[1]]! }}>
          <span>{s.figure.law}</span>
        </div>
      )}
    </>
  );
}

const widthsOf = (core: Scene["core"], p: number, draws: readonly number[]): string[] =>
  bandsOf(core, p, draws).map(({ error }) => (2 * error).toFixed(3));
