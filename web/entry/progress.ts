// What a long command is at, where someone waits for it: on stderr, and only if that is a terminal.

/** Half a second: what is done sooner needs no word. */
const PATIENCE = 500;

/** `say` shows a word after a while, in place of the last; `end` wipes it. `shown`: results already show
    on the terminal. */
export function progress(shown = false): { readonly say: (word: string) => void; readonly end: () => void } {
  let last = Date.now(),
    said = false;
  const write = (text: string): void => {
    process.stderr.write(`\r\x1b[K${text}`);
    said = true;
  };
  return {
    say: word => {
      if (shown || !process.stderr.isTTY || Date.now() - last < PATIENCE) return;
      last = Date.now();
      write(word);
    },
    end: () => {
      if (said) write("");
    },
  };
}
