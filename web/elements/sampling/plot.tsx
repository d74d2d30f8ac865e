// The ruler of u: shares before the filter, the bands that stretch them, the intervals after it, and u, to be dragged.
import { decimal, interval, probability } from "../../i18n/format.ts";
import { classes } from "../../ui/classes.ts";
import { plain } from "../../i18n/rich.ts";
import { Rich, Spelling } from "../../ui/rich.tsx";
import { sliding } from "../../ui/slide.ts";
import { Settings } from "./inputs.tsx";
import { TauMap } from "./map.tsx";
import type { Sampled } from "../../core/lab.ts";
import { marked, RULES } from "./rules.ts";
import { pointing, STEPS, type Scene, type ViewProps } from "./scene.ts";

/** `alone`: its settings stand nowhere else. */
export function Plot({ scene, act, alone }: ViewProps & { alone: boolean }) {
  const { s, config, draft, sampled, step } = scene;
  return (
    <figure>
      <figcaption>
        <b>{s.figure.name}</b>
        {alone ? <Settings scene={scene} /> : <Rich of={s.figure.caption} />}
      </figcaption>
      <div class="plot" style={{ "--u": config.u, "--between": between(scene) }}>
        <div class="area over" aria-hidden="true">
          {sampled && step >= STEPS.before && labels(scene)}
        </div>
        <div class="row-label r2">{s.figure.before}</div>
        <Before scene={scene} act={act} />
        <div class="area bands" aria-hidden="true">
          {sampled && step >= STEPS.after && <Between scene={scene} act={act} />}
        </div>
        <BetweenNames scene={scene} />
        <div class="row-label r4">{s.figure.after}</div>
        <After scene={scene} act={act} />
        <div class="area cuts" aria-hidden="true">
          {sampled && step >= STEPS.after && cuts(scene)}
        </div>
        <div class="area u-row">
          <input
            type="range"
            class="range"
            aria-label={s.sliders.ruler}
            min={0}
            max={0.999999}
            step={0.001}
            value={config.u}
            {...sliding(
              () => act.type("u", draft.u, false),
              (text, commit) => act.type("u", text, commit),
            )}
          />
          <span class={config.u > 0.6 ? "tag flip" : "tag"} aria-hidden="true">
            <var>u</var> = {decimal(config.u)}
          </span>
        </div>
        <TauMap scene={scene} act={act} />
        <div class="cross" aria-hidden="true">
          <span class="uline" />
        </div>
      </div>
    </figure>
  );
}

/** The numbers above the upper strip; candidates too thin for one of their own share it ("0–3"). */
function labels({ sampled, kept, logits, plotWidth }: Scene) {
  const groups: { first: number; last: number; at: number; removed: boolean }[] = [];
  for (const id of logits.keys()) {
    const at = sampled!.start[id]! + sampled!.p[id]! / 2,
      before = groups.at(-1),
      removed = !kept.includes(id);
    const room = before && before.first < before.last ? 26 : 14;
    if (before && at - before.at < room / plotWidth) before.last = id;
    else groups.push({ first: id, last: id, at, removed });
  }
  return groups.map(({ first, last, at, removed }) => (
    <span key={first} data-id={first} class={removed ? "removed" : undefined} style={{ "--x": at }}>
      {first === last ? first : `${first}–${last}`}
    </span>
  ));
}

function Before({ scene, act }: ViewProps) {
  const { s, sampled, kept, step, stages } = scene;
  if (!sampled || step < STEPS.before) return <div class="area strip before empty" />;
  const parts = scene.logits.map((_, id) => s.figure.segment(id, probability(sampled.p[id]!)));
  return (
    <div class="area strip before" role="img" aria-label={plain(s.figure.segments(s.figure.before, parts))}>
      {scene.logits.map((_, id) => (
        <Segment
          key={id}
          id={id}
          lo={sampled.start[id]!}
          hi={sampled.start[id]! + sampled.p[id]!}
          removed={step >= STEPS.keep && !(stages[0]?.step.kept[id] ?? kept.includes(id))}
          scene={scene}
          act={act}
        />
      ))}
    </div>
  );
}

function After({ scene, act }: ViewProps) {
  const { s, sampled, kept, step, labels } = scene;
  if (!sampled)
    return (
      <div class="area strip after empty">
        <p class="note">
          <Rich of={s.figure.greedy} />
        </p>
      </div>
    );
  if (step < STEPS.after) return <div class="area strip after empty" />;
  const parts = kept.map(id => s.figure.segment(id, interval(sampled.lo[id]!, sampled.hi[id]!)));
  return (
    <div class="area strip after" role="img" aria-label={plain(s.figure.segments(s.figure.after, parts))}>
      {kept.map(id => (
        <Segment
          key={id}
          id={id}
          lo={sampled.lo[id]!}
          hi={sampled.hi[id]!}
          chosen={step >= STEPS.place && sampled.id === id}
          scene={scene}
          act={act}
        >
          <i class="lo">[</i>
          <span class="name">
            <span>ID {id}</span> {labels?.[id] && <Spelling of={labels[id]} />}
            <b class="val num">{probability(sampled.q[id]!)}</b>
          </span>
          <i class="hi">)</i>
        </Segment>
      ))}
      {sampled.sum_q < 1 && (
        <span class="seg missing" style={{ "--lo": sampled.sum_q, "--hi": 1 }}>
          <span>{s.figure.gap}</span>
        </span>
      )}
    </div>
  );
}

