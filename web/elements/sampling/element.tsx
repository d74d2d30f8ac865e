// <smp-sampling>: temperature, top-k and u.
import { batch, computed, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { axisPlace, axisValue } from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";
import { named, plain } from "../../i18n/rich.ts";
import base from "../../style/base.css";
import tokens from "../../style/tokens.css";
import type { Problem } from "../../ui/numbers.ts";
import { Opening } from "../../ui/opening.tsx";
import { Steps } from "../../ui/steps.tsx";
import { defineParams, LabElement } from "../base.tsx";
import { csvOf, svgOf } from "./export.ts";
import { Filters } from "./filters.tsx";
import { Inputs, Question, quizAnswer, stepNames, stepSentence, Sticky, uResult } from "./inputs.tsx";
import { entriesOf, spelled, visible } from "./labels.ts";
import { messages } from "./messages.languages";
import type { SamplingMessages } from "./messages.zh.ts";
import { FigureNotes, TableNotes } from "./notes.tsx";
import { solvePlane, TAU_AXIS, type PlaneInput } from "./plane.ts";
import { Plot } from "./plot.tsx";
import { FIRST_PRESETS, isPresetName, presetNames, presets, type Preset, type PresetName } from "./presets.ts";
import css from "./sampling.css";
import { optionsOf } from "./rules.ts";
import { question, solve, STEPS, type Actions, type Quiz, type Scene } from "./scene.ts";
import {
  authored,
  authorNames,
  draftOf,
  fieldNames,
  initialDraft,
  matches,
  mostOf,
  read,
  sound,
  switches,
  switchNames,
  withLogit,
  type Config,
  type Draft,
  type FieldName,
  type SamplingDetail,
} from "./state.ts";
import { Table } from "./table.tsx";
import { Work } from "./work.tsx";

/** Below this width in CSS px the figure comes before what is typed, as in the sheet. */
const NARROW = 560;

/**
 * Temperature, top-k and u: how a row of logits becomes one token, each number traceable.
 *
 * @tag smp-sampling
 * @attr {string} logits - 1 to 8 numbers from -100 to 100, separated by spaces or commas; before each there may be a
 *   word and a colon, `the: 3.2, "New York": 2`, or one on each line; with words up to 16
 * @attr {string} tau - temperature, any finite number >= 0; 0 is greedy
 * @attr {string} k - whole number from 1 to the number of logits
 * @attr {string} u - 0 <= u < 1
 * @attr {"strict"|"threshold"} tie - what top-k does with values equal to the k-th; default strict
 * @attr {string} labels - words of the candidates by id, separated by spaces, in double quotes where they hold spaces,
 *   commas, colons or quotes (as in JSON); as a property also an array of strings
 * @attr {string} max - candidates at most, 1 to 16; default 8, with words 16
 * @attr {string} rules - the filters, first to last: top_k, top_p, min_p, each at most once; default top_k
 * @attr {string} top_p - a number from 0 to 1, where `rules` has it; default 0.9
 * @attr {string} min_p - a number from 0 to 1, where `rules` has it; default 0.1
 * @attr {"strict"|"inclusive"} tie_p - what top-p does where a sum meets p exactly; default strict
 * @attr {"renormalised"|"zeroed"} share - zeroed shows the common mistake; default renormalised
 * @attr {"float64"|"float32"|"float16"|"bfloat16"} dtype - format that the logits are rounded to; default float64
 * @attr {string} parts - what is shown, any of title, presets, inputs, question, figure, steps, table, notes, closing;
 *   default all
 * @attr {"1"|"2"|"3"|"4"|"5"|"6"|"none"} heading - level of the title; default 2
 * @attr {string} preset - name of the setting that the attributes above change; see presets.ts
 * @attr {string} lang - zh or en; else that of the nearest ancestor
 * @attr {"light"|"dark"|"auto"} theme - default auto: as the page
 * @slot fallback - what readers without scripts see; hidden once the experiment runs
 * @event {CustomEvent<SamplingDetail>} smp-input - while the reader types or drags
 * @event {CustomEvent<SamplingDetail>} smp-change - when the reader has settled on a value
 */
export class SmpSampling extends LabElement {
  static override readonly params = [...fieldNames, ...switchNames, ...authorNames, "preset"];
  static override readonly layout = ["parts", "heading"];
  static override readonly css = tokens + base + css;

  readonly #preset = signal<PresetName>("chapter");
  readonly #draft = signal<Draft>(initialDraft);
  readonly #step = signal<number>(STEPS.place);
  readonly #pointed = signal<number | null>(null);
  readonly #pinned = signal<number | null>(null);
  /** undefined: not asked yet; null: closed, or nothing to ask. */
  readonly #quiz = signal<Quiz | null | undefined>(undefined);
  /** False once the reader has closed a question: then there is no other. */
  #asks = true;
  /** The question that is open; none where an author leaves questions out, or the page is printed. */
  readonly #question = computed(() => {
    const quiz = this.#quiz.value === undefined ? question(this.core.value!, this.#solved.value) : this.#quiz.value;
    return this.shows("question") && !this.printing.value ? quiz : null;
  });
  /** Width of the figure in CSS px, as it is laid out; before that of a wide one. */
  readonly #figure = signal(700);
  readonly #measured = new ResizeObserver(([entry]) => {
    this.#figure.value = entry?.contentRect.width || this.#figure.value; // none where it is hidden
  });
  /** Whether the whole is narrow. */
  readonly #narrow = signal(false);
  readonly #widths = new ResizeObserver(() => this.#fit());
  /** Observes a part without height: one whose height changes with its width would be told of a second time. */
  readonly #spanning = (part: Element | null): void => {
    if (part) this.#widths.observe(part);
    else this.#widths.disconnect();
  };
  /** The bars' ends, held while one of the logits is dragged. */
  readonly #range = signal<Scene["range"] | null>(null);

  readonly #reading = computed(() => read(this.#draft.value, this.#lastValid.logits.length));
  #lastValid: Config = read(initialDraft, 0).config!;
  readonly #config = computed(() => (this.#lastValid = this.#reading.value.config ?? this.#lastValid));
  readonly #solved = computed(() => solve(this.core.value!, this.#config.value));

  /** The map does not depend on tau and u: equal text, nothing to draw again. */
  readonly #planeKey = computed(() => {
    const { logits, config, filtered } = this.#solved.value,
      { share, filters } = optionsOf(config);
    return JSON.stringify({ logits, share, filters, moving: filtered } satisfies PlaneInput);
  });
  readonly #plane = computed(() => solvePlane(this.core.value!, JSON.parse(this.#planeKey.value)));

  /** The candidates' words, as they are shown: typed or the author's, else those of the preset as it is. */
  readonly #words = computed(() => {
    const { labels } = this.#config.value,
      base: Preset = presets[this.#preset.value],
      words = labels.some(Boolean) || this.#draft.value.logits !== base.logits ? labels : (base.labels ?? []);
    return words.some(Boolean) ? words.map(visible) : undefined;
  });
  readonly #said = computed(() => {
    const all: SamplingMessages = messages[this.language.value],
      words = this.#words.value;
    return words ? spelled(all, words) : all;
  });

  /** Once it is drawn, and before that is seen. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.#fit();
  }

  #fit(): void {
    const { clientWidth } = this;
    if (clientWidth) this.#narrow.value = clientWidth < NARROW; // none where it is hidden
  }

  protected override getParam(name: string): string {
    return name === "preset" ? this.#preset.value : this.#draft.value[name as keyof Draft];
  }

  /** Attributes and properties change what the preset gives; taken away, the preset's value is back. */
  protected override setParam(name: string, text: string | null): void {
    const asked = this.given.get("preset");
    if (name === "preset") {
      if (asked !== undefined && !isPresetName(asked)) this.complain(name, asked, presetNames);
      this.#preset.value = asked !== undefined && isPresetName(asked) ? asked : "chapter";
    }
    const start = draftOf(presets[this.#preset.value]),
      fresh = name === "preset" || !this.shadowRoot;
    const next: Record<string, string> =
      name === "preset"
        ? { ...start, ...Object.fromEntries(this.given) }
        : { ...this.#draft.value, [name]: text ?? start[name as keyof Draft] };
    delete next.preset;
    for (const key of switchNames) {
      const allowed: readonly string[] = switches[key];
      if (allowed.includes(next[key]!)) continue;
      this.complain(key, next[key]!, allowed);
      next[key] = start[key];
    }
    for (const key of authorNames) {
      if (authored[key].accepts(next[key]!)) continue;
      this.complain(key, next[key]!, [authored[key].allowed]);
      next[key] = start[key];
    }
    if (fresh) this.#lastValid = sound(next as Draft, start);
    this.#draft.value = next as Draft;
    this.#config.peek(); // right now, it stays the last right one
    this.#clear();
  }

  protected override detail(): SamplingDetail {
    return { draft: this.#draft.value, config: this.#reading.value.config };
  }

  protected override link(): Record<string, string> {
    const draft = this.#draft.value,
      { rules } = this.#config.value;
    // what only some pages have, where this one has it
    const has = {
      k: rules.includes("top_k"),
      top_p: rules.includes("top_p"),
      min_p: rules.includes("min_p"),
      tie_p: rules.includes("top_p"),
      ...Object.fromEntries(authorNames.map(name => [name, draft[name] !== initialDraft[name]])),
    } as Partial<Record<string, boolean>>;
    const said = Object.entries(draft).filter(([name]) => (has[name] ?? true) || this.given.has(name));
    return { preset: this.#preset.value, ...Object.fromEntries(said) };
  }

  /** What was seen when the link was made is on view at once. */
  protected override restored(): void {
    this.#quiz.value = null;
  }

  protected override view(_core: Core): VNode {
    const scene = this.#scene(),
      act = this.#actions,
      { m, s } = scene,
      { shows } = this,
      narrow = this.#narrow.value;
    const asked = shows("question") && <Question scene={scene} act={act} />,
      plot = shows("figure") && <Plot scene={scene} act={act} alone={!shows("inputs")} />;
    return (
      <>
        <div ref={this.#spanning} />
        <Opening
          {...{ scene, shows }}
          names={presetNames}
          first={FIRST_PRESETS}
          onChoose={act.choose}
          between={
            narrow && (
              <>
                {asked}
                {plot}
              </>
            )
          }
        >
          <Inputs scene={scene} act={act} />
        </Opening>
        {!narrow && asked}
        <div class="noted">
          {!narrow && plot}
          {shows("notes") && <FigureNotes scene={scene} act={act} />}
        </div>
        {shows("steps") && (
          <Steps
            label={s.steps.label}
            names={stepNames(scene)}
            first={STEPS.read}
            current={scene.step}
            {...(scene.config.share === "zeroed" ? { skipped: STEPS.after } : {})}
            words={m.steps}
            sentence={stepSentence(scene)}
            onGo={act.go}
          />
        )}
        {shows("table") && (
          <>
            <div class="noted">
              <Table scene={scene} act={act} />
              <Work scene={scene} />
            </div>
            <Filters scene={scene} act={act} />
          </>
        )}
        {shows("notes") && <TableNotes scene={scene} />}
        {this.closing(scene.filtered ? s.rules.closing : s.closing, [
          { text: m.exports.csv, name: "sampling.csv", type: "text/csv", make: () => csvOf(scene) },
          { text: m.exports.svg, name: "sampling.svg", type: "image/svg+xml", make: () => svgOf(scene, lightColor) },
        ])}
        {shows("inputs") && <Sticky scene={scene} />}
      </>
    );
  }

  #scene(): Scene {
    const solved = this.#solved.value,
      draft = this.#draft.value,
      preset = this.#preset.value;
    const base: Preset = presets[preset],
      count = solved.logits.length;
    const within = (id: number | null) => (id !== null && id < count ? id : null);
    const lit = within(this.#pointed.value) ?? within(this.#pinned.value);
    const words = this.#words.value,
      quiz = this.#question.value,
      veiled = quiz !== null && quiz.guess === null;
    return {
      ...solved,
      m: this.messages.value,
      s: this.#said.value,
      draft,
      reading: this.#reading.value,
      preset,
      edited: !matches(draft, base),
      labels: words,
      real: words !== undefined && !this.#config.value.labels.some(Boolean),
      step: veiled ? Math.min(this.#step.value, STEPS.keep) : this.#step.value,
      plane: this.#plane.value,
      tauAt: 1 - this.#tauPlace(),
      plotWidth: this.#figure.value,
      range: this.#range.value ?? rangeOf(solved.logits),
      quiz,
      veiled,
      lit,
      shown: lit ?? (veiled ? null : solved.result.id) ?? solved.result.top,
    };
  }

  readonly #actions: Actions = {
    type: (field, text, commit) => this.#edit({ [field]: text }, commit),
    change: part => this.#edit(part, true),
    drag: (id, value, commit) =>
      batch(() => {
        this.#range.value ??= rangeOf(this.#solved.value.logits);
        const { logits, labels } = this.#config.value,
          typed = entriesOf(this.#draft.value.logits).words.some(Boolean);
        this.#edit({ logits: withLogit(logits, id, value, typed ? labels : []) }, commit);
        if (commit) this.#range.value = null;
      }),
    choose: preset =>
      batch(() => {
        this.#preset.value = preset;
        this.#clear();
        const { max, rules } = this.#draft.value,
          { top_p = initialDraft.top_p, min_p = initialDraft.min_p } = Object.fromEntries(this.given);
        this.#edit({ ...draftOf(presets[preset]), max, rules, top_p, min_p }, true, "ask");
      }),
    guess: id => {
      const open = this.#question.value;
      if (id === null || !open) {
        this.#quiz.value = null;
        this.#asks = false;
        return;
      }
      const quiz = { ...open, guess: id };
      batch(() => {
        this.#step.value = STEPS.place;
        this.#edit({ u: quiz.u }, true, quiz);
        const scene = this.#scene();
        this.announce(plain(quizAnswer(scene, quiz)));
      });
    },
    go: step => {
      if (step > STEPS.keep && this.#scene().veiled) this.#quiz.value = null;
      this.#step.value = step;
      this.announce(plain(stepSentence(this.#scene())));
    },
    place: ({ u, tau, commit }) => this.#edit({ u: this.#uText(u), tau: this.#tauText(tau) }, commit),
    move: ({ u, tau }) => {
      const { u: at, tau: now } = this.#config.value;
      if (u !== undefined) this.#edit({ u: this.#uText(at + u) }, true);
      // from the strip of 0 up to the low end, and from below it down to the strip
      else if (tau !== undefined)
        this.#edit({ tau: this.#tauText(now > 0 ? this.#tauPlace() + tau : tau > 0 ? 0 : -1) }, true);
    },
    point: id => {
      this.#pointed.value = id;
    },
    pin: id => {
      this.#pinned.value = this.#pinned.value === id ? null : id;
    },
    measure: part => {
      if (part) this.#measured.observe(part);
      else this.#measured.disconnect();
    },
  };

  /** Escape lets go of a pinned candidate. */
  protected override escape(): void {
    this.#pointed.value = null;
    this.#pinned.value = null;
  }

  /** Place of tau on the map's axis, from 0 at its low end. */
  #tauPlace(): number {
    return axisPlace(this.core.value!, TAU_AXIS.low, TAU_AXIS.high, this.#config.value.tau);
  }

  /** What a place on an axis of the map (0 to 1; below 0 the strip of tau = 0) means in a field. */
  #tauText(place: number): string {
    if (place < 0) return "0";
    return String(Number(axisValue(this.core.value!, TAU_AXIS.low, TAU_AXIS.high, Math.min(place, 1)).toPrecision(3)));
  }

  #uText(place: number): string {
    return String(Math.round(1000 * Math.min(Math.max(place, 0), 0.999)) / 1000);
  }

  /** The reader's edit: the page is told, and on commit the screen reader. The reader has gone on, so the question is
      closed, unless the edit is an answer to it, or brings another. */
  #edit(part: Partial<Draft>, commit: boolean, then: "close" | "ask" | Quiz = "close"): void {
    batch(() => {
      this.#draft.value = { ...this.#draft.value, ...part };
      if (typeof then === "object") this.#quiz.value = then;
      else if (then === "close" || this.#asks) this.#quiz.value = then === "ask" ? undefined : null;
    });
    this.emit(commit ? "smp-change" : "smp-input");
    if (commit) this.#tell();
  }

  /** What a commit has led to: what is wrong, or the token chosen, or the new question. */
  #tell(): void {
    const scene = this.#scene(),
      { s, reading, quiz, draft } = scene,
      wrong = Object.entries(reading.problems) as [FieldName, Problem][];
    if (wrong.length)
      this.announce(
        wrong
          .map(
            ([name, problem]) => `${plain(s.fields[name])}: ${s.problem(name, problem, reading.count, mostOf(draft))}`,
          )
          .join(" "),
      );
    else if (scene.veiled) this.announce(plain(s.quiz.question(quiz!.u)));
    else this.announce(plain(uResult(scene)), scene.result.id === null ? undefined : plain(named(scene.result.id)));
  }

  #clear(): void {
    this.escape();
    if (this.#asks) this.#quiz.value = undefined;
  }
}

/** Room to drag every logit both ways. */
function rangeOf(logits: readonly number[]): readonly [number, number] {
  return [Math.max(-100, Math.floor(Math.min(0, ...logits)) - 1), Math.min(100, Math.ceil(Math.max(...logits)) + 1)];
}

/** The light variant of a colour token. */
function lightColor(name: string): string {
  return new RegExp(`${name}: ?light-dark\\((#\\w+)`).exec(tokens)?.[1] ?? "#000";
}

defineParams(SmpSampling);
