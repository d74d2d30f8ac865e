// How every experiment begins: its title, what to look for in the preset on view, and the presets.
import type { Part } from "../i18n/rich.ts";
import { Presets } from "./presets.tsx";
import { Rich } from "./rich.tsx";

export type OpeningProps<Name extends string> = {
  readonly scene: {
    readonly m: { readonly presets: { readonly label: string; readonly more: string; readonly back: string } };
    readonly s: {
      readonly title: Part;
      readonly tasks: Readonly<Record<Name, string>>;
      /** In place of a task where the reader has set something else. */
      readonly free: string;
      readonly presets: Readonly<Record<Name, string>>;
    };
    readonly preset: Name;
    readonly edited: boolean;
  };
  readonly names: readonly Name[];
  /** How many presets stand in the row. */
  readonly first: number;
  readonly onChoose: (name: Name) => void;
};

export function Opening<Name extends string>({ scene, names, first, onChoose }: OpeningProps<Name>) {
  const { m, s, preset, edited } = scene;
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
    </>
  );
}
