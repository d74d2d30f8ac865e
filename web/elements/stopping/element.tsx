// <smp-stopping>: when each row of a batch ends, and when the batch does.
import { batch, computed, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import type { Core } from "../../core/module.ts";
import base from "../../style/base.css";
import tokens from "../../style/tokens.css";
import { Opening } from "../../ui/opening.tsx";
import { Steps } from "../../ui/steps.tsx";
import { defineParams, LabElement } from "../base.tsx";
import { faultsOf, Inputs, Question, stepSentence } from "./inputs.tsx";
import { messages } from "./messages.languages";
import { csvOf, Log, Notes } from "./notes.tsx";
import { isPresetName, presetNames, presets, type PresetName } from "./presets.ts";
import { question, solve, type Actions, type Quiz, type Scene } from "./scene.ts";
import { isVeiled, Score, tallyOf } from "./score.tsx";
import {
  draftOf,
  initialDraft,
  joinRows,
  LIMITS,
  matches,
  pads,
  read,
  sound,
  splitRows,
  wrongRules,
  type Config,
  type Draft,
  type StoppingDetail,
} from "./state.ts";
import css from "./stopping.css";

/** How many presets stand in the row. */
const FIRST_PRESETS = 5;

/**
 * Stop protocols: rows of a batch that meet EOS in different steps, under the right rule and a wrong one.
 *
 * @tag smp-stopping
 * @attr {string} rows - 1 to 3 rows separated by slashes, each 1 to 8 tokens: EOS, PAD, or letters, digits, underscores
 * @attr {string} limit - new tokens at most, whole number from 1 to 8; every row has as many tokens, or an EOS
 * @attr {"own"|"shared"} pad - whether PAD has its own id or that of EOS; default own
 * @attr {"any"|"same-step"|"scalar"|"single"} rule - the wrong rule beside the right one; default any
 * @attr {string} step - step on view, a whole number from 0; default 0
 * @attr {string} parts - what is shown, any of title, presets, inputs, question, figure, steps, table, notes, closing;
 *   default all
 * @attr {"1"|"2"|"3"|"4"|"5"|"6"|"none"} heading - level of the title; default 2
 * @attr {string} preset - name of the batch that the attributes above change; see presets.ts
 * @attr {string} lang - zh or en; else that of the nearest ancestor
 * @attr {"light"|"dark"|"auto"} theme - default auto: as the page
 * @slot fallback - what readers without scripts see; hidden once the experiment runs
 * @event {CustomEvent<StoppingDetail>} smp-input - while the reader types or drags
 * @event {CustomEvent<StoppingDetail>} smp-change - when the reader has settled on a value, or goes to a step
 */
export class SmpStopping extends LabElement {
  static override readonly params = ["rows", "limit", "pad", "rule", "step", "preset"];
  static override readonly layout = ["parts", "heading"];
  static override readonly css = tokens + base + css;

  readonly #preset = signal<PresetName>("rowByRow");
  readonly #draft = signal<Draft>(initialDraft);
  readonly #step = signal(0);
  /** undefined: not asked yet; null: skipped. */
  readonly #quiz = signal<Quiz | null | undefined>(undefined);

  readonly #reading = computed(() => read(this.#draft.value));
  #lastValid: Config = read(initialDraft).config!;
  readonly #config = computed(() => {
    if (this.#reading.value.config) this.#lastValid = this.#reading.value.config;
    return { ...this.#lastValid, rule: this.#draft.value.rule };
  });
  /** On paper nobody steps forward: what has not been begun is printed whole. */
  readonly #shown = computed(() => (this.printing.value && !this.#step.value ? LIMITS.tokens : this.#step.value));
  readonly #solved = computed(() => solve(this.core.value!, this.#config.value, this.#shown.value));

  protected override getParam(name: string): string {
    if (name === "preset") return this.#preset.value;
    return name === "step"
      ? String(this.#step.value)
      : name === "rows"
        ? joinRows(this.#draft.value.rows)
        : this.#draft.value[name as "limit"];
  }

  /** Attributes and properties change what the preset gives. Once the element is on view, that starts at
      step 0 again. */
  protected override setParam(name: string): void {
    const given = Object.fromEntries(this.given),
      asked = given.preset ?? "rowByRow";
    if (isPresetName(asked)) this.#preset.value = asked;
    else this.complain("preset", asked, presetNames);
    const start = draftOf(presets[this.#preset.value]),
      now = name === "preset" ? start : this.#draft.value;
    const choice = <T extends string>(key: string, allowed: readonly T[], fallback: T): T => {
      const found = given[key] as T | undefined;
      if (found === undefined || allowed.includes(found)) return found ?? fallback;
      this.complain(key, found, allowed);
      return fallback;
    };
    const rows = splitRows(given.rows ?? joinRows(start.rows));
    if (rows.length > LIMITS.rows) this.complain("rows", given.rows!, ["1–3"]);
    const next: Draft = {
      rows: name === "rows" || name === "preset" ? rows.slice(0, LIMITS.rows) : now.rows,
      limit: name === "limit" || name === "preset" ? (given.limit ?? start.limit) : now.limit,
      pad: name === "pad" || name === "preset" ? choice("pad", pads, start.pad) : now.pad,
      rule: name === "rule" || name === "preset" ? choice("rule", wrongRules, "any") : now.rule,
    };
    if (name === "preset" || !this.shadowRoot) this.#lastValid = sound(next, start);
    const steps = given.step === undefined ? 0 : Number(given.step.trim() || NaN),
      counts = Number.isInteger(steps) && steps >= 0;
    if (!counts) this.complain("step", given.step!, ["0, 1, 2, …"]);
    batch(() => {
      this.#draft.value = next;
      if (name !== "rule") this.#step.value = counts ? steps : 0;
      this.#ask();
    });
    this.#config.peek(); // right now, it stays the last right one
  }

  protected override detail(): StoppingDetail {
    return { draft: this.#draft.value, config: this.#reading.value.config, step: this.#solved.value.step };
  }

  protected override link(): Record<string, string> {
    const { rows, ...rest } = this.#draft.value;
    return { rows: joinRows(rows), ...rest, step: String(this.#solved.value.step) };
  }

  protected override view(_core: Core): VNode {
    const scene = this.#scene(),
      act = this.#actions,
      { m, s } = scene,
      { shows } = this;
    return (
      <>
        <Opening scene={scene} shows={shows} names={presetNames} first={FIRST_PRESETS} onChoose={act.choose}>
          <Inputs scene={scene} act={act} />
        </Opening>
        {shows("question") && <Question scene={scene} act={act} />}
        {shows("steps") && (
          <Steps
            label={s.steps.label}
            names={Array.from({ length: scene.full.columns + 1 }, (_, step) =>
              scene.config.limit > 4 && step !== scene.step ? "" : s.steps.name(step),
            )}
            first={0}
            current={scene.step}
            words={m.steps}
            sentence={stepSentence(scene)}
            onGo={act.go}
          />
        )}
        {shows("figure") && <Score scene={scene} act={act} />}
        {shows("table") && <Log scene={scene} />}
        {shows("notes") && <Notes scene={scene} />}
        {this.closing(s.closing, [
          { text: m.exports.csv, name: "stopping.csv", type: "text/csv", make: () => csvOf(scene) },
        ])}
      </>
    );
  }

  #scene(): Scene {
    const draft = this.#draft.value,
      preset = this.#preset.value,
      solved = this.#solved.value;
    return {
      ...solved,
      m: this.messages.value,
      s: messages[this.language.value],
      draft,
      reading: this.#reading.value,
      preset,
      edited: !matches(draft, presets[preset]),
      quiz: this.#question(solved.config),
    };
  }

  /** None where an author leaves questions out. */
  #question(config: Config): Quiz | null {
    if (!this.shows("question")) return null;
    return this.#quiz.value === undefined ? question(this.core.value!, config) : this.#quiz.value;
  }

  readonly #actions: Actions = {
    row: (index, text, commit) =>
      this.#edit({ rows: this.#draft.value.rows.map((row, at) => (at === index ? text : row)) }, commit),
    limit: (text, commit) => this.#edit({ limit: text }, commit),
    change: part => this.#edit(part, true),
    rule: rule => {
      this.#draft.value = { ...this.#draft.value, rule };
      this.emit("smp-change");
      const scene = this.#scene();
      this.announce(isVeiled(scene) ? scene.s.quiz.veiled : tallyOf(scene).text);
    },
    choose: preset =>
      batch(() => {
        this.#preset.value = preset;
        this.#edit({ ...draftOf(presets[preset]), rule: this.#draft.value.rule }, true);
      }),
    go: step => {
      this.#step.value = step;
      this.announce(stepSentence(this.#scene()));
      this.emit("smp-change");
    },
    guess: row => {
      const quiz = this.#scene().quiz!,
        guess = quiz.guess.includes(row) ? quiz.guess.filter(other => other !== row) : [...quiz.guess, row].sort();
      this.#quiz.value = { ...quiz, guess };
    },
    reveal: () =>
      batch(() => {
        const quiz = { ...this.#scene().quiz!, told: true };
        this.#quiz.value = quiz;
        this.#draft.value = { ...this.#draft.value, rule: "any" };
        this.#step.value = this.#solved.value.full.columns;
        this.announce(
          this.#scene().s.quiz.answer(
            String(quiz.guess) === String(quiz.cut),
            quiz.cut.map(row => row + 1),
          ),
        );
        this.emit("smp-change");
      }),
    skip: () => {
      this.#quiz.value = null;
    },
  };

  /** The reader's edit: back to the start; the page is told, and on commit the screen reader. */
  #edit(part: Partial<Draft>, commit: boolean): void {
    batch(() => {
      this.#draft.value = { ...this.#draft.value, ...part };
      this.#step.value = 0;
      this.#ask();
    });
    this.emit(commit ? "smp-change" : "smp-input");
    if (!commit) return;
    const scene = this.#scene(),
      { rows, limit } = scene.config;
    this.announce(
      faultsOf(scene) ||
        `${scene.s.ready(joinRows(rows.map(row => row.join(" "))), limit)} ${scene.s.ids(scene.config.padId)}`,
    );
  }

  /** Another batch is another question, unless the reader wants none. */
  #ask(): void {
    if (this.#quiz.value) this.#quiz.value = undefined;
  }
}

defineParams(SmpStopping);