type SegmentProps = ViewProps & {
  id: number;
  lo: number;
  hi: number;
  removed?: boolean;
  chosen?: boolean;
  children?: preact.ComponentChildren;
};

function Segment({ id, lo, hi, removed = false, chosen = false, scene, act, children }: SegmentProps) {
  // the name stands in the larger part beside the u line
  const [left, right] =
    scene.config.u - lo > hi - scene.config.u ? [lo, Math.min(scene.config.u, hi)] : [Math.max(scene.config.u, lo), hi];
  const span = hi > lo ? hi - lo : 1;
  return (
    <span
      class={classes("seg", removed && "removed", chosen && "chosen", scene.lit === id && "lit")}
      data-id={id}
      style={{ "--lo": lo, "--hi": hi, "--from": (left - lo) / span, "--to": (right - lo) / span }}
      {...pointing(act, id)}
      onClick={() => act.pin(id)}
    >
      <span>{children}</span>
    </span>
  );
}

type BandsProps = Pick<ViewProps, "scene"> & {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly left: Sampled;
};

/** How each share that a filter keeps moves from the strip above to the one below. */
function Bands({ scene: { lit }, from, to, left }: BandsProps) {
  const x = (share: number) => (1000 * share).toFixed(2);
  return (
    <svg class="geo" viewBox="0 0 1000 100" preserveAspectRatio="none">
      {marked(left.kept).map(id => (
        <path
          key={id}
          class={lit === id ? "band lit" : "band"}
          data-id={id}
          d={`M${x(from[id]!)} 0H${x(to[id]!)}L${x(left.hi[id]!)} 100H${x(left.lo[id]!)}Z`}
        />
      ))}
    </svg>
  );
}

function cuts({ s, sampled, kept }: Scene) {
  const ends = kept
    .slice(0, -1)
    .map(id => sampled!.hi[id]!)
    .filter((at, index, all) => at > 0 && at < 1 && all.indexOf(at) === index);
  const sum = sampled!.sum_q;
  const shown: number[] = [];
  // a number that would touch its neighbour is left out; the 0 reaches to 0.04
  for (const at of ends) if (at - (shown.at(-1) ?? 0.04) >= 0.1 && at < 0.92) shown.push(at);
  return (
    <>
      <span style={{ "--x": 0 }}>0</span>
      {shown.map(at => (
        <span key={at} class="inner num" style={{ "--x": at }}>
          {probability(at)}
        </span>
      ))}
      <span class={sum < 1 ? "inner end" : "end"} style={{ "--x": 1 }}>
        {sum < 1 ? s.figure.gapFrom(probability(sum)) : "1"}
      </span>
    </>
  );
}

// ---- More filters than one ---------------------------------------------------------------------------------------

/** How many strips there are between the first and the last. */
const between = ({ stages }: Pick<Scene, "stages">): number => Math.max(0, stages.length - 1);

/** Where the kept lie before a filter and after it: what bands join. */
const joined = (scene: Scene, index: number) => {
  const { stages, sampled } = scene,
    before = index ? stages[index - 1]!.left : null;
  return {
    from: before ? before.lo : sampled!.start,
    to: before ? before.hi : sampled!.start.map((at, id) => at + sampled!.p[id]!),
    left: stages[index]!.left,
  };
};

/** All between the first strip and the last: bands, and the strips of all filters but the last. */
function Between({ scene, act }: ViewProps) {
  return scene.stages.map(({ rule }, index) => (
    <div key={rule} class="joint" style={{ "--n": index }}>
      <Bands scene={scene} {...joined(scene, index)} />
      {index < between(scene) && <Left scene={scene} act={act} index={index} />}
    </div>
  ));
}

/** What one filter left, hatched what the next takes. */
function Left({ scene, act, index }: ViewProps & { index: number }) {
  const { s, stages } = scene,
    { left, rule } = stages[index]!,
    { step: next, rule: nextRule } = stages[index + 1]!;
  const name = s.rules.after(RULES[rule]),
    kept = marked(left.kept),
    gone = kept.filter(id => !next.kept[id]);
  const parts = kept.map(id => s.figure.segment(id, probability(left.q[id]!)));
  const taken = gone.length ? plain(s.rules.took(RULES[nextRule], gone, probability(next.removed_mass))) : "";
  return (
    <div class="middle" role="img" aria-label={`${plain(s.figure.segments(name, parts))}. ${taken}`.trim()}>
      {kept.map(id => (
        <Segment
          key={id}
          id={id}
          lo={left.lo[id]!}
          hi={left.hi[id]!}
          removed={gone.includes(id)}
          scene={scene}
          act={act}
        />
      ))}
      {left.sum_q < 1 && (
        <span class="seg missing" style={{ "--lo": left.sum_q, "--hi": 1 }}>
          <span />
        </span>
      )}
    </div>
  );
}

/** The names of those strips, beside them. */
function BetweenNames({ scene }: Pick<ViewProps, "scene">) {
  const { stages, step } = scene;
  if (step < STEPS.after) return null;
  return stages.slice(0, -1).map(({ rule }, index) => (
    <div key={rule} class="row-label joint-name" style={{ "--n": index }}>
      {RULES[rule]}
    </div>
  ));
}
