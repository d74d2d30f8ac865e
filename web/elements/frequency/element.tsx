// <smp-frequency>: draws only come near the probabilities.
import { batch, computed, effect, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import { inSlices, within } from "../../compare/slices.ts";
import { axisValue } from "../../core/lab.ts";
import type { Rng } from "../../core/engine.ts";
import { SmpError } from "../../core/error.ts";
import type { Core } from "../../core/module.ts";
import { plain } from "../../i18n/rich.ts";
import base from "../../style/base.css";
import tokens from "../../style/tokens.css";
import { Opening } from "../../ui/opening.tsx";
import { defineParams, LabElement } from "../base.tsx";
import { ArraysPart, SHOWN } from "./arrays.tsx";
import { CurvesPart } from "./curves.tsx";
import css from "./frequency.css";
import { Inputs } from "./inputs.tsx";
import { messages } from "./messages.languages";
import { Notes } from "./notes.tsx";
import { headingOf, Plot } from "./plot.tsx";
import { isPresetName, presetNames, presets, type PresetName } from "./presets.ts";
import { begin, doneOf, firstIds, lastId, look, others, running, type Run } from "./run.ts";
import { curvesOf, TAU_AXIS, type Actions, type Other, type Scene } from "./scene.ts";
import {
  choiceNames,
  choices,
  draftOf,
  initialDraft,
  LIMITS,
  matches,
  read,
  sound,
  type Config,
  type Draft,
  type FrequencyDetail,
} from "./state.ts";
import { CountTable, csvOf, DecadeTable } from "./table.tsx";
import { throwAll, throwMore, toThrow, type Thrown } from "./thrown.ts";
import { Throws } from "./throws.tsx";

const FIRST_PRESETS = 6,
  FIRST: PresetName = "record";
/** ms of a frame that a run may take before it goes on in slices. */
const AT_ONCE = 10;

/**
 * Frequencies: the same distribution drawn again and again, how near the counts come, and what a seed fixes.
 *
 * @tag smp-frequency
 * @attr {string} logits - 1 to 8 numbers of magnitude at most 100
 * @attr {string} tau - temperature, 0 or any positive number
 * @attr {string} k - how many candidates top-k keeps
 * @attr {string} draws - whole number from 1 to 1000000
 * @attr {string} seed - whole number from 0 to 2^64 - 1
 * @attr {"torch-mkl"|"torch"|"candle"|"llama.cpp"|"transformers.js"|"own"} source - whose draws; default torch-mkl, torch up to 2.6
 * @attr {"no"|"yes"} replacement - torch: all draws by one call with replacement; default no
 * @attr {"0"|"1"} skip - draws that are made and thrown away first; default 0
 * @attr {"again"|"on"} seeding - whether another run begins with the seed again or goes on; default again
 * @attr {string} taus - 1 to 6 temperatures of the curves
 * @attr {string} at - number of draws at the line; default all
 * @attr {"1"|"2"|"3"|"4"|"5"|"6"|"none"} heading - level of the title; default 2
 * @attr {string} preset - name of the settings that the attributes above change; see presets.ts
 * @attr {string} lang - zh or en; else that of the nearest ancestor
 * @attr {"light"|"dark"|"auto"} theme - default auto: as the page
 * @slot fallback - what readers without scripts see; hidden once the experiment runs
 * @event {CustomEvent<FrequencyDetail>} smp-input - while the reader types or drags
 * @event {CustomEvent<FrequencyDetail>} smp-change - when the reader has settled on a value
 */
export class SmpFrequency extends LabElement {
  static override readonly params = [
    "logits",
    "tau",
    "k",
    "draws",
    "seed",
    "source",
    "replacement",
    "skip",
    "seeding",
    "taus",
    "at",
    "preset",
  ];
  static override readonly css = tokens + base + css;

  readonly #preset = signal<PresetName>(FIRST);
  readonly #draft = signal<Draft>(initialDraft);
  /** Draws at the line; null: at the end. */
  readonly #line = signal<number | null>(null);
  readonly #pair = signal<readonly [number, number] | null>(null);
  readonly #pointed = signal<number | null>(null);
  readonly #pinned = signal<number | null>(null);
  readonly #thrown = signal<Thrown | null>(null);
  /** The runs before this one, and the generator that this one goes on with; null: seeded again. */
  readonly #rounds = signal<Rounds>(FRESH);

  readonly #reading = computed(() => read(this.#draft.value, this.#lastValid.logits.length));
  #lastValid: Config = read(initialDraft, 0).config!;
  /** The last right configuration; a change of the curves alone is no other run. */
  readonly #config = computed(() => (this.#lastValid = this.#reading.value.config ?? this.#lastValid));
  readonly #runKey = computed(() => JSON.stringify({ ...this.#config.value, taus: [] }));
  #lastBegun: Run | null = null;
  /** The run before its first draw, or what its generator says of the seed. */
  readonly #begun = computed(() => {
    const { from } = this.#rounds.value,
      asked = begin(this.core.value!, JSON.parse(this.#runKey.value), from ? { from } : {});
    if (!(asked instanceof SmpError)) this.#lastBegun = asked;
    return { run: this.#lastBegun ?? this.#fallbackRun(), refused: asked instanceof SmpError ? asked : null };
  });
  /** The run as far as it has come, what the other generators make of it, and whether more is on its way. */
  readonly #farther = signal<Run | null>(null);
  readonly #others = signal<readonly Other[]>([]);
  readonly #going = signal<object | null>(null);
  readonly #run = computed(() => {
    const { run } = this.#begun.value,
      farther = this.#farther.value;
    return farther?.start === run.start ? farther : run;
  });
  readonly #curves = computed(() => curvesOf(this.core.value!, this.#config.value, this.#pairNow.value));
  readonly #pairNow = computed((): readonly [number, number] => {
    const { logits } = this.#config.value,
      pair = this.#pair.value;
    const within = pair?.every(id => id < logits.length);
    if (pair && within) return pair;
    const order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b);
    return [order[0]!, order[1] ?? order[0]!];
  });
  #stopRunning: (() => void) | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stopRunning ??= effect(() => {
      if (this.core.value) void this.#go(this.#begun.value.run);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#going.value = null;
    this.#stopRunning?.();
    this.#stopRunning = undefined;
  }

  /** Where not even the first configuration has a seed that its generator takes. */
  #fallbackRun(): Run {
    const run = begin(this.core.value!, read(initialDraft, 0).config!);
    if (run instanceof SmpError) throw run;
    return run;
  }

  /** The run to its end, then the other generators: at once as far as a frame allows, then in slices. */
  async #go(begun: Run): Promise<void> {
    const core = this.core.peek()!,
      mine = {};
    const still = () => this.#going.peek() === mine && this.isConnected;
    this.#going.value = mine;
    const work = running(core, begun),
      soon = within(AT_ONCE);
    let step = work.next();
    while (!step.done && soon()) step = work.next();
    this.#farther.value = step.value;
    if (!step.done) {
      let latest = step.value;
      const all = await inSlices(
        tellingOf(work, run => (latest = run)),
        fresh => {
          if (fresh && still()) this.#farther.value = latest;
          return still();
        },
      );
      const stopped = this.#going.peek() === null; // and not overtaken by another run
      if (all ? still() : stopped) this.#farther.value = all ?? latest;
    }
    if (!still()) return;
    if (this.#rounds.peek() === FRESH) await inSlices(this.#compare(core, begun), still);
    if (!still()) return;
    this.#going.value = null;
    if (!step.done) this.#say();
  }

  *#compare(core: Core, begun: Run): Generator<unknown, void> {
    const runs = others(core, begun.config, choices.source),
      about = this.#aboutOf(begun);
    let found: Other[] = runs.map(({ candidates: { source } }) => ({ source, count: null }));
    this.#others.value = found;
    for (const run of runs) {
      const end = yield* running(core, run),
        count = end.marks.at(-1)!.counts[about]!;
      found = found.map(other => (other.source === run.candidates.source ? { ...other, count } : other));
      this.#others.value = found;
    }
  }

  #aboutOf(run: Run): number {
    return run.candidates.p.findIndex(p => p > 0);
  }

  protected override getParam(name: string): string {
    if (name === "preset") return this.#preset.value;
    return name === "at"
      ? String(this.#line.value ?? this.#config.value.draws)
      : this.#draft.value[name as keyof Draft];
  }

  /** Attributes and properties change what the preset gives; taken away, the preset's value is back. */
  protected override setParam(name: string, text: string | null): void {
    const asked = this.given.get("preset");
    if (name === "preset") {
      if (asked !== undefined && !isPresetName(asked)) this.complain(name, asked, presetNames);
      this.#preset.value = asked !== undefined && isPresetName(asked) ? asked : FIRST;
    }
    const start = draftOf(presets[this.#preset.value]),
      at = this.given.get("at");
    if (name === "at" && at !== undefined && wholeOf(at) === null) this.complain(name, at, [`1–${LIMITS.draws}`]);
    const next: Record<string, string> =
      name === "preset"
        ? { ...start, ...Object.fromEntries(this.given) }
        : { ...this.#draft.value, ...(name === "at" ? {} : { [name]: text ?? start[name as keyof Draft] }) };
    delete next.preset;
    delete next.at;
    for (const key of choiceNames) {
      const allowed: readonly string[] = choices[key];
      if (allowed.includes(next[key]!)) continue;
      this.complain(key, next[key]!, allowed);
      next[key] = start[key];
    }
    batch(() => {
      if (name === "preset" || !this.shadowRoot) this.#lastValid = sound(next as Draft, start);
      this.#draft.value = next as Draft;
      this.#rounds.value = FRESH;
      if (name === "at" || name === "preset" || name === "draws") this.#line.value = at ? wholeOf(at) : null;
      this.#thrown.value = null;
      this.escape();
    });
    this.#config.peek(); // right now, it stays the last right one
  }

  protected override detail(): FrequencyDetail {
    const { config } = this.#reading.value;
    return { draft: this.#draft.value, config, at: this.#atLine() };
  }

  protected override link(): Record<string, string> {
    return {
      preset: this.#preset.value,
      ...this.#draft.value,
      ...(this.#line.value === null ? {} : { at: String(this.#atLine()) }),
    };
  }

  #atLine(): number {
    return Math.max(1, Math.min(this.#line.value ?? Infinity, doneOf(this.#run.value)));
  }

  protected override view(_core: Core): VNode {
    const scene = this.#scene(),
      act = this.#actions,
      { m, s } = scene;
    return (
      <>
        <Opening scene={scene} shows={this.shows} names={presetNames} first={FIRST_PRESETS} onChoose={act.choose}>
          <Inputs scene={scene} act={act} />
        </Opening>
        <Plot scene={scene} act={act} />
        <div class="sheet">
          <div class="scroller" tabIndex={0} role="group" aria-label={s.table.name}>
            <CountTable scene={scene} act={act} />
          </div>
          <Notes scene={scene} />
          <div class="scroller">
            <DecadeTable scene={scene} />
          </div>
        </div>
        <Throws scene={scene} act={act} />
        <CurvesPart scene={scene} act={act} />
        <ArraysPart scene={scene} act={act} />
        {this.closing(s.closing, [
          { text: m.exports.csv, name: "frequency.csv", type: "text/csv", make: () => csvOf(scene) },
        ])}
      </>
    );
  }

  #scene(): Scene {
    const core = this.core.value!,
      { run: begun, refused } = this.#begun.value,
      run = this.#run.value,
      config = { ...begun.config, taus: this.#config.value.taus },
      draft = this.#draft.value,
      preset = this.#preset.value;
    const kept = [...run.candidates.p.keys()].filter(id => run.candidates.p[id]! > 0),
      within = (id: number | null) => (id !== null && id < config.logits.length ? id : null);
    const lit = within(this.#pointed.value) ?? within(this.#pinned.value),
      done = doneOf(run);
    return {
      core,
      m: this.messages.value,
      s: messages[this.language.value],
      draft,
      reading: this.#reading.value,
      preset,
      edited: !matches(draft, presets[preset]),
      config,
      refused,
      run,
      done,
      going: this.#going.value !== null && done < config.draws,
      looked: done > 0 ? look(core, run, this.#atLine()) : null,
      kept,
      about: this.#aboutOf(run),
      lit,
      others: this.#others.value,
      earlier: this.#rounds.value.earlier,
      curves: this.#curves.value,
      pair: this.#pairNow.value,
      first: firstIds(core, config, SHOWN + 1),
      lastIn: config.skip > 0 && done === config.draws ? lastId(core, run) : null,
      thrown: this.#thrown.value ?? throwMore(core, toThrow(core, run), 1),
    };
  }

  readonly #actions: Actions = {
    type: (field, text, commit) => this.#edit({ [field]: text }, commit, field !== "taus"),
    change: part => this.#edit(part, true),
    choose: preset =>
      batch(() => {
        this.#preset.value = preset;
        this.escape();
        this.#edit(draftOf(presets[preset]), true);
      }),
    line: (n, commit) => {
      this.#line.value = n;
      this.emit(commit ? "smp-change" : "smp-input");
      if (commit) this.#say();
    },
    cancel: () => {
      this.#going.value = null;
    },
    go: () => void this.#go(this.#begun.value.run),
    again: () => {
      const { run, about, draft } = this.#scene(),
        end = run.marks.at(-1)!;
      batch(() => {
        this.#line.value = null;
        this.#thrown.value = null;
        this.#rounds.value = {
          earlier: [...this.#rounds.value.earlier, end.counts[about]!],
          from: draft.seeding === "on" ? end.stream.rng : null,
        };
      });
      this.#say();
    },
    pair: pair => {
      this.#pair.value = pair;
      this.emit("smp-change");
    },
    tauAt: (index, place, commit) => {
      const taus = [...this.#config.value.taus],
        at = axisValue(this.core.value!, TAU_AXIS.low, TAU_AXIS.high, Math.min(Math.max(place, 0), 1));
      if (place < 0 && taus.length === 1) return;
      taus.splice(index, 1, ...(place < 0 ? [] : [Number(at.toPrecision(3))]));
      this.#edit({ taus: taus.join(" ") }, commit, false);
    },
    point: id => {
      this.#pointed.value = id;
    },
    pin: id => {
      this.#pinned.value = this.#pinned.value === id ? null : id;
    },
    throw: count => {
      const { core, s, thrown, m, run } = this.#scene(),
        now = count === null ? throwAll(core, run) : throwMore(core, thrown, count);
      this.#thrown.value = now;
      const counts = [...now.counts].map((many, id) => s.figure.bar(id, many.toLocaleString(m.locale)));
      this.spoken.value = s.throws.thrown(now.n.toLocaleString(m.locale), counts);
    },
    clear: () => {
      const { core, run } = this.#scene();
      this.#thrown.value = toThrow(core, run);
    },
  };

  /** Escape lets go of a pinned candidate. */
  protected override escape(): void {
    this.#pointed.value = null;
    this.#pinned.value = null;
  }

  /** The reader's edit: the page is told, and on commit the screen reader. Another run is looked at from its end. */
  #edit(part: Partial<Draft>, commit: boolean, fresh = true): void {
    batch(() => {
      this.#draft.value = { ...this.#draft.value, ...part };
      if (!fresh) return;
      this.#line.value = null;
      this.#thrown.value = null;
      this.#rounds.value = FRESH;
    });
    this.emit(commit ? "smp-change" : "smp-input");
    if (commit) this.#say();
  }

  #say(): void {
    const scene = this.#scene();
    this.spoken.value = scene.reading.config && scene.looked ? plain(headingOf(scene)) : "";
  }
}

type Rounds = { readonly earlier: readonly number[]; readonly from: Rng | null };
const FRESH: Rounds = { earlier: [], from: null };

/** A whole number of draws, or null. */
function wholeOf(text: string): number | null {
  const n = Number(text);
  return Number.isInteger(n) && n >= 1 && n <= LIMITS.draws ? n : null;
}

/** The work, telling of each step. */
function* tellingOf(work: Generator<Run, Run>, tell: (run: Run) => void): Generator<unknown, Run> {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
    tell(value);
    yield;
  }
}

defineParams(SmpFrequency);
