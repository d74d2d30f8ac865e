// The first tokens for one seed, side by side.
import { Fragment } from "preact";
import { Field } from "../../ui/field.tsx";
import { ONE } from "../../ui/numbers.ts";
import { Heads, Line } from "../../ui/table.tsx";
import type { Scene, ViewProps } from "./scene.ts";
import { prose } from "./sentences.ts";
import { FIRST_TOKENS, type Stream } from "../../compare/stream.ts";
import { Piece, slotOf } from "./token.tsx";

type Drawn = Stream & { readonly allowed?: undefined };
const isDrawn = (stream: Stream): stream is Drawn => stream.allowed === undefined;

/** What is drawn so far, or, while a new result waits, was before. */
const streamsOf = ({ solved }: Scene): readonly Stream[] => (solved.pending ? solved.held : solved.streams);

export function Streams({ scene, act }: ViewProps) {
  const { s, draft, reading, solved } = scene,
    problem = reading.problems.seed,
    t = s.streams;
  return (
    <div role="group" class="streams" aria-label={t.label} aria-busy={solved.pending ? "true" : undefined}>
      <Field
        name="seed"
        label={s.fields.seed}
        text={draft.seed}
        mode="numeric"
        wide
        problem={problem && s.problem("seed", problem)}
        most={ONE}
        hint={t.seedHint}
        onText={(text, commit) => act.field("seed", text, commit)}
      >
        {reading.config && t.seedTaken}
      </Field>
      <div>
        {streamsOf(scene).length ? (
          <Drawings scene={scene} />
        ) : (
          <p class="quiet">{solved.pending ? t.pending : t.empty}</p>
        )}
        <Why scene={scene} />
      </div>
    </div>
  );
}

function Drawings({ scene }: Pick<ViewProps, "scene">) {
  const t = scene.s.streams;
  return (
    <table role="table">
      <caption>
        <b>{t.name}</b>
        {t.caption(scene.config.seed)}
      </caption>
      <Heads of={[t.engine, t.ids, t.words]} />
      <tbody role="rowgroup">
        {streamsOf(scene).map(stream => (
          <Line key={stream.name} head={stream.name}>
            {isDrawn(stream) ? (
              <Ids stream={stream} row={scene.row} />
            ) : (
              <td role="cell" colSpan={2}>
                {t.refused("")}
                <span lang="en">{stream.allowed}</span>
              </td>
            )}
          </Line>
        ))}
      </tbody>
    </table>
  );
}

function Ids({ stream, row }: { readonly stream: Drawn; readonly row: Scene["row"] }) {
  return (
    <>
      <td role="cell" class="drawn">
        {stream.ids.map((id, place) => (
          <Fragment key={place}>
            {place > 0 && " "}
            <span class="tok" data-id={slotOf(id, row)}>
              {id}
              <Piece id={id} row={row} />
            </span>
          </Fragment>
        ))}
      </td>
      <td role="cell" class="num">
        {stream.words}
      </td>
    </>
  );
}

/** Why the same seed gives other tokens, and who draws none. */
function Why({ scene }: Pick<ViewProps, "scene">) {
  const streams = streamsOf(scene),
    drawn = streams.filter(isDrawn),
    t = scene.s.streams;
  const silent = scene.solved.runs
    .filter(run => run.distribution && !streams.some(({ name }) => name === run.name))
    .map(({ name }) => name);
  return (
    <p class="tally">
      {prose(
        scene.m,
        new Set(drawn.map(({ ids }) => String(ids))).size > 1 &&
          t.why(drawn.map(({ name, generator, words }) => t.uses(name, generator, String(words / FIRST_TOKENS)))),
        silent.length > 0 && t.not(silent),
      )}
    </p>
  );
}
