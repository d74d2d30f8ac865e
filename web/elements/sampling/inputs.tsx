// The four parameters in the order of the pipeline, each with its result below: read across, they are the whole story.
import type { Part } from "../../i18n/rich.ts";
import { decimal, interval, probability } from "../../i18n/format.ts";
import { Field, ticks, type FieldProps } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { Rich, Token } from "../../ui/rich.tsx";
import { STEPS, type Quiz, type Scene, type ViewProps } from "./scene.ts";
import { oneLine } from "./labels.ts";
import { marked, RULES, type RuleName } from "./rules.ts";
import { LIMITS, mostOf, ruleFields, switches, type FieldName } from "./state.ts";

export function Inputs({ scene, act }: ViewProps) {
  const { m, s, draft, reading, config } = scene;
  const common = (name: FieldName, result: Part): Omit<FieldProps, "mode"> => {
    const problem = reading.problems[name];
    return {
      name,
      label: s.fields[name],
      text: draft[name],
      most: LIMITS.text,
      problem: problem && s.problem(name, problem, reading.count, mostOf(draft)),
      onText: (text, commit) => act.type(name, text, commit),
      children: reading.config && <Rich of={result} />,
    };
  };
  return (
    <div class="inputs" role="group" aria-label={m.inputs}>
      <Field
        {...common("logits", s.best(scene.logits.length, scene.top))}
        mode="text"
        wide
        lines={oneLine}
        hint={rounding(scene)}
        beside={<Format scene={scene} act={act} />}
      />
      <Field
        {...common("tau", tauResult(scene))}
        mode="decimal"
        slider={{
          label: s.sliders.tau,
          min: 0,
          max: 2,
          step: 0.01,
          value: config.tau,
          ticks: ticks(0, 2, 0, 1, 2),
        }}
      />
      {config.rules.map(rule => (
        <Field key={rule} {...common(ruleFields[rule], ruleResult(scene, rule))} {...ruleInput(scene, rule)} />
      ))}
      <Field {...common("u", scene.veiled ? m.quiz.veiled : uResult(scene))} mode="decimal" moved={s.moved} />
    </div>
  );
}

/** How the number of a filter is typed and slid. */
function ruleInput({ s, reading: { count }, config }: Scene, rule: RuleName): Pick<FieldProps, "mode" | "slider"> {
  if (rule !== "top_k")
    return {
      mode: "decimal",
      slider: {
        label: s.sliders[rule],
        min: 0,
        max: 1,
        step: 0.01,
        value: config[rule],
        ticks: ticks(0, 1, 0, 0.5, 1),
      },
    };
  const at = count > 5 ? [1, count] : Array.from({ length: count }, (_, id) => id + 1);
  return {
    mode: "numeric",
    slider: {
      label: s.sliders.k(count),
      min: 1,
      max: count,
      step: 1,
      value: config.k,
      ticks: ticks(1, count, ...at),
    },
  };
}

/** The number format of the logits. */
function Format({ scene: { s, draft }, act }: ViewProps) {
  return (
    <Select
      label={s.dtype.label}
      value={draft.dtype}
      values={switches.dtype}
      onChoose={dtype => act.change({ dtype })}
    />
  );
}

/** What the format did to the logits; where it did nothing, what may be typed. */
function rounding({ s, config, logits, merged, reading, draft }: Scene): Part {
  const most = mostOf(draft);
  if (config.dtype === "float64" || !reading.config)
    return most === LIMITS.logits ? s.logitsHint : s.rules.logitsHint(most);
  const changed = logits.filter((logit, id) => logit !== config.logits[id]).length;
  return merged.length ? s.dtype.merged(config.dtype, merged) : s.dtype.changed(config.dtype, changed);
}

function tauResult({ s, sampled, top }: Scene): Part {
  return sampled ? s.likeliest(top, probability(sampled.p[sampled.top]!)) : s.noProbability;
}

function ruleResult(scene: Scene, rule: RuleName): Part {
  const { s, stages, filtered } = scene,
    stage = stages.find(each => each.rule === rule);
  if (!filtered) return kResult(scene);
  if (!stage) return rule === "top_k" ? s.noFilter : s.rules.greedy;
  const { n_kept, kept_mass, removed_mass, kept } = stage.step;
  return removed_mass > 0 || n_kept < marked(stage.step.rank).length
    ? s.rules.result(marked(kept), probability(kept_mass))
    : s.keepsAll(n_kept);
}

function kResult({ s, sampled, kept, removed }: Scene): Part {
  if (!sampled) return s.noFilter;
  return removed.length ? s.keeps(kept, probability(sampled.kept_mass)) : s.keepsAll(kept.length);
}

/** What was chosen, why, and where it lies: also what is spoken on commit. */
export function uResult({ s, sampled, result }: Pick<Scene, "s" | "sampled" | "result">): Part {
  if (!sampled) return s.choosesGreedy(result.id!);
  if (sampled.id === null) return s.choosesNone;
  return s.chooses(
    sampled.id,
    probability(sampled.q[sampled.id]!),
    interval(sampled.lo[sampled.id]!, sampled.hi[sampled.id]!),
  );
}

