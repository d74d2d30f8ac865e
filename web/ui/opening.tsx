// How every experiment begins: its title, what to look for in the preset on view, the presets, and what is typed; where
// that means nothing, that the last right result stays.
import type { ComponentChildren } from "preact";
import type { Part } from "../i18n/rich.ts";
import { Presets } from "./presets.tsx";
import { Rich } from "./rich.tsx";

export type OpeningProps<Name extends string> = {
  readonly scene: {
    readonly m: {
      readonly presets: { readonly label: string; readonly more: string; readonly back: string };
      readonly stale: string;
    };
    readonly s: {
      readonly title: Part;
      readonly tasks: Readonly<Record<Name, string>>;
      /** In place of a task where the reader has set something else. */
      readonly free: string;
      readonly presets: Readonly<Record<Name, string>>;
    };
    readonly preset: Name;
    readonly edited: boolean;
    readonly reading: { readonly config: object | null };
  };
  readonly names: readonly Name[];
  /** How many presets stand in the row. */
  readonly first: number;
  readonly onChoose: (name: Name) => void;
  /** The fields. */
  readonly children: ComponentChildren;
};

export function Opening<Name extends string>({ scene, names, first, onChoose, children }: OpeningProps<Name>) {
  const { m, s, preset, edited, reading } = scene;
  return (
    <>
      <div class="opening">
        <h2>
          <Rich of={s.title} />
        </h2>
        <p>{edited ? s.free : s.tasks[preset]}</p>
      </div>
      <Presets
        words={{ ...m.presets, names: s.presets }}
        names={names}
        first={first}
        current={edited ? null : preset}
        from={preset}
        onChoose={name => onChoose(name ?? preset)}
      />
      {children}
      {!reading.config && <p class="stale wrong">{m.stale}</p>}
    </>
  );
}
