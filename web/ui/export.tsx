// Share and save: a link that holds the whole setting, the table as CSV, the picture as SVG. Nothing leaves the page.
import { ofDocument } from "./page.ts";

/** What was asked for: its text is shown to be copied by hand where the clipboard or downloads are forbidden. */
export type Exported = { readonly text: string; readonly said: string };

export type ExportProps = {
  readonly label: string;
  readonly buttons: readonly { readonly text: string; readonly make: () => void }[];
  readonly exported: Exported | null;
};

export function Export({ label, buttons, exported }: ExportProps) {
  return (
    <div class="export no-print" role="group" aria-label={label}>
      <div class="moves">
        {buttons.map(({ text, make }) => (
          <button key={text} type="button" onClick={make}>
            {text}
          </button>
        ))}
      </div>
      {exported && (
        <label>
          {exported.said}
          <textarea
            class="box"
            readOnly
            rows={exported.text.includes("\n") ? 5 : 2}
            value={exported.text}
            onFocus={event => event.currentTarget.select()}
          />
        </label>
      )}
    </div>
  );
}

/** Chromium's word on what a frame may do: an attempt without leave would be an error on the console. */
type Policy = { allowsFeature(name: string): boolean } | undefined;

/** Puts a text on the clipboard; false where that is not allowed. */
export async function copy(text: string): Promise<boolean> {
  if ((ofDocument("featurePolicy" as keyof Document) as Policy)?.allowsFeature("clipboard-write") === false)
    return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Offers a text, or bytes, as a file. */
export function save(text: string | Uint8Array<ArrayBuffer>, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(ofDocument("createElement")!.call(document, "a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address));
}
