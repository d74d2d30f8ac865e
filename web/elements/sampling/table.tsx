// Every number of every candidate. Headers carry the step that computes the column; cells of later steps say so.
import type { ComponentChildren } from "preact";
import { decimal, probability } from "../../i18n/format.ts";
import { plain } from "../../i18n/rich.ts";
import { classes } from "../../ui/classes.ts";
import { Heads, Line } from "../../ui/table.tsx";
import { Mark, Rich, Spelling } from "../../ui/rich.tsx";
import { sliding } from "../../ui/slide.ts";
import { RULES } from "./rules.ts";
import { pointing, STEPS, type Scene, type ViewProps } from "./scene.ts";

export function Table({ scene, act }: ViewProps) {
  const { s, step } = scene;
  const heads = [
    { mark: "①", text: "logit", steps: [STEPS.read] },
    { mark: "②", text: s.table.score, steps: [STEPS.score] },
    { mark: "③", text: s.table.before, steps: [STEPS.before] },
    { mark: "⑤", text: s.table.after, steps: [STEPS.after] },
    { mark: "⑥", text: s.table.interval, steps: [STEPS.place] },
    { mark: "④⑥", text: s.table.state, steps: [STEPS.keep, STEPS.place] },
  ] as const;
  return (
    <table
      class={classes(
        "calc",
        scene.labels !== undefined && "labelled",
        scene.logits.every(logit => decimal(logit).length < 6) && "grips",
      )}
      role="table"
      style={{ "--state-width": s.table.stateWidth }}
    >
      <caption>
        <b>{s.table.name}</b>
        {s.table.caption}
      </caption>
      <Heads
        of={[
          { class: "c0", children: <span class="vh">{s.table.candidate}</span> },
          ...heads.map(({ mark, text, steps }, index) => ({
            class: `c${index + 1}${(steps as readonly number[]).includes(step) ? " now" : ""}`,
            children: (
              <>
                <i>{mark}</i>
                <Rich of={text} />
              </>
            ),
          })),
        ]}
      />
      <tbody role="rowgroup">
        {scene.logits.map((_, id) => (
          <Row key={id} id={id} scene={scene} act={act} />
        ))}
      </tbody>
      <Totals scene={scene} />
    </table>
  );
}

function Row({ id, scene, act }: ViewProps & { id: number }) {
  const { s, sampled, labels, result, step } = scene;
  const kept = scene.kept.includes(id),
    decided = step >= STEPS.keep && sampled !== null;
  const chosen = step >= STEPS.place && result.id === id;
  return (
    <Line
      data-id={id}
      class={classes(decided && !kept ? "removed" : "kept", chosen && "chosen", scene.lit === id && "lit")}
      {...pointing(act, id)}
      headClass="c0"
      head={
        <button
          type="button"
          class="id"
          aria-pressed={scene.shown === id}
          onClick={() => act.pin(id)}
          onFocus={() => act.point(id)}
          onBlur={() => act.point(null)}
        >
          <Mark id={id} />
          ID {id}
          {labels?.[id] && <Spelling of={labels[id]} />}
        </button>
      }
    >
      <td role="cell" class="c1 num">
        <span class="barred">
          <span class="num">{decimal(scene.logits[id]!)}</span>
          <input
            type="range"
            class="grip"
            aria-label={plain(s.sliders.logit(id))}
            min={scene.range[0]}
            max={scene.range[1]}
            step={0.1}
            value={scene.logits[id]!}
            {...sliding(
              () => act.type("logits", scene.draft.logits, false),
              (text, commit) => act.drag(id, text, commit),
            )}
          />
        </span>
      </td>
      <Cell of={scene} at={STEPS.score} class="c2 num">
        {sampled && <Score value={sampled.score[id]!} all={sampled.score} />}
      </Cell>
      <Cell of={scene} at={STEPS.before} class="c3">
        {sampled && <Probability value={sampled.p[id]!} />}
      </Cell>
      <Cell of={scene} at={STEPS.after} class="c4">
        {sampled && <Probability value={sampled.q[id]!} after />}
      </Cell>
      <Cell of={scene} at={STEPS.place} class="c5">
        {sampled && (kept ? <Interval lo={sampled.lo[id]!} hi={sampled.hi[id]!} /> : "—")}
      </Cell>
      <td role="cell" class="c6">
        {chosen || decided ? (
          <span class="by">{stateOf(scene, id, chosen)}</span>
        ) : sampled || step < STEPS.place ? (
          <Pending text={s.table.pending} />
        ) : (
          "—"
        )}
      </td>
    </Line>
  );
}

/** Chosen, kept, or removed; with more filters than the chapter's also by which. */
export function stateOf(
  { s, sampled, kept, filtered, stages }: Pick<Scene, "s" | "sampled" | "kept" | "filtered" | "stages">,
  id: number,
  chosen = false,
): string {
  if (chosen || kept.includes(id)) return s.table[chosen ? "chosen" : "kept"];
  const by = filtered && sampled ? stages[sampled.removed_by[id]! - 1] : undefined;
  return by ? s.rules.removedBy(RULES[by.rule]) : s.table.removed;
}

/** A cell of the step `at`: to come before it, not defined where tau = 0. */
function Cell({
  of: scene,
  at,
  class: name,
  children,
}: {
  of: Scene;
  at: number;
  class: string;
  children: ComponentChildren;
}) {
  const { s, step, sampled } = scene;
  return (
    <td role="cell" class={name}>
      {step < at ? <Pending text={s.table.pending} /> : sampled ? children : <Pending text={s.table.undefined} />}
    </td>
  );
}

function Pending({ text }: { text: string }) {
  return <span class="pending">{text}</span>;
}

/** A score, with hidden zeros so that a column of them aligns on the decimal point. */
function Score({ value, all }: { value: number; all: Float64Array }) {
  const places = (text: string) => (text.includes("e") ? 0 : (text.split(".")[1]?.length ?? 0));
  const text = decimal(value),
    most = Math.max(...Array.from(all, other => places(decimal(other))));
  const missing = most - places(text);
  return (
    <>
      {text}
      {missing > 0 && <s aria-hidden="true">{(text.includes(".") ? "" : ".") + "0".repeat(missing)}</s>}
    </>
  );
}

/** May break after its comma, and only there. */
function Interval({ lo, hi }: { lo: number; hi: number }) {
  return (
    <>
      <span class="num">[{probability(lo)},</span> <span class="num">{probability(hi)})</span>
    </>
  );
}

function Probability({ value, after = false }: { value: number; after?: boolean }) {
  return (
    <span class="barred">
      <span class="num">{probability(value)}</span>
      <span class={classes("meter", after && "full", value === 0 && "zero")} style={{ "--v": value }} />
    </span>
  );
}

function Totals({ scene: { s, sampled, step, config } }: { scene: Scene }) {
  const wrong = config.share === "zeroed";
  return (
    <tfoot role="rowgroup">
      <Line headClass="c0" head={s.table.total}>
        <td role="cell" class="c1" />
        <td role="cell" class="c2" />
        <td role="cell" class="c3 num">
          {sampled && step >= STEPS.before && "1"}
        </td>
        <td role="cell" class={wrong ? "c4 num wrong" : "c4 num"}>
          {sampled &&
            step >= STEPS.after &&
            (wrong && sampled.sum_q < 1 ? s.table.notOne(probability(sampled.sum_q)) : probability(sampled.sum_q))}
        </td>
        <td role="cell" class="c5" />
        <td role="cell" class="c6" />
      </Line>
    </tfoot>
  );
}
