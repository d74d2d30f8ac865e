// How every experiment begins: its title, what to look for in the preset on view, the presets, and what is typed; where
// that means nothing, that the last right result stays. Where the page is narrow, what matters most comes in between.
import type { ComponentChildren } from "preact";
import type { Part } from "../i18n/rich.ts";
import { Heading, type Shows } from "./parts.tsx";
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
  readonly shows: Shows;
  /** What stands between the title and the presets. */
  readonly between?: ComponentChildren;
  /** How many presets stand in the row. */
  readonly first: number;
  readonly onChoose: (name: Name) => void;
  /** The fields. */
  readonly children: ComponentChildren;
};

export function Opening<Name extends string>(props: OpeningProps<Name>) {
  const { scene, shows, names, first, onChoose } = props,
    { m, s, preset, edited, reading } = scene;
  return (
    <>
      {shows("title") && (
        <div class="opening">
          <Heading>
            <Rich of={s.title} />
          </Heading>
          <p>{edited ? s.free : s.tasks[preset]}</p>
        </div>
      )}
      {props.between}
      {shows("presets") && (
        <Presets
          words={{ ...m.presets, names: s.presets }}
          names={names}
          first={first}
          current={edited ? null : preset}
          from={preset}
          onChoose={name => onChoose(name ?? preset)}
        />
      )}
      {shows("inputs") && props.children}
      {!reading.config && <p class="stale wrong">{m.stale}</p>}
    </>
  );
}