/** The names of the steps: the last two differ where there are no probabilities, or other filters. */
export function stepNames({ s, sampled, filtered }: Scene): readonly Part[] {
  return s.steps.names.map((name, index) => {
    if (filtered && index + 1 === STEPS.keep) return s.rules.step;
    return !sampled && index + 1 === STEPS.place ? s.steps.greedyName : name;
  });
}

/** What the current step did. */
export function stepSentence(scene: Scene): Part {
  const { s, step, config, sampled, kept, removed, result } = scene;
  const max = decimal(scene.logits[result.top]!);
  if (step === 1) return s.steps.read(scene.logits.length);
  if (!sampled && scene.filtered && step === STEPS.keep) return s.rules.greedy;
  if (!sampled)
    return step === 6 ? s.steps.greedyChoice(max, result.id!, scene.top.length > 1) : s.steps.greedy[step - 1]!;
  switch (step) {
    case 2:
      return s.steps.score(max, decimal(config.tau));
    case 3:
      return s.steps.probability(decimal(sampled.weight_sum));
    case 4:
      return scene.filtered
        ? s.rules.all(scene.stages.map(({ rule, step: { kept: left } }) => s.rules.kept(RULES[rule], marked(left))))
        : s.steps.keep(kept, removed);
    case 5:
      return (config.share === "zeroed" ? s.steps.zeroed : s.steps.renormalise)(probability(sampled.kept_mass));
    default:
      return sampled.id === null ? s.steps.gap(decimal(config.u)) : s.steps.place(kept, decimal(config.u), sampled.id);
  }
}

/** Temperature, the filters' numbers and u. */
export function Settings({ scene: { config } }: Pick<ViewProps, "scene">) {
  return (
    <>
      <span class="set">
        <var>τ</var> = {decimal(config.tau)}
      </span>
      {config.rules.map(rule => (
        <span key={rule} class="set">
          {rule === "top_k" ? <var>k</var> : RULES[rule]} = {decimal(config[ruleFields[rule]])}
        </span>
      ))}
      <span class="set">
        <var>u</var> = {decimal(config.u)}
      </span>
    </>
  );
}

/** The numbers that matter and the ruler, kept in view where the page is narrow and long. */
export function Sticky({ scene }: Pick<ViewProps, "scene">) {
  const { s, config, kept, sampled, result, labels, veiled } = scene;
  return (
    <div class="sticky" aria-hidden="true">
      {sampled && !veiled && (
        <div class="small" style={{ "--u": config.u }}>
          {kept.map(id => (
            <span
              key={id}
              class={id === result.id ? "seg chosen" : "seg"}
              data-id={id}
              style={{ "--lo": sampled.lo[id]!, "--hi": sampled.hi[id]! }}
            >
              <span />
            </span>
          ))}
          <i />
        </div>
      )}
      <p>
        <Settings scene={scene} />
        {veiled ? (
          <span>?</span>
        ) : result.id === null ? (
          <span class="wrong">{s.map.none}</span>
        ) : (
          <Token id={result.id} word={labels?.[result.id]} />
        )}
      </p>
    </div>
  );
}

/** One question before the answer is looked up; answering moves u there. */
export function Question({ scene, act }: ViewProps) {
  const { m, s, quiz, logits, labels } = scene;
  if (!quiz) return null;
  const answer = quiz.guess === null ? null : quizAnswer(scene, quiz);
  // the pressed button goes: the focus goes on to what is left of the question, or to the ruler that it was about
  const press = (event: MouseEvent & { currentTarget: HTMLElement }, id: number | null) => {
    const root = event.currentTarget.getRootNode() as ShadowRoot,
      held = root.activeElement === event.currentTarget;
    act.guess(id);
    if (held) root.querySelector<HTMLElement>(".quiz button, .u-row input")?.focus();
  };
  return (
    <div class="quiz" role="group" aria-label={m.quiz.label}>
      <p>
        <strong>{m.quiz.label}</strong> <Rich of={answer ?? s.quiz.question(quiz.u)} />
      </p>
      <div class="moves">
        {!answer &&
          [...logits.keys()].map(id => (
            <button key={id} type="button" onClick={event => press(event, id)}>
              <Token id={id} word={labels?.[id]} />
            </button>
          ))}
        <button type="button" onClick={event => press(event, null)}>
          {answer ? m.quiz.close : m.quiz.skip}
        </button>
      </div>
    </div>
  );
}

/** Whether the guess is right, and why: where u lies. u is what was asked for. */
export function quizAnswer({ s, sampled }: Pick<Scene, "s" | "sampled">, { guess, id, u }: Quiz): Part {
  const lo = probability(sampled!.lo[id]!),
    hi = probability(sampled!.hi[id]!);
  return s.quiz.answer(guess === id, u, id, `${lo === "0" ? "" : `${lo} ≤ `}${u}${hi === "1" ? "" : ` < ${hi}`}`);
}
