// <smp-compare>: the same logits through the rules of real libraries, and where two of them part.
import { batch, computed, effect, signal } from "@preact/signals-core";
import type { VNode } from "preact";
import type { Core } from "../../core/module.ts";
import base from "../../style/base.css";
import tokens from "../../style/tokens.css";
import { Opening } from "../../ui/opening.tsx";
import { defineParams, LabElement } from "../base.tsx";
import css from "./compare.css";
import sourceCss from "./source.css";
import { Draws } from "./draws.tsx";
import type { Config } from "../../compare/config.ts";
import { aroundOf } from "../../compare/around.ts";
import { hunt, type Hunt } from "../../compare/search.ts";
import { Engines, Inputs } from "./inputs.tsx";
import { Loader } from "./loader.ts";
import { messages } from "./messages.languages";
import { CutView } from "./cut.tsx";
import { Greedy, Logits, Stage } from "./stages.tsx";
import { Matrix, PairView, Tokens } from "./pair.tsx";
import { isPresetName, presetNames, presets, type PresetName } from "./presets.ts";
import type { Actions, Scene, Tool } from "./scene.ts";
import { faultsOf, prose, reasonText } from "./sentences.ts";
import { ARRIVED, published, rowAt, type Position } from "./positions.ts";
import type { Run } from "../../compare/run.ts";
import { finish, isHuge, start, startInSlices, type Solved } from "../../compare/solve.ts";
import { greedyIds, unequalLogits } from "../../compare/stages.ts";
import { draws } from "../../compare/stream.ts";
import {
  draftOf,
  enginesOf,
  fieldNames,
  matches,
  pairOf,
  read,
  sound,
  type CompareDetail,
  type Draft,
  type Typed,
} from "./state.ts";
import { drawAll, DRAWS, type Tally } from "../../compare/tally.ts";
import { orderOf, type Row } from "../../compare/row.ts";
import { Streams } from "./streams.tsx";
import { Tools } from "./tools.tsx";
import { floatsName, vectorOf } from "../../compare/vector.ts";

/** Settings that tell engines apart on a long row, where the reader has set none. */
const LONG: Partial<Draft> = {
  temperature: "0.7",
  top_k: "40",
  top_p: "0.9",
  min_p: "",
  repetition_penalty: "",
  repeat_last_n: "",
};

/** What a long row took the place of, and the settings that came with it. */
type Left = { readonly own: Typed; readonly told: Partial<Draft> };

const FIRST_PRESETS = 6,
  FIRST: PresetName = "measure";

/**
 * Engines: the same logits and settings through the rules of real libraries, how far they are apart, and why.
 *
 * @tag smp-compare
 * @attr {string} logits - 2 to 64 numbers of magnitude at most 1000
 * @attr {string} temperature - any number; left out or empty: each library's default, as for the next five
 * @attr {string} top_k - a whole number
 * @attr {string} top_p - any number
 * @attr {string} min_p - any number
 * @attr {string} repetition_penalty - any number
 * @attr {string} repeat_last_n - a whole number from 0: so many ids of the context count, 0 for all (llama.cpp, exllamav2: none); where the library has it
 * @attr {string} context - ids that a penalty sees, oldest first
 * @attr {string} seed - a whole number from 0 to 2^64 - 1, as its decimal digits
 * @attr {string} engines - names of at least two libraries, as in docs/engines.md
 * @attr {string} pair - the two of them on view
 * @attr {string} position - name of a real position, where sampling-lab-logits.js is on the page: first, open, sure
 * @attr {"1"|"2"|"3"|"4"|"5"|"6"|"none"} heading - level of the title; default 2
 * @attr {string} preset - name of the setting that the attributes above change; see presets.ts
 * @attr {string} lang - zh or en; else that of the nearest ancestor
 * @attr {"light"|"dark"|"auto"} theme - default auto: as the page
 * @slot fallback - what readers without scripts see; hidden once the experiment runs
 * @event {CustomEvent<CompareDetail>} smp-input - while the reader types or drags
 * @event {CustomEvent<CompareDetail>} smp-change - when the reader has settled on a value
 */
export class SmpCompare extends LabElement {
  static override readonly params = [...fieldNames, "engines", "pair", "position", "preset"];
  static override readonly css = tokens + base + css + sourceCss;

  readonly #preset = signal<PresetName>(FIRST);
  readonly #typed = signal<Typed>(draftOf(presets[FIRST]));
  readonly #positions = signal<readonly Position[]>([]);
  readonly #loader = new Loader();
  readonly #drawer = signal("");
  readonly #tally = signal<Tally | null>(null);
  /** What is being drawn from; another object, or null, ends it. */
  readonly #drawing = signal<object | null>(null);
  readonly #open = signal<readonly Tool[]>([]);
  readonly #hunt = signal<Hunt | null>(null);

