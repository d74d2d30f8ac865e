// The first tokens for one seed, side by side, and 100,000 draws of one library.
import { Fragment } from "preact";
import { probability } from "../../i18n/format.ts";
import { Field } from "../../ui/field.tsx";
import { ONE } from "../../ui/numbers.ts";
import { Heads } from "../../ui/heads.tsx";
import { DRAWS, sharesOf } from "../../compare/tally.ts";
import type { Scene, ViewProps } from "./scene.ts";
import { prose } from "./sentences.ts";
import { keeps, onlyIn } from "../../compare/run.ts";
import { draws, FIRST_TOKENS, type Stream } from "../../compare/stream.ts";
import { Id, Piece } from "./token.tsx";

/** Lines of the table of frequencies; the others are summed. */
const LINES = 10;

type Drawn = Stream & { readonly allowed?: undefined };
const isDrawn = (stream: Stream): stream is Drawn => stream.allowed === undefined;

export function Streams({ scene, act }: ViewProps) {
  const { m, s, draft, reading, config, solved } = scene,
    { runs, pending } = solved,
    streams = pending ? solved.held : solved.streams,
    t = s.streams;
  const problem = reading.problems.seed,
    silent = runs
      .filter(run => run.distribution && !streams.some(({ name }) => name === run.name))
      .map(({ name }) => name);
  return (
    <section class="streams" aria-label={t.label} aria-busy={pending ? "true" : undefined}>
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
        {streams.length === 0 && <p class="quiet">{pending ? t.pending : t.empty}</p>}
        {streams.length > 0 && (
          <table role="table">
            <caption>
              <b>{t.name}</b>
              {t.caption(config.seed)}
            </caption>
            <thead role="rowgroup">
              <tr role="row">
                <th role="columnheader" scope="col">
                  {t.engine}
                </th>
                <th role="columnheader" scope="col">
                  {t.ids}
                </th>
                <th role="columnheader" scope="col">
                  {t.words}
                </th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {streams.map(stream => (
                <tr role="row" key={stream.name}>
                  <th role="rowheader" scope="row">
                    {stream.name}
                  </th>
                  {isDrawn(stream) ? (
                    <>
                      <td role="cell" class="drawn">
                        {stream.ids.map((id, place) => (
                          <Fragment key={place}>
                            {place > 0 && " "}
                            <span class="tok" data-id={id}>
                              {id}
                              <Piece id={id} row={scene.row} />
                            </span>
                          </Fragment>
                        ))}
                      </td>
                      <td role="cell" class="num">
                        {stream.words}
                      </td>
                    </>
                  ) : (
                    <td role="cell" colSpan={2}>
                      {t.refused("")}
                      <span lang="en">{stream.allowed}</span>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <p class="tally">
          {prose(
            m,
            streamsDiffer(streams) &&
              t.why(
                streams
                  .filter(isDrawn)
                  .map(({ name, generator, words }) => t.uses(name, generator, String(words / FIRST_TOKENS))),
              ),
            silent.length > 0 && t.not(silent),
          )}
        </p>
      </div>
    </section>
  );
}

function streamsDiffer(streams: readonly Stream[]): boolean {
  return new Set(streams.filter(isDrawn).map(({ ids }) => String(ids))).size > 1;
}

export function Draws({ scene, act }: ViewProps) {
  const { core, s, solved, drawer, tally, drawing, m } = scene,
    d = s.draws,
    { first, second } = solved.pair;
  const able = [first, second].filter(run => draws(core, run, solved.config.seed));
  const grouped = (count: number) => count.toLocaleString(m.locale);
  return (
    <section class="many-draws" aria-label={d.label}>
      <h3>{d.label}</h3>
      {able.length === 0 ? (
        <p class="quiet">{d.none}</p>
      ) : (
        <div class="moves">
          <select
            class="box"
            aria-label={d.engine}
            value={drawer}
            onChange={event => act.drawer(event.currentTarget.value)}
          >
            {able.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <button type="button" aria-disabled={drawing ? "true" : undefined} onClick={() => drawing || act.draw()}>
            {d.start}
          </button>
          <button type="button" aria-disabled={drawing ? undefined : "true"} onClick={() => drawing && act.cancel()}>
            {d.cancel}
          </button>
          {tally && (
            <label class="progress">
              <progress max={DRAWS} value={tally.done} /> <span class="num">{d.progress(grouped(tally.done))}</span>
            </label>
          )}
        </div>
      )}
      {able.length > 0 && !tally && <p class="hint">{d.idle}</p>}
      {tally && <Frequencies scene={scene} tally={tally} grouped={grouped} />}
    </section>
  );
}

function Frequencies({
  scene: { s, solved, row },
  tally,
  grouped,
}: {
  scene: Scene;
  tally: NonNullable<Scene["tally"]>;
  grouped: (count: number) => string;
}) {
  const { first, second } = solved.pair,
    [run, other] = tally.name === first.name ? [first, second] : [second, first];
  const shown = sharesOf(tally, run, LINES),
    rest = (run.distribution?.ids.length ?? 0) - shown.length,
    d = s.draws;
  const outside = onlyIn(run, other).reduce((sum, id) => sum + tally.counts[id]!, 0);
  return (
    <>
      {other.distribution && (
        <p class="tally">
          {outside ? d.outside(grouped(outside), percent(outside / tally.done), other.name) : d.inside(other.name)}
        </p>
      )}
      <table>
        <caption>
          <b>{d.name}</b>
          {d.caption}
        </caption>
        <Heads texts={[d.id, d.count, d.frequency, d.p, d.error]} />
        <tbody>
          {shown.map(({ id, count, frequency, p, error }) => (
            <tr key={id} class={keeps(other, id) ? undefined : "split"}>
              <th scope="row">
                <Id id={id} row={row} />
              </th>
              <td>{count}</td>
              <td>{probability(frequency)}</td>
              <td>{probability(p)}</td>
              <td>{error.toFixed(6)}</td>
            </tr>
          ))}
          {rest > 0 && (
            <tr>
              <th scope="row">{d.rest(rest)}</th>
              <td>{shown.reduce((left, { count }) => left - count, tally.done)}</td>
              <td colSpan={3} />
            </tr>
          )}
        </tbody>
      </table>
    </>
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
