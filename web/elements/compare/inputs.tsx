// What is typed and chosen: logits, settings that may be left to each library, context, and the libraries.
import { Field, ticks } from "../../ui/field.tsx";
import { ONE } from "../../ui/numbers.ts";
import { has, valuesOf } from "../../compare/explain.ts";
import { profileOf, type Scene, type ViewProps } from "./scene.ts";
import { Source } from "./source.tsx";
import { settingNames, type SettingName } from "../../compare/config.ts";
import { LIMITS, type FieldName } from "./state.ts";

/** Where the slider of top-k ends in a long row. */
const MOST_K = 100;

/** The range of a slider; the field takes more. */
function rangeOf(name: SettingName, count: number) {
  if (name === "top_k") {
    const most = Math.min(count, MOST_K);
    return { min: 1, max: most, step: 1, ticks: ticks(1, most, 1, most) };
  }
  if (name === "repeat_last_n")
    return { min: 0, max: LIMITS.context, step: 1, ticks: ticks(0, LIMITS.context, 0, LIMITS.context) };
  if (name === "repetition_penalty") return { min: 1, max: 2, step: 0.05, ticks: ticks(1, 2, 1, 1.5, 2) };
  const max = name === "temperature" ? 2 : 1,
    min = name === "min_p" ? 0 : 0.05;
  return { min, max, step: 0.05, ticks: ticks(min, max, ...(name === "temperature" ? [1, 2] : [0.5, 1])) };
}

export function Inputs({ scene, act }: ViewProps) {
  const { m, s, draft, reading, config, row } = scene;
  const shared = (name: FieldName) => {
    const problem = reading.problems[name];
    const most = name === "logits" || name === "context" ? LIMITS.text : ONE;
    return {
      name,
      label: s.fields[name],
      text: draft[name],
      most,
      problem: problem && s.problem(name, problem),
      onText: (text: string, commit: boolean) => act.field(name, text, commit),
    };
  };
  return (
    <div class="inputs ask" role="group" aria-label={m.inputs}>
      <Source scene={scene} act={act} />
      {!row && (
        <Field {...shared("logits")} mode="text" wide hint={s.logitsHint}>
          {reading.config && s.count(config.logits.length)}
        </Field>
      )}
      {settingNames.map(name => {
        const range = rangeOf(name, config.logits.length),
          given = config.settings[name];
        return (
          <Field
            key={name}
            {...shared(name)}
            mode="decimal"
            slider={{
              label: s.slider(s.names[name]),
              ...range,
              value: given ?? restOf(scene, name) ?? (name === "top_k" || name === "top_p" ? range.max : range.min),
              unset: draft[name].trim() ? undefined : s.unset,
            }}
          >
            {reading.config && (given === undefined ? defaultsOf(scene, name) : lackingOf(scene, name))}
          </Field>
        );
      })}
      <Field {...shared("context")} mode="text" wide>
        {reading.config && s.contextOf(config.context.length, (config.settings.repetition_penalty ?? 1) !== 1)}
      </Field>
    </div>
  );
}

/** Where the slider rests without the setting: on the default of the first of the pair that has one. */
function restOf({ core, config }: Scene, name: SettingName): number | null | undefined {
  return config.pair
    .map(engine => valuesOf(core, engine, { ...config, settings: {} })[name])
    .find(value => value !== null && value !== undefined);
}

/** What each chosen library does without the setting, libraries with the same default together. */
function defaultsOf(scene: Scene, name: SettingName): string {
  const groups = new Map<string, string[]>();
  for (const engine of scene.config.engines) {
    const text = has(profileOf(scene, engine), name)
      ? scene.s.value(name, valuesOf(scene.core, engine, { ...scene.config, settings: {} })[name])
      : scene.s.noSuch;
    groups.set(text, [...(groups.get(text) ?? []), engine]);
  }
  return scene.s.defaults([...groups].map(([text, engines]) => [engines.join(", "), text]));
}

function lackingOf(scene: Scene, name: SettingName): string {
  const lacking = scene.config.engines.filter(engine => !has(profileOf(scene, engine), name));
  return lacking.length ? scene.s.lacking(lacking) : scene.s.allHave;
}

export function Engines({ scene, act }: ViewProps) {
  const { core, s, draft, reading } = scene,
    names = Object.keys(core.abi.profile);
  return (
    <fieldset class="engines" aria-describedby={reading.fewEngines ? "few" : undefined}>
      <legend>{s.engines}</legend>
      {reading.fewEngines && (
        <p class="problem" id="few">
          {s.fewEngines}
        </p>
      )}
      {names.map(name => {
        const { how, version } = profileOf(scene, name),
          on = draft.engines.includes(name);
        return (
          <label key={name} class="choice">
            <input
              type="checkbox"
              checked={on}
              onChange={() =>
                act.engines(
                  on
                    ? draft.engines.filter(each => each !== name)
                    : names.filter(each => each === name || draft.engines.includes(each)),
                )
              }
            />
            <span>
              {name}
              <small>{s.checked(s.how[how]!, version)}</small>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
