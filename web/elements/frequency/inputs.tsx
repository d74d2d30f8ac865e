// The parameters in the order of the pipeline, each with its result below.
import { axisPlace, axisValue } from "../../core/lab.ts";
import { isRace } from "../../core/frequency.ts";
import { isTorch } from "./run.ts";
import type { Part } from "../../i18n/rich.ts";
import { Field, ticks, type FieldProps } from "../../ui/field.tsx";
import { Rich } from "../../ui/rich.tsx";
import { Select } from "../../ui/select.tsx";
import type { Scene, ViewProps } from "./scene.ts";
import { choices, LIMITS, type FieldName } from "./state.ts";

/** What a field is made of, but for its mode. */
export function fieldOf({ scene, act }: ViewProps, name: FieldName, result: Part): Omit<FieldProps, "mode"> {
  const { s, draft, reading } = scene,
    problem = reading.problems[name];
  return {
    name,
    label: s.fields[name],
    text: draft[name],
    most: LIMITS.text,
    problem: problem && s.problem(name, problem, reading.count),
    onText: (text, commit) => act.type(name, text, commit),
    children: reading.config && <Rich of={result} />,
  };
}

export function Inputs({ scene, act }: ViewProps) {
  const { m, s, reading, config } = scene,
    count = reading.count;
  const common = (name: FieldName, result: Part) => fieldOf({ scene, act }, name, result);
  return (
    <div role="group" class="inputs" aria-label={m.inputs}>
      <Field {...common("logits", s.results.count(config.logits.length))} mode="text" wide hint={s.hints.logits} />
      <Field
        {...common("tau", tauResult(scene))}
        mode="decimal"
        slider={{ label: s.sliders.tau, min: 0, max: 2, step: 0.01, value: config.tau, ticks: ticks(0, 2, 0, 1, 2) }}
      />
      <Field
        {...common("k", s.results.keeps(scene.kept))}
        mode="numeric"
        slider={{
          label: s.sliders.k(count),
          min: 1,
          max: count,
          step: 1,
          value: config.k,
          ticks: ticks(1, count, ...(count > 5 ? [1, count] : Array.from({ length: count }, (_, id) => id + 1))),
        }}
      />
      <Draws scene={scene} act={act} />
      <Generator scene={scene} act={act} />
      <Field {...common("seed", s.hints.seed)} mode="numeric" wide />
    </div>
  );
}

function tauResult({ s, config }: Scene): Part {
  const { logits, tau } = config,
    most = Math.max(...logits);
  return tau === 0 ? s.results.greedy : s.results.top([...logits.keys()].filter(id => logits[id] === most));
}

/** The slider goes by powers of ten. */
function Draws({ scene, act }: ViewProps) {
  const { s, core, config, about, looked, run } = scene,
    common = fieldOf({ scene, act }, "draws", "");
  const expected = looked && config.draws === looked.n ? looked.bands[about]!.expected : null;
  const place = (n: number) => axisPlace(core, 1, LIMITS.draws, n);
  return (
    <Field
      {...common}
      mode="numeric"
      onText={(text, commit) => act.type("draws", text, commit)}
      slider={{
        label: s.sliders.draws,
        min: 0,
        max: 1,
        step: 1 / 60,
        value: place(config.draws),
        ticks: [1, 100, 10_000, 1_000_000].map(n => ({
          at: place(n),
          text: n.toLocaleString(scene.m.locale, { notation: "compact" }),
        })),
        textOf: value => String(rounded(axisValue(core, 1, LIMITS.draws, Number(value)))),
      }}
    >
      {scene.reading.config && expected !== null && run.candidates.p[about]! < 1 && (
        <Rich of={s.results.expects(about, expected.toFixed(2))} />
      )}
    </Field>
  );
}

/** Two digits: a slider is not more exact. */
const rounded = (n: number): number => Number(n.toPrecision(2));

function Generator({ scene, act }: ViewProps) {
  const { s, draft, refused, run } = scene;
  return (
    <div class="field" data-field="source">
      <label for="source">
        <strong>{s.source}</strong>
      </label>
      <Select
        id="source"
        value={draft.source}
        values={choices.source}
        textOf={source => s.sources[source]}
        onChoose={source => act.change({ source })}
      />
      {isTorch(draft.source) && (
        <label class="switch">
          <input
            type="checkbox"
            checked={draft.replacement === "yes"}
            onChange={event => act.change({ replacement: event.currentTarget.checked ? "yes" : "no" })}
          />
          {s.replacement}
        </label>
      )}
      <p class="result">
        {refused ? (
          <span class="problem">
            <Rich of={s.results.refused(s.sources[draft.source])} />
          </span>
        ) : (
          s.results.takes[takenBy(run.candidates.drawing)]
        )}
      </p>
    </div>
  );
}

/** What a draw takes of the random numbers. */
const takenBy = (drawing: string) => (drawing === "greedy" ? "nothing" : isRace(drawing) ? "race" : "u");
