// In the margin: how to read the figure, the common mistake, both tie rules, tau = 0 and the limits of doubles.
import { decimal, probability } from "../../i18n/format.ts";
import { Rich } from "../../ui/rich.tsx";
import type { ViewProps } from "./scene.ts";

export function Notes({ scene, act }: ViewProps) {
  const { m, sampled, config, removed, keptBy, labels } = scene, n = m.notes;
  const zeroed = config.share === "zeroed";
  const differ = keptBy.strict.length !== keptBy.threshold.length;
  return (
    <aside class="notes" aria-label={n.label}>
      <div>
        <h3>{n.read}</h3>
        <p>
          <Rich of={sampled ? n.reading(decimal(config.tau)) : n.readingGreedy} />
        </p>
      </div>
      {sampled && (
        <div>
          <h3>{n.gone}</h3>
          <p>
            <Rich of={removed.length ? n.removed(removed, probability(sampled.removed_mass)) : n.noneRemoved} />
          </p>
        </div>
      )}
      <div>
        <h3>{n.mistake}</h3>
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={zeroed}
            onChange={event => act.change({ share: event.currentTarget.checked ? "zeroed" : "renormalised" })}
          />
          {n.mistakeSwitch}
        </label>
        <p class={zeroed ? "wrong" : "quiet no-print"}>
          <Rich of={zeroed && sampled ? n.mistakeOn(probability(sampled.sum_q)) : n.mistakeOff} />
        </p>
      </div>
      <fieldset class="ties">
        <legend>{n.ties}</legend>
        <p>{differ ? n.tieDiffer : n.tieNone}</p>
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
      <div>
        <h3>{n.zero}</h3>
        <p>
          <Rich of={n.zeroText} />
        </p>
      </div>
      <div>
        <h3>{n.limits}</h3>
        <p>
          <Rich of={n.limitsText} />
        </p>
      </div>
      {labels && <p class="quiet">{n.real}</p>}
    </aside>
  );
}
