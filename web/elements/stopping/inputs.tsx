// What is typed: a row of candidates each, the limit, whether PAD shares the id of EOS; each with its result below.
import { Field, ticks } from "../../ui/field.tsx";
import { plain } from "../../i18n/rich.ts";
import { Press } from "../../ui/press.tsx";
import type { Scene, ViewProps } from "./scene.ts";
import { LIMITS, lookalike, newRow, padId } from "./state.ts";

export function Inputs({ scene, act }: ViewProps) {
  const { m, s, draft, reading, config, full } = scene,
    last = full.rows.length;
  const count = draft.rows.length;
  const change = (text: string, off: boolean, rows: () => readonly string[]) => (
    <Press off={off} onPress={() => act.change({ rows: rows() })}>
      {text}
    </Press>
  );
  return (
    <div class="inputs batch" role="group" aria-label={m.inputs}>
      <div class="rows" role="group" aria-labelledby="rows">
        <p class="rows-name" id="rows">
          {s.rows}
        </p>
        <div class="moves">
          {change(s.add, count === LIMITS.rows, () => [...draft.rows, newRow(config.limit)])}
          {change(s.remove, count === 1, () => draft.rows.slice(0, -1))}
        </div>
        {draft.rows.map((text, row) => {
          const problem = reading.rowProblems[row],
            odd = lookalike(text);
          return (
            <Field
              key={row}
              name={`row${row + 1}`}
              label={s.row(row + 1)}
              text={text}
              most={LIMITS.text}
              mode="text"
              wide
              problem={problem && s.rowProblem(problem)}
              {...(odd ? { hint: s.lookalike(odd) } : {})}
              onText={(typed, commit) => act.row(row, typed, commit)}
            >
              {rowResult(scene, row)}
            </Field>
          );
        })}
        <p class="hint">{s.hint}</p>
      </div>
      <Field
        name="limit"
        label={s.limit}
        text={draft.limit}
        most={LIMITS.text}
        mode="numeric"
        slider={{
          label: s.limitSlider,
          min: 1,
          max: LIMITS.tokens,
          step: 1,
          value: config.limit,
          ticks: ticks(1, LIMITS.tokens, 1, 3, 5, 8),
        }}
        problem={reading.limitProblem && s.limitProblem(reading.limitProblem)}
        onText={act.limit}
      >
        {reading.config && scene.step === full.columns && preview(scene, last)}
      </Field>
      <div class="field">
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={draft.pad === "shared"}
            aria-describedby="ids"
            onChange={event => act.change({ pad: event.currentTarget.checked ? "shared" : "own" })}
          />
          {s.shared}
        </label>
        <p class="result" id="ids">
          {s.ids(padId(draft.pad))}
          <span class="hint">{s.idsHint}</span>
        </p>
      </div>
    </div>
  );
}

/** How a row ends, once it has; nothing while the fields mean another batch than the one on view. */
function rowResult({ s, reading, config, full, step }: Scene, row: number): string {
  const end = full.rows[row];
  return end && reading.config && end.step <= step
    ? s.rowResult(config.rows[row]!.slice(0, end.answer).join(" "), end.finish, end.step)
    : "";
}

/** What is wrong with the fields, in their order; "" where nothing is. */
export function faultsOf({ s, reading: { rowProblems, limitProblem } }: Scene): string {
  const rows = rowProblems.map((problem, row) => problem && `${s.row(row + 1)}: ${s.rowProblem(problem)}`);
  return [...rows, limitProblem && `${plain(s.limit)}: ${s.limitProblem(limitProblem)}`].filter(Boolean).join(" ");
}

/** The whole run. */
export function preview({ s, full }: Pick<Scene, "s" | "full">, last: number): string {
  return s.preview(full.columns, last, full.rows[last - 1]!.finish);
}

/** What the step on view did, and why. */
export function stepSentence({ s: { steps }, config, step, now }: Scene): string {
  if (!step) return steps.start;
  const parts = config.rows.map((tokens, row) => {
    const { before, role, after } = now.cells[row]![step - 1]!,
      token = tokens[step - 1]!;
    return (before ? steps.pads : role === "eos" ? steps.eos : after ? steps.limit : steps.adds)(row + 1, token);
  });
  return steps.all(parts, now.stopped);
}

/** One question before the answer is on view. */
export function Question({ scene: { m, s, quiz, config }, act }: ViewProps) {
  if (!quiz) return null;
  const { question, answer, reveal } = s.quiz;
  return (
    <div class="quiz" role="group" aria-label={m.quiz.label}>
      <p>
        <strong>{m.quiz.label}</strong>{" "}
        {quiz.told
          ? answer(
              String(quiz.guess) === String(quiz.cut),
              quiz.cut.map(row => row + 1),
            )
          : question}
      </p>
      <div class="moves">
        {!quiz.told &&
          config.rows.map((_, row) => (
            <label key={row} class="choice">
              <input type="checkbox" checked={quiz.guess.includes(row)} onChange={() => act.guess(row)} />
              {s.row(row + 1)}
            </label>
          ))}
        {!quiz.told && (
          <button type="button" onClick={act.reveal}>
            {reveal}
          </button>
        )}
        <button type="button" onClick={act.skip}>
          {quiz.told ? m.quiz.close : m.quiz.skip}
        </button>
      </div>
    </div>
  );
}
