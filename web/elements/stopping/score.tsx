// The two buffers as scores, row against row: the right rule with the prompts and how each row ended, and a wrong one with
// what it lost or has too many, marked against the whole run of the right rule.
import type { ComponentChildren } from "preact";
import type { Cell, StopResult } from "../../core/stop.ts";
import type { StoppingMessages } from "./messages.zh.ts";
import type { Scene, ViewProps } from "./scene.ts";
import { PROMPTS, wrongRules, type WrongRule } from "./state.ts";

export function Score({ scene, act }: ViewProps) {
  return (
    <div class={scene.config.limit > 4 ? "score many" : "score"}>
      <Latch scene={scene} />
      <Wrong scene={scene} act={act} />
      <Legend scene={scene} />
    </div>
  );
}

type Look = "" | "eos" | "given" | "pad" | "replaced" | "next" | "lost" | "junk";

/** A token: the shape says its role, hidden words say it again, the small figure is its id. */
function Tile({
  s,
  look,
  small,
  struck,
  children,
}: {
  s: StoppingMessages;
  look: Look;
  small?: number | null | undefined;
  struck?: string | false | undefined;
  children: ComponentChildren;
}) {
  return (
    <span class={`t ${look}`}>
      {struck && <s>{struck}</s>}
      {look === "junk" && <i aria-hidden="true">{s.extra}</i>}
      {children && <b>{children}</b>}
      {typeof small === "number" && <sub>{small}</sub>}
      {look && <span class="vh">{s.roles[look]}</span>}
    </span>
  );
}

/** A cell of a buffer after some steps: `ended` if its row has ended, `stopped` if the batch has. */
function Place({
  s,
  cell,
  token,
  ended,
  stopped,
}: {
  s: StoppingMessages;
  cell: Cell;
  token: string;
  ended: boolean;
  stopped: boolean;
}) {
  switch (cell.role) {
    case "token":
      return <Tile s={s} look="" small={cell.candidate} children={token} />;
    case "eos":
      return <Tile s={s} look="eos" small={cell.candidate} children="EOS" />;
    case "pad":
      return <Tile s={s} look="pad" small={cell.appended!} struck={token} children="PAD" />;
    case "junk":
      return <Tile s={s} look="junk" small={cell.candidate} children={token} />;
    case "lost":
    case "lost-eos":
      return <Tile s={s} look="lost" small={cell.candidate} children={cell.role === "lost" ? token : "EOS"} />;
    default:
      if (stopped) return <span class="t void">·</span>;
      return ended ? (
        <Tile s={s} look="replaced" struck={token} children="" />
      ) : (
        <Tile s={s} look="next" children={token} />
      );
  }
}

const columnsOf = (scene: Scene) => Array.from({ length: scene.config.limit }, (_, index) => index);

function Row({ s, row, children }: { s: StoppingMessages; row: number; children: ComponentChildren }) {
  return (
    <tr role="row">
      <th role="rowheader" scope="row" class="row">
        {s.row(row + 1)}
      </th>
      {children}
    </tr>
  );
}