  #lastValid: Config = read(draftOf(presets[FIRST])).config!;
  /** The preset that the page has begun anew from; null once that is on view. */
  #begun: Draft | null = null;
  readonly #left = signal<Left | null>(null);
  /** What is typed, its engines in the order of the core, and a pair of them. */
  readonly #draft = computed(() => {
    const typed = this.#typed.value,
      { engines } = enginesOf(typed.engines.join(" "), Object.keys(this.core.value!.abi.profile));
    return { ...typed, engines, pair: pairOf(typed.pair, engines) };
  });
  readonly #row = computed(() => {
    const { loaded } = this.#loader.state.value,
      position = this.#positions.value.find(({ name }) => name === this.#draft.value.position);
    return loaded?.row ?? (position ? rowAt(position) : null);
  });
  readonly #reading = computed(() => read(this.#draft.value, this.#row.value));
  readonly #config = computed(() => {
    const last = this.#begun ? sound(this.#draft.value, this.#begun, this.#row.value) : this.#lastValid,
      pair = pairOf(this.#draft.value.pair, last.engines),
      same = String(pair) === String(last.pair);
    this.#begun = null;
    // what is wrong does not hold up the eye
    return (this.#lastValid = this.#reading.value.config ?? (same ? last : { ...last, pair }));
  });
  /** Of a huge row what was there before, until enough of it is ready. */
  readonly #started = computed((): Solved => {
    const config = this.#config.value,
      ready = this.#ready.value;
    if (!isHuge(config)) this.#shown = start(this.core.value!, config, this.#farther.peek());
    else if (ready?.config === config) this.#shown = ready;
    return this.#shown!;
  });
  readonly #ready = signal<Solved | null>(null);
  #shown: Solved | null = null;
  /** The same, farther on. */
  readonly #farther = signal<Solved | null>(null);
  readonly #solved = computed(() =>
    this.#farther.value?.config === this.#started.value.config ? this.#farther.value : this.#started.value,
  );
  #stopFinishing: (() => void) | undefined;
  #unsaid = false;

  override connectedCallback(): void {
    addEventListener(ARRIVED, this.#arrived);
    this.#arrived();
    super.connectedCallback();
    this.#stopFinishing ??= effect(() => {
      if (!this.core.value) return;
      const started = this.#started.value,
        config = this.#config.value;
      if (started.config !== config) void this.#prepare(config);
      else if (started.pending) void this.#finish(started);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener(ARRIVED, this.#arrived);
    this.#stopFinishing?.();
    this.#stopFinishing = undefined;
  }

  readonly #arrived = (): void => {
    this.#positions.value = published();
  };

  /** A huge row: the page lives on while its beginning is made. */
  async #prepare(config: Config): Promise<void> {
    const core = this.core.peek()!,
      go = () => this.isConnected && this.#config.peek() === config;
    const shown = (first: Run, second: Run) => [
      () => orderOf(config.logits),
      () => aroundOf(config, first, second),
      () => unequalLogits(core, config),
      () => greedyIds(core, config),
    ];
    const ready = await startInSlices(core, config, this.#solved.peek(), go, shown);
    if (ready && go()) this.#ready.value = ready;
  }

  async #finish(begun: Solved): Promise<void> {
    const go = () => this.isConnected && this.#started.peek() === begun && this.#config.peek() === begun.config;
    await finish(this.core.peek()!, begun, go, solved => {
      this.#farther.value = solved;
      if (this.#unsaid) this.#say();
    });
  }

  protected override getParam(name: string): string {
    const draft = this.#typed.value,
      value = name === "preset" ? this.#preset.value : draft[name as keyof Draft];
    return typeof value === "string" ? value : value.join(" ");
  }

  /** Attributes and properties change what the preset gives. */
  protected override setParam(name: string): void {
    const given = Object.fromEntries(this.given),
      asked = given.preset ?? FIRST;
    if (isPresetName(asked)) this.#preset.value = asked;
    else this.complain("preset", asked, presetNames);
    const start = draftOf(presets[this.#preset.value]),
      now = name === "preset" ? start : this.#typed.value;
    const taken = <Key extends keyof Typed>(key: Key, parse: (text: string) => Typed[Key]): Typed[Key] =>
      name !== key && name !== "preset" ? now[key] : given[key] === undefined ? start[key] : parse(given[key]);
    const words = (text: string) => text.split(/[\s,]+/).filter(Boolean);
    if (name === "logits" || name === "position" || name === "preset") {
      this.#loader.close(); // the page asks for others
      this.#left.value = null;
    }
    if (name === "preset" || !this.shadowRoot) this.#begun = start;
    this.#change({
      ...now,
      ...Object.fromEntries(fieldNames.map(field => [field, taken(field, text => text)])),
      engines: taken("engines", words),
      pair: taken("pair", words),
      position: taken("position", text => text),
    });
    if (this.core.value) this.#config.peek(); // right now, it stays the last right one
  }

  protected override detail(): CompareDetail {
    return { draft: this.#draft.value, config: this.#reading.value.config };
  }

  protected override link(): Record<string, string> {
    const { engines, pair, ...texts } = this.#draft.value;
    return { ...texts, engines: engines.join(" "), pair: pair.join(" ") };
  }

  protected override linkLacks(): string {
    const scene = this.#scene(this.core.value!);
    return scene.row?.kind === "file" ? scene.s.source.noLink : "";
  }

  protected override view(core: Core): VNode {
    this.#warn(core);
    const scene = this.#scene(core),
      act = this.#actions,
      { m, s } = scene;
    return (
      <>
        <Opening scene={scene} shows={this.shows} names={presetNames} first={FIRST_PRESETS} onChoose={act.choose}>
          <Inputs scene={scene} act={act} />
          <Engines scene={scene} act={act} />
        </Opening>
        {scene.config !== this.#config.value && (
          <p class="stale" aria-busy="true">
            {m.stale}
          </p>
        )}
        <Stage number={1} title={s.stages.logits} />
        <Logits scene={scene} />
        <Stage number={2} title={s.stages.distributions} />
        <div class={scene.config.engines.length > 7 ? "overview many" : "overview"}>
          <Matrix scene={scene} act={act} />
          <PairView scene={scene} act={act} />
          <Tokens scene={scene} />
        </div>
        <CutView scene={scene} />
        <Stage number={3} title={s.stages.greedy} />
        <Greedy scene={scene} />
        <Stage number={4} title={s.stages.random} />
        <Streams scene={scene} act={act} />
        <Draws scene={scene} act={act} />
        <Tools scene={scene} act={act} />
        {this.closing(s.closing, [
          ...(scene.row ? [saving(scene.row, s)] : []),
          {
            text: s.vector,
            name: "compare.json",
            type: "application/json",
            make: () => vectorOf(core, scene.solved),
          },
        ])}
      </>
    );
  }

  #scene(core: Core): Scene {
    const draft = this.#draft.value,
      solved = this.#solved.value,
      tally = this.#tally.value,
      preset = this.#preset.value,
      m = this.messages.value,
      row = this.#row.value;
    const able = [solved.pair.first, solved.pair.second]
        .filter(run => draws(core, run, solved.config.seed))
        .map(({ name }) => name),
      chosen = this.#drawer.value;
    const told = Object.entries(this.#left.value?.told ?? {});
    const drawer = able.includes(chosen) ? chosen : (able.at(-1) ?? "");
    return {
      core,
      m,
      s: messages[this.language.value],
      draft,
      reading: this.#reading.value,
      preset,
      edited: row !== null || !matches(draft, presets[preset]),
      row,
      positions: this.#positions.value,
      told: row !== null && told.length > 0 && told.every(([name, text]) => draft[name as keyof Draft] === text),
      loading: this.#loader.state.value,
      config: solved.config,
      solved,
      drawer,
      tally: tally?.config === solved.config && tally.name === drawer ? tally : null,
      drawing: this.#drawing.value !== null,
      open: this.#open.value,
      hunt: this.#hunt.value,
    };
  }

  readonly #actions: Actions = {
    field: (name, text, commit) =>
      batch(() => {
        if (name === "logits") this.#loader.close();
        this.#edit({ [name]: text, ...(name === "logits" ? { position: "" } : {}) }, commit);
      }),
    typed: () =>
      batch(() => {
        const left = this.#left.value,
          draft = this.#typed.value;
        const back = Object.entries(left?.told ?? {})
          .filter(([name, text]) => draft[name as keyof Draft] === text)
          .map(([name]) => [name, left!.own[name as keyof Draft]]);
        this.#loader.close();
        this.#left.value = null;
        this.#edit({ ...Object.fromEntries(back), position: "", context: left?.own.context ?? "" }, true);
      }),
    position: name =>
      batch(() => {
        const { context } = this.#positions.value.find(position => position.name === name)!,
          left = this.#leaving();
        this.#loader.close();
        if (left) this.#left.value = left;
        this.#edit({ ...left?.told, position: name, context: context.join(" ") }, true);
      }),
    file: file => void this.#take(this.#loader.open(file), true),
    row: (index, tensor) => void this.#take(this.#loader.choose(index, tensor), false),
    engines: engines => this.#edit({ engines }, true),
    pair: (first, second) => this.#edit({ pair: [first, second] }, true),
    choose: preset =>
      batch(() => {
        this.#loader.close();
        this.#left.value = null;
        this.#preset.value = preset;
        this.#edit(draftOf(presets[preset]), true);
      }),
    drawer: name =>
      batch(() => {
        this.#stopDrawing();
        this.#drawer.value = name;
      }),
    draw: () => void this.#draw(),
    cancel: () => {
      this.#drawing.value = null;
    },
    open: (tool, open) => {
      this.#open.value = [...this.#open.value.filter(each => each !== tool), ...(open ? [tool] : [])];
    },
    hunt: () => void this.#hunts(),
    endHunt: () => {
      this.#hunt.value = null;
    },
  };

  /** What a long row is to take the place of; null where one is on view. */
  #leaving(): Left | null {
    return this.#row.value ? null : { own: this.#typed.value, told: this.#scene(this.core.value!).edited ? {} : LONG };
  }

  /** A file, or another row of it, as far as it came. */
  async #take(taking: Promise<boolean>, fresh: boolean): Promise<void> {
    const left = this.#leaving();
    if (!(await taking)) return;
    const { problem, name } = this.#loader.state.peek();
    if (!problem)
      batch(() => {
        if (fresh && left) this.#left.value = left;
        this.#edit(fresh ? { ...left?.told, position: "", context: "" } : {}, true);
      });
    else {
      const { m, s } = this.#scene(this.core.value!);
      this.announce(prose(m, s.source.wrong(name), s.source.problem(problem)));
    }
  }

  /** The reader's edit: the page is told, and on commit the screen reader. */
  #edit(part: Partial<Draft>, commit: boolean): void {
    this.#change({ ...this.#typed.value, ...part });
    this.emit(commit ? "smp-change" : "smp-input");
    if (commit) this.#say();
  }

  /** What is wrong, or the reason once it is known; of a file or a position first that it has come. */
  #say(): void {
    const scene = this.#scene(this.core.value!),
      { s, reading, row } = scene,
      wrong = faultsOf(scene);
    this.#unsaid =
      this.#solved.value.config !== this.#config.value || this.#solved.value.pair.reason.kind === "pending";
    if (!wrong && (!reading.config || this.#unsaid)) return;
    const come = row && row !== this.#heard ? s.source.come(row.name, row.logits.length) : "";
    this.#heard = row;
    this.announce(prose(scene.m, come, wrong || reasonText(scene)));
  }
  /** The long row that was last told of. */
  #heard: Row | null = null;

  /** Whatever changes, draws of what was before end and go. */
  #change(draft: Typed): void {
    batch(() => {
      this.#stopDrawing();
      this.#typed.value = draft;
    });
  }

  #stopDrawing(): void {
    this.#drawing.value = null;
    this.#tally.value = null;
    this.#hunt.value = null;
  }

  async #draw(): Promise<void> {
    const scene = this.#scene(this.core.value!),
      mine = {};
    this.#drawing.value = mine;
    await drawAll(scene.core, scene.solved, scene.drawer, tally => {
      if (this.#drawing.peek() !== mine || !this.isConnected) return false;
      this.#tally.value = tally;
      if (tally.done === DRAWS) this.spoken.value = scene.s.draws.done(tally.name);
      return true;
    });
    if (this.#drawing.peek() === mine) this.#drawing.value = null;
  }

  /** Until it is over, or another, or what it is for has changed. */
  async #hunts(): Promise<void> {
    const { core, config, s } = this.#scene(this.core.value!);
    let last: Hunt | null = null;
    await hunt(core, config, now => {
      if ((last && this.#hunt.peek() !== last) || !this.isConnected) return false;
      this.#hunt.value = last = now;
      if (now.over)
        this.spoken.value = now.row
          ? s.hunt.found(now.row.join(" "), String(now.tried))
          : s.hunt.none(String(now.tried));
      return true;
    });
  }

  /** Names that the author mistyped: told once, in one line. */
  #warn(core: Core): void {
    const known = Object.keys(core.abi.profile);
    for (const param of ["engines", "pair"]) {
      const text = this.given.get(param) ?? "";
      if (this.#warned.get(param) === text) continue;
      this.#warned.set(param, text);
      const { unknown } = enginesOf(text, known);
      if (unknown.length) this.complain(param, unknown.slice(0, 4).join(" "), known);
    }
  }
  readonly #warned = new Map<string, string>();
}

/** The row as bare floats, which the test vector names. */
const saving = (row: Row, s: Scene["s"]) => ({
  text: s.source.save,
  name: floatsName(row),
  type: "application/octet-stream",
  make: () => new Uint8Array(row.logits.slice().buffer),
});

defineParams(SmpCompare);
