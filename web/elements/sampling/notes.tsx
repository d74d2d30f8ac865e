// Beside the figure: how to read it, what was removed, the common mistake. Below the table: ties, tau =
// 0, limits of doubles.
import { decimal, probability } from "../../i18n/format.ts";
import { Note } from "../../ui/note.tsx";
import { Rich } from "../../ui/rich.tsx";
import type { ViewProps } from "./scene.ts";

export function FigureNotes({ scene, act }: ViewProps) {
  const { s, sampled, config, removed, labels, preset } = scene,
    n = s.notes;
  const zeroed = config.share === "zeroed";
  return (
    <aside class="notes" aria-label={n.label}>
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
        </Note>
      )}
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
      {labels && <p class="quiet">{n.sources[preset as keyof typeof n.sources]}</p>}
    </aside>
  );
}

export function TableNotes({ scene, act }: ViewProps) {
  const { s, config, keptBy } = scene,
    n = s.notes;
  const differ = keptBy.strict.length !== keptBy.threshold.length;
  return (
    <div class="notes across">
      <fieldset class="ties">
        <legend>{n.ties}</legend>
        <p>
          <Rich of={differ ? n.tieDiffer : n.tieNone} />
        </p>
        {(["strict", "threshold"] as const).map(rule => (
          <label key={rule} class="choice">
            <input type="radio" name="tie" checked={config.tie === rule} onChange={() => act.change({ tie: rule })} />
            <span>
              <Rich of={n.tieRules[rule]} />
              <span class="kept-set">{n.tieKeeps(keptBy[rule])}</span>
            </span>
          </label>
        ))}
      </fieldset>
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
