// Where the logits come from: typed, a real position, or the reader's own file, which is read here and goes nowhere.
import { decimal } from "../../i18n/format.ts";
import { ENDINGS } from "../../files/problem.ts";
import type { Contents } from "../../files/source.ts";
import { topOf } from "../../compare/row.ts";
import { Select } from "../../ui/select.tsx";
import type { ViewProps } from "./scene.ts";
import { prose } from "./sentences.ts";

export function Source({ scene, act }: ViewProps) {
  const { s, m, row, positions, loading, draft, reading } = scene,
    t = s.source;
  const missing = draft.position && !positions.some(({ name }) => name === draft.position);
  const button = (text: string, pressed: boolean, choose: () => void) => (
    <button type="button" aria-pressed={pressed} onClick={choose}>
      <span>{text}</span>
    </button>
  );
  const take = (files: FileList | null | undefined) => files?.[0] && act.file(files[0]);
  const over = (event: DragEvent & { currentTarget: HTMLElement }, on: boolean) => {
    event.preventDefault();
    event.currentTarget.toggleAttribute("data-over", on);
  };
  return (
    <div
      class="source"
      role="group"
      aria-label={t.label}
      onDragOver={event => over(event, true)}
      onDragLeave={event => over(event, false)}
      onDrop={event => {
        over(event, false);
        take(event.dataTransfer?.files);
      }}
    >
      <div class="presets no-print">
        <span class="label" aria-hidden="true">
          {t.label}
        </span>
        {button(t.typed, !row, act.typed)}
        {positions.map(({ name, title }) =>
          button(title[m.lang] ?? title.en!, row?.kind === "position" && row.name === name, () => act.position(name)),
        )}
        <label class={row?.kind === "file" ? "pick on" : "pick"}>
          <input
            type="file"
            class="vh"
            accept={ENDINGS.join(",")}
            onChange={event => {
              take(event.currentTarget.files);
              event.currentTarget.value = "";
            }}
          />
          <span>{t.file}</span>
        </label>
        <span class="hint">{t.hint(ENDINGS)}</span>
      </div>
      {loading.problem && (
        <p class="problem">
          {t.wrong(loading.name)} {t.problem(loading.problem)}{" "}
          {loading.loaded && reading.config && <span class="stale">{m.stale}</span>}
        </p>
      )}
      {missing && <p class="problem">{t.missing(draft.position.slice(0, 40))}</p>}
      {row && <Taken scene={scene} act={act} />}
    </div>
  );
}

/** What is loaded, by name, and what else could be taken from it. */
function Taken({ scene, act }: ViewProps) {
  const { s, m, row, positions, loading, told } = scene,
    t = s.source,
    loaded = row!.kind === "file" ? loading.loaded : null;
  const top = topOf(row!.logits),
    most = t.most(decimal(row!.logits[top]!), top, row!.piece?.(top) ?? ""),
    count = row!.logits.length;
  if (!loaded) {
    const { title, text } = positions.find(({ name }) => name === row!.name)!;
    return (
      <div class="taken">
        <p>{prose(m, t.position(title[m.lang] ?? title.en!, count), most, told && t.told)}</p>
        <p class="context">
          <span class="quiet">{t.context}</span> <bdi>…{text.replaceAll("\n", "⏎")}</bdi>
        </p>
      </div>
    );
  }
  const { contents, tensor, rounded } = loaded,
    { tensors } = contents;
  const named = (name: string) => tensors.find(each => each.name === name)!;
  return (
    <div class="taken">
      <p>
        {prose(
          m,
          t.loaded(contents.name, tensor.dtype, tensor.shape, count),
          most,
          rounded > 0 && t.rounded(rounded),
          told && t.told,
        )}
      </p>
      {tensors.length > 1 && (
        <label>
          {t.tensor}
          <Select
            value={tensor.name}
            values={tensors.map(({ name }) => name)}
            textOf={name => titleOf(named(name))}
            isOff={name => named(name).problem !== undefined}
            onChoose={name => act.row("0", name)}
          />
        </label>
      )}
      {tensor.rows > 1 && (
        <label>
          {t.row(tensor.rows)}
          <input
            class="box"
            inputMode="numeric"
            autocomplete="off"
            value={loading.typed}
            aria-invalid={loading.problem && loading.name === contents.name ? "true" : undefined}
            onChange={event => act.row(event.currentTarget.value)}
          />
        </label>
      )}
    </div>
  );
}

const titleOf = ({ name, dtype, shape }: Contents["tensors"][number]): string =>
  `${name} ${dtype} [${shape.join(", ")}]`;