function Latch({ scene }: Pick<ViewProps, "scene">) {
  const { s, config, now, step } = scene;
  const head = (text: string) => (
    <th role="columnheader" scope="col" class="word">
      {text}
    </th>
  );
  return (
    <section class="latch" aria-label={s.right}>
      <header>
        <h3>{s.right}</h3>
        <span class="quiet">{s.rightNote}</span>
      </header>
      <table class="grid" role="table">
        <caption class="vh">
          {s.right} {s.steps.name(step)}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            <td role="cell" class="row" />
            <th role="columnheader" scope="colgroup" colSpan={3} class="given">
              {s.prompt}
            </th>
            <td role="cell" class="gap" />
            {columnsOf(scene).map(t => (
              <th
                key={t}
                role="columnheader"
                scope="col"
                class={t === step - 1 ? "cell now" : "cell"}
                aria-current={t === step - 1 ? "step" : undefined}
              >
                <span>{t + 1}</span>
              </th>
            ))}
            {head("finished")}
            {head(s.answer)}
            {head(s.reason)}
            {head(s.stopStep)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {config.rows.map((tokens, row) => {
            const end = now.rows[row]!,
              ended = end.finish !== "none",
              prompt = PROMPTS[row]!;
            const answer = tokens.slice(0, end.answer).join(" ");
            const word = (name: string, content: ComponentChildren) => (
              <td role="cell" class="word" data-head={name}>
                {content}
              </td>
            );
            return (
              <Row key={row} s={s} row={row}>
                {prompt.tokens.map((token, index) => (
                  <td key={index} role="cell" class="p">
                    <Tile
                      s={s}
                      look={token === "PAD" ? "pad" : token === "EOS" ? "given" : ""}
                      small={prompt.mask[index]!}
                      children={token}
                    />
                  </td>
                ))}
                <td role="cell" class="gap" />
                {tokens.slice(0, config.limit).map((token, t) => (
                  <td key={t} role="cell" class="cell">
                    <Place s={s} cell={now.cells[row]![t]!} token={token} ended={ended} stopped={false} />
                  </td>
                ))}
                {word("finished", String(ended))}
                {word(
                  s.answer,
                  <>
                    {answer ? <code>{answer}</code> : ended && <span class="quiet">{s.empty}</span>}{" "}
                    {!ended && <span class="quiet">{answer ? s.unfinished : "—"}</span>}
                  </>,
                )}
                {word(s.reason, s.finishes[end.finish])}
                {word(s.stopStep, ended ? s.atStep(end.step) : "—")}
              </Row>
            );
          })}
        </tbody>
      </table>
      <dl class="tally counts">
        {s.counts(now, config.limit, config.rows.length).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Wrong({ scene, act }: ViewProps) {
  const { s, config, wrong, quiz } = scene,
    tally = tallyOf(scene);
  const veiled = config.rule === "any" && quiz !== null && !quiz.told;
  return (
    <section class="wrong-rule" aria-label={s.wrong}>
      <header>
        <h3 class="wrong">{s.wrong}</h3>
        <select
          class="box"
          aria-label={s.choose}
          value={config.rule}
          onChange={event => act.rule(event.currentTarget.value as WrongRule)}
        >
          {wrongRules.map(rule => (
            <option key={rule} value={rule}>
              {s.rules[rule]}
            </option>
          ))}
        </select>
      </header>
      {veiled && !("refused" in wrong) && (
        <div class="no-print">
          <WrongGrid scene={scene} run={wrong} veiled />
          <p class="tally quiet">{s.quiz.veiled}</p>
        </div>
      )}
      <div class={veiled ? "print-only" : undefined}>
        {"refused" in wrong ? null : <WrongGrid scene={scene} run={wrong} />}
        <p class={tally.bad ? "tally wrong" : "tally"}>{tally.text}</p>
      </div>
    </section>
  );
}

/** `veiled`: candidates only, until the reader has guessed. */
function WrongGrid({ scene, run, veiled }: Pick<ViewProps, "scene"> & { run: StopResult; veiled?: boolean }) {
  const { s, config } = scene;
  const early = !veiled && run.rows.some(row => row.finish === "cut");
  return (
    <table class="grid" role="table">
      <caption class="vh">{s.rules[config.rule]}</caption>
      <thead role="rowgroup">
        <tr role="row">
          <td role="cell" class="row" />
          {columnsOf(scene).map(t => (
            <th
              key={t}
              role="columnheader"
              scope="col"
              class={early && t === run.columns ? "cell halt" : "cell"}
              data-halt={s.halt}
            >
              <span>{t + 1}</span>
            </th>
          ))}
          <th role="columnheader" scope="col" class="word">
            {config.rule === "same-step" ? s.junk : s.lost}
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {config.rows.map((tokens, row) => {
          const cells = run.cells[row]!.map(cell => (veiled ? { ...cell, role: "none" as const } : cell));
          const marked = cells.flatMap(({ role }, t) =>
            role === "lost-eos" ? ["EOS"] : role === "lost" || role === "junk" ? [tokens[t]!] : [],
          );
          return (
            <Row key={row} s={s} row={row}>
              {tokens.slice(0, config.limit).map((token, t) => (
                <td key={t} role="cell" class={early && t === run.columns ? "cell halt" : "cell"}>
                  <Place s={s} cell={cells[t]!} token={token} ended={false} stopped={!veiled && run.stopped} />
                </td>
              ))}
              <td role="cell" class="word" data-head={config.rule === "same-step" ? s.junk : s.lost}>
                {veiled ? (
                  "?"
                ) : marked.length ? (
                  <code>{marked.join(" ")}</code>
                ) : (
                  <span class="quiet">{s.nothing}</span>
                )}
              </td>
            </Row>
          );
        })}
      </tbody>
    </table>
  );
}

/** What the wrong rule did up to here, in a sentence. */
function tallyOf({ s, config, wrong }: Scene): { readonly text: string; readonly bad: boolean } {
  const t = s.tally;
  if ("refused" in wrong) return { text: wrong.refused ? t.scalar : t.single, bad: true };
  if (config.rule === "scalar" || config.rule === "single") return { text: t.same, bad: false };
  if (config.rule === "same-step")
    return wrong.junk ? { text: t.junk(wrong.junk, wrong.idle), bad: true } : { text: t.clean, bad: false };
  if (!wrong.stopped) return { text: t.waiting, bad: false };
  return wrong.lost + wrong.lost_eos
    ? { text: t.cut(wrong.columns, wrong.lost, wrong.lost_eos), bad: true }
    : { text: t.harmless(wrong.columns), bad: false };
}

function Legend({ scene: { s, config, wrong } }: Pick<ViewProps, "scene">) {
  const last: Look = !("refused" in wrong) && config.rule === "same-step" ? "junk" : "lost";
  const looks = [
    ["eos", "EOS"],
    ["given", "EOS"],
    ["pad", "PAD"],
    ["replaced", "a"],
    ["next", "b"],
    [last, "z"],
  ] as const;
  return (
    <ul class="legend">
      {looks.map(([look, text]) => (
        <li key={look}>
          <span class={`t ${look}`} aria-hidden="true">
            {look === "replaced" ? <s>{text}</s> : <b>{text}</b>}
          </span>
          {s.roles[look]}
        </li>
      ))}
      <li>{s.small}</li>
    </ul>
  );
}
