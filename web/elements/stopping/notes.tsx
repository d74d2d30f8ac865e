// Below the scores: the log of every step, and what the numbers alone do not say.
import { Heads, Line } from "../../ui/table.tsx";
import { Note } from "../../ui/note.tsx";
import type { Scene, ViewProps } from "./scene.ts";

/** What the log shows of a step: candidates, finished before, appended, finished after, each in row
    order, and the batch. */
export function logRow({ config, now }: Pick<Scene, "config" | "now">, t: number) {
  const cells = now.cells.map(row => row[t]!);
  return {
    candidate: config.rows.map(row => row[t]!),
    before: cells.map(cell => cell.before),
    appended: cells.map((cell, row) =>
      cell.role === "pad" ? "PAD" : cell.role === "eos" ? "EOS" : config.rows[row]![t]!,
    ),
    after: cells.map(cell => cell.after),
    batch: cells[0]!.batch,
  };
}

export function Log({ scene }: Pick<ViewProps, "scene">) {
  const { step, config } = scene,
    s = scene.s.log;
  return (
    <details class="log">
      <summary>{s.title(step)}</summary>
      <div class="scroller" tabIndex={0} role="group" aria-label={s.title(step)}>
        <table>
          <caption>{s.caption(config.rows.length)}</caption>
          <Heads of={s.heads()} />
          <tbody>
            {Array.from({ length: step }, (_, t) => {
              const { candidate, before, appended, after, batch } = logRow(scene, t);
              return (
                <Line key={t} head={t + 1}>
                  {[candidate, before, appended, after].map((values, index) => (
                    <td key={index}>
                      <code>{values.join(" ")}</code>
                    </td>
                  ))}
                  <td>{s.batch(batch)}</td>
                </Line>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function Notes({ scene }: Pick<ViewProps, "scene">) {
  const n = scene.s.notes;
  return (
    <div class="notes across">
      <Note title={n.steps}>
        <ol>
          {[n.first, n.second, n.third].map(text => (
            <li key={text}>{text}</li>
          ))}
        </ol>
      </Note>
      <Note title={n.roles}>
        <p>{n.rolesText}</p>
      </Note>
      <Note title={n.prompt}>
        <p>{n.promptText}</p>
      </Note>
      <Note title={n.returns}>
        <p>{n.returnsText}</p>
      </Note>
    </div>
  );
}

/** The log of the whole run as CSV: a line for each row in each step. */
export function csvOf({ config, full }: Pick<Scene, "config" | "full">): string {
  const lines = [
    [
      "step",
      "row",
      "candidate",
      "candidate_id",
      "finished_before",
      "appended",
      "appended_id",
      "finished_after",
      "batch_finished",
      "role",
    ],
  ];
  for (let t = 0; t < full.columns; t++)
    for (const [row, tokens] of config.rows.entries()) {
      const cell = full.cells[row]![t]!,
        appended = logRow({ config, now: full }, t).appended[row]!;
      lines.push(
        [
          t + 1,
          row + 1,
          tokens[t]!,
          cell.candidate,
          cell.before,
          appended,
          cell.appended!,
          cell.after,
          cell.batch,
          cell.role,
        ].map(String),
      );
    }
  return lines.map(line => `${line.join(",")}\r\n`).join("");
}
