// Filters one after another: what each found, what it compared with what, and what it left. Of the chapter's one filter
// the table above says it all.
import { decimal, probability } from "../../i18n/format.ts";
import type { Part } from "../../i18n/rich.ts";
import { classes } from "../../ui/classes.ts";
import { Rich, Token } from "../../ui/rich.tsx";
import { Heads, Line } from "../../ui/table.tsx";
import { marked, RULES, type Stage } from "./rules.ts";
import { pointing, STEPS, type Scene, type ViewProps } from "./scene.ts";

export function Filters({ scene, act }: ViewProps) {
  const { s, filtered, stages, step } = scene;
  if (!filtered || !stages.length || step < STEPS.keep) return null;
  return (
    <div class="filters" role="group" aria-label={s.rules.label}>
      {stages.map((stage, index) => (
        <FilterTable key={stage.rule} index={index} stage={stage} scene={scene} act={act} />
      ))}
    </div>
  );
}

function FilterTable({ scene, act, stage, index }: ViewProps & { stage: Stage; index: number }) {
  const { s } = scene,
    { rule, step } = stage,
    { heads } = s.rules;
  return (
    <table class="filter" role="table" data-rule={rule}>
      <caption>
        <b>{s.rules.title(index + 1, RULES[rule])}</b>
        <Rich of={howOf(scene, stage)} />
        <Rich of={s.rules.masses(probability(step.mass_before), probability(step.mass_after))} />
      </caption>
      <Heads
        of={[
          s.table.candidate,
          ...[heads.found, heads.compare, heads.left].map(of => ({ children: <Rich of={of} /> })),
        ]}
      />
      <tbody role="rowgroup">
        {inOrder(stage).map(id => (
          <Line
            key={id}
            data-id={id}
            class={classes(!step.kept[id] && "removed", scene.lit === id && "lit")}
            {...pointing(act, id)}
            head={<Token id={id} word={scene.labels?.[id]} />}
          >
            <td role="cell">{probability(step.p[id]!)}</td>
            <td role="cell">{decisionOf(scene, stage, id)}</td>
            <td role="cell">{step.kept[id] ? probability(step.q[id]!) : s.table.removed}</td>
          </Line>
        ))}
      </tbody>
    </table>
  );
}

/** The candidates that a filter found, from first to last. */
const inOrder = ({ step: { rank } }: Stage): number[] => marked(rank).sort((a, b) => rank[a]! - rank[b]!);

function howOf({ s, config }: Scene, { rule, step }: Stage): Part {
  const { how } = s.rules;
  if (rule === "top_k") return how.top_k(String(config.k), config.tie === "threshold");
  if (rule === "top_p") return how.top_p(decimal(config.top_p), config.tie_p === "inclusive");
  return how.min_p(decimal(config.min_p), probability(Math.max(...step.p)), probability(step.threshold));
}

/** What a filter compared a candidate with, in numbers. */
export function decisionOf({ s, config }: Scene, { rule, step }: Stage, id: number): string {
  const value = step.value[id]!,
    { threshold } = step,
    rank = step.rank[id]!;
  if (rule === "top_k")
    return config.tie === "strict"
      ? s.rules.rank(rank, String(config.k))
      : `${decimal(value)} ${value < threshold ? "<" : "≥"} ${decimal(threshold)}`;
  if (rule === "min_p") return `${probability(value)} ${value < threshold ? "<" : "≥"} ${probability(threshold)}`;
  if (rank === 1) return s.rules.first;
  if (threshold === 1) return s.rules.whole;
  const sign = value < threshold ? "<" : value > threshold ? ">" : "=";
  return `${probability(value)} ${sign} ${decimal(threshold)}`;
}
