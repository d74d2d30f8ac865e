// Everything the views need for a frame, and what a reader can do.
import type { Core } from "../../core/module.ts";
import type { CompareMessages } from "./messages.zh.ts";
import type { Messages } from "../../i18n/messages.zh.ts";
import type { Hunt } from "../../compare/search.ts";
import type { Loading } from "./loader.ts";
import type { Position } from "./positions.ts";
import type { Row } from "../../compare/row.ts";
import type { Tally } from "../../compare/tally.ts";
import type { PresetName } from "./presets.ts";
import type { Profile } from "../../compare/run.ts";
import type { Solved } from "../../compare/solve.ts";
import type { Config } from "../../compare/config.ts";
import type { Draft, FieldName, Reading } from "./state.ts";

/** What opens on demand. */
export type Tool = "migrate" | "hunt" | "document";

export type Scene = {
  readonly core: Core;
  readonly m: Messages;
  readonly s: CompareMessages;
  readonly draft: Draft;
  readonly reading: Reading;
  readonly preset: PresetName;
  readonly edited: boolean;
  /** What takes the place of typed logits, the real positions that there are, and the reader's file. */
  readonly row: Row | null;
  readonly positions: readonly Position[];
  /** Its settings are those of a long row, which the reader has not chosen. */
  readonly told: boolean;
  readonly loading: Loading;
  /** The last valid configuration; it and `solved` belong together. */
  readonly config: Config;
  readonly solved: Solved;
  /** The engine that draws; "" if none of the pair can. */
  readonly drawer: string;
  /** Draws from what is on view, or null. */
  readonly tally: Tally | null;
  readonly drawing: boolean;
  readonly open: readonly Tool[];
  /** A hunt for what is on view, or null. */
  readonly hunt: Hunt | null;
};

export type Actions = {
  readonly field: (name: FieldName, text: string, commit: boolean) => void;
  /** Other logits: those typed, a real position, a file, or another row of it. */
  readonly typed: () => void;
  readonly position: (name: string) => void;
  readonly file: (file: File) => void;
  readonly row: (index: string, tensor?: string) => void;
  readonly engines: (engines: readonly string[]) => void;
  readonly pair: (first: string, second: string) => void;
  readonly choose: (preset: PresetName) => void;
  readonly drawer: (name: string) => void;
  readonly draw: () => void;
  readonly cancel: () => void;
  readonly open: (tool: Tool, open: boolean) => void;
  readonly hunt: () => void;
  readonly endHunt: () => void;
};

export type ViewProps = { readonly scene: Scene; readonly act: Actions };

export const profileOf = ({ core }: Pick<Scene, "core">, name: string): Profile => core.abi.profile[name]!;
