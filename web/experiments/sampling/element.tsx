// <smp-sampling>: temperature, top-k and u.
import { batch, computed, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { axisPlace, axisValue } from "../../core/lab.ts";
import type { Core } from "../../core/module.ts";
import { plain } from "../../i18n/rich.ts";
import { Rich } from "../../ui/rich.tsx";
import { Steps } from "../../ui/steps.tsx";
import base from "../../style/base.css";
import tokens from "../../style/tokens.css";
import { defineParams, LabElement } from "../base.tsx";
import { Inputs, stepSentence, uResult } from "./inputs.tsx";
import { FigureNotes, TableNotes } from "./notes.tsx";
import { solvePlane, TAU_AXIS, type PlaneInput } from "./plane.ts";
import { Plot } from "./plot.tsx";
import { isPresetName, presetNames, presets, type Preset, type PresetName } from "./presets.ts";
import css from "./sampling.css";
import { solve, STEPS, type Actions, type Scene } from "./scene.ts";
import { draftOf, fieldNames, initialDraft, matches, read, type Config, type Draft, type FieldName } from "./state.ts";
import { Table } from "./table.tsx";
import { Work } from "./work.tsx";

/** Detail of `smp-input` and `smp-change`: what is typed, and the configuration it means, or null if it means none. */
export type SamplingDetail = { readonly draft: Draft; readonly config: Config | null };

/**
 * Temperature, top-k and u: how a row of logits becomes one token, each number traceable.
 *
 * The light DOM is the fallback for readers without scripts and is left alone.
 *
 * @tag smp-sampling
 * @attr {string} logits - 1 to 8 numbers from -100 to 100, separated by spaces or commas
 * @attr {string} tau - temperature, any finite number >= 0; 0 is greedy
 * @attr {string} k - whole number from 1 to the number of logits
 * @attr {string} u - 0 <= u < 1
 * @attr {"strict"|"threshold"} tie - what top-k does with values equal to the k-th; default strict
 * @attr {"chapter"|"tie"|"greedy"|"nearZero"|"real"} preset - the setting that the attributes above change
 * @attr {string} lang - zh or en; else that of the nearest ancestor
 * @attr {"light"|"dark"|"auto"} theme - default auto: as the page
 * @event {CustomEvent<SamplingDetail>} smp-input - while the reader types or drags
 * @event {CustomEvent<SamplingDetail>} smp-change - when the reader has settled on a value
 */
export class SmpSampling extends LabElement {
  static override readonly params = [...fieldNames, "tie", "preset"];
  static override readonly css = tokens + base + css;

  /** What the page asked for by attribute or property; the reader's edits are not among it. */
  readonly #given = new Map<string, string>();
  readonly #preset = signal<PresetName>("chapter");
  readonly #draft = signal<Draft>(initialDraft);
  readonly #step = signal<number>(STEPS.place);
  readonly #pointed = signal<number | null>(null);
  readonly #pinned = signal<number | null>(null);

  readonly #reading = computed(() => read(this.#draft.value, this.#lastValid.logits.length));
  #lastValid: Config = read(initialDraft, 0).config!;
  readonly #config = computed(() => (this.#lastValid = this.#reading.value.config ?? this.#lastValid));
  readonly #solved = computed(() => (this.core.value ? solve(this.core.value, this.#config.value) : null));

  /** The map does not depend on tau and u: equal text, nothing to draw again. */
  readonly #planeKey = computed(() => {
    const { logits, k, tie, share } = this.#config.value;
    return JSON.stringify({ logits, k, tie, share } satisfies PlaneInput);
  });
  readonly #plane = computed(() => solvePlane(this.core.value!, JSON.parse(this.#planeKey.value)));

  protected override getParam(name: string): string {
    return name === "preset" ? this.#preset.value : this.#draft.value[name as keyof Draft];
  }

  protected override setParam(name: string, text: string | null): void {
    if (text === null) this.#given.delete(name);
    else this.#given.set(name, text);
    const preset = this.#given.get("preset") ?? "";
    this.#preset.value = isPresetName(preset) ? preset : "chapter";
    const given = Object.fromEntries(this.#given) as Partial<Record<FieldName | "tie" | "preset", string>>;
    const { preset: _, tie, ...texts } = given;
    const start = draftOf(presets[this.#preset.value]);
    if (name === "preset") this.#draft.value = { ...start, ...texts, tie: tie === "threshold" || tie === "strict" ? tie : start.tie };
    else if (name === "tie") this.#draft.value = { ...this.#draft.value, tie: tie === "threshold" || tie === "strict" ? tie : start.tie };
    else this.#draft.value = { ...this.#draft.value, [name]: text ?? start[name as FieldName] };
    this.#clear();
  }

  protected override detail(): SamplingDetail {
    return { draft: this.#draft.value, config: this.#reading.value.config };
  }

  protected override view(_core: Core): VNode {
    const scene = this.#scene(), act = this.#actions, { m } = scene;
    return (
      <>
        <header class="opening">
          <h2>
            <Rich of={m.title} />
          </h2>
          <p>{scene.edited ? m.free : m.tasks[scene.preset]}</p>
        </header>
        <div class="presets" role="group" aria-label={m.presets.label}>
          <span class="label" aria-hidden="true">
            {m.presets.label}
          </span>
          {presetNames.map(name => (
            <button key={name} type="button" aria-pressed={name === scene.preset && !scene.edited} onClick={() => act.choose(name)}>
              <span>{m.presets.names[name]}</span>
            </button>
          ))}
          <button type="button" class="back" aria-disabled={scene.edited ? undefined : "true"} onClick={() => scene.edited && act.choose(scene.preset)}>
            {m.presets.back}
          </button>
        </div>
        <Inputs scene={scene} act={act} />
        {!scene.reading.config && <p class="stale wrong">{m.stale}</p>}
        <div class="sheet">
          <Plot scene={scene} act={act} />
          <FigureNotes scene={scene} act={act} />
        </div>
        <Steps
          label={m.steps.label}
          names={scene.sampled ? m.steps.names : [...m.steps.names.slice(0, -1), m.steps.greedyName]}
          first={STEPS.read}
          current={scene.step}
          {...(scene.config.share === "zeroed" ? { skipped: STEPS.after } : {})}
          words={m.steps}
          sentence={stepSentence(scene)}
          onGo={act.go}
        />
        <div class="sheet">
          <Table scene={scene} act={act} />
          <Work scene={scene} />
        </div>
        <TableNotes scene={scene} act={act} />
        <p class="closing">{m.closing}</p>
      </>
    );
  }

  #scene(): Scene {
    const solved = this.#solved.value!, draft = this.#draft.value, preset = this.#preset.value;
    const base: Preset = presets[preset];
    const last = solved.config.logits.length - 1;
    const within = (id: number | null) => (id !== null && id <= last ? id : null);
    const lit = within(this.#pointed.value) ?? within(this.#pinned.value);
    return {
      ...solved,
      m: this.messages.value,
      draft,
      reading: this.#reading.value,
      preset,
      edited: !matches(draft, base),
      labels: draft.logits === base.logits ? base.labels : undefined,
      step: this.#step.value,
      plane: this.#plane.value,
      tauAt: 1 - this.#tauPlace(),
      plotWidth: plotWidth(this.width.value),
      lit,
      shown: lit ?? solved.result.id ?? solved.result.top,
    };
  }

  readonly #actions: Actions = {
    type: (field, text, commit) => this.#edit({ [field]: text }, commit),
    change: part => this.#edit(part, true),
    choose: preset =>
      batch(() => {
        this.#preset.value = preset;
        this.#clear();
        this.#edit(draftOf(presets[preset]), true);
      }),
    go: step => {
      this.#step.value = step;
      this.spoken.value = plain(stepSentence(this.#scene()));
    },
    place: ({ u, tau, commit }) => {
      const { low, high } = TAU_AXIS;
      const value = tau < 0 ? 0 : axisValue(this.core.value!, low, high, Math.min(tau, 1));
      this.#edit({ u: short(Math.min(Math.max(u, 0), 0.999)), tau: String(Number(value.toPrecision(3))) }, commit);
    },
    move: ({ u = 0, tau = 0 }) => {
      const { u: at, tau: now } = this.#config.value, place = this.#tauPlace() + tau;
      const up = now === 0 ? (tau > 0 ? 0 : -1) : place;
      this.#actions.place({ u: at + u, tau: tau === 0 && now === 0 ? -1 : up, commit: true });
    },
    point: id => {
      this.#pointed.value = id;
    },
    pin: id => {
      this.#pinned.value = this.#pinned.value === id ? null : id;
    },
  };

  /** Place of tau on the map's axis, from 0 at its low end. */
  #tauPlace(): number {
    return axisPlace(this.core.value!, TAU_AXIS.low, TAU_AXIS.high, this.#config.value.tau);
  }

  /** The reader's edit: the page is told, and on commit the screen reader. */
  #edit(part: Partial<Draft>, commit: boolean): void {
    this.#draft.value = { ...this.#draft.value, ...part };
    this.emit(commit ? "smp-change" : "smp-input");
    if (commit && this.#solved.value) this.spoken.value = this.#reading.value.config ? plain(uResult(this.#scene())) : "";
  }

  #clear(): void {
    this.#pointed.value = null;
    this.#pinned.value = null;
  }
}

/** What the style sheet leaves for the figure at a width of the element. */
function plotWidth(width: number): number {
  if (width < 560) return width - 76;
  return width < 960 ? width - 100 : ((width - 96) * 752) / 1072 - 52;
}

const short = (value: number) => String(Math.round(1000 * value) / 1000);

defineParams(SmpSampling);
