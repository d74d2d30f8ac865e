// Beside the figure: how to read it, what was removed, ties, the common mistake. Below the table: tau = 0, limits of
// doubles.
import { decimal, probability } from "../../i18n/format.ts";
import { Note } from "../../ui/note.tsx";
import type { Part } from "../../i18n/rich.ts";
import { Rich } from "../../ui/rich.tsx";
import type { Tie } from "../../core/lab.ts";
import { marked, RULES, type TieP } from "./rules.ts";
import type { Scene, ViewProps } from "./scene.ts";

export function FigureNotes({ scene, act }: ViewProps) {
  const { s, sampled, config, removed, real, preset, filtered } = scene,
    n = s.notes;
  const zeroed = config.share === "zeroed";
  return (
    <div class="notes" role="group" aria-label={n.label}>
      <Note title={n.read}>
        <p>
          <Rich of={sampled ? n.reading(decimal(config.tau)) : n.readingGreedy} />
        </p>
      </Note>
      {sampled && (
        <Note title={n.gone}>
          <p>
            <Rich of={removed.length ? n.removed(removed, probability(sampled.removed_mass)) : n.noneRemoved} />
          </p>
          {filtered && <Taken scene={scene} />}
        </Note>
      )}
      <AllTies scene={scene} act={act} />
      <Note title={n.mistake} class={zeroed ? undefined : "no-print"}>
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={zeroed}
            onChange={event => act.change({ share: event.currentTarget.checked ? "zeroed" : "renormalised" })}
          />
          {n.mistakeSwitch}
        </label>
        <p class={zeroed ? "wrong" : "quiet"}>
          <Rich of={zeroed && sampled ? n.mistakeOn(probability(sampled.sum_q)) : n.mistakeOff} />
        </p>
      </Note>
      {real && <p class="quiet">{n.sources[preset as keyof typeof n.sources]}</p>}
    </div>
  );
}

/** What each of the filters took. */
function Taken({ scene: { s, stages } }: Pick<ViewProps, "scene">) {
  return stages.map(({ rule, step }) => {
    const gone = marked(step.rank).filter(id => !step.kept[id]);
    return (
      gone.length > 0 && (
        <p key={rule}>
          <Rich of={s.rules.took(RULES[rule], gone, probability(step.removed_mass))} />
        </p>
      )
    );
  });
}

type TiesProps<Name extends Tie | TieP> = ViewProps & {
  readonly name: "tie" | "tie_p";
  readonly legend: string;
  readonly why: Part;
  readonly ties: readonly Name[];
  readonly rules: Readonly<Record<Name, Part>>;
  readonly kept: Readonly<Record<Name, readonly number[]>>;
};

/** Two rules side by side, what each keeps, and why they differ, or do not. */
function Ties<Name extends Tie | TieP>({ name, legend, why, ties, rules, kept, scene, act }: TiesProps<Name>) {
  const { s, config } = scene;
  return (
    <fieldset class="ties">
      <legend>{legend}</legend>
      <p>
        <Rich of={why} />
      </p>
      {ties.map(tie => (
        <label key={tie} class="choice">
          <input type="radio" name={name} checked={config[name] === tie} onChange={() => act.change({ [name]: tie })} />
          <span>
            <Rich of={rules[tie]} />
            <span class="kept-set">{s.notes.tieKeeps(kept[tie])}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Of each filter that has ties, beside the figure that they change. */
function AllTies({ scene, act }: ViewProps) {
  const { s, config, keptBy, keptByP } = scene,
    n = s.notes;
  const differ = keptBy.strict.length !== keptBy.threshold.length;
  return (
    <>
      {config.rules.includes("top_k") && (
        <Ties
          name="tie"
          legend={n.ties}
          why={differ ? n.tieDiffer : n.tieNone}
          ties={["strict", "threshold"]}
          rules={n.tieRules}
          kept={keptBy}
          {...{ scene, act }}
        />
      )}
      {config.rules.includes("top_p") && (
        <Ties
          name="tie_p"
          legend={s.rules.ties}
          why={whyExact(scene)}
          ties={["strict", "inclusive"]}
          rules={s.rules.tieRules}
          kept={keptByP}
          {...{ scene, act }}
        />
      )}
    </>
  );
}

/** Whether a sum meets p exactly, and before which candidate. */
function whyExact({ s, keptByP, config }: Scene): Part {
  const more = keptByP.inclusive.find(id => !keptByP.strict.includes(id));
  return more === undefined ? s.rules.tieNone : s.rules.tieDiffer(more, decimal(config.top_p));
}

export function TableNotes({ scene }: Pick<ViewProps, "scene">) {
  const n = scene.s.notes;
  return (
    <div class="notes across">
      <Note title={n.zero}>
        <p>
          <Rich of={n.zeroText} />
        </p>
      </Note>
      <Note title={n.limits}>
        <p>
          <Rich of={n.limitsText} />
        </p>
      </Note>
    </div>
  );
}
