// The two buffers as scores, row against row: the right rule with the prompts and how each row ended, and a wrong one
// with what it lost or has too many, marked against the whole run of the right rule.
import type { ComponentChildren } from "preact";
import type { Cell, StopResult } from "../../core/stop.ts";
import { classes } from "../../ui/classes.ts";
import { Heading } from "../../ui/parts.tsx";
import { Select } from "../../ui/select.tsx";
import { Heads, Line, type Head, type HeadCell } from "../../ui/table.tsx";
import type { StoppingMessages } from "./messages.zh.ts";
import type { Scene, ViewProps } from "./scene.ts";
import { PROMPTS, wrongRules } from "./state.ts";

export function Score({ scene, act }: ViewProps) {
  return (
    <div class={scene.config.limit > 4 ? "score long" : "score"}>
      <Latch scene={scene} />
      <Wrong scene={scene} act={act} />
      <Legend scene={scene} />
    </div>
  );
}

/** A word of more letters is set smaller. */
const WIDE = 4;

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
    <span class={classes("t", look, String(children).length > WIDE && "wide")}>
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

/** A column a step, after what stands before them. */
const stepsOf = ({ config }: Scene, head: (t: number) => HeadCell): Head[] =>
  Array.from({ length: config.limit }, (_, t) => ({ class: "cell", children: <span>{t + 1}</span>, ...head(t) }));
const word = (children: string): Head => ({ class: "word", children });

function Row({ s, row, children }: { s: StoppingMessages; row: number; children: ComponentChildren }) {
  return <Line headClass="row" head={s.row(row + 1)} children={children} />;
}

function Word({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <td role="cell" class="word" data-head={name}>
      {children}
    </td>
  );
}

function Latch({ scene }: Pick<ViewProps, "scene">) {
  const { s, config, now, step } = scene;
  return (
    <div class="latch" role="group" aria-label={s.right}>
      <div class="head">
        <Heading sub>{s.right}</Heading>
        <span class="quiet">{s.rightNote}</span>
      </div>
      <table class="grid" role="table">
        <caption class="vh">
          {s.right} {s.steps.name(step)}
        </caption>
        <Heads
          of={[
            { class: "row" },
            { class: "prompt", scope: "colgroup", colSpan: 3, children: s.prompt },
            { class: "spacer" },
            ...stepsOf(scene, t => (t === step - 1 ? { "aria-current": "step" } : {})),
            ...["finished", s.answer, s.reason, s.stopStep].map(word),
          ]}
        />
        <tbody role="rowgroup">
          {config.rows.map((_, row) => (
            <LatchRow key={row} scene={scene} row={row} />
          ))}
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
    </div>
  );
}

/** The prompt of a row, its tokens so far, and how it ended. */
function LatchRow({ scene: { s, config, now }, row }: Pick<ViewProps, "scene"> & { row: number }) {
  const tokens = config.rows[row]!,
    end = now.rows[row]!,
    ended = end.finish !== "none",
    answer = tokens.slice(0, end.answer).join(" ");
  return (
    <Row s={s} row={row}>
      <Prompt s={s} row={row} />
      <td role="cell" class="spacer" />
      {tokens.slice(0, config.limit).map((token, t) => (
        <td key={t} role="cell" class="cell">
          <Place s={s} cell={now.cells[row]![t]!} token={token} ended={ended} stopped={false} />
        </td>
      ))}
      <Word name="finished">{String(ended)}</Word>
      <Word name={s.answer}>
        {answer ? <code>{answer}</code> : ended && <span class="quiet">{s.empty}</span>}{" "}
        {!ended && <span class="quiet">{answer ? s.unfinished : "—"}</span>}
      </Word>
      <Word name={s.reason}>{s.finishes[end.finish]}</Word>
      <Word name={s.stopStep}>{ended ? s.atStep(end.step) : "—"}</Word>
    </Row>
  );
}

function Prompt({ s, row }: { s: StoppingMessages; row: number }) {
  const { tokens, mask } = PROMPTS[row]!;
  return (
    <>
      {tokens.map((token, index) => (
        <td key={index} role="cell" class="p" data-head={index ? undefined : s.prompt}>
          <span class="stack">
            <Tile s={s} look={token === "PAD" ? "pad" : token === "EOS" ? "given" : ""} children={token} />
            <span class={mask[index] ? "bit seen" : "bit"} aria-hidden="true">
              {mask[index]}
            </span>
          </span>
          <span class="vh">{s.maskBit(mask[index]!)}</span>
        </td>
      ))}
    </>
  );
}

/** True while the wrong rule that the question is about is not shown. */
export const isVeiled = ({ config, quiz }: Scene): boolean => config.rule === "any" && quiz !== null && !quiz.told;

function Wrong({ scene, act }: ViewProps) {
  const { s, config, wrong } = scene,
    tally = tallyOf(scene),
    veiled = isVeiled(scene);
  return (
    <div class="wrong-rule" role="group" aria-label={s.wrong}>
      <div class="head">
        <Heading sub class="wrong">
          {s.wrong}
        </Heading>
        <Select
          label={s.choose}
          value={config.rule}
          values={wrongRules}
          textOf={rule => s.rules[rule]}
          onChoose={act.rule}
        />
      </div>
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
    </div>
  );
}

/** `veiled`: candidates only, until the reader has guessed. */
function WrongGrid({ scene, run, veiled = false }: Pick<ViewProps, "scene"> & { run: StopResult; veiled?: boolean }) {
  const { s, config } = scene,
    early = !veiled && run.rows.some(row => row.finish === "cut"),
    harm = config.rule === "same-step" ? s.junk : s.lost;
  /** Before the step in which the batch has stopped too early. */
  const classOf = (t: number) => (early && t === run.columns ? "cell halt" : "cell");
  return (
    <table class="grid" role="table">
      <caption class="vh">{s.rules[config.rule]}</caption>
      <Heads
        of={[{ class: "row" }, ...stepsOf(scene, t => ({ class: classOf(t), "data-halt": s.halt })), word(harm)]}
      />
      <tbody role="rowgroup">
        {config.rows.map((tokens, row) => {
          const cells = run.cells[row]!.map(cell => (veiled ? { ...cell, role: "none" as const } : cell)),
            marked = markedOf(cells, tokens);
          return (
            <Row key={row} s={s} row={row}>
              {tokens.slice(0, config.limit).map((token, t) => (
                <td key={t} role="cell" class={classOf(t)}>
                  <Place s={s} cell={cells[t]!} token={token} ended={false} stopped={!veiled && run.stopped} />
                </td>
              ))}
              <Word name={harm}>
                {veiled ? "?" : marked ? <code>{marked}</code> : <span class="quiet">{s.nothing}</span>}
              </Word>
            </Row>
          );
        })}
      </tbody>
    </table>
  );
}

/** The tokens of a row that are lost, or too many. */
const markedOf = (cells: readonly Cell[], tokens: readonly string[]): string =>
  cells
    .flatMap(({ role }, t) => (role === "lost-eos" ? "EOS" : role === "lost" || role === "junk" ? tokens[t]! : []))
    .join(" ");

/** What the wrong rule did up to here, in a sentence. */
export function tallyOf({ s, config, wrong }: Scene): { readonly text: string; readonly bad: boolean } {
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
      <li>{s.maskKey}</li>
    </ul>
  );
}
